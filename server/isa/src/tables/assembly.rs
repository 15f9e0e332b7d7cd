//! What the assembler's parser accepts, although its code generator does not build it.

use super::Term;
use crate::emit::{Emit, choice, table};

table! {
    /// Statements of a form that parse, and for which the assembler generates no code.
    struct Unbuilt {
        /// What becomes of them.
        outcome: Outcome,
        /// The conditions: it applies only if all of them hold.
        when: &'static [Term],
        /// Why, or what to write in their place; may be empty.
        note: &'static str,
    }
}

choice! {
    /// What the assembler does when it generates code for a statement that its parser accepts.
    #[derive(Hash)]
    enum Outcome {
        /// It builds the statement.
        Built,
        /// It refuses the module.
        Refused,
        /// It crashes.
        Crash,
    }
}
