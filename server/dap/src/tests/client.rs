//! A test client that is connected by pipes to a session in this process.

use crate::serve;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufReader, PipeReader, PipeWriter, Write, pipe};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Upper limit for every wait; enough for an unoptimised build.
const LIMIT: Duration = Duration::from_secs(60);

pub struct TestClient {
    to: Option<PipeWriter>,
    from: Receiver<Value>,
    ended: Receiver<()>,
    seq: i64,
    /// The thread number of the warp of the last stop.
    pub thread: i64,
    /// Events that the test has not read yet.
    pub events: VecDeque<Value>,
}

/// A temporary folder with one kernel.
pub struct KernelFolder {
    folder: tempfile::TempDir,
    pub path: PathBuf,
}

impl KernelFolder {
    pub fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kernel.ptx");
        std::fs::write(&path, text).unwrap();
        Self { folder, path }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn launch(&self) -> Value {
        json!({ "program": self.path })
    }

    /// The line, from 1, of the first occurrence of a text.
    pub fn line(&self, what: &str) -> i64 {
        let text = std::fs::read_to_string(&self.path).unwrap();
        1 + text.lines().position(|l| l.contains(what)).unwrap_or_else(|| panic!("{what} is not there")) as i64
    }
}

/// The path of an example kernel.
pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels").join(name)
}

impl TestClient {
    pub fn start() -> Self {
        let (input, to) = pipe().unwrap();
        let (output, from) = pipe().unwrap();
        let (end, ended) = channel();
        std::thread::spawn(move || {
            serve(BufReader::new(input), from, || {}).unwrap();
            let _ = end.send(());
        });
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut output: BufReader<PipeReader> = BufReader::new(output);
            while let Ok(Some(body)) = ptx_wire::framing::read_message(&mut output) {
                if sender.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { to: Some(to), from: receiver, ended, seq: 0, thread: 1, events: VecDeque::new() }
    }

    /// A session that has been initialised and has launched a program, but is not configured yet.
    pub fn launched(arguments: Value) -> Self {
        let mut out = Self::start();
        out.ask(
            "initialize",
            json!({ "adapterID": "ptx", "supportsInvalidatedEvent": true, "supportsMemoryEvent": true }),
        );
        out.ask("launch", arguments);
        out.event("initialized");
        out
    }

    /// A session that is stopped before the first instruction.
    pub fn entered(arguments: Value) -> Self {
        let mut out = Self::launched(arguments);
        out.ask("configurationDone", json!({}));
        assert_eq!(out.stopped()["reason"], "entry");
        out
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        // The session may have ended already.
        let _ = self.to.as_mut().unwrap().write_all(bytes);
    }

    pub fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.seq += 1;
        let body = json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments });
        self.body(&serde_json::to_vec(&body).unwrap());
        self.seq
    }

    /// Sends arbitrary bytes as a body, with a valid header.
    pub fn body(&mut self, body: &[u8]) {
        ptx_wire::framing::write_message(self.to.as_mut().unwrap(), body).unwrap();
    }

    fn next(&mut self) -> Value {
        self.from.recv_timeout(LIMIT).expect("the adapter says nothing")
    }

    /// The next message of any type.
    pub fn any(&mut self) -> Value {
        self.next()
    }

    /// The response to the request with this number.
    pub fn response(&mut self, seq: i64) -> Value {
        loop {
            let message = self.next();
            match message["type"].as_str() {
                Some("response") if message["request_seq"] == seq => return message,
                Some("event") => self.events.push_back(message),
                other => panic!("not expected: {other:?} {message}"),
            }
        }
    }

    /// Sends a request and returns the body of its response, which must be a success.
    pub fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.send(command, arguments);
        let response = self.response(seq);
        assert_eq!(response["success"], true, "{command}: {response}");
        response["body"].clone()
    }

    /// Sends a request that must be refused, and returns the message for the user.
    pub fn refused(&mut self, command: &str, arguments: Value) -> String {
        let seq = self.send(command, arguments);
        let response = self.response(seq);
        assert_eq!(response["success"], false, "{command}: {response}");
        response["body"]["error"]["variables"]["words"].as_str().unwrap().to_owned()
    }

    /// The body of the next event with this name; earlier events stay in the queue.
    pub fn event(&mut self, name: &str) -> Value {
        if let Some(at) = self.events.iter().position(|e| e["event"] == name) {
            return self.events.remove(at).unwrap()["body"].clone();
        }
        loop {
            let message = self.next();
            if message["event"] == name {
                return message["body"].clone();
            }
            assert_eq!(message["type"], "event", "{message}");
            self.events.push_back(message);
        }
    }

    pub fn stopped(&mut self) -> Value {
        let stop = self.event("stopped");
        self.thread = stop["threadId"].as_i64().unwrap();
        stop
    }

    /// Moves the session and returns the body of the resulting `stopped` event.
    pub fn go(&mut self, command: &str, arguments: Value) -> Value {
        let mut with_thread = json!({ "threadId": self.thread });
        with_thread.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        self.ask(command, with_thread);
        self.stopped()
    }

    /// The frames of a warp.
    pub fn frames(&mut self, thread: i64) -> Vec<Value> {
        let body = self.ask("stackTrace", json!({ "threadId": thread }));
        body["stackFrames"].as_array().unwrap().clone()
    }

    /// The line of the innermost frame.
    pub fn line(&mut self) -> i64 {
        let thread = self.thread;
        self.frames(thread)[0]["line"].as_i64().unwrap()
    }

    /// The variables of a scope of the innermost frame.
    pub fn scope(&mut self, name: &str) -> Vec<Value> {
        let thread = self.thread;
        let frame = self.frames(thread)[0]["id"].clone();
        let scopes = self.ask("scopes", json!({ "frameId": frame }));
        let scope = scopes["scopes"].as_array().unwrap().iter().find(|s| s["name"] == name).cloned();
        scope.map_or_else(Vec::new, |s| self.parts(&s["variablesReference"]))
    }

    pub fn parts(&mut self, reference: &Value) -> Vec<Value> {
        let body = self.ask("variables", json!({ "variablesReference": reference }));
        body["variables"].as_array().unwrap().clone()
    }

    /// All variables of all scopes as text, such as `%r1 = 3`.
    pub fn everything(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        for name in ["Uniform registers", "Varying registers", "Predicates", "Local", "Shared", "Parameters", "Buffers"]
        {
            for variable in self.scope(name) {
                out.push(format!("{} = {}", variable["name"].as_str().unwrap(), variable["value"].as_str().unwrap()));
            }
        }
        out
    }

    pub fn evaluate(&mut self, expression: &str) -> String {
        let body = self.ask("evaluate", json!({ "expression": expression, "context": "watch" }));
        body["result"].as_str().unwrap().to_owned()
    }

    pub fn output(&mut self) -> String {
        let texts =
            self.events.iter().filter(|e| e["event"] == "output").map(|e| e["body"]["output"].as_str().unwrap());
        texts.collect()
    }

    /// Closes the stream to the adapter, and waits for the end of the session.
    pub fn close(mut self) {
        drop(self.to.take());
        self.ends();
    }

    /// Waits for the end of the session.
    pub fn ends(&self) {
        self.ended.recv_timeout(Duration::from_secs(2)).expect("the session goes on");
    }
}
