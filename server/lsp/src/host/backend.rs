//! Maps messages of the protocol to their handlers.

use super::kernel::{self, INLINE_KERNEL};
use super::requests;
use crate::handlers::code_actions::EVALUATE;
use crate::handlers::{self, configuration, diagnostics, initialize, text};
use crate::log;
use crate::server::Server;
use crate::session::ClientFeatures;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::*;
use tower_lsp_server::{Client, ClientSocket, LanguageServer, LspService};

/// The server's implementation of the framework's trait.
#[derive(Debug)]
pub struct HostBackend {
    shared: Arc<Server>,
}

impl HostBackend {
    /// Creates a server with the given state.
    pub fn new(shared: Arc<Server>) -> Self {
        Self { shared }
    }

    /// Creates the service that routes messages to a server with the state that `state` returns.
    pub fn service(state: impl FnOnce(Client) -> Arc<Server>) -> (LspService<Self>, ClientSocket) {
        let service = LspService::build(|client| Self::new(state(client)));
        service.custom_method("$/setTrace", Self::set_trace).finish()
    }

    /// `$/setTrace`
    pub async fn set_trace(&self, params: SetTraceParams) {
        log::set_trace(params.value);
    }
}

/// What the server offers. Formatting, renaming, symbols and colours of such a file belong to the server of its language.
fn capabilities(session: ClientFeatures) -> ServerCapabilities {
    let mut out = ServerCapabilities::default();
    text::provide(&mut out, session);
    handlers::hover::provide(&mut out, session);
    handlers::completion::provide(&mut out, session);
    handlers::signature_help::provide(&mut out, session);
    out.definition_provider = Some(OneOf::Left(true));
    out.document_highlight_provider = Some(OneOf::Left(true));
    out.inlay_hint_provider = Some(OneOf::Left(true));
    let kinds =
        CodeActionOptions { code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, EVALUATE]), ..Default::default() };
    out.code_action_provider = session.code_actions.then_some(CodeActionProviderCapability::Options(kinds));
    out.execute_command_provider =
        Some(ExecuteCommandOptions { commands: vec![INLINE_KERNEL.to_owned()], ..Default::default() });
    let options = DiagnosticOptions { identifier: Some("ptx-analyzer-inline".to_owned()), ..Default::default() };
    out.diagnostic_provider = session.pulls_diagnostics.then_some(DiagnosticServerCapabilities::Options(options));
    out
}

impl LanguageServer for HostBackend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let session = initialize::begin(&self.shared, &params);
        Ok(initialize::answer("ptx-analyzer-inline", session, capabilities(session)))
    }

    async fn initialized(&self, _: InitializedParams) {
        configuration::begin(&self.shared);
    }

    async fn shutdown(&self) -> Result<()> {
        self.shared.shut_down();
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        self.shared.open_as(item.uri, &item.language_id, &item.text, item.version);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        text::change(&self.shared, params);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.shared.close(&params.text_document.uri);
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        text::save(&self.shared, &params);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        configuration::changed(&self.shared, &params.settings);
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        requests::hover(&self.shared, params).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        requests::completion(&self.shared, params).await
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        requests::resolve(&self.shared, item).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        requests::signature_help(&self.shared, params).await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        requests::definition(&self.shared, params).await
    }

    async fn document_highlight(&self, params: DocumentHighlightParams) -> Result<Option<Vec<DocumentHighlight>>> {
        requests::highlights(&self.shared, params).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        requests::inlay_hints(&self.shared, params).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        requests::code_actions(&self.shared, params).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        kernel::execute(&self.shared, params).await
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        diagnostics::pull(&self.shared, params).await
    }
}
