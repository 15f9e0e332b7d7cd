//! The places in host files that requests name: which statement with PTX, and where in it.

use crate::document::{HostText, OpenDocument};
use crate::platform::Pool;
use crate::server::Server;
use crate::session::ClientFeatures;
use ptx_host::{GroupView, group_at, is_ptx};
use std::ops::Range;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{self, TextDocumentPositionParams, Uri};

/// A place in a statement with PTX.
pub struct HostPlace {
    /// The text.
    pub text: Arc<HostText>,
    /// The client's features.
    pub session: ClientFeatures,
    /// The index of its group of statements.
    pub group: usize,
    /// The byte offset in the text at which the group begins.
    pub start: usize,
    /// The place, relative to the start of the group.
    pub range: Range<usize>,
}

impl HostPlace {
    /// Returns the place of a range of a text, in the group in which the range begins.
    pub fn new(text: &Arc<HostText>, session: ClientFeatures, range: &Range<usize>) -> Option<Self> {
        let (group, _) = group_at(&text.groups, range.start)?;
        let start = text.groups.get(group)?.start;
        let range = range.start - start..range.end.max(range.start) - start;
        Some(Self { text: Arc::clone(text), session, group, start, range })
    }

    /// Returns all of a group.
    pub fn of_group(text: &Arc<HostText>, session: ClientFeatures, group: usize) -> Option<Self> {
        let start = text.groups.get(group)?.start;
        Some(Self { text: Arc::clone(text), session, group, start, range: 0..0 })
    }

    /// The group as a module; `None` if it is not PTX.
    pub fn view(&self) -> Option<GroupView<'_>> {
        let placed = self.text.groups.get(self.group).filter(|placed| is_ptx(&placed.group))?;
        Some(GroupView::new(&placed.group, self.text.result(self.group).and_then(|result| result.target)))
    }

    /// The host text of a range relative to the start of the group.
    pub fn part(&self, range: Range<usize>) -> String {
        let range = range.start + self.start..(range.end + self.start).min(self.text.rope.len_bytes());
        self.text.rope.get_byte_slice(range).map(|slice| slice.to_string()).unwrap_or_default()
    }

    /// A range of the protocol for one relative to the start of the group.
    pub fn shown(&self, range: &Range<usize>) -> ls_types::Range {
        self.session.encoding.range(&self.text.rope, &(range.start + self.start..range.end + self.start))
    }
}

/// A range that a request names, in the text that answers it.
#[derive(Debug)]
pub struct HostRange {
    /// The document.
    pub document: Arc<OpenDocument>,
    /// Its text.
    pub text: Arc<HostText>,
    /// The range in bytes.
    pub range: Range<usize>,
}

impl HostRange {
    /// Finds the range of a request, which later edits move; `None` if the document is not open. With `results` it waits for the check.
    ///
    /// # Errors
    /// If later edits have removed the range.
    pub async fn of(shared: &Server, uri: &Uri, range: ls_types::Range, results: bool) -> Result<Option<Self>> {
        // What is done before the first `await` happens in the order of arrival.
        let Some(document) = shared.state.document(uri) else { return Ok(None) };
        let (revision, range) = document.note(shared.state.session().encoding, range);
        let Some(text) = document.host(revision, results).await else { return Ok(None) };
        let range = document.follow(range, revision, text.revision).ok_or_else(Error::content_modified)?;
        Ok(Some(Self { document, text, range }))
    }
}

/// Computes an answer about a position in a statement; `null` outside of statements.
///
/// # Errors
/// If later edits have removed the position.
pub async fn at<T: Send + 'static>(
    shared: &Server,
    params: &TextDocumentPositionParams,
    compute: impl FnOnce(&HostPlace) -> Option<T> + Send + 'static,
) -> Result<Option<T>> {
    let range = ls_types::Range::new(params.position, params.position);
    let Some(HostRange { text, range, .. }) = HostRange::of(shared, &params.text_document.uri, range, false).await?
    else {
        return Ok(None);
    };
    let Some(place) = HostPlace::new(&text, shared.state.session(), &range) else { return Ok(None) };
    shared.platform.cancellable_in(Pool::Instant, move |_| compute(&place)).await
}
