//! Completion of labels: branch targets, and labels that branches name but that are not declared yet.

use super::place::CompletionPlace;
use super::scope::{self, Label, Name};
use super::tokens::{CompletionTokenKind, Tokens};
use super::{Item, ItemKind, List};
use ptx_analysis::Symbol;
use ptx_isa::ISA;
use ptx_isa::tables::{FormPattern, Opcode, ValueKind as OperandKind};

/// Bytes of text before the cursor that are searched for branches.
const BEFORE: usize = 16 << 10;

/// Whether the first operand of an opcode is a label.
fn branches(opcode: &Opcode) -> bool {
    let form = opcode.entries.first().and_then(|e| e.forms.first());
    matches!(form.and_then(|f| f.operands.first()).map(|o| &o.pattern), Some(FormPattern::Value(v)) if v.kind == OperandKind::Label)
}

/// The undeclared labels that branches before the cursor name, the nearest first.
fn missing(place: &CompletionPlace<'_>, declared: &[Label]) -> Vec<Name> {
    let Some(function) = place.function else { return Vec::new() };
    let rope = place.snapshot.rope();
    let from = place.start.saturating_sub(BEFORE).max(function.start_byte().min(place.start));
    let from = rope.line_to_byte(rope.byte_to_line(from)).min(place.start);
    let tokens = Tokens::new(place.snapshot.text(from..place.start).into_owned());
    let mut out: Vec<Name> = Vec::new();
    for index in (0..tokens.len()).rev() {
        if tokens.kind(index) != Some(CompletionTokenKind::Word) || !ISA.opcode(tokens.at(index)).is_some_and(branches)
        {
            continue;
        }
        let mut at = index + 1;
        while tokens.kind(at) == Some(CompletionTokenKind::Dot) && tokens.touches(at) {
            at += 1;
        }
        let name = tokens.at(at);
        let known = declared.iter().map(|l| &l.name).chain(&out).any(|n| n.text == name);
        if matches!(tokens.kind(at), Some(CompletionTokenKind::Word | CompletionTokenKind::Register)) && !known {
            let detail = "label that does not exist yet".to_owned();
            out.push(Name { text: name.to_owned(), count: None, symbol: Symbol::Label, detail });
        }
    }
    out
}

impl List<'_, '_> {
    /// The labels that a branch may jump to, the likeliest first: near labels ahead of the cursor, and labels that no
    /// branch nearby names yet. Undeclared labels compete too: the next label to be written may be one of them.
    pub(super) fn labels(&self) -> Vec<Name> {
        // Costs, in labels of distance: another branch names the label; the label is above the cursor; the extra cost of
        // both.
        const MENTIONED: usize = 3;
        const BEHIND: usize = 3;
        const AGAIN: usize = 6;
        let all = scope::labels(self.place);
        let missing = missing(self.place, &all);
        let place = self.place.offset;
        let (mut behind, ahead): (Vec<Label>, Vec<Label>) = all.into_iter().partition(|l| l.at < place);
        behind.reverse();
        let mentioned = |name: &str| self.history().mentions(name);
        let cost = |label: &Label, number: usize| {
            let known = match (mentioned(&label.name.text), label.at < place) {
                (false, false) => 0,
                (true, false) => MENTIONED,
                (false, true) => BEHIND,
                (true, true) => BEHIND + AGAIN,
            };
            (label.last, number + known)
        };
        let mut found: Vec<((bool, usize), Name)> = Vec::new();
        for labels in [&ahead, &behind] {
            found.extend(labels.iter().enumerate().map(|(number, l)| (cost(l, number), l.name.clone())));
        }
        found.extend(missing.into_iter().enumerate().map(|(number, name)| ((false, number), name)));
        found.sort_by_key(|(cost, _)| *cost);
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// Offers the undeclared labels that branches above name, with their colon.
    pub(super) fn missing_labels(&mut self) {
        let declared = scope::labels(self.place);
        for name in missing(self.place, &declared) {
            self.push(Item::new(format!("{}:", name.text), ItemKind::Label).detail("a branch above goes there"));
        }
    }
}
