//! Which modifiers can still lead to a legal form, and whether the module's version and target have one of those.
//!
//! A form has few slots but many values. Values that no rule and no gate tells apart are one *class*, and of a class one value is
//! tried: so all that is left to search are a handful of combinations, cut short where a rule is broken whatever follows.

use ptx_analysis::mnemonic::{Filling, broken_so_far};
use ptx_analysis::semantics;
use ptx_analysis::target::Environment;
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Form, Gate, GateKind, Opcode, Term};

use std::collections::HashMap;
use std::sync::LazyLock;

/// What is known of a slot; values are those of the tables.
type SlotFilling = Filling<'static>;

/// What the module's version and target say of something that is legal by itself. The best comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetSupport {
    /// They have it.
    Available,
    /// They advise against it.
    Deprecated(&'static Gate),
    /// They lack it.
    Lacking(&'static Gate),
}

impl TargetSupport {
    /// Smaller is better.
    pub fn rank(self) -> u8 {
        match self {
            Self::Available => 0,
            Self::Deprecated(_) => 1,
            Self::Lacking(_) => 2,
        }
    }

    /// What a list of gates without conditions says.
    pub fn of(gates: &'static [Gate], environment: &Environment) -> Self {
        Self::when(gates, environment, |_| true)
    }

    fn when(gates: &'static [Gate], environment: &Environment, applies: impl Fn(&Gate) -> bool) -> Self {
        match (environment.refused(gates, &applies), environment.deprecated(gates, &applies)) {
            (Some(gate), _) => Self::Lacking(gate),
            (None, Some(gate)) => Self::Deprecated(gate),
            (None, None) => Self::Available,
        }
    }
}

/// A modifier that may be written next.
#[derive(Debug, Clone, Copy)]
pub struct Offer {
    /// With its dot.
    pub value: &'static str,
    /// Of the best form that it leads to.
    pub status: TargetSupport,
    /// It stands in canonical order there.
    pub canonical: bool,
    /// The place of its slot in that form.
    pub slot: usize,
    /// It is a type.
    pub ends: bool,
    /// The instruction.
    pub entry: &'static Entry,
}

/// How many ways to fit modifiers into a form are looked at, and how many steps a search takes; more than any form needs.
const MOST_WAYS: usize = 32;
const MOST_STEPS: usize = 20_000;

/// The modifiers that may be written between those before a place and those after it, best first.
pub fn next(opcode: &'static Opcode, before: &[&str], after: &[&str], environment: &Environment) -> Vec<Offer> {
    let mut out: Vec<Offer> = Vec::new();
    for entry in opcode.entries {
        for form in entry.forms {
            offers(entry, form, before, after, environment, &mut out);
        }
        // Of what is not checked the name is known.
        let next = entry
            .path
            .get(before.len())
            .filter(|_| !entry.checked && entry.path.iter().zip(before).all(|(a, b)| a == b));
        if let Some(value) = next.filter(|v| !out.iter().any(|o| o.value == **v)) {
            out.push(Offer {
                value,
                status: instruction(opcode, entry, environment),
                canonical: true,
                slot: before.len(),
                ends: false,
                entry,
            });
        }
    }
    // Types come last in nearly every form, while others count slots in forms of different lengths.
    out.sort_by_key(|o| (o.status.rank(), !o.canonical, o.ends, o.slot));
    out
}

fn offers(
    entry: &'static Entry,
    form: &'static Form,
    before: &[&str],
    after: &[&str],
    environment: &Environment,
    out: &mut Vec<Offer>,
) {
    let written: Vec<&str> = before.iter().chain(after).copied().collect();
    if !written.iter().all(|m| form.slots.iter().any(|s| s.after_operand == 0 && s.values.contains(m))) {
        return;
    }
    let mut ways = Vec::new();
    fit(form, &written, &mut Vec::new(), &mut ways);
    for way in &ways {
        let (first, last) = way.split_at(before.len());
        for (index, slot) in form.slots.iter().enumerate() {
            if slot.after_operand != 0 || way.contains(&index) || !may_stand(form, index, first, last) {
                continue;
            }
            let mut search = CombinationSearch::new(form, environment);
            search.fill(&written, way);
            search.close(index, first, last);
            let canonical = first.iter().all(|s| *s < index) && last.iter().all(|s| *s > index);
            for class in classes(form, index) {
                let Some(&value) = class.first() else { continue };
                // What an offer would only repeat need not be searched again.
                let better =
                    |o: &&mut Offer, v: &str| o.value == v && (o.status.rank(), !o.canonical) <= (0, !canonical);
                if class.iter().all(|v| out.iter_mut().any(|o| better(&o, v))) {
                    continue;
                }
                let Some(status) = search.best(index, value) else { continue };
                for &value in class {
                    let new = Offer { value, status, canonical, slot: index, ends: slot.is_type, entry };
                    let key = |o: &Offer| (o.status.rank(), !o.canonical, o.slot);
                    match out.iter_mut().find(|o| o.value == value) {
                        Some(known) if key(&new) < key(known) => *known = new,
                        Some(_) => {}
                        None => out.push(new),
                    }
                }
            }
        }
    }
}

/// The values of a form with nothing in it that may be left out, of the best status that there is.
pub fn shortest(form: &'static Form, environment: &Environment) -> Option<(Vec<Option<&'static str>>, TargetSupport)> {
    let mut search = CombinationSearch::new(form, environment);
    search.run();
    search.found.take()
}

/// The status of a form. Only gates with conditions make it worth a search.
fn of_form(form: &'static Form, environment: &Environment) -> Option<TargetSupport> {
    let always = TargetSupport::when(form.gates, environment, |g| g.when.is_empty());
    if matches!(always, TargetSupport::Lacking(_)) || form.gates.iter().all(|g| g.when.is_empty()) {
        return Some(always);
    }
    shortest(form, environment).map(|(_, status)| status)
}

/// The status of the best form of an entry.
fn entry(entry: &'static Entry, environment: &Environment) -> TargetSupport {
    let mut best: Option<TargetSupport> = None;
    for form in entry.forms {
        let Some(status) = of_form(form, environment) else { continue };
        if status == TargetSupport::Available {
            return status;
        }
        if best.is_none_or(|b| status.rank() < b.rank()) {
            best = Some(status);
        }
    }
    best.unwrap_or(TargetSupport::Available)
}

/// The status of an instruction of an opcode. Of one that is not checked nothing is known but that it is not older than its like.
pub fn instruction(opcode: &'static Opcode, own: &'static Entry, environment: &Environment) -> TargetSupport {
    if own.checked {
        return entry(own, environment);
    }
    let checked = opcode.entries.iter().filter(|e| e.checked).map(|e| entry(e, environment));
    checked.min_by_key(|s| s.rank()).unwrap_or(TargetSupport::Available)
}

/// The status of the best form that some modifiers fit; of an instruction that is not whole yet, that of the opcode's best form.
pub fn of_head(opcode: &'static Opcode, modifiers: &[&str], environment: &Environment) -> TargetSupport {
    let resolved = semantics::mnemonic(opcode, modifiers).filter(|h| h.mismatch.is_none());
    let candidates = resolved.iter().flat_map(|h| &h.candidates).map(|candidate| {
        let applies = |g: &Gate| ptx_analysis::mnemonic::holds(g.when, &candidate.values, None) == Some(true);
        TargetSupport::when(candidate.form.gates, environment, applies)
    });
    let whole = candidates.min_by_key(|s| s.rank());
    let entries = opcode.entries.iter().map(|e| instruction(opcode, e, environment));
    whole.or_else(|| entries.min_by_key(|s| s.rank())).unwrap_or(TargetSupport::Available)
}

/// The ways to fit written modifiers into the slots of a form, as an index for each.
fn fit(form: &'static Form, written: &[&str], begun: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) {
    let Some(modifier) = written.get(begun.len()) else {
        if firsts_lead(form, begun) {
            out.push(begun.clone());
        }
        return;
    };
    for (index, slot) in form.slots.iter().enumerate() {
        let free = slot.after_operand == 0 && !begun.contains(&index);
        if free && slot.values.contains(modifier) && begun.iter().all(|b| in_order(form, *b, index)) {
            begun.push(index);
            fit(form, written, begun, out);
            begun.pop();
            if out.len() >= MOST_WAYS {
                return;
            }
        }
    }
}

/// Whether the modifier of one slot may stand before that of another.
fn in_order(form: &Form, left: usize, right: usize) -> bool {
    let types = form.slots.get(left).is_some_and(|s| s.is_type) && form.slots.get(right).is_some_and(|s| s.is_type);
    let place = |order: &[u8], slot: usize| order.iter().position(|s| usize::from(*s) == slot);
    let fixed = |order: &&[u8]| place(order, left).zip(place(order, right)).is_none_or(|(l, r)| l < r);
    (!types || left < right) && form.order.iter().all(fixed)
}

/// Whether the slots that lead, of those that are filled, stand right after the opcode.
fn firsts_lead(form: &Form, filled: &[usize]) -> bool {
    let places = form.first.iter().filter_map(|slot| filled.iter().position(|f| *f == usize::from(*slot)));
    places.enumerate().all(|(wanted, place)| wanted == place)
}

/// Whether a slot may be filled between others, as far as order goes.
fn may_stand(form: &Form, slot: usize, before: &[usize], after: &[usize]) -> bool {
    let filled: Vec<usize> = before.iter().copied().chain([slot]).chain(after.iter().copied()).collect();
    before.iter().all(|b| in_order(form, *b, slot))
        && after.iter().all(|a| in_order(form, slot, *a))
        && firsts_lead(form, &filled)
}

/// Values of a slot that no rule and no gate tells apart.
type SlotValueClass = Vec<&'static str>;

/// The classes of each slot of each form, by the address of the form.
static CLASSES: LazyLock<HashMap<usize, Vec<Vec<SlotValueClass>>>> = LazyLock::new(|| {
    let forms = ISA.opcodes.iter().flat_map(|o| o.entries).flat_map(|e| e.forms);
    let all = |form: &'static Form| (0..form.slots.len()).map(|slot| in_classes(form, slot)).collect();
    forms.map(|form| (std::ptr::from_ref(form) as usize, all(form))).collect()
});

fn classes(form: &'static Form, slot: usize) -> &'static [SlotValueClass] {
    CLASSES.get(&(std::ptr::from_ref(form) as usize)).and_then(|slots| slots.get(slot)).map_or(&[], Vec::as_slice)
}

fn in_classes(form: &'static Form, slot: usize) -> Vec<SlotValueClass> {
    let tests = tests(form, slot);
    let mut out: Vec<(Vec<bool>, SlotValueClass)> = Vec::new();
    for value in form.slots[slot].values {
        // A value that another slot has too cannot stand twice.
        let others = || form.slots.iter().enumerate().filter(|(i, _)| *i != slot);
        let shared = !form.slots[slot].is_type && others().any(|(_, s)| s.values.contains(value));
        let mark: Vec<bool> = tests.iter().map(|t| t.contains(value)).collect();
        match out.iter_mut().find(|(m, _)| *m == mark && !shared) {
            Some((_, class)) => class.push(value),
            None => out.push((mark, vec![value])),
        }
    }
    out.into_iter().map(|(_, class)| class).collect()
}

/// What rules and gates ask of a slot.
fn tests(form: &'static Form, slot: usize) -> Vec<&'static [&'static str]> {
    let rules = form.rules.iter().flat_map(|r| r.what.iter().chain(r.when));
    let gates = form.gates.iter().flat_map(|g| g.when);
    let of = |term: &'static Term| match term {
        Term::Slot(test) if usize::from(test.slot) == slot && !test.values.is_empty() => Some(test.values),
        _ => None,
    };
    rules.chain(gates).filter_map(of).collect()
}

/// Combinations of the modifiers of a form.
struct CombinationSearch<'e> {
    form: &'static Form,
    environment: &'e Environment,
    cells: Vec<SlotFilling>,
    /// Rank of what gates without conditions say: nothing better can be found.
    least: u8,
    steps: usize,
    found: Option<(Vec<Option<&'static str>>, TargetSupport)>,
}

impl<'e> CombinationSearch<'e> {
    fn new(form: &'static Form, environment: &'e Environment) -> Self {
        let least = TargetSupport::when(form.gates, environment, |g| g.when.is_empty()).rank();
        // What follows an operand is not part of the head.
        let cell = |slot: &ptx_isa::tables::ModifierSlot| {
            if slot.after_operand == 0 { SlotFilling::Open } else { SlotFilling::Empty }
        };
        let cells = form.slots.iter().map(cell).collect();
        Self { form, environment, cells, least, steps: 0, found: None }
    }

    fn fill(&mut self, written: &[&str], way: &[usize]) {
        for (modifier, slot) in written.iter().zip(way) {
            let value = self.form.slots[*slot].values.iter().find(|v| *v == modifier);
            if let Some(value) = value {
                self.cells[*slot] = SlotFilling::Value(value);
            }
        }
    }

    /// Leaves out what cannot be written right after a modifier any more, once that has filled a slot.
    fn close(&mut self, slot: usize, before: &[usize], after: &[usize]) {
        let before: Vec<usize> = before.iter().copied().chain([slot]).collect();
        for index in 0..self.cells.len() {
            if self.cells[index] == SlotFilling::Open && index != slot && !may_stand(self.form, index, &before, after) {
                self.cells[index] = SlotFilling::Empty;
            }
        }
    }

    /// The best status of the combinations with a value in a slot.
    fn best(&mut self, slot: usize, value: &'static str) -> Option<TargetSupport> {
        let cells = self.cells.clone();
        self.cells[slot] = SlotFilling::Value(value);
        self.steps = 0;
        self.found = None;
        self.run();
        self.cells = cells;
        self.found.take().map(|(_, status)| status)
    }

    /// Whether nothing better can be found.
    fn done(&self) -> bool {
        self.steps > MOST_STEPS || self.found.as_ref().is_some_and(|(_, status)| status.rank() <= self.least)
    }

    fn run(&mut self) {
        self.steps += 1;
        if self.done() || self.is_broken() {
            return;
        }
        let Some(slot) = self.cells.iter().position(|c| *c == SlotFilling::Open) else {
            let values: Vec<Option<&'static str>> =
                self.cells.iter().map(|c| if let SlotFilling::Value(v) = c { Some(*v) } else { None }).collect();
            let applies = |g: &Gate| ptx_analysis::mnemonic::holds(g.when, &values, None) == Some(true);
            let status = TargetSupport::when(self.form.gates, self.environment, applies);
            if self.found.as_ref().is_none_or(|(_, best)| status.rank() < best.rank()) {
                self.found = Some((values, status));
            }
            return;
        };
        if self.form.slots[slot].optional {
            self.cells[slot] = SlotFilling::Empty;
            self.run();
        }
        for class in classes(self.form, slot) {
            if self.done() {
                break;
            }
            if let Some(value) = class.first() {
                self.cells[slot] = SlotFilling::Value(value);
                self.run();
            }
        }
        self.cells[slot] = SlotFilling::Open;
    }

    /// Whether what is filled and left out is wrong, whatever becomes of the rest.
    fn is_broken(&self) -> bool {
        let slots = self.form.slots;
        for (index, slot) in slots.iter().enumerate() {
            match self.cells[index] {
                SlotFilling::Empty if slot.after_operand == 0 => {
                    let group = |(i, s): (usize, &ptx_isa::tables::ModifierSlot)| {
                        s.group == slot.group && matches!(self.cells[i], SlotFilling::Value(_))
                    };
                    if !slot.optional || (slot.group != 0 && slots.iter().enumerate().any(group)) {
                        return true;
                    }
                }
                SlotFilling::Value(value)
                    if !slot.is_type && self.cells[..index].contains(&SlotFilling::Value(value)) =>
                {
                    return true;
                }
                _ => {}
            }
        }
        let filling = |slot: usize| self.cells.get(slot).copied().unwrap_or(SlotFilling::Empty);
        self.form.rules.iter().any(|rule| broken_so_far(rule, &filling, None))
    }
}

/// Modifiers that may follow an operand: `[a].unified`.
pub fn suffixes(opcode: &'static Opcode, head: &[&str], operand: usize, environment: &Environment) -> Vec<Offer> {
    let mut out: Vec<Offer> = Vec::new();
    let Some(resolved) = semantics::mnemonic(opcode, head) else { return out };
    for candidate in &resolved.candidates {
        for (index, slot) in candidate.form.slots.iter().enumerate() {
            // The number of the operand as it is written depends on which optional ones are there.
            let here = candidate.variants.iter().any(|a| {
                a.operands
                    .get(operand)
                    .is_some_and(|(place, _)| usize::from(slot.after_operand) == usize::from(*place) + 1)
            });
            if !here {
                continue;
            }
            for value in slot.values {
                let mut values = candidate.values.clone();
                values[index] = Some(value);
                if candidate.form.rules.iter().any(|r| ptx_analysis::mnemonic::broken(r, &values, None)) {
                    continue;
                }
                let applies = |g: &Gate| ptx_analysis::mnemonic::holds(g.when, &values, None) == Some(true);
                let status = TargetSupport::when(candidate.form.gates, environment, applies);
                if !out.iter().any(|o| o.value == *value) {
                    out.push(Offer {
                        value,
                        status,
                        canonical: true,
                        slot: index,
                        ends: false,
                        entry: candidate.entry,
                    });
                }
            }
        }
    }
    out
}

/// A gate in a few words: `needs PTX 7.8 and sm_90`.
pub fn words(gate: &Gate) -> String {
    let needs = ptx_analysis::target::describe_needs(gate);
    match gate.kind {
        GateKind::Needs => format!("needs {needs}"),
        GateKind::Until => format!("removed from {needs} on"),
        GateKind::Deprecated => format!("deprecated from {needs} on"),
    }
}

/// The modifiers of a head that some form of the opcode knows: what is misspelt tells nothing of the others.
pub fn known<'m>(opcode: &'static Opcode, modifiers: &[&'m str]) -> Vec<&'m str> {
    let mut out: Vec<&str> = Vec::new();
    for modifier in modifiers {
        let takes = |s: &ptx_isa::tables::ModifierSlot| s.after_operand == 0 && s.values.contains(modifier);
        let known = opcode.entries.iter().flat_map(|e| e.forms).flat_map(|f| f.slots).any(takes)
            || opcode.entries.iter().any(|e| e.path.contains(modifier));
        let repeated = out.contains(modifier) && ISA.modifier(modifier).is_some_and(|m| m.repeats);
        if known && !repeated {
            out.push(modifier);
        }
    }
    out
}
