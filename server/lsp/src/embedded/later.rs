//! Starts the framework's service, through which all requests are answered.

use super::super::backend::Backend;
use super::super::platform::Pool;
use super::super::shared::Shared;
use super::super::transport::{self, IncomingMessage};
use super::super::unreadable;
use super::{SAMPLE, warm_up};
use futures::FutureExt;
use ptx_syntax::Snapshot;
use serde_json::json;
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tower_lsp_server::jsonrpc::Request;
use tower_service::Service;

/// Starts the service. Returns the way to it for messages of the client. With `has_begun` the client has sent `initialize`, and
/// has its answer.
#[inline(never)]
pub(super) fn serve(shared: &Arc<Shared>, has_begun: bool) -> mpsc::UnboundedSender<IncomingMessage> {
    let (mut service, socket) = Backend::service(|client| {
        shared.connect(client);
        Arc::clone(shared)
    });
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let incoming = futures::stream::poll_fn(move |context| receiver.poll_recv(context));
    let (platform, outgoing) = (Arc::clone(&shared.platform), shared.outgoing.clone());
    let gate = unreadable::gate(&Arc::new(OnceLock::from(Arc::clone(shared))));
    shared.spawn(async move {
        if has_begun {
            // The framework answers nothing else before.
            let initialize = Request::build("initialize").id(0).params(json!({ "capabilities": {} })).finish();
            let _ = service.call(initialize).await;
        }
        transport::serve(service, socket, platform, incoming, outgoing, gate).await;
    });
    let warm_up = || {
        async {
            warm_up().lints(&Snapshot::new(SAMPLE), &|| false);
        }
        .boxed_local()
    };
    shared.platform.compute(Pool::Evaluations, Box::new(warm_up));
    sender
}
