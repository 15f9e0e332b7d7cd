//! The reports that were pushed for files that are not open.

use ptx_gate::names::FileName;
use std::collections::HashMap;
use std::sync::Mutex;
use tower_lsp_server::ls_types::Uri;

/// The id of each report that was pushed for a file that is not open; `None` until the command is used.
#[derive(Debug, Default)]
pub struct PushedReports(pub Mutex<Option<HashMap<FileName, PushedReport>>>);

/// A report that was pushed.
#[derive(Debug)]
pub struct PushedReport {
    /// The URI by which the client knows it.
    pub uri: Uri,
    /// The id of the report.
    pub id: String,
}
