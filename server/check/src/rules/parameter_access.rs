//! `parameter-access`: an access that is not allowed to a parameter, result or call argument in `.param`.

use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::{OperandAccess, ValueKind};
use ptx_sema::forms::operands::NameLookup;
use ptx_sema::forms::spec::{OperandPattern, OperandSpec, OperandVariant};
use ptx_sema::hir::ast::{Instruction, Operand, OperandKind};
use ptx_sema::hir::symbols::{Symbol, VariableOrigin, VariableSymbol};
use std::ops::Range;

/// The state space of parameters, results and call arguments.
const PARAM: &str = ".param";

/// An access that is not allowed to a parameter, result or call argument in `.param`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ParameterAccess {
    /// The name of the variable.
    pub name: Box<str>,
    /// What is wrong with the access.
    pub problem: ParameterAccessProblem,
}

/// What is wrong with an access to a parameter, a result or an argument.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ParameterAccessProblem {
    /// A parameter is written.
    Written {
        /// Whether the parameter is a kernel's.
        kernel: bool,
    },
    /// A result is read.
    ResultRead,
    /// A guarded instruction accesses an argument or result of a call.
    Guarded {
        /// Whether the access is a store, not a load.
        stored: bool,
    },
    /// The address of an argument or result of a call is taken.
    AddressTaken,
    /// The access names `.param::entry` or `.param::func`, but the variable is in the other one.
    OtherSpace {
        /// Whether the variable is a kernel's parameter.
        kernel: bool,
        /// The state space of the access.
        space: Box<str>,
    },
}

impl DiagnosticMessage for ParameterAccess {
    fn message(&self) -> String {
        let name = &self.name;
        match &self.problem {
            ParameterAccessProblem::Written { kernel } => {
                let owner = if *kernel { "the kernel" } else { "this function" };
                format!("`{name}` is a parameter of {owner}, which cannot be written")
            }
            ParameterAccessProblem::ResultRead => {
                format!("`{name}` is the result of this function, which can only be written")
            }
            ParameterAccessProblem::Guarded { stored } => {
                let access = if *stored { "stored" } else { "loaded" };
                format!("`{name}` belongs to a call, so it must be {access} without a guard")
            }
            ParameterAccessProblem::AddressTaken => format!("`{name}` belongs to a call and has no address"),
            ParameterAccessProblem::OtherSpace { kernel, space } => {
                let what = if *kernel { "a parameter of the kernel" } else { "an argument or result of a call" };
                format!("`{name}` is {what}, which is not in `{space}`")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self.problem {
            ParameterAccessProblem::Written { .. } => "copy it into a register, or into a variable in `.local`",
            ParameterAccessProblem::ResultRead => "keep the value in a register, and store it before `ret`",
            ParameterAccessProblem::Guarded { stored: true } => {
                "choose the value with `selp` first, or branch around the whole call"
            }
            ParameterAccessProblem::Guarded { stored: false } => {
                "load it into another register, and move that under the guard"
            }
            ParameterAccessProblem::AddressTaken => {
                "only `st.param`, `ld.param` and `call` can name it; put the value into `.local` memory to point to it"
            }
            ParameterAccessProblem::OtherSpace { .. } => "write `.param`, which covers both",
        };
        Some(help.to_owned())
    }
}

fn new(range: Range<usize>, name: &str, problem: ParameterAccessProblem) -> Diagnostic {
    Diagnostic::new(range, ParameterAccess { name: name.into(), problem })
}

/// Checks how an instruction uses parameters. `fitting` is the operand variant that its operands fit.
pub(crate) fn check(
    instruction: &Instruction<'_>,
    fitting: &OperandVariant,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) {
    for (operand, (_, shape)) in instruction.operands.iter().zip(&fitting.operands) {
        match shape {
            OperandPattern::Address(specs) => {
                if let Some(spec) = specs.first() {
                    access(instruction, operand, spec, names, out);
                }
            }
            OperandPattern::Value(spec) if matches!(spec.value.kind, ValueKind::Address(_)) => {
                access(instruction, operand, spec, names, out);
            }
            OperandPattern::Value(spec) if spec.value.symbol && spec.value.kind == ValueKind::Value => {
                address_of(operand, names, out)
            }
            _ => {}
        }
    }
}

/// Checks a memory access.
fn access(
    instruction: &Instruction<'_>,
    operand: &Operand<'_>,
    spec: &OperandSpec,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) {
    let operand = match &operand.kind {
        OperandKind::Address(parts) => match parts.first() {
            Some(first) => first,
            None => return,
        },
        _ => operand,
    };
    let Some((name, range)) = base(operand) else { return };
    let Some(origin) = parameter(name, names) else { return };
    let writes = spec.value.access != OperandAccess::Read;
    if !origin.may_access(writes) {
        return out.push(match writes {
            true => {
                new(range, name, ParameterAccessProblem::Written { kernel: origin == VariableOrigin::KernelParameter })
            }
            false => new(range, name, ParameterAccessProblem::ResultRead),
        });
    }
    if let Some(modifier) = instruction.modifiers.iter().find(|m| origin.is_outside(m.text)) {
        let (kernel, space) = (origin == VariableOrigin::KernelParameter, modifier.text.into());
        return out.push(new(range, name, ParameterAccessProblem::OtherSpace { kernel, space }));
    }
    if let Some(guard) = instruction.guard.filter(|_| origin == VariableOrigin::Body) {
        out.push(new(guard.range(), name, ParameterAccessProblem::Guarded { stored: writes }));
    }
}

/// Checks an operand whose value is the address of a variable.
fn address_of(operand: &Operand<'_>, names: &dyn NameLookup, out: &mut Vec<Diagnostic>) {
    let Some((name, range)) = base(operand) else { return };
    if parameter(name, names) != Some(VariableOrigin::Body) {
        return;
    }
    // ptxas: it refuses a name with an offset or index only when it generates code.
    let late = !matches!(operand.kind, OperandKind::Name(_));
    let severity = if late { Severity::Warning } else { Severity::Error };
    out.push(new(range, name, ParameterAccessProblem::AddressTaken).severity(severity));
}

/// The name at the base of an address, and its byte range.
fn base<'t>(operand: &Operand<'t>) -> Option<(&'t str, Range<usize>)> {
    match &operand.kind {
        OperandKind::Name(name) => Some((name, operand.range.clone())),
        OperandKind::Index(inner, _) => base(inner),
        OperandKind::Offset(parts, _) => base(&parts.0),
        _ => None,
    }
}

/// Where a `.param` variable is declared; `None` if the name is not one.
fn parameter(name: &str, names: &dyn NameLookup) -> Option<VariableOrigin> {
    match names.look_up(name) {
        Some(Symbol::Variable(VariableSymbol { space: PARAM, origin, .. })) => Some(origin),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_kernel, messages};
    use crate::{Code, Severity};

    #[test]
    fn parameters_of_a_kernel_are_read() {
        let found = |body: &str| messages(&in_kernel(Code::ParameterAccess, body));
        let message = "`p` is a parameter of the kernel, which cannot be written";
        assert_eq!(found("st.param.u64 [p], %rd1;"), [message]);
        let space = "`p` is a parameter of the kernel, which is not in `.param::func`";
        assert_eq!(found("ld.param::func.u64 %rd1, [p];"), [space]);
        assert!(found("ld.param.u64 %rd1, [p];").is_empty());
    }

    #[test]
    fn addresses_of_arguments() {
        let found =
            |value: &str| in_kernel(Code::ParameterAccess, &format!(".param .b64 a[2]; mov.u64 %rd1, {value};"));
        assert_eq!(messages(&found("a")), ["`a` belongs to a call and has no address"]);
        assert_eq!(found("a+8")[0].severity, Severity::Warning);
        assert!(found("p").is_empty());
    }
}
