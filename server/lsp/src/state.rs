//! What the server knows: the features of its client, settings, folders, and the open documents.
//!
//! It sends no message, starts no work and reads no file: [`Server`](super::server::Server) does.

use super::document::{OpenDocument, Publisher};
use super::folders::Folders;
use super::session::ClientFeatures;
use super::settings::Settings;
use super::spelling::{Spelling, file_name};
use super::sync::lock;
use dashmap::DashMap;
use ptx_gate::names::FileName;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use tower_lsp_server::ls_types::Uri;

/// What the documents of a server are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerMode {
    /// PTX.
    Ptx,
    /// Texts of other languages, with PTX in strings.
    Host,
}

/// The reason why requests about a document are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentRefusal {
    /// A message about its text could not be understood.
    OutOfSync,
    /// The system could not start a thread for the document.
    NoThread,
}

impl DocumentRefusal {
    /// Whether a pull of diagnostics gets an empty answer, which withdraws the diagnostics that the client shows.
    pub fn has_no_diagnostics(self) -> bool {
        self == Self::OutOfSync
    }

    /// Returns the message for the client.
    pub fn message(self) -> &'static str {
        match self {
            Self::OutOfSync => {
                "the text of this document is not known: a message about it could not be understood; close the file and open it again"
            }
            Self::NoThread => {
                "this document is not followed: the system has no thread for it; close other files and open it again"
            }
        }
    }
}

/// What the server knows.
#[derive(Debug)]
pub struct State {
    /// What the documents are.
    pub mode: ServerMode,
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
    /// Files that are not open and never examined.
    given_up: Mutex<HashSet<FileName>>,
}

impl State {
    /// Creates the initial state.
    pub fn new(mode: ServerMode) -> Self {
        Self {
            mode,
            session: OnceLock::new(),
            settings: RwLock::default(),
            folders: RwLock::default(),
            spelling: Spelling::default(),
            documents: DashMap::new(),
            touched: Mutex::default(),
            refused: Mutex::default(),
            spared: Mutex::default(),
            given_up: Mutex::default(),
        }
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

    /// Adds an open document, and returns it with the publisher for its worker.
    pub fn insert(&self, uri: Uri, language: &str, text: &str, version: i32) -> (Arc<OpenDocument>, Publisher) {
        self.spelling.learn(&uri);
        let name = file_name(&uri);
        let (document, publisher) = OpenDocument::new(uri.clone(), language, text, version);
        document.history.spared.store(lock(&self.spared).remove(&name), Ordering::Relaxed);
        let document = Arc::new(document);
        self.touch(&uri);
        self.documents.entry(name).or_default().push(Arc::clone(&document));
        (document, publisher)
    }

    /// Takes the document out that a URI opened. With `in_any_spelling`, it may be another document of the same file.
    pub fn take(&self, uri: &Uri, in_any_spelling: bool) -> Option<Arc<OpenDocument>> {
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

    /// Makes the next text of a document count as one whose check fails.
    pub fn spare(&self, uri: Uri) {
        match self.document(&uri) {
            Some(document) => document.history.spared.store(true, Ordering::Relaxed),
            None => _ = lock(&self.spared).insert(file_name(&uri)),
        }
    }

    /// Leaves files out that are not open: work on them has ended a server with the same client.
    pub fn give_up(&self, files: impl IntoIterator<Item = Uri>) {
        lock(&self.given_up).extend(files.into_iter().map(|uri| file_name(&uri)));
    }

    /// Whether a file that is not open is left out.
    pub fn is_given_up(&self, uri: &Uri) -> bool {
        lock(&self.given_up).contains(&file_name(uri))
    }

    /// Refuses requests about a document.
    pub fn refuse(&self, uri: Uri, refusal: DocumentRefusal) {
        lock(&self.refused).insert(uri, refusal);
    }

    /// No longer refuses requests about a document: its text is known, or it is closed.
    pub fn found(&self, uri: &Uri) {
        lock(&self.refused).remove(uri);
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
