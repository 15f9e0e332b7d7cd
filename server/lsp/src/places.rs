//! The places that requests name: in which document, in which of its texts, and where after the edits that came meanwhile.
//!
//! It knows documents and how to wait for them, and no answer: handlers compute those.

use super::cancel::CancelFlag;
use super::document::OpenDocument;
use super::platform::Pool;
use super::position::ColumnEncoding;
use super::server::Server;
use super::session::ClientFeatures;
use ptx_analysis::Figures;
use ptx_syntax::{Rope, Snapshot};
use std::sync::Arc;
use std::time::Duration;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{Range, TextDocumentPositionParams, TextEdit, Uri};

/// Returns the document of a request and its tree, of the text the client had when it sent the request or of a later one.
/// Returns `None` if the document is not open or not PTX.
pub async fn snapshot(shared: &Server, uri: &Uri) -> Option<(Arc<OpenDocument>, Snapshot)> {
    let document = shared.state.document(uri)?;
    let revision = document.revision();
    let parsed = document.parsed(revision).await?;
    Some((document, parsed.snapshot.clone()?))
}

/// Another open document with its last tree.
#[derive(Debug)]
pub struct Other {
    /// Its URI.
    pub uri: Uri,
    /// Its text and tree.
    pub snapshot: Snapshot,
    /// The client's version of the text, if the tree belongs to the client's current text.
    pub version: Option<i32>,
}

/// Returns the other open documents with their last trees: a request does not wait until they are parsed.
pub fn others(shared: &Server, uri: &Uri) -> Vec<Other> {
    let own = shared.state.document(uri).map(|own| own.uri.clone());
    let documents = shared.state.documents().into_iter().filter(|document| Some(&document.uri) != own.as_ref());
    let one = |document: Arc<OpenDocument>| {
        let (revision, version) = (document.revision(), document.current().0);
        let parsed = document.last_parsed()?;
        let version = (parsed.revision == revision).then_some(version);
        Some(Other { uri: document.uri.clone(), snapshot: parsed.snapshot.clone()?, version })
    };
    documents.filter_map(one).collect()
}

/// A place in a document that a request names, in the text that answers it.
#[derive(Debug)]
pub struct DocumentPlace {
    /// The document.
    pub document: Arc<OpenDocument>,
    /// The revision of the text.
    pub revision: u64,
    /// The text, and its tree.
    pub snapshot: Snapshot,
    /// The range in bytes; empty for a position.
    pub range: std::ops::Range<usize>,
    /// The client's features.
    pub session: ClientFeatures,
    /// The register report of the functions.
    pub figures: Arc<Figures>,
}

impl DocumentPlace {
    /// Finds the place of a request, of the text that the client had or of a later one; `None` if the document is not open or not PTX. It waits
    /// up to `patience` for the results of the flow lints.
    ///
    /// # Errors
    /// If later edits have removed the place.
    pub async fn of(shared: &Server, uri: &Uri, range: Range, patience: Duration) -> Result<Option<Self>> {
        let session = shared.state.session();
        let Some(document) = shared.state.document(uri) else { return Ok(None) };
        shared.state.touch(uri);
        let (revision, range) = document.note(session.encoding, range);
        let parsed = match patience.is_zero() {
            true => document.parsed(revision).await,
            false => document.passed(&*shared.platform, revision, patience).await,
        };
        let Some(parsed) = parsed else { return Ok(None) };
        let range = document.follow(range, revision, parsed.revision).ok_or_else(Error::content_modified)?;
        let Some(snapshot) = parsed.snapshot.clone() else { return Ok(None) };
        let (revision, figures) = (parsed.revision, Arc::clone(&parsed.figures));
        Ok(Some(Self { document, revision, snapshot, range, session, figures }))
    }

    /// The byte offset of a position.
    pub fn offset(&self) -> usize {
        self.range.start
    }
}

/// Computes an answer about a position away from the asynchronous threads; `null` if the document is not open or not PTX. The
/// computation must be short, because it uses the pool for short requests.
///
/// # Errors
/// If later edits have removed the position.
pub async fn at<T: Send + 'static>(
    shared: &Server,
    params: TextDocumentPositionParams,
    compute: impl FnOnce(&DocumentPlace) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    let range = Range::new(params.position, params.position);
    let place = DocumentPlace::of(shared, &params.text_document.uri, range, Duration::ZERO).await?;
    let Some(place) = place else { return Ok(None) };
    shared.platform.cancellable_in(Pool::Instant, move |_| compute(&place)).await
}

/// As [`at`], for a range and for computations that may take long: they poll whether the request was cancelled.
///
/// # Errors
/// If later edits have removed the range.
pub async fn within<T: Send + 'static>(
    shared: &Server,
    uri: &Uri,
    range: Range,
    patience: Duration,
    compute: impl FnOnce(&DocumentPlace, &CancelFlag) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    let Some(place) = DocumentPlace::of(shared, uri, range, patience).await? else { return Ok(None) };
    shared.platform.cancellable(move |cancelled| compute(&place, cancelled)).await
}

/// As [`within`], for answers that are edits without a version. Edits of an older text would be wrong, and the client may not
/// notice.
///
/// # Errors
/// If the text has changed.
pub async fn edits_within<T: Send + 'static>(
    shared: &Server,
    uri: &Uri,
    range: Range,
    compute: impl FnOnce(&DocumentPlace) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    let Some(place) = DocumentPlace::of(shared, uri, range, Duration::ZERO).await? else { return Ok(None) };
    let (document, revision) = (Arc::clone(&place.document), place.revision);
    let answer = shared.platform.off_thread(move || compute(&place)).await?;
    if document.is_stale(revision) { Err(Error::content_modified()) } else { Ok(answer) }
}

/// Converts edits to the client's positions.
pub fn text_edits(encoding: ColumnEncoding, rope: &Rope, edits: &[ptx_ide::TextEdit]) -> Vec<TextEdit> {
    edits.iter().map(|e| TextEdit::new(encoding.range(rope, &e.range), e.text.clone())).collect()
}
