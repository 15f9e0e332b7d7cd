//! Compiles `opcode` and `unchecked` entries.

use super::common::{extent, filled, prose};
use super::error::{Error, Result};
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use super::names::{DeclaredNames, FormContext, expand, set_line};
use super::passage::{self, passages};
use super::tolerated::Tolerated;
use super::{exec, form, operand, rule};
use crate::ids::SlotName;
use crate::tables::{
    Commutation, Computes, ControlTransfer, Effect, Emulation, Entry, Executed, Form, FormOperand, FormPattern,
    FormValue, Gate, GateKind, Implied, Map, MapRow, ModifierSlot, Note, OperandPair, Outcome, Rule, RuleKind,
    Successor, Temporaries, Unbuilt,
};
use std::collections::BTreeMap;

type ValueSets = BTreeMap<String, Vec<String>>;

/// A `family` line: the heading of the entries after it, and their common properties.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryFamily {
    pub id: String,
    pub title: String,
    pub pure: bool,
    /// The meanings of modifiers in all of its instructions, unless an instruction has its own.
    pub modifiers: Vec<Note>,
}

impl EntryFamily {
    /// Parses `family ID Title` and the lines under it.
    pub fn of(lines: &[LogicalLine]) -> Result<Self> {
        let Some(head) = lines.first() else { return Ok(Self::default()) };
        let (_, rest) = head.keyword();
        let (id, title) = rest.split_once(' ').unwrap_or((rest, rest));
        let mut out = Self { id: id.to_owned(), title: title.trim().to_owned(), ..Self::default() };
        for line in &lines[1..] {
            match line.keyword() {
                ("pure", "") => out.pure = true,
                ("modifier", names) => out.modifiers.extend(meanings(line, names)?),
                _ => return Err(line.error(0, "expected `pure` or `modifier .NAME | text`")),
            }
        }
        Ok(out)
    }
}

/// Parses `modifier .a .b{1,2} | text`: the same text for each modifier. `{1}` in the text is replaced by the alternative chosen
/// for the name's first braces.
fn meanings(line: &LogicalLine, names: &str) -> Result<Vec<Note>> {
    let doc = leak_str(prose(line)?);
    let of = |pattern: &str| -> Vec<Note> {
        let note = |name: String| Note { doc: filled(pattern, &name, doc), name: leak_str(&name) };
        expand(pattern).into_iter().map(note).collect()
    };
    Ok(names.split_whitespace().flat_map(of).collect())
}

fn flow(line: &LogicalLine, word: &str) -> Result<ControlTransfer> {
    Ok(match word.trim() {
        "branch" => ControlTransfer::Branch,
        "call" => ControlTransfer::Call,
        "return" => ControlTransfer::Return,
        "exit" => ControlTransfer::Exit,
        _ => return Err(line.error(0, "expected `branch`, `call`, `return` or `exit`")),
    })
}

fn computes(line: &LogicalLine, rest: &str) -> Result<Computes> {
    Ok(match rest.trim() {
        "copy" => Computes::Copy,
        "sum" => Computes::Sum,
        "product-sum" => Computes::ProductSum,
        "difference" => Computes::Difference,
        "product" => Computes::Product,
        "quotient" => Computes::Quotient,
        "remainder" => Computes::Remainder,
        "and" => Computes::And,
        "xor" => Computes::Xor,
        "shift-left" => Computes::ShiftLeft,
        "shift-right" => Computes::ShiftRight,
        "comparison" => Computes::Comparison,
        _ => return Err(line.error(0, "expected `copy`, `sum`, `product-sum`, `difference`, `product`, `quotient`, `remainder`, `and`, `xor`, `shift-left`, `shift-right` or `comparison`")),
    })
}

/// Builds the entry whose first line is `lines[0]`; the other lines are those under it.
pub(super) fn build(
    lines: &[LogicalLine],
    family: &EntryFamily,
    names: &DeclaredNames,
    errors: &mut Vec<Error>,
) -> Option<Entry> {
    let head = lines.first()?;
    let (keyword, path) = head.keyword();
    let mut entry = Entry {
        name: leak_str(path),
        path: leak(path.match_indices('.').map(|(at, _)| dot_part(path, at)).collect()),
        family: leak_str(&family.id),
        family_title: leak_str(&family.title),
        summary: "",
        manual: "",
        results: &[],
        doc: &[],
        notes: &[],
        modifiers: &[],
        operands: &[],
        elements: &[],
        unsettled: &[],
        checked: keyword == "opcode",
        flow: ControlTransfer::Next,
        pure: family.pure,
        narrow: false,
        carries: false,
        computes: Computes::Other,
        commutes: None,
        cycles: 0,
        uniform: None,
        converge: false,
        narrow_addresses: Outcome::Built,
        repeated_results: Outcome::Built,
        executed: Executed::UNSAID,
        forms: &[],
        source: leak_str(&format!("{}:{}", head.file, head.number)),
    };
    let before = errors.len();
    let (mut notes, mut modifiers, mut forms) = (Vec::new(), Vec::<Note>::new(), Vec::new());
    let (mut operands, mut unsettled, mut elements) = (Vec::new(), Vec::new(), Vec::new());
    let (mut doc, mut results) = (Vec::new(), Vec::new());
    let mut sets = ValueSets::new();
    // The lines under the opcode itself, which apply to all forms.
    let mut shared: Vec<&LogicalLine> = Vec::new();
    let mut pending: Vec<&[LogicalLine]> = Vec::new();
    let mut i = 1;
    while i < lines.len() {
        let line = &lines[i];
        let (word, rest) = line.keyword();
        let mut end = i + 1;
        while end < lines.len() && lines[end].indent > line.indent {
            end += 1;
        }
        let result = match word {
            "summary" => {
                entry.summary = leak_str(rest);
                Ok(())
            }
            "manual" => {
                entry.manual = leak_str(rest);
                Ok(())
            }
            "doc" => passages(line, rest).map(|found| doc.extend(found)),
            "result" => passage::result(line, rest).map(|found| results.push(found)),
            "flow" => flow(line, rest).map(|flow| entry.flow = flow),
            "computes" => computes(line, rest).map(|computes| entry.computes = computes),
            "commutes" => commutation(line, rest).map(|commutes| entry.commutes = Some(commutes)),
            "cycles" => rest
                .parse()
                .map(|cycles| entry.cycles = cycles)
                .map_err(|_| line.error(line.offset(rest), "expected a number of cycles")),
            "uniform" => extent(line, rest).map(|extent| entry.uniform = Some(extent)),
            "exec" => exec::once(&mut entry.executed, line, rest),
            "pure" if rest.is_empty() => {
                entry.pure = true;
                Ok(())
            }
            "narrow" if rest.is_empty() => {
                entry.narrow = true;
                Ok(())
            }
            "carries" if rest.is_empty() => {
                entry.carries = true;
                Ok(())
            }
            "converge" if rest.is_empty() => {
                entry.converge = true;
                Ok(())
            }
            "narrow-addresses" => rule::outcome(line, rest).map(|outcome| entry.narrow_addresses = outcome),
            "repeated-results" => rule::outcome(line, rest).map(|outcome| entry.repeated_results = outcome),
            "note" => passage::one(line, rest).map(|found| notes.push(found)),
            "modifier" => meanings(line, rest).map(|found| modifiers.extend(found)),
            "operand" => prose(line).map(|text| {
                let doc = leak_str(text);
                operands.extend(rest.split_whitespace().map(|name| Note { name: leak_str(name), doc }));
            }),
            "elements" => passage::elements(line, rest).map(|list| elements.push(list)),
            "unsettled" => prose(line).map(|text| unsettled.push(leak_str(text))),
            "set" => set_line(line, rest).map(|(name, values)| {
                sets.insert(name, values);
            }),
            "needs" | "until" | "deprecated" | "forbid" | "require" | "order" | "first" | "repeat" | "check"
            | "instead" | "refused" | "crash" | "effect" | "temporaries" | "emulated" | "default" | "tolerated" => {
                shared.push(line);
                Ok(())
            }
            "form" => {
                pending.push(&lines[i..end]);
                Ok(())
            }
            _ if rest.starts_with("iff ") => {
                shared.push(line);
                Ok(())
            }
            // The keyword of a set may be left out here, as under a form.
            _ if rest.starts_with("= ") || rest == "=" => set_line(line, &line.text).map(|(name, values)| {
                sets.insert(name, values);
            }),
            _ => Err(line.error(0, format!("unexpected `{word}` under `{path}`"))),
        };
        errors.extend(result.err());
        if word != "form" && end > i + 1 {
            errors.push(lines[i + 1].error(0, format!("nothing may be indented under `{word}`")));
        }
        i = end;
    }
    let mut used = vec![false; shared.len()];
    for lines in pending {
        match build_form(lines, path, &sets, &shared, &mut used, names) {
            Ok(form) => forms.push(form),
            Err(error) => errors.push(error),
        }
    }
    for (line, used) in shared.iter().zip(used) {
        if !used && !forms.is_empty() {
            errors.push(line.error(0, "this fits none of the forms: a slot, value or operand in it is unknown to all"));
        }
    }
    if entry.summary.is_empty() {
        errors.push(head.error(0, format!("`{path}` has no `summary`")));
    }
    if entry.checked == forms.is_empty() {
        errors.push(head.error(0, format!("`{keyword} {path}` has {} forms", forms.len())));
    }
    if errors.len() == before {
        errors.extend(exec::check(head, path, entry.executed, &forms).err());
    }
    if let Some(Commutation { first, second, turned }) = entry.commutes {
        let has =
            |name: &str| forms.iter().all(|f: &Form| f.operands.iter().any(|o| o.pattern.names().contains(&name)));
        let is_taken = |name: &&str| forms.iter().flat_map(|form| form.slots).any(|slot| slot.values.contains(name));
        if !has(first) || !has(second) || !turned.iter().all(is_taken) {
            errors.push(head.error(
                0,
                format!("`commutes`: a form of `{path}` lacks such an operand, or all lack such a modifier"),
            ));
        }
    }
    for note in &operands {
        let named = |f: &Form| f.operands.iter().any(|o| o.pattern.names().contains(&note.name));
        if !forms.is_empty() && !forms.iter().any(named) {
            errors.push(head.error(0, format!("`operand {}`: no form of `{path}` has such an operand", note.name)));
        }
    }
    passage::check(head, &entry, &forms, &[&doc, &notes, &results], &elements, errors);
    entry.doc = leak(doc);
    entry.results = leak(results);
    entry.operands = leak(operands);
    entry.elements = leak(elements);
    entry.unsettled = leak(unsettled);
    entry.notes = leak(notes);
    let own: Vec<&str> = modifiers.iter().map(|note| note.name).collect();
    let taken = |name: &str| forms.iter().flat_map(|form: &Form| form.slots).any(|slot| slot.values.contains(&name));
    let inherits = |note: &&Note| !own.contains(&note.name) && taken(note.name);
    let inherited: Vec<Note> = family.modifiers.iter().filter(inherits).copied().collect();
    modifiers.extend(inherited);
    entry.modifiers = leak(modifiers);
    entry.forms = leak(forms);
    Some(entry)
}

/// The operands of `commutes a b`, and the modifiers of `commutes a b turning .lt/.gt …`.
fn commutation(line: &LogicalLine, rest: &str) -> Result<Commutation> {
    let expected = || line.error(line.offset(rest), "expected `a b`, or `a b turning .lt/.gt .le/.ge`");
    let (operands, turning) = rest.split_once(" turning ").unwrap_or((rest, ""));
    let (first, second) = operands.split_once(' ').ok_or_else(expected)?;
    let mut turned = Vec::new();
    for pair in turning.split_whitespace() {
        let (one, other) = pair.split_once('/').ok_or_else(expected)?;
        if !one.starts_with('.') || !other.starts_with('.') {
            return Err(expected());
        }
        turned.extend([leak_str(one), leak_str(other)]);
    }
    Ok(Commutation { first: leak_str(first), second: leak_str(second), turned: leak(turned) })
}

/// The part of a path that begins with the dot at `at`, up to the next dot.
fn dot_part(path: &str, at: usize) -> &'static str {
    let end = path[at + 1..].find('.').map_or(path.len(), |n| at + 1 + n);
    leak_str(&path[at..end])
}

fn build_form(
    lines: &[LogicalLine],
    path: &str,
    opcode_sets: &ValueSets,
    shared: &[&LogicalLine],
    used: &mut [bool],
    names: &DeclaredNames,
) -> Result<Form> {
    let head = &lines[0];
    let (_, text) = head.keyword();
    let raw = form::parse(head, text, path)?;
    // Sets first: the slots need them.
    let mut sets = opcode_sets.clone();
    for line in &lines[1..] {
        let (word, rest) = line.keyword();
        if rest.starts_with("= ") && word != "map" {
            let (name, values) = set_line(line, &line.text)?;
            sets.insert(name, values);
        }
    }
    let mut slots: Vec<ModifierSlot> = Vec::new();
    for slot in &raw.slots {
        slots.push(build_slot(head, slot, &sets, names)?);
    }
    let operand_names = operand_names(&raw);
    let mut maps: Vec<Map> = Vec::new();
    let mut values: BTreeMap<&str, FormValue> = BTreeMap::new();
    let mut later: Vec<&LogicalLine> = Vec::new();
    for line in &lines[1..] {
        let (word, rest) = line.keyword();
        if word == "map" {
            let map = build_map(line, rest, &slots)?;
            maps.push(map);
        } else if let Some((left, right)) = line.text.split_once(':').filter(|(l, r)| is_operand_line(l, r)) {
            let context = FormContext { slots: &slots, maps: &maps, operands: &operand_names, names, lenient: false };
            for name in left.split([' ', ',']).filter(|n| !n.is_empty()) {
                if !operand_names.contains(&name) {
                    return Err(line.error(0, format!("the form has no operand `{name}`")));
                }
                values.insert(name, operand::parse(line, right.trim(), name, &context)?);
            }
        } else if !(rest.starts_with("= ")) {
            later.push(line);
        }
    }
    let mut operands = build_operands(head, &raw, &values)?;
    let context = FormContext { slots: &slots, maps: &maps, operands: &operand_names, names, lenient: false };
    let mut parts = FormParts::default();
    for line in later {
        parts.line(line, &context)?;
    }
    let context = FormContext { lenient: true, ..context };
    for (line, used) in shared.iter().zip(used) {
        // A line under the opcode applies to the forms for which it is valid.
        if parts.line(line, &context).is_ok() {
            *used = true;
        }
    }
    let error = |message: String| head.error(0, message);
    let (documented, tolerated) = parts.tolerated.mark(text, &mut slots, &mut operands, error)?;
    Ok(Form {
        text: leak_str(text),
        documented,
        tolerated,
        operands: leak(operands),
        order: leak(parts.order),
        first: leak(parts.first),
        repeat: leak(parts.repeat),
        maps: leak(maps),
        rules: leak(parts.rules),
        gates: leak(parts.gates),
        successors: leak(parts.successors),
        implied: leak(parts.implied),
        unbuilt: leak(parts.unbuilt),
        checks: leak(parts.checks),
        effects: leak(parts.effects),
        temporaries: leak(parts.temporaries),
        emulations: leak(parts.emulations),
        executed: parts.executed,
        source: leak_str(&format!("{}:{}", head.file, head.number)),
        slots: leak(slots),
    })
}

/// Whether a line is an operand line (`d: …`) and not a rule with a modifier that contains `::`.
fn is_operand_line(left: &str, right: &str) -> bool {
    !right.starts_with(':') && left.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | ',' | '_' | '-'))
}

/// Collects the rules, gates, order and checks of a form.
#[derive(Default)]
struct FormParts {
    rules: Vec<Rule>,
    gates: Vec<Gate>,
    successors: Vec<Successor>,
    implied: Vec<Implied>,
    order: Vec<&'static [u8]>,
    first: Vec<u8>,
    repeat: Vec<&'static str>,
    unbuilt: Vec<Unbuilt>,
    checks: Vec<&'static str>,
    effects: Vec<Effect>,
    temporaries: Vec<Temporaries>,
    emulations: Vec<Emulation>,
    executed: Executed,
    tolerated: Tolerated,
}

impl FormParts {
    fn line(&mut self, line: &LogicalLine, context: &FormContext<'_>) -> Result<()> {
        let (word, rest) = line.keyword();
        match word {
            "needs" => self.gates.push(rule::gate(line, GateKind::Needs, rest, Some(context))?),
            "until" => self.gates.push(rule::gate(line, GateKind::Until, rest, Some(context))?),
            "deprecated" => self.gates.push(rule::gate(line, GateKind::Deprecated, rest, Some(context))?),
            "forbid" => self.rules.push(rule::rule(line, RuleKind::Forbid, rest, context)?),
            "require" => self.rules.push(rule::rule(line, RuleKind::Require, rest, context)?),
            "refused" | "crash" => self.unbuilt.push(rule::unbuilt(line, rest, context)?),
            "check" => self.checks.push(leak_str(rest)),
            "instead" => self.successors.push(successor(line, rest, context)?),
            "effect" => self.effects.push(rule::effect(line, rest, context)?),
            "temporaries" => self.temporaries.push(rule::temporaries(line, rest, context)?),
            "emulated" => self.emulations.push(rule::emulation(line, rest, context)?),
            "exec" => exec::once(&mut self.executed, line, rest)?,
            "default" => self.implied.extend(implied(line, rest, context)?),
            "tolerated" => self.tolerated.line(line, rest, context)?,
            "order" => self.order.push(leak(slots(line, rest, context)?)),
            "first" => self.first.extend(slots(line, rest, context)?),
            "repeat" => {
                let known = |m: &&str| context.slots.iter().any(|s| s.values.contains(m));
                let found: Vec<&'static str> = rest.split_whitespace().filter(known).map(leak_str).collect();
                if found.is_empty() {
                    return Err(line.error(0, "no modifier of this form"));
                }
                self.repeat.extend(found);
            }
            _ if rest.starts_with("iff ") => {
                self.rules.push(rule::rule(line, RuleKind::Iff, &line.text, context)?);
            }
            _ => return Err(line.error(0, format!("unexpected `{word}` under a form"))),
        }
        Ok(())
    }
}

/// Parses an `instead` line, `instead .sync not .uni, 0xffffffff`: modifiers to add, modifiers to remove, operands to append.
fn successor(line: &LogicalLine, text: &str, context: &FormContext<'_>) -> Result<Successor> {
    let (modifiers, operands) = text.split_once(',').unwrap_or((text, ""));
    let (mut add, mut remove) = (Vec::new(), Vec::new());
    let mut words = modifiers.split_whitespace();
    while let Some(word) = words.next() {
        let (list, name) = if word == "not" { (&mut remove, words.next().unwrap_or("")) } else { (&mut add, word) };
        if !context.names.modifiers.iter().chain(&context.names.types).any(|known| known == name) {
            return Err(line.error(line.offset(word), format!("`{name}` is not a modifier that the tables describe")));
        }
        list.push(leak_str(name));
    }
    let operands = operands.split(',').map(str::trim).filter(|o| !o.is_empty()).map(leak_str).collect();
    Ok(Successor { add: leak(add), remove: leak(remove), operands: leak(operands) })
}

/// Parses `default .relaxed .gpu when not ss | why`: the values of slots that are left empty. Under an opcode, only values
/// count for which the form has a slot.
fn implied(line: &LogicalLine, text: &str, context: &FormContext<'_>) -> Result<Vec<Implied>> {
    let (values, when) = rule::split_word(text, "when");
    let when = when.map_or(Ok(&[][..]), |when| rule::condition(line, when, context))?;
    let doc = leak_str(line.prose.as_deref().unwrap_or("").trim());
    let plain = values.split_whitespace().any(|w| w == "plain");
    let mut out = Vec::new();
    for value in values.split_whitespace().filter(|w| *w != "plain") {
        let takes = |s: &ModifierSlot| s.optional && s.after_operand == 0 && s.values.contains(&value);
        match context.slots.iter().position(takes) {
            Some(slot) => out.push(Implied { slot: slot as u8, value: leak_str(value), plain, when, doc }),
            None if context.lenient => {}
            None => return Err(line.error(line.offset(value), format!("no optional slot takes `{value}`"))),
        }
    }
    if out.is_empty() { Err(line.error(0, "no optional slot of the form takes any of these")) } else { Ok(out) }
}

/// The indices of the slots named in a line.
fn slots(line: &LogicalLine, names: &str, context: &FormContext<'_>) -> Result<Vec<u8>> {
    let slot = |name: &str| {
        let found = context.slot(name).or_else(|| context.slot(&format!(".{}", name.trim_matches('.'))));
        found.ok_or_else(|| line.error(line.offset(name), format!("no slot is named `{name}`")))
    };
    names.split_whitespace().map(slot).collect()
}

fn build_slot(
    line: &LogicalLine,
    raw: &form::RawSlot,
    sets: &ValueSets,
    names: &DeclaredNames,
) -> Result<ModifierSlot> {
    let found = sets.get(&raw.set).or_else(|| names.sets.get(&raw.set));
    let (name, values) = match found {
        Some(values) => {
            let values = names.include(values, sets, 0).map_err(|message| line.error(raw.at, message))?;
            (raw.name.clone(), values)
        }
        None if raw.name != raw.set => {
            return Err(line.error(raw.at, format!("no set is named `{}`", raw.set)));
        }
        None => (format!(".{}", raw.name), vec![format!(".{}", raw.name)]),
    };
    for value in &values {
        if !names.modifiers.contains(value) && !names.types.contains(value) {
            return Err(line.error(
                raw.at,
                format!("`{value}` is neither a set in scope nor a modifier or type that the tables describe"),
            ));
        }
    }
    Ok(ModifierSlot {
        name: leak_str(&name),
        set: found.and_then(|_| SlotName::of(leak_str(&name))),
        is_type: values.iter().all(|v| names.types.contains(v)),
        values: leak(values.iter().map(|v| leak_str(v)).collect()),
        tolerated: &[],
        optional: raw.optional,
        expected: false,
        group: raw.group,
        after_operand: raw.after_operand,
    })
}

fn build_map(line: &LogicalLine, text: &str, slots: &[ModifierSlot]) -> Result<Map> {
    let bad = || line.error(line.offset(text), "expected `name(slot, …) = key:length …`");
    let (head, rows) = text.split_once('=').ok_or_else(bad)?;
    let (name, keys) = head.trim().strip_suffix(')').and_then(|h| h.split_once('(')).ok_or_else(bad)?;
    let mut indices = Vec::new();
    for key in keys.split(',').map(str::trim) {
        let slot = slots.iter().position(|s| s.name == key);
        let slot = slot.ok_or_else(|| line.error(line.offset(keys), format!("no slot is named `{key}`")))?;
        indices.push(slot as u8);
    }
    let mut out = Vec::new();
    for row in rows.split_whitespace() {
        let at = line.offset(row);
        let (key, lengths) = row.rsplit_once(':').ok_or_else(|| line.error(at, "expected `key:length`"))?;
        let lengths: Option<Vec<u16>> = lengths.split('|').map(|n| n.parse().ok()).collect();
        let lengths = lengths.ok_or_else(|| line.error(at, "a length must be a number"))?;
        if key.split('/').count() != indices.len() {
            return Err(line
                .error(at, format!("the key has {} parts, the map {} slots", key.split('/').count(), indices.len())));
        }
        out.push(MapRow { key: leak_str(key), lengths: leak(lengths) });
    }
    Ok(Map { name: leak_str(name.trim()), slots: leak(indices), rows: leak(out) })
}

fn operand_names(raw: &form::RawForm) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    for operand in &raw.operands {
        match &operand.shape {
            form::RawShape::Value { name, .. } | form::RawShape::Arguments(name) => out.push(name),
            form::RawShape::Address(names) => out.extend(names.iter().map(String::as_str)),
            form::RawShape::Pair { first, second, .. } => out.extend([first.as_str(), second.as_str()]),
            form::RawShape::Sink => {}
        }
    }
    out
}

fn build_operands(
    line: &LogicalLine,
    raw: &form::RawForm,
    values: &BTreeMap<&str, FormValue>,
) -> Result<Vec<FormOperand>> {
    let mut out = Vec::new();
    for operand in &raw.operands {
        let value = |name: &str| {
            let found = values.get(name).copied();
            found.ok_or_else(|| line.error(operand.at, format!("operand `{name}` is not described")))
        };
        let pattern = match &operand.shape {
            form::RawShape::Value { name, negatable, minus } => {
                let mut value = value(name)?;
                value.negatable = *negatable;
                value.minus = *minus;
                FormPattern::Value(value)
            }
            form::RawShape::Address(names) => {
                let parts: Result<Vec<FormValue>> = names.iter().map(|n| value(n)).collect();
                FormPattern::Address(leak(parts?))
            }
            form::RawShape::Pair { first, second, optional } => FormPattern::Pair(Box::leak(Box::new(OperandPair {
                first: value(first)?,
                second: value(second)?,
                optional: *optional,
            }))),
            form::RawShape::Arguments(name) => FormPattern::Arguments(value(name)?),
            form::RawShape::Sink => FormPattern::Sink,
        };
        out.push(FormOperand { pattern, optional: operand.optional, tolerated: false });
    }
    Ok(out)
}
