//! The server: what it knows, its client, the system it runs on, and what is remembered beside the documents.
//!
//! It knows no handler and no worker: who creates it names the function that starts workers.

use super::cancel::RunningWork;
use super::compile_commands::CompileCommands;
use super::document::{OpenDocument, Publisher};
use super::encoder;
use super::nvdisasm::Nvdisasm;
use super::platform::{FileSource, Platform};
use super::ptxas::Ptxas;
use super::runs::Evaluations;
use super::state::{DocumentRefusal, ServerMode, State};
use super::trouble::Troubles;
use super::workspace::{PushedReports, Workspace};
use futures::FutureExt;
use ptx_clock::Instant;
use ptx_wire::outgoing::Outgoing;
use std::collections::HashSet;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tokio::sync::SetOnce;
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::Uri;

/// Starts the worker of a document. The last argument is the client's name of its language.
pub type WorkerStart = fn(Arc<Server>, Arc<OpenDocument>, Publisher, &str) -> std::io::Result<()>;

/// Time limit for the client's answer to a request.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(10);

/// The usual name of the language PTX in clients.
const PTX_LANGUAGE: &str = "ptx";

/// The server, as handlers and workers share it.
#[derive(Debug)]
pub struct Server {
    /// What the server knows.
    pub state: State,
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
    /// Messages about settings that were shown.
    pub complaints: Mutex<HashSet<String>>,
}

/// Returns the files of a server's client.
pub type ClientFilesOf = fn(&Arc<Server>) -> Arc<dyn FileSource>;

impl Server {
    /// Creates the initial state.
    pub fn new(outgoing: Outgoing, platform: Arc<dyn Platform>, mode: ServerMode, start: WorkerStart) -> Self {
        Self {
            state: State::new(mode),
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
            complaints: Mutex::default(),
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

    /// Waits for the client's answer to a request, but not for long: clients may leave a request unanswered.
    pub async fn answer<T>(&self, request: impl Future<Output = T>) -> Option<T> {
        self.platform.timeout(CLIENT_TIMEOUT, request).await
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

    /// Reports a panic in work on `what` (a document, a kind of request). The user gets one message for each.
    pub fn failed(&self, what: &str) {
        tracing::error!("a panic was caught in work on {what}");
        self.troubles.tell(&self.outgoing, what);
    }

    /// Lets the server ask its client for files, if the client offers that.
    pub fn accept_client_files(&self, files: ClientFilesOf) {
        let _ = self.client_files.set(files);
    }

    /// Returns the source of files that are not open: the file system, or the client; `None` if there is none.
    pub fn files(self: &Arc<Self>) -> Option<Arc<dyn FileSource>> {
        let of_client =
            || self.client_files.get().filter(|_| self.state.session().supplies_files).map(|files| files(self));
        self.platform.files().or_else(of_client)
    }

    /// Opens a document and starts its worker.
    pub fn open(self: &Arc<Self>, uri: Uri, text: &str, version: i32) {
        self.open_as(uri, PTX_LANGUAGE, text, version);
    }

    /// Like [`Self::open`], with the client's name of the language.
    pub fn open_as(self: &Arc<Self>, uri: Uri, language: &str, text: &str, version: i32) {
        // If a client opens a document twice, the second text counts.
        self.end(&uri, self.state.take(&uri, false));
        // The document is inserted before its worker reads the settings: a change of settings rechecks all documents, and must
        // not miss this one.
        let (document, publisher) = self.state.insert(uri.clone(), language, text, version);
        let shared = Arc::clone(self);
        if let Err(error) = (self.start)(shared, document, publisher, language) {
            tracing::error!("no thread for {}: {error}", uri.as_str());
            self.state.take(&uri, false);
            self.state.refuse(uri, DocumentRefusal::NoThread);
        }
    }

    /// Closes a document and withdraws its diagnostics.
    pub fn close(&self, uri: &Uri) {
        self.end(uri, self.state.take(uri, true));
    }

    /// Ends what belongs to a document that was taken out, or to a URI without one.
    fn end(&self, uri: &Uri, document: Option<Arc<OpenDocument>>) {
        // The client may close it by another URI than it opened it by.
        let uri = document.as_ref().map_or(uri, |document| &document.uri);
        self.state.found(uri);
        self.troubles.forget(uri.as_str());
        self.ptxas.forget(uri);
        self.nvdisasm.forget(uri);
        if let Some(document) = &document {
            document.close(|| {
                if !self.state.session().pulls_diagnostics {
                    encoder::publish(&self.outgoing, uri, None, &[]);
                }
            });
        }
    }

    /// Marks the text of a document as unknown: its diagnostics are withdrawn, and requests are refused. With `opens`, the
    /// message was to open the document, which is created empty first. Returns whether there is such a document.
    pub fn lose(self: &Arc<Self>, uri: &Uri, opens: bool) -> bool {
        if opens {
            self.open(uri.clone(), "", 0);
        }
        let Some(document) = self.state.document(uri) else { return false };
        document.lose();
        self.state.refuse(document.uri.clone(), DocumentRefusal::OutOfSync);
        self.tell_lost(document.uri.as_str());
        true
    }

    /// Reports to the user, once, that the text of a document is unknown.
    pub fn tell_lost(&self, name: &str) {
        self.troubles.tell_lost(&self.outgoing, name);
    }
}
