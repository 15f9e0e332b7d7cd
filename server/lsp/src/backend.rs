//! Maps messages of the protocol to their handlers.

use super::handlers::{
    call_hierarchy, code_actions, code_lenses, commands, completion, configuration, definition, diagnostics, folding,
    formatting, hover, initialize, inlay_hints, links, references, rename, selection, semantic_tokens, signature_help,
    symbols, text, workspace, workspace_diagnostics, workspace_symbols,
};
use super::log;
use super::server::Server;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::*;
use tower_lsp_server::{Client, ClientSocket, LanguageServer, LspService};

/// The server's implementation of the framework's trait.
#[derive(Debug)]
pub struct Backend {
    shared: Arc<Server>,
}

impl Backend {
    /// Creates a server with the given state.
    pub fn new(shared: Arc<Server>) -> Self {
        Self { shared }
    }

    /// Creates the service that routes messages to a server with the state that `state` returns.
    pub fn service(state: impl FnOnce(Client) -> Arc<Server>) -> (LspService<Self>, ClientSocket) {
        let service = LspService::build(|client| Self::new(state(client)));
        // The framework does not know these two methods.
        let service = service.custom_method("$/setTrace", Self::set_trace);
        service.custom_method("window/workDoneProgress/cancel", Self::cancel_progress).finish()
    }

    /// `$/setTrace`
    pub async fn set_trace(&self, params: SetTraceParams) {
        log::set_trace(params.value);
    }

    /// `window/workDoneProgress/cancel`
    pub async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        self.shared.running.cancel(&params.token);
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        // The embedded server has answered it before the service was there. The framework admits it once.
        if self.shared.state.has_begun() {
            return Ok(InitializeResult::default());
        }
        Ok(initialize::initialize(&self.shared, &params))
    }

    async fn initialized(&self, _: InitializedParams) {
        configuration::begin(&self.shared);
        workspace::begin(&self.shared);
    }

    async fn shutdown(&self) -> Result<()> {
        self.shared.shut_down();
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        text::open(&self.shared, params);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        text::change(&self.shared, params);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        text::close(&self.shared, &params);
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        text::save(&self.shared, &params);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        configuration::changed(&self.shared, &params.settings);
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        workspace::folders_changed(&self.shared, &params);
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        workspace::files_changed(&self.shared, params.changes.iter().map(|c| c.uri.as_str()));
    }

    async fn did_create_files(&self, params: CreateFilesParams) {
        workspace::files_changed(&self.shared, params.files.iter().map(|f| f.uri.as_str()));
    }

    async fn did_rename_files(&self, params: RenameFilesParams) {
        workspace::files_changed(&self.shared, params.files.iter().flat_map(|f| [f.old_uri.as_str(), &f.new_uri]));
    }

    async fn did_delete_files(&self, params: DeleteFilesParams) {
        workspace::files_changed(&self.shared, params.files.iter().map(|f| f.uri.as_str()));
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        formatting::document(&self.shared, params).await
    }

    async fn range_formatting(&self, params: DocumentRangeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        formatting::range(&self.shared, params).await
    }

    async fn on_type_formatting(&self, params: DocumentOnTypeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        formatting::on_type(&self.shared, params).await
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        hover::hover(&self.shared, params).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        completion::completion(&self.shared, params).await
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        completion::resolve(&self.shared, item).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        signature_help::signature_help(&self.shared, params).await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        symbols::document_symbols(&self.shared, params).await
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        workspace_symbols::symbols(&self.shared, params).await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        definition::definition(&self.shared, params).await
    }

    async fn goto_declaration(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        definition::declaration(&self.shared, params).await
    }

    async fn goto_implementation(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        definition::implementation(&self.shared, params).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        references::references(&self.shared, params).await
    }

    async fn document_highlight(&self, params: DocumentHighlightParams) -> Result<Option<Vec<DocumentHighlight>>> {
        references::highlights(&self.shared, params).await
    }

    async fn prepare_rename(&self, params: TextDocumentPositionParams) -> Result<Option<PrepareRenameResponse>> {
        rename::prepare(&self.shared, params).await
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        rename::rename(&self.shared, params).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        call_hierarchy::prepare(&self.shared, params).await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        call_hierarchy::incoming(&self.shared, params).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        call_hierarchy::outgoing(&self.shared, params).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        links::links(&self.shared, params).await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        folding::folds(&self.shared, params).await
    }

    async fn selection_range(&self, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
        selection::selections(&self.shared, params).await
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        diagnostics::pull(&self.shared, params).await
    }

    async fn workspace_diagnostic(&self, params: WorkspaceDiagnosticParams) -> Result<WorkspaceDiagnosticReportResult> {
        workspace_diagnostics::pull(&self.shared, params).await
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
