//! `textDocument/selectionRange`.

use super::snapshot;
use crate::server::session::Session;
use crate::server::shared::{Shared, off_thread};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    Range, SelectionRange, SelectionRangeParams, SelectionRangeProviderCapability, ServerCapabilities,
};

/// Announces it.
pub fn provide(capabilities: &mut ServerCapabilities, _: Session) {
    capabilities.selection_range_provider = Some(SelectionRangeProviderCapability::Simple(true));
}

/// Ever larger selections around each position.
pub async fn selections(shared: &Shared, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
    let Some((_, snapshot)) = snapshot(shared, &params.text_document.uri).await else { return Ok(None) };
    let encoding = shared.session().encoding;
    off_thread(move || {
        let rope = snapshot.rope();
        let one = |position| {
            let found = ptx_ide::selections(&snapshot, encoding.offset(rope, position));
            let nested = found.iter().rev().fold(None, |parent, range| {
                Some(SelectionRange { range: encoding.range(rope, range), parent: parent.map(Box::new) })
            });
            // The answers go with the positions one by one: there must be one for each.
            nested.unwrap_or(SelectionRange { range: Range::new(position, position), parent: None })
        };
        Some(params.positions.into_iter().map(one).collect())
    })
    .await
}
