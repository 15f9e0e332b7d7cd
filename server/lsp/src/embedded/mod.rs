//! The server inside of another program, which passes messages and runs the work.
//!
//! In a browser its code is loaded in two parts, so that the first diagnostics come early. The first part answers `initialize`,
//! follows the texts and publishes the diagnostics of the checks; all other messages wait in `early`. With the second part the
//! framework's service starts on the same documents.
//!
//! The functions of modules called `later`, here and in other modules of this crate, are the border between the parts: the first
//! one reaches the second one only through them. `server/web/split` finds them by this name. They are never inlined, and are
//! called only when the second part is there, which is when [`Server::is_connected`].

mod early;
mod later;
mod service;

use super::host::HostWorker;
use super::platform::{Platform, Pool};
use super::server::Server;
use super::state::ServerMode;
use super::sync::lock;
use super::transport::{self, IncomingMessage};
use super::walk::client_files::ClientFiles;
use super::worker::Worker;
use early::EarlyMessages;
use futures::FutureExt;
use ptx_analysis::Analyzer;
use ptx_syntax::Snapshot;
use ptx_wire::outgoing::Outgoing;
use serde_json::json;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;
use tower_lsp_server::ls_types::Uri;

/// A server without a transport of its own.
#[derive(Debug)]
pub struct EmbeddedServer {
    shared: Arc<Server>,
    stage: Mutex<Stage>,
}

/// Who takes the messages of the client.
#[derive(Debug)]
enum Stage {
    /// Only the first part of the code is there.
    Early(EarlyMessages),
    /// The service.
    Whole(mpsc::UnboundedSender<IncomingMessage>),
}

/// A text with the usual parts.
const SAMPLE: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry sample(.param .u64 in, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [in];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra done;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd1, %rd1, %rd2;
    ld.global.f32 %f1, [%rd1];
    fma.rn.f32 %f2, %f1, 0f40000000, %f1;
    st.global.f32 [%rd1], %f2;
done:
    ret;
    add.u32 %r3, %r1;
}
";

/// Checks a short text when nothing else is to be done. Engines compile the functions of a module when they are first called, and
/// tables are made when they are first used; the first document would wait for both.
fn warm_up() -> Analyzer {
    let mut analyzer = Analyzer::default();
    analyzer.analyze(&Snapshot::new(SAMPLE));
    analyzer
}

impl EmbeddedServer {
    /// Starts a server on a platform. Its messages go to `outgoing`. It only checks texts until [`Self::complete`] is called.
    pub fn start(platform: &Arc<dyn Platform>, outgoing: Outgoing) -> Self {
        let shared = Arc::new(Server::new(outgoing, Arc::clone(platform), ServerMode::Ptx, Worker::start));
        let warm_up = || async { drop(warm_up()) }.boxed_local();
        platform.compute(Pool::Evaluations, Box::new(warm_up));
        let stage = Mutex::new(Stage::Early(EarlyMessages::default()));
        Self { shared, stage }
    }

    /// As [`Self::start`], for an editor: the server asks its client for files that are not open.
    pub fn start_in_editor(platform: &Arc<dyn Platform>, outgoing: Outgoing) -> Self {
        let server = Self::start(platform, outgoing);
        server.shared.accept_client_files(ClientFiles::of);
        server
    }

    /// Starts a server for files of other languages, with PTX in strings. It needs all code.
    pub fn start_host(platform: &Arc<dyn Platform>, outgoing: Outgoing) -> Self {
        let shared = Arc::new(Server::new(outgoing, Arc::clone(platform), ServerMode::Host, HostWorker::start));
        let stage = Mutex::new(Stage::Whole(service::serve_host(&shared)));
        Self { shared, stage }
    }

    /// Accepts a message of the client, without its header.
    pub fn receive(&self, body: &[u8]) {
        let message = transport::decode(body);
        match &mut *lock(&self.stage) {
            Stage::Early(early) => early.receive(&self.shared, message),
            // This fails only after `exit`.
            Stage::Whole(incoming) => drop(incoming.send(message)),
        }
    }

    /// Answers all requests from now on, those that have waited included: all code is loaded.
    pub fn complete(&self) {
        let mut stage = lock(&self.stage);
        let Stage::Early(early) = &mut *stage else { return };
        let early = std::mem::take(early);
        let incoming = later::serve(&self.shared, early.has_begun());
        for message in early.end(&self.shared) {
            let _ = incoming.send(message);
        }
        *stage = Stage::Whole(incoming);
        drop(stage);
        // The flow lints wait for this.
        self.shared.state.documents().iter().for_each(|document| document.recheck());
    }

    /// Refuses the requests that have waited: the rest of the code did not load, for a reason. Texts are checked all the same.
    pub fn refuse(&self, reason: &str) {
        if let Stage::Early(early) = &mut *lock(&self.stage) {
            early.refuse(&self.shared, reason);
        }
    }

    /// Returns messages that open the current documents in another server, as a JSON list. Documents whose text is unknown are
    /// left out.
    pub fn documents(&self) -> Vec<u8> {
        let documents = self.shared.state.documents();
        let known = documents.iter().filter(|d| self.shared.state.refusal(&d.uri).is_none());
        let open = known.map(|document| {
            let (version, rope) = document.current();
            let item = json!({
                "uri": document.uri, "languageId": document.language, "version": version, "text": rope.to_string(),
            });
            json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": item } })
        });
        serde_json::to_vec(&open.collect::<Vec<_>>()).unwrap_or_default()
    }

    /// Notes that an earlier server with the same client has failed in work on `what`: a document, a file or a method. With `tell`,
    /// the user gets a message. With `give_up`, the next text of that document is not checked. `files` were not open when work on
    /// them failed; they are left out.
    pub fn recover(&self, what: &str, give_up: bool, tell: bool, files: impl IntoIterator<Item = Uri>) {
        self.shared.state.give_up(files);
        if tell {
            self.shared.failed(what);
        }
        if give_up && let Ok(uri) = what.parse::<Uri>() {
            self.shared.state.spare(uri);
        }
    }
}
