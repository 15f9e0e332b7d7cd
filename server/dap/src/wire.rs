//! Messages on the wire: incoming requests, outgoing responses and events.

use ptx_gate::words::visible_lines;
use ptx_wire::outgoing::Outgoing;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A request of the client.
#[derive(Debug, Clone, Default)]
pub struct DapRequest {
    /// Its number, which the response repeats.
    pub seq: i64,
    /// The name of the command.
    pub command: String,
    /// The arguments of the command, as text; `None` also for `null`.
    pub arguments: Option<Box<RawValue>>,
}

/// A message, before it is known to be a request.
#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "type")]
    kind: Option<Value>,
    seq: Option<Value>,
    command: Option<Value>,
    arguments: Option<Box<RawValue>>,
}

/// A message from the client.
#[derive(Debug)]
pub enum DapMessage {
    /// A request.
    Request(DapRequest),
    /// A response to a request of the adapter. The adapter sends none.
    Response,
    /// Another message: its number and its command, as far as they are present, and the error.
    Malformed(Value, String, String),
}

/// Reads a message.
pub fn decode(body: &[u8]) -> DapMessage {
    let malformed = |seq: Option<Value>, command: Option<Value>, why: String| {
        let seq = seq.filter(Value::is_number).unwrap_or_else(|| json!(0));
        let command = command.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        DapMessage::Malformed(seq, command, why)
    };
    let Envelope { kind, seq, command, arguments } = match ptx_wire::json::parse(body) {
        Ok(envelope) => envelope,
        Err(error) => {
            let member = |key| ptx_wire::json::member(body, key);
            let why = if error.is_data() { "the message is not a request" } else { "the message is not JSON" };
            return malformed(member("seq"), member("command"), format!("{why}: {error}"));
        }
    };
    match kind.as_ref().and_then(Value::as_str) {
        Some("response") => DapMessage::Response,
        Some("request") => match (seq.as_ref().and_then(Value::as_i64), command.as_ref().and_then(Value::as_str)) {
            (Some(seq), Some(command)) => {
                DapMessage::Request(DapRequest { seq, command: command.to_owned(), arguments })
            }
            (None, _) => {
                malformed(seq, command, "the request cannot be understood: `seq` must be an integer".to_owned())
            }
            (_, None) => {
                malformed(seq, command, "the request cannot be understood: `command` must be a string".to_owned())
            }
        },
        _ => malformed(seq, command, "the message is neither a request nor a response".to_owned()),
    }
}

/// The failure of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestFailure {
    /// A keyword for the client, `notStopped` or `cancelled`; otherwise a copy of `words`.
    pub message: String,
    /// The message for the user.
    pub words: String,
    /// True if the client must show the message.
    pub show: bool,
}

impl RequestFailure {
    /// A failure that the client shows where the request came from: a hover, a watch, an edited value.
    pub fn new(words: impl Into<String>) -> Self {
        let words = words.into();
        Self { message: words.clone(), words, show: false }
    }

    /// A failure that the client must show to the user.
    pub fn shown(words: impl Into<String>) -> Self {
        Self { show: true, ..Self::new(words) }
    }

    /// The refusal of a request while the kernel runs.
    pub fn not_stopped() -> Self {
        Self {
            message: "notStopped".to_owned(),
            words: "the kernel is running: pause it first".to_owned(),
            show: false,
        }
    }

    /// The failure of a cancelled request.
    pub fn cancelled() -> Self {
        Self { message: "cancelled".to_owned(), words: "cancelled".to_owned(), show: false }
    }
}

/// The answer to a request.
pub type DapAnswer = Result<Value, RequestFailure>;

/// Parses the arguments of a request. Some clients omit them; the result is then the same as for an empty object.
///
/// # Errors If they do not match the command.
pub fn arguments<T: DeserializeOwned>(request: &DapRequest) -> Result<T, RequestFailure> {
    let text = request.arguments.as_ref().map_or("{}", |arguments| arguments.get());
    let wrong =
        |why: &str| RequestFailure::new(format!("the arguments of `{}` cannot be understood: {why}", request.command));
    if !text.starts_with('{') {
        return Err(wrong("they are not an object"));
    }
    ptx_wire::json::parse(text.as_bytes()).map_err(|error| wrong(&error.to_string()))
}

/// A response body as JSON.
pub fn body(value: impl Serialize) -> DapAnswer {
    serde_json::to_value(value)
        .map_err(|error| RequestFailure::new(format!("the answer cannot be written as JSON: {error}")))
}

/// The connection to the client. It numbers messages in the order in which they are queued; sending never blocks.
#[derive(Debug, Clone)]
pub struct ClientConnection {
    outgoing: Outgoing,
    last: Arc<Mutex<i64>>,
}

impl ClientConnection {
    /// A connection that writes messages to this queue.
    pub fn new(outgoing: Outgoing) -> Self {
        Self { outgoing, last: Arc::default() }
    }

    fn send(&self, mut message: Value) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last += 1;
        if let Some(fields) = message.as_object_mut() {
            fields.insert("seq".to_owned(), json!(*last));
        }
        self.outgoing.message(&message);
    }

    /// Sends the response to a request. A number of a message that is not a request may be odd.
    pub fn answer(&self, seq: impl Into<Value>, command: &str, answer: DapAnswer) {
        let seq: Value = seq.into();
        let mut message = json!({ "type": "response", "request_seq": seq, "command": command });
        let Some(fields) = message.as_object_mut() else { return };
        fields.insert("success".to_owned(), json!(answer.is_ok()));
        match answer {
            Ok(Value::Null) => {}
            Ok(body) => drop(fields.insert("body".to_owned(), body)),
            Err(failure) => {
                fields.insert("message".to_owned(), json!(visible_lines(&failure.message)));
                // The format is a single variable, so that braces in the message stay as they are.
                let error = json!({
                    "id": 1, "format": "{words}", "variables": { "words": visible_lines(&failure.words) }, "showUser": failure.show,
                });
                fields.insert("body".to_owned(), json!({ "error": error }));
            }
        }
        self.send(message);
    }

    /// Sends an event.
    pub fn event(&self, event: &str, body: Value) {
        let mut message = json!({ "type": "event", "event": event });
        if let (Some(fields), false) = (message.as_object_mut(), body.is_null()) {
            fields.insert("body".to_owned(), body);
        }
        self.send(message);
    }

    /// Prints a text in the client's console, which obeys escape sequences: those of a kernel become visible.
    pub fn say(&self, category: &str, text: &str) {
        self.event("output", json!({ "category": category, "output": visible_lines(text) }));
    }

    /// Waits until all messages are written, at most `limit`: a client that has gone no longer reads.
    pub fn flush(&self, limit: Duration) {
        self.outgoing.flush(limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_request_says_why() {
        for (body, number, name, expected) in [
            ("{", "0", "", "the message is not JSON"),
            (r#"{"seq":4,"command":"next","arg"#, "4", "next", "the message is not JSON"),
            (r#"{"seq":7,"type":"request"}"#, "7", "", "`command`"),
            (r#"{"seq":3,"type":"x","command":"next"}"#, "3", "next", "neither"),
            (r#"{"seq":1.5,"type":"request","command":"next"}"#, "1.5", "next", "`seq`"),
            (
                r#"{"seq":18446744073709551615,"type":"request","command":"next"}"#,
                "18446744073709551615",
                "next",
                "`seq`",
            ),
            (r#"{"seq":"1","type":"request","command":"next"}"#, "0", "next", "`seq`"),
            (r#"{"type":"request","command":"next"}"#, "0", "next", "`seq`"),
            (r#"{"seq":1,"type":"request","command":5}"#, "1", "", "`command`"),
            ("[1]", "0", "", "the message is not a request"),
            ("5", "0", "", "the message is not a request"),
        ] {
            let DapMessage::Malformed(seq, command, why) = decode(body.as_bytes()) else { panic!("{body}") };
            assert_eq!((seq.to_string().as_str(), command.as_str()), (number, name), "{body}");
            assert!(why.contains(expected), "{body}: {why}");
        }
        assert!(matches!(decode(br#"{"seq":1,"type":"response","request_seq":1}"#), DapMessage::Response));
    }

    #[test]
    fn arguments_may_be_missing() {
        #[derive(Deserialize)]
        struct Two {
            a: Option<u32>,
        }
        let arguments = |text: &str| {
            let body = format!(r#"{{"seq":1,"type":"request","command":"two"{text}}}"#);
            let DapMessage::Request(request) = decode(body.as_bytes()) else { panic!("{body}") };
            arguments::<Two>(&request)
        };
        for text in ["", r#","arguments":null"#, r#","arguments":{}"#, r#","arguments":{"b":"\ud83d"}"#] {
            assert_eq!(arguments(text).unwrap().a, None, "{text}");
        }
        let wrong = arguments(r#","arguments":{"a":"x"}"#).err().unwrap();
        assert!(wrong.words.starts_with("the arguments of `two` cannot be understood"), "{}", wrong.words);
    }
}
