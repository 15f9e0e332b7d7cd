//! `%` in the text of an `asm` statement, by the rules that nvcc 13.5 was observed to follow.

use super::common::{OperandFacts, is_glued, variable_name};
use crate::literal::HOLE;
use crate::map::{Decoded, SegmentKind};
use crate::model::{HostEdit, HostFix, Kind, Operand, Problem, ProblemKind};
use crate::raw::{Raw, RawOperand};
use std::ops::Range;

pub(super) struct Substitution<'a> {
    pub raw: &'a Raw,
    pub source: &'a str,
    pub template: &'a Decoded,
    pub operands: &'a [Operand],
    pub facts: &'a mut [OperandFacts],
    /// Whether `operands` are all operands.
    pub complete: bool,
    pub number: usize,
    pub out: Decoded,
    pub opaque: Vec<Range<usize>>,
    pub problems: &'a mut Vec<Problem>,
}

impl Substitution<'_> {
    /// Writes the text. Linear in its length.
    pub fn run(&mut self) {
        let template = self.template;
        let text = template.text.as_str();
        let bytes = text.as_bytes();
        let verbatim = self.operands.is_empty() && self.complete;
        let mut cursor = 0;
        let mut at = 0;
        loop {
            let percent = memchr::memchr(b'%', &bytes[at..]).map_or(bytes.len(), |i| at + i);
            self.out.copy(template, at..percent, &mut cursor);
            at = percent;
            if at == bytes.len() {
                break;
            }
            at = if verbatim { self.verbatim(at) } else { self.percent(at) };
            if verbatim {
                self.out.copy(template, percent..at, &mut cursor);
            }
        }
        let holes = self.out.map.segments().iter().filter(|s| s.kind == SegmentKind::Hole);
        self.opaque = holes.map(|s| s.ptx.clone()).collect();
    }

    /// A `%` of a statement without operands, where nvcc copies the text. Returns the offset after it.
    fn verbatim(&mut self, at: usize) -> usize {
        let after = self.template.text.as_bytes().get(at + 1);
        match after {
            Some(b'%') => {
                let fix = self.replacement("Write one `%`", at..at + 2, "%");
                let message = "the statement has no operands, so nvcc passes `%%` on to ptxas; write one `%`";
                self.report(ProblemKind::Percent, at..at + 2, message.to_owned(), fix);
                at + 2
            }
            Some(b'=') => {
                let message = "the statement has no operands, so nvcc passes `%=` on to ptxas instead of a number";
                self.report(ProblemKind::Percent, at..at + 2, message.to_owned(), Vec::new());
                at + 2
            }
            Some(b'l') if self.raw.goto && digits(&self.template.text, at + 2) > at + 2 => {
                let end = digits(&self.template.text, at + 2);
                self.label_of_goto(at..end);
                end
            }
            Some(b) if b.is_ascii_digit() => {
                let end = digits(&self.template.text, at + 1);
                let name = self.template.text[at..end].to_owned();
                self.report(
                    ProblemKind::OperandIndex,
                    at..end,
                    format!("`{name}` names an operand, but the statement has none"),
                    Vec::new(),
                );
                end
            }
            _ => at + 1,
        }
    }

    /// A `%` of a statement with operands. Returns the offset after what it stands for.
    fn percent(&mut self, at: usize) -> usize {
        let template = self.template;
        let text = template.text.as_str();
        let bytes = text.as_bytes();
        match bytes.get(at + 1) {
            Some(b'%') => {
                self.out.replace(template, at..at + 2, "%", SegmentKind::Escape);
                at + 2
            }
            Some(b'=') => {
                let number = (self.number + 1).to_string();
                self.out.replace(template, at..at + 2, &number, SegmentKind::Escape);
                at + 2
            }
            Some(b'0'..=b'9') => {
                let end = digits(text, at + 1);
                self.operand(at..end);
                end
            }
            Some(b'[') => {
                let end = memchr::memchr(b']', &bytes[at..(at + 200).min(bytes.len())]).map_or(at + 2, |i| at + i + 1);
                let message = "nvcc does not know operands by name; write `%` with the operand's index".to_owned();
                let fix = self.named(text.get(at + 2..end - 1).unwrap_or_default(), at..end);
                self.report(ProblemKind::OperandName, at..end, message, fix);
                self.hole(at..end);
                end
            }
            None => {
                let message = "nvcc stops with an internal error at a `%` that ends the text; write `%%` or remove it";
                self.report(ProblemKind::Percent, at..at + 1, message.to_owned(), Vec::new());
                self.copy(at..at + 1);
                at + 1
            }
            Some(b' ') => {
                self.out.replace(template, at..at + 2, "", SegmentKind::Glue);
                at + 2
            }
            Some(b) if b.is_ascii_alphabetic() && bytes.get(at + 2).is_some_and(u8::is_ascii_digit) => {
                let end = digits(text, at + 2);
                let name = &text[at..end];
                let message = format!(
                    "nvcc reads `{name}` as an operand with a modifier and refuses it; write `%{name}` for a register"
                );
                let mut fix = self.replacement(&format!("Write `%{name}`"), at..at + 1, "%%");
                // `%l0` of `asm goto` is meant as a label, not as a register.
                fix.retain(|_| !self.raw.goto);
                self.report(ProblemKind::OperandModifier, at..end, message, fix);
                self.hole(at..end);
                end
            }
            Some(b) => {
                if (b.is_ascii_alphabetic() || *b == b'_') && !text[at + 1..].starts_with(HOLE) {
                    let end =
                        at + 1 + text[at + 1..].bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                    let name = &text[at..end];
                    let message =
                        format!("`{name}` beside operands is portable only as `%{name}`; nvcc passes it on as it is");
                    let fix = self.replacement(&format!("Write `%{name}`"), at..at + 1, "%%");
                    self.report(ProblemKind::UnescapedName, at..end, message, fix);
                }
                self.copy(at..at + 1);
                at + 1
            }
        }
    }

    /// `%3`
    fn operand(&mut self, range: Range<usize>) {
        let template = self.template;
        let text = template.text.as_str();
        let name = &text[range.clone()];
        let index = name[1..].parse::<usize>().unwrap_or(usize::MAX);
        let Some(operand) = self.operands.get(index) else {
            if self.complete {
                let count = self.operands.len();
                let message = match count {
                    1 => format!("`{name}` does not exist: the statement has 1 operand, `%0`"),
                    _ => {
                        format!("`{name}` does not exist: the statement has {count} operands, `%0` to `%{}`", count - 1)
                    }
                };
                self.report(ProblemKind::OperandIndex, range.clone(), message, Vec::new());
            }
            self.hole(range);
            return;
        };
        self.facts[index].used = true;
        let glued = is_glued(text.as_bytes(), &range);
        match (self.facts[index].kind, operand.value) {
            (None, _) => self.hole(range),
            (Some(Kind::Constant), Some(value)) if glued => {
                self.out.replace(template, range, &value.to_string(), SegmentKind::Escape);
            }
            (Some(_), _) if glued => self.hole(range),
            // The name in PTX is the same unless the group has several statements.
            (Some(_), _) if self.number == 0 => self.copy(range),
            (Some(_), _) => {
                let name = variable_name(self.number, index);
                self.out.replace(template, range, &name, SegmentKind::Escape);
            }
        }
    }

    /// `%l0` of `asm goto`.
    fn label_of_goto(&mut self, range: Range<usize>) {
        let name = &self.template.text[range.clone()];
        let message = format!(
            "nvcc passes `{name}` on instead of a label, and ptxas refuses it: a text cannot branch out of its statement"
        );
        self.report(ProblemKind::OperandModifier, range, message, Vec::new());
    }

    fn hole(&mut self, range: Range<usize>) {
        self.out.replace(self.template, range, HOLE, SegmentKind::Hole);
    }

    /// Copies a range as it stands.
    fn copy(&mut self, range: Range<usize>) {
        let mut cursor = self.template.map.segments().partition_point(|s| s.ptx.end < range.start);
        self.out.copy(self.template, range, &mut cursor);
    }

    /// The fix of `%[name]`: the operand's index.
    fn named(&self, name: &str, range: Range<usize>) -> Vec<HostFix> {
        let is_it = |operand: &RawOperand| match operand {
            RawOperand::Written { name: Some(n), .. } => self.source.get(n.clone()) == Some(name),
            _ => false,
        };
        let index = self.raw.operands.iter().position(is_it).filter(|i| *i < self.operands.len());
        let Some(index) = index else { return Vec::new() };
        self.replacement(&format!("Write `%{index}`"), range, &format!("%{index}"))
    }

    /// A fix that replaces a range of the text, where a literal of the statement holds it.
    fn replacement(&self, title: &str, range: Range<usize>, text: &str) -> Vec<HostFix> {
        let segments = self.template.map.segments();
        let first = segments.partition_point(|s| s.ptx.end <= range.start);
        let mut touched = segments[first..].iter().take_while(|s| s.ptx.start < range.end);
        if touched.any(|s| s.kind != SegmentKind::Verbatim) {
            return Vec::new();
        }
        match self.template.map.to_host(range).as_slice() {
            [span] => {
                let edits = vec![HostEdit { span: span.clone(), text: text.to_owned() }];
                vec![HostFix { title: title.to_owned(), edits }]
            }
            _ => Vec::new(),
        }
    }

    fn report(&mut self, kind: ProblemKind, range: Range<usize>, message: String, fixes: Vec<HostFix>) {
        let Some(span) = self.template.map.to_host(range).into_iter().next() else { return };
        self.problems.push(Problem { kind, span, message, fixes });
    }
}

/// The offset after digits.
fn digits(text: &str, at: usize) -> usize {
    at + text.as_bytes()[at..].iter().take_while(|b| b.is_ascii_digit()).count()
}
