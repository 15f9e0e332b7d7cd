//! The modifiers that can still lead to a legal form, and whether the module's version and target support such a form.
//!
//! A form has few slots but many values. Values that no rule and no gate distinguishes form one *class*, and one value per
//! class is tried. This leaves a handful of combinations. The search skips partial combinations that already break a rule.

use ptx_analysis::assembly::unbuilt_so_far;
use ptx_analysis::mnemonic::{self, broken_so_far};
use ptx_analysis::{Environment, Filling};
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Form, Gate, GateKind, Opcode, Term, Unbuilt};

use std::collections::HashMap;
use std::sync::LazyLock;

/// The state of a slot; values are those of the tables.
type SlotFilling = Filling<'static>;

/// Whether the module's version and target support something that is otherwise legal. The best status comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetSupport {
    /// Supported.
    Available,
    /// Supported but deprecated.
    Deprecated(&'static Gate),
    /// Not supported.
    Lacking(&'static Gate),
    /// The assembler parses it and does not build it, whatever follows. It is offered only where what is written leads to
    /// nothing else.
    Unbuilt(&'static Unbuilt),
}

impl TargetSupport {
    /// The rank for sorting: a smaller rank is better.
    pub fn rank(self) -> u8 {
        match self {
            Self::Available => 0,
            Self::Deprecated(_) => 1,
            Self::Lacking(_) => 2,
            Self::Unbuilt(_) => 3,
        }
    }

    /// The status that follows from a list of gates whose conditions are ignored.
    pub fn of(gates: &'static [Gate], environment: &Environment) -> Self {
        Self::when(gates, environment, |_| true)
    }

    /// The status of a form with these values in its slots, for operands that the module supports.
    pub fn of_values(form: &'static Form, values: &[Option<&'static str>], environment: &Environment) -> Self {
        let filling = |slot: usize| values.get(slot).copied().flatten().map_or(SlotFilling::Empty, SlotFilling::Value);
        match unbuilt_so_far(form, &filling, environment) {
            Some(unbuilt) => Self::Unbuilt(unbuilt),
            None => Self::when(form.gates, environment, |g| mnemonic::holds(g.when, values, None) == Some(true)),
        }
    }

    fn when(gates: &'static [Gate], environment: &Environment, applies: impl Fn(&Gate) -> bool) -> Self {
        match (environment.refused(gates, &applies), environment.deprecated(gates, &applies)) {
            (Some(gate), _) => Self::Lacking(gate),
            (None, Some(gate)) => Self::Deprecated(gate),
            (None, None) => Self::Available,
        }
    }
}

/// A modifier that is legal as the next one.
#[derive(Debug, Clone, Copy)]
pub struct Offer {
    /// The modifier, with its dot.
    pub value: &'static str,
    /// Status of the best form that it leads to.
    pub status: TargetSupport,
    /// The modifier is at its canonical position in that form.
    pub canonical: bool,
    /// Index of its slot in that form.
    pub slot: usize,
    /// The modifier is a type.
    pub ends: bool,
    /// The instruction to which that form belongs.
    pub entry: &'static Entry,
}

/// Limits that no form reaches: ways to assign modifiers to the slots of a form, and steps of one search.
const MAX_WAYS: usize = 32;
const MAX_STEPS: usize = 20_000;

/// Modifiers on both sides of the cursor.
#[derive(Debug, Clone, Copy)]
struct WrittenModifiers<'m> {
    before: &'m [&'m str],
    after: &'m [&'m str],
}

/// The modifiers that are legal between those before the cursor and those after it, best first. Those that the assembler does not
/// build are left out, unless no other leads from what is written to an instruction.
pub fn next(opcode: &'static Opcode, before: &[&str], after: &[&str], environment: &Environment) -> Vec<Offer> {
    let written = WrittenModifiers { before, after };
    let built = offers(opcode, written, environment, CombinationScope::Built);
    if built.is_empty() { offers(opcode, written, environment, CombinationScope::Parsed) } else { built }
}

/// The best form that begins with these modifiers; `None` if the assembler builds none.
pub fn leading(opcode: &'static Opcode, modifiers: &[&str], environment: &Environment) -> Option<Offer> {
    let (value, before) = modifiers.split_last()?;
    let mut best: Option<Offer> = None;
    for entry in opcode.entries {
        for form in entry.forms.iter().filter(|form| !form.tolerated) {
            let search = CombinationSearch::new(form, environment, CombinationScope::Built);
            let Some(offer) = of_value(entry, before, value, search) else { continue };
            if offer.status == TargetSupport::Available {
                return Some(offer);
            }
            if best.is_none_or(|best| offer.status.rank() < best.status.rank()) {
                best = Some(offer);
            }
        }
    }
    best
}

/// The status of a form with one more modifier, where that stands in the order of the form.
fn of_value(entry: &'static Entry, before: &[&str], value: &str, search: CombinationSearch<'_>) -> Option<Offer> {
    let form = search.form;
    let takes = |m: &&str| form.slots.iter().any(|s| s.after_operand == 0 && s.values.contains(m));
    if !takes(&value) || !before.iter().all(takes) {
        return None;
    }
    let mut ways = Vec::new();
    fit(form, before, &mut Vec::new(), &mut ways);
    for way in &ways {
        for (index, slot) in form.slots.iter().enumerate() {
            let value = slot.documented().find(|v| *v == value).filter(|_| slot.after_operand == 0);
            let canonical = way.iter().all(|s| *s < index);
            let Some(value) = value.filter(|_| canonical && may_stand(form, index, way, &[])) else { continue };
            let mut search = search.clone();
            search.fill(before, way);
            search.close(index, way, &[]);
            if let Some(status) = search.best(index, value) {
                return Some(Offer { value, status, canonical, slot: index, ends: slot.is_type, entry });
            }
        }
    }
    None
}

fn offers(
    opcode: &'static Opcode,
    written: WrittenModifiers<'_>,
    environment: &Environment,
    scope: CombinationScope,
) -> Vec<Offer> {
    let before = written.before;
    let mut out: Vec<Offer> = Vec::new();
    for entry in opcode.entries {
        for form in entry.forms.iter().filter(|form| !form.tolerated) {
            of_entry(entry, written, CombinationSearch::new(form, environment, scope), &mut out);
        }
        // The tables have only the name of an unchecked instruction, so the next word of the name is offered.
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
    // Types come last in nearly every form, while slot indices are not comparable between forms of different lengths.
    out.sort_by_key(|o| (o.status.rank(), !o.canonical, o.ends, o.slot));
    out
}

/// Enters into `out` the modifiers that `search` finds in its form.
fn of_entry(
    entry: &'static Entry,
    WrittenModifiers { before, after }: WrittenModifiers<'_>,
    search: CombinationSearch<'_>,
    out: &mut Vec<Offer>,
) {
    let form = search.form;
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
            let mut search = search.clone();
            search.fill(&written, way);
            search.close(index, first, last);
            let canonical = first.iter().all(|s| *s < index) && last.iter().all(|s| *s > index);
            for class in classes(form, index) {
                let Some(&value) = class.first() else { continue };
                // No search is needed if it could only repeat an offer of the same or a better rank.
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

/// The values of a form's slots with no optional modifier, and their status. Of all such combinations, this is one with the
/// best status. `None` if the assembler builds no combination.
pub fn shortest(form: &'static Form, environment: &Environment) -> Option<(Vec<Option<&'static str>>, TargetSupport)> {
    let mut search = CombinationSearch::new(form, environment, CombinationScope::Built);
    search.run();
    search.found.take()
}

/// The status of a form; `None` if no combination is legal and built. A search is necessary only if conditions decide about that.
fn of_form(form: &'static Form, environment: &Environment) -> Option<TargetSupport> {
    let always = TargetSupport::when(form.gates, environment, |g| g.when.is_empty());
    let is_simple = form.gates.iter().all(|g| g.when.is_empty()) && form.unbuilt.is_empty();
    if matches!(always, TargetSupport::Lacking(_)) || is_simple {
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

/// The status of an instruction of an opcode. The tables have only the name of an unchecked instruction and no gates. It
/// gets the best status of the opcode's checked instructions.
pub fn instruction(opcode: &'static Opcode, own: &'static Entry, environment: &Environment) -> TargetSupport {
    if own.checked {
        return entry(own, environment);
    }
    let checked = opcode.entries.iter().filter(|e| e.checked).map(|e| entry(e, environment));
    checked.min_by_key(|s| s.rank()).unwrap_or(TargetSupport::Available)
}

/// The status of the best form that fits some modifiers. If no form fits because the mnemonic is incomplete, this is the
/// best status of the opcode.
pub fn of_head(opcode: &'static Opcode, modifiers: &[&str], environment: &Environment) -> TargetSupport {
    let resolved = mnemonic::resolve(opcode, modifiers).filter(|h| h.mismatch.is_none());
    let candidates = resolved
        .iter()
        .flat_map(|h| &h.candidates)
        .map(|candidate| TargetSupport::of_values(candidate.form, &candidate.values, environment));
    let whole = candidates.min_by_key(|s| s.rank());
    let entries = opcode.entries.iter().map(|e| instruction(opcode, e, environment));
    whole.or_else(|| entries.min_by_key(|s| s.rank())).unwrap_or(TargetSupport::Available)
}

/// Enters into `out` all ways to assign written modifiers to the slots of a form, each as one slot index per modifier.
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
            if out.len() >= MAX_WAYS {
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

/// Whether the filled slots that must come first are right after the opcode.
fn firsts_lead(form: &Form, filled: &[usize]) -> bool {
    let places = form.first.iter().filter_map(|slot| filled.iter().position(|f| *f == usize::from(*slot)));
    places.enumerate().all(|(wanted, place)| wanted == place)
}

/// Whether the order of modifiers allows a slot between others.
fn may_stand(form: &Form, slot: usize, before: &[usize], after: &[usize]) -> bool {
    let filled: Vec<usize> = before.iter().copied().chain([slot]).chain(after.iter().copied()).collect();
    before.iter().all(|b| in_order(form, *b, slot))
        && after.iter().all(|a| in_order(form, slot, *a))
        && firsts_lead(form, &filled)
}

/// Values of a slot that no rule and no gate distinguishes.
type SlotValueClass = Vec<&'static str>;

/// The classes for each slot of each form; the key is the address of the form.
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
    // What the assembler only tolerates is not offered.
    for value in form.slots[slot].documented() {
        // A value that another slot has too is in a class of its own, because the same value must not fill both slots.
        let others = || form.slots.iter().enumerate().filter(|(i, _)| *i != slot);
        let shared = !form.slots[slot].is_type && others().any(|(_, s)| s.values.contains(&value));
        let mark: Vec<bool> = tests.iter().map(|t| t.contains(&value)).collect();
        match out.iter_mut().find(|(m, _)| *m == mark && !shared) {
            Some((_, class)) => class.push(value),
            None => out.push((mark, vec![value])),
        }
    }
    out.into_iter().map(|(_, class)| class).collect()
}

/// The sets of values that rules, gates and the assembler distinguish in a slot.
fn tests(form: &'static Form, slot: usize) -> Vec<&'static [&'static str]> {
    let rules = form.rules.iter().flat_map(|r| r.what.iter().chain(r.when));
    let gates = form.gates.iter().flat_map(|g| g.when).chain(form.unbuilt.iter().flat_map(|u| u.when));
    let of = |term: &'static Term| match term {
        Term::Slot(test) if usize::from(test.slot) == slot && !test.values.is_empty() => Some(test.values),
        _ => None,
    };
    rules.chain(gates).filter_map(of).collect()
}

/// Which combinations of modifiers a search considers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CombinationScope {
    /// Those that the assembler builds, as far as the modifiers decide about that.
    Built,
    /// All that it parses.
    Parsed,
}

/// A search through the combinations of a form's modifiers.
#[derive(Clone)]
struct CombinationSearch<'e> {
    form: &'static Form,
    environment: &'e Environment,
    scope: CombinationScope,
    cells: Vec<SlotFilling>,
    /// Best possible rank, from the gates without conditions. The search stops when it finds this rank.
    least: u8,
    steps: usize,
    found: Option<(Vec<Option<&'static str>>, TargetSupport)>,
}

impl<'e> CombinationSearch<'e> {
    fn new(form: &'static Form, environment: &'e Environment, scope: CombinationScope) -> Self {
        let least = TargetSupport::when(form.gates, environment, |g| g.when.is_empty()).rank();
        // A modifier after an operand is not part of the mnemonic.
        let cell = |slot: &ptx_isa::tables::ModifierSlot| {
            if slot.after_operand == 0 { SlotFilling::Open } else { SlotFilling::Empty }
        };
        let cells = form.slots.iter().map(cell).collect();
        Self { form, environment, scope, cells, least, steps: 0, found: None }
    }

    fn fill(&mut self, written: &[&str], way: &[usize]) {
        for (modifier, slot) in written.iter().zip(way) {
            let value = self.form.slots[*slot].values.iter().find(|v| *v == modifier);
            if let Some(value) = value {
                self.cells[*slot] = SlotFilling::Value(value);
            }
        }
    }

    /// Closes the open slots that are not allowed after the modifier of `slot` any more.
    fn close(&mut self, slot: usize, before: &[usize], after: &[usize]) {
        let before: Vec<usize> = before.iter().copied().chain([slot]).collect();
        for index in 0..self.cells.len() {
            if self.cells[index] == SlotFilling::Open && index != slot && !may_stand(self.form, index, &before, after) {
                self.cells[index] = SlotFilling::Empty;
            }
        }
    }

    /// The best status among the combinations in which `slot` has the given value.
    fn best(&mut self, slot: usize, value: &'static str) -> Option<TargetSupport> {
        let cells = self.cells.clone();
        self.cells[slot] = SlotFilling::Value(value);
        self.steps = 0;
        self.found = None;
        self.run();
        self.cells = cells;
        self.found.take().map(|(_, status)| status)
    }

    /// Whether the search can stop: it has found the best possible rank or has reached the step limit.
    fn done(&self) -> bool {
        self.steps > MAX_STEPS || self.found.as_ref().is_some_and(|(_, status)| status.rank() <= self.least)
    }

    fn run(&mut self) {
        self.steps += 1;
        if self.done() || self.is_broken() {
            return;
        }
        let Some(slot) = self.cells.iter().position(|c| *c == SlotFilling::Open) else {
            let values: Vec<Option<&'static str>> =
                self.cells.iter().map(|c| if let SlotFilling::Value(v) = c { Some(*v) } else { None }).collect();
            let status = TargetSupport::of_values(self.form, &values, self.environment);
            if self.found.as_ref().is_none_or(|(_, best)| status.rank() < best.rank()) {
                self.found = Some((values, status));
            }
            return;
        };
        if self.form.slots[slot].optional && !self.form.slots[slot].expected {
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

    /// Whether the filled and the empty slots break a rule, or are not built, for all values of the open slots.
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
        let is_unbuilt = || unbuilt_so_far(self.form, &filling, self.environment).is_some();
        self.form.rules.iter().any(|rule| broken_so_far(rule, &filling, None))
            || self.scope == CombinationScope::Built && is_unbuilt()
    }
}

/// The modifiers that are legal after an operand: `[a].unified`.
pub fn suffixes(opcode: &'static Opcode, head: &[&str], operand: usize, environment: &Environment) -> Vec<Offer> {
    let mut out: Vec<Offer> = Vec::new();
    let Some(resolved) = mnemonic::resolve(opcode, head) else { return out };
    for candidate in &resolved.candidates {
        for (index, slot) in candidate.form.slots.iter().enumerate() {
            // The position of an operand in the source depends on which optional operands are present.
            let here = candidate.variants.iter().any(|a| {
                a.operands
                    .get(operand)
                    .is_some_and(|(place, _)| usize::from(slot.after_operand) == usize::from(*place) + 1)
            });
            if !here {
                continue;
            }
            for value in slot.documented() {
                let mut values = candidate.values.clone();
                values[index] = Some(value);
                let filling =
                    |slot: usize| values.get(slot).copied().flatten().map_or(SlotFilling::Empty, SlotFilling::Value);
                if candidate.form.rules.iter().any(|r| broken_so_far(r, &filling, None)) {
                    continue;
                }
                let status = TargetSupport::of_values(candidate.form, &values, environment);
                if !out.iter().any(|o| o.value == value) {
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

/// A gate as a short text: `needs PTX 7.8 and sm_90`.
pub fn words(gate: &Gate) -> String {
    let needs = ptx_analysis::target::describe_needs(gate);
    match gate.kind {
        GateKind::Needs => format!("needs {needs}"),
        GateKind::Until if crate::describe::of_options(gate) => format!("not with {needs}"),
        GateKind::Until => format!("removed from {needs} on"),
        GateKind::Deprecated => format!("deprecated from {needs} on"),
    }
}

/// The modifiers that some form of the opcode has. Misspelt modifiers are dropped, since they do not restrict the others.
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
