//! `idle-bound`: a bound in the header of a kernel that holds nothing back.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;
use crate::flow::effects::mentions;
use crate::registers::{Bounds, limit, never_binds};
use ptx_isa::ISA;
use ptx_isa::tables::Protocol;
use std::ops::Range;

const CODE: Code = Code::IdleBound;

/// Looks at `.maxnreg`, and at `.minnctapersm` of more than one CTA: a compiler writes 1 without being asked.
pub fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    // With it registers are exchanged between warps, and the bound says with how many they begin.
    if !function.kernel || mentions(function, Protocol::Registers) {
        return;
    }
    registers(analysis, out);
    ctas(analysis, out);
}

/// `.maxnreg` far above what is wanted. What is called may want more; and beside the threads of a CTA it takes the place of what those
/// would leave, so it is idle only where they leave enough.
fn registers(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let Some((number, range)) = Bounds::of(analysis.function).registers else { return };
    let usage = analysis.usage();
    if !usage.callees.is_empty() || usage.calls_indirectly() {
        return;
    }
    let target = analysis.environment.target.and_then(|t| ISA.multiprocessor(t.name));
    let wanted = usage.demand.registers.round() as u32;
    let given = limit(&usage.bounds, 0, target).registers;
    let without = limit(&Bounds { registers: None, ..usage.bounds.clone() }, 0, target).registers;
    if never_binds(wanted, given) && never_binds(wanted, without) {
        let message = format!("this allows {number} registers to a thread, and about {wanted} are used");
        out.push(found(range, &message, "without the bound the assembler makes the same of the kernel"));
    }
}

/// `.minnctapersm` that leaves to each thread as many registers as there are.
fn ctas(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let bounds = Bounds::of(analysis.function);
    let Some((number, range)) = bounds.ctas.clone().filter(|(number, _)| *number > 1) else { return };
    let target = analysis.environment.target.and_then(|t| ISA.multiprocessor(t.name));
    if bounds.threads.is_none() {
        return;
    }
    let most = limit(&Bounds::default(), 0, target).registers;
    let alone = limit(&Bounds { registers: None, ..bounds.clone() }, 0, target);
    if alone.registers >= most {
        let message = format!("{number} CTAs of this size fit even where each thread has {most} registers, the most");
        out.push(found(range, &message, "this is all that the bound is about: it leaves out shared memory"));
    }
}

fn found(range: Range<u32>, message: &str, help: &str) -> Diagnostic {
    Diagnostic::hint(CODE, range.start as usize..range.end as usize, message).with_help(help)
}
