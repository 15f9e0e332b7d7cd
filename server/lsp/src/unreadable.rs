//! Messages about texts that cannot be understood.
//!
//! A change that is dropped leaves the server with another text than the client has, and every later range would be applied
//! to the wrong place. So the document counts as *out of sync*: nothing is reported about it and requests are refused, until
//! a message brings the whole text again.

use super::shared::Shared;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Request};
use tower_lsp_server::ls_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, Uri,
};

/// What the protocol calls `RequestFailed`.
pub const REQUEST_FAILED: ErrorCode = ErrorCode::ServerError(-32803);

/// The notifications that say what a text is.
const METHODS: [&str; 3] = ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"];

/// A notification about a text that cannot be parsed.
#[derive(Debug, PartialEq, Eq)]
pub struct UnreadableMessage {
    /// Its method.
    pub method: &'static str,
    /// The document, as the message names it, where it does.
    pub uri: Option<String>,
    /// What is wrong.
    pub reason: String,
}

impl UnreadableMessage {
    /// A message that is not JSON: nothing if it is about something else, as far as one can see.
    pub fn in_bytes(body: &[u8], reason: &str) -> Option<Self> {
        let named = string_after(body, "method")?;
        let method = METHODS.into_iter().find(|m| *m == named)?;
        Some(Self { method, uri: string_after(body, "uri"), reason: reason.to_owned() })
    }

    /// A message that is no request or notification, though it is JSON.
    pub fn in_message(message: &Value, reason: &str) -> Option<Self> {
        let method = message.get("method")?.as_str()?;
        let method = METHODS.into_iter().find(|m| *m == method)?;
        let uri = message.pointer("/params/textDocument/uri").and_then(Value::as_str);
        Some(Self { method, uri: uri.map(str::to_owned), reason: reason.to_owned() })
    }

    /// A notification whose parameters are wrong. The framework would pass over it in silence.
    pub fn in_parameters(message: &Value) -> Option<Self> {
        let method = message.get("method")?.as_str()?;
        let params = message.get("params").unwrap_or(&Value::Null);
        let read = match METHODS.iter().position(|m| *m == method)? {
            0 => DidOpenTextDocumentParams::deserialize(params).map(drop),
            1 => DidChangeTextDocumentParams::deserialize(params).map(drop),
            _ => DidCloseTextDocumentParams::deserialize(params).map(drop),
        };
        Self::in_message(message, &read.err()?.to_string())
    }
}

/// The string that follows a key. In the text of a document the quotes of a key are escaped, so it is not taken for one.
fn string_after(body: &[u8], key: &str) -> Option<String> {
    let key = format!("\"{key}\"");
    let at = body.windows(key.len()).position(|w| w == key.as_bytes())?;
    let rest = body.get(at + key.len()..)?.trim_ascii_start().strip_prefix(b":")?;
    serde_json::Deserializer::from_slice(rest).into_iter::<String>().next()?.ok()
}

/// Marks the documents that a message may have been about, and tells the user.
pub fn handle(shared: &Arc<Shared>, unreadable: &UnreadableMessage) {
    let UnreadableMessage { method, uri, reason } = unreadable;
    tracing::error!(
        "`{method}` for {} cannot be understood: {reason}",
        uri.as_deref().unwrap_or("an unknown document")
    );
    match (uri, *method) {
        // A name that is no URI belongs to no document here, and no request can name it.
        (Some(uri), _) => match uri.parse::<Uri>() {
            Ok(uri) => shared.lose(&uri, *method == METHODS[0]),
            Err(_) => shared.tell_lost(uri),
        },
        // Any of them may have changed.
        (None, "textDocument/didChange") => shared.documents().iter().for_each(|d| shared.lose(&d.uri, false)),
        (None, _) => shared.tell_lost("a document"),
    }
}

/// Why a request is not answered: its document is out of sync, or cannot be followed.
pub fn refuse(shared: &Shared, request: &Request) -> Option<Error> {
    // Its answer takes back what was shown.
    if !shared.refuses() || request.id().is_none() {
        return None;
    }
    let params = request.params()?;
    let places = ["/textDocument/uri", "/arguments/0/uri", "/arguments/0", "/item/uri", "/data/uri"];
    let uri: Uri = places.iter().find_map(|place| params.pointer(place)?.as_str())?.parse().ok()?;
    let refusal = shared.refusal(&uri)?;
    if refusal.has_no_diagnostics() && request.method() == "textDocument/diagnostic" {
        return None;
    }
    Some(Error { code: REQUEST_FAILED, message: refusal.message().into(), data: None })
}

/// The reason why requests about a document are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentRefusal {
    /// A message about its text could not be understood.
    OutOfSync,
    /// The system has no thread for it.
    NoThread,
}

impl DocumentRefusal {
    /// There is nothing to report for now, and that is the answer: it takes back what the client shows.
    fn has_no_diagnostics(self) -> bool {
        self == Self::OutOfSync
    }

    fn message(self) -> &'static str {
        match self {
            Self::OutOfSync => {
                "the text of this document is not known: a message about it could not be understood; close the file and open it again"
            }
            Self::NoThread => {
                "this document is not followed: the system has no thread for it; close other files and open it again"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_document_is_recovered() {
        let cut = br#"{"jsonrpc":"2.0","method" : "textDocument/didChange","params":{"textDocument":{"uri" : "file:///a.ptx","ver"#;
        let found = UnreadableMessage::in_bytes(cut, "cut").unwrap();
        assert_eq!((found.method, found.uri.as_deref()), ("textDocument/didChange", Some("file:///a.ptx")));
        // Not what a text says.
        let quoted =
            br#"{"method":"textDocument/didOpen","params":{"text":"\"uri\":\"file:///b.ptx\"","uri":"file:///a.ptx"#;
        assert_eq!(UnreadableMessage::in_bytes(quoted, "").unwrap().uri, None);
        assert_eq!(UnreadableMessage::in_bytes(br#"{"method":"textDocument/hover","uri":"file:///a.ptx""#, ""), None);
        assert_eq!(UnreadableMessage::in_bytes(b"{a}", ""), None);
    }

    #[test]
    fn parameters_are_looked_at() {
        let wrong = |method: &str, params: Value| {
            UnreadableMessage::in_parameters(&json!({ "method": method, "params": params })).map(|u| u.uri)
        };
        let id = json!({ "uri": "file:///a.ptx", "version": 1 });
        let uri = Some(Some("file:///a.ptx".to_owned()));
        let change = "textDocument/didChange";
        assert_eq!(wrong(change, json!({ "textDocument": id, "contentChanges": [{ "text": "" }] })), None);
        assert_eq!(wrong(change, json!({ "textDocument": id, "contentChanges": [{ "text": 1 }] })), uri);
        assert_eq!(wrong(change, json!({ "textDocument": id })), uri);
        assert_eq!(wrong(change, json!([])), Some(None));
        assert_eq!(wrong("textDocument/didOpen", json!({ "textDocument": id })), uri);
        assert_eq!(wrong("textDocument/didClose", json!({ "textDocument": id })), None);
        assert_eq!(wrong("textDocument/hover", json!({})), None);
    }
}
