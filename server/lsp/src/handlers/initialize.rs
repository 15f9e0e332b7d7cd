//! `initialize`: exchange of the capabilities of client and server.

use super::{PROVIDERS, configuration};
use crate::folders::Folders;
use crate::log;
use crate::session::ClientFeatures;
use crate::shared::Shared;
use std::sync::Arc;
use tower_lsp_server::ls_types::{InitializeParams, InitializeResult, ServerCapabilities, ServerInfo};

/// Stores the client's features and returns the server's capabilities.
pub fn initialize(shared: &Arc<Shared>, params: &InitializeParams) -> InitializeResult {
    let session = ClientFeatures::new(params);
    shared.state.begin(session);
    log::begin(&shared.outgoing, params.trace);
    shared.state.change_folders(|folders| *folders = Folders::new(params));
    let options = params.initialization_options.as_ref();
    for wrong in [shared.ptxas.begin(options), shared.nvdisasm.begin(options)].into_iter().flatten() {
        configuration::complain(shared, wrong);
    }
    if let Some(options) = &params.initialization_options {
        configuration::changed_to(shared, options);
    }
    let mut capabilities =
        ServerCapabilities { position_encoding: Some(session.encoding.kind()), ..ServerCapabilities::default() };
    for provide in PROVIDERS {
        provide(&mut capabilities, session);
    }
    InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: "ptx-analyzer".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        ..InitializeResult::default()
    }
}
