//! Starts the framework's service, through which all requests are answered.

use super::super::backend::Backend;
use super::super::platform::Pool;
use super::super::server::Server;
use super::super::transport::IncomingMessage;
use super::service::serve_with;
use super::{SAMPLE, warm_up};
use futures::FutureExt;
use ptx_syntax::Snapshot;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::mpsc;
use tower_lsp_server::jsonrpc::Request;
use tower_service::Service;

/// Starts the service. Returns the way to it for messages of the client. With `has_begun` the client has sent `initialize`, and
/// has its answer.
#[inline(never)]
pub(super) fn serve(shared: &Arc<Server>, has_begun: bool) -> mpsc::UnboundedSender<IncomingMessage> {
    let (mut service, socket) = Backend::service(|client| {
        shared.connect(client);
        Arc::clone(shared)
    });
    let sender = serve_with(shared, async move {
        if has_begun {
            // The framework answers nothing else before.
            let initialize = Request::build("initialize").id(0).params(json!({ "capabilities": {} })).finish();
            let _ = service.call(initialize).await;
        }
        (service, socket)
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
