//! State that handlers and workers share.

use super::cancel::{CancelFlag, RunningWork};
use super::compile_commands::CompileCommands;
use super::document::{OpenDocument, Publisher};
use super::folders::Folders;
use super::nvdisasm::Nvdisasm;
use super::platform::{FileSource, Platform, Pool};
use super::ptxas::Ptxas;
use super::runs::Evaluations;
use super::session::ClientFeatures;
use super::settings::Settings;
use super::spelling::{Spelling, file_name};
use super::sync::lock;
use super::trouble::Troubles;
use super::unreadable::DocumentRefusal;
use super::workspace::{PushedReports, Workspace};
use dashmap::DashMap;
use futures::FutureExt;
use ptx_clock::Instant;
use ptx_gate::names::FileName;
use ptx_wire::outgoing::Outgoing;
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use tokio::sync::SetOnce;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::Uri;

/// Starts the worker of a document. The last argument is the client's name of its language.
pub type WorkerStart = fn(Arc<Shared>, Arc<OpenDocument>, Publisher, &str) -> std::io::Result<()>;

/// The usual name of the language PTX in clients.
const PTX_LANGUAGE: &str = "ptx";

/// What the documents of a server are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerMode {
    /// PTX.
    Ptx,
    /// Texts of other languages, with PTX in strings.
    Host,
}

/// The state of the server.
#[derive(Debug)]
pub struct Shared {
    /// What the documents are.
    pub mode: ServerMode,
    /// The builds of the documents, if they are texts of another language.
    pub commands: CompileCommands,
    client: SetOnce<Client>,
    /// Sends messages to the client without the framework.
    pub outgoing: Outgoing,
    /// Whether the client has requested `shutdown`.
    pub shut_down: AtomicBool,
    /// Start time of the server.
    pub started: Instant,
    /// The files of the workspace.
    pub workspace: Workspace,
    /// Diagnostics that the server pushed for files that are not open.
    pub pushed: PushedReports,
    /// Work that the user can cancel.
    pub running: RunningWork,
    /// NVIDIA's assembler, if the user has configured one.
    pub ptxas: Ptxas,
    /// NVIDIA's disassembler, if the user has configured one.
    pub nvdisasm: Nvdisasm,
    /// Evaluations of kernels.
    pub evaluations: Evaluations,
    troubles: Troubles,
    /// The system that the server runs on.
    pub platform: Arc<dyn Platform>,
    start: WorkerStart,
    /// Returns the files of the client, where a server may ask for them.
    client_files: OnceLock<ClientFilesOf>,
    session: OnceLock<ClientFeatures>,
    settings: RwLock<Arc<Settings>>,
    folders: RwLock<Arc<Folders>>,
    /// How the client spells the URIs of files.
    pub spelling: Spelling,
    documents: DashMap<FileName, Vec<Arc<OpenDocument>>>,
    touched: Mutex<Option<Uri>>,
    refused: Mutex<HashMap<Uri, DocumentRefusal>>,
    /// Documents that are not checked when they are opened next.
    spared: Mutex<HashSet<FileName>>,
    /// Messages about settings that were shown.
    pub complaints: Mutex<HashSet<String>>,
    /// Files that are not open and never examined.
    given_up: Mutex<HashSet<FileName>>,
}

/// Returns the files of a server's client.
pub type ClientFilesOf = fn(&Arc<Shared>) -> Arc<dyn FileSource>;

impl Shared {
    /// Creates the initial state.
    pub fn new(outgoing: Outgoing, platform: Arc<dyn Platform>, mode: ServerMode, start: WorkerStart) -> Self {
        Self {
            mode,
            commands: CompileCommands::default(),
            client: SetOnce::new(),
            outgoing,
            shut_down: AtomicBool::new(false),
            started: Instant::now(),
            workspace: Workspace::default(),
            pushed: PushedReports::default(),
            running: RunningWork::default(),
            ptxas: Ptxas::default(),
            nvdisasm: Nvdisasm::default(),
            evaluations: Evaluations::default(),
            troubles: Troubles::default(),
            platform,
            start,
            client_files: OnceLock::new(),
            session: OnceLock::new(),
            settings: RwLock::default(),
            folders: RwLock::default(),
            spelling: Spelling::default(),
            documents: DashMap::new(),
            touched: Mutex::default(),
            refused: Mutex::default(),
            spared: Mutex::default(),
            complaints: Mutex::default(),
            given_up: Mutex::default(),
        }
    }

    /// Gives the server the client that the framework has. A server with a client answers requests; before, in a browser, it
    /// only checks texts (`crate::embedded`).
    pub fn connect(&self, client: Client) {
        // The framework makes one client for each service, and a server has one service.
        let _ = self.client.set(client);
    }

    /// Whether the server answers requests.
    pub fn is_connected(&self) -> bool {
        self.client.initialized()
    }

    /// Returns the client, for requests and messages to it, once the server answers requests.
    pub async fn client(&self) -> &Client {
        self.client.wait().await
    }

    /// Whether the client has sent `initialize`.
    pub fn has_begun(&self) -> bool {
        self.session.get().is_some()
    }

    /// Returns the client's features; the defaults before `initialize`.
    pub fn session(&self) -> ClientFeatures {
        self.session.get().copied().unwrap_or_default()
    }

    /// Stores the client's features; only the first call has an effect.
    pub fn begin(&self, session: ClientFeatures) {
        let _ = self.session.set(session);
    }

    /// Computes something long away from the work that reads messages.
    ///
    /// # Errors
    /// If it panics.
    pub async fn off_thread<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        self.platform.off_thread(work).await
    }

    /// As [`Self::off_thread`], for work that can be cancelled.
    ///
    /// # Errors
    /// If it panics.
    pub async fn cancellable<T: Send + 'static>(
        &self,
        work: impl FnOnce(&CancelFlag) -> T + Send + 'static,
    ) -> Result<T> {
        self.cancellable_in(Pool::Requests, work).await
    }

    /// As [`Self::cancellable`], for a given kind of computation.
    ///
    /// # Errors
    /// If it panics.
    pub async fn cancellable_in<T: Send + 'static>(
        &self,
        pool: Pool,
        work: impl FnOnce(&CancelFlag) -> T + Send + 'static,
    ) -> Result<T> {
        self.platform.cancellable_in(pool, work).await
    }

    /// As [`Self::cancellable_in`], for work that interrupts itself ([`Platform::next_slice`]).
    ///
    /// # Errors
    /// If it panics.
    pub async fn sliced_in<T: Send + 'static>(
        &self,
        pool: Pool,
        work: impl AsyncFnOnce(CancelFlag) -> T + Send + 'static,
    ) -> Result<T> {
        self.platform.sliced_in(pool, work).await
    }

    /// Starts asynchronous work in the background, from any thread.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.platform.spawn(work.boxed());
    }

    /// Handles `shutdown`: no new work starts, and handlers that wait for a change are woken.
    pub fn shut_down(&self) {
        self.shut_down.store(true, Ordering::Relaxed);
        self.workspace.changed();
    }

    /// Returns the settings that apply to documents without settings of their folder.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the settings that apply to a document.
    pub fn settings_of(&self, uri: &Uri) -> Arc<Settings> {
        self.folders().of(uri).and_then(|f| f.settings.clone()).unwrap_or_else(|| self.settings())
    }

    /// Returns the current folders of the workspace.
    pub fn folders(&self) -> Arc<Folders> {
        Arc::clone(&self.folders.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the folders or their settings.
    pub fn change_folders<T>(&self, change: impl FnOnce(&mut Folders) -> T) -> T {
        let mut current = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        let mut folders = Folders::clone(&current);
        let out = change(&mut folders);
        folders.iter().for_each(|folder| self.spelling.learn(&folder.uri));
        *current = Arc::new(folders);
        out
    }

    /// Replaces the settings; returns whether they differ.
    pub fn set_settings(&self, settings: Settings) -> bool {
        let mut current = self.settings.write().unwrap_or_else(PoisonError::into_inner);
        let differ = **current != settings;
        if differ {
            *current = Arc::new(settings);
        }
        differ
    }

    /// Records the document that the user works on; commands without an argument apply to it.
    pub fn touch(&self, uri: &Uri) {
        let mut touched = lock(&self.touched);
        if touched.as_ref() != Some(uri) {
            *touched = Some(uri.clone());
        }
    }

    /// Returns the document that the user worked on last.
    pub fn touched(&self) -> Option<Uri> {
        lock(&self.touched).clone()
    }

    /// Returns an open document, by whichever of its URIs.
    pub fn document(&self, uri: &Uri) -> Option<Arc<OpenDocument>> {
        self.document_named(uri.as_str())
    }

    /// Returns the open document that a URI names: the one that it opened, or the last one of the same file. A client may have opened a
    /// file by two URIs, and then it has two texts.
    pub fn document_named(&self, uri: &str) -> Option<Arc<OpenDocument>> {
        let open = self.documents.get(&FileName::of_uri(uri))?;
        open.iter().find(|document| document.uri.as_str() == uri).or(open.last()).cloned()
    }

    /// Returns the open document of a file; of several the last one.
    pub fn document_of(&self, file: &FileName) -> Option<Arc<OpenDocument>> {
        self.documents.get(file).and_then(|open| open.last().cloned())
    }

    /// Takes the document out that a URI opened. With `in_any_spelling`, it may be another document of the same file.
    fn take(&self, uri: &Uri, in_any_spelling: bool) -> Option<Arc<OpenDocument>> {
        let name = file_name(uri);
        let document = {
            let mut open = self.documents.get_mut(&name)?;
            let last = open.len().checked_sub(1).filter(|_| in_any_spelling);
            let at = open.iter().position(|document| document.uri == *uri).or(last)?;
            open.remove(at)
        };
        self.documents.remove_if(&name, |_, open| open.is_empty());
        Some(document)
    }

    /// Returns the URI by which the client knows a file: the one that opened it, or one in the client's form.
    pub fn uri_of(&self, file: &FileName) -> Option<Uri> {
        self.document_of(file).map(|document| document.uri.clone()).or_else(|| self.spelling.uri(file))
    }

    /// Returns all open documents.
    pub fn documents(&self) -> Vec<Arc<OpenDocument>> {
        self.documents.iter().flat_map(|open| open.clone()).collect()
    }

    /// Reports a panic in work on `what` (a document, a kind of request). The user gets one message for each.
    pub fn failed(&self, what: &str) {
        tracing::error!("a panic was caught in work on {what}");
        self.troubles.tell(&self.outgoing, what);
    }

    /// Makes the next text of a document count as one whose check fails.
    pub fn spare(&self, uri: Uri) {
        match self.document(&uri) {
            Some(document) => document.history.spared.store(true, Ordering::Relaxed),
            None => _ = lock(&self.spared).insert(file_name(&uri)),
        }
    }

    /// Lets the server ask its client for files, if the client offers that.
    pub fn accept_client_files(&self, files: ClientFilesOf) {
        let _ = self.client_files.set(files);
    }

    /// Returns the source of files that are not open: the file system, or the client; `None` if there is none.
    pub fn files(self: &Arc<Self>) -> Option<Arc<dyn FileSource>> {
        let of_client = || self.client_files.get().filter(|_| self.session().supplies_files).map(|files| files(self));
        self.platform.files().or_else(of_client)
    }

    /// Leaves files out that are not open: work on them has ended a server with the same client.
    pub fn give_up(&self, files: impl IntoIterator<Item = Uri>) {
        lock(&self.given_up).extend(files.into_iter().map(|uri| file_name(&uri)));
    }

    /// Whether a file that is not open is left out.
    pub fn is_given_up(&self, uri: &Uri) -> bool {
        lock(&self.given_up).contains(&file_name(uri))
    }

    /// Opens a document and starts its worker.
    pub fn open(self: &Arc<Self>, uri: Uri, text: &str, version: i32) {
        self.open_as(uri, PTX_LANGUAGE, text, version);
    }

    /// Like [`Self::open`], with the client's name of the language.
    pub fn open_as(self: &Arc<Self>, uri: Uri, language: &str, text: &str, version: i32) {
        // If a client opens a document twice, the second text counts.
        self.end(&uri, self.take(&uri, false));
        self.spelling.learn(&uri);
        let name = file_name(&uri);
        let (document, publisher): (OpenDocument, Publisher) = OpenDocument::new(uri.clone(), language, text, version);
        document.history.spared.store(lock(&self.spared).remove(&name), Ordering::Relaxed);
        let document = Arc::new(document);
        self.touch(&uri);
        // The document is inserted before its worker reads the settings: a change of settings rechecks all documents, and must
        // not miss this one.
        self.documents.entry(name).or_default().push(Arc::clone(&document));
        let shared = Arc::clone(self);
        if let Err(error) = (self.start)(shared, document, publisher, language) {
            tracing::error!("no thread for {}: {error}", uri.as_str());
            self.take(&uri, false);
            lock(&self.refused).insert(uri, DocumentRefusal::NoThread);
        }
    }

    /// Closes a document and withdraws its diagnostics.
    pub fn close(&self, uri: &Uri) {
        self.end(uri, self.take(uri, true));
    }

    /// Ends what belongs to a document that was taken out, or to a URI without one.
    fn end(&self, uri: &Uri, document: Option<Arc<OpenDocument>>) {
        // The client may close it by another URI than it opened it by.
        let uri = document.as_ref().map_or(uri, |document| &document.uri);
        self.found(uri);
        self.troubles.forget(uri.as_str());
        self.ptxas.forget(uri);
        self.nvdisasm.forget(uri);
        if let Some(document) = &document {
            document.close(|| {
                if !self.session().pulls_diagnostics {
                    super::encoder::publish(&self.outgoing, uri, None, &[]);
                }
            });
        }
    }

    /// Marks the text of a document as unknown: its diagnostics are withdrawn, and requests are refused. With `opens`, the
    /// message was to open the document, which is created empty first.
    pub fn lose(self: &Arc<Self>, uri: &Uri, opens: bool) {
        if opens {
            self.open(uri.clone(), "", 0);
        }
        let Some(document) = self.document(uri) else { return };
        document.lose();
        lock(&self.refused).insert(document.uri.clone(), DocumentRefusal::OutOfSync);
        super::refresh::diagnostics(self);
        self.tell_lost(document.uri.as_str());
    }

    /// Marks the text of a document as known again.
    pub fn found(&self, uri: &Uri) {
        lock(&self.refused).remove(uri);
    }

    /// Reports to the user, once, that the text of a document is unknown.
    pub fn tell_lost(&self, name: &str) {
        self.troubles.tell_lost(&self.outgoing, name);
    }

    /// Whether requests about any document at all are refused.
    pub fn refuses(&self) -> bool {
        !lock(&self.refused).is_empty()
    }

    /// Returns the reason why requests about a document are refused, if they are.
    pub fn refusal(&self, uri: &Uri) -> Option<DocumentRefusal> {
        lock(&self.refused).get(uri).copied()
    }
}
