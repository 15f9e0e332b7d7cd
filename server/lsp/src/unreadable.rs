//! Messages about texts that cannot be understood.
//!
//! If the server ignored a change, its text would differ from the client's, and every later range would apply to the wrong
//! place. Such a document therefore counts as *out of sync*: the server reports nothing about it and refuses requests, until a
//! message contains the whole text again.

use super::shared::Shared;
use super::spelling::{as_opened, named_document};
use super::transport::MessageGate;
use serde::Deserialize;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Request};
use tower_lsp_server::ls_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, Uri,
};

/// The protocol's error code `RequestFailed`.
pub const REQUEST_FAILED: ErrorCode = ErrorCode::ServerError(-32803);

/// The notifications that define the text of a document.
const METHODS: [&str; 3] = ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"];

/// A notification about a text that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableMessage {
    /// Its method.
    pub method: &'static str,
    /// The document's URI as in the message, if present.
    pub uri: Option<String>,
    /// Description of the error.
    pub reason: String,
}

impl UnreadableMessage {
    /// Recognises a notification about a text in a message that is not valid JSON; `None` if the message seems to be about
    /// something else.
    pub fn in_bytes(body: &[u8], reason: &str) -> Option<Self> {
        let named = string_after(body, "method")?;
        let method = METHODS.into_iter().find(|m| *m == named)?;
        Some(Self { method, uri: string_after(body, "uri"), reason: reason.to_owned() })
    }

    /// Recognises a notification about a text in a message that is JSON but neither a valid request nor a valid notification.
    pub fn in_message(message: &Value, reason: &str) -> Option<Self> {
        let method = message.get("method")?.as_str()?;
        let method = METHODS.into_iter().find(|m| *m == method)?;
        let uri = message.pointer("/params/textDocument/uri").and_then(Value::as_str);
        Some(Self { method, uri: uri.map(str::to_owned), reason: reason.to_owned() })
    }

    /// Recognises a notification about a text with invalid parameters. The framework would silently ignore it.
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

/// Returns the string that follows a key. In the text of a document the quotes of a key are escaped, so such a key is not
/// mistaken for one of the message.
fn string_after(body: &[u8], key: &str) -> Option<String> {
    let key = format!("\"{key}\"");
    let at = body.windows(key.len()).position(|w| w == key.as_bytes())?;
    let rest = body.get(at + key.len()..)?.trim_ascii_start().strip_prefix(b":")?;
    serde_json::Deserializer::from_slice(rest).into_iter::<String>().next()?.ok()
}

/// Returns the callbacks that see messages before the service does.
pub fn gate(shared: &Arc<OnceLock<Arc<Shared>>>) -> MessageGate {
    let state = Arc::clone(shared);
    let (lost, open) = (Arc::clone(shared), Arc::clone(shared));
    MessageGate {
        spell: Box::new(move |request| match open.get() {
            Some(shared) => as_opened(shared, request),
            None => request,
        }),
        refuse: Box::new(move |request| refuse(state.get()?, request)),
        lose: Box::new(move |message| {
            // Before `initialize` there is no document, and the client must get nothing but answers.
            if let Some(shared) = lost.get().filter(|shared| shared.has_begun()) {
                handle(shared, message);
            }
        }),
    }
}

/// Marks the documents that a message may have changed, and notifies the user.
pub fn handle(shared: &Arc<Shared>, unreadable: &UnreadableMessage) {
    let UnreadableMessage { method, uri, reason } = unreadable;
    tracing::error!(
        "`{method}` for {} cannot be understood: {reason}",
        uri.as_deref().unwrap_or("an unknown document")
    );
    match (uri, *method) {
        (Some(uri), _) => match uri.parse::<Uri>() {
            Ok(uri) => shared.lose(&uri, *method == METHODS[0]),
            // By a name that is no valid URI, such as one with a space, no document is opened; but it may mean an open one.
            Err(_) => match shared.document_named(uri) {
                Some(document) => shared.lose(&document.uri, false),
                None => shared.tell_lost(uri),
            },
        },
        // Any open document may have changed.
        (None, "textDocument/didChange") => shared.documents().iter().for_each(|d| shared.lose(&d.uri, false)),
        (None, _) => shared.tell_lost("a document"),
    }
}

/// Returns the error for a request whose document is out of sync or has no worker thread; `None` if the request is to be
/// answered.
pub fn refuse(shared: &Shared, request: &Request) -> Option<Error> {
    if !shared.refuses() || request.id().is_none() {
        return None;
    }
    let params = request.params()?;
    let uri: Uri = named_document(params)?.parse().ok()?;
    let refusal = shared.refusal(&uri)?;
    // A pull of diagnostics is answered: its empty answer withdraws the diagnostics that the client shows.
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
    /// The system could not start a thread for the document.
    NoThread,
}

impl DocumentRefusal {
    /// Whether a pull of diagnostics gets an empty answer, which withdraws the diagnostics that the client shows.
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
        // Keys inside of a document's text do not count.
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
