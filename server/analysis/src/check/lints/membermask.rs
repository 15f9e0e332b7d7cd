//! `membermask`: a mask of lanes that does not name those that execute the instruction.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;
use crate::flow::Operand;
use crate::flow::divergence::splits;

const CODE: Code = Code::Membermask;

/// The mask of a whole warp.
const ALL: i64 = 0xffff_ffff;

/// Finds masks that are known and surely wrong.
pub fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let (function, graph) = (analysis.function, analysis.graph);
    let mut whole = Vec::new();
    for index in 0..function.instructions.len() {
        let Some(operand) = mask(analysis, index) else { continue };
        let Some(value) = analysis.variances().constant(operand, index).map(|v| v & ALL) else { continue };
        let range = operand.range.start as usize..operand.range.end as usize;
        let what = function.entry(index).name;
        if value == 0 {
            let message = format!("the mask of `{what}` names no lane, so that whatever executes it is not in it");
            out.push(
                Diagnostic::warning(CODE, range, message)
                    .with_help("the executing lane must be named; -1 names all lanes"),
            );
        } else if value == ALL {
            whole.push(index);
        } else if value & 1 == 0 && function.kernel && is_unconditional(analysis, index) {
            let message = format!("lane 0 executes this `{what}` too, but the mask 0x{value:x} does not name it");
            out.push(
                Diagnostic::warning(CODE, range, message).with_help("every lane that executes it must be in the mask"),
            );
        }
    }
    if whole.is_empty() {
        return;
    }
    for (index, split) in splits(function, graph, analysis.variances(), &whole) {
        let Some(operand) = mask(analysis, index).filter(|_| !split.perhaps) else { continue };
        let at = &function.instructions[split.at];
        let guard = at.guard.as_ref().map_or(&at.head, |g| &g.range);
        let name = function.register_name(split.predicate);
        let message =
            format!("the mask of `{}` names all lanes, but only some of them get here", function.entry(index).name);
        let found = Diagnostic::warning(CODE, operand.range.start as usize..operand.range.end as usize, message)
            .with_help("every lane that the mask names must execute the instruction with the same mask")
            .related(guard.start as usize..guard.end as usize, format!("`{name}` differs from lane to lane"));
        out.push(found);
    }
}

fn mask<'a>(analysis: &Analysis<'a>, index: usize) -> Option<&'a Operand> {
    analysis.function.operands_of(index).iter().find(|o| o.spec.is_some_and(|s| s.lanes))
}

/// Whether every thread that begins the function executes an instruction.
fn is_unconditional(analysis: &Analysis<'_>, index: usize) -> bool {
    let block = analysis.graph.block_of(index);
    analysis.function.instructions[index].guard.is_none() && analysis.post_dominators().dominates(block, 0)
}
