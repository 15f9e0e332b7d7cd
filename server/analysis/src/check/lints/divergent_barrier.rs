//! `divergent-barrier`: what a warp must execute together stands where only some of its lanes get to.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Severity};
use crate::check::lints::Analysis;
use crate::flow::divergence::splits;

const CODE: Code = Code::DivergentBarrier;

/// Finds instructions of the whole warp that a guard or a branch keeps lanes away from.
pub fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let together: Vec<usize> = (0..function.instructions.len()).filter(|i| function.converges(*i)).collect();
    if together.is_empty() {
        return;
    }
    for (index, split) in splits(function, analysis.graph, analysis.variances(), &together) {
        let head = &function.instructions[index].head;
        let at = &function.instructions[split.at];
        let guard = at.guard.as_ref().map_or(&at.head, |g| &g.range);
        let name = function.register_name(split.predicate);
        let what = function.entry(index).name;
        let message = match split.at == index {
            true => {
                format!("all lanes of the warp must execute `{what}` together, but `{name}` differs from lane to lane")
            }
            false => format!("all lanes of the warp must execute `{what}` together, but only some of them get here"),
        };
        let mut found = Diagnostic::warning(CODE, head.start as usize..head.end as usize, message)
            .with_help("move it to where the lanes have come together again");
        if split.at != index {
            let place = guard.start as usize..guard.end as usize;
            found = found.related(place, format!("`{name}` differs from lane to lane: the warp parts here"));
        }
        if split.perhaps {
            found.severity = Severity::Hint;
        }
        out.push(found);
    }
}
