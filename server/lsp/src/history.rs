//! What the server remembers of an open document although it does not follow from the text and the settings.
//!
//! All other state of a document is derived: computed from the current text, or remembered only while it equals what would be computed. So two
//! servers with the same text and settings give the same answers, whatever happened before, but for what stands here.
//! `docs/architecture.md` has the list with reasons; a test compares it.

use super::runs::EvaluationSlot;
use super::sync::lock;
use ptx_analysis::{Figures, TargetSet};
use ptx_host::HostHolding;
use ptx_ide::holding::Holding;
use ptx_syntax::SnapshotId;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use tower_lsp_server::ls_types::SemanticToken;

/// The state of an open document that depends on its history. It ends when the document is closed.
#[derive(Debug, Default)]
pub struct History {
    /// Diagnostics that wait while the user types. A pause of 2 s, a save or another text ends the waiting.
    pub holding: Mutex<Holding>,
    /// The same for a text of another language.
    pub host_holding: Mutex<HostHolding>,
    /// The register report of the last text whose flow lints ran, and the text that its positions refer to: while a function has an
    /// error, its report stays, marked as stale. The next report replaces it.
    pub figures: Mutex<(Arc<Figures>, Option<SnapshotId>)>,
    /// The semantic tokens that the client has, as the base of the next difference. The next answer replaces them.
    pub tokens: Mutex<Option<SentTokens>>,
    /// What the user asked to run, and its last run. The user withdraws it; the results are shown only for the text that was run.
    pub evaluation: Arc<EvaluationSlot>,
    /// The targets for which the build compiles a text of another language, as `compile_commands.json` said when the document was opened.
    pub built: OnceLock<Option<TargetSet>>,
    /// Whether the text is unknown because a message about it could not be understood. The next whole text ends that.
    pub lost: AtomicBool,
    /// Whether the next text is not checked: in a browser, work on it has ended an earlier server. That text takes it.
    pub spared: AtomicBool,
}

/// The semantic tokens of a document that the client received last.
#[derive(Debug)]
pub struct SentTokens {
    /// The id by which the client names them.
    pub id: String,
    /// The tokens, in the protocol's form.
    pub tokens: Arc<Vec<SemanticToken>>,
}

impl History {
    /// The diagnostics that wait.
    pub fn holding(&self) -> MutexGuard<'_, Holding> {
        lock(&self.holding)
    }

    /// The diagnostics of a text of another language that wait.
    pub fn host_holding(&self) -> MutexGuard<'_, HostHolding> {
        lock(&self.host_holding)
    }

    /// Forgets what belongs to a text: there is no text, no PTX in it, or its check failed.
    pub fn forget_text(&self) {
        *self.holding() = Holding::default();
        *self.host_holding() = HostHolding::default();
        *lock(&self.figures) = Default::default();
    }

    /// Whether the current text must not be checked. Later texts are checked again.
    pub fn takes_spared(&self) -> bool {
        self.spared.swap(false, Ordering::Relaxed)
    }
}
