//! The kind of word that is expected at the cursor, from the tokens of the statement before it.

use super::place::{CompletionPlace, ModulePart};
use super::tokens::{CompletionTokenKind, Tokens};
use ptx_isa::ISA;
use ptx_isa::tables::Opcode;

/// The kind of word that is expected at the cursor.
#[derive(Debug)]
pub enum Where {
    /// The first word of a statement.
    Start,
    /// The predicate of a guard.
    Guard,
    /// An opcode after a guard.
    Opcode,
    /// A modifier of this mnemonic.
    Modifier(MnemonicAtCursor),
    /// An operand of this mnemonic, or a part of one.
    Operand(MnemonicAtCursor),
    /// A word of a directive, a declaration or a header.
    Directive,
    /// Nothing that completion knows.
    Nowhere,
}

/// An opcode and its modifiers, split at the cursor.
#[derive(Debug, Clone)]
pub struct MnemonicAtCursor {
    /// The opcode.
    pub opcode: &'static Opcode,
    /// The modifiers before the cursor, with dots.
    pub before: Vec<String>,
    /// The modifiers after the cursor, with dots.
    pub after: Vec<String>,
    /// Index of the first token of the statement after the mnemonic.
    pub end: usize,
}

impl MnemonicAtCursor {
    /// The modifiers before the cursor.
    pub fn modifiers(&self) -> Vec<&str> {
        self.before.iter().map(String::as_str).collect()
    }
}

/// Returns the kind of word that is expected at a place.
pub fn whereabouts(place: &CompletionPlace<'_>) -> Where {
    let before = &place.before;
    if place.level == ModulePart::Header {
        return if before.len() == 0 && place.kind.is_none() { Where::Nowhere } else { Where::Directive };
    }
    if before.len() == 0 {
        return Where::Start;
    }
    let mut at = 0;
    if before.at(0) == "@" {
        let predicate = 1 + usize::from(before.at(1) == "!");
        if before.len() <= predicate {
            return Where::Guard;
        }
        at = predicate + 1;
        if before.len() <= at {
            // No completion within `@%p.` or `@%p1%`.
            return if place.touches { Where::Nowhere } else { Where::Opcode };
        }
    }
    match before.kind(at) {
        Some(CompletionTokenKind::Word) => head(place, at),
        Some(CompletionTokenKind::Dot) if at == 0 => Where::Directive,
        // `@@DWARF`, or a statement that begins with punctuation.
        _ => Where::Nowhere,
    }
}

fn head(place: &CompletionPlace<'_>, at: usize) -> Where {
    let before = &place.before;
    let Some(opcode) = ISA.opcode(before.at(at)) else { return Where::Nowhere };
    let mut end = at + 1;
    while before.kind(end) == Some(CompletionTokenKind::Dot) && before.touches(end) {
        end += 1;
    }
    let modifiers = (at + 1..end).map(|i| before.at(i).to_owned()).collect();
    let mut head = MnemonicAtCursor { opcode, before: modifiers, after: Vec::new(), end };
    if end < before.len() || !place.touches {
        return Where::Operand(head);
    }
    if place.kind != Some(CompletionTokenKind::Dot) {
        return Where::Nowhere;
    }
    head.after = leading_modifiers(&place.after);
    Where::Modifier(head)
}

/// The modifiers at the very beginning of a text.
fn leading_modifiers(after: &Tokens) -> Vec<String> {
    let mut out = Vec::new();
    let mut end = 0;
    for (index, token) in after.list.iter().enumerate() {
        if token.kind != CompletionTokenKind::Dot || token.range.start != end {
            break;
        }
        end = token.range.end;
        // A dot alone is an incomplete modifier.
        if after.at(index) != "." {
            out.push(after.at(index).to_owned());
        }
    }
    out
}
