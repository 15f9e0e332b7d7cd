//! Diagnostics as data.

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

/// A place that explains a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related {
    /// Byte range.
    pub range: Range<usize>,
    /// What is there.
    pub message: String,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The token at fault, as a byte range.
    pub range: Range<usize>,
    /// How bad.
    pub severity: Severity,
    /// The stable code, such as `operand-type`; its page is `docs/diagnostics/CODE.md`.
    pub code: &'static str,
    /// What is expected and what was found.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Further places.
    pub related: Vec<Related>,
}

impl Diagnostic {
    /// An error without help.
    pub fn error(code: &'static str, range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, severity: Severity::Error, code, message: message.into(), help: None, related: Vec::new() }
    }

    /// A warning without help.
    pub fn warning(code: &'static str, range: Range<usize>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, range, message) }
    }

    /// The same with help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with a further place.
    #[must_use]
    pub fn related(mut self, range: Range<usize>, message: impl Into<String>) -> Self {
        self.related.push(Related { range, message: message.into() });
        self
    }

    /// Moves every range by `base` bytes to the right.
    pub(crate) fn shifted(mut self, base: usize) -> Self {
        self.range = self.range.start + base..self.range.end + base;
        for related in &mut self.related {
            related.range = related.range.start + base..related.range.end + base;
        }
        self
    }
}
