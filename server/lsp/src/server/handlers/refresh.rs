//! `workspace/*/refresh`: what the client shows may be otherwise now, although no text has changed.

use crate::server::shared::Shared;
use std::sync::Arc;
use std::time::Duration;

/// Clients may leave a request unanswered.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks the client to ask again for whatever depends on the settings, as far as it can.
pub fn presentation(shared: &Arc<Shared>) {
    let session = shared.session();
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        if session.refreshes_tokens {
            let _ = tokio::time::timeout(PATIENCE, shared.client.semantic_tokens_refresh()).await;
        }
        if session.refreshes_hints {
            let _ = tokio::time::timeout(PATIENCE, shared.client.inlay_hint_refresh()).await;
        }
        if session.refreshes_lenses {
            let _ = tokio::time::timeout(PATIENCE, shared.client.code_lens_refresh()).await;
        }
    });
}
