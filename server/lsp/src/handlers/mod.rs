//! Handlers of messages, one file for each kind of message.
//!
//! Handlers run in the order of arrival up to their first `await`. They must never wait for the client.

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
pub mod signature_help;
mod status;
pub mod symbols;
mod syntax_tree;
pub mod text;
pub mod workspace;
pub mod workspace_check;
pub mod workspace_diagnostics;
pub mod workspace_symbols;

use super::cancel::CancelFlag;
use super::document::OpenDocument;
use super::platform::Pool;
use super::position::ColumnEncoding;
use super::session::ClientFeatures;
use super::shared::Shared;
use ptx_analysis::Figures;
use ptx_syntax::{Rope, Snapshot};
use std::sync::Arc;
use std::time::Duration;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{
    Range, ServerCapabilities, TextDocumentPositionParams, TextEdit, Uri, WorkDoneProgressOptions,
};

/// Adds the capability of a handler for this client.
type Provide = fn(&mut ServerCapabilities, ClientFeatures);

/// Functions that announce all handlers.
const PROVIDERS: &[Provide] = &[
    call_hierarchy::provide,
    code_actions::provide,
    code_lenses::provide,
    commands::provide,
    definition::provide,
    completion::provide,
    diagnostics::provide,
    folding::provide,
    formatting::provide,
    hover::provide,
    inlay_hints::provide,
    links::provide,
    references::provide,
    rename::provide,
    selection::provide,
    semantic_tokens::provide,
    signature_help::provide,
    symbols::provide,
    text::provide,
    workspace::provide,
    workspace_symbols::provide,
];

/// Options of requests that report progress.
const WITH_PROGRESS: WorkDoneProgressOptions = WorkDoneProgressOptions { work_done_progress: Some(true) };

/// Returns the document of a request and its tree, of the text the client had when it sent the request or of a later one.
/// Returns `None` if the document is not open or not PTX.
async fn snapshot(shared: &Shared, uri: &Uri) -> Option<(Arc<OpenDocument>, Snapshot)> {
    let document = shared.document(uri)?;
    let revision = document.revision();
    let parsed = document.parsed(revision).await?;
    Some((document, parsed.snapshot.clone()?))
}

/// Another open document with its last tree.
#[derive(Debug)]
struct Other {
    uri: Uri,
    snapshot: Snapshot,
    /// The client's version of the text, if the tree belongs to the client's current text.
    version: Option<i32>,
}

/// Returns the other open documents with their last trees: a request does not wait until they are parsed.
fn others(shared: &Shared, uri: &Uri) -> Vec<Other> {
    let own = shared.document(uri).map(|own| own.uri.clone());
    let documents = shared.documents().into_iter().filter(|document| Some(&document.uri) != own.as_ref());
    let one = |document: Arc<OpenDocument>| {
        let (revision, version) = (document.revision(), document.current().0);
        let parsed = document.last_parsed()?;
        let version = (parsed.revision == revision).then_some(version);
        Some(Other { uri: document.uri.clone(), snapshot: parsed.snapshot.clone()?, version })
    };
    documents.filter_map(one).collect()
}

/// A position in a document that a request names.
#[derive(Debug)]
pub struct DocumentPosition {
    /// The text of the document, and its tree.
    pub snapshot: Snapshot,
    /// The byte offset of the position.
    pub offset: usize,
    /// The client's features.
    pub session: ClientFeatures,
    /// The register report of its functions.
    pub figures: Arc<Figures>,
    /// The revision of the text.
    pub revision: u64,
}

/// Computes an answer about a position away from the asynchronous threads; `null` if the document is not open or not PTX. The
/// computation must be short, because it uses the pool for short requests.
///
/// The position refers to the text that the client had; later edits move it.
///
/// # Errors
/// If the position is gone.
async fn at<T: Send + 'static>(
    shared: &Shared,
    params: TextDocumentPositionParams,
    compute: impl FnOnce(&DocumentPosition) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    at_in(Pool::Instant, shared, params, compute).await
}

/// As [`at`], for computations that may take long.
async fn at_leisure<T: Send + 'static>(
    shared: &Shared,
    params: TextDocumentPositionParams,
    compute: impl FnOnce(&DocumentPosition) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    at_in(Pool::Requests, shared, params, compute).await
}

async fn at_in<T: Send + 'static>(
    pool: Pool,
    shared: &Shared,
    params: TextDocumentPositionParams,
    compute: impl FnOnce(&DocumentPosition) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    let range = Range::new(params.position, params.position);
    let found = stretch(shared, &params.text_document.uri, range, Duration::ZERO).await?;
    let Some((_, revision, Stretch { snapshot, range, session, figures, .. })) = found else { return Ok(None) };
    let place = DocumentPosition { snapshot, offset: range.start, session, figures, revision };
    shared.cancellable_in(pool, move |_| compute(&place)).await
}

/// A range of a document that a request names.
#[derive(Debug)]
pub struct Stretch {
    /// The text of the document, and its tree.
    pub snapshot: Snapshot,
    /// The range in bytes.
    pub range: std::ops::Range<usize>,
    /// The client's features.
    pub session: ClientFeatures,
    /// The register report of its functions.
    pub figures: Arc<Figures>,
    /// Whether the request was cancelled; long computations poll it.
    pub cancelled: CancelFlag,
}

/// As [`at`], for a range.
async fn within<T: Send + 'static>(
    shared: &Shared,
    uri: &Uri,
    range: Range,
    compute: impl FnOnce(Stretch) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    within_after(shared, uri, range, Duration::ZERO, compute).await
}

/// As [`within`], with the results of the flow lints if they are ready within `patience`.
async fn within_after<T: Send + 'static>(
    shared: &Shared,
    uri: &Uri,
    range: Range,
    patience: Duration,
    compute: impl FnOnce(Stretch) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    let Some((.., stretch)) = stretch(shared, uri, range, patience).await? else { return Ok(None) };
    shared.cancellable(move |cancelled| compute(Stretch { cancelled: cancelled.clone(), ..stretch })).await
}

/// As [`within`], for answers that are edits without a version. Edits of an older text would be wrong, and the client may not
/// notice.
///
/// # Errors
/// If the text has changed.
async fn edits_within<T: Send + 'static>(
    shared: &Shared,
    uri: &Uri,
    range: Range,
    compute: impl FnOnce(Stretch) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    let Some((document, revision, stretch)) = stretch(shared, uri, range, Duration::ZERO).await? else {
        return Ok(None);
    };
    let answer = shared.off_thread(move || compute(stretch)).await?;
    if document.is_stale(revision) { Err(Error::content_modified()) } else { Ok(answer) }
}

/// Returns the range of a request, and the revision of the text that answers it.
async fn stretch(
    shared: &Shared,
    uri: &Uri,
    range: Range,
    patience: Duration,
) -> Result<Option<(Arc<OpenDocument>, u64, Stretch)>> {
    let session = shared.session();
    let Some(document) = shared.document(uri) else { return Ok(None) };
    shared.touch(uri);
    let (revision, range) = document.note(session.encoding, range);
    let parsed = match patience.is_zero() {
        true => document.parsed(revision).await,
        false => document.passed(&*shared.platform, revision, patience).await,
    };
    let Some(parsed) = parsed else { return Ok(None) };
    let range = document.follow(range, revision, parsed.revision).ok_or_else(Error::content_modified)?;
    let Some(snapshot) = parsed.snapshot.clone() else { return Ok(None) };
    let figures = Arc::clone(&parsed.figures);
    Ok(Some((
        document,
        parsed.revision,
        Stretch { snapshot, range, session, figures, cancelled: CancelFlag::default() },
    )))
}

/// Converts edits to the client's positions.
fn text_edits(encoding: ColumnEncoding, rope: &Rope, edits: &[ptx_ide::TextEdit]) -> Vec<TextEdit> {
    edits.iter().map(|e| TextEdit::new(encoding.range(rope, &e.range), e.text.clone())).collect()
}
