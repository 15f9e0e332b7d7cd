//! `textDocument/hover`.

use super::snapshot;
use crate::server::shared::{Shared, off_thread};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

/// What is known of the text at a position.
pub async fn hover(shared: &Shared, params: HoverParams) -> Result<Option<Hover>> {
    let at = params.text_document_position_params;
    if !shared.settings().hover.enable {
        return Ok(None);
    }
    let Some((_, snapshot)) = snapshot(shared, &at.text_document.uri).await else {
        return Ok(None);
    };
    let session = shared.session();
    off_thread(move || {
        let rope = snapshot.rope();
        let found = ptx_ide::hover(&snapshot, session.encoding.offset(rope, at.position))?;
        // To a client that shows plain text Markdown is still the best there is.
        let kind = if session.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind, value: found.markdown }),
            range: Some(session.encoding.range(rope, &found.range)),
        })
    })
    .await
}
