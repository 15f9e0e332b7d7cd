//! What handlers and workers share.

use super::document::{Document, Publisher};
use super::outgoing::Outgoing;
use super::session::Session;
use super::settings::Settings;
use super::worker::Worker;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::Instant;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::Uri;

/// Locks, also after a panic elsewhere: everything here is whole between two statements.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of the server.
#[derive(Debug)]
pub struct Shared {
    /// For requests and messages to the client.
    pub client: Client,
    /// For what goes to the client without the framework.
    pub outgoing: Outgoing,
    /// Whether the client has asked for the end.
    pub shut_down: AtomicBool,
    /// When the server began.
    pub started: Instant,
    session: OnceLock<Session>,
    settings: RwLock<Arc<Settings>>,
    documents: Mutex<HashMap<Uri, Arc<Document>>>,
}

impl Shared {
    /// The state at the beginning.
    pub fn new(client: Client, outgoing: Outgoing) -> Self {
        Self {
            client,
            outgoing,
            shut_down: AtomicBool::new(false),
            started: Instant::now(),
            session: OnceLock::new(),
            settings: RwLock::default(),
            documents: Mutex::default(),
        }
    }

    /// What was agreed with the client.
    pub fn session(&self) -> Session {
        self.session.get().copied().unwrap_or_default()
    }

    /// Notes what was agreed; only the first time counts.
    pub fn begin(&self, session: Session) {
        let _ = self.session.set(session);
    }

    /// The settings as of now.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes over other settings; tells whether they differ.
    pub fn set_settings(&self, settings: Settings) -> bool {
        let mut current = self.settings.write().unwrap_or_else(PoisonError::into_inner);
        let differ = **current != settings;
        if differ {
            *current = Arc::new(settings);
        }
        differ
    }

    /// An open document.
    pub fn document(&self, uri: &Uri) -> Option<Arc<Document>> {
        lock(&self.documents).get(uri).cloned()
    }

    /// All open documents.
    pub fn documents(&self) -> Vec<Arc<Document>> {
        lock(&self.documents).values().cloned().collect()
    }

    /// Opens a document and starts its worker.
    pub fn open(self: &Arc<Self>, uri: Uri, text: &str, version: i32) {
        // A client that opens twice means the second.
        self.close(&uri);
        let (document, publisher): (Document, Publisher) = Document::new(uri.clone(), text, version);
        let document = Arc::new(document);
        match Worker::start(Arc::clone(self), Arc::clone(&document), publisher) {
            Ok(()) => drop(lock(&self.documents).insert(uri, document)),
            Err(error) => tracing::error!("no thread for {}: {error}", uri.as_str()),
        }
    }

    /// Closes a document; what was reported of it is taken back.
    pub fn close(&self, uri: &Uri) {
        let document = lock(&self.documents).remove(uri);
        if let Some(document) = document {
            document.close(|| {
                if !self.session().pulls_diagnostics {
                    super::worker::publish(&self.outgoing, uri, None, &[]);
                }
            });
        }
    }
}

/// Does work that takes more than an instant away from the asynchronous threads.
///
/// # Errors
/// If it panics.
pub async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Error::internal_error())
}
