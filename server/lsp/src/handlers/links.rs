//! `textDocument/documentLink`.

use super::definition::source_file;
use crate::places::snapshot;
use crate::server::Server;
use crate::session::ClientFeatures;
use ptx_ide::LinkTarget;
use std::collections::HashMap;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    DocumentLink, DocumentLinkOptions, DocumentLinkParams, ServerCapabilities, Uri, WorkDoneProgressOptions,
};

/// Announces document links to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.document_link_provider = Some(DocumentLinkOptions {
        resolve_provider: None,
        work_done_progress_options: WorkDoneProgressOptions::default(),
    });
}

/// Returns the links of a document; links to files only if the file exists.
pub async fn links(shared: &Arc<Server>, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
    let uri = params.text_document.uri;
    let Some((_, snapshot)) = snapshot(shared, &uri).await else { return Ok(None) };
    let (session, server) = (shared.state.session(), Arc::clone(shared));
    shared
        .platform
        .off_thread(move || {
            let mut known: HashMap<String, Option<Uri>> = HashMap::new();
            let mut out = Vec::new();
            for link in ptx_ide::links(&snapshot) {
                let (target, tooltip) = match &link.target {
                    LinkTarget::Address(address) => (address.parse().ok(), None),
                    LinkTarget::File(path) => {
                        let target =
                            known.entry(path.clone()).or_insert_with(|| source_file(&server, &uri, path)).clone();
                        (target, Some("Open the source".to_owned()))
                    }
                };
                if target.is_some() {
                    let range = session.encoding.range(snapshot.rope(), &link.range);
                    out.push(DocumentLink {
                        range,
                        target,
                        tooltip: tooltip.filter(|_| session.link_tooltips),
                        data: None,
                    });
                }
            }
            Some(out)
        })
        .await
}
