//! Requests to the client to refresh data that has changed.

use super::server::Server;
use super::settings::Settings;
use super::state::ServerMode;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp_server::jsonrpc::Result;

/// Asks the client to pull diagnostics again.
pub fn diagnostics(shared: &Arc<Server>) {
    if shared.state.session().refreshes_diagnostics {
        let server = Arc::clone(shared);
        send(shared, "diagnostics", async move { server.client().await.workspace_diagnostic_refresh().await });
    }
}

/// Asks the client to refresh the register report, where it is shown: first the lenses, and the hints a moment later. Neovim up
/// to 0.12 never shows the new hints if it redraws between requesting and receiving them, as it does when lenses arrive.
pub fn registers(shared: &Arc<Server>, settings: &Settings) {
    let session = shared.state.session();
    let lenses = session.refreshes_lenses && settings.code_lens.enable && settings.code_lens.options.registers;
    let hints = session.refreshes_hints && settings.inlay_hints.enable && settings.inlay_hints.options.needs_flow();
    let server = Arc::clone(shared);
    shared.spawn(async move {
        let client = server.client().await;
        if lenses {
            within(&server, "code lenses", client.code_lens_refresh()).await;
        }
        if lenses && hints {
            server.platform.sleep(PAUSE).await;
        }
        if hints {
            within(&server, "inlay hints", client.inlay_hint_refresh()).await;
        }
    });
}

/// Asks the client to refresh the values at the ends of lines.
pub fn values(shared: &Arc<Server>) {
    hints(shared);
}

/// Time for the client to draw the lenses.
const PAUSE: Duration = Duration::from_millis(100);

/// Asks the client to refresh everything, because the settings have changed.
pub fn all(shared: &Arc<Server>) {
    diagnostics(shared);
    let session = shared.state.session();
    // For texts of other languages the server has neither tokens nor lenses, and others would send theirs again.
    if shared.state.mode == ServerMode::Host {
        return hints(shared);
    }
    if session.refreshes_tokens {
        let server = Arc::clone(shared);
        send(shared, "semantic tokens", async move { server.client().await.semantic_tokens_refresh().await });
    }
    hints(shared);
    lenses(shared);
}

fn hints(shared: &Arc<Server>) {
    if shared.state.session().refreshes_hints {
        let server = Arc::clone(shared);
        send(shared, "inlay hints", async move { server.client().await.inlay_hint_refresh().await });
    }
}

/// Asks the client to refresh code lenses.
pub fn lenses(shared: &Arc<Server>) {
    if shared.state.session().refreshes_lenses {
        let server = Arc::clone(shared);
        send(shared, "code lenses", async move { server.client().await.code_lens_refresh().await });
    }
}

fn send(shared: &Arc<Server>, what: &'static str, request: impl Future<Output = Result<()>> + Send + 'static) {
    let server = Arc::clone(shared);
    shared.spawn(async move { within(&server, what, request).await });
}

async fn within(shared: &Server, what: &'static str, request: impl Future<Output = Result<()>>) {
    if let Some(Err(error)) = shared.answer(request).await {
        tracing::debug!("the client does not ask for {what} again: {error}");
    }
}
