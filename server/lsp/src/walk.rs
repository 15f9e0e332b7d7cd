//! Walks over the files of the workspace's folders that are not open, and examines those of which too little is known.
//!
//! A few examiners work on the files, one walk of a kind at a time. The files come from the file system of the platform, or from the
//! client if that reads them for the server ([`client_files`]). `workspace` keeps the results.

pub mod client_files;
mod examine;

use super::cancel::CancelFlag;
use super::platform::FileSource;
use super::server::Server;
use super::workspace::{ExamineGoal, ExamineJob, FileState, FileSummary, OutlineEntry};
use examine::examine;
use futures::FutureExt;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::Uri;

/// A progress event of a walk over the workspace.
#[derive(Debug)]
pub enum WorkspaceEvent<'a> {
    /// The search has ended.
    Found {
        /// Number of files to examine.
        files: usize,
        /// Number of files that are too big.
        too_big: usize,
        /// Whether the search stopped at its limit of entries or files.
        cut: bool,
    },
    /// A file that is not open, with its results.
    File(&'a Uri, &'a FileState),
    /// No event: time has passed.
    Tick,
}

/// Time between two events of a walk in which no file is done.
const TICK: Duration = Duration::from_millis(100);

/// Examines all files of the workspace that are not open, away from the work that reads messages, and passes the results of each
/// file to `on` as they arrive. A second walk of the same kind waits for the first.
///
/// # Errors
/// If it is cancelled.
pub async fn look<T: Send + 'static>(
    shared: &Arc<Server>,
    want: ExamineGoal,
    cancelled: &CancelFlag,
    mut sink: T,
    on: fn(&mut T, WorkspaceEvent<'_>),
) -> Result<T> {
    let _turn = shared.workspace.turn(want).await;
    cancelled.check()?;
    let Some(files) = shared.files() else {
        on(&mut sink, WorkspaceEvent::Found { files: 0, too_big: 0, cut: false });
        return Ok(sink);
    };
    let (done, result) = oneshot::channel();
    let walk = Walk { shared: Arc::clone(shared), files, want, cancelled: cancelled.clone() };
    let work = async move || {
        let finished = walk.run(&mut |event| on(&mut sink, event)).await;
        // The receiver may be gone.
        let _ = done.send(if finished { Ok(sink) } else { Err(Error::request_cancelled()) });
    };
    let started = shared.platform.start_examiner(Box::new(|| work().boxed_local()));
    started.map_err(|_| Error::internal_error())?;
    result.await.unwrap_or_else(|_| Err(Error::internal_error()))
}

/// A walk over the files of the workspace.
#[derive(Debug, Clone)]
struct Walk {
    shared: Arc<Server>,
    files: Arc<dyn FileSource>,
    want: ExamineGoal,
    cancelled: CancelFlag,
}

/// What an examiner sends: the index of a file, and what it has found, if the file could be read.
type Examined = (usize, Option<FileSummary>);

impl Walk {
    /// Runs the walk; returns whether it was completed.
    async fn run(&self, on: &mut dyn FnMut(WorkspaceEvent<'_>)) -> bool {
        let jobs = self.jobs(on).await;
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
        self.examine_all(left, on).await;
        !self.cancelled.is_set()
    }

    /// Returns the files to examine, and drops the cached results of other files.
    async fn jobs(&self, on: &mut dyn FnMut(WorkspaceEvent<'_>)) -> Vec<ExamineJob> {
        let shared = &self.shared;
        let (mut jobs, mut seen) = (Vec::new(), HashSet::new());
        let (mut too_big, mut cut) = (0, false);
        let mut most = 0;
        for folder in shared.state.folders().iter() {
            let settings = folder.settings.clone().unwrap_or_else(|| shared.state.settings());
            most = settings.workspace.files.max(most);
            let found = self.files.find(folder, &settings.workspace, &self.cancelled).await;
            too_big += found.too_big;
            cut |= found.cut;
            for (file, stamp) in found.files {
                // A folder may be inside of another one; the innermost one counts.
                let Some(uri) = shared.state.spelling.uri(&file).filter(|_| seen.insert(file.clone())) else {
                    continue;
                };
                if shared.state.document_of(&file).is_none() {
                    let settings = shared.state.settings_of(&uri);
                    jobs.push(ExamineJob { file, uri, stamp, settings });
                }
            }
        }
        if jobs.len() > most {
            jobs.truncate(most);
            cut = true;
        }
        if !self.cancelled.is_set() {
            shared.workspace.keep_only(&seen);
        }
        on(WorkspaceEvent::Found { files: jobs.len(), too_big, cut });
        jobs
    }

    async fn examine_all(&self, jobs: Vec<ExamineJob>, on: &mut dyn FnMut(WorkspaceEvent<'_>)) {
        let platform = &self.shared.platform;
        let (jobs, next) = (Arc::new(jobs), Arc::new(AtomicUsize::new(0)));
        let (sender, mut results) = mpsc::unbounded_channel::<Examined>();
        for _ in 0..platform.examiners().min(jobs.len()) {
            let (walk, jobs, next, sender) = (self.clone(), Arc::clone(&jobs), Arc::clone(&next), sender.clone());
            // The future is created on its thread: parsers stay on theirs.
            let work = move || {
                let work = async move {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(job) = jobs.get(index) else { return };
                        walk.shared.platform.works_on(job.uri.as_str());
                        let examined = examine(job, walk.want, &walk.shared, &*walk.files, &walk.cancelled).await;
                        if walk.cancelled.is_set() || sender.send((index, examined)).is_err() {
                            return;
                        }
                    }
                };
                work.boxed_local()
            };
            if let Err(error) = platform.start_examiner(Box::new(work)) {
                tracing::warn!("one thread fewer: {error}");
            }
        }
        drop(sender);
        loop {
            let Some(event) = platform.timeout(TICK, results.recv()).await else {
                on(WorkspaceEvent::Tick);
                continue;
            };
            let Some((index, examined)) = event else { return };
            let Some(job) = jobs.get(index) else { continue };
            // A file without results could not be read, or no longer exists.
            let state = examined.map(|examined| self.shared.workspace.remember(job, examined)).unwrap_or_default();
            on(WorkspaceEvent::File(&job.uri, &state));
        }
    }
}

/// Returns the outlines of the files that are not open, in the order of their names.
///
/// # Errors
/// If it is cancelled.
pub async fn outlines(shared: &Arc<Server>, cancelled: &CancelFlag) -> Result<Vec<(Uri, Arc<Vec<OutlineEntry>>)>> {
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
