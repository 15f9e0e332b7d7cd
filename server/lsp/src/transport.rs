//! Transports messages between the client and the service, in the order of arrival.
//!
//! The framework's own loop is not used: it ends at the first message that is not JSON, runs only four handlers at a time, and
//! a waiting handler can keep it from reading. Its service (routing, life cycle, cancellation) is used unchanged. See
//! `docs/decisions/0001-message-ordering.md`.

use super::log;
use super::platform::Platform;
use super::protocol::REQUEST_FAILED;
use super::trouble::Troubles;
use super::unreadable::UnreadableMessage;
use futures::{FutureExt, SinkExt, Stream, StreamExt, poll};
use ptx_clock::Instant;
use ptx_gate::words::{visible, visible_lines};
use ptx_wire::json;
use ptx_wire::outgoing::Outgoing;
use serde_json::Value;
use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::Poll;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp_server::ls_types::Uri;
use tower_lsp_server::{ClientSocket, ExitedError, LanguageServer, LspService};
use tower_service::Service;

/// A message from the client.
#[derive(Debug)]
pub enum IncomingMessage {
    /// A request or a notification.
    Request(Request),
    /// An answer to a request of the server.
    Response(Response),
    /// Any other message, with the errors to answer.
    Malformed(Vec<Value>),
    /// A notification about a text that cannot be understood, with the error to answer, if it has an id.
    Unreadable(UnreadableMessage, Option<Value>),
}

/// Returns the error for a request that must be refused, if any.
pub type Refuse = dyn Fn(&Request) -> Option<Error> + Send;

/// Callbacks that see messages before the service does.
pub struct MessageGate {
    /// Replaces the URI of an open document by the one that opened it.
    pub spell: Box<dyn Fn(Request) -> Request + Send>,
    /// Returns the error for a request that must be refused, if any.
    pub refuse: Box<Refuse>,
    /// Handles a notification about a text that cannot be understood.
    pub lose: Box<dyn Fn(&UnreadableMessage) + Send>,
}

/// Decodes a message.
pub fn decode(body: &[u8]) -> IncomingMessage {
    let value: Value = match json::parse(body) {
        Ok(value) => value,
        Err(error) => {
            tracing::warn!("a message is not JSON: {error}");
            let id = json::member(body, "id");
            let answer = refusal(id.as_ref(), Error::parse_error(), &format!("the message is not JSON: {error}"));
            return match UnreadableMessage::in_bytes(body, &error.to_string()) {
                Some(unreadable) => IncomingMessage::Unreadable(unreadable, Some(answer)),
                None => IncomingMessage::Malformed(vec![answer]),
            };
        }
    };
    if let Value::Array(batch) = &value {
        return IncomingMessage::Malformed(refused_batch(batch));
    }
    let id = value.get("id").cloned();
    let invalid = |why: &str| refusal(id.as_ref(), Error::invalid_request(), why);
    if let Some(unreadable) = UnreadableMessage::in_parameters(&value) {
        let answer = id.as_ref().map(|_| invalid("this is a notification: it has no id"));
        return IncomingMessage::Unreadable(unreadable, answer);
    }
    let text = UnreadableMessage::in_message(&value, "it has an id, as only requests have");
    if let Some(text) = text.clone().filter(|_| id.is_some()) {
        return IncomingMessage::Unreadable(text, Some(invalid("this is a notification: it has no id")));
    }
    let decoded = if let Some(method) = value.get("method") {
        let is_first = method == "initialize";
        let value = if is_first { as_meant(value) } else { value };
        serde_json::from_value(value).map(IncomingMessage::Request)
    } else {
        serde_json::from_value(value).map(IncomingMessage::Response)
    };
    decoded.unwrap_or_else(|error| {
        tracing::warn!("a message is neither a request nor a response: {error}");
        let answer = invalid(&format!("the message is neither a request nor a response: {error}"));
        match text {
            Some(text) => IncomingMessage::Unreadable(text, None),
            None => IncomingMessage::Malformed(vec![answer]),
        }
    })
}

/// The errors for a batch, which the protocol does not have: one for each request in it, or one for all of it.
fn refused_batch(batch: &[Value]) -> Vec<Value> {
    let why = "batches are not supported: send each message on its own";
    let ids = batch.iter().filter(|message| message.get("method").is_some()).filter_map(|message| message.get("id"));
    let answers: Vec<Value> = ids.map(|id| refusal(Some(id), Error::invalid_request(), why)).collect();
    if answers.is_empty() { vec![refusal(None, Error::invalid_request(), why)] } else { answers }
}

/// An error for a message that the framework cannot answer. It repeats the id, however odd: the client waits for it.
fn refusal(id: Option<&Value>, error: Error, why: &str) -> Value {
    let id = id.filter(|id| id.is_string() || id.is_number());
    serde_json::json!({ "jsonrpc": "2.0", "id": id, "error": { "code": error.code.code(), "message": visible(why) } })
}

/// Returns the first message with misplaced capabilities moved to their place in the protocol. Helix (25.07) supports
/// `workspace/diagnostic/refresh`, but announces it under `workspace.diagnostic`.
fn as_meant(mut message: Value) -> Value {
    let workspace = message.pointer_mut("/params/capabilities/workspace").and_then(Value::as_object_mut);
    if let Some(workspace) = workspace
        && !workspace.contains_key("diagnostics")
        && let Some(misspelt) = workspace.get("diagnostic").filter(|v| v.is_object()).cloned()
    {
        workspace.insert("diagnostics".to_owned(), misspelt);
    }
    without_odd_folders(&mut message);
    message
}

/// Removes folders whose name is not a URI (`file:///C:\\work`), so that the session is not refused because of them.
fn without_odd_folders(message: &mut Value) {
    let odd = |uri: &Value| uri.as_str().is_some_and(|uri| uri.parse::<Uri>().is_err());
    let Some(params) = message.get_mut("params").and_then(Value::as_object_mut) else { return };
    if let Some(root) = params.get_mut("rootUri").filter(|uri| odd(uri)) {
        tracing::warn!("`rootUri` is not a URI and is left out: {root}");
        *root = Value::Null;
    }
    if let Some(folders) = params.get_mut("workspaceFolders").and_then(Value::as_array_mut) {
        folders.retain(|folder| {
            let keep = !folder.get("uri").is_some_and(odd);
            if !keep {
                tracing::warn!("a folder of the workspace has no URI and is left out: {folder}");
            }
            keep
        });
    }
}

/// Serves until the notification `exit` or the end of the stream.
///
/// Each handler is polled once here, in the order of arrival, before the next message is processed. If it has to wait, it
/// continues in its own task. The code of a handler before its first `await` therefore runs in the order of arrival, and no
/// handler delays the start of another.
pub async fn serve<S: LanguageServer>(
    mut service: LspService<S>,
    socket: ClientSocket,
    platform: Arc<dyn Platform>,
    mut incoming: impl Stream<Item = IncomingMessage> + Unpin,
    outgoing: Outgoing,
    gate: MessageGate,
) {
    let (mut requests, mut responses) = socket.split();
    let troubles = Arc::new(Troubles::default());
    let to_client = outgoing.clone();
    platform.spawn(
        async move {
            while let Some(request) = requests.next().await {
                to_client.message(&for_client(&request));
            }
        }
        .boxed(),
    );
    while let Some(message) = incoming.next().await {
        if outgoing.is_overfull() {
            tracing::error!("the client has stopped reading; closing the session");
            return;
        }
        match message {
            IncomingMessage::Request(request) => {
                let request = (gate.spell)(request);
                let exit = request.method() == "exit";
                let id = request.id().cloned();
                if let Some((id, error)) = id.clone().and_then(|id| Some((id, (gate.refuse)(&request)?))) {
                    outgoing.message(&Response::from_error(id, error));
                    continue;
                }
                if let Some(id) = id.clone().filter(|_| outgoing.is_full() && request.method() != "shutdown") {
                    outgoing.message(&Response::from_error(id, unread()));
                    continue;
                }
                let (method, begin) = (request.method().to_owned(), Instant::now());
                let mut handler = AssertUnwindSafe(service.call(request)).catch_unwind();
                match poll!(&mut handler) {
                    Poll::Ready(done) => answer(&outgoing, &troubles, id, done, (&method, begin)),
                    Poll::Pending => {
                        let (outgoing, troubles) = (outgoing.clone(), Arc::clone(&troubles));
                        let answering =
                            async move { answer(&outgoing, &troubles, id, handler.await, (&method, begin)) };
                        platform.spawn(answering.boxed());
                    }
                }
                if exit {
                    return;
                }
            }
            IncomingMessage::Response(response) => {
                // This never waits: the framework accepts a response or drops it.
                let _ = responses.send(response).await;
            }
            IncomingMessage::Malformed(answers) => answers.iter().for_each(|answer| outgoing.message(answer)),
            IncomingMessage::Unreadable(message, answer) => {
                (gate.lose)(&message);
                if let Some(answer) = answer {
                    outgoing.message(&answer);
                }
            }
        }
    }
}

/// Returns a request or notification for the client. The framework writes `null` for a message without parameters, but JSON-RPC
/// allows only objects, lists, or no parameters. Messages for the user quote names, and answers of the assembler.
fn for_client(request: &Request) -> Value {
    let mut message = serde_json::to_value(request).unwrap_or_default();
    if let Some(Value::String(text)) = message.pointer_mut("/params/message")
        && let Cow::Owned(visible) = visible_lines(text)
    {
        *text = visible;
    }
    if let Some(message) = message.as_object_mut()
        && message.get("params").is_some_and(Value::is_null)
    {
        message.remove("params");
    }
    message
}

/// Returns a response whose error, if it is one, has no unsafe characters: it may quote what was asked.
fn readable(response: Response) -> Response {
    let Some(error) = response.error() else { return response };
    let mut error = error.clone();
    error.message = visible(&error.message).into_owned().into();
    Response::from_error(response.id().clone(), error)
}

/// Returns the error for requests while the client leaves too many answers unread.
fn unread() -> Error {
    let message = "the client has not read the answers to its earlier requests; read them and ask again";
    Error { code: REQUEST_FAILED, message: message.into(), data: None }
}

type ServiceResult = std::thread::Result<Result<Option<Response>, ExitedError>>;

fn answer(
    outgoing: &Outgoing,
    troubles: &Troubles,
    id: Option<Id>,
    done: ServiceResult,
    (method, begin): (&str, Instant),
) {
    if id.is_some() {
        log::answered(method, begin.elapsed());
    }
    match done {
        Ok(Ok(Some(response))) => {
            // A panic on another thread arrives as this error.
            if response.error().is_some_and(|e| e.code == ErrorCode::InternalError) {
                troubles.tell(outgoing, method);
            }
            match outgoing.is_full() {
                true => outgoing.message(&Response::from_error(response.id().clone(), unread())),
                false => outgoing.message(&readable(response)),
            }
        }
        // The framework ignores unknown methods that begin with `$/`, requests included, and takes `exit` for a notification.
        Ok(Ok(None)) => {
            if let Some(id) = id {
                let is_known = !method.starts_with("$/");
                let error = if is_known { Error::invalid_request() } else { Error::method_not_found() };
                outgoing.message(&Response::from_error(id, error));
            }
        }
        Ok(Err(_)) => {}
        // The panic itself was logged where it happened.
        Err(_) => {
            troubles.tell(outgoing, method);
            if let Some(id) = id {
                outgoing.message(&Response::from_error(id, Error::internal_error()));
            }
        }
    }
}
