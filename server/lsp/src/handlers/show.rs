//! Shows texts and pages in the client.

use crate::convert::page_address;
use crate::server::Server;
use ptx_gate::names::FileName;
use std::sync::Arc;
use tower_lsp_server::ls_types::{MessageType, ShowDocumentParams, Uri};

/// Opens the page of a code in the browser, or shows its first words if the client opens nothing.
pub fn show_explanation(shared: &Arc<Server>, code: &str, text: &str) {
    let (runner, shared) = (shared, Arc::clone(shared));
    // Without headings: the code is the first word of the message.
    let summary = text.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with('#')).unwrap_or("").to_owned();
    let message = format!("{code}: {summary}");
    let uri: Option<Uri> = page_address(code).parse().ok();
    runner.spawn(async move {
        if let Some(uri) = uri.filter(|_| shared.state.session().shows_documents) {
            let document = ShowDocumentParams { uri, external: Some(true), take_focus: Some(true), selection: None };
            let shown = shared.answer(shared.client().await.show_document(document)).await;
            if matches!(shown, Some(Ok(true))) {
                return;
            }
        }
        shared.client().await.show_message(MessageType::INFO, message).await;
    });
}

/// Opens a text in the client, as a file that ends with the server; does nothing if the client opens no documents.
pub async fn open_text(shared: &Arc<Server>, name: String, extension: &'static str, text: String) {
    if !shared.state.session().shows_documents {
        return;
    }
    let server = Arc::clone(shared);
    let written = shared.platform.off_thread(move || server.evaluations.write(&name, extension, &text)).await;
    let written = written.ok().and_then(Result::ok).map(|path| FileName::of_path(&path));
    let Some(uri) = written.and_then(|file| shared.state.spelling.uri(&file)) else { return };
    let document = ShowDocumentParams { uri, external: Some(false), take_focus: Some(true), selection: None };
    let shown = shared.answer(shared.client().await.show_document(document)).await;
    if !matches!(shown, Some(Ok(true))) {
        tracing::info!("the client has not opened the document");
    }
}
