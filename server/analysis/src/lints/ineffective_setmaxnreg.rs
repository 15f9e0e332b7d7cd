//! `ineffective-setmaxnreg`: registers moved between warps of a kernel that does not say how many it begins with.

use crate::codes::Words;
use crate::diagnostic::Diagnostic;
use crate::flow::effects::{first, mentions};
use crate::lints::Analysis;
use ptx_isa::tables::{Protocol, Verb};

/// A `setmaxnreg` in a kernel whose header does not say how many registers its threads begin with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IneffectiveSetmaxnreg;

impl Words for IneffectiveSetmaxnreg {
    fn message(&self) -> String {
        "nothing says with how many registers the threads of this kernel begin, so the assembler ignores this"
            .to_owned()
    }

    fn help(&self) -> Option<String> {
        let help = "give the kernel `.maxnreg`, or `.minnctapersm` beside `.maxntid` or `.reqntid`; an option of the assembler does it too";
        Some(help.to_owned())
    }
}

/// Reports the first one of a kernel.
pub fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if !function.kernel || !mentions(function, Protocol::Registers) {
        return;
    }
    if function.directives.iter().any(|t| t.directive.is_some_and(|d| d.registers)) {
        return;
    }
    let Some(index) = first(function, Verb::Uses, Protocol::Registers) else { return };
    let head = &function.instructions[index].head;
    out.push(Diagnostic::new(head.start as usize..head.end as usize, IneffectiveSetmaxnreg));
}
