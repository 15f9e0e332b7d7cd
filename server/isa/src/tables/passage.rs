//! Passages of documentation, and the statements to which they apply.

use crate::emit::{Emit, table};

table! {
    /// A paragraph, a table or a list of an instruction's documentation.
    struct Passage {
        /// Documentation in Markdown.
        text: &'static str,
        /// The conditions: it applies to the statements for which all of them hold.
        when: &'static [WrittenTest],
    }

    /// What the elements of a list operand are, in order.
    struct ListElements {
        /// The operand.
        operand: &'static str,
        /// A few words for each element.
        names: &'static [&'static str],
        /// The conditions: it applies to the statements for which all of them hold.
        when: &'static [WrittenTest],
    }

    /// A test of the modifiers and operands of a statement.
    struct WrittenTest {
        /// Modifiers with their dots, or operands as the form names them: at least one must be written.
        any: &'static [&'static str],
        /// Whether none of them may be written instead.
        negated: bool,
    }
}

/// Whether all tests hold for a statement. `has` returns whether a modifier or an operand is written in it.
fn all_hold(tests: &[WrittenTest], has: impl Fn(&str) -> bool) -> bool {
    tests.iter().all(|test| test.any.iter().any(|name| has(name)) != test.negated)
}

impl ListElements {
    /// Whether these are the elements in a statement. `has` returns whether a modifier or an operand is written in it.
    pub fn applies(&self, has: impl Fn(&str) -> bool) -> bool {
        all_hold(self.when, has)
    }
}

impl Passage {
    /// Whether the passage applies to a statement. `has` returns whether a modifier or an operand is written in it.
    pub fn applies(&self, has: impl Fn(&str) -> bool) -> bool {
        all_hold(self.when, has)
    }

    /// Joins several passages to one text.
    pub fn join(passages: &[Self]) -> String {
        passages.iter().map(|p| p.text).collect::<Vec<_>>().join("\n\n")
    }
}
