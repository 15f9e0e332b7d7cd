//! Snippets made from the tables: every modifier of every form, operands of every kind in every place, and mutants
//! that leave out, repeat, swap or add something. Which of them are legal is for the assembler to say.

use ptx_analysis::head::{self, Candidate};
use ptx_analysis::spec::{Shape, Spec};
use ptx_isa::ISA;
use ptx_isa::tables::{Access, Entry, Form, Kind, Slot, TypeClass};
use std::collections::BTreeSet;

/// What stands in for an operand that is not meant.
const STRANGERS: &[&str] = &[
    "%r7",
    "%rd7",
    "%h7",
    "%c7",
    "%f7",
    "%d7",
    "%p7",
    "%u7",
    "%s7",
    "%uh3",
    "%sh3",
    "%ud3",
    "%sd3",
    "%hf7",
    "%hx7",
    "%q7",
    "1",
    "-1",
    "200",
    "1.5",
    "0f3f800000",
    "0d3ff0000000000000",
    "_",
    "!%p7",
    "%tid.x",
    "%clock64",
    "sm",
    "gl+4",
    "k",
    "{%r6,%r7}",
    "{%r4,%r5,%r6,%r7}",
    "[gl]",
    "[sm]",
    "[%rd7]",
    "[%rd7+8]",
    "tx",
    "%r7|%p7",
    "%v2",
    "%v4.y",
    "%r7.b0",
];

/// A small random number generator, so that what is generated never changes by itself.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator with a seed that is not zero.
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }
}

/// The snippets for one entry: about `size` for each form.
pub fn entry(entry: &'static Entry, size: usize) -> Vec<String> {
    let mut out = BTreeSet::new();
    for (index, form) in entry.forms.iter().enumerate() {
        let seed = form.text.bytes().fold(index as u64 + 1, |a, b| a.wrapping_mul(31).wrapping_add(b.into()));
        form_snippets(entry, form, size, &mut Random::new(seed), &mut out);
    }
    out.into_iter().collect()
}

fn form_snippets(
    entry: &'static Entry,
    form: &'static Form,
    size: usize,
    random: &mut Random,
    out: &mut BTreeSet<String>,
) {
    let Some(word) = entry.name.split('.').next() else { return };
    let Some(opcode) = ISA.opcode(word) else { return };
    let heads = heads(form, size, random);
    for (number, modifiers) in heads.iter().enumerate() {
        let refs: Vec<&str> = modifiers.iter().map(String::as_str).collect();
        let resolved = head::resolve(opcode, &refs);
        let candidates = resolved.as_ref().map_or(&[][..], |h| &h.candidates[..]);
        // Operands after the form that is meant where it fits, else after any that does.
        let candidate = candidates.iter().find(|c| std::ptr::eq(c.form, form)).or(candidates.first());
        let Some(candidate) = candidate else {
            // A combination that the tables refuse: with the plainest operands of the form.
            let values = vec![None; form.slots.len()];
            let arrangements = ptx_analysis::spec::arrangements(form, &values);
            if let Some(arrangement) = arrangements.iter().find(|a| a.broken.is_none()) {
                let operands: Vec<String> =
                    arrangement.operands.iter().enumerate().map(|(i, (_, s))| good(s, i)).collect();
                out.insert(print(word, modifiers, &operands));
            }
            continue;
        };
        operand_snippets(word, modifiers, candidate, number, random, out);
        if number < 6 {
            mutants(word, modifiers, candidate, random, out);
        }
    }
}

/// Modifier lists: the shortest, each value of each slot once, and random ones.
fn heads(form: &'static Form, size: usize, random: &mut Random) -> Vec<Vec<String>> {
    let slots: Vec<&Slot> = form.slots.iter().filter(|s| s.after_operand == 0).collect();
    let mut out: Vec<Vec<String>> = Vec::new();
    let mut add = |values: Vec<Option<&str>>| {
        let list: Vec<String> = values.into_iter().flatten().map(str::to_owned).collect();
        if !out.contains(&list) {
            out.push(list);
        }
    };
    let first = |s: &Slot| if s.optional { None } else { s.values.first().copied() };
    add(slots.iter().map(|s| first(s)).collect());
    for (index, slot) in slots.iter().enumerate() {
        for value in slot.values {
            let mut values: Vec<Option<&str>> = slots.iter().map(|s| first(s)).collect();
            values[index] = Some(value);
            if slot.group != 0 {
                for (i, other) in slots.iter().enumerate() {
                    if other.group == slot.group && i != index {
                        values[i] = other.values.first().copied();
                    }
                }
            }
            add(values);
        }
    }
    for _ in 0..size {
        let pick = |s: &&Slot| {
            if s.optional && random.below(2) == 0 { None } else { Some(s.values[random.below(s.values.len())]) }
        };
        add(slots.iter().map(pick).collect());
    }
    out
}

fn operand_snippets(
    word: &str,
    modifiers: &[String],
    candidate: &Candidate,
    number: usize,
    random: &mut Random,
    out: &mut BTreeSet<String>,
) {
    for arrangement in candidate.arrangements.iter().filter(|a| a.broken.is_none()) {
        let operands: Vec<String> = arrangement.operands.iter().enumerate().map(|(i, (_, s))| good(s, i)).collect();
        out.insert(print(word, modifiers, &operands));
        for place in 0..operands.len() {
            // All strangers for the first head, a few for the others.
            let few: Vec<usize> = if number == 0 {
                (0..STRANGERS.len()).collect()
            } else {
                (0..2).map(|_| random.below(STRANGERS.len())).collect()
            };
            for stranger in few {
                let mut other = operands.clone();
                other[place] = STRANGERS[stranger].to_owned();
                out.insert(print(word, modifiers, &other));
            }
        }
        if number == 0 {
            let mut more = operands.clone();
            more.push("%r7".to_owned());
            out.insert(print(word, modifiers, &more));
            if let Some((_, fewer)) = operands.split_last() {
                out.insert(print(word, modifiers, fewer));
            }
        }
    }
}

fn mutants(word: &str, modifiers: &[String], candidate: &Candidate, random: &mut Random, out: &mut BTreeSet<String>) {
    let Some(arrangement) = candidate.arrangements.iter().find(|a| a.broken.is_none()) else { return };
    let operands: Vec<String> = arrangement.operands.iter().enumerate().map(|(i, (_, s))| good(s, i)).collect();
    for i in 0..modifiers.len() {
        let mut less = modifiers.to_vec();
        less.remove(i);
        out.insert(print(word, &less, &operands));
        let mut twice = modifiers.to_vec();
        twice.insert(i, modifiers[i].clone());
        out.insert(print(word, &twice, &operands));
        if i + 1 < modifiers.len() {
            let mut swapped = modifiers.to_vec();
            swapped.swap(i, i + 1);
            out.insert(print(word, &swapped, &operands));
        }
    }
    for extra in [".ftz", ".sat", ".rn", ".u32", ".f16", ".sync", ".global", ".v2", ".relu", ".gpu", ".volatile", ".lo"]
    {
        let mut more = modifiers.to_vec();
        more.insert(random.below(modifiers.len() + 1), extra.to_owned());
        out.insert(print(word, &more, &operands));
    }
}

fn print(word: &str, modifiers: &[String], operands: &[String]) -> String {
    let space = if operands.is_empty() { "" } else { " " };
    format!("{word}{}{space}{};", modifiers.concat(), operands.join(", "))
}

/// An operand that fits.
fn good(shape: &Shape, place: usize) -> String {
    match shape {
        Shape::Value(spec) => value(spec, place),
        Shape::Pair(both, _) => format!("{}|{}", value(&both.0, place), value(&both.1, place + 1)),
        Shape::Address(parts) => {
            let parts: Vec<String> = parts
                .iter()
                .map(|s| if matches!(s.value.kind, Kind::Address(_)) { base(s) } else { value(s, place) })
                .collect();
            format!("[{}]", parts.join(", "))
        }
        Shape::Arguments(_) => "()".to_owned(),
        Shape::Sink => "_".to_owned(),
    }
}

fn base(spec: &Spec) -> String {
    match spec.spaces.and_then(|s| s.first()).map(|s| s.split("::").next().unwrap_or(s)) {
        Some(".shared") => "sm",
        Some(".const") => "cn",
        Some(".local") => "lm",
        Some(".param") => "p",
        _ => "gl",
    }
    .to_owned()
}

fn value(spec: &Spec, place: usize) -> String {
    match spec.value.kind {
        Kind::Label => return "L".to_owned(),
        Kind::Function => return "k".to_owned(),
        Kind::Targets => return "T".to_owned(),
        Kind::Address(_) => return format!("[{}]", base(spec)),
        Kind::Opaque("samplerref") => return "sa".to_owned(),
        Kind::Opaque("surfref") => return "su".to_owned(),
        Kind::Opaque(_) => return "tx".to_owned(),
        _ => {}
    }
    if let Some(range) = spec.value.ranges.first()
        && spec.value.access == Access::Read
    {
        return range.high.min(range.low.max(0) + range.step * 2).to_string();
    }
    if spec.value.immediate_only {
        let float = spec.ty.is_some_and(|t| t.info().class == TypeClass::Float);
        return if float { "1.0" } else { "1" }.to_owned();
    }
    let Some(n) = spec.lengths.first() else { return register(spec, place) };
    let one = |i: usize| match spec.lead.filter(|_| i == 0) {
        Some(lead) => register(&Spec { ty: Some(lead), ..*spec }, place),
        None => register(spec, i + place),
    };
    format!("{{{}}}", (0..usize::from(*n)).map(one).collect::<Vec<_>>().join(","))
}

fn register(spec: &Spec, number: usize) -> String {
    let Some(ty) = spec.ty.map(|t| t.info()) else { return format!("%r{}", number % 40) };
    let ty = match ty.agrees.first().and_then(|name| ISA.ty(name)) {
        Some(agreed) if !ty.registers => agreed,
        _ => ty,
    };
    let (prefix, count) = match (ty.class, ty.bits) {
        (TypeClass::Pred, _) => ("%p", 8),
        (TypeClass::Float, 16) => ("%hf", 8),
        (TypeClass::Float, 32) => ("%f", 40),
        (TypeClass::Float, 64) => ("%d", 16),
        (TypeClass::Packed, 32) if ty.name == ".f16x2" => ("%hx", 8),
        (_, 8) => ("%c", 8),
        (_, 16) => ("%h", 16),
        (_, 64) => ("%rd", 16),
        (_, 128) => ("%q", 8),
        _ => ("%r", 40),
    };
    format!("{prefix}{}", number % count)
}
