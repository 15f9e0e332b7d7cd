//! `misplaced-declaration`: a declaration in a state space that allows none, or none at this place.

use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_isa::tables::{Gate, GateAlternative};
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::target::{Environment, ModuleTarget, describe_alternatives};

/// A declaration in a state space that allows no declarations, or none at this place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum MisplacedDeclaration {
    /// The state space allows no declarations.
    Never {
        /// The state space.
        space: Box<str>,
        /// The space that contains it, such as `.shared` for `.shared::cta`.
        base: Option<Box<str>>,
    },
    /// The state space allows declarations, but not at this place.
    NotHere {
        /// The state space.
        space: Box<str>,
        /// The declaration stands inside a function.
        in_body: bool,
        /// Where variables of the space may be declared.
        home: Option<Home>,
        /// What to use instead, outside of functions, if they may be declared in old versions only.
        note: &'static str,
    },
    /// Only older versions or targets allow declarations in the state space at this place.
    NoLonger {
        /// The state space.
        space: Box<str>,
        /// The declaration stands inside a function.
        in_body: bool,
        /// The version and target from which such declarations are no longer allowed.
        since: &'static [GateAlternative],
        /// The version and target of the module.
        header: ModuleTarget,
        /// What to use instead; may be empty.
        note: &'static str,
    },
    /// This state space has no banks, but a bank number follows it.
    NoBanks(&'static str),
    /// A bank above 0 is used for something other than an `.extern` array without a size. The number is the last bank.
    Bank(i128),
}

/// Where variables of a state space may be declared in every version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Home {
    /// Outside of functions.
    Module,
    /// In bodies.
    Body,
    /// In bodies and in the lists of parameters.
    BodyAndParameters,
}

impl DiagnosticMessage for MisplacedDeclaration {
    fn message(&self) -> String {
        match self {
            Self::Never { space, .. } => format!("nothing can be declared in `{space}`"),
            Self::NotHere { space, in_body, .. } => format!("`{space}` cannot be declared {}", here(*in_body)),
            Self::NoLonger { space, in_body, since, header, .. } => format!(
                "`{space}` cannot be declared {} from {} on; this module says {}",
                here(*in_body),
                describe_alternatives(since),
                header.describe()
            ),
            Self::NoBanks(space) => format!("`{space}` has no numbered banks"),
            Self::Bank(last) => {
                format!("banks 1 to {last} are for `.extern` arrays without a size, bank 0 for all other variables")
            }
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Never { base: Some(base), .. } => Some(format!("declare it in `{base}`")),
            Self::NotHere { home: Some(home), .. } => {
                let home = match home {
                    Home::Module => "outside of functions",
                    Home::Body => "inside a function",
                    Home::BodyAndParameters => "inside a function, and in the lists of parameters",
                };
                Some(format!("it is declared {home}"))
            }
            Self::NotHere { home: None, note, .. } if !note.is_empty() => Some(format!("{note}, outside of functions")),
            Self::NoLonger { note, .. } if !note.is_empty() => Some((*note).to_owned()),
            _ => None,
        }
    }
}

fn here(in_body: bool) -> &'static str {
    if in_body { "inside a function" } else { "outside of functions" }
}

/// Reports a state space that allows no declarations, such as `.sreg` or `.shared::cta`. `base` is the space to use instead.
pub(crate) fn never(word: SourceWord<'_>, base: Option<&str>) -> Diagnostic {
    let found = MisplacedDeclaration::Never { space: word.text.into(), base: base.map(Into::into) };
    let change = |base| Fix::replace(format!("Change `{}` to `{base}`", word.text), word.range(), base).preferred();
    Diagnostic::new(word.range(), found).fixes(base.map(change))
}

/// Reports a state space that allows no declarations at this place. `home` is where it allows them; if only old versions do, `note` is
/// what to use instead.
pub(crate) fn not_here(word: SourceWord<'_>, in_body: bool, home: Option<Home>, note: &'static str) -> Diagnostic {
    Diagnostic::new(word.range(), MisplacedDeclaration::NotHere { space: word.text.into(), in_body, home, note })
}

/// Reports a state space that only older versions or targets allow at this place.
pub(crate) fn no_longer(word: SourceWord<'_>, in_body: bool, gate: &Gate, environment: &Environment) -> Diagnostic {
    let found = MisplacedDeclaration::NoLonger {
        space: word.text.into(),
        in_body,
        since: gate.alternatives,
        header: environment.module_target(),
        note: gate.note,
    };
    Diagnostic::new(word.range(), found)
}

/// Reports a bank number after a state space without banks, as in `.global[1]`.
pub(crate) fn no_banks(word: SourceWord<'_>, space: &'static str) -> Diagnostic {
    Diagnostic::new(word.range(), MisplacedDeclaration::NoBanks(space))
}

/// Reports a variable in a bank that is only for `.extern` arrays without a size. `last` is the number of the last bank.
pub(crate) fn bank(word: SourceWord<'_>, last: i128) -> Diagnostic {
    Diagnostic::new(word.range(), MisplacedDeclaration::Bank(last))
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, in_module, mended, messages};

    const HEADER: &str = ".version 9.0\n.target sm_90a\n.address_size 64\n";

    #[test]
    fn arguments_are_declared_inside_of_functions() {
        let found = in_module(Code::MisplacedDeclaration, &format!("{HEADER}.param .b32 a;\n"));
        assert_eq!(messages(&found), ["`.param` cannot be declared outside of functions"]);
        let help = "it is declared inside a function, and in the lists of parameters";
        assert_eq!(found[0].help().as_deref(), Some(help));
        assert!(in_kernel(Code::MisplacedDeclaration, ".param .b32 a;").is_empty());
    }

    #[test]
    fn without_names_nothing_is_declared() {
        let of = |text: &str| in_module(Code::MisplacedDeclaration, &format!(".version 9.0\n.target sm_90\n{text}\n"));
        assert_eq!((of(".reg .b32;").len(), of(".reg .b32 x;").len()), (0, 1));
    }

    #[test]
    fn variables_of_the_whole_shared_memory() {
        let text = format!("{HEADER}.shared::cta .b32 s;\n");
        assert_eq!(
            messages(&in_module(Code::MisplacedDeclaration, &text)),
            ["nothing can be declared in `.shared::cta`"]
        );
        assert_eq!(mended(Code::MisplacedDeclaration, &text), text.replace("::cta", ""));
    }
}
