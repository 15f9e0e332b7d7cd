//! Messages on the wire: incoming requests, outgoing responses and events.

use ptx_wire::outgoing::Outgoing;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A request of the client.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct DapRequest {
    /// Its number, which the response repeats.
    pub seq: i64,
    /// The name of the command.
    pub command: String,
    /// The arguments of the command.
    #[serde(default)]
    pub arguments: Value,
}

/// A message from the client.
#[derive(Debug)]
pub enum DapMessage {
    /// A request.
    Request(DapRequest),
    /// A response to a request of the adapter. The adapter sends none.
    Response,
    /// Another message: its number and its command, as far as they are present, and the error.
    Malformed(i64, String, String),
}

/// Reads a message.
pub fn decode(body: &[u8]) -> DapMessage {
    let value: Value = match ptx_wire::json::parse(body) {
        Ok(value) => value,
        Err(error) => return DapMessage::Malformed(0, String::new(), format!("the message is not JSON: {error}")),
    };
    if value.get("type").and_then(Value::as_str) == Some("response") {
        return DapMessage::Response;
    }
    let seq = value.get("seq").and_then(Value::as_i64).unwrap_or(0);
    let command = value.get("command").and_then(Value::as_str).unwrap_or_default().to_owned();
    match value.get("type").and_then(Value::as_str) {
        Some("request") => match serde_json::from_value(value) {
            Ok(request) => DapMessage::Request(request),
            Err(error) => DapMessage::Malformed(seq, command, format!("the request cannot be understood: {error}")),
        },
        _ => DapMessage::Malformed(seq, command, "the message is neither a request nor a response".to_owned()),
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
    let value = if request.arguments.is_null() { json!({}) } else { request.arguments.clone() };
    serde_json::from_value(value).map_err(|error| {
        RequestFailure::new(format!("the arguments of `{}` cannot be understood: {error}", request.command))
    })
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

    /// Sends the response to a request.
    pub fn answer(&self, seq: i64, command: &str, answer: DapAnswer) {
        let mut message = json!({ "type": "response", "request_seq": seq, "command": command });
        let Some(fields) = message.as_object_mut() else { return };
        fields.insert("success".to_owned(), json!(answer.is_ok()));
        match answer {
            Ok(Value::Null) => {}
            Ok(body) => drop(fields.insert("body".to_owned(), body)),
            Err(failure) => {
                fields.insert("message".to_owned(), json!(failure.message));
                // The format is a single variable, so that braces in the message stay as they are.
                let error = json!({
                    "id": 1, "format": "{words}", "variables": { "words": failure.words }, "showUser": failure.show,
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

    /// Prints a text in the client's console.
    pub fn say(&self, category: &str, text: &str) {
        self.event("output", json!({ "category": category, "output": text }));
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
        let DapMessage::Malformed(0, _, why) = decode(b"{") else { panic!("it is no JSON") };
        assert!(why.starts_with("the message is not JSON"), "{why}");
        let DapMessage::Malformed(7, command, why) = decode(br#"{"seq":7,"type":"request"}"#) else { panic!() };
        assert!(command.is_empty() && why.contains("command"), "{why}");
        let DapMessage::Malformed(3, command, _) = decode(br#"{"seq":3,"type":"x","command":"next"}"#) else {
            panic!()
        };
        assert_eq!(command, "next");
        assert!(matches!(decode(br#"{"seq":1,"type":"response","request_seq":1}"#), DapMessage::Response));
    }

    #[test]
    fn arguments_may_be_missing() {
        #[derive(Deserialize)]
        struct Two {
            a: Option<u32>,
        }
        let request = |arguments| DapRequest { seq: 1, command: "two".into(), arguments };
        assert_eq!(arguments::<Two>(&request(Value::Null)).unwrap().a, None);
        let wrong = arguments::<Two>(&request(json!({ "a": "x" }))).err().unwrap();
        assert!(wrong.words.starts_with("the arguments of `two` cannot be understood"), "{}", wrong.words);
    }
}
