//! Makes modules of texts inside another language.

use super::scan::Scan;
use super::{InlineTarget, InlineText};
use std::ops::Range;

/// A kernel, because some directives stand in kernels only.
const PREFIX: &str = ".entry f()\n{\n";

/// A text whose known constants are written out, as the body of a function.
#[derive(Debug)]
pub(super) struct Wrapped {
    /// The function.
    pub text: String,
    places: Places,
}

/// The correspondence of bytes of a function and bytes of the text that is its body.
#[derive(Debug, Default)]
struct Places {
    /// The length of what stands before the text.
    before: usize,
    /// The length of the text.
    length: usize,
    /// The constants that were written out: ranges in the function and in the text, in order.
    written: Vec<(Range<usize>, Range<usize>)>,
}

impl Places {
    /// The byte of the function for one of the text.
    fn in_function(&self, at: usize) -> usize {
        let after = self.written.partition_point(|(_, here)| here.start <= at);
        match after.checked_sub(1).and_then(|index| self.written.get(index)) {
            None => at + self.before,
            Some((there, here)) if at < here.end => there.start,
            Some((there, here)) => there.end + at - here.end,
        }
    }

    /// The byte of the text for one of the function. Inside of a constant: its first byte, or its end.
    fn in_text(&self, at: usize, end: bool) -> usize {
        let after = self.written.partition_point(|(there, _)| there.start < at + usize::from(!end));
        let Some((there, here)) = after.checked_sub(1).and_then(|index| self.written.get(index)) else {
            return at.saturating_sub(self.before).min(self.length);
        };
        if at < there.end || (end && at == there.end) {
            return if end { here.end } else { here.start };
        }
        (here.end + at - there.end).min(self.length)
    }

    /// Whether a byte of the function is one of the text, or right behind it.
    fn is_inside(&self, at: usize) -> bool {
        let end = match self.written.last() {
            Some((there, here)) => there.end + self.length - here.end,
            None => self.before + self.length,
        };
        (self.before..=end).contains(&at)
    }
}

impl Wrapped {
    /// Puts a text into a function whose braces match.
    pub(super) fn new(text: &InlineText<'_>, scan: &Scan) -> Self {
        let mut out = String::with_capacity(text.ptx.len() + 64);
        out.push_str(PREFIX);
        let places = body(text, scan, true, &mut out);
        Self { text: out, places }
    }

    /// The range of the text for one of the function.
    pub(super) fn in_text(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.places.in_text(range.start, false);
        start..self.places.in_text(range.end, true).max(start)
    }

    /// Whether a range is in the text.
    pub(super) fn is_inside(&self, range: &Range<usize>) -> bool {
        self.places.is_inside(range.start) && self.places.is_inside(range.end)
    }
}

/// Appends the text and what closes the function. `hide`: opaque text and misplaced braces become neutral.
fn body(text: &InlineText<'_>, scan: &Scan, hide: bool, out: &mut String) -> Places {
    let before = out.len();
    let mut written = Vec::new();
    let mut copied = 0;
    let copy = |out: &mut String, range: Range<usize>| out.push_str(text.ptx.get(range).unwrap_or(""));
    for (place, index, _) in &scan.constants {
        let Some(value) = text.constants.get(*index).and_then(|c| c.value) else { continue };
        copy(out, copied..place.start);
        let start = out.len();
        out.push_str(&value.to_string());
        written.push((start..out.len(), place.clone()));
        copied = place.end;
    }
    copy(out, copied..text.ptx.len());
    let places = Places { before, length: text.ptx.len(), written };
    if hide {
        let there = |at: usize| places.in_function(at);
        let unknown = |index: usize| text.constants.get(index).is_some_and(|c| c.value.is_none());
        let glued = scan.constants.iter().filter(|(_, index, glued)| *glued && unknown(*index));
        let hidden = text.opaque.iter().chain(glued.map(|(place, ..)| place));
        let mut neutral: Vec<(Range<usize>, &str)> =
            hidden.map(|place| (there(place.start)..there(place.end), "x")).collect();
        neutral.extend(scan.extra.iter().map(|at| (there(*at)..there(*at) + 1, " ")));
        for (range, with) in neutral {
            if out.get(range.clone()).is_some() {
                out.replace_range(range.clone(), &with.repeat(range.len()));
            }
        }
    }
    if scan.missing_semicolon.is_some() {
        out.push_str("\n;");
    }
    out.push('\n');
    out.push_str(&"}".repeat(scan.open.len()));
    out.push_str("}\n");
    places
}

/// A whole module around a text: for hovers, completion and everything else that answers about modules.
#[derive(Debug, Default)]
pub struct InlineModule {
    /// The module.
    pub text: String,
    places: Places,
}

impl InlineModule {
    /// Writes a module for a version and target. Constants of unknown value are left as they are.
    pub fn new(text: &InlineText<'_>, target: InlineTarget) -> Self {
        let scan = super::scan::scan(text);
        let InlineTarget { version, target } = target;
        let mut out = format!(".version {version}\n.target {}\n.address_size 64\n.entry f()\n{{\n", target.name);
        for register in text.registers {
            out.push_str(&format!(".reg {} {};\n", register.ty.name(), register.name));
        }
        let places = body(text, &scan, false, &mut out);
        Self { text: out, places }
    }

    /// The lines that name version, target and address size.
    pub fn header(&self) -> &str {
        let end = self.text.find(".entry").unwrap_or(0);
        self.text.get(..end).unwrap_or("")
    }

    /// The text with its constants written out and its braces closed.
    pub fn statements(&self) -> &str {
        let rest = self.text.get(self.places.before..).unwrap_or("").trim_end();
        rest.strip_suffix('}').unwrap_or(rest)
    }

    /// The byte of the module for one of the text.
    pub fn to_module(&self, at: usize) -> usize {
        self.places.in_function(at)
    }

    /// The range of the text for one of the module; `None` if it is not in the text.
    pub fn to_text(&self, range: &Range<usize>) -> Option<Range<usize>> {
        if !self.places.is_inside(range.start) || !self.places.is_inside(range.end) {
            return None;
        }
        let start = self.places.in_text(range.start, false);
        Some(start..self.places.in_text(range.end, true).max(start))
    }
}
