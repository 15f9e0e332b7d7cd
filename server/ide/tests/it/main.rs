//! What the functions of this crate answer, as an editor would ask them.

// A failed expectation is what a test fails with.
#![allow(clippy::unwrap_used)]

mod assists;
mod document_symbols;
mod explain;
mod formatting;
mod fragments;
mod hover;
mod hover_tables;
mod inlay_hints;
mod references;
mod robust;
mod semantic_tokens;
