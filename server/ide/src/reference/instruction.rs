//! Instructions by name, and descriptions of their forms.

use super::availability::RowSource;
use super::combination::least;
use super::example::{ReferenceExample, examples};
use super::rules::rule;
use crate::describe::{FormUsage, always, condition, gate, narrow_address, pretty, unbuilt};
use ptx_isa::ISA;
use ptx_isa::tables::{
    ControlTransfer, Encoding, Entry, Form, FormPattern, FormValue, Gate, Implied, Length, ModifierSlot, OperandAccess,
    Protocol, Spaces, Term, TypeExpr, UniformExtent, ValueKind, Verb,
};
use std::cmp::Reverse;

/// An instruction of the manual. A few consist of several entries: `add` of integers and of floating-point numbers.
#[derive(Debug, Clone)]
pub struct ManualInstruction {
    /// The name, such as `mbarrier.try_wait`.
    pub name: &'static str,
    /// Its entries, in the order of the tables.
    pub entries: Vec<&'static Entry>,
}

/// All instructions, by name.
pub fn instructions() -> Vec<ManualInstruction> {
    let mut out: Vec<ManualInstruction> = Vec::new();
    for entry in ISA.opcodes.iter().flat_map(|o| o.entries) {
        match out.iter_mut().find(|i| i.name == entry.name) {
            Some(known) => known.entries.push(entry),
            None => out.push(ManualInstruction { name: entry.name, entries: vec![entry] }),
        }
    }
    out.sort_by_key(|i| i.name);
    out
}

impl ManualInstruction {
    /// Its entries and the forms of each, those that real files use most first.
    pub fn by_use(&self) -> Vec<(&'static Entry, Vec<&'static Form>)> {
        let opcode = ISA.opcode(self.name.split('.').next().unwrap_or(self.name));
        let Some(uses) = opcode.map(FormUsage::of) else { return Vec::new() };
        let mut entries = self.entries.clone();
        entries.sort_by_key(|entry| Reverse(uses.of_entry(entry)));
        entries.into_iter().map(|entry| (entry, uses.ranked(entry))).collect()
    }
}

/// A modifier slot of a form, with the values that the manual has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotArticle {
    /// Its name, without a dot.
    pub name: &'static str,
    /// The values, with their dots.
    pub values: Vec<&'static str>,
    /// Whether it may be left out.
    pub optional: bool,
    /// What it means to leave it out (Markdown).
    pub implied: Vec<String>,
}

impl SlotArticle {
    fn new(index: usize, slot: &ModifierSlot, form: &Form) -> Self {
        let implied = form.implied.iter().filter(|i| usize::from(i.slot) == index);
        Self {
            name: slot.name.trim_start_matches('.'),
            values: slot.documented().collect(),
            optional: slot.optional && !slot.expected,
            implied: implied.map(|i| self::implied(i, form)).collect(),
        }
    }

    /// Whether every instruction of the form has this modifier.
    pub fn is_fixed(&self) -> bool {
        self.values.len() == 1 && !self.optional
    }

    /// Whether its name in the text of the form stands for values, and is not the only value itself.
    pub fn is_set(&self) -> bool {
        self.values != [format!(".{}", self.name)]
    }
}

/// A form with its complete description.
#[derive(Debug, Clone)]
pub struct FormArticle {
    /// The text of the form, without the names of value sets after those of the slots.
    pub text: String,
    /// Its modifier slots.
    pub slots: Vec<SlotArticle>,
    /// Its operands: text in the form, and description (Markdown).
    pub operands: Vec<(String, String)>,
    /// Rules between modifiers (Markdown).
    pub rules: Vec<String>,
    /// Required versions and targets (Markdown).
    pub gates: Vec<String>,
    /// What the assembler parses of it and does not build (Markdown).
    pub unbuilt: Vec<String>,
    /// Examples of the form.
    pub examples: Vec<ReferenceExample>,
}

/// The description of a form.
pub fn form(entry: &'static Entry, form: &'static Form) -> FormArticle {
    let told = form.gates.iter().filter(|g| !always(g));
    let tolerated = |term: &Term| match term {
        Term::Slot(test) => form.slots.get(usize::from(test.slot)).is_some_and(|slot| !slot.is_documented()),
        Term::Operand(_) => false,
    };
    let shown = form.rules.iter().filter(|r| !r.what.iter().chain(r.when).any(tolerated));
    let mut rules: Vec<String> = shown.map(|r| rule(r, form)).collect();
    rules.dedup();
    let slots = form.slots.iter().enumerate().filter(|(_, slot)| slot.is_documented());
    FormArticle {
        text: pretty(form),
        slots: slots.map(|(index, slot)| SlotArticle::new(index, slot, form)).collect(),
        operands: form
            .operands
            .iter()
            .filter(|o| !o.tolerated)
            .flat_map(|o| operand(&o.pattern, o.optional != 0, form, entry))
            .collect(),
        rules,
        gates: told.map(|g| gate(g, &condition(g.when, form), None)).collect(),
        unbuilt: form.unbuilt.iter().map(|u| format!("{}.", unbuilt(u, form))).collect(),
        examples: examples(entry, form),
    }
}

fn implied(implied: &Implied, form: &Form) -> String {
    let when = match condition(implied.when, form) {
        when if when.is_empty() => when,
        when => format!(", {when}"),
    };
    let doc = if implied.doc.is_empty() { String::new() } else { format!(" {}", implied.doc) };
    format!("Left out{when}, it is `{}`.{doc}", implied.value)
}

/// The operands with bit fields or other encodings, and those encodings.
pub fn encodings(entry: &'static Entry) -> Vec<(&'static str, &'static Encoding)> {
    let mut out: Vec<(&'static str, &'static Encoding)> = Vec::new();
    for operand in entry.forms.iter().flat_map(|f| f.operands) {
        let values: Vec<&'static FormValue> = match &operand.pattern {
            FormPattern::Value(v) | FormPattern::Arguments(v) => vec![v],
            FormPattern::Address(parts) => parts.iter().collect(),
            FormPattern::Pair(pair) => vec![&pair.first, &pair.second],
            FormPattern::Sink => Vec::new(),
        };
        for value in values {
            if let Some(encoding) = ISA.encodings.iter().find(|e| e.name == value.decodes)
                && !out.contains(&(value.name, encoding))
            {
                out.push((value.name, encoding));
            }
        }
    }
    out
}

/// The rows of an instruction's availability matrix: each form, and each condition with further requirements.
pub fn rows(entry: &'static Entry) -> Vec<RowSource> {
    let mut out = Vec::new();
    for form in entry.forms {
        let base: Vec<&'static Gate> = form.gates.iter().filter(|g| g.when.is_empty()).collect();
        let label = pretty(form);
        out.push(RowSource { label, condition: false, ways: ways(form, &base) });
        let mut told: Vec<String> = Vec::new();
        for gate in form.gates.iter().filter(|g| !g.when.is_empty()) {
            let label = condition(gate.when, form);
            if !told.contains(&label) {
                let same = form.gates.iter().filter(|g| g.when == gate.when);
                let gates = base.iter().copied().chain(same).collect();
                out.push(RowSource { label: label.clone(), condition: true, ways: vec![gates] });
                told.push(label);
            }
        }
    }
    out
}

/// Maximum number of alternatives that are considered.
const MAX_WAYS: usize = 256;

/// The alternative lists of gates of a form: one for each choice of the values of mandatory slots that gates test. If every
/// type of a form has a requirement, the form needs only the least of them.
fn ways(form: &'static Form, base: &[&'static Gate]) -> Vec<Vec<&'static Gate>> {
    let mut out = vec![base.to_vec()];
    for (index, slot) in form.slots.iter().enumerate().filter(|(_, s)| !s.optional) {
        // Only conditions on this slot alone count.
        let about = |gate: &&Gate| match gate.when {
            [Term::Slot(test)] => usize::from(test.slot) == index,
            _ => false,
        };
        if out.len() * slot.values.len() > MAX_WAYS || !form.gates.iter().any(|g| about(&g)) {
            continue;
        }
        let asked = |value: &str| -> Vec<&'static Gate> {
            let holds = |gate: &&Gate| match gate.when {
                [Term::Slot(test)] => (test.values.is_empty() || test.values.contains(&value)) != test.negated,
                _ => false,
            };
            form.gates.iter().filter(|g| about(g) && holds(g)).collect()
        };
        let mut longer: Vec<Vec<&'static Gate>> = Vec::new();
        for way in &out {
            for value in slot.values {
                let gates: Vec<&'static Gate> = way.iter().copied().chain(asked(value)).collect();
                if !longer.contains(&gates) {
                    longer.push(gates);
                }
            }
        }
        out = longer;
    }
    out
}

/// Other facts about an instruction, as sentences (Markdown).
pub fn facts(entry: &'static Entry) -> Vec<String> {
    let mut out = Vec::new();
    let mut say = |text: &str| out.push(text.to_owned());
    if entry.converge {
        say("All threads of a warp must execute it together.");
    }
    match entry.uniform {
        Some(UniformExtent::Cta) => say("Its result is the same for all threads of a CTA, whatever its operands."),
        Some(UniformExtent::Warp) => say("Its result is the same for all threads of a warp, whatever its operands."),
        _ => {}
    }
    match entry.flow {
        ControlTransfer::Next => {}
        ControlTransfer::Branch => say("Execution continues at a label."),
        ControlTransfer::Call => say("Execution continues in a function, which returns here."),
        ControlTransfer::Return => say("Execution continues in the caller."),
        ControlTransfer::Exit => say("The thread ends."),
    }
    if let Some(narrow) = narrow_address(entry) {
        say(&narrow);
    }
    if entry.pure {
        say("It has no side effects, and its results depend only on its operands.");
    }
    let mut roles: Vec<String> = Vec::new();
    for (form, effect) in entry.forms.iter().flat_map(|f| f.effects.iter().map(move |e| (f, e))) {
        let verb = Verb::NAMES.iter().find(|(_, v)| *v == effect.verb).map_or("", |(name, _)| name);
        let protocol = Protocol::NAMES.iter().find(|(_, p)| *p == effect.protocol).map_or("", |(name, _)| name);
        let operand = if effect.operand.is_empty() { String::new() } else { format!(" by `{}`", effect.operand) };
        let when = match condition(effect.when, form) {
            when if when.is_empty() => when,
            when => format!(", {when}"),
        };
        let role = format!("*{protocol}*: it **{verb}**{operand}{when}.");
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    out.extend(roles.into_iter().map(|role| format!("Part in {role}")));
    out
}

fn operand(pattern: &FormPattern, optional: bool, form: &'static Form, entry: &Entry) -> Vec<(String, String)> {
    let one = |value: &FormValue, shown: String| {
        let note = meaning(value, entry).map_or(String::new(), |meaning| format!("{meaning}; "));
        let left_out = if optional { "; may be left out" } else { "" };
        (shown, format!("{note}{}{left_out}", words(value, form)))
    };
    match pattern {
        FormPattern::Value(value) if matches!(value.kind, ValueKind::Address(_)) => {
            vec![one(value, format!("[{}]", value.name))]
        }
        FormPattern::Value(value) | FormPattern::Arguments(value) => vec![one(value, value.name.to_owned())],
        FormPattern::Address(parts) => parts.iter().map(|v| one(v, format!("[{}]", v.name))).collect(),
        FormPattern::Pair(pair) => {
            vec![one(&pair.first, pair.first.name.to_owned()), one(&pair.second, format!("|{}", pair.second.name))]
        }
        FormPattern::Sink => vec![("_".to_owned(), "a discarded result".to_owned())],
    }
}

/// What an operand is for: what the tables say, else its part in the formula of the result, else its place.
fn meaning(value: &FormValue, entry: &Entry) -> Option<String> {
    if let Some(note) = entry.operands.iter().find(|n| n.name == value.name) {
        return Some(note.doc.trim_end_matches('.').to_owned());
    }
    if value.access != OperandAccess::Read {
        let start = format!("{{{}}} = ", value.name);
        let formula =
            entry.results.iter().find_map(|r| r.text.strip_prefix(&start)).filter(|f| !f.contains(['`', '\n']));
        return Some(formula.map_or("The result".to_owned(), |f| format!("The result: {}", f.replace(['{', '}'], ""))));
    }
    let place = match value.name {
        "a" => "The first operand",
        "b" => "The second operand",
        "c" => "The third operand",
        _ => return None,
    };
    matches!(value.kind, ValueKind::Value).then(|| place.to_owned())
}

/// A description of the legal operands for a value, in terms of the form's slots.
fn words(value: &FormValue, form: &Form) -> String {
    let access = match value.access {
        OperandAccess::Read => "read",
        OperandAccess::Write => "written",
        OperandAccess::Update => "read and written",
    };
    let ty = type_words(value.ty, form);
    let list = match value.length {
        Length::Scalar => String::new(),
        Length::Fixed(n) => format!("a list of {n} of "),
        Length::Slot(slot) => format!("as many as `{}` says of ", slot_name(form, slot)),
        Length::Map(map) => {
            let rows = form.maps.get(usize::from(map)).map_or(&[][..], |m| m.rows);
            let mut lengths: Vec<u16> = rows.iter().flat_map(|r| r.lengths).copied().collect();
            lengths.sort_unstable();
            lengths.dedup();
            let lengths: Vec<String> = lengths.iter().map(u16::to_string).collect();
            format!("a list of {} of ", lengths.join(", "))
        }
        Length::Formula(formula) => format!("a list of `{}` of ", formula.text(|slot| slot_name(form, slot))),
    };
    let mut out = match value.kind {
        ValueKind::Address(Spaces::Generic) => "a generic address".to_owned(),
        ValueKind::Address(Spaces::Slot(slot)) => format!("an address in `{}`", dotted(slot_name(form, slot))),
        ValueKind::Address(Spaces::Named(names)) => {
            format!("an address in {}", crate::describe::words(names.iter().copied(), 6))
        }
        ValueKind::Label => "a label".to_owned(),
        ValueKind::Function => "a function, or a register with its address".to_owned(),
        ValueKind::Targets => "the label of a list of targets or of a prototype".to_owned(),
        ValueKind::Arguments => "a list in parentheses".to_owned(),
        ValueKind::Opaque(name) => format!("a `.{}`, or a register with its handle", name.trim_start_matches('.')),
        ValueKind::Any => format!("{access}: anything"),
        ValueKind::Value if value.immediate_only => format!("a literal {ty}"),
        ValueKind::Value => format!("{access}: {list}{ty}"),
    };
    let flags = [
        (value.wider, "a wider register is allowed"),
        (value.register_only && value.access == OperandAccess::Read, "not a literal"),
        (value.special, "or a special register"),
        (value.symbol, "or the address of a variable"),
        (value.minus, "`-` negates it"),
        (value.negatable, "`!` negates it"),
        (value.sink, "`_` discards it"),
    ];
    for (_, text) in flags.iter().filter(|(set, _)| *set) {
        out.push_str(&format!("; {text}"));
    }
    if !value.ranges.is_empty() {
        let ranges: Vec<String> = value.ranges.iter().map(crate::describe::range).collect();
        out.push_str(&format!("; a literal must be {}", ranges.join(", ")));
    }
    if !value.select.is_empty() {
        out.push_str(&format!("; a selector may follow: {}", crate::describe::words(value.select.iter().copied(), 8)));
    }
    out
}

fn slot_name(form: &Form, slot: u8) -> &'static str {
    form.slots.get(usize::from(slot)).map_or("", |s| s.name)
}

fn dotted(name: &str) -> String {
    format!(".{}", name.trim_start_matches('.'))
}

fn type_words(ty: TypeExpr, form: &Form) -> String {
    match ty {
        TypeExpr::None => "a register".to_owned(),
        TypeExpr::Slot(slot) => format!("`{}`", dotted(slot_name(form, slot))),
        TypeExpr::Named(name) => format!("`{name}`"),
        TypeExpr::Wide(inner) => format!("{}, twice as wide", type_words(*inner, form)),
        TypeExpr::Half(inner) => format!("{}, half as wide", type_words(*inner, form)),
        TypeExpr::Bits(inner) => format!("bits of the size of {}", type_words(*inner, form)),
    }
}

/// An instruction that has a modifier.
#[derive(Debug, Clone)]
pub struct Taker {
    /// Its name.
    pub name: &'static str,
    /// The meaning of the modifier in this instruction (Markdown); empty if it has its general meaning.
    pub note: &'static str,
    /// The forms that have the modifier.
    pub forms: Vec<String>,
    /// The shortest mnemonic with the modifier.
    pub head: String,
}

/// The instructions that have a modifier, a type or a state space, by name.
pub fn takers(name: &str) -> Vec<Taker> {
    let mut out: Vec<Taker> = Vec::new();
    for entry in ISA.opcodes.iter().flat_map(|o| o.entries) {
        for form in entry.forms {
            let Some(place) = form.slots.iter().position(|s| s.values.contains(&name)) else { continue };
            let note = entry.modifiers.iter().find(|m| m.name == name).map_or("", |m| m.doc);
            let text = pretty(form);
            match out.iter_mut().find(|t| t.name == entry.name) {
                Some(known) => {
                    if !known.forms.contains(&text) {
                        known.forms.push(text);
                    }
                    if known.note.is_empty() {
                        known.note = note;
                    }
                }
                None => {
                    let value = form.slots[place].values.iter().copied().find(|v| *v == name);
                    let values = value.and_then(|v| least(form, &[(place, v)])).unwrap_or_default();
                    let opcode = entry.name.split('.').next().unwrap_or(entry.name);
                    let head = format!("{opcode}{}", values.into_iter().flatten().collect::<String>());
                    out.push(Taker { name: entry.name, note, forms: vec![text], head });
                }
            }
        }
    }
    out.sort_by_key(|t| t.name);
    out
}
