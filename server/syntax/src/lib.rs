//! PTX source text with an incremental syntax tree.
//!
//! This crate knows the syntax of PTX (the kinds of nodes and how they nest) but no instruction, modifier or type by name,
//! and nothing of diagnostics or protocols. Positions are byte offsets.

mod bodies;
mod boundaries;
mod chunks;
mod document;
mod kinds;
mod language;
mod outline;
mod parser;
mod plain;
mod rare;
pub mod statements;
mod threads;
pub mod trivia;
mod visible;
pub mod walk;

pub use document::{Document, GradualParse, Snapshot, SnapshotId, SourceEdit};
pub use kinds::{Fields, Kinds, fields, is_named, kind_names, kinds};
pub use language::{ForeignLanguage, foreign_language};
pub use outline::{CompletePart, Outline, OutlinedPart, ParsedPart};
pub use plain::{LeafKind, PlainKind, PlainLeaf, PlainList, PlainPart, PlainStatement, plain_instruction};
pub use rare::{RareBytes, has_foreign, is_foreign};
pub use ropey::Rope;
pub use threads::in_parallel;
pub use tree_sitter::{Node, TreeCursor};
