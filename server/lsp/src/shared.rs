//! What handlers and workers share.

pub use super::cancel::{cancellable, cancellable_in, off_thread};
use super::document::{OpenDocument, Publisher};
use super::evaluation::Evaluations;
use super::folders::Folders;
use super::handlers::workspace_check::PushedReports;
use super::pools::Pools;
use super::progress::RunningWork;
use super::ptxas::Ptxas;
use super::session::ClientFeatures;
use super::settings::Settings;
use super::trouble::Troubles;
use super::unreadable::DocumentRefusal;
use super::worker::Worker;
use super::workspace::Workspace;
use dashmap::DashMap;
use ptx_wire::outgoing::Outgoing;
use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::Instant;
use tower_lsp_server::Client;
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
    /// The files of the workspace.
    pub workspace: Workspace,
    /// What was said of them unasked.
    pub pushed: PushedReports,
    /// What the user can stop.
    pub running: RunningWork,
    /// NVIDIA's assembler, if the user has one.
    pub ptxas: Ptxas,
    /// What kernels were evaluated.
    pub evaluations: Evaluations,
    troubles: Troubles,
    /// Where to have work done.
    pub pools: Pools,
    session: OnceLock<ClientFeatures>,
    settings: RwLock<Arc<Settings>>,
    folders: RwLock<Arc<Folders>>,
    documents: DashMap<Uri, Arc<OpenDocument>>,
    touched: Mutex<Option<Uri>>,
    refused: Mutex<HashMap<Uri, DocumentRefusal>>,
}

impl Shared {
    /// The state at the beginning.
    pub fn new(client: Client, outgoing: Outgoing, pools: Pools) -> Self {
        Self {
            client,
            outgoing,
            shut_down: AtomicBool::new(false),
            started: Instant::now(),
            workspace: Workspace::default(),
            pushed: PushedReports::default(),
            running: RunningWork::default(),
            ptxas: Ptxas::default(),
            evaluations: Evaluations::default(),
            troubles: Troubles::default(),
            pools,
            session: OnceLock::new(),
            settings: RwLock::default(),
            folders: RwLock::default(),
            documents: DashMap::new(),
            touched: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// What was agreed with the client.
    pub fn session(&self) -> ClientFeatures {
        self.session.get().copied().unwrap_or_default()
    }

    /// Notes what was agreed; only the first time counts.
    pub fn begin(&self, session: ClientFeatures) {
        let _ = self.session.set(session);
    }

    /// Does something in the background, from any thread.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.pools.requests.spawn(work);
    }

    /// The client wants the end: nothing new is begun, and who waits for a change is told.
    pub fn shut_down(&self) {
        self.shut_down.store(true, Ordering::Relaxed);
        self.workspace.changed();
    }

    /// The settings that hold where no folder has its own.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The settings that hold for a document.
    pub fn settings_of(&self, uri: &Uri) -> Arc<Settings> {
        self.folders().of(uri).and_then(|f| f.settings.clone()).unwrap_or_else(|| self.settings())
    }

    /// The folders of the workspace as of now.
    pub fn folders(&self) -> Arc<Folders> {
        Arc::clone(&self.folders.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the folders or their settings.
    pub fn change_folders<T>(&self, change: impl FnOnce(&mut Folders) -> T) -> T {
        let mut current = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        let mut folders = Folders::clone(&current);
        let out = change(&mut folders);
        *current = Arc::new(folders);
        out
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

    /// Notes the document that is worked on: commands without an argument mean it.
    pub fn touch(&self, uri: &Uri) {
        let mut touched = lock(&self.touched);
        if touched.as_ref() != Some(uri) {
            *touched = Some(uri.clone());
        }
    }

    /// The document that was worked on last.
    pub fn touched(&self) -> Option<Uri> {
        lock(&self.touched).clone()
    }

    /// An open document.
    pub fn document(&self, uri: &Uri) -> Option<Arc<OpenDocument>> {
        self.documents.get(uri).map(|document| Arc::clone(&document))
    }

    /// All open documents.
    pub fn documents(&self) -> Vec<Arc<OpenDocument>> {
        self.documents.iter().map(|document| Arc::clone(&document)).collect()
    }

    /// A panic was caught in work on something: a document, a kind of request. The user is told once for each.
    pub fn failed(&self, what: &str) {
        tracing::error!("a panic was caught in work on {what}");
        self.troubles.tell(&self.outgoing, what);
    }

    /// Opens a document and starts its worker.
    pub fn open(self: &Arc<Self>, uri: Uri, text: &str, version: i32) {
        // A client that opens twice means the second.
        self.close(&uri);
        let (document, publisher): (OpenDocument, Publisher) = OpenDocument::new(uri.clone(), text, version);
        let document = Arc::new(document);
        self.touch(&uri);
        // It is there before its worker reads the settings: who changes them has every document checked again.
        self.documents.insert(uri.clone(), Arc::clone(&document));
        if let Err(error) = Worker::start(Arc::clone(self), document, publisher) {
            tracing::error!("no thread for {}: {error}", uri.as_str());
            self.documents.remove(&uri);
            lock(&self.refused).insert(uri, DocumentRefusal::NoThread);
        }
    }

    /// Closes a document; what was reported of it is taken back.
    pub fn close(&self, uri: &Uri) {
        let document = self.documents.remove(uri).map(|(_, document)| document);
        self.found(uri);
        self.ptxas.forget(uri);
        if let Some(document) = document {
            document.close(|| {
                if !self.session().pulls_diagnostics {
                    super::worker::publish(&self.outgoing, uri, None, &[]);
                }
            });
        }
    }

    /// The text of a document is not known any more: what was reported of it is taken back, and requests are refused. A document
    /// that is just being opened exists from now on, if `opens`.
    pub fn lose(self: &Arc<Self>, uri: &Uri, opens: bool) {
        if opens {
            self.open(uri.clone(), "", 0);
        }
        let Some(document) = self.document(uri) else { return };
        document.lose();
        lock(&self.refused).insert(uri.clone(), DocumentRefusal::OutOfSync);
        super::refresh::diagnostics(self);
        self.tell_lost(uri.as_str());
    }

    /// The text of a document is known again.
    pub fn found(&self, uri: &Uri) {
        lock(&self.refused).remove(uri);
    }

    /// Tells the user, once, that the text of a document is not known.
    pub fn tell_lost(&self, name: &str) {
        self.troubles.tell_lost(&self.outgoing, name);
    }

    /// Whether requests about any document are refused.
    pub fn refuses(&self) -> bool {
        !lock(&self.refused).is_empty()
    }

    /// Why requests about a document are refused, if they are.
    pub fn refusal(&self, uri: &Uri) -> Option<DocumentRefusal> {
        lock(&self.refused).get(uri).copied()
    }
}
