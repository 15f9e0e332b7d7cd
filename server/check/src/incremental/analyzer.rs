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
mod lints;
mod list;
mod module_header;
mod outlined;
mod stages;
mod threads;
mod unchanged;

use crate::declarations::{CheckSettings, initializer};
use contents::{CheckContext, check_contents};
pub(crate) use facts::declarations;
pub(crate) use fragment::{Fragment, Outside};
use functions::Functions;
use interrupted::InterruptedCheck;
pub(crate) use lints::Cancelled;
pub use list::{DiagnosticList, PlacedDiagnostic, SharedReport};
use list::{ItemDiagnostics, ListBuilder};
use module_header::ModuleHeader;
use ptx_sema::hir::module::Dependencies;
use threads::Threads;
use unchanged::HashedRange;

use crate::body::{ChangedRange, EarlierStatements, KnownStatement, NamesAround, Old};
use crate::diagnostic::Diagnostic;
use crate::functions::AliasNames;
use crate::header::is_about_header;
use crate::memo::Statements;
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::hir::hash::{hash_of, mix};
use ptx_sema::hir::module::{Header, ModuleItem, is_function, items};
use ptx_sema::hir::signature::Signatures;
use ptx_sema::target::project::Project;
use ptx_sema::target::{Environment, find_architecture};
use ptx_syntax::{Node, Snapshot, SnapshotId, SourceEdit, fields, kinds};
use std::ops::Range;
use std::sync::Arc;

/// The result of the check of a module.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The diagnostics, in text order.
    pub diagnostics: Vec<Diagnostic>,
    /// Version, target and address size of the module.
    pub environment: Environment,
}

impl Report {
    /// Adapts the report for an editor: an empty text, or one with comments only, gets no diagnostic for a missing header,
    /// although the assembler refuses such a file.
    #[must_use]
    pub fn in_editor(mut self, snapshot: &Snapshot) -> Self {
        if self.diagnostics.iter().any(is_about_header) && items(snapshot).is_empty() {
            self.diagnostics.retain(|d| !is_about_header(d));
        }
        self
    }
}

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

/// The cached check of a function (or of a section or initialized variable). Each keystroke moves all records of a module, so they are boxed.
#[derive(Debug)]
struct Record {
    name: Box<str>,
    text: u64,
    environment: u64,
    dependencies: Dependencies,
    /// The fingerprint of the module's names that it saw when the dependencies last held.
    seen: u64,
    /// Whether it is the module's first function with a body.
    first: bool,
    /// See [`is_followed`].
    followed: bool,
    found: ItemDiagnostics,
    /// Whether one of the diagnostics is an error.
    has_errors: bool,
    /// See [`crate::body::Checked::needs_nodes`].
    needs_nodes: bool,
    statements: Statements,
    /// The flow lints, if they ran right after the check.
    lints: Option<lints::CachedLints>,
    aliases: Vec<AliasNames>,
    /// The statements of its outermost block, in order, at the snapshot in `place`.
    layout: Vec<KnownStatement>,
    /// The names around these statements.
    around: NamesAround,
    place: (SnapshotId, Range<usize>),
    /// For how many checks no function has had this text.
    unused: u8,
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

impl Record {
    /// The record of a check after which no edit follows.
    fn without_statements(mut self: Box<Self>) -> Box<Self> {
        (self.layout, self.around) = (Vec::new(), NamesAround::default());
        self
    }

    /// The statements of the item in the previous snapshot and the range that changed since, if both are known.
    fn before<'l>(
        &mut self,
        snapshot: &Snapshot,
        last: &'l Snapshot,
        item: &ModuleItem<'_>,
    ) -> Option<EarlierStatements<'l>> {
        let (seen, old) = &self.place;
        let change = snapshot.change_since(*seen).filter(|_| *seen == last.id())?;
        if item.unclosed || self.layout.is_empty() {
            return None;
        }
        let (mut start, mut end, mut changed) = (old.start, old.end, None);
        if let Some(SourceEdit { start: from, old_end, new_end }) = change
            && from <= old.end
        {
            if old_end < old.start {
                (start, end) = (start + new_end - old_end, end + new_end - old_end);
            } else if from > old.start && old_end < old.end {
                end = end + new_end - old_end;
                let shift = |at| at - old.start;
                let function = last.leaf(old.clone())?;
                let block = function.child_by_field_id(fields().body)?;
                let old = Old { block, base: old.start };
                let window = ChangedRange { start: shift(from), old_end: shift(old_end), new_end: shift(new_end) };
                changed = Some((window, old));
            } else {
                return None;
            }
        }
        (item.range == (start..end)).then(|| EarlierStatements {
            known: std::mem::take(&mut self.layout),
            around: std::mem::take(&mut self.around),
            changed,
        })
    }
}

/// A hash of the state on which a function's diagnostics depend besides its text and names: the state on which its statements
/// depend, and the module's files.
fn context(environment: u64, header: &Header) -> u64 {
    if header.files.is_empty() { environment } else { mix(environment, hash_of(&header.files)) }
}

/// Whether results for an item are cached: for functions, and for items that may be long (sections, and variables with an
/// initializer).
fn is_remembered(node: Node<'_>) -> bool {
    is_function(node)
        || node.kind_id() == kinds().section_directive
        || (node.kind_id() == kinds().variable_declaration && initializer(node).is_some())
}

fn name_of(snapshot: &Snapshot, node: Node<'_>) -> String {
    node.child_by_field_id(fields().name).map_or_else(String::new, |n| snapshot.text(n.byte_range()).into_owned())
}
