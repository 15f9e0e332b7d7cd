//! What the assembler takes although the manual does not have it. It is legal, and shown only where a statement writes it.

use super::{Form, ModifierSlot};

/// The text of a form without the names of value sets behind the names of the slots.
pub fn without_sets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(':') {
        out.push_str(before);
        if let Some(after) = after.strip_prefix(':') {
            out.push_str("::");
            rest = after;
        } else {
            rest = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        }
    }
    out.push_str(rest);
    out
}

impl ModifierSlot {
    /// The values that the manual has, in order.
    pub fn documented(&self) -> impl Iterator<Item = &'static str> + use<> {
        let tolerated = self.tolerated;
        self.values.iter().copied().filter(move |value| !tolerated.contains(value))
    }

    /// Whether the manual has the slot, with some value.
    pub fn is_documented(&self) -> bool {
        self.documented().next().is_some()
    }
}

impl Form {
    /// The values of its slots that the manual has. None, if it does not have the form.
    pub fn documented_values(&self) -> impl Iterator<Item = &'static str> + use<> {
        let slots: &'static [ModifierSlot] = if self.tolerated { &[] } else { self.slots };
        slots.iter().flat_map(ModifierSlot::documented)
    }

    /// The text of the form for a statement with these modifiers: that of the manual, unless the statement has more.
    pub fn text_for(&self, modifiers: &[&str]) -> &'static str {
        let has_more = |slot: &ModifierSlot| slot.tolerated.iter().any(|value| modifiers.contains(value));
        if self.tolerated || self.slots.iter().any(has_more) { self.text } else { self.documented }
    }

    /// Whether the manual has the form, with these values of its slots.
    pub fn documents(&self, values: &[Option<&'static str>]) -> bool {
        let tolerates = |(slot, value): (&ModifierSlot, &Option<&'static str>)| {
            value.is_some_and(|value| slot.tolerated.contains(&value))
        };
        !self.tolerated && !self.slots.iter().zip(values).any(tolerates)
    }
}
