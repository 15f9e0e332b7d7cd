//! The check of a module, incremental from one snapshot of its text to the next.
//!
//! No result depends on the edits between two snapshots: results are cached by text. The result of a function stays valid
//! as long as its text, the module's version and target, and the used module names stay the same. In a function that did
//! change, the same holds statement by statement ([`crate::memo`]). `stages` has the table of all that is reused.

mod contents;
mod facts;
mod fragment;
mod functions;
mod interrupted;
mod lint_pass;
mod lints;
mod list;
mod module_header;
mod outlined;
mod record;
mod stages;
mod threads;
mod unchanged;

use crate::declarations::CheckSettings;
pub(crate) use facts::declarations;
pub(crate) use fragment::{Fragment, Outside};
use functions::Functions;
use interrupted::InterruptedCheck;
pub(crate) use lints::Cancelled;
pub use list::{DiagnosticList, PlacedDiagnostic, Report, SharedReport};
use module_header::ModuleHeader;
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::hir::signature::Signatures;
use ptx_sema::target::find_architecture;
use ptx_sema::target::project::Project;
use ptx_syntax::Snapshot;
use std::sync::Arc;
use threads::Threads;
use unchanged::HashedRange;

/// Checks the successive snapshots of one document and caches reusable results. Create one per document.
#[derive(Debug, Default)]
pub struct Analyzer {
    threads: Threads,
    /// The mnemonic caches, one per thread.
    mnemonics: Vec<MnemonicCache>,
    settings: CheckSettings,
    functions: Functions,
    signatures: Signatures,
    /// The header of the last snapshot.
    module: Option<ModuleHeader>,
    /// The last snapshot, with the byte range and text hash of each cached item.
    last: Option<(Snapshot, Vec<HashedRange>)>,
    lints: lints::Lints,
    interrupted: Option<InterruptedCheck>,
    /// See [`Analyzer::for_one_check`].
    for_one_check: bool,
}

impl Analyzer {
    /// Creates an analyzer that keeps nothing for later checks of an edited text, which saves a third of the memory.
    /// Flow facts are kept only after [`Self::keep_facts`].
    pub fn for_one_check() -> Self {
        Self { for_one_check: true, ..Self::default() }
    }

    /// Checks every module as if its `.target` named this architecture; `None` restores the module's own target.
    ///
    /// # Errors
    /// Returns the name if no target has it.
    pub fn set_target(&mut self, name: Option<&str>) -> Result<(), String> {
        self.settings.target = match name {
            None => None,
            Some(name) => Some(find_architecture(name).ok_or_else(|| name.to_owned())?),
        };
        Ok(())
    }

    /// Sets the project for whose targets every module is checked.
    pub fn set_project(&mut self, project: Project) {
        if *self.settings.project != project {
            self.settings.project = Arc::new(project);
        }
    }

    /// Sets the maximum number of threads for the check of a large text; the default is one.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = Threads(threads);
    }

    /// Checks a snapshot.
    pub fn analyze(&mut self, snapshot: &Snapshot) -> Report {
        self.analyze_until(snapshot, &|| false).unwrap_or_default()
    }

    /// Checks a snapshot, and stops between two functions when `stop` returns true; then the result is `None`. The next call
    /// continues there if it has the same snapshot. Each call checks at least one function.
    pub fn analyze_until(&mut self, snapshot: &Snapshot, stop: &Cancelled<'_>) -> Option<Report> {
        Some(self.check_until(snapshot, stop)?.into_report())
    }
}
