//! `textDocument/hover`.

use super::at;
use crate::session::{ClientFeatures, EXPLAIN};

use crate::shared::Shared;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    Hover, HoverContents, HoverParams, HoverProviderCapability, MarkupContent, MarkupKind, ServerCapabilities,
};

/// Announces hover to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.hover_provider = Some(HoverProviderCapability::Simple(true));
}

/// Returns the hover for a position.
pub async fn hover(shared: &Shared, params: HoverParams) -> Result<Option<Hover>> {
    let uri = &params.text_document_position_params.text_document.uri;
    if !shared.settings_of(uri).hover.enable {
        return Ok(None);
    }
    at(shared, params.text_document_position_params, |place| {
        let found = ptx_ide::hover(&place.snapshot, place.offset, Some(&place.figures))?;
        // A client that shows only plain text gets the Markdown as plain text.
        let kind = if place.session.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
        let value = if place.session.explains { found.linked(EXPLAIN) } else { found.markdown };
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind, value }),
            range: Some(place.session.encoding.range(place.snapshot.rope(), &found.range)),
        })
    })
    .await
}
