//! Messages to the user about internal errors.

use super::sync::lock;
use ptx_gate::words::visible;
use ptx_wire::outgoing::{self, Outgoing};
use std::collections::HashSet;
use std::sync::Mutex;
use tower_lsp_server::ls_types::{MessageType, ShowMessageParams};

/// Address for bug reports.
const ISSUES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");

/// The messages that were shown already: one for each document while it is open, even if the error repeats at each keystroke.
#[derive(Debug, Default)]
pub struct Troubles(Mutex<HashSet<String>>);

impl Troubles {
    /// Reports that work on `what` (a document, a request) failed, unless that was reported before. The log has the details
    /// each time.
    pub fn tell(&self, outgoing: &Outgoing, what: &str) {
        if lock(&self.0).insert(what.to_owned()) {
            let message = format!(
                "ptx-analyzer: the server had an internal error in {what} and continues without it. Please report it, with \
                 the server's log and the file if you can share it: {ISSUES}"
            );
            show(outgoing, MessageType::WARNING, &message);
        }
    }

    /// Reports that a message about the text of a document could not be understood, unless that was reported before.
    pub fn tell_lost(&self, outgoing: &Outgoing, document: &str) {
        if lock(&self.0).insert(text_of(document)) {
            let message = format!(
                "ptx-analyzer: a message about {document} could not be understood, so the server no longer knows its text. Close the \
                 file and open it again. The log says what is wrong."
            );
            show(outgoing, MessageType::WARNING, &message);
        }
    }

    /// Forgets what was reported about a document: it is closed.
    pub fn forget(&self, document: &str) {
        let mut reported = lock(&self.0);
        if !reported.is_empty() {
            reported.remove(document);
            reported.remove(&text_of(document));
        }
    }
}

/// The key of messages about the text of a document.
fn text_of(document: &str) -> String {
    format!("the text of {document}")
}

/// Shows a message to the user, in one line without unsafe characters.
pub fn show(outgoing: &Outgoing, typ: MessageType, message: &str) {
    let params = ShowMessageParams { typ, message: visible(message).into_owned() };
    outgoing.encoded(outgoing::notification("window/showMessage", params));
}
