//! `call-sequence`: a load of a call's `.param` variable that no call has written.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::{FlowOperand, OperandRole, OperandValue};
use ptx_isa::tables::{ControlTransfer, OperandAccess};
use ptx_sema::hir::symbols::VariableOrigin;

/// A load of a `.param` variable of the body before a call returns into it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CallSequence {
    /// The name of the variable.
    pub name: Box<str>,
    /// Whether a call returns into it further down.
    pub early: bool,
}

impl DiagnosticMessage for CallSequence {
    fn message(&self) -> String {
        let Self { name, early } = self;
        let call = if *early { "no call above this load" } else { "no call" };
        format!("{call} returns a value in `{name}`, so there is nothing to load")
    }

    fn help(&self) -> Option<String> {
        let help = if self.early {
            "place the load below the call in the source as well: ptxas refuses this when it generates code"
        } else {
            "only the result of a call can be loaded; arguments can only be stored: ptxas refuses this when it generates code"
        };
        Some(help.to_owned())
    }
}

/// Reports loads of `.param` variables of the body above the first call that returns into them. ptxas follows the text, not the flow of control: a load
/// that is reached only after the call is refused where it stands above the call.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let of_call = |v: u32| {
        let symbol = function.variables.get(v as usize).map(|v| &v.symbol);
        symbol.is_some_and(|s| s.space == ".param" && s.origin == VariableOrigin::Body)
    };
    if !(0..function.variables.len() as u32).any(of_call) {
        return;
    }
    let variable = |operand: &FlowOperand| match operand.value {
        OperandValue::Variable(v) if of_call(v) => Some(v as usize),
        _ => None,
    };
    // The first call, in text order, that returns into each variable.
    let mut first = vec![None; function.variables.len()];
    let is_result = |o: &&FlowOperand| {
        o.role == OperandRole::Argument && o.spec.is_some_and(|spec| spec.access == OperandAccess::Write)
    };
    for index in 0..function.instructions.len() {
        if function.instructions[index].flow == ControlTransfer::Call {
            for result in function.operands_of(index).iter().filter(is_result).filter_map(variable) {
                first[result].get_or_insert(index);
            }
        }
    }
    for index in 0..function.instructions.len() {
        for operand in function.operands_of(index).iter().filter(|o| o.memory() == Some(OperandAccess::Read)) {
            let Some(variable) = variable(operand) else { continue };
            if first[variable].is_some_and(|call| call < index) {
                continue;
            }
            let name = function.variables[variable].name.clone();
            let range = operand.range.start as usize..operand.range.end as usize;
            let found = Diagnostic::new(range, CallSequence { name, early: first[variable].is_some() });
            out.push(found.severity(analysis.severity()));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{in_module, messages};
    use crate::{Code, Severity};

    fn found(body: &str) -> Vec<String> {
        let header = ".version 8.0\n.target sm_90\n.address_size 64\n";
        let callee = ".func (.param .b32 r) f(.param .b32 a) { st.param.b32 [r], 1; ret; }\n";
        let declarations = ".reg .b32 %r<3>; .reg .pred %p; .param .b32 x; .param .b32 y;";
        let text = format!("{header}{callee}.entry k() {{ {declarations} {body} ret; }}");
        let found = in_module(Code::CallSequence, &text);
        assert!(found.iter().all(|d| d.severity == Severity::Error));
        messages(&found)
    }

    const STORE: &str = "st.param.b32 [x], 1;";
    const CALL: &str = "call (y), f, (x);";
    const LOAD: &str = "ld.param.b32 %r1, [y];";

    /// The verdicts are those of ptxas 13.5 with code generation.
    #[test]
    fn sequences_that_are_built() {
        for body in [
            format!("{STORE} {CALL} {LOAD} {LOAD}"),
            format!("{STORE} @%p {CALL} {LOAD}"),
            format!("@%p bra B; {STORE} {CALL} B: {LOAD}"),
            format!("{STORE} {CALL} B: {LOAD} {STORE} {CALL} @%p bra B;"),
            format!("{STORE} {CALL} bra M; M: {LOAD}"),
            format!("{STORE} {CALL}"),
            STORE.to_owned(),
        ] {
            assert_eq!(found(&body), [""; 0], "{body}");
        }
    }

    #[test]
    fn sequences_that_are_refused() {
        let never = "no call returns a value in `y`, so there is nothing to load";
        let early = "no call above this load returns a value in `y`, so there is nothing to load";
        assert_eq!(found(LOAD), [never]);
        assert_eq!(found(&format!("st.param.b32 [y], 1; {LOAD}")), [never]);
        assert_eq!(found(&format!("{LOAD} {STORE} {CALL}")), [early]);
        assert_eq!(found(&format!("bra A; B: {LOAD} bra Z; A: {STORE} {CALL} bra B; Z:")), [early], "by the text");
        let argument = "no call returns a value in `x`, so there is nothing to load";
        assert_eq!(found(&format!("{STORE} {CALL} ld.param.b32 %r1, [x];")), [argument]);
    }
}
