//! `membermask`: a lane mask that does not match the lanes that execute the instruction.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::FlowOperand;
use ptx_flow::flow::divergence::splits;

/// A lane mask that does not match the lanes that execute the instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Membermask {
    /// The mask is 0.
    Empty {
        /// The name of the instruction.
        instruction: &'static str,
    },
    /// The mask does not contain lane 0, which also executes the instruction.
    WithoutLane0 {
        /// The name of the instruction.
        instruction: &'static str,
        /// The mask.
        mask: u32,
    },
    /// The mask contains all lanes, but only some of them execute the instruction.
    AllLanes {
        /// The name of the instruction.
        instruction: &'static str,
    },
}

impl DiagnosticMessage for Membermask {
    fn message(&self) -> String {
        match self {
            Self::Empty { instruction } => {
                format!("the mask of `{instruction}` names no lane, so no lane that executes it is in the mask")
            }
            Self::WithoutLane0 { instruction, mask } => {
                format!("lane 0 executes this `{instruction}` too, but the mask 0x{mask:x} does not name it")
            }
            Self::AllLanes { instruction } => {
                format!("the mask of `{instruction}` names all lanes, but only some of them reach it")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Empty { .. } => "the mask must name the executing lane; -1 names all lanes",
            Self::WithoutLane0 { .. } => "every lane that executes it must be in the mask",
            Self::AllLanes { .. } => "every lane that the mask names must execute the instruction with the same mask",
        };
        Some(help.to_owned())
    }
}

/// The mask of a whole warp.
const ALL: u32 = u32::MAX;

/// Reports constant masks that are certainly wrong.
pub(crate) fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let (function, graph) = (analysis.function, analysis.graph);
    let mut whole = Vec::new();
    for index in 0..function.instructions.len() {
        let Some(operand) = mask(analysis, index) else { continue };
        let Some(mask) = analysis.variances().constant(operand, index).map(|v| v as u32) else { continue };
        let range = operand.range.start as usize..operand.range.end as usize;
        let instruction = function.entry(index).name;
        if mask == 0 {
            out.push(Diagnostic::new(range, Membermask::Empty { instruction }));
        } else if mask == ALL {
            whole.push(index);
        } else if mask & 1 == 0 && function.kernel && is_unconditional(analysis, index) {
            out.push(Diagnostic::new(range, Membermask::WithoutLane0 { instruction, mask }));
        }
    }
    if whole.is_empty() {
        return;
    }
    for (index, split) in splits(function, graph, analysis.variances(), &whole) {
        let Some(operand) = mask(analysis, index).filter(|_| !split.perhaps) else { continue };
        let at = &function.instructions[split.at];
        let guard = at.guard.as_ref().map_or(&at.mnemonic, |g| &g.range);
        let name = function.register_name(split.predicate);
        let data = Membermask::AllLanes { instruction: function.entry(index).name };
        let found = Diagnostic::new(operand.range.start as usize..operand.range.end as usize, data)
            .related(guard.start as usize..guard.end as usize, format!("`{name}` differs from lane to lane"));
        out.push(found);
    }
}

fn mask<'a>(analysis: &Analysis<'a>, index: usize) -> Option<&'a FlowOperand> {
    analysis.function.operands_of(index).iter().find(|o| o.spec.is_some_and(|s| s.lanes))
}

/// Whether every thread that enters the function executes the instruction.
fn is_unconditional(analysis: &Analysis<'_>, index: usize) -> bool {
    let block = analysis.graph.block_of(index);
    analysis.function.instructions[index].guard.is_none() && analysis.post_dominators().dominates(block, 0)
}

#[cfg(test)]
mod tests {
    use crate::Code::Membermask;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn masks_of_instructions_for_all_lanes() {
        let sync = |mask: &str| messages(&in_kernel(Membermask, &format!("bar.warp.sync {mask};")));
        let empty = "the mask of `bar.warp.sync` names no lane, so no lane that executes it is in the mask";
        assert_eq!(sync("0"), [empty]);
        assert_eq!(sync("6"), ["lane 0 executes this `bar.warp.sync` too, but the mask 0x6 does not name it"]);
        assert!(sync("-1").is_empty());
    }

    #[test]
    fn masks_behind_a_branch() {
        let shuffle = |mask: &str| {
            let lanes = "mov.u32 %r1, %laneid; setp.ge.u32 %p1, %r1, 16; @%p1 bra Rest;";
            in_kernel(
                Membermask,
                &format!("{lanes} shfl.sync.down.b32 %r2, %r1, 8, 31, {mask}; Rest: st.u32 [%rd0], 1;"),
            )
        };
        let found = shuffle("-1");
        assert_eq!(messages(&found), ["the mask of `shfl.sync` names all lanes, but only some of them reach it"]);
        assert_eq!(found[0].related[0].message(), "`%p1` differs from lane to lane");
        assert!(shuffle("0xffff").is_empty());
    }
}
