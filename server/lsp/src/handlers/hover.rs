//! `textDocument/hover`.

use crate::places::{DocumentPlace, at};
use crate::server::Server;
use crate::session::{ClientFeatures, EXPLAIN};
use ptx_nvidia::disassembly::MachineInstruction;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    Hover, HoverContents, HoverParams, HoverProviderCapability, MarkupContent, MarkupKind, ServerCapabilities, Uri,
};

/// Announces hover to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.hover_provider = Some(HoverProviderCapability::Simple(true));
}

/// Returns the hover for a position.
pub async fn hover(shared: &Arc<Server>, params: HoverParams) -> Result<Option<Hover>> {
    let uri = params.text_document_position_params.text_document.uri.clone();
    if !shared.state.settings_of(&uri).hover.enable {
        return Ok(None);
    }
    let server = Arc::clone(shared);
    at(shared, params.text_document_position_params, move |place| {
        let figures = server.ptxas.figures(&uri, &place.snapshot, &place.figures);
        let found = ptx_ide::hover(&place.snapshot, place.offset(), Some(&figures))?;
        // A client that shows only plain text gets the Markdown as plain text.
        let kind = if place.session.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
        let mut value = if place.session.explains { found.linked(EXPLAIN) } else { found.markdown };
        if let Some(sass) = machine_code(&server, &uri, place) {
            value.push_str("\n\n---\n\n");
            value.push_str(&sass);
        }
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind, value }),
            range: Some(place.session.encoding.range(place.snapshot.rope(), &found.range)),
        })
    })
    .await
}

/// Maximum number of machine instructions that a hover lists.
const MAX_INSTRUCTIONS: usize = 8;

/// Returns what became of the line of an instruction, if the machine code of exactly this text is known.
fn machine_code(shared: &Server, uri: &Uri, place: &DocumentPlace) -> Option<String> {
    let tied = shared.nvdisasm.current(uri, place.revision)?;
    let line = u32::try_from(place.snapshot.rope().byte_to_line(place.offset())).ok()?.checked_add(1)?;
    let fate = tied.code.ties.line(line)?;
    let mut out = format!("**SASS**: {}", fate.words());
    let all: Vec<&MachineInstruction> = tied.code.code.functions.iter().flat_map(|f| &f.instructions).collect();
    let found: Vec<&str> =
        fate.instructions.iter().filter_map(|at| Some(all.get(*at as usize)?.text.as_str())).collect();
    if !found.is_empty() {
        out.push_str("\n\n```ptxsass\n");
        for text in found.iter().take(MAX_INSTRUCTIONS) {
            out.push_str(text);
            out.push('\n');
        }
        if let Some(more) = found.len().checked_sub(MAX_INSTRUCTIONS).filter(|n| *n > 0) {
            out.push_str(&format!("// … and {more} more\n"));
        }
        out.push_str("```");
    }
    Some(out)
}
