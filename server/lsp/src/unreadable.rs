//! Messages about texts that cannot be understood.
//!
//! If the server ignored a change, its text would differ from the client's, and every later range would apply to the wrong
//! place. Such a document therefore counts as *out of sync*: the server reports nothing about it and refuses requests, until a
//! message contains the whole text again. What is recognised here, `gate` handles.

use serde::Deserialize;
use serde_json::Value;
use tower_lsp_server::ls_types::{DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams};

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
    /// Whether it was to open a document.
    pub fn opens(&self) -> bool {
        self.method == METHODS[0]
    }

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
