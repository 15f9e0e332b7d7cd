//! `undeclared-name`: nothing has that name here.

use super::suggest;
use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// The code.
pub const CODE: &str = "undeclared-name";

/// The report. `known` are the names in scope.
pub fn report<'n>(range: Range<usize>, name: &str, known: impl IntoIterator<Item = &'n str>) -> Diagnostic {
    let what = if name.starts_with('%') { "register" } else { "name" };
    let diagnostic = Diagnostic::error(CODE, range, format!("no {what} `{name}` is declared here"));
    match suggest(name, known) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None if name.starts_with('%') => diagnostic.help(format!("declare it: `.reg .b32 {name};`")),
        None => diagnostic,
    }
}
