//! Severities of diagnostic codes, for the language server and the command line.

use ptx_analysis::{Code, Diagnostic, DiagnosticLevel, Severity, generated};
use std::collections::HashMap;

/// The names of the levels, the most severe first.
pub const NAMES: [&str; 5] = ["error", "warning", "information", "hint", "off"];

/// The levels that the user sets for diagnostic codes; other codes keep their default level.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiagnosticLevels {
    /// The level of each code; `None`: not reported.
    changed: HashMap<Code, Option<Severity>>,
    /// Whether to leave out the errors that only code generation gives, unless the user sets the level of their code.
    pub parse_only: bool,
}

/// Returns a severity by its name; `Some(None)` for `off`, `None` for an unknown name.
pub fn level(name: &str) -> Option<Option<Severity>> {
    Some(match name {
        "error" => Some(Severity::Error),
        "warning" => Some(Severity::Warning),
        "information" => Some(Severity::Information),
        "hint" => Some(Severity::Hint),
        "off" => None,
        _ => return None,
    })
}

impl DiagnosticLevels {
    /// Sets whether the errors that only code generation gives are left out.
    #[must_use]
    pub fn parse_only(self, parse_only: bool) -> Self {
        Self { parse_only, ..self }
    }

    /// Sets the severity of a code; `None` disables it.
    pub fn set(&mut self, code: Code, level: Option<Severity>) {
        self.changed.insert(code, level);
    }

    /// Sets the severity of a code unless it is set already.
    pub fn set_if_unset(&mut self, code: Code, level: Option<Severity>) {
        self.changed.entry(code).or_insert(level);
    }

    /// Returns the severity of a diagnostic with this code and the default severity `usual`; `None` if it is not reported.
    pub fn of(&self, code: Code, usual: Severity) -> Option<Severity> {
        match self.changed.get(&code) {
            Some(level) => *level,
            None if is_off(code) => None,
            None if self.parse_only && code.level().is_build_error(usual) => None,
            None => Some(usual),
        }
    }

    /// Returns the diagnostics that are reported, with their configured severity.
    pub fn apply(&self, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let loud = |d: Diagnostic| self.of(d.code(), d.severity).map(|severity| Diagnostic { severity, ..d });
        found.into_iter().filter_map(loud).collect()
    }

    /// As [`Self::of`]. In a file that a compiler wrote, hints are not reported, except those of codes that the user gave a level.
    pub fn shown(&self, code: Code, usual: Severity, generated: bool) -> Option<Severity> {
        self.of(code, usual).filter(|severity| !generated || self.is_set(code) || !generated::is_quiet(*severity))
    }

    /// Whether the user gave a code a level.
    pub fn is_set(&self, code: Code) -> bool {
        self.changed.contains_key(&code)
    }

    /// Whether `portable` diagnostics are enabled: the check runs only then.
    pub fn want_portable(&self) -> bool {
        self.wants(Code::NotPortable)
    }

    /// Whether `costly-access` diagnostics are enabled: the addresses are analysed for them only then.
    pub fn want_costly(&self) -> bool {
        self.wants(Code::CostlyAccess)
    }

    fn wants(&self, code: Code) -> bool {
        self.changed.get(&code).is_some_and(Option::is_some)
    }
}

/// Whether a kind of diagnostic is off by default.
fn is_off(code: Code) -> bool {
    matches!(code.level(), DiagnosticLevel::Off(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_levels_and_others() {
        let mut levels = DiagnosticLevels::default();
        let of = |levels: &DiagnosticLevels, code| levels.of(code, Severity::Warning);
        assert_eq!(of(&levels, Code::Deprecated), Some(Severity::Warning));
        assert_eq!(of(&levels, Code::NotPortable), None);
        assert!(!levels.want_portable());
        levels.set(Code::Deprecated, None);
        levels.set(Code::NotPortable, Some(Severity::Hint));
        assert_eq!(of(&levels, Code::Deprecated), None);
        assert_eq!(of(&levels, Code::NotPortable), Some(Severity::Hint));
        assert!(levels.want_portable() && !levels.want_costly());
        let found = |name| Diagnostic::new(0..1, ptx_analysis::Finding::run(name, ptx_analysis::Text::default()));
        let built = |levels: &DiagnosticLevels, usual| levels.of(Code::NarrowAddress, usual);
        assert_eq!(built(&levels, Severity::Error), Some(Severity::Error));
        levels.parse_only = true;
        assert_eq!(built(&levels, Severity::Error), None);
        assert_eq!(built(&levels, Severity::Warning), Some(Severity::Warning), "the assembler builds this");
        assert_eq!(levels.of(Code::SyntaxError, Severity::Error), Some(Severity::Error));
        levels.set(Code::NarrowAddress, Some(Severity::Error));
        assert_eq!(built(&levels, Severity::Error), Some(Severity::Error), "the user's level wins");
        levels.set(Code::Run, None);
        assert!(levels.apply(vec![found("a"), found("b")]).is_empty());
        assert!(NAMES.iter().all(|name| level(name).is_some()) && level("fatal").is_none());
    }

    #[test]
    fn generated_files_have_no_hints() {
        const ALL: [Severity; 4] = [Severity::Error, Severity::Warning, Severity::Information, Severity::Hint];
        let shown = |levels: &DiagnosticLevels, generated| {
            ALL.into_iter().filter_map(|usual| levels.shown(Code::Run, usual, generated)).collect::<Vec<_>>()
        };
        let mut levels = DiagnosticLevels::default();
        assert_eq!(shown(&levels, false), ALL);
        assert_eq!(shown(&levels, true), [Severity::Error, Severity::Warning]);
        levels.set(Code::Run, Some(Severity::Hint));
        assert_eq!(shown(&levels, true), [Severity::Hint; 4]);
    }
}
