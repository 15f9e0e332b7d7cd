//! The URIs of files, as the client spells them.
//!
//! A client identifies a document by the text of its URI, and may write more than one URI for a file. What the server says about an open
//! document has the very URI that opened it; what it says about another file has a URI in the form of this client ([`Spelling`]).

use ptx_gate::names::{FileName, UriForm};
use std::sync::OnceLock;
use tower_lsp_server::ls_types::Uri;

/// Returns the file that a URI names.
pub fn file_name(uri: &Uri) -> FileName {
    FileName::of_uri(uri.as_str())
}

/// The form in which the client writes the drive of a URI, as the first URI with a drive shows.
#[derive(Debug, Default)]
pub struct Spelling(OnceLock<UriForm>);

impl Spelling {
    /// Learns the form from a URI of the client.
    pub fn learn(&self, uri: &Uri) {
        if self.0.get().is_none()
            && let Some(form) = UriForm::of(uri.as_str())
        {
            let _ = self.0.set(form);
        }
    }

    /// Returns the URI of a file that is not open; `None` if it has none.
    pub fn uri(&self, file: &FileName) -> Option<Uri> {
        file.uri(self.0.get().copied().unwrap_or_default())?.parse().ok()
    }
}
