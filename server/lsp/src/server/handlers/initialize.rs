//! `initialize`: what the client and the server can do.

use super::{code_actions, commands, configuration};
use crate::server::session::Session;
use crate::server::shared::Shared;
use std::sync::Arc;
use tower_lsp_server::ls_types::{
    CodeActionOptions, CodeActionProviderCapability, DiagnosticOptions, DiagnosticServerCapabilities,
    ExecuteCommandOptions, HoverProviderCapability, InitializeParams, InitializeResult, OneOf, ServerCapabilities,
    ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
};

/// Notes what the client can do and answers what the server can.
pub fn initialize(shared: &Arc<Shared>, params: &InitializeParams) -> InitializeResult {
    let session = Session::new(params);
    shared.begin(session);
    if let Some(options) = &params.initialization_options {
        configuration::changed_to(shared, options);
    }
    let pull = DiagnosticOptions { identifier: Some("ptx-analyzer".to_owned()), ..DiagnosticOptions::default() };
    let capabilities = ServerCapabilities {
        position_encoding: Some(session.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        diagnostic_provider: session.pulls_diagnostics.then_some(DiagnosticServerCapabilities::Options(pull)),
        code_action_provider: session.code_actions.then(|| {
            CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(code_actions::kinds()),
                ..CodeActionOptions::default()
            })
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::NAMES.iter().map(|name| (*name).to_owned()).collect(),
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    };
    InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: "ptx-analyzer".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        ..InitializeResult::default()
    }
}
