//! Labels that branches name and that are not there yet.

use super::place::Place;
use super::scope::Name;
use super::tokens::{Kind, Tokens};
use super::{Item, ItemKind, List};
use ptx_analysis::symbols::Symbol;
use ptx_isa::ISA;
use ptx_isa::tables::{Kind as OperandKind, Opcode, Pattern};

/// How much text before a place is searched.
const BEFORE: usize = 16 << 10;

/// Whether the first operand of an opcode is a label.
fn branches(opcode: &Opcode) -> bool {
    let form = opcode.entries.first().and_then(|e| e.forms.first());
    matches!(form.and_then(|f| f.operands.first()).map(|o| &o.pattern), Some(Pattern::Value(v)) if v.kind == OperandKind::Label)
}

/// The labels that branches before a place name and nothing declares, the nearest first.
pub fn missing(place: &Place<'_>, declared: &[Name]) -> Vec<Name> {
    let Some(function) = place.function else { return Vec::new() };
    let rope = place.snapshot.rope();
    let from = place.start.saturating_sub(BEFORE).max(function.start_byte().min(place.start));
    let from = rope.line_to_byte(rope.byte_to_line(from)).min(place.start);
    let tokens = Tokens::new(place.snapshot.text(from..place.start).into_owned());
    let mut out: Vec<Name> = Vec::new();
    for index in (0..tokens.len()).rev() {
        if tokens.kind(index) != Some(Kind::Word) || !ISA.opcode(tokens.at(index)).is_some_and(branches) {
            continue;
        }
        let mut at = index + 1;
        while tokens.kind(at) == Some(Kind::Dot) && tokens.touches(at) {
            at += 1;
        }
        let name = tokens.at(at);
        let known = |names: &[Name]| names.iter().any(|n| n.text == name);
        if matches!(tokens.kind(at), Some(Kind::Word | Kind::Register)) && !known(declared) && !known(&out) {
            let detail = "label that is not there yet".to_owned();
            out.push(Name { text: name.to_owned(), count: None, symbol: Symbol::Label, detail });
        }
    }
    out
}

impl List<'_, '_> {
    /// The labels that a branch above names and that nothing declares yet, with their colon.
    pub(super) fn missing_labels(&mut self) {
        let declared = super::scope::labels(self.place);
        for name in missing(self.place, &declared) {
            self.push(Item::new(format!("{}:", name.text), ItemKind::Label).detail("a branch above leads there"));
        }
    }
}
