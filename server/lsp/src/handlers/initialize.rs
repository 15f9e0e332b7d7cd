//! `initialize`: exchange of the capabilities of client and server.

use super::{
    call_hierarchy, code_actions, code_lenses, commands, completion, configuration, definition, diagnostics, folding,
    formatting, hover, inlay_hints, links, references, rename, selection, semantic_tokens, signature_help, symbols,
    text, workspace, workspace_symbols,
};
use crate::folders::Folders;
use crate::log;
use crate::server::Server;
use crate::session::ClientFeatures;
use std::sync::Arc;
use tower_lsp_server::ls_types::{InitializeParams, InitializeResult, ServerCapabilities, ServerInfo};

/// Adds the capability of a handler for this client.
type Provide = fn(&mut ServerCapabilities, ClientFeatures);

/// Functions that announce all handlers.
const PROVIDERS: &[Provide] = &[
    call_hierarchy::provide,
    code_actions::provide,
    code_lenses::provide,
    commands::provide,
    definition::provide,
    completion::provide,
    diagnostics::provide,
    folding::provide,
    formatting::provide,
    hover::provide,
    inlay_hints::provide,
    links::provide,
    references::provide,
    rename::provide,
    selection::provide,
    semantic_tokens::provide,
    signature_help::provide,
    symbols::provide,
    text::provide,
    workspace::provide,
    workspace_symbols::provide,
];

/// Stores the client's features, its folders and the settings that it sends, and returns the features.
pub fn begin(shared: &Arc<Server>, params: &InitializeParams) -> ClientFeatures {
    let session = ClientFeatures::new(params);
    shared.state.begin(session);
    log::begin(&shared.outgoing, params.trace);
    shared.state.change_folders(|folders| *folders = Folders::new(params));
    if let Some(options) = &params.initialization_options {
        configuration::changed_to(shared, options);
    }
    session
}

/// Returns the answer of a server.
pub fn answer(name: &str, session: ClientFeatures, capabilities: ServerCapabilities) -> InitializeResult {
    let version = Some(env!("CARGO_PKG_VERSION").to_owned());
    InitializeResult {
        capabilities: ServerCapabilities { position_encoding: Some(session.encoding.kind()), ..capabilities },
        server_info: Some(ServerInfo { name: name.to_owned(), version }),
        ..InitializeResult::default()
    }
}

/// Begins a session about PTX, and returns the server's capabilities.
pub fn initialize(shared: &Arc<Server>, params: &InitializeParams) -> InitializeResult {
    let options = params.initialization_options.as_ref();
    // The paths of programs count only here, and the settings that follow are compared with them.
    let complaints = [shared.ptxas.begin(options), shared.nvdisasm.begin(options)];
    let session = begin(shared, params);
    complaints.into_iter().flatten().for_each(|complaint| configuration::complain(shared, complaint));
    let mut capabilities = ServerCapabilities::default();
    PROVIDERS.iter().for_each(|provide| provide(&mut capabilities, session));
    answer("ptx-analyzer", session, capabilities)
}
