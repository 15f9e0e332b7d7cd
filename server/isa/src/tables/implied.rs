//! What is meant where an optional modifier is not written.

use super::Term;
use crate::emit::{Emit, table};

table! {
    /// The value that a slot has when it is left empty.
    struct Implied {
        /// The slot, by index.
        slot: u8,
        /// The value, with its dot.
        value: &'static str,
        /// What everybody expects: not worth a remark in every line.
        plain: bool,
        /// Only where all of these hold.
        when: &'static [Term],
        /// What else there is to know, Markdown; may be empty.
        doc: &'static str,
    }
}
