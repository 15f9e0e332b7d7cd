//! `textDocument/selectionRange`.

use crate::server::Server;
use crate::session::ClientFeatures;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{
    Range, SelectionRange, SelectionRangeParams, SelectionRangeProviderCapability, ServerCapabilities,
};

/// Announces selection ranges to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.selection_range_provider = Some(SelectionRangeProviderCapability::Simple(true));
}

/// Returns nested selections around each position.
pub async fn selections(shared: &Server, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
    let Some(document) = shared.state.document(&params.text_document.uri) else { return Ok(None) };
    let encoding = shared.state.session().encoding;
    let note = |position| document.note(encoding, Range::new(position, position));
    let noted: Vec<_> = params.positions.into_iter().map(note).collect();
    let Some(parsed) = document.parsed(document.revision()).await else { return Ok(None) };
    let follow = |(revision, place)| document.follow(place, revision, parsed.revision);
    let places: Option<Vec<_>> = noted.into_iter().map(follow).collect();
    let places = places.ok_or_else(Error::content_modified)?;
    let Some(snapshot) = parsed.snapshot.clone() else { return Ok(None) };
    shared
        .platform
        .off_thread(move || {
            let rope = snapshot.rope();
            let one = |place: std::ops::Range<usize>| {
                let found = ptx_ide::selections(&snapshot, place.start);
                let nested = found.iter().rev().fold(None, |parent, range| {
                    Some(SelectionRange { range: encoding.range(rope, range), parent: parent.map(Box::new) })
                });
                // The answer must have one entry for each position.
                nested.unwrap_or_else(|| SelectionRange { range: encoding.range(rope, &place), parent: None })
            };
            Some(places.into_iter().map(one).collect())
        })
        .await
}
