//! Messages of a client, before the library sees them.
//!
//! The library drops some messages that have an id, and the client then waits forever: those with half of a surrogate pair, parameters of
//! another type than the method's, or an odd id. Here each request gets exactly one answer: from the library, or an error with the right code.

use ptx_wire::json;
use rmcp::RoleServer;
use rmcp::model::{ClientRequest, ErrorCode, JsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Map, Value, json};

/// The requests of the protocol that this server answers.
const REQUESTS: [&str; 5] = ["initialize", "ping", "server/discover", "tools/call", "tools/list"];

/// The first word of the notifications of a client.
const NOTIFICATIONS: &str = "notifications/";

/// What a line of a client is.
pub enum ClientLine {
    /// A message for the library.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// No message, or one that the library would drop: the errors to answer. None for what needs no answer.
    Refused(Vec<Value>),
}

/// Decodes a line.
pub fn decode(line: &[u8]) -> ClientLine {
    if line.trim_ascii().is_empty() {
        return ClientLine::Refused(Vec::new());
    }
    match json::parse(line) {
        Ok(Value::Object(message)) => one(message),
        // The protocol has no batches since 2025-06-18.
        Ok(Value::Array(batch)) if !batch.is_empty() => {
            let why = "batches are not supported: send each message in a line of its own";
            let ids = batch.iter().filter(|message| message.get("method").is_some());
            let ids = ids.filter_map(|message| message.get("id"));
            ClientLine::Refused(ids.map(|id| error(Some(id), ErrorCode::INVALID_REQUEST, why)).collect())
        }
        Ok(_) => refused(None, ErrorCode::INVALID_REQUEST, "a message is a JSON object"),
        Err(why) => {
            tracing::debug!("a line is not JSON: {why}");
            let id = json::member(line, "id");
            refused(id.as_ref(), ErrorCode::PARSE_ERROR, &format!("the message is not JSON: {why}"))
        }
    }
}

fn one(mut message: Map<String, Value>) -> ClientLine {
    let id = message.get("id").cloned();
    let Some(method) = message.get("method") else { return response(message) };
    let Some(method) = method.as_str().map(str::to_owned) else {
        return refused(id.as_ref(), ErrorCode::INVALID_REQUEST, "`method` must be a string");
    };
    if message.get("params").is_some_and(Value::is_null) {
        message.remove("params");
    }
    let Some(id) = id else { return notification(message) };
    let is_id = match &id {
        Value::String(_) => true,
        // `1.0` and `1e2` are integers too.
        Value::Number(number) => {
            number.as_i64().is_some() || number.as_f64().is_some_and(|n| n as i64 as f64 == n && n.abs() < 9e15)
        }
        _ => false,
    };
    let refused = |code, why: &str| refused(Some(&id), code, why);
    if !is_id {
        return refused(ErrorCode::INVALID_REQUEST, "`id` must be a string or an integer");
    }
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refused(ErrorCode::INVALID_REQUEST, "`jsonrpc` must be \"2.0\"");
    }
    if method.starts_with(NOTIFICATIONS) {
        return refused(ErrorCode::INVALID_REQUEST, &format!("`{}` is a notification: it has no `id`", short(&method)));
    }
    if message.get("params").is_some_and(|params| !params.is_object()) {
        let known = REQUESTS.contains(&method.as_str());
        let code = if known { ErrorCode::INVALID_PARAMS } else { ErrorCode::METHOD_NOT_FOUND };
        return refused(code, if known { "`params` must be an object" } else { "there is no such method" });
    }
    let arguments = message.get("params").and_then(|params| params.get("arguments"));
    let why = match (method.as_str(), arguments) {
        ("tools/call", Some(arguments)) if !arguments.is_object() && !arguments.is_null() => {
            "`arguments` must be an object"
        }
        ("tools/call", _) => "`params` must be an object with the `name` of a tool, and its `arguments`",
        _ => "the parameters do not fit the method",
    };
    match serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(Value::Object(message)) {
        // The library takes a request whose parameters do not fit its method for one of an unknown method.
        Ok(JsonRpcMessage::Request(request))
            if matches!(request.request, ClientRequest::CustomRequest(_)) && REQUESTS.contains(&method.as_str()) =>
        {
            refused(ErrorCode::INVALID_PARAMS, why)
        }
        Ok(message @ JsonRpcMessage::Request(_)) => ClientLine::Message(Box::new(message)),
        Ok(_) | Err(_) => refused(ErrorCode::INVALID_PARAMS, why),
    }
}

/// A message without a method: an answer to a request of the server, or nothing that the protocol has.
fn response(message: Map<String, Value>) -> ClientLine {
    let id = message.get("id").cloned();
    if !message.contains_key("result") && !message.contains_key("error") {
        return refused(
            id.as_ref(),
            ErrorCode::INVALID_REQUEST,
            "a message needs a `method`, a `result` or an `error`",
        );
    }
    // Two servers that answer the errors of each other would never stop.
    passed(message)
}

fn notification(message: Map<String, Value>) -> ClientLine {
    passed(message)
}

/// A message without an answer: one that the library does not understand is left out.
fn passed(message: Map<String, Value>) -> ClientLine {
    match serde_json::from_value(Value::Object(message)) {
        Ok(message) => ClientLine::Message(Box::new(message)),
        Err(error) => {
            tracing::warn!("a message of the client is left out: {error}");
            ClientLine::Refused(Vec::new())
        }
    }
}

/// The error for a request whose id is that of a request in progress.
pub fn refusal_of_second(id: &RequestId) -> Value {
    let why = "another request with this `id` is in progress";
    error(Some(&id.clone().into_json_value()), ErrorCode::INVALID_REQUEST, why)
}

fn refused(id: Option<&Value>, code: ErrorCode, why: &str) -> ClientLine {
    ClientLine::Refused(vec![error(id, code, why)])
}

/// An error. It repeats the id, however odd; where no id can be read, the protocol wants none.
fn error(id: Option<&Value>, code: ErrorCode, why: &str) -> Value {
    let message = ptx_gate::words::visible(why);
    match id {
        None => json!({ "jsonrpc": "2.0", "error": { "code": code.0, "message": message } }),
        Some(id) => {
            // Nothing else is an id that a client waits for.
            let id = Some(id).filter(|id| id.is_string() || id.is_number());
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code.0, "message": message } })
        }
    }
}

/// The beginning of a name that a client sent.
fn short(name: &str) -> String {
    name.chars().take(80).collect()
}
