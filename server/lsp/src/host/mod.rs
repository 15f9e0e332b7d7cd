//! The language server for files of other languages with PTX in strings. It shares documents, settings and transport with the
//! server for PTX, and has its own worker and its own answers.

mod backend;
mod kernel;
mod place;
mod requests;
mod worker;

pub use {backend::HostBackend, worker::HostWorker};

use crate::levels::DiagnosticLevels;
use ptx_analysis::Code;

/// Turns off what only matters in files that are PTX alone, unless the user has set its level.
pub fn host_levels(levels: &mut DiagnosticLevels) {
    // Libraries write modifiers in many orders, and the assembler takes each.
    levels.set_if_unset(Code::UnusualModifierOrder, None);
}
