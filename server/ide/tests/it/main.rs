//! Tests of the functions of this crate, called as by an editor.

// In tests, a failed expectation may panic.
#![allow(clippy::unwrap_used)]
// Tests make the files that they read.
#![allow(clippy::disallowed_methods)]

mod addresses;
mod assists;
mod chunks;
mod code_lenses;
mod completion;
mod completion_directives;
mod completion_opening;
mod completion_reach;
mod completion_sweep;
mod completion_templates;
mod completion_text;
mod completion_use;
mod document_symbols;
mod explain;
mod explain_words;
mod folding;
mod formatting;
mod formatting_line_ends;
mod fragments;
mod hover;
mod hover_encoded;
mod hover_tables;
mod hover_values;
mod inlay_hints;
mod navigation;
mod questions;
mod reference;
mod references;
mod registers;
mod rename;
mod rename_single;
mod robust;
mod robust_navigation;
mod semantic_tokens;
mod signature_help;
mod unbuilt;
