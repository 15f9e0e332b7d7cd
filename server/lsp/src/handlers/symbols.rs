//! `textDocument/documentSymbol`.

use crate::convert;
use crate::places::snapshot;
use crate::server::Server;
use crate::session::ClientFeatures;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{DocumentSymbolParams, DocumentSymbolResponse, OneOf, ServerCapabilities};

/// Announces document symbols to the client.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    capabilities.document_symbol_provider = Some(OneOf::Left(true));
}

/// Returns the outline of a document.
pub async fn document_symbols(shared: &Server, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
    let uri = params.text_document.uri;
    let Some((_, snapshot)) = snapshot(shared, &uri).await else {
        return Ok(None);
    };
    let session = shared.state.session();
    shared
        .platform
        .off_thread(move || {
            let symbols = ptx_ide::document_symbols(&snapshot);
            Some(if session.nested_symbols {
                DocumentSymbolResponse::Nested(convert::nested(session, snapshot.rope(), symbols))
            } else {
                DocumentSymbolResponse::Flat(convert::flat(session, snapshot.rope(), &uri, symbols))
            })
        })
        .await
}
