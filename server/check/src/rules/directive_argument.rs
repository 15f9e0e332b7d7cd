//! `directive-argument`: a directive has too few or too many arguments, or one of the wrong kind or out of range.

use super::{one_of, suggest};
use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::tables::{ArgumentKind, Directive};
use ptx_sema::hir::ast::SourceWord;

/// A problem with the arguments of a directive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DirectiveArgument {
    /// The directive, with its dot.
    pub directive: &'static str,
    /// The problem.
    pub kind: DirectiveArgumentProblem,
}

/// Ways in which an argument of a directive can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum DirectiveArgumentProblem {
    /// The arguments are missing.
    Missing,
    /// There are more arguments than the directive takes.
    TooMany,
    /// An argument has the wrong kind.
    Other {
        /// The argument as written.
        argument: Box<str>,
        /// The kind of the argument, in words.
        found: &'static str,
    },
    /// A number is out of range.
    Range {
        /// The number as written.
        argument: Box<str>,
        /// The smallest number that the directive takes.
        from: u64,
        /// The largest number that the directive takes.
        to: u64,
    },
    /// The assembler reads the number, of 64 bits with the highest set, as another one.
    Wrapped {
        /// The number as written.
        argument: Box<str>,
        /// The number that it is read as.
        value: u64,
    },
    /// A string is not one of the names that stand for numbers.
    UnknownName {
        /// The string with its quotes.
        argument: Box<str>,
        /// The most similar name, if one is similar enough.
        near: Option<&'static str>,
    },
}

/// The arguments that a directive takes, in words.
fn expected(directive: &str) -> String {
    let Some(takes) = ISA.directive(directive).and_then(|d| d.takes) else { return "nothing".to_owned() };
    let (one, many) = match takes.kind {
        ArgumentKind::Nothing => return "nothing".to_owned(),
        ArgumentKind::Integer => ("an integer", "integers"),
        ArgumentKind::Value => ("a name in quotes or its number", "names in quotes or their numbers"),
        ArgumentKind::String => ("a string", "strings"),
    };
    match (takes.least, takes.most) {
        (1, 1) => one.to_owned(),
        (least, 0) => format!("at least {least} of {many}"),
        (least, most) => format!("{least} to {most} {many}"),
    }
}

impl DiagnosticMessage for DirectiveArgument {
    fn message(&self) -> String {
        let directive = self.directive;
        match &self.kind {
            DirectiveArgumentProblem::Missing => {
                format!("`{directive}` takes {}, but nothing follows", expected(directive))
            }
            DirectiveArgumentProblem::TooMany => {
                let takes_some = ISA.directive(directive).and_then(|d| d.takes).is_some_and(|t| t.most > 0);
                let more = if takes_some { "; this is one too many" } else { "" };
                format!("`{directive}` takes {}{more}", expected(directive))
            }
            DirectiveArgumentProblem::Other { argument, found } => {
                format!("`{directive}` takes {}, but `{argument}` is {found}", expected(directive))
            }
            DirectiveArgumentProblem::Range { argument, from, to } => {
                let is_zero = || argument.trim_matches(['0', 'x', 'X', 'U']).is_empty();
                let allowed = match (from, to) {
                    (0, _) => format!("at most {to}"),
                    (1, 0x8000_0000..) if is_zero() => "at least 1".to_owned(),
                    _ => format!("{from} to {to}"),
                };
                format!("the number after `{directive}` must be {allowed}, but it is `{argument}`")
            }
            DirectiveArgumentProblem::Wrapped { argument, value } => {
                format!("the number after `{directive}` is too large: the assembler reads `{argument}` as {value}")
            }
            DirectiveArgumentProblem::UnknownName { argument, .. } => {
                format!("{argument} is not an argument of `{directive}`")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let directive = ISA.directive(self.directive)?;
        match self.kind {
            DirectiveArgumentProblem::Wrapped { value, .. } => Some(format!("write `{value}` if that is meant")),
            DirectiveArgumentProblem::Missing => Some(format!("write `{}`", directive.syntax)),
            DirectiveArgumentProblem::UnknownName { near: Some(near), .. } => {
                Some(format!("did you mean `\"{near}\"`?"))
            }
            DirectiveArgumentProblem::UnknownName { near: None, .. } => {
                let names: Vec<&str> = directive.values.iter().map(|v| v.name).collect();
                Some(format!("it may be {}, in quotes", one_of(&names)))
            }
            DirectiveArgumentProblem::TooMany
            | DirectiveArgumentProblem::Other { .. }
            | DirectiveArgumentProblem::Range { .. } => None,
        }
    }
}

fn new(word: SourceWord<'_>, directive: &Directive, kind: DirectiveArgumentProblem) -> Diagnostic {
    Diagnostic::new(word.range(), DirectiveArgument { directive: directive.name, kind })
}

/// Reports a directive without the arguments that it needs.
pub(crate) fn missing(name: SourceWord<'_>, directive: &Directive) -> Diagnostic {
    new(name, directive, DirectiveArgumentProblem::Missing)
}

/// Reports the first surplus argument.
pub(crate) fn too_many(extra: SourceWord<'_>, directive: &Directive) -> Diagnostic {
    new(extra, directive, DirectiveArgumentProblem::TooMany)
}

/// Reports an argument of the wrong kind. `found` is its kind, in words.
pub(crate) fn kind(argument: SourceWord<'_>, directive: &Directive, found: &'static str) -> Diagnostic {
    new(argument, directive, DirectiveArgumentProblem::Other { argument: argument.text.into(), found })
}

/// Reports a number that is out of range.
pub(crate) fn range(argument: SourceWord<'_>, directive: &Directive, from: u64, to: u64) -> Diagnostic {
    new(argument, directive, DirectiveArgumentProblem::Range { argument: argument.text.into(), from, to })
}

/// Reports a number that the assembler reads as another one.
pub(crate) fn wrapped(argument: SourceWord<'_>, directive: &Directive, value: u64) -> Diagnostic {
    let kind = DirectiveArgumentProblem::Wrapped { argument: argument.text.into(), value };
    let fix = Fix::replace(format!("Write `{value}`"), argument.range(), value.to_string());
    new(argument, directive, kind).severity(Severity::Warning).fix(fix)
}

/// Reports a string that is not one of the names that stand for numbers.
pub(crate) fn unknown_name(argument: SourceWord<'_>, directive: &Directive) -> Diagnostic {
    let name = argument.text.trim_matches('"').to_lowercase();
    let near = suggest(&name, directive.values.iter().map(|v| v.name));
    let change = |near| Fix::replace(format!("Change it to `\"{near}\"`"), argument.range(), format!("\"{near}\""));
    new(argument, directive, DirectiveArgumentProblem::UnknownName { argument: argument.text.into(), near })
        .fixes(near.map(change))
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_module, messages};

    #[test]
    fn arguments_of_tuning_directives() {
        let of = |directive: &str| {
            let header = ".version 8.5\n.target sm_90\n.address_size 64\n.entry k()\n";
            messages(&in_module(Code::DirectiveArgument, &format!("{header}{directive}\n{{\nret;\n}}\n")))
        };
        assert!(of(".maxntid 128, 2").is_empty());
        assert_eq!(of(".maxntid 1, 2, 3, 4"), ["`.maxntid` takes 1 to 3 integers; this is one too many"]);
        assert!(of(".reqntid 4, WARP_SZ").is_empty());
        let expected = "the number after `.reqntid` must be 1 to 4294967295, but it is `4294967296`";
        assert_eq!(of(".reqntid 4294967296, WARP_SZ"), [expected]);
        // Measured: 64 bits with the highest set are a negative number, of which the lowest 32 bits count.
        let read = "the number after `.maxntid` is too large: the assembler reads `0xffffffff00000020` as 32";
        assert_eq!(of(".maxntid 0xffffffff00000020"), [read]);
        assert_eq!(of(".maxnreg 0"), ["the number after `.maxnreg` must be at least 1, but it is `0`"]);
    }
}
