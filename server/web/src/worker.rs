//! A language server and its executor.

use crate::executor::{Executor, Rest, Working};
use ptx_lsp::EmbeddedServer;
use ptx_lsp::platform::Platform;
use ptx_wire::outgoing::{Outgoing, OutgoingQueue};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

/// A server for one client.
pub struct WebServer {
    executor: Executor,
    server: EmbeddedServer,
    messages: OutgoingQueue,
}

/// A failure of an earlier server with the same client.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failure {
    /// The document or method.
    what: String,
    /// Whether the next text of the document is not to be checked.
    give_up: bool,
    /// Whether the user has not heard of it.
    tell: bool,
    /// Files that were not open when work on them failed.
    #[serde(default)]
    files: Vec<String>,
}

/// What a server is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerKind {
    /// PTX in a page.
    Page,
    /// PTX in an editor, which supplies files.
    Editor,
    /// PTX in strings of other languages.
    Host,
}

impl WebServer {
    /// Creates a server. `working` is called before and after each part of the work on a document.
    #[inline(always)]
    pub fn new(kind: ServerKind, working: Working) -> Self {
        let executor = Executor::new(working);
        let (outgoing, messages) = Outgoing::queue();
        let platform: Arc<dyn Platform> = Arc::new(executor.platform());
        let server = match kind {
            ServerKind::Page => EmbeddedServer::start(&platform, outgoing),
            ServerKind::Editor => EmbeddedServer::start_in_editor(&platform, outgoing),
            ServerKind::Host => EmbeddedServer::start_host(&platform, outgoing),
        };
        Self { executor, server, messages }
    }

    /// Accepts a message of the client; it takes effect when the server runs.
    pub fn receive(&self, body: &[u8]) {
        self.server.receive(body);
    }

    /// Works for about a time slice, and passes the messages for the client to `send`.
    pub fn run(&mut self, slice: Duration, send: impl Fn(&[u8])) -> Rest {
        // Messages leave before other work begins.
        let rest = self.executor.run(slice, || !self.messages.is_empty());
        while let Some(message) = self.messages.next_message() {
            send(&message);
        }
        rest
    }

    /// Answers all requests from now on: all code is loaded.
    pub fn complete(&self) {
        self.server.complete();
    }

    /// Refuses the requests that wait for code which did not load, for a reason.
    pub fn refuse(&self, reason: &[u8]) {
        self.server.refuse(&String::from_utf8_lossy(reason));
    }

    /// Returns messages that open the current documents in another server, as a JSON list.
    pub fn documents(&self) -> Vec<u8> {
        self.server.documents()
    }

    /// Notes a failure of an earlier server: `{"what": …, "giveUp": …, "tell": …, "files": […]}`.
    pub fn recover(&self, failure: &[u8]) {
        match serde_json::from_slice::<Failure>(failure) {
            Ok(Failure { what, give_up, tell, files }) => {
                self.server.recover(&what, give_up, tell, files.iter().filter_map(|uri| uri.parse().ok()));
            }
            Err(error) => debug_assert!(false, "{error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::cell::RefCell;

    const TEXT: &str = ".version 8.0\n.target sm_80\n.entry k()\n{\n    bad;\n}\n";

    fn send(server: &WebServer, message: &Value) {
        server.receive(message.to_string().as_bytes());
    }

    /// Runs until all work waits, and returns the messages.
    fn run(server: &mut WebServer) -> Vec<Value> {
        let out = RefCell::new(Vec::new());
        loop {
            let take = |message: &[u8]| out.borrow_mut().push(serde_json::from_slice(message).unwrap());
            match server.run(Duration::from_millis(5), take) {
                Rest::Ready => {}
                // The timeouts of requests to the client are longer.
                Rest::In(time) if time < Duration::from_secs(2) => std::thread::sleep(time),
                _ => return out.into_inner(),
            }
        }
    }

    fn begun() -> WebServer {
        let mut server = WebServer::new(ServerKind::Page, |_| {});
        send(&server, &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }));
        let answers = run(&mut server);
        assert_eq!(answers[0]["result"]["serverInfo"]["name"], "ptx-analyzer", "{answers:?}");
        server
    }

    fn open(server: &WebServer, text: &str) {
        let item = json!({ "uri": "file:///a.ptx", "languageId": "ptx", "version": 1, "text": text });
        let params = json!({ "textDocument": item });
        send(server, &json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params }));
    }

    fn diagnostics(messages: &[Value]) -> Vec<usize> {
        let published = messages.iter().filter(|m| m["method"] == "textDocument/publishDiagnostics");
        published.map(|m| m["params"]["diagnostics"].as_array().unwrap().len()).collect()
    }

    #[test]
    fn a_document_is_checked_and_opened_again() {
        let mut server = begun();
        open(&server, TEXT);
        let messages = run(&mut server);
        assert!(diagnostics(&messages).last().is_some_and(|n| *n > 0), "{messages:?}");
        let documents: Value = serde_json::from_slice(&server.documents()).unwrap();
        assert_eq!(documents[0]["params"]["textDocument"]["text"], TEXT);
        let mut other = begun();
        send(&other, &documents[0]);
        assert_eq!(diagnostics(&run(&mut other)), diagnostics(&messages));
    }

    #[test]
    fn a_text_that_failed_is_spared_once() {
        let mut server = begun();
        server.recover(br#"{"what":"file:///a.ptx","giveUp":true,"tell":true}"#);
        open(&server, TEXT);
        let messages = run(&mut server);
        assert_eq!(diagnostics(&messages), [0]);
        assert!(messages.iter().any(|m| m["method"] == "window/showMessage"), "{messages:?}");
        let change =
            json!({ "textDocument": { "uri": "file:///a.ptx", "version": 2 }, "contentChanges": [{ "text": TEXT }] });
        send(&server, &json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": change }));
        assert!(diagnostics(&run(&mut server)).last().is_some_and(|n| *n > 0));
    }

    fn hover(server: &WebServer, id: u32) {
        let params = json!({ "textDocument": { "uri": "file:///a.ptx" }, "position": { "line": 1, "character": 2 } });
        send(server, &json!({ "jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": params }));
    }

    #[test]
    fn requests_wait_for_all_code() {
        let mut server = begun();
        open(&server, TEXT);
        hover(&server, 2);
        assert!(run(&mut server).iter().all(|m| m["id"].is_null()));
        server.refuse(b"offline");
        let refused = run(&mut server);
        assert!(refused.iter().any(|m| m["id"] == 2 && m["error"]["message"] == "offline"), "{refused:?}");
        hover(&server, 3);
        hover(&server, 4);
        send(&server, &json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 4 } }));
        server.complete();
        let answers = run(&mut server);
        assert!(answers.iter().any(|m| m["id"] == 3 && m["result"]["contents"] != Value::Null), "{answers:?}");
        assert!(answers.iter().any(|m| m["id"] == 4 && m["error"]["code"] == -32800), "{answers:?}");
        hover(&server, 5);
        assert!(run(&mut server).iter().any(|m| m["id"] == 5 && m["result"] != Value::Null));
    }
}
