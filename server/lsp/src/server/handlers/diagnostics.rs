//! `textDocument/diagnostic`: for clients that ask, which get none pushed.

use crate::server::session::Session;
use crate::server::shared::Shared;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    DiagnosticOptions, DiagnosticServerCapabilities, DocumentDiagnosticParams, DocumentDiagnosticReport,
    DocumentDiagnosticReportResult, FullDocumentDiagnosticReport, RelatedFullDocumentDiagnosticReport,
    RelatedUnchangedDocumentDiagnosticReport, ServerCapabilities, UnchangedDocumentDiagnosticReport,
};

/// Announces it to clients that ask; others get diagnostics pushed.
pub fn provide(capabilities: &mut ServerCapabilities, session: Session) {
    let options = DiagnosticOptions { identifier: Some("ptx-analyzer".to_owned()), ..DiagnosticOptions::default() };
    let provider = session.pulls_diagnostics.then_some(DiagnosticServerCapabilities::Options(options));
    capabilities.diagnostic_provider = provider;
}

/// What is wrong with a document.
pub async fn pull(shared: &Shared, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
    let checked = match shared.document(&params.text_document.uri) {
        Some(document) => {
            let revision = document.revision();
            document.checked(revision).await
        }
        None => None,
    };
    let Some(checked) = checked else {
        // Not open, or not any more.
        let nothing = DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport::default());
        return Ok(DocumentDiagnosticReportResult::Report(nothing));
    };
    // Revisions are not used twice, not even by another document.
    let result_id = format!("{}{}", checked.revision, if checked.complete { "" } else { " in part" });
    let report = if params.previous_result_id.as_ref() == Some(&result_id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        })
    } else {
        let items = checked.diagnostics.clone();
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id: Some(result_id), items },
        })
    };
    Ok(DocumentDiagnosticReportResult::Report(report))
}
