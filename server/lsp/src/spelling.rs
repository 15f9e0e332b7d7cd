//! The URIs of files, as the client spells them.
//!
//! A client identifies a document by the text of its URI, and may write more than one URI for a file. What the server says about an open
//! document has the very URI that opened it; what it says about another file has a URI in the form of this client ([`Spelling`]).

use super::shared::Shared;
use ptx_gate::names::{FileName, UriForm};
use serde_json::Value;
use std::sync::OnceLock;
use tower_lsp_server::jsonrpc::Request;
use tower_lsp_server::ls_types::Uri;

/// Where the parameters of a message name its document.
const PLACES: [&str; 5] = ["/textDocument/uri", "/arguments/0/uri", "/arguments/0", "/item/uri", "/data/uri"];

/// Returns the file that a URI names.
pub fn file_name(uri: &Uri) -> FileName {
    FileName::of_uri(uri.as_str())
}

/// The form in which the client writes the drive of a URI, as the first URI with a drive shows.
#[derive(Debug, Default)]
pub struct Spelling(OnceLock<UriForm>);

impl Spelling {
    /// Learns the form from a URI of the client.
    pub fn learn(&self, uri: &Uri) {
        if self.0.get().is_none()
            && let Some(form) = UriForm::of(uri.as_str())
        {
            let _ = self.0.set(form);
        }
    }

    /// Returns the URI of a file that is not open; `None` if it has none.
    pub fn uri(&self, file: &FileName) -> Option<Uri> {
        file.uri(self.0.get().copied().unwrap_or_default())?.parse().ok()
    }
}

/// Returns the URI of the document that the parameters of a message name.
pub fn named_document(params: &Value) -> Option<&str> {
    PLACES.iter().find_map(|place| params.pointer(place)?.as_str())
}

/// Replaces the URI of an open document by the one that opened it, so that answers have that one.
pub fn as_opened(shared: &Shared, request: Request) -> Request {
    let Some(params) = request.params().filter(|_| request.method() != "textDocument/didOpen") else { return request };
    let Some((place, written)) = PLACES.iter().find_map(|place| Some((place, params.pointer(place)?.as_str()?))) else {
        return request;
    };
    let opened = shared.document_named(written).map(|document| document.uri.clone());
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
