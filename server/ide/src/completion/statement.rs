//! What has been written of a statement, and what the place in it asks for.

use super::place::{CompletionPlace, ModulePart};
use super::tokens::{CompletionTokenKind, Tokens};
use ptx_isa::ISA;
use ptx_isa::tables::Opcode;

/// What a place asks for.
#[derive(Debug)]
pub enum Where {
    /// The first word of a statement.
    Start,
    /// The predicate of a guard.
    Guard,
    /// An opcode, behind a guard.
    Opcode,
    /// A modifier.
    Modifier(MnemonicAtCursor),
    /// An operand, or a part of one.
    Operand(MnemonicAtCursor),
    /// A word of a directive, a declaration or a header.
    Directive,
    /// Nothing that is known.
    Nowhere,
}

/// An opcode and its modifiers.
#[derive(Debug, Clone)]
pub struct MnemonicAtCursor {
    /// The opcode.
    pub opcode: &'static Opcode,
    /// The modifiers before the place, with dots.
    pub before: Vec<String>,
    /// Those that follow the place.
    pub after: Vec<String>,
    /// Which token of the statement follows the head.
    pub end: usize,
}

impl MnemonicAtCursor {
    /// The modifiers before the place.
    pub fn modifiers(&self) -> Vec<&str> {
        self.before.iter().map(String::as_str).collect()
    }
}

/// What a place asks for.
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
            // `@%p.` or `@%p1%` is nothing.
            return if place.touches { Where::Nowhere } else { Where::Opcode };
        }
    }
    match before.kind(at) {
        Some(CompletionTokenKind::Word) => head(place, at),
        Some(CompletionTokenKind::Dot) if at == 0 => Where::Directive,
        // `@@DWARF`, and what begins with a sign.
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

/// The modifiers that stand right at the beginning of a text.
fn leading_modifiers(after: &Tokens) -> Vec<String> {
    let mut out = Vec::new();
    let mut end = 0;
    for (index, token) in after.list.iter().enumerate() {
        if token.kind != CompletionTokenKind::Dot || token.range.start != end {
            break;
        }
        end = token.range.end;
        // A dot alone is about to become something.
        if after.at(index) != "." {
            out.push(after.at(index).to_owned());
        }
    }
    out
}
