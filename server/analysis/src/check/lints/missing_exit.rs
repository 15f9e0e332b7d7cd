//! `missing-exit`: control runs off the end of a body.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::check::lints::Analysis;

const CODE: Code = Code::MissingExit;

/// Finds the closing brace that control runs into.
pub fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if analysis.graph.falls_off.is_none() {
        return;
    }
    let end = function.body.end as usize;
    let brace = end.saturating_sub(1)..end;
    let what = if function.kernel { "the kernel" } else { "the function" };
    let message = format!("control gets to the end of {what} without `ret` or `exit`");
    let fix = Fix::replace("Write `ret;` before the brace", brace.clone(), "    ret;\n}").preferred();
    out.push(
        Diagnostic::warning(CODE, brace, message)
            .with_help("the assembler returns here; write `ret;` to say so")
            .fix(fix),
    );
}
