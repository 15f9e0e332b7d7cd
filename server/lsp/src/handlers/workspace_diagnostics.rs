//! `workspace/diagnostic`: the diagnostics of all files of the workspace and all open documents.
//!
//! Reports that the client already has are not sent again. If nothing else remains and the client accepts partial results, the
//! answer waits a while for a change. Such clients send the next request as soon as they get an answer.

use super::diagnostics::result_id;
use crate::cancel::{CancelFlag, UntilDropped};
use crate::progress::WorkProgress;
use crate::server::Server;
use crate::spelling::file_name;
use crate::walk::{WorkspaceEvent, look};
use crate::workspace::{ExamineGoal, FileReport};
use ptx_clock::Instant;
use ptx_gate::names::FileName;
use ptx_wire::outgoing;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    FullDocumentDiagnosticReport, ProgressToken, UnchangedDocumentDiagnosticReport, Uri, WorkspaceDiagnosticParams,
    WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};

/// Time that an answer waits for a change.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(15);

/// Maximum number of files in a partial result, and the maximum time between two of them.
const MAX_PART: usize = 50;
const PART_INTERVAL: Duration = Duration::from_millis(200);

/// Returns the diagnostics of the workspace.
pub async fn pull(shared: &Arc<Server>, params: WorkspaceDiagnosticParams) -> Result<WorkspaceDiagnosticReportResult> {
    let until = Instant::now() + CHANGE_TIMEOUT;
    let parts = params.partial_result_params.partial_result_token;
    let previous = params.previous_result_ids.into_iter();
    let previous: PreviousReports =
        previous.map(|report| (file_name(&report.uri), (report.uri, report.value))).collect();
    let wanted = UntilDropped::default();
    let mut token = params.work_done_progress_params.work_done_token;
    loop {
        let mut changes = shared.workspace.changes();
        let cancelled = wanted.token();
        let progress = WorkProgress::new(shared, token.take(), "Checking PTX files", &cancelled);
        let answer = WorkspaceReport::new(shared, parts.clone(), previous.clone(), progress);
        let answer = once(shared, answer, &cancelled).await?;
        let left = until.saturating_duration_since(Instant::now());
        let hold = parts.is_some() && !answer.new && !previous.is_empty() && !left.is_zero();
        if !hold || shared.shut_down.load(Ordering::Relaxed) {
            return Ok(answer.finish());
        }
        drop(answer);
        let _ = shared.platform.timeout(left, changes.changed()).await;
    }
}

async fn once(shared: &Arc<Server>, mut answer: WorkspaceReport, cancelled: &CancelFlag) -> Result<WorkspaceReport> {
    let mut documents = shared.state.documents();
    documents.sort_by(|a, b| a.uri.cmp(&b.uri));
    for document in documents {
        let Some(checked) = document.checked(document.revision()).await else { continue };
        answer.document(&document.uri, Some(checked.version), &result_id(&checked), &checked.published());
    }
    if shared.state.settings().workspace.diagnostics {
        answer = look(shared, ExamineGoal::Report, cancelled, answer, |answer, event| match event {
            WorkspaceEvent::Found { files, too_big, cut } => answer.found(files, too_big, cut),
            WorkspaceEvent::File(uri, state) => answer.file(uri, state.report.as_deref()),
            WorkspaceEvent::Tick => answer.tick(),
        })
        .await?;
    }
    answer.gone();
    Ok(answer)
}

/// The reports that the client has: the client's URI of each file, and the id. It may write a URI otherwise than the server did.
type PreviousReports = HashMap<FileName, (Uri, String)>;

/// A report on the workspace, sent in parts as it grows.
struct WorkspaceReport {
    shared: Arc<Server>,
    token: Option<ProgressToken>,
    progress: WorkProgress,
    previous: PreviousReports,
    reported: HashSet<FileName>,
    full: Vec<WorkspaceDocumentDiagnosticReport>,
    unchanged: Vec<WorkspaceDocumentDiagnosticReport>,
    /// Whether there is a report that the client does not have.
    new: bool,
    sent: Instant,
    files: usize,
    done: usize,
}

impl WorkspaceReport {
    fn new(
        shared: &Arc<Server>,
        token: Option<ProgressToken>,
        previous: PreviousReports,
        progress: WorkProgress,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            token,
            progress,
            previous,
            reported: HashSet::new(),
            full: Vec::new(),
            unchanged: Vec::new(),
            new: false,
            sent: Instant::now(),
            files: 0,
            done: 0,
        }
    }

    fn found(&mut self, files: usize, too_big: usize, cut: bool) {
        self.files = files;
        if cut {
            tracing::warn!("the workspace has more PTX files than the limit (`workspace.files`)");
        }
        if too_big > 0 {
            tracing::info!("{too_big} files are larger than the limit (`workspace.megabytes`)");
        }
        self.tick();
    }

    fn file(&mut self, uri: &Uri, report: Option<&FileReport>) {
        self.done += 1;
        if let Some(report) = report {
            let known = self.previous.get(&file_name(uri)).map(|(uri, _)| uri.clone());
            self.document(known.as_ref().unwrap_or(uri), None, &report.result_id, &report.diagnostics);
        }
        self.tick();
    }

    /// Adds a report of a document.
    fn document(
        &mut self,
        uri: &Uri,
        version: Option<i32>,
        result_id: &str,
        items: &[tower_lsp_server::ls_types::Diagnostic],
    ) {
        let name = file_name(uri);
        let (uri, version, result_id) = (uri.clone(), version.map(i64::from), result_id.to_owned());
        let known = self.previous.get(&name).cloned();
        self.reported.insert(name);
        if let Some((before, _)) = known.as_ref().filter(|(before, _)| *before != uri) {
            // The client has the report of this file under another URI. It was closed, or is opened by this one.
            self.full(before.clone(), None, FullDocumentDiagnosticReport::default());
        }
        if known == Some((uri.clone(), result_id.clone())) {
            let report = UnchangedDocumentDiagnosticReport { result_id };
            self.unchanged.push(WorkspaceDocumentDiagnosticReport::Unchanged(
                WorkspaceUnchangedDocumentDiagnosticReport {
                    uri,
                    version,
                    unchanged_document_diagnostic_report: report,
                },
            ));
        } else {
            let report = FullDocumentDiagnosticReport { result_id: Some(result_id), items: items.to_vec() };
            self.full(uri, version, report);
        }
    }

    fn full(&mut self, uri: Uri, version: Option<i64>, report: FullDocumentDiagnosticReport) {
        self.new = true;
        self.full.push(WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
            uri,
            version,
            full_document_diagnostic_report: report,
        }));
    }

    /// Reports that files no longer exist, so that the client drops their diagnostics.
    fn gone(&mut self) {
        let gone = self.previous.iter().filter(|(file, _)| !self.reported.contains(*file));
        let gone: Vec<Uri> = gone.map(|(_, (uri, _))| uri.clone()).collect();
        for uri in gone {
            self.full(uri, None, FullDocumentDiagnosticReport::default());
        }
    }

    fn tick(&mut self) {
        let (done, files) = (self.done, self.files);
        self.progress.tell(|| (format!("{done}/{files} files"), percent(done, files)));
        let much = self.full.len() >= MAX_PART || (!self.full.is_empty() && self.sent.elapsed() >= PART_INTERVAL);
        // A client that does not read gets the remaining reports at the end.
        if much && !self.shared.outgoing.is_congested() {
            self.send_part();
        }
    }

    /// Sends the collected reports to a client that accepts partial results.
    fn send_part(&mut self) {
        #[derive(Serialize)]
        struct PartialResultParams<'a> {
            token: &'a ProgressToken,
            value: Items,
        }
        #[derive(Serialize)]
        struct Items {
            items: Vec<WorkspaceDocumentDiagnosticReport>,
        }
        if let Some(token) = &self.token {
            let value = Items { items: std::mem::take(&mut self.full) };
            self.shared.outgoing.encoded(outgoing::notification("$/progress", PartialResultParams { token, value }));
            self.sent = Instant::now();
        }
    }

    /// Returns the answer, or its last part.
    fn finish(mut self) -> WorkspaceDiagnosticReportResult {
        self.full.append(&mut self.unchanged);
        if self.token.is_some() && !self.full.is_empty() {
            // An answer in parts must be sent completely in parts.
            self.send_part();
        }
        WorkspaceDiagnosticReport { items: std::mem::take(&mut self.full) }.into()
    }
}

/// Returns the percentage of `done` in `all`.
pub fn percent(done: usize, all: usize) -> u32 {
    u32::try_from((done * 100).checked_div(all).unwrap_or(100)).unwrap_or(100).min(100)
}
