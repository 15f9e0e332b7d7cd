//! The files of the workspace's folders that are not open: what is wrong with them, and what they define.
//!
//! What was found in a file is kept until the file or its settings change; a look at the folders costs no more than the
//! walk then. A few threads of their own examine the files, one question at a time.

mod examine;
mod find;

pub use examine::{ExamineGoal, FileReport, OutlineEntry};

use super::cancel::CancelFlag;
use super::folders::{file_path, file_uri};
use super::pools;
use super::settings::Settings;
use super::shared::{Shared, lock};
use examine::{ExamineJob, FileSummary, STACK};
use find::FileStamp;
use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::Uri;

/// What is known of the files.
#[derive(Debug)]
pub struct Workspace {
    known: Mutex<HashMap<PathBuf, FileCacheEntry>>,
    /// Counts what may make another look worthwhile.
    changes: watch::Sender<u64>,
    /// Whose look it is, for each kind: who searches for a name does not wait for a check of everything.
    outline_turn: tokio::sync::Mutex<()>,
    report_turn: tokio::sync::Mutex<()>,
    /// The number of the last report.
    reports: AtomicUsize,
}

#[derive(Debug)]
struct FileCacheEntry {
    stamp: FileStamp,
    outline: Option<Arc<Vec<OutlineEntry>>>,
    report: Option<(Arc<Settings>, Arc<FileReport>)>,
}

/// A progress event of a walk over the workspace.
#[derive(Debug)]
pub enum WorkspaceEvent<'a> {
    /// The search is done: how many files it found, and how many are left out.
    Found {
        /// To be looked at.
        files: usize,
        /// Too big.
        too_big: usize,
        /// There are more than is allowed.
        cut: bool,
    },
    /// A file that is not open, and what is known of it.
    File(&'a Uri, &'a FileState),
    /// Time has passed.
    Tick,
}

/// The cached results for a file.
#[derive(Debug, Clone, Default)]
pub struct FileState {
    /// What it defines; nothing if that was not asked for.
    pub outline: Option<Arc<Vec<OutlineEntry>>>,
    /// What is wrong with it; nothing if that was not asked for.
    pub report: Option<Arc<FileReport>>,
}

impl Default for Workspace {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            changes: watch::Sender::new(0),
            outline_turn: tokio::sync::Mutex::default(),
            report_turn: tokio::sync::Mutex::default(),
            reports: AtomicUsize::new(0),
        }
    }
}

impl Workspace {
    /// Something has changed: files, settings, folders, or which documents are open.
    pub fn changed(&self) {
        self.changes.send_modify(|n| *n += 1);
    }

    /// For those who wait for a change.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// A file is not what it was, whatever its length and time say.
    pub fn forget(&self, path: &Path) {
        // A folder takes what is in it along.
        lock(&self.known).retain(|known, _| !known.starts_with(path));
        self.changed();
    }

    fn state(&self, job: &ExamineJob) -> FileState {
        let known = lock(&self.known);
        let Some(known) = known.get(&job.path).filter(|k| k.stamp == job.stamp) else { return FileState::default() };
        let report = known.report.as_ref().filter(|(settings, _)| *settings == job.settings);
        FileState { outline: known.outline.clone(), report: report.map(|(_, r)| Arc::clone(r)) }
    }

    fn remember(&self, job: &ExamineJob, examined: FileSummary) -> FileState {
        let outline = Arc::new(examined.outline);
        let report = examined.report.map(|mut report| {
            // Unlike those of open documents.
            report.result_id = format!("file {}", self.reports.fetch_add(1, Ordering::Relaxed));
            Arc::new(report)
        });
        let state = FileState { outline: Some(Arc::clone(&outline)), report: report.clone() };
        let report = report.map(|r| (Arc::clone(&job.settings), r));
        let mut known = lock(&self.known);
        // A search for names only must not replace what a full check has found meanwhile.
        let before = known.remove(&job.path).filter(|k| k.stamp == job.stamp).and_then(|k| k.report);
        let report = report.or(before);
        known.insert(job.path.clone(), FileCacheEntry { stamp: job.stamp, outline: Some(outline), report });
        state
    }
}

/// Looks at all files of the workspace that are not open, on threads of its own, and hands over what is known of each as it
/// comes. A second look of the same kind waits for the first.
///
/// # Errors
/// If it is cancelled.
pub async fn look<T: Send + 'static>(
    shared: &Arc<Shared>,
    want: ExamineGoal,
    cancelled: &CancelFlag,
    mut sink: T,
    on: fn(&mut T, WorkspaceEvent<'_>),
) -> Result<T> {
    let turn = match want {
        ExamineGoal::Outline => &shared.workspace.outline_turn,
        ExamineGoal::Report => &shared.workspace.report_turn,
    };
    let _turn = turn.lock().await;
    cancelled.check()?;
    let (done, result) = oneshot::channel();
    let (to_thread, cancelled) = (Arc::clone(shared), cancelled.clone());
    let work = move || {
        let finished = Look { shared: &to_thread, want, cancelled: &cancelled }.run(&mut |event| on(&mut sink, event));
        // The receiver may be gone.
        let _ = done.send(if finished { Ok(sink) } else { Err(Error::request_cancelled()) });
    };
    std::thread::Builder::new().name("workspace".into()).spawn(work).map_err(|_| Error::internal_error())?;
    result.await.unwrap_or_else(|_| Err(Error::internal_error()))
}

struct Look<'a> {
    shared: &'a Arc<Shared>,
    want: ExamineGoal,
    cancelled: &'a CancelFlag,
}

impl Look<'_> {
    /// Whether it came to its end.
    fn run(&self, on: &mut dyn FnMut(WorkspaceEvent<'_>)) -> bool {
        let jobs = self.jobs(on);
        if self.cancelled.is_set() {
            return false;
        }
        let (mut known, mut left) = (Vec::new(), Vec::new());
        for job in jobs {
            let state = self.shared.workspace.state(&job);
            let enough = match self.want {
                ExamineGoal::Outline => state.outline.is_some(),
                ExamineGoal::Report => state.report.is_some(),
            };
            if enough { known.push((job, state)) } else { left.push(job) }
        }
        for (job, state) in &known {
            on(WorkspaceEvent::File(&job.uri, state));
        }
        self.examine(&left, on);
        !self.cancelled.is_set()
    }

    /// The files to look at; what is known of others is forgotten.
    fn jobs(&self, on: &mut dyn FnMut(WorkspaceEvent<'_>)) -> Vec<ExamineJob> {
        let shared = self.shared;
        let open: HashSet<PathBuf> = shared.documents().iter().filter_map(|d| file_path(&d.uri)).collect();
        let (mut jobs, mut seen) = (Vec::new(), HashSet::new());
        let (mut too_big, mut cut) = (0, false);
        let mut most = 0;
        for folder in shared.folders().iter() {
            let Some(path) = &folder.path else { continue };
            let settings = folder.settings.clone().unwrap_or_else(|| shared.settings());
            most = settings.workspace.files.max(most);
            let found = find::find(path, &settings.workspace, &|| self.cancelled.is_set());
            too_big += found.too_big;
            cut |= found.cut;
            for (path, stamp) in found.files {
                // A folder may lie in another one; the innermost one counts.
                let Some(uri) = file_uri(&path).filter(|_| seen.insert(path.clone())) else { continue };
                if !open.contains(&path) {
                    let settings = shared.settings_of(&uri);
                    jobs.push(ExamineJob { path, uri, stamp, settings });
                }
            }
        }
        if jobs.len() > most {
            jobs.truncate(most);
            cut = true;
        }
        if !self.cancelled.is_set() {
            lock(&shared.workspace.known).retain(|path, _| seen.contains(path));
        }
        on(WorkspaceEvent::Found { files: jobs.len(), too_big, cut });
        jobs
    }

    fn examine(&self, jobs: &[ExamineJob], on: &mut dyn FnMut(WorkspaceEvent<'_>)) {
        let next = AtomicUsize::new(0);
        let (sender, results) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..threads().min(jobs.len()) {
                let (next, sender) = (&next, sender.clone());
                let work = move || {
                    pools::yield_to_others();
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let examined = examine::examine(job, self.want, self.shared, self.cancelled);
                        if self.cancelled.is_set() || sender.send((job, examined)).is_err() {
                            return;
                        }
                    }
                };
                if let Err(error) =
                    std::thread::Builder::new().name("file".into()).stack_size(STACK).spawn_scoped(scope, work)
                {
                    tracing::warn!("one thread less: {error}");
                }
            }
            drop(sender);
            loop {
                match results.recv_timeout(Duration::from_millis(100)) {
                    Ok((job, Some(examined))) => {
                        let state = self.shared.workspace.remember(job, examined);
                        on(WorkspaceEvent::File(&job.uri, &state));
                    }
                    // It could not be read, or is gone.
                    Ok((job, None)) => on(WorkspaceEvent::File(&job.uri, &FileState::default())),
                    Err(RecvTimeoutError::Timeout) => on(WorkspaceEvent::Tick),
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        });
    }
}

/// Half of the processors: the user is editing meanwhile.
fn threads() -> usize {
    (std::thread::available_parallelism().map_or(1, NonZero::get) / 2).clamp(1, 8)
}

/// What files define that are not open, in the order of their names.
///
/// # Errors
/// If it is cancelled.
pub async fn outlines(shared: &Arc<Shared>, cancelled: &CancelFlag) -> Result<Vec<(Uri, Arc<Vec<OutlineEntry>>)>> {
    let mut out = look(shared, ExamineGoal::Outline, cancelled, Vec::new(), |out, event| {
        if let WorkspaceEvent::File(uri, FileState { outline: Some(outline), .. }) = event
            && !outline.is_empty()
        {
            out.push((uri.clone(), Arc::clone(outline)));
        }
    })
    .await?;
    out.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(out)
}
