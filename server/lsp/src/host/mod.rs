//! The language server for files of other languages with PTX in strings. It shares documents, settings and transport with the
//! server for PTX, and has its own worker and its own answers.

mod backend;
mod compile_commands;
mod holding;
mod kernel;
mod requests;
mod worker;

pub use compile_commands::CompileCommands;
pub use worker::{HostText, HostWorker};

use crate::CleanUp;
use crate::levels::DiagnosticLevels;
use crate::shared::ServerMode;
use backend::HostBackend;
use ptx_analysis::Code;
use std::io::{BufRead, Write};
use tower_lsp_server::LspService;

/// Turns off what only matters in files that are PTX alone, unless the user has set its level.
pub fn host_levels(levels: &mut DiagnosticLevels) {
    // Libraries write modifiers in many orders, and the assembler takes each.
    levels.set_if_unset(Code::UnusualModifierOrder, None);
}

/// Speaks the protocol on any two streams, as [`crate::serve`] does.
///
/// # Errors
/// If threads cannot be started.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    end: impl Fn(bool, CleanUp) + Send + Sync + 'static,
) -> std::io::Result<bool> {
    crate::serve_as(ServerMode::Host, input, output, end, |state| {
        let service = LspService::build(|client| HostBackend::new(state(client)));
        service.custom_method("$/setTrace", HostBackend::set_trace).finish()
    })
}
