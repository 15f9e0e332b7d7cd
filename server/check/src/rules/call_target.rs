//! `call-target`: a name in a call has the wrong kind, such as a kernel as the callee.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::symbols::{Symbol, TargetListKind};
use std::ops::Range;

/// The help for an indirect call without a usable last operand.
const INDIRECT: &str = "a call through a register needs the label of a `.callprototype` or `.calltargets` directive, or a table of \
                        functions, as its last operand";

/// A name in a call that stands for a symbol of the wrong kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CallTarget {
    /// The name.
    pub name: Box<str>,
    /// What it stands for.
    pub symbol: Symbol,
    /// The part of the call in which it stands.
    pub part: CallPart,
}

/// A part of a call that consists of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CallPart {
    /// The function of a direct call.
    Function,
    /// The register of an indirect call.
    Address,
    /// The last operand of an indirect call: its prototype, list or table.
    Targets,
    /// An entry of `.calltargets`.
    Entry,
}

impl DiagnosticMessage for CallTarget {
    fn message(&self) -> String {
        let (name, what) = (&self.name, self.symbol.describe());
        match (self.part, self.symbol) {
            (CallPart::Function, Symbol::Function { .. }) => {
                format!("`{name}` is a kernel: only functions (`.func`) can be called")
            }
            (CallPart::Function, Symbol::Register { .. }) => {
                format!("`{name}` is {what}: a call through it needs a prototype")
            }
            (CallPart::Function, _) => format!("`{name}` is {what}, but only functions can be called"),
            (CallPart::Address, Symbol::Function { kernel: false, .. }) => {
                format!("`{name}` is a function: a direct call takes no prototype and no list of targets")
            }
            (CallPart::Address, _) => format!(
                "`{name}` is {what}, but a call with a prototype or a list of targets goes through an integer or untyped register \
                 of 32 or 64 bits"
            ),
            (CallPart::Targets, Symbol::Targets { list: TargetListKind::Calls | TargetListKind::Prototype, .. }) => {
                format!("`{name}` comes after this call, but must come before it")
            }
            (CallPart::Targets, Symbol::Targets { list: TargetListKind::Branches, .. }) => {
                format!("`{name}` is a list of labels to branch to, not of functions")
            }
            (CallPart::Targets, Symbol::Variable(v)) if matches!(v.space, ".global" | ".const") => format!(
                "`{name}` is not a table of functions: that is an array of `.u64`, `.u32` or `.u8` whose initializer has only names of functions"
            ),
            (CallPart::Targets, _) => format!("`{name}` is {what}, not a prototype or a list of functions"),
            (CallPart::Entry, _) => format!("`{name}` is {what}, but `.calltargets` lists functions"),
        }
    }

    fn help(&self) -> Option<String> {
        let help = match (self.part, self.symbol) {
            (CallPart::Function, Symbol::Function { .. }) => "move what both need into a `.func`, and call that",
            (CallPart::Function, Symbol::Register { .. }) => INDIRECT,
            (CallPart::Address, Symbol::Function { kernel: false, .. }) => "remove the last operand",
            (CallPart::Targets, Symbol::Targets { list: TargetListKind::Calls | TargetListKind::Prototype, .. }) => {
                "move the label and its directive up"
            }
            (CallPart::Targets, _) => INDIRECT,
            (CallPart::Function, Symbol::Label) => "`bra` jumps to a label",
            (CallPart::Function | CallPart::Entry, _) => "a function is declared with `.func`, above the call",
            (CallPart::Address, _) => return None,
        };
        Some(help.to_owned())
    }
}

fn new(range: Range<usize>, name: &str, symbol: Symbol, part: CallPart) -> Diagnostic {
    Diagnostic::new(range, CallTarget { name: name.into(), symbol, part })
}

/// The report on a direct call of a name that is not a callable function.
pub(crate) fn not_a_function(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    let diagnostic = new(range, name, symbol, CallPart::Function);
    if matches!(symbol, Symbol::Register { .. }) { diagnostic } else { diagnostic.declared_at(name) }
}

/// The report on an indirect call through a name that is not a register for addresses.
pub(crate) fn not_an_address(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    let diagnostic = new(range, name, symbol, CallPart::Address);
    if let Symbol::Function { kernel: false, .. } = symbol { diagnostic.declared_at(name) } else { diagnostic }
}

/// The report on a last operand that names no prototype, list or table, or one that stands after the call.
pub(crate) fn not_targets(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    new(range, name, symbol, CallPart::Targets)
}

/// The report on an entry of `.calltargets` that is not a function.
pub(crate) fn not_in_list(range: Range<usize>, name: &str, symbol: Symbol) -> Diagnostic {
    new(range, name, symbol, CallPart::Entry)
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::in_kernel;

    fn of(body: &str) -> Vec<String> {
        crate::testing::messages(&in_kernel(Code::CallTarget, body))
    }

    #[test]
    fn direct_calls_name_functions() {
        assert_eq!(of("call k, (%rd1);"), ["`k` is a kernel: only functions (`.func`) can be called"]);
        assert_eq!(of("call p;"), ["`p` is a `.param` variable, but only functions can be called"]);
        let register = "`%rd1` is a `.b64` register: a call through it needs a prototype";
        assert_eq!(of("call %rd1;"), [register]);
    }

    #[test]
    fn indirect_calls_name_an_earlier_prototype() {
        assert!(of("proto: .callprototype _ (); call %rd1, proto;").is_empty());
        assert_eq!(
            of("call %rd1, proto; proto: .callprototype _ ();"),
            ["`proto` comes after this call, but must come before it"]
        );
        assert_eq!(of("call %rd1, %r1;"), ["`%r1` is a `.b32` register, not a prototype or a list of functions"]);
        let found = in_kernel(Code::CallTarget, "proto: .callprototype _ (); call %fd1, proto;");
        assert!(found[0].message().starts_with("`%fd1` is a `.f64` register, but a call with a prototype"));
    }
}
