//! Which handler serves which message.

use super::handlers::{
    code_actions, code_lenses, commands, configuration, diagnostics, hover, initialize, inlay_hints, semantic_tokens,
    symbols, text,
};
use super::shared::Shared;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tower_lsp_server::LanguageServer;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::*;

/// The server as the framework sees it.
#[derive(Debug)]
pub struct Backend {
    shared: Arc<Shared>,
}

impl Backend {
    /// A server over a state.
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        Ok(initialize::initialize(&self.shared, &params))
    }

    async fn initialized(&self, _: InitializedParams) {
        configuration::begin(&self.shared);
    }

    async fn shutdown(&self) -> Result<()> {
        self.shared.shut_down.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        text::open(&self.shared, params);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        text::change(&self.shared, params);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.shared.close(&params.text_document.uri);
    }

    async fn did_save(&self, _: DidSaveTextDocumentParams) {}

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        configuration::changed(&self.shared, &params.settings);
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        hover::hover(&self.shared, params).await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        symbols::document_symbols(&self.shared, params).await
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        diagnostics::pull(&self.shared, params).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        code_actions::code_actions(&self.shared, params).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        code_lenses::code_lenses(&self.shared, params).await
    }

    async fn code_lens_resolve(&self, lens: CodeLens) -> Result<CodeLens> {
        code_lenses::resolve(&self.shared, lens).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        inlay_hints::inlay_hints(&self.shared, params).await
    }

    async fn inlay_hint_resolve(&self, hint: InlayHint) -> Result<InlayHint> {
        inlay_hints::resolve(&self.shared, hint).await
    }

    async fn semantic_tokens_full(&self, params: SemanticTokensParams) -> Result<Option<SemanticTokensResult>> {
        semantic_tokens::full(&self.shared, params).await
    }

    async fn semantic_tokens_full_delta(
        &self,
        params: SemanticTokensDeltaParams,
    ) -> Result<Option<SemanticTokensFullDeltaResult>> {
        semantic_tokens::delta(&self.shared, params).await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        semantic_tokens::range(&self.shared, params).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        commands::execute(&self.shared, params).await
    }
}
