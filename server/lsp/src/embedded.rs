//! The server inside of another program, which passes messages and runs the work.

use super::backend::Backend;
use super::platform::{Platform, Pool};
use super::shared::{ServerMode, Shared};
use super::transport::{self, IncomingMessage};
use super::unreadable;
use super::worker::Worker;
use futures::FutureExt;
use ptx_analysis::Analyzer;
use ptx_syntax::Snapshot;
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
fn warm_up() {
    let snapshot = Snapshot::new(SAMPLE);
    let mut analyzer = Analyzer::default();
    analyzer.analyze(&snapshot);
    analyzer.lints(&snapshot, &|| false);
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
        platform.compute(Pool::Evaluations, Box::new(|| async { warm_up() }.boxed_local()));
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
