//! `undeclared-name`: nothing has that name here.

use super::{suggest, write_instead};
use crate::check::codes::{DiagnosticMessage, Finding};
use crate::check::diagnostic::{Diagnostic, Related};
use crate::hir::ast::SourceWord;
use std::ops::Range;

/// In a function that has lost its declarations, thousands of suggestions would take long and not help.
const MAX_SUGGESTIONS: usize = 32;

/// A name that is not declared where it is used.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UndeclaredName {
    /// The name.
    pub name: Box<str>,
    /// What it should be.
    pub kind: UndeclaredKind,
    /// The declared name that is nearest to it.
    pub near: Option<Box<str>>,
}

/// What an undeclared name should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UndeclaredKind {
    /// A register, a variable or a parameter.
    Operand,
    /// The label of a branch or of a list.
    Label,
    /// A label that another block has.
    InnerLabel,
    /// The function of a call.
    Function,
}

impl DiagnosticMessage for UndeclaredName {
    fn message(&self) -> String {
        let name = &self.name;
        match self.kind {
            UndeclaredKind::Operand if name.starts_with('%') => format!("no register `{name}` is declared here"),
            UndeclaredKind::Operand => format!("no name `{name}` is declared here"),
            UndeclaredKind::Label | UndeclaredKind::InnerLabel => format!("no label `{name}` can be seen from here"),
            UndeclaredKind::Function => format!("no function `{name}` is declared here"),
        }
    }

    fn help(&self) -> Option<String> {
        let name = &self.name;
        match (&self.near, self.kind) {
            (_, UndeclaredKind::InnerLabel) => {
                Some("labels can be seen in their block and in those inside of it".to_owned())
            }
            (Some(near), _) => Some(format!("did you mean `{near}`?")),
            (None, UndeclaredKind::Label) => Some(format!(
                "write `{name}:` before the instruction to jump to; a label is known in its own block alone"
            )),
            (None, _) if name.starts_with('%') => Some(format!("declare it: `.reg .b32 {name};`")),
            (None, _) => None,
        }
    }
}

fn new(range: Range<usize>, name: &str, kind: UndeclaredKind) -> Diagnostic {
    Diagnostic::new(range, UndeclaredName { name: name.into(), kind, near: None })
}

/// The report on an operand.
pub fn report(range: Range<usize>, name: &str) -> Diagnostic {
    // What the module declares further down is declared too late.
    new(range, name, UndeclaredKind::Operand).declared_at(name)
}

/// The report on the label of a branch or of a list.
pub fn label(range: Range<usize>, name: &str) -> Diagnostic {
    new(range, name, UndeclaredKind::Label)
}

/// The report on the function of a call.
pub fn function(range: Range<usize>, name: &str) -> Diagnostic {
    new(range, name, UndeclaredKind::Function).declared_at(name)
}

fn of(diagnostic: &mut Diagnostic) -> Option<&mut UndeclaredName> {
    if let Finding::UndeclaredName(found) = &mut diagnostic.finding { Some(found) } else { None }
}

/// Whether a diagnostic is the report on a label.
pub fn is_label(diagnostic: &Diagnostic) -> bool {
    let is_label = |found: &UndeclaredName| matches!(found.kind, UndeclaredKind::Label | UndeclaredKind::InnerLabel);
    matches!(&diagnostic.finding, Finding::UndeclaredName(found) if is_label(found))
}

/// The name that a finding says is not declared.
pub fn name(diagnostic: &Diagnostic) -> Option<&str> {
    if let Finding::UndeclaredName(found) = &diagnostic.finding { Some(&found.name) } else { None }
}

/// Adds the nearest names to the reports of a function. `known` are its names. This comes after everything else, so that
/// the help depends on the text alone and not on which findings were remembered.
pub fn add_help(diagnostics: &mut [Diagnostic], known: &[&str]) {
    let mut number = 0;
    for diagnostic in diagnostics {
        let range = diagnostic.range.clone();
        let Some(found) = of(diagnostic) else { continue };
        number += 1;
        if number > MAX_SUGGESTIONS {
            return;
        }
        found.near = suggest(&found.name, known.iter().copied()).map(Into::into);
        let fix = write_instead(range, found.near.as_deref());
        diagnostic.fixes.extend(fix);
    }
}

/// Says where a label is that cannot be seen from the place that names it. `labels` are those of the function.
pub fn add_labels(diagnostics: &mut [Diagnostic], labels: &[SourceWord<'_>]) {
    for diagnostic in diagnostics.iter_mut().filter(|d| is_label(d)) {
        let Some(found) = of(diagnostic) else { continue };
        let Some(label) = labels.iter().find(|l| *l.text == *found.name) else { continue };
        found.kind = UndeclaredKind::InnerLabel;
        let message = "it stands in a block of its own".to_owned();
        diagnostic.fixes.clear();
        diagnostic.related.push(Related { range: label.range(), message, declares: None });
    }
}

#[cfg(test)]
mod tests {
    use super::MAX_SUGGESTIONS;
    use crate::Code::UndeclaredName;
    use crate::testing::{in_kernel, in_module, mended, messages};

    #[test]
    fn operands_and_functions() {
        let found = in_kernel(UndeclaredName, "add.u32 %r0, %q, 1;");
        assert_eq!(messages(&found), ["no register `%q` is declared here"]);
        let found = in_kernel(UndeclaredName, "mov.u64 %rd0, table;");
        assert_eq!(messages(&found), ["no name `table` is declared here"]);
        assert_eq!(messages(&in_kernel(UndeclaredName, "call other;")), ["no function `other` is declared here"]);
        assert!(in_kernel(UndeclaredName, "add.u32 %r0, %r7, 1;").is_empty());
    }

    #[test]
    fn labels_of_other_blocks() {
        let found = in_kernel(UndeclaredName, "bra nowhere;");
        assert_eq!(messages(&found), ["no label `nowhere` can be seen from here"]);
        let found = in_kernel(UndeclaredName, "bra inner; { inner: ret; }");
        let help = "labels can be seen in their block and in those inside of it";
        assert_eq!(found[0].help().as_deref(), Some(help));
        assert!(in_kernel(UndeclaredName, "{ bra outer; } outer:").is_empty());
    }

    #[test]
    fn the_fix_writes_the_nearest_name() {
        let text = ".version 9.0\n.target sm_90a\n.func f() { .reg .b32 count; mov.u32 cuont, 1; ret; }";
        let fixed = mended(UndeclaredName, text);
        assert_eq!(fixed, text.replace("cuont", "count"));
        assert!(in_module(UndeclaredName, &fixed).is_empty());
    }

    #[test]
    fn suggestions_are_limited() {
        let found =
            in_kernel(UndeclaredName, &format!(".reg .b32 count; {}", "mov.u32 cuont, 1;".repeat(MAX_SUGGESTIONS + 8)));
        let near = |d: &&crate::Diagnostic| d.help().is_some_and(|h| h.starts_with("did you mean"));
        assert_eq!((found.len(), found.iter().filter(near).count()), (MAX_SUGGESTIONS + 8, MAX_SUGGESTIONS));
    }
}
