//! The server inside of another program, which passes messages and runs the work.

use super::backend::Backend;
use super::platform::Platform;
use super::shared::{ServerMode, Shared};
use super::transport::{self, IncomingMessage};
use super::unreadable;
use super::worker::Worker;
use futures::FutureExt;
use ptx_wire::outgoing::Outgoing;
use serde_json::json;
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tower_lsp_server::ls_types::Uri;

/// A server without a transport of its own.
#[derive(Debug)]
pub struct EmbeddedServer {
    shared: Arc<OnceLock<Arc<Shared>>>,
    incoming: mpsc::UnboundedSender<IncomingMessage>,
}

impl EmbeddedServer {
    /// Starts a server on a platform. Its messages go to `outgoing`.
    pub fn start(platform: &Arc<dyn Platform>, outgoing: Outgoing) -> Self {
        let shared: Arc<OnceLock<Arc<Shared>>> = Arc::default();
        let (service, socket) = Backend::service(|client| {
            let (outgoing, platform) = (outgoing.clone(), Arc::clone(platform));
            let state = || Arc::new(Shared::new(client, outgoing, platform, ServerMode::Ptx, Worker::start));
            Arc::clone(shared.get_or_init(state))
        });
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let incoming = futures::stream::poll_fn(move |context| receiver.poll_recv(context));
        let gate = unreadable::gate(&shared);
        platform.spawn(transport::serve(service, socket, Arc::clone(platform), incoming, outgoing, gate).boxed());
        Self { shared, incoming: sender }
    }

    /// Accepts a message of the client, without its header.
    pub fn receive(&self, body: &[u8]) {
        // This fails only after `exit`.
        let _ = self.incoming.send(transport::decode(body));
    }

    /// Returns messages that open the current documents in another server, as a JSON list. Documents whose text is unknown are
    /// left out.
    pub fn documents(&self) -> Vec<u8> {
        let documents = self.shared.get().map(|shared| shared.documents()).unwrap_or_default();
        let known = documents.iter().filter(|d| self.shared.get().is_some_and(|s| s.refusal(&d.uri).is_none()));
        let open = known.map(|document| {
            let (version, rope) = document.current();
            let item = json!({
                "uri": document.uri, "languageId": "ptx", "version": version, "text": rope.to_string(),
            });
            json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": item } })
        });
        serde_json::to_vec(&open.collect::<Vec<_>>()).unwrap_or_default()
    }

    /// Notes that an earlier server with the same client has failed in work on `what`: a document or a method. With `tell`, the
    /// user gets a message. With `give_up`, the next text of that document is not checked.
    pub fn recover(&self, what: &str, give_up: bool, tell: bool) {
        let Some(shared) = self.shared.get() else { return };
        if tell {
            shared.failed(what);
        }
        if give_up && let Ok(uri) = what.parse::<Uri>() {
            shared.spare(uri);
        }
    }
}
