//! What is known of the files of the workspace's folders that are not open: their diagnostics and their outlines.
//!
//! The results for a file are cached until the file or its settings change; another walk then costs only the search of the
//! folders. It knows no server, and examines nothing: `walk` does.

mod listings;
mod pushed;

use super::platform::FileStamp;
use super::settings::Settings;
use super::sync::lock;
pub use listings::{FoundFile, FoundFiles, Listings};
use ptx_gate::names::FileName;
use ptx_ide::SymbolKind;
pub use pushed::{PushedReport, PushedReports};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{MutexGuard, watch};
use tower_lsp_server::ls_types::{self, Diagnostic, DiagnosticSeverity, Uri};

/// What to compute for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExamineGoal {
    /// The outline of the file.
    Outline,
    /// The diagnostics of the file, and its outline.
    Report,
}

/// A file to examine.
#[derive(Debug)]
pub struct ExamineJob {
    /// Identifies the file.
    pub file: FileName,
    /// URI of the file.
    pub uri: Uri,
    /// State of the file when it was found.
    pub stamp: FileStamp,
    /// The settings of its folder.
    pub settings: Arc<Settings>,
}

impl ExamineJob {
    /// Returns the maximum size of the file in bytes; it may have grown since it was found.
    pub fn most(&self) -> u64 {
        (self.settings.workspace.megabytes as u64).saturating_mul(1_000_000)
    }
}

/// A symbol that a file defines at module scope.
#[derive(Debug, Clone)]
pub struct OutlineEntry {
    /// Its name, demangled.
    pub name: String,
    /// The mangled name in the text, if it differs.
    pub mangled: Option<String>,
    /// A short description.
    pub detail: String,
    /// Kind of the symbol.
    pub kind: SymbolKind,
    /// Range of its name.
    pub selection: ls_types::Range,
}

/// The diagnostics of a file.
#[derive(Debug, Clone, Default)]
pub struct FileReport {
    /// Unique id of the report.
    pub result_id: String,
    /// Errors and warnings. Hints are reported only for open documents.
    pub diagnostics: Vec<Diagnostic>,
}

impl FileReport {
    /// Returns the number of diagnostics of a severity.
    pub fn count(&self, severity: DiagnosticSeverity) -> usize {
        self.diagnostics.iter().filter(|d| d.severity == Some(severity)).count()
    }
}

/// The result of examining a file.
#[derive(Debug, Default)]
pub struct FileSummary {
    /// The outline of the file.
    pub outline: Vec<OutlineEntry>,
    /// The diagnostics, if they were requested.
    pub report: Option<FileReport>,
}

/// Cached results for the files.
#[derive(Debug)]
pub struct Workspace {
    known: Mutex<HashMap<FileName, FileCacheEntry>>,
    /// Counts changes that may require another walk.
    changes: watch::Sender<u64>,
    /// Counts changes of files that the client has reported.
    file_changes: AtomicUsize,
    /// What the client has found, if it supplies files.
    pub listings: Listings,
    /// Locks of the running walk of each kind: a search for a name does not wait for a check of all files.
    outline_turn: tokio::sync::Mutex<()>,
    report_turn: tokio::sync::Mutex<()>,
    /// Number of the last report.
    reports: AtomicUsize,
}

#[derive(Debug)]
struct FileCacheEntry {
    stamp: FileStamp,
    outline: Option<Arc<Vec<OutlineEntry>>>,
    report: Option<(Arc<Settings>, Arc<FileReport>)>,
}

/// The cached results for a file.
#[derive(Debug, Clone, Default)]
pub struct FileState {
    /// The outline; `None` if it was not requested.
    pub outline: Option<Arc<Vec<OutlineEntry>>>,
    /// The diagnostics; `None` if they were not requested.
    pub report: Option<Arc<FileReport>>,
}

impl Default for Workspace {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            changes: watch::Sender::new(0),
            file_changes: AtomicUsize::new(0),
            listings: Listings::default(),
            outline_turn: tokio::sync::Mutex::default(),
            report_turn: tokio::sync::Mutex::default(),
            reports: AtomicUsize::new(0),
        }
    }
}

impl Workspace {
    /// Signals a change of files, settings, folders, or of the set of open documents.
    pub fn changed(&self) {
        self.changes.send_modify(|n| *n += 1);
    }

    /// Returns the number of changes of files that the client has reported.
    pub fn file_changes(&self) -> usize {
        self.file_changes.load(Ordering::Relaxed)
    }

    /// Returns a receiver of changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Drops the results for a file or folder, even if its length and time are unchanged.
    pub fn forget(&self, file: &FileName) {
        // For a folder this includes everything in it.
        lock(&self.known).retain(|known, _| !known.is_in(file));
        self.file_changes.fetch_add(1, Ordering::Relaxed);
        self.listings.forget();
        self.changed();
    }

    /// Returns the results for a file that are still valid.
    pub fn state(&self, job: &ExamineJob) -> FileState {
        let known = lock(&self.known);
        let Some(known) = known.get(&job.file).filter(|k| k.stamp == job.stamp) else { return FileState::default() };
        let report = known.report.as_ref().filter(|(settings, _)| *settings == job.settings);
        FileState { outline: known.outline.clone(), report: report.map(|(_, r)| Arc::clone(r)) }
    }

    /// Stores the results for a file.
    pub fn remember(&self, job: &ExamineJob, examined: FileSummary) -> FileState {
        let outline = Arc::new(examined.outline);
        let report = examined.report.map(|mut report| {
            // This form differs from the ids of open documents.
            report.result_id = format!("file {}", self.reports.fetch_add(1, Ordering::Relaxed));
            Arc::new(report)
        });
        let state = FileState { outline: Some(Arc::clone(&outline)), report: report.clone() };
        let report = report.map(|r| (Arc::clone(&job.settings), r));
        let mut known = lock(&self.known);
        // A walk for outlines must not replace the diagnostics of a full check.
        let before = known.remove(&job.file).filter(|k| k.stamp == job.stamp).and_then(|k| k.report);
        let report = report.or(before);
        known.insert(job.file.clone(), FileCacheEntry { stamp: job.stamp, outline: Some(outline), report });
        state
    }

    /// Drops the results for all other files.
    pub fn keep_only(&self, files: &HashSet<FileName>) {
        lock(&self.known).retain(|file, _| files.contains(file));
    }

    /// Waits for the turn of a walk: one walk of a kind runs at a time.
    pub async fn turn(&self, goal: ExamineGoal) -> MutexGuard<'_, ()> {
        match goal {
            ExamineGoal::Outline => self.outline_turn.lock().await,
            ExamineGoal::Report => self.report_turn.lock().await,
        }
    }
}
