//! The meaning of an optional modifier that is not written.

use super::condition::Term;
use crate::emit::{Emit, table};

table! {
    /// The value that a slot has when it is left empty.
    struct Implied {
        /// The index of the slot.
        slot: u8,
        /// The value, with its dot.
        value: &'static str,
        /// Whether the value is obvious, so that it is not worth a remark at every statement.
        plain: bool,
        /// The conditions: it applies only if all of them hold.
        when: &'static [Term],
        /// Further documentation in Markdown; may be empty.
        doc: &'static str,
    }
}
