//! `missing-directive`: a directive, special register or option of `.target` requires a directive that is absent.

use super::one_of;
use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::tables::SpecialRegister;
use ptx_sema::hir::ast::{Instruction, OperandKind, SourceWord};
use std::ops::Range;
use std::sync::LazyLock;

/// A required directive that is absent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum MissingDirective {
    /// A directive requires other directives on the same kernel.
    Directive {
        /// The directive.
        directive: Box<str>,
        /// The missing directives.
        missing: Box<[&'static str]>,
    },
    /// Only kernels with a certain directive may read a special register.
    Register {
        /// The register.
        register: &'static str,
        /// The directive.
        directive: &'static str,
    },
    /// An option of `.target` requires a directive in the module.
    TargetOption {
        /// The option.
        option: &'static str,
        /// The directive.
        directive: &'static str,
    },
}

impl DiagnosticMessage for MissingDirective {
    fn message(&self) -> String {
        match self {
            Self::Directive { directive, missing } => {
                let missing = one_of(missing).replace(" or ", " and ");
                format!("`{directive}` needs {missing} on the same kernel")
            }
            Self::Register { register, directive } => {
                format!("`{register}` may be read only in a kernel with `{directive}`")
            }
            Self::TargetOption { option, directive } => {
                format!("the option `{option}` of `.target` needs a `{directive}`, but the module has none")
            }
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Directive { .. } => None,
            Self::Register { directive, .. } => Some(format!("write `{directive} 1024` before the body, for instance")),
            Self::TargetOption { .. } => {
                Some("remove the option from a module without debugging information".to_owned())
            }
        }
    }
}

/// The special registers that require a directive on the kernel.
static NEEDY: LazyLock<Vec<&SpecialRegister>> =
    LazyLock::new(|| ISA.special_registers.iter().filter(|r| !r.requires.is_empty()).collect());

/// Reports special registers among the operands of an instruction that require a directive. `given` are the directives of the kernel.
// ptxas: it accepts them without the directive as the base of an address and in a list, so only plain operands are checked.
pub(crate) fn check(instruction: &Instruction<'_>, given: &[&str], out: &mut Vec<Diagnostic>) {
    for operand in &instruction.operands {
        let OperandKind::Name(name) = operand.kind else { continue };
        let Some(register) = NEEDY.iter().find(|r| name.len() == r.name.len() && name == r.name) else { continue };
        if let Some(directive) = register.requires.iter().find(|d| !given.contains(d)) {
            let found = MissingDirective::Register { register: register.name, directive };
            out.push(Diagnostic::new(operand.range.clone(), found));
        }
    }
}

/// Reports a directive that requires others on the same kernel.
pub(crate) fn of_directive(word: SourceWord<'_>, missing: &[&'static str]) -> Diagnostic {
    let found = MissingDirective::Directive { directive: word.text.into(), missing: missing.into() };
    Diagnostic::new(word.range(), found)
}

/// Reports an option of `.target` that requires a directive in the module.
pub(crate) fn of_option(range: Range<usize>, option: &'static str, directive: &'static str) -> Diagnostic {
    Diagnostic::new(range, MissingDirective::TargetOption { option, directive })
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, messages};

    fn found(target: &str, directives: &str, body: &str) -> Vec<String> {
        let header = format!(".version 9.0\n.target {target}\n.address_size 64\n");
        let text = format!("{header}.entry k()\n{directives}\n{{\n.reg .b32 %r1;\n{body}\nret;\n}}\n");
        messages(&in_module(Code::MissingDirective, &text))
    }

    #[test]
    fn directives_that_need_others() {
        let message = "`.blocksareclusters` needs `.reqntid` and `.reqnctapercluster` on the same kernel";
        assert_eq!(found("sm_90a", ".blocksareclusters", ""), [message]);
        assert!(found("sm_90a", ".blocksareclusters .reqntid 32 .reqnctapercluster 2", "").is_empty());
    }

    #[test]
    fn options_that_need_a_section() {
        let message = "the option `debug` of `.target` needs a `.section`, but the module has none";
        assert_eq!(found("sm_90a, debug", "", ""), [message]);
        assert!(found("sm_90a", "", "").is_empty());
    }
}
