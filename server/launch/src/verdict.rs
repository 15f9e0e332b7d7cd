//! Evaluation of expectations after a run.

use ptx_gate::words::visible;
use ptx_interp::findings::{Fault, FaultKind};
use ptx_interp::inspect::{BufferSnapshot, PlacedBuffer};
use ptx_interp::machine::{Machine, RunStatus};
use ptx_launch_syntax::{
    Condition, ElementSelection, Expectation, ExpectationSubject, ExpectedElements, Fill, Tolerance,
};
use ptx_num::notation::{ElementFormat, ElementKind, Number};
use ptx_num::values::Marks;
use std::collections::HashMap;

/// The result of an expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectationVerdict {
    /// The expectation as written.
    pub name: String,
    /// The expectation holds.
    pub ok: bool,
    /// If it does not hold: the expected and the actual value, and the number of differences.
    pub message: Option<String>,
    /// The combined marks of the values that it compares.
    pub marks: Marks,
}

/// Evaluates expectations against the machine after a run. Findings that no expectation names are not included: see [`unexpected`].
pub fn verdicts(
    expectations: &[Expectation],
    machine: &Machine,
    buffers: &[PlacedBuffer],
    status: RunStatus,
) -> Vec<ExpectationVerdict> {
    let mut after = RunResult { machine, buffers, snapshots: HashMap::new(), marks: Marks::NONE };
    let one = |expectation: &Expectation| {
        after.marks = Marks::NONE;
        let message = match &expectation.subject {
            ExpectationSubject::Memory(condition) => after.memory(condition).err(),
            ExpectationSubject::Fault(word) => {
                let found = machine.findings.faults.iter().any(|f| f.kind.name() == &*word.text);
                (!found).then(|| format!("`{}` was not found", word.text))
            }
            ExpectationSubject::Status(word) => (status.name() != &*word.text)
                .then(|| format!("the run ended as `{}`, not `{}`", status.name(), word.text)),
            ExpectationSubject::Printed(text) => {
                let printed = String::from_utf8_lossy(&machine.printed);
                (*printed != **text).then(|| format!("it printed {printed:?}, not {text:?}"))
            }
        };
        let (name, ok) = (visible(&expectation.to_string()).into_owned(), message.is_none());
        let message = message.map(|message| visible(&message).into_owned());
        ExpectationVerdict { name, ok, message, marks: after.marks }
    };
    expectations.iter().map(one).collect()
}

/// The findings of a run that no expectation names.
pub fn unexpected<'f>(expectations: &[Expectation], faults: &'f [Fault]) -> Vec<&'f Fault> {
    let named = |fault: &&Fault| {
        expectations.iter().any(|e| match &e.subject {
            ExpectationSubject::Fault(word) => fault.kind.name() == &*word.text,
            ExpectationSubject::Status(word) => {
                fault.kind == FaultKind::Deadlock && RunStatus::Deadlock.name() == &*word.text
            }
            _ => false,
        })
    };
    faults.iter().filter(|f| !named(f)).collect()
}

/// Whether an expectation requires that the run does not finish normally.
pub fn is_end(expectation: &Expectation) -> bool {
    match &expectation.subject {
        ExpectationSubject::Fault(word) => FaultKind::named(&word.text).is_some_and(FaultKind::is_fatal),
        ExpectationSubject::Status(word) => RunStatus::Finished.name() != &*word.text,
        ExpectationSubject::Memory(_) | ExpectationSubject::Printed(_) => false,
    }
}

/// Maximum number of differences listed individually.
const MAX_DIFFERENCES: usize = 4;

/// The state after a run, with snapshots of the buffers that are compared.
struct RunResult<'a> {
    machine: &'a Machine,
    buffers: &'a [PlacedBuffer],
    snapshots: HashMap<Box<str>, BufferSnapshot>,
    /// The combined marks of the values that the current expectation has compared.
    marks: Marks,
}

impl RunResult<'_> {
    fn find(&mut self, name: &str) -> Result<PlacedBuffer, String> {
        let placed = self.buffers.iter().find(|b| &*b.name == name);
        let placed = placed.ok_or_else(|| format!("there is no buffer `{name}` in this run"))?;
        if !self.snapshots.contains_key(name) {
            self.snapshots.insert(name.into(), placed.snapshot(self.machine));
        }
        Ok(placed.clone())
    }

    fn memory(&mut self, condition: &Condition) -> Result<(), String> {
        let name = condition.offset.map_or_else(|| condition.name.to_string(), |at| format!("{}+{at}", condition.name));
        let placed = self.find(&name)?;
        let element = condition.element.unwrap_or(placed.element);
        let count = element.count(placed.bytes);
        let (from, to) = match (condition.part, &condition.expected) {
            (ElementSelection::At(index), _) => (index, index.saturating_add(1)),
            (ElementSelection::Range(from, to), _) => (from, to),
            (ElementSelection::All, ExpectedElements::List(all)) => (0, all.len() as u64),
            (ElementSelection::All, _) => (0, count),
        };
        if to > count {
            return Err(format!("it lies past the end: the buffer has {count} elements"));
        }
        if let ExpectedElements::Like(other, _) = &condition.expected {
            let like = self.find(other)?;
            if like.element.bits() != element.bits() {
                return Err(format!("the elements of `{other}` have a different size"));
            }
        }
        let nothing = BufferSnapshot::empty();
        let snapshot = self.snapshots.get(name.as_str()).unwrap_or(&nothing);
        let like = match &condition.expected {
            ExpectedElements::Like(other, _) => self.snapshots.get(other),
            _ => None,
        };
        let mut differences = Vec::new();
        let mut wrong = 0u64;
        let mut marks = Marks::NONE;
        for index in from..to {
            let seen = SeenElement { element, index, snapshot };
            marks |= seen.marks();
            if let (ExpectedElements::Like(_, first), Some(snapshot)) = (&condition.expected, like) {
                marks |= SeenElement { element, index: first + (index - from), snapshot }.marks();
            }
            let words = match &condition.expected {
                ExpectedElements::Value(value) => seen.value(*value, condition.tolerance)?,
                ExpectedElements::List(all) => {
                    let value = usize::try_from(index - from).ok().and_then(|i| all.get(i));
                    value.map_or(Ok(None), |value| seen.value(*value, condition.tolerance))?
                }
                ExpectedElements::Between(low, high) => seen.between(*low, *high),
                ExpectedElements::Fill(Fill::Poison) => seen.poison(),
                ExpectedElements::Fill(Fill::Nan) => seen.value(Number::Float(f64::NAN), condition.tolerance)?,
                ExpectedElements::Fill(fill) => seen.bits(fill.bits(element, index - from), condition.tolerance),
                ExpectedElements::Like(_, first) => {
                    let bits = like.and_then(|l| l.bits(element, first + (index - from)));
                    match bits {
                        Some(bits) => seen.bits(bits, condition.tolerance),
                        None => Some("the other buffer is shorter".to_owned()),
                    }
                }
            };
            if let Some(words) = words {
                wrong += 1;
                if differences.len() < MAX_DIFFERENCES {
                    let one = matches!(condition.part, ElementSelection::At(_)) || count == 1;
                    differences.push(if one { words } else { format!("[{index}] {words}") });
                }
            }
        }
        self.marks = marks;
        if differences.is_empty() {
            return Ok(());
        }
        let all = to - from;
        let more = if wrong > differences.len() as u64 { "; …" } else { "" };
        let counted = if all > 1 { format!("{wrong} of {all} elements differ: ") } else { String::new() };
        Err(format!("{counted}{}{more}", differences.join("; ")))
    }
}

/// An element that is compared.
struct SeenElement<'a> {
    element: ElementFormat,
    index: u64,
    snapshot: &'a BufferSnapshot,
}

impl SeenElement<'_> {
    fn marks(&self) -> Marks {
        self.snapshot.element(self.element, self.index).1
    }

    fn found(&self) -> Option<u128> {
        self.snapshot.element(self.element, self.index).0
    }

    fn poison(&self) -> Option<String> {
        self.found().map(|bits| format!("is {}, but nothing should have written it", self.element.text(bits)))
    }

    fn value(&self, expected: Number, tolerance: Tolerance) -> Result<Option<String>, String> {
        let Some(found) = self.found() else { return Ok(Some(format!("was never written, not {expected}"))) };
        if matches!(expected, Number::Float(value) if value.is_nan()) {
            let words = || format!("is {}, not nan", self.element.text(found));
            return Ok((!self.element.is_nan(found)).then(words));
        }
        match expected.encode(self.element) {
            Ok(bits) => Ok(self.compare(found, bits, Some(expected), tolerance)),
            // The expected number is not a value of the format, but the tolerance may include the actual one.
            Err(_) if !tolerance.is_exact() => {
                let near = self.is_near(self.element.value(found), expected.value(), tolerance);
                Ok((!near).then(|| self.differ(found, &expected.to_string(), tolerance)))
            }
            Err(why) => Err(why),
        }
    }

    fn bits(&self, expected: u128, tolerance: Tolerance) -> Option<String> {
        match self.found() {
            Some(found) => self.compare(found, expected, None, tolerance),
            None => Some(format!("was never written, not {}", self.element.text(expected))),
        }
    }

    fn between(&self, low: Number, high: Number) -> Option<String> {
        let Some(found) = self.found() else { return Some(format!("was never written, not {low}..{high}")) };
        let value = self.element.value(found);
        let inside = low.value() <= value && value <= high.value();
        (!inside).then(|| format!("is {}, not {low}..{high}", self.element.text(found)))
    }

    fn is_near(&self, found: f64, expected: f64, tolerance: Tolerance) -> bool {
        if found == expected {
            return true;
        }
        let distance = (found - expected).abs();
        let within = |limit: Option<f64>| limit.is_some_and(|limit| distance <= limit);
        within(tolerance.absolute) || within(tolerance.relative.map(|r| r * expected.abs()))
    }

    fn compare(&self, found: u128, expected: u128, written: Option<Number>, tolerance: Tolerance) -> Option<String> {
        let element = self.element;
        if found == expected || element.is_nan(found) && element.is_nan(expected) && !tolerance.is_exact() {
            return None;
        }
        let value = written.filter(|n| !matches!(n, Number::Bits(_))).map_or(element.value(expected), Number::value);
        let near = !tolerance.is_exact()
            && (self.is_near(element.value(found), value, tolerance)
                || tolerance.ulps.is_some_and(|most| ulps(element, found, expected).is_some_and(|n| n <= most.into())));
        if near {
            return None;
        }
        let text = written.map_or_else(|| element.text(expected), |number| number.to_string());
        // Values written as bits are displayed as bits. Two NaNs are, too, because they differ only in their bits.
        let as_bits = matches!(written, Some(Number::Bits(_))) || element.is_nan(found) && element.is_nan(expected);
        let width = element.bits() as usize / 4 + 2;
        Some(match as_bits {
            true => format!("is {found:#0width$x}, not {expected:#0width$x}"),
            false => self.differ(found, &text, tolerance),
        })
    }

    fn differ(&self, found: u128, expected: &str, tolerance: Tolerance) -> String {
        let text = self.element.text(found);
        format!("is {text}, not {expected}{tolerance}")
    }
}

/// The distance of two values in units of the last place; `None` for NaN.
fn ulps(element: ElementFormat, a: u128, b: u128) -> Option<u128> {
    let signed = |bits: u128| -> i128 {
        match element.kind() {
            ElementKind::Float(float) if float.is_signed() && element.bits() > 8 || element.name().starts_with('e') => {
                let sign = 1u128 << (element.bits() - 1);
                if bits & sign != 0 { -((bits & !sign) as i128) } else { bits as i128 }
            }
            ElementKind::Integer { signed: true } => element.sign_extended(bits),
            _ => bits as i128,
        }
    };
    let padding = element.padding();
    (!element.is_nan(a) && !element.is_nan(b)).then(|| signed(a).abs_diff(signed(b)) >> padding)
}
