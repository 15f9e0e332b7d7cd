//! The gate between the transport and a server: which document a message means, whether it may be answered, and what becomes of a text
//! about which a message could not be understood.

use super::protocol::REQUEST_FAILED;
use super::refresh;
use super::server::Server;
use super::state::State;
use super::transport::MessageGate;
use super::unreadable::UnreadableMessage;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use tower_lsp_server::jsonrpc::{Error, Request};
use tower_lsp_server::ls_types::Uri;

/// Where the parameters of a message name its document.
const PLACES: [&str; 5] = ["/textDocument/uri", "/arguments/0/uri", "/arguments/0", "/item/uri", "/data/uri"];

/// Returns the callbacks that see messages before the service does.
pub fn gate(shared: &Arc<OnceLock<Arc<Server>>>) -> MessageGate {
    let state = Arc::clone(shared);
    let (lost, open) = (Arc::clone(shared), Arc::clone(shared));
    MessageGate {
        spell: Box::new(move |request| match open.get() {
            Some(shared) => as_opened(&shared.state, request),
            None => request,
        }),
        refuse: Box::new(move |request| refuse(&state.get()?.state, request)),
        lose: Box::new(move |message| {
            // Before `initialize` there is no document, and the client must get nothing but answers.
            if let Some(shared) = lost.get().filter(|shared| shared.state.has_begun()) {
                handle(shared, message);
            }
        }),
    }
}

/// Marks the documents that a message may have changed, and notifies the user.
pub fn handle(shared: &Arc<Server>, unreadable: &UnreadableMessage) {
    let UnreadableMessage { method, uri, reason } = unreadable;
    tracing::error!(
        "`{method}` for {} cannot be understood: {reason}",
        uri.as_deref().unwrap_or("an unknown document")
    );
    let is_lost = match (uri, *method) {
        (Some(uri), _) => match uri.parse::<Uri>() {
            Ok(uri) => shared.lose(&uri, unreadable.opens()),
            // By a name that is not a valid URI, such as one with a space, no document is opened; but it may mean an open one.
            Err(_) => match shared.state.document_named(uri) {
                Some(document) => shared.lose(&document.uri, false),
                None => {
                    shared.tell_lost(uri);
                    false
                }
            },
        },
        // Any open document may have changed.
        (None, "textDocument/didChange") => {
            let documents = shared.state.documents();
            documents.iter().filter(|document| shared.lose(&document.uri, false)).count() > 0
        }
        (None, _) => {
            shared.tell_lost("a document");
            false
        }
    };
    if is_lost {
        refresh::diagnostics(shared);
    }
}

/// Returns the error for a request whose document is out of sync or has no worker thread; `None` if the request is to be
/// answered.
fn refuse(state: &State, request: &Request) -> Option<Error> {
    if !state.refuses() || request.id().is_none() {
        return None;
    }
    let params = request.params()?;
    let uri: Uri = named_document(params)?.parse().ok()?;
    let refusal = state.refusal(&uri)?;
    // A pull of diagnostics is answered: its empty answer withdraws the diagnostics that the client shows.
    if refusal.has_no_diagnostics() && request.method() == "textDocument/diagnostic" {
        return None;
    }
    Some(Error { code: REQUEST_FAILED, message: refusal.message().into(), data: None })
}

/// Returns the URI of the document that the parameters of a message name.
fn named_document(params: &Value) -> Option<&str> {
    PLACES.iter().find_map(|place| params.pointer(place)?.as_str())
}

/// Replaces the URI of an open document by the one that opened it, so that answers have that one.
fn as_opened(state: &State, request: Request) -> Request {
    let Some(params) = request.params().filter(|_| request.method() != "textDocument/didOpen") else { return request };
    let Some((place, written)) = PLACES.iter().find_map(|place| Some((place, params.pointer(place)?.as_str()?))) else {
        return request;
    };
    let opened = state.document_named(written).map(|document| document.uri.clone());
    let Some(opened) = opened.filter(|opened| opened.as_str() != written) else { return request };
    let (method, id, params) = request.into_parts();
    let mut params = params.unwrap_or_default();
    if let Some(uri) = params.pointer_mut(place) {
        *uri = Value::String(opened.as_str().to_owned());
    }
    let request = Request::build(method).params(params);
    match id {
        Some(id) => request.id(id).finish(),
        None => request.finish(),
    }
}
