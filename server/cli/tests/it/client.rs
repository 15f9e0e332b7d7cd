//! A small client of the language server protocol.

#[path = "../../../../tests/src/framing.rs"]
pub mod framing;

use framing::{framed, read_body};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Upper limit for every wait, with a margin for a busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// A server and the pipes to it.
pub struct Client {
    pub child: Child,
    input: Option<ChildStdin>,
    incoming: Receiver<(Value, Instant)>,
    /// Received messages that nothing has waited for yet.
    kept: VecDeque<(Value, Instant)>,
    requests: i64,
    /// When the last message that was waited for had arrived, before it was parsed.
    pub arrived: Instant,
}

impl Client {
    /// Starts a server and sends nothing to it.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, incoming) = mpsc::channel();
        std::thread::spawn(move || {
            while let Some(body) = read_body(&mut output) {
                let arrived = Instant::now();
                let message = serde_json::from_slice(&body).expect("the server writes JSON");
                if sender.send((message, arrived)).is_err() {
                    return;
                }
            }
        });
        Self { child, input, incoming, kept: VecDeque::new(), requests: 0, arrived: Instant::now() }
    }

    /// Initializes a session; returns the server's capabilities.
    pub fn begin(&mut self, params: Value) -> Value {
        let result = self.call("initialize", params);
        self.notify("initialized", json!({}));
        result["capabilities"].clone()
    }

    /// Sends bytes unchanged.
    pub fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("not closed yet");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    /// Sends arbitrary bytes as a body, with a valid header.
    pub fn body(&mut self, body: &[u8]) {
        self.raw(&framed(body));
    }

    pub fn send(&mut self, message: &Value) {
        self.body(message.to_string().as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request without waiting for the answer; returns its id.
    pub fn request(&mut self, method: &str, params: Value) -> i64 {
        self.requests += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params }));
        self.requests
    }

    /// The complete answer to a request.
    pub fn answer(&mut self, id: i64) -> Value {
        self.wait("an answer", |m| m.get("method").is_none() && m["id"] == id)
    }

    /// Sends a request and returns its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Executes a command and returns its result.
    pub fn execute(&mut self, command: &str, argument: Value) -> Value {
        self.call("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }))
    }

    pub fn open(&mut self, uri: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri, "languageId": "ptx", "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub fn change(&mut self, uri: &str, version: i32, changes: Value) {
        let params = json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
    }

    pub fn close(&mut self, uri: &str) {
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    /// The pushed diagnostics of this version.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let mut message = self.wait("diagnostics", |m| {
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["uri"] == uri
                && m["params"]["version"] == version
        });
        let Value::Array(found) = message["params"]["diagnostics"].take() else { panic!("not a list: {message}") };
        found
    }

    /// The first message that satisfies `fits`; others are kept for later.
    pub fn wait(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(|(message, _)| fits(message)) {
            let message;
            (message, self.arrived) = self.kept.remove(at).expect("it is there");
            return message;
        }
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok((message, arrived)) if fits(&message) => {
                    self.arrived = arrived;
                    return message;
                }
                Ok(message) => self.kept.push_back(message),
                Err(error) => panic!("no {what}: {error}; instead {:?}", self.kept),
            }
        }
    }

    /// Received messages that nothing has waited for.
    pub fn others(&mut self) -> Vec<Value> {
        self.kept.extend(self.incoming.try_iter());
        self.kept.drain(..).map(|(message, _)| message).collect()
    }

    /// Discards received messages that nothing has waited for.
    pub fn forget(&mut self) {
        drop(self.others());
    }

    /// Closes the pipe to the server.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// Waits for the end of the process; `None` if it still runs after `limit`.
    pub fn ended(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("a process") {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
