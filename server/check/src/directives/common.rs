//! What all directives have in common: their place, gates and arguments.

use crate::diagnostic::{Diagnostic, Severity};
use crate::rules::requires_version::GatedSubject;
use crate::rules::{self, directive_argument, misplaced_directive, requires_version};
use ptx_isa::ISA;
use ptx_isa::tables::{ArgumentKind, Directive, Gate};
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::directive_parts::ArgumentNode;
use ptx_sema::hir::literal;
use ptx_sema::hir::lower::ItemSource;
use ptx_sema::target::Environment;
use ptx_syntax::Node;
use std::ops::Range;

/// Whether the module's version and target pass the gates of a feature. Reports a gate that refuses it or that deprecates it.
pub(crate) fn gates(
    range: Range<usize>,
    what: &str,
    gates: &'static [Gate],
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) -> bool {
    let found = rules::gates::check(range, what, gates, environment, |_| true);
    let fits = found.as_ref().is_none_or(|f| f.severity != Severity::Error);
    out.extend(found);
    fits
}

/// Reports a gate that refuses one part of a directive's syntax.
pub(super) fn part(
    range: Range<usize>,
    directive: &str,
    name: &str,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    let Some(directive) = ISA.directive(directive) else { return };
    let Some(part) = directive.parts.iter().find(|p| p.name == name) else { return };
    if let Some(gate) = environment.refused(part.gates, |_| true) {
        let subject = GatedSubject::Part { part: part.name, directive: directive.name };
        out.push(requires_version::report_subject(range, subject, gate, environment));
    }
}

/// The first word of a statement: up to white space, `;`, `{` or `"`.
pub(crate) fn first_word<'t>(source: ItemSource<'t>, node: Node<'_>) -> SourceWord<'t> {
    let word = source.word(node);
    let end = word.text.find(|c: char| c.is_whitespace() || matches!(c, ';' | '{' | '"')).unwrap_or(word.text.len());
    SourceWord { text: word.text.get(..end).unwrap_or(""), start: word.start }
}

/// Whether a directive may stand in `place`, a place name of the tables. Reports it if not.
pub(crate) fn stands(word: SourceWord<'_>, directive: &Directive, place: &str, out: &mut Vec<Diagnostic>) -> bool {
    let fits = directive.places.contains(&place);
    if !fits {
        out.push(misplaced_directive::report(word, directive));
    }
    fits
}

/// Checks the arguments of a directive. Returns their values, or `None` if one is wrong.
pub(super) fn values(
    name: SourceWord<'_>,
    directive: &Directive,
    arguments: &[ArgumentNode<'_>],
    out: &mut Vec<Diagnostic>,
) -> Option<Vec<u64>> {
    let takes = directive.takes?;
    let (least, most) = (usize::from(takes.least), usize::from(takes.most));
    if arguments.len() < least {
        out.push(directive_argument::missing(name, directive));
        return None;
    }
    if (takes.kind == ArgumentKind::Nothing || most > 0) && arguments.len() > most {
        let extra = arguments.get(most)?;
        out.push(directive_argument::too_many(extra.word, directive));
        return None;
    }
    let mut values = Vec::new();
    for argument in arguments {
        match value(argument, directive) {
            Ok(DirectiveNumber { value, wrapped }) => {
                out.extend(wrapped.then(|| directive_argument::wrapped(argument.word, directive, value)));
                values.push(value);
            }
            Err(wrong) => {
                out.push(*wrong);
                return None;
            }
        }
    }
    Some(values)
}

/// A number after a directive.
struct DirectiveNumber {
    /// The number that the assembler reads.
    value: u64,
    /// Whether it is not the number that is written.
    wrapped: bool,
}

impl From<u64> for DirectiveNumber {
    fn from(value: u64) -> Self {
        Self { value, wrapped: false }
    }
}

fn value(argument: &ArgumentNode<'_>, directive: &Directive) -> Result<DirectiveNumber, Box<Diagnostic>> {
    let wrong = |found: &'static str| Box::new(directive_argument::kind(argument.word, directive, found));
    let Some(takes) = directive.takes else { return Ok(0.into()) };
    if argument.string {
        if takes.kind != ArgumentKind::Value {
            return Err(wrong("a string"));
        }
        let name = argument.word.text.trim_matches('"').to_lowercase();
        let named = directive.values.iter().find(|v| v.name == name);
        let unknown = || Box::new(directive_argument::unknown_name(argument.word, directive));
        return named.map(|v| v.number.into()).ok_or_else(unknown);
    }
    let Some(number) = literal::number(argument.word.text) else { return Err(wrong("no number")) };
    let number = u64::try_from(number).ok();
    let in_range = |number: &u64| (takes.from..=takes.to).contains(number);
    // ptxas: a number with the highest of 64 bits is negative, and then the lowest 32 bits count.
    let wrapped = number.filter(|number| number >> 63 == 1).map(|number| number & u64::from(u32::MAX));
    match (number.filter(in_range), wrapped.filter(in_range)) {
        (Some(number), _) => Ok(number.into()),
        (None, Some(value)) => Ok(DirectiveNumber { value, wrapped: true }),
        (None, None) => Err(Box::new(directive_argument::range(argument.word, directive, takes.from, takes.to))),
    }
}
