//! `dead-store`: an instruction computes a value that no instruction reads.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;

/// An instruction without an effect, whose results nothing reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DeadStore {
    /// The registers that it writes.
    pub registers: Box<[Box<str>]>,
    /// Whether some other instruction reads one of them, but only after it is written again.
    pub overwritten: bool,
}

impl DiagnosticMessage for DeadStore {
    fn message(&self) -> String {
        let mut names: Vec<String> = self.registers.iter().map(|name| format!("`{name}`")).collect();
        names.dedup();
        let names = names.join(", ");
        match (self.overwritten, self.registers.len()) {
            (false, 1) => format!("{names} is never read"),
            (false, _) => format!("{names} are never read"),
            (true, 1) => format!("the value of {names} is overwritten before it is read"),
            (true, _) => format!("the values of {names} are overwritten before they are read"),
        }
    }

    fn help(&self) -> Option<String> {
        Some("the instruction has no effect".to_owned())
    }
}

/// Reports instructions without side effects whose results are all dead.
pub(crate) fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let mut read = vec![false; function.registers.len()];
    for index in analysis.graph.order.iter().flat_map(|b| analysis.graph.blocks[*b as usize].instructions()) {
        function.reads(index).iter().for_each(|r| read[r.slot.index()] = true);
    }
    analysis.liveness().visit(function, analysis.graph, |index, live| {
        let writes = function.writes(index);
        if writes.is_empty() || writes.iter().any(|w| live.contains(w.slot.index())) || !function.is_pure(index) {
            return;
        }
        // An instruction that reads its own result register, such as a move of a register to itself, is most likely intended.
        if function.reads(index).iter().any(|r| writes.iter().any(|w| w.slot == r.slot) && r.operand.is_some()) {
            return;
        }
        let instruction = &function.instructions[index];
        let range = instruction.range.start as usize..instruction.range.end as usize;
        let registers = writes.iter().map(|w| function.register_name(w.slot).into()).collect();
        let overwritten = writes.iter().any(|w| read[w.slot.index()]);
        out.push(Diagnostic::new(range, DeadStore { registers, overwritten }).unnecessary());
    });
}

#[cfg(test)]
mod tests {
    use crate::Code::DeadStore;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn results_that_nothing_reads() {
        let found = in_kernel(DeadStore, "mov.u32 %r0, 1;");
        assert_eq!(messages(&found), ["`%r0` is never read"]);
        assert!(found[0].unnecessary);
        let found = in_kernel(DeadStore, "mov.u32 %r0, 1; mov.u32 %r0, 2; st.u32 [%rd0], %r0;");
        assert_eq!(messages(&found), ["the value of `%r0` is overwritten before it is read"]);
        let found = in_kernel(DeadStore, "setp.eq.u32 %p0|%p1, 1, 2;");
        assert_eq!(messages(&found), ["`%p0`, `%p1` are never read"]);
        assert!(in_kernel(DeadStore, "mov.u32 %r0, 1; st.u32 [%rd0], %r0;").is_empty());
    }
}
