//! `textDocument/diagnostic`, for clients that pull diagnostics; the server pushes none to them.

use crate::document::CheckedText;
use crate::platform::MAX_WAIT_FOR_EDITS;
use crate::progress::WITH_PROGRESS;
use crate::server::Server;
use crate::session::ClientFeatures;
use ptx_clock::Instant;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    DiagnosticOptions, DiagnosticServerCapabilities, DocumentDiagnosticParams, DocumentDiagnosticReport,
    DocumentDiagnosticReportResult, FullDocumentDiagnosticReport, RelatedFullDocumentDiagnosticReport,
    RelatedUnchangedDocumentDiagnosticReport, ServerCapabilities, UnchangedDocumentDiagnosticReport,
};

/// Announces the request to clients that pull diagnostics; others get them pushed.
pub fn provide(capabilities: &mut ServerCapabilities, session: ClientFeatures) {
    let options = DiagnosticOptions {
        identifier: Some("ptx-analyzer".to_owned()),
        workspace_diagnostics: session.pulls_workspace,
        work_done_progress_options: WITH_PROGRESS,
        ..DiagnosticOptions::default()
    };
    let provider = session.pulls_diagnostics.then_some(DiagnosticServerCapabilities::Options(options));
    capabilities.diagnostic_provider = provider;
}

/// Returns the id of a report. Revisions are unique among all documents, and stages are unique within a revision.
pub fn result_id(checked: &CheckedText) -> String {
    format!("{}.{}", checked.revision, checked.stage)
}

/// Returns the diagnostics of a document.
pub async fn pull(shared: &Server, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
    let checked = match shared.state.document(&params.text_document.uri) {
        Some(document) => {
            let begin = Instant::now();
            loop {
                shared.platform.until_edits_are_handled().await;
                let revision = document.revision();
                let checked = document.checked(revision).await;
                // An answer has no version: the client takes it for one about its current text.
                if !document.is_stale(revision) || begin.elapsed() >= MAX_WAIT_FOR_EDITS {
                    break checked;
                }
            }
        }
        None => None,
    };
    let Some(checked) = checked else {
        // The document is not open, or no longer open.
        let nothing = DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport::default());
        return Ok(DocumentDiagnosticReportResult::Report(nothing));
    };
    let result_id = result_id(&checked);
    let report = if params.previous_result_id.as_ref() == Some(&result_id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        })
    } else {
        let items = checked.published().into_owned();
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id: Some(result_id), items },
        })
    };
    Ok(DocumentDiagnosticReportResult::Report(report))
}
