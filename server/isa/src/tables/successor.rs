//! What to write in place of something that is gone or advised against.

use super::{Emit, table};

table! {
    /// The successor of a form, as a difference.
    struct Successor {
        /// Modifiers that come in.
        add: &'static [&'static str],
        /// Modifiers that go.
        remove: &'static [&'static str],
        /// Operands that follow those that are there, as written.
        operands: &'static [&'static str],
    }
}
