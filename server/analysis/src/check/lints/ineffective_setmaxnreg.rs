//! `ineffective-setmaxnreg`: registers moved between warps of a kernel that does not say how many it begins with.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;
use crate::flow::effects::{first, mentions};
use ptx_isa::tables::{Protocol, Verb};

const CODE: Code = Code::IneffectiveSetmaxnreg;

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
    let message =
        "nothing says with how many registers the threads of this kernel begin, so the assembler ignores this";
    let help = "give the kernel `.maxnreg`, or `.minnctapersm` beside `.maxntid` or `.reqntid`; an option of the assembler does it too";
    out.push(Diagnostic::hint(CODE, head.start as usize..head.end as usize, message).with_help(help));
}
