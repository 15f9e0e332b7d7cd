//! `ineffective-setmaxnreg`: `setmaxnreg` in a kernel whose header does not set the number of registers.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::effects::{first, mentions};
use ptx_isa::tables::{Protocol, Verb};

/// A `setmaxnreg` in a kernel whose header does not set the number of registers with which its threads begin.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct IneffectiveSetmaxnreg;

impl DiagnosticMessage for IneffectiveSetmaxnreg {
    fn message(&self) -> String {
        "the kernel does not fix the number of registers its threads start with, so the assembler ignores this"
            .to_owned()
    }

    fn help(&self) -> Option<String> {
        let help = "add `.maxnreg` to the kernel, or `.minnctapersm` with `.maxntid` or `.reqntid`; the assembler option `-maxrregcount` works too";
        Some(help.to_owned())
    }
}

/// Reports the first `setmaxnreg` of such a kernel.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if !function.kernel || !mentions(function, Protocol::Registers) {
        return;
    }
    if function.directives.iter().any(|t| t.directive.is_some_and(|d| d.registers)) {
        return;
    }
    let Some(index) = first(function, Verb::Uses, Protocol::Registers) else { return };
    let head = &function.instructions[index].mnemonic;
    out.push(Diagnostic::new(head.start as usize..head.end as usize, IneffectiveSetmaxnreg));
}

#[cfg(test)]
mod tests {
    use crate::Code::IneffectiveSetmaxnreg;
    use crate::testing::{in_module, messages};

    #[test]
    fn kernels_that_do_not_say_how_many_registers_they_begin_with() {
        let found = |bounds: &str| {
            let header = ".version 8.0\n.target sm_90a\n.address_size 64\n";
            let body = "setmaxnreg.dec.sync.aligned.u32 40; ret;";
            in_module(IneffectiveSetmaxnreg, &format!("{header}.visible .entry k() {bounds} {{ {body} }}"))
        };
        let expected =
            "the kernel does not fix the number of registers its threads start with, so the assembler ignores this";
        assert_eq!(messages(&found(".maxntid 384")), [expected]);
        assert!(found(".maxntid 384 .maxnreg 168").is_empty());
    }
}
