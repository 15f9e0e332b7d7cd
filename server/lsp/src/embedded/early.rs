//! Messages that arrive before all code is loaded.

use super::super::gate;
use super::super::handlers::{configuration, initialize, text};
use super::super::protocol::REQUEST_FAILED;
use super::super::server::Server;
use super::super::transport::IncomingMessage;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, Id, Request, Response};

/// Takes the messages that the first part of the code understands, and keeps the others.
#[derive(Debug, Default)]
pub(super) struct EarlyMessages {
    /// Whether `initialize` is answered.
    begun: bool,
    waiting: Vec<WaitingMessage>,
    /// The number of messages about texts.
    edits: usize,
}

#[derive(Debug)]
struct WaitingMessage {
    message: IncomingMessage,
    /// The number of messages about texts before this message.
    edits: usize,
}

impl EarlyMessages {
    /// Whether `initialize` is answered.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Handles a message, or keeps it.
    pub(super) fn receive(&mut self, shared: &Arc<Server>, message: IncomingMessage) {
        let message = match message {
            IncomingMessage::Request(request) if self.handle(shared, &request) => return,
            IncomingMessage::Malformed(answers) => {
                return answers.iter().for_each(|answer| shared.outgoing.message(answer));
            }
            IncomingMessage::Unreadable(unreadable, answer) => {
                self.edits += 1;
                gate::handle(shared, &unreadable);
                return answer.iter().for_each(|answer| shared.outgoing.message(answer));
            }
            other => other,
        };
        self.waiting.push(WaitingMessage { message, edits: self.edits });
    }

    /// Handles a request or notification, if the first part of the code can.
    fn handle(&mut self, shared: &Arc<Server>, request: &Request) -> bool {
        let begins = !self.begun && request.method() == "initialize";
        if !begins && !self.begun {
            return false;
        }
        match request.method() {
            "initialize" if begins => {
                let Some(id) = request.id() else { return false };
                let Some(params) = parameters(request) else { return false };
                self.begun = true;
                let answer = serde_json::to_value(initialize::initialize(shared, &params)).unwrap_or_default();
                shared.outgoing.message(&Response::from_ok(id.clone(), answer));
                return true;
            }
            "textDocument/didOpen" => parameters(request).map(|params| text::open(shared, params)),
            "textDocument/didChange" => parameters(request).map(|params| text::change(shared, params)),
            "textDocument/didClose" => parameters(request).map(|params| text::close(shared, &params)),
            "textDocument/didSave" => return parameters(request).map(|params| text::save(shared, &params)).is_some(),
            "workspace/didChangeConfiguration" => {
                let settings = request.params().and_then(|params| params.get("settings")).unwrap_or(&Value::Null);
                configuration::changed(shared, settings);
                return true;
            }
            "$/cancelRequest" => {
                let id = request.params().and_then(|params| params.get("id")).cloned();
                if let Some(id) = id.and_then(|id| serde_json::from_value::<Id>(id).ok()) {
                    self.answer_waiting(shared, &Error::request_cancelled(), |waiting| *waiting == id);
                }
                return true;
            }
            _ => return false,
        };
        self.edits += 1;
        true
    }

    /// Returns the messages for the service. Requests about a place in a text that has changed are refused.
    pub(super) fn end(self, shared: &Server) -> Vec<IncomingMessage> {
        let Self { waiting, edits, .. } = self;
        let is_valid = |waiting: &WaitingMessage| {
            let IncomingMessage::Request(request) = &waiting.message else { return true };
            let Some(id) = request.id().filter(|_| waiting.edits != edits && is_about_text(request)) else {
                return true;
            };
            shared.outgoing.message(&Response::from_error(id.clone(), Error::content_modified()));
            false
        };
        waiting.into_iter().filter(is_valid).map(|waiting| waiting.message).collect()
    }

    /// Refuses the requests that wait. Notifications wait on.
    pub(super) fn refuse(&mut self, shared: &Server, reason: &str) {
        let error = Error { code: REQUEST_FAILED, message: reason.to_owned().into(), data: None };
        self.answer_waiting(shared, &error, |_| true);
    }

    /// Answers some of the requests that wait by an error.
    fn answer_waiting(&mut self, shared: &Server, error: &Error, is_meant: impl Fn(&Id) -> bool) {
        self.waiting.retain(|waiting| {
            let IncomingMessage::Request(request) = &waiting.message else { return true };
            let Some(id) = request.id().filter(|id| is_meant(id)) else { return true };
            shared.outgoing.message(&Response::from_error(id.clone(), error.clone()));
            false
        });
    }
}

/// Whether a request names a document, not a command.
fn is_about_text(request: &Request) -> bool {
    request.params().is_some_and(|params| params.get("textDocument").is_some())
}

fn parameters<T: DeserializeOwned>(request: &Request) -> Option<T> {
    serde_json::from_value(request.params()?.clone()).ok()
}
