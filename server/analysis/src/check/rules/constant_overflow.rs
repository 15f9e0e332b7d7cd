//! `constant-overflow`: a number with more digits than the assembler can hold.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::hir::ast::{Constant, Declaration};
use crate::hir::constant::{Problem, Wrong};
use crate::hir::literal::{Unreadable, parse_integer};
use std::ops::Range;

const CODE: Code = Code::ConstantOverflow;

/// The report. `text` is what the problem's place counts in.
pub fn report(problem: Problem, text: &str) -> Diagnostic {
    let range = problem.start as usize..(problem.end as usize).max(problem.start as usize + 1);
    let word = text.get(range.clone()).unwrap_or("");
    let shown: String = word.chars().take(40).collect();
    let dots = if shown.len() < word.len() { "…" } else { "" };
    let whole =
        word.bytes().all(|b| b.is_ascii_alphanumeric()) && (word.starts_with('0') || !word.contains(['e', 'E']));
    let (message, help) = if whole {
        (format!("`{shown}{dots}` does not fit 64 bits"), "integers have 64 bits")
    } else {
        (
            format!("`{shown}{dots}` is beyond the normal numbers of `.f64`"),
            "write infinities and subnormal numbers by their bits, as in `0d7ff0000000000000`",
        )
    };
    Diagnostic::error(CODE, range, message).with_help(help)
}

/// The sizes in a declaration that the assembler cannot hold. `text` is what the declaration's ranges count in.
pub fn declaration(declaration: &Declaration<'_>, text: &str, out: &mut Vec<Diagnostic>) {
    for declarator in &declaration.declarators {
        for (_, size) in &declarator.dimensions {
            if let Some(Constant::Wrong(problem)) = size
                && problem.what == Wrong::Overflow
            {
                out.push(report(*problem, text));
            }
        }
        if let Some((place, None)) = &declarator.count {
            out.extend(count(place, text));
        }
    }
}

fn count(place: &Range<usize>, text: &str) -> Option<Diagnostic> {
    let overflow = parse_integer(text.get(place.clone())?) == Err(Unreadable::Overflow);
    let offset = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let problem = Problem { what: Wrong::Overflow, start: offset(place.start), end: offset(place.end) };
    overflow.then(|| report(problem, text))
}
