//! What the assembler takes although the manual does not have it. It is legal, and shown only where a statement writes it.

use super::{Form, ModifierSlot};

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
    /// Whether the manual has the form, with these values of its slots.
    pub fn documents(&self, values: &[Option<&'static str>]) -> bool {
        let tolerates = |(slot, value): (&ModifierSlot, &Option<&'static str>)| {
            value.is_some_and(|value| slot.tolerated.contains(&value))
        };
        !self.tolerated && !self.slots.iter().zip(values).any(tolerates)
    }
}
