//! Hints with the implied modifiers, displayed where they would be written: `atom` `.relaxed.gpu` `.global.add.u32`.

use super::instruction::Resolved;
use super::{Defaults, Hint, Hints};
use crate::text_edit::TextEdit;
use ptx_analysis::Candidate;
use ptx_analysis::mnemonic::{self, holds};
use ptx_isa::ISA;
use ptx_isa::tables::Implied;

impl Hints<'_> {
    pub(super) fn defaults(&mut self, resolved: &Resolved<'_, '_>) {
        let wanted = |d: &&Implied| match self.options.defaults {
            Defaults::Off => false,
            Defaults::Notable => !d.plain,
            Defaults::All => true,
        };
        let (candidate, names) = (resolved.candidate, Some(&resolved.variant.names[..]));
        let empty = |d: &&Implied| candidate.values.get(usize::from(d.slot)).is_some_and(Option::is_none);
        let holds = |d: &&Implied| holds(d.when, &candidate.values, names) == Some(true);
        let implied = candidate.form.implied.iter();
        let mut found: Vec<&Implied> = implied.filter(wanted).filter(empty).filter(holds).collect();
        found.sort_by_key(|d| d.slot);
        // Implied modifiers at the same position share one hint.
        let places: Vec<usize> = found.iter().map(|d| place(resolved, d.slot)).collect();
        let mut start = 0;
        while let Some(at) = places.get(start) {
            let count = places.iter().skip(start).take_while(|p| *p == at).count();
            let together = found.get(start..start + count).unwrap_or_default();
            self.out.push(self.hint(resolved, *at, together));
            start += count;
        }
    }

    fn hint(&self, resolved: &Resolved<'_, '_>, at: usize, implied: &[&Implied]) -> Hint {
        let text: String = implied.iter().map(|d| d.value).collect();
        let mut tooltip = String::from("Implied modifiers:\n");
        for d in implied {
            let what = ISA.modifier(d.value).map_or("", |m| m.summary);
            tooltip.push_str(&format!("\n- `{}`", d.value));
            for more in [what, d.doc].into_iter().filter(|m| !m.is_empty()) {
                tooltip.push_str(&format!(" – {more}"));
            }
        }
        let offset = resolved.base + at;
        // No edit is offered if writing the modifier out would change anything.
        let same = implied.iter().all(|d| d.doc.is_empty()) && self.may_be_written(resolved, at, implied);
        let edits = if same { vec![TextEdit { range: offset..offset, text: text.clone() }] } else { Vec::new() };
        Hint { gap_before: false, tooltip, edits, ..Hint::after(offset, text) }
    }

    /// Whether the module's version and target accept the instruction with the implied modifiers written out.
    fn may_be_written(&self, resolved: &Resolved<'_, '_>, at: usize, implied: &[&Implied]) -> bool {
        let written = &resolved.instruction.modifiers;
        let before = written.iter().filter(|m| m.range().end <= at).count();
        let mut modifiers: Vec<&str> = written.iter().map(|m| m.text).collect();
        modifiers.splice(before..before, implied.iter().map(|d| d.value));
        let Some(head) = ISA.opcode(resolved.instruction.opcode.text).and_then(|o| mnemonic::resolve(o, &modifiers))
        else {
            return false;
        };
        let names = Some(&resolved.variant.names[..]);
        let same_form = |c: &&Candidate| std::ptr::eq(c.form, resolved.candidate.form);
        head.candidates.iter().find(same_form).is_some_and(|c| {
            let applies = |g: &ptx_isa::tables::Gate| holds(g.when, &c.values, names) == Some(true);
            self.environment.refused(c.form.gates, applies).is_none()
        })
    }
}

/// The offset at which a modifier of a slot would be written: after the last modifier of an earlier slot.
fn place(resolved: &Resolved<'_, '_>, slot: u8) -> usize {
    let instruction = resolved.instruction;
    let before = resolved.candidate.values.get(..usize::from(slot)).unwrap_or_default();
    let mut place = instruction.opcode.range().end;
    for (index, value) in before.iter().enumerate() {
        // The same type may fill several slots; types are written in the order of the form.
        let nth = before.iter().take(index).filter(|other| *other == value).count();
        if let Some(word) = instruction.modifiers.iter().filter(|m| Some(m.text) == *value).nth(nth) {
            place = place.max(word.range().end);
        }
    }
    place
}
