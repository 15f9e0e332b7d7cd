//! Descriptions of forms and their operands.

use ptx_analysis::types::agreeing;
use ptx_analysis::{Candidate, OperandPattern, OperandSpec, OperandVariant};
use ptx_isa::tables::{Form, Note, OperandAccess, Range, Term, ValueKind, without_sets};

/// A form as in the manual: without what the assembler only tolerates.
pub fn pretty(form: &Form) -> String {
    form.documented.to_owned()
}

/// The form with the modifiers of an instruction filled in, in canonical order.
pub fn resolved(opcode: &str, candidate: &Candidate) -> String {
    let mut out = opcode.to_owned();
    for (slot, value) in candidate.form.slots.iter().zip(&candidate.values) {
        if slot.after_operand == 0 {
            out.push_str(value.unwrap_or(""));
        }
    }
    let documented = candidate.form.documents(&candidate.values);
    let text = if documented { candidate.form.documented.to_owned() } else { without_sets(candidate.form.text) };
    if let Some((_, operands)) = split(&text) {
        out.push(' ');
        out.push_str(operands.trim());
    }
    out.push(';');
    out
}

/// Splits the text of a form into mnemonic and operands.
fn split(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    let at = text.char_indices().find(|(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0 && c.is_whitespace()
    });
    at.map(|(i, _)| text.split_at(i))
}

/// The operands of a form, one per line. Consecutive operands with the same description share a line.
///
/// `notes` say what the operands are for.
pub fn operands(variant: &OperandVariant, notes: &[Note]) -> Vec<String> {
    let note = |spec: &OperandSpec| notes.iter().find(|n| n.name == spec.value.name).map(|n| n.doc);
    let words = |spec: &OperandSpec| with_note(note(spec), &describe(spec));
    lines(variant, words, &[])
}

/// The purpose of an operand, followed by its legal values in parentheses.
pub fn with_note(note: Option<&str>, what: &str) -> String {
    match note {
        Some(note) => format!("{} ({what})", note.trim_end_matches('.')),
        None => what.to_owned(),
    }
}

/// The operands of a form, one per line, with the description of each. `given` are the operands that an instruction has for
/// them.
pub fn lines(variant: &OperandVariant, words: impl Fn(&OperandSpec) -> String, given: &[(&str, &str)]) -> Vec<String> {
    let mut out: Vec<(Vec<String>, String)> = Vec::new();
    let mut add = |name: String, text: String| match out.last_mut() {
        Some((names, last)) if *last == text => names.push(name),
        _ => out.push((vec![name], text)),
    };
    for (_, shape) in &variant.operands {
        match shape {
            OperandPattern::Value(spec) | OperandPattern::Arguments(spec) => add(name(spec), words(spec)),
            OperandPattern::Pair(both) => {
                add(name(&both.0), words(&both.0));
                add(name(&both.1), words(&both.1));
            }
            OperandPattern::Address(parts) => parts.iter().for_each(|spec| add(name(spec), words(spec))),
            OperandPattern::Sink => add("_".to_owned(), "the sink: the result is discarded".to_owned()),
        }
    }
    out.into_iter()
        .map(|(names, text)| {
            let names: Vec<String> = names
                .iter()
                .map(|name| {
                    let own = name.trim_start_matches('[').trim_end_matches(']');
                    match given.iter().find(|(n, text)| *n == own && !text.contains('`')) {
                        Some((_, text)) => format!("`{name}` = `{text}`"),
                        None => format!("`{name}`"),
                    }
                })
                .collect();
            format!("{} – {text}", names.join(", "))
        })
        .collect()
}

fn name(spec: &OperandSpec) -> String {
    if matches!(spec.value.kind, ValueKind::Address(_)) {
        format!("[{}]", spec.value.name)
    } else {
        spec.value.name.to_owned()
    }
}

/// The description of an operand.
pub fn describe(spec: &OperandSpec) -> String {
    let value = spec.value;
    let access = match value.access {
        OperandAccess::Read => "read",
        OperandAccess::Write => "written",
        OperandAccess::Update => "read and written",
    };
    let ty = spec.ty.map(|t| t.name());
    let mut out = match value.kind {
        ValueKind::Value if value.immediate_only && !value.ranges.is_empty() => {
            return format!("a literal: {}", ranges(value.ranges));
        }
        ValueKind::Value if value.immediate_only => format!("a {}", register(spec)),
        ValueKind::Value => format!("{access}: {}", register(spec)),
        ValueKind::Address(_) => {
            let space = match spec.spaces.filter(|_| !value.generic) {
                None => "a generic address".to_owned(),
                Some(spaces) => format!("an address in {}", super::words::words(spaces.iter().copied(), 8)),
            };
            ty.map_or(space.clone(), |ty| format!("{space}, of `{ty}`"))
        }
        ValueKind::Label => "a label".to_owned(),
        ValueKind::Function => "a function, or a register that holds its address".to_owned(),
        ValueKind::Targets => "the label of a list of targets or of a prototype".to_owned(),
        ValueKind::Arguments if value.access == OperandAccess::Write => "the results, in parentheses".to_owned(),
        ValueKind::Arguments => "the arguments, in parentheses".to_owned(),
        ValueKind::Opaque(name) => {
            format!("a `.{}` variable, or a register with its handle", name.trim_start_matches('.'))
        }
        ValueKind::Any => format!("{access}: anything"),
    };
    if !value.ranges.is_empty() {
        out.push_str(&format!("; a literal must be {}", ranges(value.ranges)));
    }
    if !value.select.is_empty() {
        out.push_str(&format!("; a selector may follow ({})", value.select.join(" ")));
    }
    if value.minus {
        out.push_str("; `-` negates it");
    }
    if value.negatable {
        out.push_str("; `!` negates it");
    }
    if value.sink {
        out.push_str("; `_` discards it");
    }
    out
}

/// The legal registers and literals for a value.
fn register(spec: &OperandSpec) -> String {
    let value = spec.value;
    let Some(ty) = spec.ty else { return "a register".to_owned() };
    let mut one = if value.immediate_only { format!("`{}` literal", ty.name()) } else { format!("`{}`", ty.name()) };
    if !ty.info().registers && !value.immediate_only {
        let homes = agreeing(ty, spec.fit);
        if !homes.is_empty() {
            one.push_str(&format!(" in {}", super::words::words(homes.into_iter().take(1), 1)));
        }
    }
    if value.wider {
        one.push_str(" or wider");
    }
    let mut out = match spec.lengths {
        [] if spec.any_length => format!("a list of {one}"),
        [] | [1] => one,
        lengths => {
            let lengths: Vec<String> = lengths.iter().map(u16::to_string).collect();
            format!("a list of {} × {one}", lengths.join(" or "))
        }
    };
    if value.register_only && value.access == OperandAccess::Read {
        out.push_str(", not a literal");
    }
    if value.special {
        out.push_str(", or a special register");
    }
    if value.symbol {
        out.push_str(", or the address of a variable");
    }
    out
}

/// The legal numbers of several ranges.
fn ranges(all: &[Range]) -> String {
    let doubles =
        |pair: &[Range]| pair[0].low == pair[0].high && pair[1].low == pair[1].high && pair[1].low == 2 * pair[0].low;
    match all {
        [first, _, _, .., last] if all.windows(2).all(doubles) && all.len() > 4 => {
            format!("a power of two from {} to {}", first.low, last.low)
        }
        _ => all.iter().map(range).collect::<Vec<_>>().join(", "),
    }
}

/// The legal numbers of a range.
pub fn range(range: &Range) -> String {
    match (range.low, range.high, range.step) {
        (low, high, _) if low == high => low.to_string(),
        (i64::MIN, i64::MAX, step) => format!("a multiple of {step}"),
        (low, i64::MAX, 1) => format!("{low} or more"),
        (low, i64::MAX, step) => format!("a multiple of {step} from {low} on"),
        (low, high, 1) => format!("{low} … {high}"),
        (low, high, step) => format!("{low} … {high} in steps of {step}"),
    }
}

/// A condition as text: ``with `.a` or `.b` ``.
pub fn condition(terms: &[Term], form: &Form) -> String {
    let term = |t: &Term| match t {
        Term::Operand(test) => format!("{} operand `{}`", with(test.negated), test.name),
        Term::Slot(test) => {
            let what = match test.values {
                [] => match form.slots.get(usize::from(test.slot)).map(|s| (s.name, s.values)) {
                    None => String::new(),
                    Some((_, values)) if values.len() <= 4 => or(values),
                    Some((name, _)) => format!("a `.{}` modifier", name.trim_start_matches('.')),
                },
                values => or(values),
            };
            format!("{} {what}", with(test.negated))
        }
    };
    terms.iter().map(term).collect::<Vec<_>>().join(" and ")
}

fn or(values: &[&str]) -> String {
    values.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>().join(" or ")
}

fn with(negated: bool) -> &'static str {
    if negated { "without" } else { "with" }
}
