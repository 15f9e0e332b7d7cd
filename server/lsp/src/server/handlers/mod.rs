//! What the server answers, a file for each kind of message.
//!
//! A handler runs in the order of the wire up to its first `await`, and must not wait for the client at all.

pub mod code_actions;
pub mod code_lenses;
pub mod commands;
pub mod configuration;
pub mod diagnostics;
pub mod hover;
pub mod initialize;
pub mod inlay_hints;
mod refresh;
pub mod semantic_tokens;
mod status;
pub mod symbols;
mod syntax_tree;
pub mod text;

use super::document::Document;
use super::session::Session;
use super::shared::{Shared, off_thread};
use ptx_analysis::ModuleFacts;
use ptx_syntax::Snapshot;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{ServerCapabilities, TextDocumentPositionParams, Uri};

/// Enters what a handler offers this client.
type Provide = fn(&mut ServerCapabilities, Session);

/// Of every handler that has to be announced.
const PROVIDERS: &[Provide] = &[
    code_actions::provide,
    code_lenses::provide,
    commands::provide,
    diagnostics::provide,
    hover::provide,
    inlay_hints::provide,
    semantic_tokens::provide,
    symbols::provide,
    text::provide,
];

/// The document a request is about and its tree, of the text the client had when it sent the request or of a later one.
/// Nothing for what is not open and for what is not PTX.
async fn snapshot(shared: &Shared, uri: &Uri) -> Option<(Arc<Document>, Snapshot)> {
    let document = shared.document(uri)?;
    let revision = document.revision();
    let parsed = document.parsed(revision).await?;
    Some((document, parsed.snapshot.clone()?))
}

/// A place in a document, as a request names it.
#[derive(Debug)]
pub struct Place {
    /// The text of the document, and its tree.
    pub snapshot: Snapshot,
    /// The place in it.
    pub offset: usize,
    /// What was agreed with the client.
    pub session: Session,
    /// What is known of the flow of its functions.
    pub facts: Arc<ModuleFacts>,
}

/// Computes an answer about a place away from the asynchronous threads; `null` for what is not open and for what is not PTX.
async fn at<T: Send + 'static>(
    shared: &Shared,
    params: TextDocumentPositionParams,
    compute: impl FnOnce(&Place) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    let Some((document, snapshot)) = snapshot(shared, &params.text_document.uri).await else { return Ok(None) };
    let (session, facts) = (shared.session(), document.facts());
    off_thread(move || {
        let offset = session.encoding.offset(snapshot.rope(), params.position);
        compute(&Place { snapshot, offset, session, facts })
    })
    .await
}
