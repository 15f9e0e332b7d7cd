//! `tensor-memory-allocation`: tensor memory that is not given back, or asked for too late.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;
use crate::flow::bits::Bits;
use crate::flow::effects::{Facts, Problem, calls_anything, does, first, mentions};
use crate::flow::solve::Meet;
use ptx_isa::tables::{Protocol, Verb};

const CODE: Code = Code::TensorMemoryAllocation;

const PROTOCOL: Protocol = Protocol::TensorMemory;

/// Looks at allocations and their ends.
pub fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if !mentions(function, PROTOCOL) {
        return;
    }
    let Some(allocation) = first(function, Verb::Creates, PROTOCOL) else { return };
    let head = |index: usize| {
        let head = &function.instructions[index].head;
        head.start as usize..head.end as usize
    };
    if function.kernel && first(function, Verb::Ends, PROTOCOL).is_none() && !calls_anything(function) {
        let message = "the kernel allocates tensor memory and never gives it back";
        let help = "`tcgen05.dealloc` with the same number of columns before the kernel ends, on every way";
        out.push(Diagnostic::warning(CODE, head(allocation), message).with_help(help));
    }
    let step = |index: usize, facts: &mut dyn Facts| {
        if does(function, index, Verb::Closes, PROTOCOL) {
            facts.add(0);
        }
    };
    let problem = Problem { graph: analysis.graph, limit: 1, meet: Meet::All, boundary: Bits::new(1), step: &step };
    problem.visit(&problem.solve(), |index, now| {
        if now.contains(0) && does(function, index, Verb::Creates, PROTOCOL) {
            let message = "tensor memory is allocated after the permit to do so was given up";
            let help = "allocate before `tcgen05.relinquish_alloc_permit`";
            out.push(Diagnostic::warning(CODE, head(index), message).with_help(help));
        }
    });
}
