//! Topics that no single word of PTX stands for: bank conflicts, memory order, the CTA.

use crate::emit::{Emit, table};

table! {
    /// A topic, with the words that users type for it and the parts of PTX that it is about.
    struct Concept {
        /// For file names and links: `bank-conflict`.
        id: &'static str,
        /// For people: `Bank conflict`.
        title: &'static str,
        /// Other words for it.
        synonyms: &'static [&'static str],
        /// The instructions, directives, registers, modifiers, types and diagnostics to look at.
        see: &'static [&'static str],
        /// Markdown.
        doc: &'static str,
    }
}
