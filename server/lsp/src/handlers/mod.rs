//! Handlers of messages, one file for each kind of message.
//!
//! Handlers run in the order of arrival up to their first `await`. They must never wait for the client.

pub mod arguments;
mod assembler;
pub mod call_hierarchy;
pub mod code_actions;
pub mod code_lenses;
pub mod commands;
pub mod compare;
pub mod completion;
pub mod configuration;
pub mod definition;
pub mod diagnostics;
mod evaluate;
pub mod folding;
pub mod formatting;
pub mod hover;
pub mod initialize;
pub mod inlay_hints;
pub mod links;
pub mod references;
mod registers;
pub mod rename;
mod sass;
pub mod selection;
pub mod semantic_tokens;
pub mod show;
pub mod signature_help;
mod status;
pub mod symbols;
mod syntax_tree;
pub mod text;
pub mod workspace;
pub mod workspace_check;
pub mod workspace_diagnostics;
pub mod workspace_symbols;
