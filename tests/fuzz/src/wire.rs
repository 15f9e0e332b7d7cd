//! Messages over pipes to a server in this process, as an erroneous client sends them.

use crate::bytes::Bytes;
use ptx_tests::framing::{framed, read};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::{BufReader, PipeReader, PipeWriter, Write, pipe};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Maximum time for an answer, even if ten processes share a core.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum time that a server may take to end after its client.
const END: Duration = Duration::from_secs(30);

/// A server and the pipes to it.
pub struct Connection {
    to: Option<PipeWriter>,
    /// Print all messages, to investigate a finding: `PTX_FUZZ_SHOW=1`.
    shown: bool,
    /// Messages from the server.
    pub from: Receiver<Value>,
    ended: Receiver<()>,
    /// Numbers of requests without an answer.
    pub open: BTreeSet<i64>,
}

impl Connection {
    /// Starts a server on its own thread.
    pub fn start(serve: impl FnOnce(BufReader<PipeReader>, PipeWriter) + Send + 'static) -> Self {
        let (input, to) = pipe().expect("a pipe");
        let (output, from_server) = pipe().expect("a pipe");
        let (end, ended) = channel();
        std::thread::spawn(move || {
            serve(BufReader::new(input), from_server);
            let _ = end.send(());
        });
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let shown = std::env::var_os("PTX_FUZZ_SHOW").is_some();
        Self { to: Some(to), shown, from, ended, open: BTreeSet::new() }
    }

    /// Sends bytes unchanged. The server may have ended already.
    pub fn raw(&mut self, bytes: &[u8]) {
        if self.shown {
            eprintln!("> {}", String::from_utf8_lossy(bytes));
        }
        let _ = self.to.as_mut().map(|to| to.write_all(bytes));
    }

    /// Sends a message with its header.
    pub fn send(&mut self, message: &Value) {
        self.body(message.to_string().as_bytes());
    }

    /// Sends a body with its header.
    pub fn body(&mut self, body: &[u8]) {
        self.raw(&framed(body));
    }

    /// Waits until every request is answered. `answered` returns the number of the request that a message answers;
    /// `back` handles all other messages and may reply.
    pub fn settle(&mut self, answered: impl Fn(&Value) -> Option<i64>, mut back: impl FnMut(&mut Self, &Value)) {
        let deadline = Instant::now() + TIMEOUT;
        while !self.open.is_empty() {
            match self.from.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) if self.shown => {
                    eprintln!("< {message}");
                    if let Some(id) = answered(&message) {
                        self.open.remove(&id);
                    }
                }
                Ok(message) => match answered(&message) {
                    Some(id) => assert!(self.open.remove(&id), "answered twice, or never asked: {message}"),
                    None => back(self, &message),
                },
                Err(error) => panic!("no answer to {:?}: {error}", self.open),
            }
        }
    }

    /// Closes the input stream and asserts that the server ends.
    pub fn close(mut self) {
        self.to = None;
        match self.ended.recv_timeout(END) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => panic!("the server goes on without a client"),
            Err(RecvTimeoutError::Disconnected) => panic!("the server has panicked"),
        }
    }
}

/// A random value. Objects use the given keys, strings come from `texts`.
pub fn value(bytes: &mut Bytes<'_>, keys: &[&str], texts: &[&str], depth: u32) -> Value {
    match bytes.byte() % if depth > 2 { 8 } else { 11 } {
        0 => Value::Null,
        1 => json!(bytes.byte() & 1 == 1),
        2 | 3 => json!(bytes.byte()),
        4 => json!(bytes.of(&[i64::MAX, i64::MIN, -1, 1 << 31, u32::MAX.into(), i32::MAX.into(), 1 << 53, 65536])),
        5 => json!(bytes.of(&[0.5, -1e300, 1e-300, 4294967296.5])),
        6 | 7 => json!(bytes.of(texts)),
        8 => (0..bytes.byte() % 4).map(|_| value(bytes, keys, texts, depth + 1)).collect(),
        _ => object(bytes, keys, texts, depth + 1),
    }
}

/// A random object with some of the given keys.
pub fn object(bytes: &mut Bytes<'_>, keys: &[&str], texts: &[&str], depth: u32) -> Value {
    let mut out = Map::new();
    for _ in 0..bytes.byte() % 5 {
        let key = bytes.of(keys);
        out.insert(key.to_owned(), value(bytes, keys, texts, depth));
    }
    Value::Object(out)
}

/// Sends something that is not a valid message.
pub fn noise(connection: &mut Connection, bytes: &mut Bytes<'_>) {
    const BODIES: &[&str] = &[
        "",
        "{",
        "[]",
        "null",
        "3",
        "\"x\"",
        "{}",
        "[{}]",
        "\u{0}",
        "[[[[[[[[[[",
        "{\"id\":1}",
        "{\"jsonrpc\":\"1.0\",\"method\":3}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"shutdown\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"x\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":999,\"result\":null}",
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"\"}}",
        "{\"seq\":1}",
        "{\"seq\":\"x\",\"type\":\"request\"}",
        "{\"seq\":5,\"type\":\"request\",\"command\":3}",
        "{\"type\":\"event\",\"event\":\"x\"}",
        "{\"type\":\"response\",\"request_seq\":1}",
    ];
    match bytes.byte() % 6 {
        0 => connection.raw(b"stray words\r\n"),
        1 => connection.raw(b"\r\n\r\n"),
        2 => connection.raw(b"Content-Type: x\r\ncontent-length: 2\r\n\r\n{}"),
        3 => {
            let deep = usize::from(bytes.byte()) * 64;
            connection.body("[".repeat(deep).as_bytes());
        }
        _ => connection.body(bytes.of(BODIES).as_bytes()),
    }
}

/// Sends a stream that ends in the middle of a message.
pub fn cut(connection: &mut Connection, bytes: &mut Bytes<'_>) {
    const ENDS: &[&[u8]] = &[
        b"",
        b"Content-Length: 100\r\n\r\n{\"seq\":",
        b"Content-Le",
        b"Content-Length: 99999999999999999999\r\n\r\n{}",
        b"Content-Length: 9223372036854775807\r\n\r\n{}",
        b"Content-Length: 4294967296\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n{}",
        b"Content-Length: 2\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
    ];
    connection.raw(bytes.of(ENDS));
}
