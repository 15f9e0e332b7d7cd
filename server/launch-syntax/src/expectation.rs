//! Parser for `expect:` lines: conditions that must hold after a run.

use super::argument::{element_of, end, read_element, read_fill};
use super::cursor::{Cursor, CursorResult};
use super::fill::{Fill, SPELLINGS};
use super::mistake::LaunchMistake;
use ptx_num::notation::{ElementFormat, Number};
use std::ops::Range;

/// A condition that must hold after a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The condition.
    pub subject: ExpectationSubject,
    /// Byte range in the text; empty if it is not in a text.
    pub range: Range<usize>,
}

/// The condition of an expectation.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpectationSubject {
    /// Memory has these contents.
    Memory(Condition),
    /// The run has a finding of the kind with this name.
    Fault(Word),
    /// The run ends with the status with this name.
    Status(Word),
    /// The kernel prints exactly this text.
    Printed(Box<str>),
}

/// A name of which the language does not know what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The name.
    pub text: Box<str>,
    /// Byte range in the text; empty if it is not in a text.
    pub range: Range<usize>,
}

/// The expected contents of a buffer or a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// A buffer, or a variable of the module.
    pub name: Box<str>,
    /// For the buffer of a parameter part: the byte offset of the part.
    pub offset: Option<u64>,
    /// The format as which the elements are read, if it is not that of the buffer.
    pub element: Option<ElementFormat>,
    /// The elements that are compared.
    pub part: ElementSelection,
    /// The expected contents.
    pub expected: ExpectedElements,
    /// The permitted deviation.
    pub tolerance: Tolerance,
}

/// Which elements of a buffer are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementSelection {
    /// All of them; for a list, as many as it has.
    All,
    /// The element with this index.
    At(u64),
    /// From the first index to the second one, which is excluded.
    Range(u64, u64),
}

/// The expected contents of the selected elements.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpectedElements {
    /// Each element has this value.
    Value(Number),
    /// Each element lies between these values, both included.
    Between(Number, Number),
    /// The elements have these values, in order.
    List(Vec<Number>),
    /// The elements have the values of a fill.
    Fill(Fill),
    /// The elements equal those of another buffer, beginning at an index.
    Like(Box<str>, u64),
}

/// The permitted deviation of a value; meeting one of several suffices. Without any, the bits must be equal.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tolerance {
    /// Maximum absolute difference.
    pub absolute: Option<f64>,
    /// Maximum difference relative to the expected value.
    pub relative: Option<f64>,
    /// Maximum difference in units of the last place.
    pub ulps: Option<u64>,
}

impl Tolerance {
    /// Whether no deviation is permitted.
    pub fn is_exact(&self) -> bool {
        *self == Self::default()
    }
}

/// Parses the expectations of a line; also returns its errors. `base` is the offset of the text in the file.
pub fn expectations(text: &str, base: usize) -> (Vec<Expectation>, Vec<LaunchMistake>) {
    let mut cursor = Cursor::new(text, base);
    let (mut out, mut mistakes): (Vec<Expectation>, _) = (Vec::new(), Vec::new());
    // A tolerance that stands alone applies to the expectations from this index on.
    let mut open = 0;
    loop {
        cursor.spaces();
        if cursor.is_done() {
            return (out, mistakes);
        }
        let mut ahead = cursor.clone();
        let item = ahead.item();
        let start = cursor.offset();
        let result = match tolerance(&mut cursor) {
            Ok(None) => one(&mut cursor).map(|expectation| out.push(expectation)),
            Ok(Some(tolerance)) => {
                let range = cursor.since(start);
                let mut any = false;
                for expectation in out.iter_mut().skip(open) {
                    if let ExpectationSubject::Memory(condition) = &mut expectation.subject
                        && condition.tolerance.is_exact()
                    {
                        condition.tolerance = tolerance;
                        any = true;
                    }
                }
                open = out.len();
                let nothing = "every value before this tolerance already has one, or there is no value";
                if any { Ok(()) } else { Err(LaunchMistake::new(range, nothing)) }
            }
            Err(mistake) => Err(mistake),
        };
        if let Err(mistake) = result.and_then(|()| end(&cursor)) {
            mistakes.push(mistake);
            cursor = if item.is_empty() { Cursor::new("", 0) } else { ahead };
        }
    }
}

/// Parses `±1e-6`, `±0.1%`, `±2ulp`, several of them, or nothing.
fn tolerance(cursor: &mut Cursor<'_>) -> CursorResult<Option<Tolerance>> {
    let mut out = Tolerance::default();
    let mut any = false;
    while ["±", "+/-", "+-"].iter().any(|sign| cursor.eat(sign)) {
        any = true;
        let start = cursor.offset();
        let number = cursor.need_quantity()?;
        let value = number.value();
        let wrong = |cursor: &Cursor<'_>, what: &str| LaunchMistake::new(cursor.since(start), what);
        if !value.is_finite() {
            return Err(wrong(cursor, "the tolerance is too large"));
        }
        if cursor.eat("%") {
            out.relative = Some(value / 100.0);
        } else if cursor.eat("ulps") || cursor.eat("ulp") {
            let count = number.count().ok_or_else(|| {
                wrong(cursor, "the number of units in the last place must be a whole number: `±2ulp`")
            })?;
            out.ulps = Some(count);
        } else {
            out.absolute = Some(value);
        }
    }
    Ok(any.then_some(out))
}

fn one(cursor: &mut Cursor<'_>) -> CursorResult<Expectation> {
    let start = cursor.offset();
    let whole = cursor.here();
    let name = cursor.word();
    if name.is_empty() {
        return Err(cursor.expected("`name[index]=value`").help("such as `out[3]=6.0` or `out=iota`"));
    }
    let plain = cursor.rest().trim_start().starts_with('=');
    let special = match name {
        "fault" | "status" | "printed" if plain => {
            cursor.need("=")?;
            cursor.spaces();
            Some(special(cursor, name)?)
        }
        _ => None,
    };
    let subject = match special {
        Some(subject) => subject,
        None => ExpectationSubject::Memory(condition(cursor, name, whole)?),
    };
    Ok(Expectation { subject, range: cursor.since(start) })
}

fn special(cursor: &mut Cursor<'_>, name: &str) -> CursorResult<ExpectationSubject> {
    if name == "printed" {
        return cursor.quoted().map(|text| ExpectationSubject::Printed(text.into()));
    }
    let start = cursor.offset();
    let text = cursor.take(|c| c.is_alphanumeric() || c == '-').into();
    let word = Word { text, range: cursor.since(start) };
    Ok(if name == "fault" { ExpectationSubject::Fault(word) } else { ExpectationSubject::Status(word) })
}

fn condition(cursor: &mut Cursor<'_>, name: &str, whole: Range<usize>) -> CursorResult<Condition> {
    let offset = if cursor.eat("+") { Some(cursor.product()?) } else { None };
    let element = if cursor.eat(":") { Some(read_element(cursor)?) } else { None };
    let part = if cursor.eat("[") { part(cursor)? } else { ElementSelection::All };
    cursor.spaces();
    if !cursor.eat("=") {
        let found = cursor.found();
        let wrong = LaunchMistake::new(whole, format!("expected `=` and a value after `{name}`, but {found}"));
        return Err(wrong.help("such as `out[3]=6.0`, `out[0..4]=[1, 2, 3, 4]` or `out=iota`"));
    }
    cursor.spaces();
    let at = cursor.offset();
    let expected = expected(cursor, element)?;
    let range = cursor.since(at);
    if let (ElementSelection::Range(from, to), ExpectedElements::List(all)) = (part, &expected)
        && to - from != all.len() as u64
    {
        let words = format!("the range has {} elements, but the list has {}", to - from, all.len());
        return Err(LaunchMistake::new(range, words).help("the end of a range is excluded"));
    }
    if let (ElementSelection::At(_), ExpectedElements::List(_)) = (part, &expected) {
        return Err(
            LaunchMistake::new(range, "one element cannot be equal to a list").help("write a range: `out[0..4]=[…]`")
        );
    }
    let tolerance = tolerance(cursor)?.unwrap_or_default();
    Ok(Condition { name: name.into(), offset, element, part, expected, tolerance })
}

/// Parses `3]` or `0..4]`.
fn part(cursor: &mut Cursor<'_>) -> CursorResult<ElementSelection> {
    let start = cursor.offset();
    let from = cursor.product()?;
    let part = if cursor.eat("..") {
        let to = cursor.product()?;
        if to < from {
            let words = format!("a range must end after its beginning, but {to} is before {from}");
            return Err(LaunchMistake::new(cursor.since(start), words));
        }
        ElementSelection::Range(from, to)
    } else {
        ElementSelection::At(from)
    };
    cursor.need("]")?;
    Ok(part)
}

fn expected(cursor: &mut Cursor<'_>, element: Option<ElementFormat>) -> CursorResult<ExpectedElements> {
    if cursor.eat("[") {
        let item = |c: &mut Cursor<'_>| match element {
            Some(element) => element_of(c, element),
            None => c.need_number(),
        };
        return cursor.items("]", false, item).map(ExpectedElements::List);
    }
    if let Some(low) = cursor.number() {
        return Ok(if cursor.eat("..") {
            ExpectedElements::Between(low, cursor.need_number()?)
        } else {
            ExpectedElements::Value(low)
        });
    }
    let mut ahead = cursor.clone();
    let word = ahead.word();
    if word.is_empty() || SPELLINGS.iter().any(|(name, _)| *name == word) || ahead.rest().starts_with('(') {
        return read_fill(cursor).map(ExpectedElements::Fill);
    }
    *cursor = ahead;
    let from = if cursor.eat("[") {
        match part(cursor)? {
            ElementSelection::At(from) | ElementSelection::Range(from, _) => from,
            ElementSelection::All => 0,
        }
    } else {
        0
    };
    Ok(ExpectedElements::Like(word.into(), from))
}
