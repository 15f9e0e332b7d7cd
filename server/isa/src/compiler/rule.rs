//! Compiles conditions, gates and rules.

use super::error::Result;
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use super::names::{FormContext, expand, version};
use crate::tables::{
    Effect, Emulation, Gate, GateAlternative, GateKind, OperandTest, Outcome, Protocol, Rule, RuleKind, SlotTest,
    Temporaries, Term, Unbuilt, Verb,
};

/// Parses a gate: `needs ptx 8.0 sm_90 or sm_100a when …`. A gate outside of a form (`context` is `None`) cannot have a
/// condition.
pub(super) fn gate(line: &LogicalLine, kind: GateKind, text: &str, context: Option<&FormContext<'_>>) -> Result<Gate> {
    let (what, when) = split_word(text, "when");
    let mut alternatives = Vec::new();
    let mut rest = what;
    loop {
        let (one, more) = split_word(rest, "or");
        alternatives.push(alternative(line, one)?);
        match more {
            Some(more) => rest = more,
            None => break,
        }
    }
    let when = match (when, context) {
        (None, _) => &[][..],
        (Some(when), Some(context)) => condition(line, when, context)?,
        (Some(when), None) => return Err(line.error(line.offset(when), "a condition needs a form")),
    };
    Ok(Gate { kind, alternatives: leak(alternatives), when, note: leak_str(line.prose.as_deref().unwrap_or("")) })
}

fn alternative(line: &LogicalLine, text: &str) -> Result<GateAlternative> {
    let mut out = GateAlternative { ptx: None, feature: None };
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let at = line.offset(word);
        if word == "ptx" {
            let number = words.next().and_then(version);
            out.ptx = Some(number.ok_or_else(|| line.error(at, "expected a version such as `8.5` after `ptx`"))?);
        } else if out.feature.is_none() {
            out.feature = Some(leak_str(word));
        } else {
            return Err(line.error(at, format!("unexpected `{word}`: alternatives are separated by `or`")));
        }
    }
    if out.ptx.is_none() && out.feature.is_none() {
        return Err(line.error(line.offset(text), "expected `ptx N.N`, a feature or both"));
    }
    Ok(out)
}

/// Parses a rule: `forbid COND when COND`, `require …`, `a iff b`.
pub(super) fn rule(line: &LogicalLine, kind: RuleKind, text: &str, context: &FormContext<'_>) -> Result<Rule> {
    let separator = if kind == RuleKind::Iff { "iff" } else { "when" };
    let (what, when) = split_word(text, separator);
    let when = match when {
        Some(when) => condition(line, when, context)?,
        None => &[],
    };
    Ok(Rule {
        kind,
        what: condition(line, what, context)?,
        when,
        message: leak_str(line.prose.as_deref().unwrap_or("").trim()),
    })
}

/// Parses what becomes of a statement when code is generated: `refused` or `crash`.
pub(super) fn outcome(line: &LogicalLine, word: &str) -> Result<Outcome> {
    match word {
        "refused" => Ok(Outcome::Refused),
        "crash" => Ok(Outcome::Crash),
        _ => Err(line.error(0, "expected `refused` or `crash`")),
    }
}

/// Parses `refused when COND | why` and `crash when COND | why`.
pub(super) fn unbuilt(line: &LogicalLine, text: &str, context: &FormContext<'_>) -> Result<Unbuilt> {
    let (nothing, when) = split_word(text, "when");
    if !nothing.is_empty() {
        return Err(line.error(line.offset(text), "expected `when`, or nothing"));
    }
    let when = when.map_or(Ok(&[][..]), |when| condition(line, when, context))?;
    let note = leak_str(line.prose.as_deref().unwrap_or("").trim());
    Ok(Unbuilt { outcome: outcome(line, line.keyword().0)?, when, note })
}

/// Parses an effect: `effect starts cp.async d when …`.
pub(super) fn effect(line: &LogicalLine, text: &str, context: &FormContext<'_>) -> Result<Effect> {
    let (what, when) = split_word(text, "when");
    let mut words = what.split_whitespace();
    let (verb, protocol) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let known = |names: &[&str], word: &str| line.error(0, format!("`{word}` is none of {}", names.join(", ")));
    let verbs: Vec<&str> = Verb::NAMES.iter().map(|n| n.0).collect();
    let protocols: Vec<&str> = Protocol::NAMES.iter().map(|n| n.0).collect();
    let verb = Verb::NAMES.iter().find(|n| n.0 == verb).ok_or_else(|| known(&verbs, verb))?.1;
    let protocol = Protocol::NAMES.iter().find(|n| n.0 == protocol).ok_or_else(|| known(&protocols, protocol))?.1;
    let operand = words.next().unwrap_or("");
    if !operand.is_empty() && !context.operands.contains(&operand) {
        return Err(line.error(line.offset(operand), format!("the form has no operand `{operand}`")));
    }
    if let Some(word) = words.next() {
        return Err(line.error(line.offset(word), format!("unexpected `{word}`")));
    }
    let when = when.map_or(Ok(&[][..]), |when| condition(line, when, context))?;
    Ok(Effect { verb, protocol, operand: leak_str(operand), when })
}

/// Parses `temporaries 14 when type in s64`.
pub(super) fn temporaries(line: &LogicalLine, text: &str, context: &FormContext<'_>) -> Result<Temporaries> {
    let (number, when) = split_word(text, "when");
    let registers = number.trim().parse().map_err(|_| line.error(0, "expected `temporaries NUMBER {when COND}`"))?;
    let when = when.map_or(Ok(&[][..]), |when| condition(line, when, context))?;
    Ok(Temporaries { registers, when })
}

/// Parses `emulated sm_90 until sm_120 of a b when type in s64`.
pub(super) fn emulation(line: &LogicalLine, text: &str, context: &FormContext<'_>) -> Result<Emulation> {
    let (rest, when) = split_word(text, "when");
    let (targets, of) = split_word(rest, "of");
    let targets: Vec<&str> = targets.split_whitespace().collect();
    let (from, until) = match targets.as_slice() {
        [from] => (*from, ""),
        [from, "until", until] => (*from, *until),
        _ => {
            let expected = "expected `emulated FEATURE {until FEATURE} {of OPERANDS} {when COND}`";
            return Err(line.error(line.offset(text), expected));
        }
    };
    let operands: Vec<&str> = of.unwrap_or("").split_whitespace().collect();
    if let Some(unknown) = operands.iter().find(|o| !context.operands.contains(o)) {
        return Err(line.error(line.offset(unknown), format!("the form has no operand `{unknown}`")));
    }
    let when = when.map_or(Ok(&[][..]), |when| condition(line, when, context))?;
    let operands = leak(operands.into_iter().map(leak_str).collect());
    Ok(Emulation { from: leak_str(from), until: leak_str(until), operands, when })
}

/// Parses a condition: terms joined by `and`.
pub(super) fn condition(line: &LogicalLine, text: &str, context: &FormContext<'_>) -> Result<&'static [Term]> {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        let (one, more) = split_word(rest, "and");
        out.push(term(line, one.trim(), context)?);
        match more {
            Some(more) => rest = more,
            None => return Ok(leak(out)),
        }
    }
}

fn term(line: &LogicalLine, text: &str, context: &FormContext<'_>) -> Result<Term> {
    let (mut negated, mut text) = (false, text);
    if let Some(rest) = text.strip_prefix("not ") {
        (negated, text) = (true, rest.trim());
    }
    let mut words = text.split_whitespace();
    let Some(subject) = words.next() else {
        return Err(line.error(line.offset(text), "expected a condition"));
    };
    let at = line.offset(subject);
    let mut values = Vec::new();
    match words.next() {
        None => {}
        Some(word) => {
            let mut word = word;
            if word == "not" {
                negated = !negated;
                word = words.next().unwrap_or("");
            }
            if word != "in" && word != "=" {
                return Err(line.error(line.offset(word), "expected `in` and values"));
            }
            for value in words {
                values.extend(expand(value.trim_end_matches(',')));
            }
            if values.is_empty() {
                return Err(line.error(at, "expected values after `in`"));
            }
        }
    }
    // `.ftz`: the modifier is written, in the slot that accepts it.
    if subject.starts_with('.') {
        if !values.is_empty() {
            return Err(line.error(at, "name the slot without its dot before `in`"));
        }
        let found = context.slots.iter().position(|s| s.values.contains(&subject));
        let Some(slot) = found else {
            return Err(line.error(at, format!("no slot of this form has the value `{subject}`")));
        };
        return Ok(Term::Slot(SlotTest { slot: slot as u8, values: leak(vec![leak_str(subject)]), negated }));
    }
    if let Some(slot) = context.slot(subject) {
        let known = context.slots[slot as usize].values;
        if let Some(wrong) = values.iter().find(|v| !known.contains(&v.as_str())).cloned() {
            values.retain(|v| context.lenient && known.contains(&v.as_str()));
            if values.is_empty() || !context.lenient {
                return Err(line.error(at, format!("`{wrong}` is not a value of `{subject}`")));
            }
        }
        let values: Vec<&'static str> = values.iter().map(|v| leak_str(v)).collect();
        return Ok(Term::Slot(SlotTest { slot, values: leak(values), negated }));
    }
    if context.operands.contains(&subject) && values.is_empty() {
        return Ok(Term::Operand(OperandTest { name: leak_str(subject), negated }));
    }
    Err(line.error(at, format!("`{subject}` is neither a slot nor an operand of this form")))
}

/// Splits a text at the first whole word `word`; `None` if it does not occur.
pub(super) fn split_word<'a>(text: &'a str, word: &str) -> (&'a str, Option<&'a str>) {
    let mut from = 0;
    while let Some(found) = text[from..].find(word) {
        let (start, end) = (from + found, from + found + word.len());
        let before = text[..start].chars().next_back().is_none_or(char::is_whitespace);
        let after = text[end..].chars().next().is_none_or(char::is_whitespace);
        if before && after {
            return (text[..start].trim_end(), Some(text[end..].trim_start()));
        }
        from = end;
    }
    (text, None)
}
