//! `undeclared-name`: nothing has that name here.

use super::suggest;
use crate::ast::Word;
use crate::diagnostic::{Diagnostic, Fix, Related};
use std::ops::Range;

/// The code.
pub const CODE: &str = "undeclared-name";

/// In a function that has lost its declarations, thousands of suggestions would take long and not help.
const MOST_SUGGESTIONS: usize = 32;

/// The report, without help yet.
pub fn report(range: Range<usize>, name: &str) -> Diagnostic {
    let what = if name.starts_with('%') { "register" } else { "name" };
    // What the module declares further down is declared too late.
    Diagnostic::error(CODE, range, format!("no {what} `{name}` is declared here")).declared_at(name)
}

/// The report on the label of a branch or of a list.
pub fn label(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("{NO_LABEL} `{name}` can be seen from here"))
}

/// The report on the function of a call.
pub fn function(range: Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::error(CODE, range, format!("no function `{name}` is declared here")).declared_at(name)
}

/// Whether a diagnostic is the report on a label.
pub fn is_label(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == CODE && diagnostic.message.starts_with(NO_LABEL)
}

/// How [`label`] begins.
const NO_LABEL: &str = "no label";

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
            None if diagnostic.message.starts_with(NO_LABEL) => Some(format!(
                "write `{name}:` before the instruction to jump to; a label is known in its own block alone"
            )),
            None if name.starts_with('%') => Some(format!("declare it: `.reg .b32 {name};`")),
            None => None,
        };
    }
}

/// Says where a label is that cannot be seen from the place that names it. `labels` are those of the function.
pub fn add_labels(diagnostics: &mut [Diagnostic], labels: &[Word<'_>]) {
    for diagnostic in diagnostics.iter_mut().filter(|d| is_label(d)) {
        let name = diagnostic.message.split('`').nth(1).unwrap_or("");
        let Some(label) = labels.iter().find(|l| l.text == name) else { continue };
        let message = "it stands in a block of its own".to_owned();
        diagnostic.fixes.clear();
        diagnostic.help = Some("labels can be seen in their block and in those inside of it".to_owned());
        diagnostic.related.push(Related { range: label.range(), message, declares: None });
    }
}
