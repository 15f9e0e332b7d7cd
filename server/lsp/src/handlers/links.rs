//! `textDocument/documentLink`.

use super::snapshot;
use crate::folders::{file_path, file_uri};
use crate::session::ClientFeatures;
use crate::shared::Shared;
use ptx_ide::LinkTarget;
use std::collections::HashMap;
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

/// Whether a path names another computer, or a device of this one, on some system. Checking whether such a file exists makes Windows connect
/// to that computer and send the user's credentials. Merely opening a document must not cause that.
pub fn is_remote(path: &str) -> bool {
    let mut first = path.chars().map(|c| matches!(c, '/' | '\\'));
    first.next() == Some(true) && first.next() == Some(true)
}

/// Returns the links of a document; links to files only if the file exists.
pub async fn links(shared: &Shared, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
    let uri = params.text_document.uri;
    let Some((_, snapshot)) = snapshot(shared, &uri).await else { return Ok(None) };
    let session = shared.session();
    shared
        .off_thread(move || {
            let folder = file_path(&uri).and_then(|p| p.parent().map(ToOwned::to_owned));
            let mut known: HashMap<String, Option<Uri>> = HashMap::new();
            let file = |path: &str| {
                if is_remote(path) {
                    return None;
                }
                let path = folder.as_ref()?.join(path);
                path.is_file().then(|| file_uri(&path)).flatten()
            };
            let mut out = Vec::new();
            for link in ptx_ide::links(&snapshot) {
                let (target, tooltip) = match &link.target {
                    LinkTarget::Address(address) => (address.parse().ok(), None),
                    LinkTarget::File(path) => {
                        let target = known.entry(path.clone()).or_insert_with(|| file(path)).clone();
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

#[cfg(test)]
mod tests {
    use super::is_remote;

    #[test]
    fn paths_that_name_other_computers() {
        for path in [r"\\host\share\a.cu", "//host/share/a.cu", r"/\host\a", r"\\?\UNC\host\a", r"\\.\pipe\a"] {
            assert!(is_remote(path), "{path}");
        }
        for path in ["/usr/a.cu", "a.cu", r"C:\a.cu", "", "/", "../a.cu"] {
            assert!(!is_remote(path), "{path}");
        }
    }
}
