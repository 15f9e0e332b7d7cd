//! Compiles the passages of an instruction's documentation: `doc`, `note` and `result`, each with the statements to which it
//! applies.

use super::common::prose;
use super::error::{Error, Result};
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use super::rule::split_word;
use crate::tables::{Entry, Form, ListElements, Passage, WrittenTest};

/// Splits a text into paragraphs; code blocks and tables are not split.
pub(super) fn passages(line: &LogicalLine, rest: &str) -> Result<Vec<Passage>> {
    let when = condition(line, rest)?;
    let text = prose(line)?;
    let mut out: Vec<String> = Vec::new();
    let (mut inside, mut ended) = (false, true);
    for line in text.lines() {
        let blank = line.trim().is_empty() && !inside;
        match out.last_mut().filter(|_| !ended && !blank) {
            Some(last) => {
                last.push('\n');
                last.push_str(line);
            }
            None if blank => {}
            None => out.push(line.to_owned()),
        }
        ended = blank;
        if line.trim_start().starts_with("```") {
            inside = !inside;
        }
    }
    Ok(out.iter().map(|text| Passage { text: leak_str(text), when }).collect())
}

/// Parses a text as a single passage.
pub(super) fn one(line: &LogicalLine, rest: &str) -> Result<Passage> {
    Ok(Passage { text: leak_str(prose(line)?), when: condition(line, rest)? })
}

/// Parses `result when .lt | {d} = {a} < {b}`: one line, with the names of operands in braces.
pub(super) fn result(line: &LogicalLine, rest: &str) -> Result<Passage> {
    let out = one(line, rest)?;
    if out.text.contains('\n') || !out.text.contains('{') {
        return Err(line.error(0, "expected one line with operands in braces, `{d} = {a} + {b}`"));
    }
    Ok(out)
}

/// Parses `elements c when .a2d | the layer, x, y, ignored`.
pub(super) fn elements(line: &LogicalLine, rest: &str) -> Result<ListElements> {
    let (operand, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let when = condition(line, rest)?;
    let names = prose(line)?.split(',').map(|name| leak_str(name.trim())).collect();
    Ok(ListElements { operand: leak_str(operand), names: leak(names), when })
}

/// Parses the condition of a passage: `when .ftz .sat and not c`, or `chapter` for a passage that applies to no statement.
fn condition(line: &LogicalLine, rest: &str) -> Result<&'static [WrittenTest]> {
    if rest == "chapter" {
        return Ok(leak(vec![WrittenTest { any: &[], negated: false }]));
    }
    let Some(mut rest) = (if rest.is_empty() { Some("") } else { rest.strip_prefix("when ") }) else {
        return Err(line.error(line.offset(rest), "expected `chapter`, or `when` with modifiers or operands"));
    };
    let mut out = Vec::new();
    while !rest.is_empty() {
        let (one, more) = split_word(rest, "and");
        rest = more.unwrap_or("");
        let (negated, names) = match one.strip_prefix("not ") {
            Some(names) => (true, names),
            None => (false, one),
        };
        let any: Vec<&'static str> = names.split_whitespace().map(leak_str).collect();
        if any.is_empty() {
            return Err(line.error(line.offset(one), "expected modifiers or operands"));
        }
        out.push(WrittenTest { any: leak(any), negated });
    }
    Ok(leak(out))
}

/// The operands in braces of a result.
pub(crate) fn operands(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
}

/// Checks that the forms have every name in a condition and every operand of a result.
pub(super) fn check(
    head: &LogicalLine,
    entry: &Entry,
    forms: &[Form],
    passages: &[&Vec<Passage>],
    elements: &[ListElements],
    errors: &mut Vec<Error>,
) {
    if forms.is_empty() {
        return;
    }
    let modifier = |name: &str| {
        let slots = || forms.iter().flat_map(|f| f.slots);
        slots().any(|s| s.values.contains(&name)) || entry.path.contains(&name)
    };
    let operand = |name: &str| forms.iter().flat_map(|f| f.operands).any(|o| o.pattern.names().contains(&name));
    let mut unknown = |name: &str| {
        let message = format!("no form of `{}` has `{name}`, which its documentation speaks of", entry.name);
        errors.push(head.error(0, message));
    };
    let conditions = passages.iter().flat_map(|p| p.iter()).map(|p| p.when);
    let conditions = conditions.chain(elements.iter().map(|e| e.when));
    elements.iter().map(|e| e.operand).filter(|name| !operand(name)).for_each(&mut unknown);
    for when in conditions {
        for name in when.iter().flat_map(|w| w.any) {
            if !(if name.starts_with('.') { modifier(name) } else { operand(name) }) {
                unknown(name);
            }
        }
    }
    for passage in passages.last().into_iter().flat_map(|p| p.iter()) {
        operands(passage.text).filter(|name| !operand(name)).for_each(&mut unknown);
    }
}
