//! Runs a service of the framework on a platform.

use super::super::gate;
use super::super::host::HostBackend;
use super::super::server::Server;
use super::super::transport::{self, IncomingMessage};
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tower_lsp_server::{ClientSocket, LanguageServer, LspService};

/// Runs a service once it is ready. Returns the way to it for messages of the client.
pub(super) fn serve_with<S: LanguageServer>(
    shared: &Arc<Server>,
    ready: impl Future<Output = (LspService<S>, ClientSocket)> + Send + 'static,
) -> mpsc::UnboundedSender<IncomingMessage> {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let incoming = futures::stream::poll_fn(move |context| receiver.poll_recv(context));
    let (platform, outgoing) = (Arc::clone(&shared.platform), shared.outgoing.clone());
    let gate = gate::gate(&Arc::new(OnceLock::from(Arc::clone(shared))));
    shared.spawn(async move {
        let (service, socket) = ready.await;
        transport::serve(service, socket, platform, incoming, outgoing, gate).await;
    });
    sender
}

/// Starts the service for files of other languages.
pub(super) fn serve_host(shared: &Arc<Server>) -> mpsc::UnboundedSender<IncomingMessage> {
    let service = HostBackend::service(|client| {
        shared.connect(client);
        Arc::clone(shared)
    });
    serve_with(shared, async { service })
}
