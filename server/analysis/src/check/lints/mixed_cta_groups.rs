//! `mixed-cta-groups`: tensor-core instructions of one CTA and of a pair of CTAs in the same kernel.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;
use crate::flow::effects::{effects, mentions};
use ptx_isa::Modifier;
use ptx_isa::tables::Protocol;

const CODE: Code = Code::MixedCtaGroups;

/// Reports the first instruction that differs from those before it.
pub fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if !mentions(function, Protocol::TensorMemory) {
        return;
    }
    let mut before: Option<(usize, Modifier)> = None;
    for index in 0..function.instructions.len() {
        if !effects(function, index).any(|e| e.protocol == Protocol::TensorMemory) {
            continue;
        }
        let group = [Modifier::CtaGroup1, Modifier::CtaGroup2].into_iter().find(|m| function.has(index, *m));
        let Some(group) = group else { continue };
        let head = |index: usize| {
            let head = &function.instructions[index].head;
            head.start as usize..head.end as usize
        };
        match before {
            None => before = Some((index, group)),
            Some((_, other)) if other == group => {}
            Some((first, other)) => {
                let message = format!("`{group}` in a function that has `{other}` before");
                let help = "all tensor-core instructions of a kernel and of what it calls are of one kind; the assembler makes no code for this";
                out.push(
                    Diagnostic::warning(CODE, head(index), message).with_help(help).related(head(first), "the first"),
                );
                return;
            }
        }
    }
}
