//! What the server answers, a file for each kind of message.
//!
//! A handler runs in the order of the wire up to its first `await`, and must not wait for the client at all.

pub mod code_actions;
pub mod commands;
pub mod configuration;
pub mod diagnostics;
pub mod hover;
pub mod initialize;
mod status;
pub mod symbols;
mod syntax_tree;
pub mod text;

use super::document::Document;
use super::shared::Shared;
use ptx_syntax::Snapshot;
use std::sync::Arc;
use tower_lsp_server::ls_types::Uri;

/// The document a request is about and its tree, of the text the client had when it sent the request or of a later one.
/// Nothing for what is not open and for what is not PTX.
async fn snapshot(shared: &Shared, uri: &Uri) -> Option<(Arc<Document>, Snapshot)> {
    let document = shared.document(uri)?;
    let revision = document.revision();
    let parsed = document.parsed(revision).await?;
    Some((document, parsed.snapshot.clone()?))
}
