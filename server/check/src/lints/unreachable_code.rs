//! `unreachable-code`: instructions that control cannot reach.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_isa::tables::ControlTransfer;

/// Instructions that are never executed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UnreachableCode {
    /// The number of instructions.
    pub count: usize,
}

impl DiagnosticMessage for UnreachableCode {
    fn message(&self) -> String {
        match self.count {
            1 => "this instruction is never executed".to_owned(),
            n => format!("these {n} instructions are never executed"),
        }
    }

    fn help(&self) -> Option<String> {
        Some("this code is unreachable: no path from the beginning of the function leads here".to_owned())
    }
}

/// Reports unreachable instructions. Adjacent ones are one diagnostic.
pub(crate) fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let (function, graph) = (analysis.function, analysis.graph);
    let mut block = 0;
    while block < graph.blocks.len() {
        if graph.is_reachable(block) {
            block += 1;
            continue;
        }
        let first = graph.blocks[block].first as usize;
        while block + 1 < graph.blocks.len() && !graph.is_reachable(block + 1) {
            block += 1;
        }
        let end = graph.blocks[block].end as usize;
        block += 1;
        // Compilers write an unreachable jump or `ret` after code that does not return.
        let closing = |i: &usize| {
            matches!(
                function.instructions[*i].flow,
                ControlTransfer::Branch | ControlTransfer::Return | ControlTransfer::Exit
            )
        };
        let Some(first) = (first..end).find(|i| !closing(i)) else { continue };
        let range =
            function.instructions[first].range.start as usize..function.instructions[end - 1].range.end as usize;
        out.push(Diagnostic::new(range, UnreachableCode { count: end - first }).unnecessary());
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::UnreachableCode;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn instructions_behind_a_jump() {
        let found = in_kernel(UnreachableCode, "bra Done; mov.u32 %r0, 1; Done:");
        assert_eq!(messages(&found), ["this instruction is never executed"]);
        assert!(found[0].unnecessary);
        let found = in_kernel(UnreachableCode, "bra Done; mov.u32 %r0, 1; mov.u32 %r1, 1; Done:");
        assert_eq!(messages(&found), ["these 2 instructions are never executed"]);
        assert!(in_kernel(UnreachableCode, "bra Done; Done: mov.u32 %r0, 1;").is_empty());
        assert!(in_kernel(UnreachableCode, "bra Done; ret; Done:").is_empty(), "compilers write such a `ret`");
    }
}
