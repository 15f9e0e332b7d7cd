//! Replacements of forms that are removed or deprecated.

use super::{Emit, table};

table! {
    /// The replacement of a form, as a difference from it.
    struct Successor {
        /// The modifiers to add.
        add: &'static [&'static str],
        /// The modifiers to remove.
        remove: &'static [&'static str],
        /// The operands to append, as written.
        operands: &'static [&'static str],
    }
}
