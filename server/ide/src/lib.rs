//! What an editor asks of PTX, as plain functions from a snapshot and an offset to plain data.
//!
//! This crate knows no protocol and no editor: no types of the language server protocol, no lines and columns, no settings.
//! Nothing in it is asynchronous, reads a file or keeps state between two calls; offsets are bytes. Facts about PTX come
//! from the tables of `ptx-isa`: here is only how they are put into words.

mod assists;
mod describe;
mod document_symbols;
mod explain;
mod fixes;
mod formatting;
mod fragment;
mod header;
mod hover;
mod inlay_hints;
mod names;
pub mod reference;
mod nearest;
mod reference;
mod references;
mod semantic_tokens;

pub use assists::{Assist, assists, canonical_order};
pub use document_symbols::{Symbol, SymbolKind, document_symbols};
pub use explain::explain;
pub use fixes::{Action, TextEdit, apply, code_actions, fix_all, of_diagnostic};
pub use formatting::{FormatOptions, Operands, apply_in_order, format, format_on_type, format_range};
pub use fragment::{FRAGMENT_CSS, FragmentLabel, FragmentPicture, fragment_labels, fragment_pictures};
pub use hover::{Hover, hover};
pub use inlay_hints::{Defaults, Hint, HintKind, HintOptions, HintPart, inlay_hints};
pub use nearest::nearest;
pub use reference::{Article, Chapter, reference};
pub use references::{Access, Reference, references_at};
pub use semantic_tokens::{Token, TokenKind, TokenModifiers, semantic_tokens};
