//! Passages of documentation, and the statements that they are about.

use crate::emit::{Emit, table};

table! {
    /// A paragraph, a table or a list of an instruction's documentation.
    struct Passage {
        /// Markdown.
        text: &'static str,
        /// The statements that it is about: those for which all of these hold.
        when: &'static [WrittenTest],
    }

    /// A test of the modifiers and operands of a statement.
    struct WrittenTest {
        /// Modifiers with their dots, or operands as the form names them: one of them is written.
        any: &'static [&'static str],
        /// None of them is.
        negated: bool,
    }
}

impl Passage {
    /// Whether the passage is about a statement. `has` says whether a modifier or an operand is written in it.
    pub fn applies(&self, has: impl Fn(&str) -> bool) -> bool {
        self.when.iter().all(|w| w.any.iter().any(|name| has(name)) != w.negated)
    }

    /// Several passages as one text.
    pub fn join(passages: &[Self]) -> String {
        passages.iter().map(|p| p.text).collect::<Vec<_>>().join("\n\n")
    }
}
