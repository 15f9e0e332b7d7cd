//! The types of a diagnostic: its place, related places and fixes.

use crate::code::Code;
pub use crate::code::Severity;
use crate::finding::Finding;
use ecow::EcoVec;
use ptx_gate::words::visible;
use ptx_isa::tables::Version;
use std::borrow::Cow;
use std::ops::Range;

/// A further place that explains a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related {
    /// Byte range, relative to the same start as the diagnostic's own.
    pub range: Range<usize>,
    /// What stands at that place, for the user: one line without unsafe characters.
    message: String,
    /// If set, the place is the declaration of this name in the module, and `Diagnostic::resolve` fills in the range when the
    /// report is put together. Cached diagnostics of a function must not depend on the positions of other items. If the name has
    /// no declaration, the place is dropped.
    pub declares: Option<Box<str>>,
}

impl Related {
    /// A place with a message. Like the message of a diagnostic, it may quote the text, so its unsafe characters are replaced.
    pub fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, message: safe(message.into()), declares: None }
    }

    /// What stands at that place, for the user: one line.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// A text for the user in one line. It may quote the text, whose characters must not act on whoever reads the message.
fn safe(text: String) -> String {
    match visible(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    }
}

/// A way to fix the problem that a diagnostic reports.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// What it does, in the imperative: ``Change `.f32` to `.u32` ``.
    pub title: String,
    /// Its text edits, which are applied together.
    pub edits: Vec<FixEdit>,
    /// Whether the fix is most likely the intended one, so that it may be applied without a review.
    pub preferred: bool,
}

/// A text edit of a fix.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FixEdit {
    /// Replaces a byte range, relative to the same start as the diagnostic's own, with a text.
    Replace(Range<usize>, String),
    /// Changes the version in the module's `.version` directive.
    Version(Version),
    /// Changes the architecture in the module's `.target` directive.
    Target(&'static str),
    /// Adds a register to the declarations of the function in which the diagnostic is.
    Declare {
        /// Name of the register.
        name: String,
        /// Type of the register, with the dot.
        ty: &'static str,
    },
}

impl Fix {
    /// A fix with these edits. The title may quote the text, so its unsafe characters are replaced.
    pub fn new(title: impl Into<String>, edits: Vec<FixEdit>) -> Self {
        Self { title: safe(title.into()), edits, preferred: false }
    }

    /// A fix that replaces one range with a text.
    pub fn replace(title: impl Into<String>, range: Range<usize>, text: impl Into<String>) -> Self {
        Self::new(title, vec![FixEdit::Replace(range, text.into())])
    }

    /// Marks the fix as preferred.
    #[must_use]
    pub fn preferred(mut self) -> Self {
        self.preferred = true;
        self
    }
}

/// A problem found in the source: its place, severity, message data, related places and fixes.
///
/// Copies share all of it but place and severity: each keystroke copies the diagnostics of a whole document several times.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// Byte range of the token at fault.
    pub range: Range<usize>,
    /// Its severity, which may differ from the default of its code.
    pub severity: Severity,
    /// The data from which the message and the help are made.
    pub finding: Finding,
    /// Further places that explain it.
    pub related: EcoVec<Related>,
    /// Ways to fix it.
    pub fixes: EcoVec<Fix>,
    /// Whether the code in `range` is unused: editors show it faded.
    pub unnecessary: bool,
}

impl Diagnostic {
    /// A diagnostic with the default severity of its code.
    pub fn new(range: Range<usize>, finding: impl Into<Finding>) -> Self {
        let finding = finding.into();
        let severity = finding.code().level().severity();
        Self { range, severity, finding, related: EcoVec::new(), fixes: EcoVec::new(), unnecessary: false }
    }

    /// Whether the assembler refuses the module when it parses it. Errors of the level `Build` come later: the module can be
    /// analysed and executed in spite of them.
    pub fn is_parse_error(&self) -> bool {
        self.severity == Severity::Error && !self.is_build_error()
    }

    /// Whether the assembler parses the module, and refuses it when it generates code.
    pub fn is_build_error(&self) -> bool {
        self.code().level().is_build_error(self.severity)
    }

    /// The code of the diagnostic.
    pub fn code(&self) -> Code {
        self.finding.code()
    }

    /// The message: what is wrong and what is expected, in one line without unsafe characters.
    pub fn message(&self) -> String {
        safe(self.finding.message())
    }

    /// What the user can do about it, if there is advice: one line without unsafe characters.
    pub fn help(&self) -> Option<String> {
        self.finding.help().map(safe)
    }

    /// The message, with the help on the line below it.
    pub fn text(&self) -> String {
        match self.help() {
            Some(help) => format!("{}\n{help}", self.message()),
            None => self.message(),
        }
    }

    /// Replaces the default severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn related(mut self, range: Range<usize>, message: impl Into<String>) -> Self {
        self.related.push(Related::new(range, message));
        self
    }

    /// Adds the declaration of a name of the module as a related place.
    #[must_use]
    pub fn declared_at(self, name: &str) -> Self {
        self.declared(name, format!("`{name}` is declared here"))
    }

    /// Adds the declaration of a name of the module, which comes too late, as a related place.
    #[must_use]
    pub fn declared_below(self, name: &str) -> Self {
        self.declared(name, format!("`{name}` is declared here, below its use: move the declaration up"))
    }

    fn declared(mut self, name: &str, message: String) -> Self {
        self.related.push(Related { declares: Some(name.into()), ..Related::new(0..0, message) });
        self
    }

    /// Fills in the ranges of [`Self::declared_at`] and drops those names for which `place` has no range.
    pub(crate) fn resolve(&mut self, place: impl Fn(&str) -> Option<Range<usize>>) {
        if !self.related.iter().any(|related| related.declares.is_some()) {
            return;
        }
        self.related.retain(|related| match related.declares.take() {
            None => true,
            Some(name) => place(&name).is_some_and(|range| {
                related.range = range;
                true
            }),
        });
    }

    /// Adds a fix.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// Adds several fixes.
    #[must_use]
    pub fn fixes(mut self, fixes: impl IntoIterator<Item = Fix>) -> Self {
        self.fixes.extend(fixes);
        self
    }

    /// Marks the code as unused.
    #[must_use]
    pub fn unnecessary(mut self) -> Self {
        self.unnecessary = true;
        self
    }

    /// Adds `base` bytes to every range of the diagnostic.
    #[must_use]
    pub fn shifted(mut self, base: usize) -> Self {
        self.range = self.range.start + base..self.range.end + base;
        for related in self.related.make_mut() {
            related.range = related.range.start + base..related.range.end + base;
        }
        for edit in self.fixes.make_mut().iter_mut().flat_map(|f| &mut f.edits) {
            if let FixEdit::Replace(range, _) = edit {
                *range = range.start + base..range.end + base;
            }
        }
        self
    }
}
