//! Turns what the scanner of the host language found into diagnostics.

use ptx_analysis::{AsmProblem, Code, Diagnostic, Fix, FixEdit, asm};
use ptx_embed::{HostFix, Problem};
use std::ops::Range;

/// The diagnostic for a problem; its ranges are host bytes, relative to the group. `None` if its code does not exist.
pub(crate) fn of_host(problem: &Problem) -> Option<Diagnostic> {
    let code = Code::named(problem.code)?;
    let text = AsmProblem { message: problem.message.as_str().into(), help: None };
    let mut out = asm::report(code, problem.span.clone(), text)?.fixes(problem.fixes.iter().map(fix));
    out.unnecessary = code == Code::AsmUnusedOperand;
    Some(out)
}

/// A diagnostic about the statement of the host.
pub(crate) fn report(code: Code, range: Range<usize>, message: impl Into<Box<str>>, help: &str) -> Option<Diagnostic> {
    let help = (!help.is_empty()).then(|| help.into());
    asm::report(code, range, AsmProblem { message: message.into(), help })
}

/// A fix of the host text.
pub(crate) fn fix(fix: &HostFix) -> Fix {
    let edits = fix.edits.iter().map(|edit| FixEdit::Replace(edit.span.clone(), edit.text.clone()));
    Fix::new(fix.title.as_str(), edits.collect())
}
