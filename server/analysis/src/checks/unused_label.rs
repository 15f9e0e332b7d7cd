//! `unused-label`: nothing goes to a label.

use crate::diagnostic::Diagnostic;
use crate::flow::lints::Analysis;

/// The code.
pub const CODE: &str = "unused-label";

/// Finds labels that no operand and no list names. In a module with debugging data a label may be for the debugger.
pub fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if analysis.module.debugging {
        return;
    }
    let labels = function.labels.iter().map(|l| (&l.name, &l.range, l.uses));
    let lists = function.lists.iter().map(|l| (&l.name, &l.range, l.uses));
    for (name, range, uses) in labels.chain(lists) {
        if uses == 0 {
            let range = range.start as usize..range.end as usize;
            out.push(Diagnostic::hint(CODE, range, format!("nothing refers to the label `{name}`")).unnecessary());
        }
    }
}
