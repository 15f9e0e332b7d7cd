//! `undeclared-name`: nothing has that name here.

use super::suggest;
use crate::diagnostic::{Diagnostic, Fix};
use std::ops::Range;

/// The code.
pub const CODE: &str = "undeclared-name";

/// In a function that has lost its declarations, thousands of suggestions would take long and help nobody.
const MOST_SUGGESTIONS: usize = 32;

/// The report, without help yet.
pub fn report(range: Range<usize>, name: &str) -> Diagnostic {
    let what = if name.starts_with('%') { "register" } else { "name" };
    Diagnostic::error(CODE, range, format!("no {what} `{name}` is declared here"))
}

/// The name that a finding says is not declared.
pub fn name(diagnostic: &Diagnostic) -> Option<&str> {
    if diagnostic.code == CODE { diagnostic.message.split('`').nth(1) } else { None }
}

/// Adds help to the reports of a function. `known` are its names. This comes after everything else, so that the help
/// depends on the text alone and not on which findings were remembered.
pub fn add_help(diagnostics: &mut [Diagnostic], known: &[&str]) {
    let reports = diagnostics.iter_mut().filter(|d| d.code == CODE);
    for (number, diagnostic) in reports.enumerate() {
        let name = diagnostic.message.split('`').nth(1).unwrap_or("").to_owned();
        let near = if number < MOST_SUGGESTIONS { suggest(&name, known.iter().copied()) } else { None };
        if let Some(near) = near {
            diagnostic.fixes.push(Fix::replace(format!("Write `{near}`"), diagnostic.range.clone(), near));
        }
        diagnostic.help = match near {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None if name.starts_with('%') => Some(format!("declare it: `.reg .b32 {name};`")),
            None => None,
        };
    }
}
