//! The command `ptx-analyzer.checkWorkspace`: checks all files of the workspace. For clients that do not pull
//! `workspace/diagnostic`, the diagnostics of files that are not open are pushed, and kept up to date from then on.

use super::workspace_diagnostics::percent;
use crate::cancel::{CancelFlag, UntilDropped};
use crate::encoder::publish;
use crate::progress::WorkProgress;
use crate::refresh;
use crate::server::Server;
use crate::spelling::file_name;
use crate::sync::lock;
use crate::walk::{WorkspaceEvent, look};
use crate::workspace::{ExamineGoal, FileReport, FileState, PushedReport};
use ptx_clock::Instant;
use ptx_gate::names::FileName;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{DiagnosticSeverity, ProgressToken, Uri};

/// Delay after a change before the next check, because changes rarely come alone.
const PAUSE: Duration = Duration::from_millis(300);

/// Checks everything; the answer contains the number of files and of diagnostics.
pub async fn check(shared: &Arc<Server>, token: Option<ProgressToken>) -> Result<Value> {
    let begin = Instant::now();
    // The client may not have reported a change that the user knows of.
    shared.workspace.listings.forget();
    let wanted = UntilDropped::default();
    let progress = Some(WorkProgress::new(shared, token, "Checking PTX files", &wanted.token()));
    let done = run(shared, progress, &wanted.token()).await?;
    if shared.state.session().pulls_workspace {
        refresh::diagnostics(shared);
    }
    Ok(json!({
        "files": done.done,
        "unreadable": done.unreadable,
        "errors": done.errors,
        "warnings": done.warnings,
        "too_big": done.too_big,
        "more": done.cut,
        "seconds": begin.elapsed().as_millis() as f64 / 1e3,
    }))
}

/// Withdraws the pushed diagnostics of a file when it is opened: the document now has its own.
pub fn opened(shared: &Server, uri: &Uri) {
    let pushed = lock(&shared.pushed.0).as_mut().and_then(|pushed| pushed.remove(&file_name(uri)));
    // For other clients the next push replaces them, if it has the same URI.
    if let Some(pushed) = pushed.filter(|pushed| shared.state.session().pulls_diagnostics || pushed.uri != *uri) {
        publish(&shared.outgoing, &pushed.uri, None, &[]);
    }
}

/// State of a check of all files.
struct Check {
    shared: Arc<Server>,
    progress: Option<WorkProgress>,
    push: bool,
    seen: HashSet<FileName>,
    files: usize,
    done: usize,
    unreadable: usize,
    errors: usize,
    warnings: usize,
    too_big: usize,
    cut: bool,
}

async fn run(shared: &Arc<Server>, progress: Option<WorkProgress>, cancelled: &CancelFlag) -> Result<Check> {
    let check = Check {
        shared: Arc::clone(shared),
        progress,
        push: !shared.state.session().pulls_workspace,
        seen: HashSet::new(),
        files: 0,
        done: 0,
        unreadable: 0,
        errors: 0,
        warnings: 0,
        too_big: 0,
        cut: false,
    };
    if check.push {
        keep_up(shared);
    }
    let check = look(shared, ExamineGoal::Report, cancelled, check, |check, event| match event {
        WorkspaceEvent::Found { files, too_big, cut } => {
            (check.files, check.too_big, check.cut) = (files, too_big, cut);
            check.tick();
        }
        WorkspaceEvent::File(uri, state) => check.file(uri, state),
        WorkspaceEvent::Tick => check.tick(),
    })
    .await?;
    check.take_back();
    Ok(check)
}

/// Keeps the pushed diagnostics up to date from the first use on.
fn keep_up(shared: &Arc<Server>) {
    {
        let mut pushed = lock(&shared.pushed.0);
        if pushed.is_some() {
            return;
        }
        *pushed = Some(HashMap::new());
    }
    let (mut changes, runner, shared) = (shared.workspace.changes(), shared, Arc::clone(shared));
    runner.spawn(async move {
        while changes.changed().await.is_ok() && !shared.shut_down.load(Ordering::Relaxed) {
            shared.platform.sleep(PAUSE).await;
            changes.mark_unchanged();
            if let Err(error) = run(&shared, None, &CancelFlag::default()).await {
                tracing::warn!("files that changed were not checked: {error}");
            }
        }
    });
}

impl Check {
    fn tick(&mut self) {
        let (done, files) = (self.done, self.files);
        if let Some(progress) = &mut self.progress {
            progress.tell(|| (format!("{done}/{files} files"), percent(done, files)));
        }
    }

    fn file(&mut self, uri: &Uri, state: &FileState) {
        self.done += 1;
        match &state.report {
            Some(report) => {
                self.errors += report.count(DiagnosticSeverity::ERROR);
                self.warnings += report.count(DiagnosticSeverity::WARNING);
                self.seen.insert(file_name(uri));
                if self.push {
                    self.push(uri, report);
                }
            }
            None => self.unreadable += 1,
        }
        self.tick();
    }

    fn push(&self, uri: &Uri, report: &FileReport) {
        let mut pushed = lock(&self.shared.pushed.0);
        let Some(pushed) = pushed.as_mut() else { return };
        let file = file_name(uri);
        let before = pushed.get(&file).map(|before| &before.id);
        if before == Some(&report.result_id) || (before.is_none() && report.diagnostics.is_empty()) {
            return;
        }
        if self.shared.state.document(uri).is_some() {
            return;
        }
        publish(&self.shared.outgoing, uri, None, &report.diagnostics);
        pushed.insert(file, PushedReport { uri: uri.clone(), id: report.result_id.clone() });
        // The document may have been opened just now, and its own diagnostics sent before these.
        if let Some(document) = self.shared.state.document(uri) {
            document.recheck();
        }
    }

    /// Withdraws the pushed diagnostics of files that no longer exist.
    fn take_back(&self) {
        if let Some(pushed) = lock(&self.shared.pushed.0).as_mut() {
            pushed.retain(|file, report| {
                let stays = self.seen.contains(file);
                if !stays {
                    publish(&self.shared.outgoing, &report.uri, None, &[]);
                }
                stays
            });
        }
    }
}
