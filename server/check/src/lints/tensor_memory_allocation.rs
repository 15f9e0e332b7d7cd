//! `tensor-memory-allocation`: tensor memory that is not deallocated, or that is allocated too late.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::bits::BitSet;
use ptx_flow::flow::effects::{DataflowProblem, FactSet, calls_anything, does, first, mentions};
use ptx_flow::flow::solve::Meet;
use ptx_isa::tables::{Protocol, Verb};

/// An allocation of tensor memory that breaks the rules for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum TensorMemoryAllocation {
    /// The kernel never deallocates the memory.
    NeverFreed,
    /// The permit to allocate was relinquished before.
    AfterPermit,
}

impl DiagnosticMessage for TensorMemoryAllocation {
    fn message(&self) -> String {
        let message = match self {
            Self::NeverFreed => "the kernel allocates tensor memory and never frees it",
            Self::AfterPermit => "tensor memory is allocated after the CTA gave up its permit to allocate",
        };
        message.to_owned()
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::NeverFreed => {
                "execute `tcgen05.dealloc` with the same number of columns on every path to the end of the kernel"
            }
            Self::AfterPermit => "allocate before `tcgen05.relinquish_alloc_permit`",
        };
        Some(help.to_owned())
    }
}

const PROTOCOL: Protocol = Protocol::TensorMemory;

/// Checks allocations of tensor memory.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if !mentions(function, PROTOCOL) {
        return;
    }
    let Some(allocation) = first(function, Verb::Creates, PROTOCOL) else { return };
    let head = |index: usize| {
        let head = &function.instructions[index].mnemonic;
        head.start as usize..head.end as usize
    };
    if function.kernel && first(function, Verb::Ends, PROTOCOL).is_none() && !calls_anything(function) {
        out.push(Diagnostic::new(head(allocation), TensorMemoryAllocation::NeverFreed));
    }
    let step = |index: usize, facts: &mut dyn FactSet| {
        if does(function, index, Verb::Closes, PROTOCOL) {
            facts.add(0);
        }
    };
    let problem =
        DataflowProblem { graph: analysis.graph, limit: 1, meet: Meet::All, boundary: BitSet::new(1), step: &step };
    problem.visit(&problem.solve(), |index, now| {
        if now.contains(0) && does(function, index, Verb::Creates, PROTOCOL) {
            out.push(Diagnostic::new(head(index), TensorMemoryAllocation::AfterPermit));
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::Code::TensorMemoryAllocation;
    use crate::testing::{in_module, messages};

    const ALLOCATE: &str = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 64;";
    const FREE: &str = "ld.shared.u32 %r1, [where]; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;";
    const PERMIT: &str = "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;";

    fn found(body: &str) -> Vec<String> {
        let header = ".version 8.8\n.target sm_100a\n.address_size 64\n";
        let body = format!(".reg .b32 %r1; .shared .b32 where; {body} ret;");
        messages(&in_module(TensorMemoryAllocation, &format!("{header}.visible .entry k() {{ {body} }}")))
    }

    #[test]
    fn allocations_that_break_the_rules() {
        assert!(found(&format!("{ALLOCATE} {PERMIT} {FREE}")).is_empty());
        assert_eq!(found(ALLOCATE), ["the kernel allocates tensor memory and never frees it"]);
        let late = "tensor memory is allocated after the CTA gave up its permit to allocate";
        assert_eq!(found(&format!("{PERMIT} {ALLOCATE} {FREE}")), [late]);
    }
}
