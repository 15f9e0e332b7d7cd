//! `textDocument/didOpen`, `didChange`, `didSave` and `didClose`: all code runs before the first `await`, which keeps the order
//! of arrival.

use super::workspace_check;
use crate::server::Server;
use crate::session::ClientFeatures;
use std::sync::Arc;
use tower_lsp_server::ls_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions,
};

/// Announces incremental synchronisation to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.text_document_sync = Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    }));
}

/// Opens a document.
pub fn open(shared: &Arc<Server>, params: DidOpenTextDocumentParams) {
    let item = params.text_document;
    shared.open(item.uri.clone(), &item.text, item.version);
    workspace_check::opened(shared, &item.uri);
    shared.workspace.changed();
}

/// Closes a document; from now on its file counts.
pub fn close(shared: &Server, params: &DidCloseTextDocumentParams) {
    shared.close(&params.text_document.uri);
    shared.workspace.changed();
}

/// Handles a save: held-back diagnostics are published.
pub fn save(shared: &Server, params: &DidSaveTextDocumentParams) {
    if let Some(document) = shared.state.document(&params.text_document.uri) {
        document.saved();
    }
}

/// Applies changes to a document.
pub fn change(shared: &Server, params: DidChangeTextDocumentParams) {
    let id = params.text_document;
    shared.state.touch(&id.uri);
    match shared.state.document(&id.uri) {
        Some(document) => {
            if document.change(shared.state.session().encoding, id.version, params.content_changes) {
                shared.state.found(&id.uri);
            }
        }
        None => tracing::warn!("{} is changed, but not open", id.uri.as_str()),
    }
}
