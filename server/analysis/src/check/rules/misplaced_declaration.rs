//! `misplaced-declaration`: a state space in which nothing can be declared, or not here.

use crate::check::codes::DiagnosticMessage;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::ast::SourceWord;
use crate::target::{Environment, ModuleTarget, describe_alternatives};
use ptx_isa::tables::{Gate, GateAlternative};

/// A declaration in a state space in which nothing can be declared, or not at this place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MisplacedDeclaration {
    /// Nothing can be declared in the state space.
    Never {
        /// The state space.
        space: Box<str>,
        /// The space that it is a part of.
        base: Option<Box<str>>,
    },
    /// The state space belongs elsewhere.
    NotHere {
        /// The state space.
        space: Box<str>,
        /// The declaration stands inside of a function.
        in_body: bool,
        /// Where variables of the space may be declared.
        home: Option<Home>,
    },
    /// Once variables of the state space could be declared here.
    NoLonger {
        /// The state space.
        space: Box<str>,
        /// The declaration stands inside of a function.
        in_body: bool,
        /// The version and target from which on they cannot.
        since: &'static [GateAlternative],
        /// The version and target of the module.
        header: ModuleTarget,
        /// What to use instead; may be empty.
        note: &'static str,
    },
    /// A number behind a state space without banks.
    NoBanks(&'static str),
    /// Another variable than the bank holds. The number is that of the last bank.
    Bank(i128),
}

/// Where variables of a state space may be declared in every version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Home {
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
            Self::NotHere { home, .. } => {
                let home = match home {
                    Some(Home::Module) => "outside of functions",
                    Some(Home::Body) => "inside of a function",
                    Some(Home::BodyAndParameters) => "inside of a function, and in the lists of parameters",
                    None => "",
                };
                Some(format!("it is declared {home}"))
            }
            Self::NoLonger { note, .. } if !note.is_empty() => Some((*note).to_owned()),
            _ => None,
        }
    }
}

fn here(in_body: bool) -> &'static str {
    if in_body { "inside of a function" } else { "outside of functions" }
}

/// `.sreg`, `.shared::cta`.
pub fn never(word: SourceWord<'_>, base: Option<&str>) -> Diagnostic {
    let found = MisplacedDeclaration::Never { space: word.text.into(), base: base.map(Into::into) };
    let change = |base| Fix::replace(format!("Change `{}` to `{base}`", word.text), word.range(), base).preferred();
    Diagnostic::new(word.range(), found).fixes(base.map(change))
}

/// A space that belongs elsewhere.
pub fn not_here(word: SourceWord<'_>, in_body: bool, home: Option<Home>) -> Diagnostic {
    Diagnostic::new(word.range(), MisplacedDeclaration::NotHere { space: word.text.into(), in_body, home })
}

/// A space that once could be declared here.
pub fn no_longer(word: SourceWord<'_>, in_body: bool, gate: &Gate, environment: &Environment) -> Diagnostic {
    let found = MisplacedDeclaration::NoLonger {
        space: word.text.into(),
        in_body,
        since: gate.alternatives,
        header: environment.module_target(),
        note: gate.note,
    };
    Diagnostic::new(word.range(), found)
}

/// `.global[1]`.
pub fn no_banks(word: SourceWord<'_>, space: &'static str) -> Diagnostic {
    Diagnostic::new(word.range(), MisplacedDeclaration::NoBanks(space))
}

/// A bank that holds external arrays of unknown size.
pub fn bank(word: SourceWord<'_>, last: i128) -> Diagnostic {
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
        let help = "it is declared inside of a function, and in the lists of parameters";
        assert_eq!(found[0].help().as_deref(), Some(help));
        assert!(in_kernel(Code::MisplacedDeclaration, ".param .b32 a;").is_empty());
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
