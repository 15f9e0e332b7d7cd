//! The editor features for PTX, as plain functions from a snapshot and an offset to plain data.
//!
//! This crate does not depend on a protocol or an editor. It has no types of the language server protocol, no lines and
//! columns, and no settings. Nothing in it is asynchronous, reads files or keeps state between two calls. Offsets are
//! bytes. Facts about PTX come from the tables of `ptx-isa`; this crate only presents them.

mod addresses;
mod assists;
mod call_hierarchy;
mod code_lenses;
mod completion;
mod definition;
mod demangle;
mod describe;
mod document_symbols;
mod excerpt;
mod explain;
mod fixes;
mod folding;
mod formatting;
mod fragment;
mod highlight;
pub mod holding;
mod hover;
mod inlay_hints;
mod launches;
mod links;
mod nearest;
pub mod reference;
mod references;
mod registers;
mod rename;
mod selection;
mod semantic_tokens;
mod signature_help;
mod text_edit;
mod walk;
mod workspace_symbols;

pub use assists::{Assist, assists, canonical_order};
pub use call_hierarchy::{Callable, Calls, callable, callables, incoming_calls, outgoing_calls};
pub use code_lenses::{Lens, LensKind, LensOptions, LensText, code_lenses, resolve_lens};
pub use completion::usage;
pub use completion::{
    CompletionOptions, Completions, Item, ItemKind, Topic, completion, completion_list, documentation,
};
pub use definition::{
    DefinitionTarget, DefinitionTargets, SourcePosition, declaration, definition, exported, implementation,
    source_of_line, source_position,
};
pub use demangle::{Demangled, both_names, demangle, mangled_names, short_name};
pub use describe::Explained;
pub use document_symbols::{OutlineSymbol, SymbolKind, document_symbols, module_symbols};
pub use explain::{
    BETWEEN, COMPARING, DIFFERENCE, ENDINGS, IndexEntry, IndexHit, IndexKind, IndexedWords, LogEntry, MIN_STEM,
    RANKING, Ranking, TargetFilter, direct_answer, explain, explain_overview, foreign_words, indexed_words, log,
    same_stems, search, stem, stems_of, target_filters, tool_meaning,
};
pub use fixes::{FixAction, apply, code_actions, fix_all, of_diagnostic};
pub use folding::{Fold, FoldKind, folds};
pub use formatting::{FormatOptions, OperandColumns, apply_in_order, format, format_on_type, format_range};
pub use fragment::{
    FRAGMENT_CSS, FragmentLabel, FragmentPicture, Matrices, fragment_labels, fragment_pictures, matrices_in,
};
pub use highlight::highlights;
pub use hover::{Hover, hover, hover_in_host, hover_on_operand};
pub use inlay_hints::{AddressHints, Defaults, Hint, HintKind, HintOptions, HintPart, PressureHints, inlay_hints};
pub use launches::launches_above;
pub use links::{Link, LinkTarget, links};
pub use nearest::nearest;
pub use ptx_analysis::environment;
pub use reference::{Article, Chapter, reference};
pub use references::{Reference, ReferenceKind, references_at, references_in_module};
pub use registers::{FunctionPressure, HeldValue, LinePressure, function_pressure, function_registers, held_values};
pub use rename::{
    Reach, Renamable, RenameRefusal, Renaming, linked_at, prepare_rename, reach_of, rename, rename_in_module,
};
pub use selection::selections;
pub use semantic_tokens::{HighlightToken, TokenKind, TokenModifiers, semantic_tokens};
pub use signature_help::{InstructionSignature, SignatureHelp, SignatureParameter, signature_help};
pub use text_edit::TextEdit;
pub use workspace_symbols::fitness;
