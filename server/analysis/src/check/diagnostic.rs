//! Diagnostics as data.

use crate::check::codes::{Code, Finding};
use ptx_isa::tables::Version;
use std::ops::Range;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The assembler refuses the module.
    Error,
    /// The assembler takes it, but it is most likely a mistake.
    Warning,
    /// Worth knowing.
    Information,
    /// A matter of style.
    Hint,
}

impl Severity {
    /// Its name, as settings and reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }
}

/// A place that explains a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related {
    /// Byte range.
    pub range: Range<usize>,
    /// What is there.
    pub message: String,
    /// The place is where the module declares this name: the range is filled in when the report is put together, because
    /// what is remembered of a function must not depend on where others stand. Without such a declaration it goes away.
    pub declares: Option<Box<str>>,
}

/// A way to mend what a diagnostic reports.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// What it does, in the imperative: ``Change `.f32` to `.u32` ``.
    pub title: String,
    /// What it changes; all of them together.
    pub edits: Vec<FixEdit>,
    /// The one that is most likely meant, and that may be applied without a look.
    pub preferred: bool,
}

/// A text edit of a fix.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FixEdit {
    /// Puts a text in the place of a byte range, which counts as the diagnostic's own.
    Replace(Range<usize>, String),
    /// Writes another version into `.version`, wherever that stands.
    Version(Version),
    /// Writes another architecture into `.target`, wherever that stands.
    Target(&'static str),
    /// Declares a register among the declarations of the function that the diagnostic stands in.
    Declare {
        /// Its name.
        name: String,
        /// Its type, with the dot.
        ty: &'static str,
    },
}

impl Fix {
    /// A fix that puts a text in the place of a range.
    pub fn replace(title: impl Into<String>, range: Range<usize>, text: impl Into<String>) -> Self {
        Self { title: title.into(), edits: vec![FixEdit::Replace(range, text.into())], preferred: false }
    }

    /// The same, as the one that is most likely meant.
    #[must_use]
    pub fn preferred(mut self) -> Self {
        self.preferred = true;
        self
    }
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The token at fault, as a byte range.
    pub range: Range<usize>,
    /// How bad.
    pub severity: Severity,
    /// What was found.
    pub finding: Finding,
    /// Further places.
    pub related: Vec<Related>,
    /// Ways to mend it.
    pub fixes: Vec<Fix>,
    /// What it points at has no use: editors show it faded.
    pub unnecessary: bool,
}

impl Diagnostic {
    /// A finding of its usual severity.
    pub fn new(range: Range<usize>, finding: impl Into<Finding>) -> Self {
        let finding = finding.into();
        let severity = finding.code().level().severity();
        Self { range, severity, finding, related: Vec::new(), fixes: Vec::new(), unnecessary: false }
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.finding.code()
    }

    /// What is expected and what was found.
    pub fn message(&self) -> String {
        self.finding.message()
    }

    /// What to do.
    pub fn help(&self) -> Option<String> {
        self.finding.help()
    }

    /// The message, and the help on a line of its own.
    pub fn text(&self) -> String {
        match self.help() {
            Some(help) => format!("{}\n{help}", self.message()),
            None => self.message(),
        }
    }

    /// The same with another severity than the usual one.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same with a further place.
    #[must_use]
    pub fn related(mut self, range: Range<usize>, message: impl Into<String>) -> Self {
        self.related.push(Related { range, message: message.into(), declares: None });
        self
    }

    /// The same with the declaration of a name of the module as a further place.
    #[must_use]
    pub fn declared_at(mut self, name: &str) -> Self {
        let message = format!("`{name}` is declared here");
        self.related.push(Related { range: 0..0, message, declares: Some(name.into()) });
        self
    }

    /// Fills in where the names of the module are declared.
    pub(crate) fn resolve(&mut self, place: impl Fn(&str) -> Option<Range<usize>>) {
        self.related.retain_mut(|related| match related.declares.take() {
            None => true,
            Some(name) => place(&name).is_some_and(|range| {
                related.range = range;
                true
            }),
        });
    }

    /// The same with a way to mend it.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// The same with ways to mend it.
    #[must_use]
    pub fn fixes(mut self, fixes: impl IntoIterator<Item = Fix>) -> Self {
        self.fixes.extend(fixes);
        self
    }

    /// The same, said of something that has no use.
    #[must_use]
    pub fn unnecessary(mut self) -> Self {
        self.unnecessary = true;
        self
    }

    /// Moves every range by `base` bytes to the right.
    pub(crate) fn shifted(mut self, base: usize) -> Self {
        self.range = self.range.start + base..self.range.end + base;
        for related in &mut self.related {
            related.range = related.range.start + base..related.range.end + base;
        }
        for edit in self.fixes.iter_mut().flat_map(|f| &mut f.edits) {
            if let FixEdit::Replace(range, _) = edit {
                *range = range.start + base..range.end + base;
            }
        }
        self
    }
}
