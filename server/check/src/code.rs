//! The codes of diagnostics: name, default level and page of each.

use crate::codes::diagnostics;
use DiagnosticLevel::{Assembler, Build, Lint, Off};
use Severity::{Hint, Information, Warning};

/// The severity of a diagnostic, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The assembler refuses the module.
    Error,
    /// The assembler accepts the code, but it is most likely a mistake.
    Warning,
    /// Worth knowing.
    Information,
    /// A matter of style.
    Hint,
}

impl Severity {
    /// The name of the severity in settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }
}

/// Whether the assembler or a lint reports a diagnostic, and its default severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiagnosticLevel {
    /// The assembler refuses the module: an error. Some codes also report lesser problems; then the diagnostic has its own severity.
    Assembler,
    /// The assembler parses the module, and refuses it when it generates code: an error, unless only what the parser refuses is asked for. Some
    /// codes also report lesser problems, as above.
    Build,
    /// The assembler is silent. The diagnostic is on by default, with this severity.
    Lint(Severity),
    /// The assembler is silent. The diagnostic is off by default; if the user turns it on, it has this severity.
    Off(Severity),
}

impl DiagnosticLevel {
    /// The default severity of a diagnostic of this level.
    pub fn severity(self) -> Severity {
        match self {
            Assembler | Build => Severity::Error,
            Lint(severity) | Off(severity) => severity,
        }
    }

    /// Whether a diagnostic of this level and severity is an error that only code generation gives.
    pub fn is_build_error(self, severity: Severity) -> bool {
        self == Build && severity == Severity::Error
    }
}

macro_rules! codes {
    (@any) => { false };
    (@any $($some:tt)+) => { true };
    ($($name:literal: $code:ident $(($data:path))?, $level:expr $(=> [$($($find:ident)::+),*])?;)*) => {
        /// The stable code of a diagnostic; its page is `docs/diagnostics/NAME.md`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = concat!("`", $name, "`")] $code,)*
            /// A finding of the interpreter, or a launch that cannot be run. It has its own name, but no page and no level.
            Run,
        }

        impl Code {
            /// All codes that a check can report, sorted by name.
            pub const ALL: &[Code] = &[$(Code::$code),*];

            /// The name, such as `operand-type`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Code::$code => $name,)*
                    Code::Run => "run",
                }
            }

            /// The default level.
            pub const fn level(self) -> DiagnosticLevel {
                match self {
                    $(Code::$code => $level,)*
                    Code::Run => Lint(Warning),
                }
            }

            /// The Markdown page about it; empty for [`Code::Run`].
            pub const fn page(self) -> &'static str {
                match self {
                    $(Code::$code => include_str!(concat!("../../../docs/diagnostics/", $name, ".md")),)*
                    Code::Run => "",
                }
            }

            /// Whether it is a flow lint: it needs the control flow, so it runs only when the document is idle.
            pub const fn is_lint(self) -> bool {
                match self {
                    $(Code::$code => codes!(@any $([$($($find)::+),*])?),)*
                    Code::Run => false,
                }
            }
        }
    };
}

diagnostics!(codes);

// `Code::named` needs sorted names for its binary search.
const _: () = {
    let mut at = 1;
    while at < Code::ALL.len() {
        assert!(
            precedes(Code::ALL[at - 1].name(), Code::ALL[at].name()),
            "codes must stand in the order of their names"
        );
        at += 1;
    }
};

/// Whether `one` sorts before `other` by bytes; `str` comparison is not `const`.
const fn precedes(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() {
        if one[at] != other[at] {
            return one[at] < other[at];
        }
        at += 1;
    }
    one.len() < other.len()
}

impl Code {
    /// The code with this name, such as `operand-type`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.binary_search_by(|code| code.name().cmp(name)).ok().map(|at| Self::ALL[at])
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn codes_are_sorted_and_found_by_name() {
        assert!(Code::ALL.is_sorted_by_key(|c| c.name()));
        assert!(Code::ALL.iter().all(|c| Code::named(c.name()) == Some(*c)) && Code::named("no-such-code").is_none());
    }
}
