//! The form of a statement with its own modifiers filled in: `fma.rn{.ftz}{.sat}.f32 d, a, b, c`.

use ptx_analysis::{Candidate, OperandVariant};
use ptx_isa::tables::Form;
use std::iter::Peekable;
use std::str::CharIndices;

/// A part of a form's text.
enum FormPiece<'f> {
    /// A modifier slot: its index and its name in the form.
    Slot(usize, &'f str),
    /// An operand.
    Operand(&'f str),
    /// A group in braces.
    Group(Vec<FormPiece<'f>>),
    /// Commas and brackets.
    Text(&'f str),
}

/// The form of an instruction. Modifiers of the instruction replace their slots; empty slots keep their names and braces.
pub fn signature(opcode: &str, candidate: &Candidate, variant: &OperandVariant) -> String {
    let text = candidate.form.text;
    let head = text.get(opcode.len()..).filter(|_| text.starts_with(opcode)).unwrap_or("");
    let mut reader = FormReader { text: head, chars: head.char_indices().peekable(), slots: 0 };
    let mut out = opcode.to_owned();
    show(&reader.pieces(), candidate, variant, &mut out);
    out.push(';');
    out
}

struct FormReader<'f> {
    text: &'f str,
    chars: Peekable<CharIndices<'f>>,
    slots: usize,
}

impl<'f> FormReader<'f> {
    fn pieces(&mut self) -> Vec<FormPiece<'f>> {
        let mut out = Vec::new();
        while let Some((at, c)) = self.chars.next() {
            match c {
                '{' => out.push(FormPiece::Group(self.pieces())),
                '}' => return out,
                '.' => {
                    let name = self.word(at);
                    out.push(FormPiece::Slot(self.slots, name));
                    self.slots += 1;
                }
                c if c.is_ascii_alphabetic() => out.push(FormPiece::Operand(self.word(at))),
                _ => out.push(FormPiece::Text(self.text.get(at..at + c.len_utf8()).unwrap_or(""))),
            }
        }
        out
    }

    /// The word that begins at an offset. The name of a value set after it is skipped.
    fn word(&mut self, start: usize) -> &'f str {
        let rest = self.text.get(start + 1..).unwrap_or("").as_bytes();
        let at = |i: usize| rest.get(i).copied().unwrap_or(b' ');
        let part = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'-';
        let mut length = 0;
        // `::` is part of a word, and so is the colon of `.sp::2:4`. A colon before a letter begins the name of a value
        // set.
        while part(at(length))
            || at(length) == b':'
                && (at(length + 1) == b':' || at(length + 1).is_ascii_digit() || length > 0 && at(length - 1) == b':')
        {
            length += 1;
        }
        let end = length;
        if at(length) == b':' {
            length += 1;
            while part(at(length)) {
                length += 1;
            }
        }
        for _ in 0..length {
            self.chars.next();
        }
        self.text.get(start..=start + end).unwrap_or("")
    }
}

fn is_there(pieces: &[FormPiece<'_>], candidate: &Candidate, variant: &OperandVariant) -> bool {
    pieces.iter().any(|piece| match piece {
        FormPiece::Slot(index, _) => candidate.values.get(*index).is_some_and(Option::is_some),
        FormPiece::Operand(name) => variant.names.contains(name),
        FormPiece::Group(_) | FormPiece::Text(_) => false,
    })
}

/// Whether the manual has none of the parts of a group.
fn is_tolerated(pieces: &[FormPiece<'_>], form: &Form) -> bool {
    let tolerated = |name: &str| form.operands.iter().any(|o| o.tolerated && o.pattern.names().contains(&name));
    pieces.iter().all(|piece| match piece {
        FormPiece::Slot(index, _) => form.slots.get(*index).is_some_and(|slot| !slot.is_documented()),
        FormPiece::Operand(name) => tolerated(name),
        FormPiece::Group(inner) => is_tolerated(inner, form),
        FormPiece::Text(_) => true,
    })
}

fn show(pieces: &[FormPiece<'_>], candidate: &Candidate, variant: &OperandVariant, out: &mut String) {
    for piece in pieces {
        match piece {
            FormPiece::Slot(index, name) => {
                out.push_str(candidate.values.get(*index).copied().flatten().unwrap_or(name));
            }
            FormPiece::Operand(text) | FormPiece::Text(text) => out.push_str(text),
            FormPiece::Group(inner) if is_there(inner, candidate, variant) => {
                show(inner, candidate, variant, out);
            }
            FormPiece::Group(inner) if is_tolerated(inner, candidate.form) => {}
            FormPiece::Group(inner) => {
                out.push('{');
                show(inner, candidate, variant, out);
                out.push('}');
            }
        }
    }
}
