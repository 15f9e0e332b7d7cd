//! The check of a module, incremental from one snapshot of its text to the next.
//!
//! Nothing here depends on the edit between two snapshots: results are cached by text. The result of a function stays valid
//! as long as its text, the module's version and target, and the used module names stay the same. In a function that did
//! change, the same holds statement by statement ([`crate::incremental::memo`]).

mod contents;
mod declarations;
mod earlier;
mod facts;
mod fragment;
mod functions;
mod interrupted;
mod lints;
mod list;
mod module_header;
mod outlined;
mod threads;
mod unchanged;

use crate::code::Code;
use contents::{CheckContext, check_contents, check_item, is_broken, is_followed};
use declarations::header;
pub(crate) use facts::declarations;
pub(crate) use fragment::{Fragment, Outside};
use functions::Functions;
use interrupted::InterruptedCheck;
pub use lints::Cancelled;
pub use list::{DiagnosticList, PlacedDiagnostic, SharedReport};
use list::{ItemDiagnostics, ListBuilder};
use module_header::{HeaderDifference, ModuleHeader};
use ptx_sema::hir::module::Dependencies;
use threads::Threads;
use unchanged::{HashedRange, unchanged};

use crate::diagnostic::Diagnostic;
use crate::functions::AliasNames;
use crate::incremental::body::{ChangedRange, EarlierStatements, KnownStatement, NamesAround, Old};
use crate::incremental::memo::Statements;
use crate::rules::syntax_error;
use ptx_flow::flow::Module;
use ptx_isa::tables::TargetInfo;
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::hir::hash::{hash_of, hash_range, mix};
use ptx_sema::hir::module::{Header, ModuleItem, is_function, items};
use ptx_sema::hir::signature::Signatures;
use ptx_sema::target::project::Project;
use ptx_sema::target::{Environment, find_architecture};
use ptx_syntax::{Node, Snapshot, SnapshotId, SourceEdit, fields, kinds};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
        let header = |d: &Diagnostic| d.code() == Code::ModuleHeader;
        if self.diagnostics.iter().any(header) && items(snapshot).is_empty() {
            self.diagnostics.retain(|d| !header(d));
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
    asked: Asked,
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

/// Settings of the check that the module's own header does not give.
#[derive(Debug, Default)]
struct Asked {
    /// The version and target of a text that has no header of its own.
    environment: Option<Environment>,
    /// The target that replaces the module's own.
    target: Option<&'static TargetInfo>,
    project: Arc<Project>,
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
    /// See [`crate::incremental::body::Checked::needs_nodes`].
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
        self.asked.target = match name {
            None => None,
            Some(name) => Some(find_architecture(name).ok_or_else(|| name.to_owned())?),
        };
        Ok(())
    }

    /// Sets the project for whose targets every module is checked.
    pub fn set_project(&mut self, project: Project) {
        if *self.asked.project != project {
            self.asked.project = Arc::new(project);
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

    /// As [`Self::analyze_until`], without a copy of the diagnostics of unchanged functions.
    pub fn check_until(&mut self, snapshot: &Snapshot, stop: &Cancelled<'_>) -> Option<SharedReport> {
        if self.for_one_check {
            // The last report took the diagnostics of its records, so no check may reuse them.
            self.functions = Functions::default();
            self.last = None;
        }
        let items = items(snapshot);
        let last = self.last.take();
        let known = unchanged(last.as_ref(), snapshot);
        let same = self.module.take().zip(last.as_ref());
        let same = same.and_then(|(module, (last, _))| {
            module.next(last, (snapshot, &items), &self.asked, &mut self.signatures, &known)
        });
        let mut module =
            same.unwrap_or_else(|| ModuleHeader::new(snapshot, &items, &self.asked, &mut self.signatures, &known));
        let header = &*module.placed.header;
        let difference = module.difference.as_ref();
        let environment = hash_of(&header.environment);
        let mut done = self.resume(snapshot, environment);
        let mut records = Vec::new();
        let mut later = Vec::new();
        let mut hashes = Vec::new();
        // Match unchanged functions first, so that a copy of one cannot take a record that another function could use.
        for (index, item) in items.iter().enumerate() {
            if !is_remembered(item.node) {
                continue;
            }
            let known = known.get(&(item.range.start, item.range.end));
            let text = known.map_or_else(|| hash_range(snapshot, item.range.clone()), |known| known.text);
            // The parser's error recovery depends on more than a function's text, so the result of a function with a syntax
            // error is reused only for the very same tree.
            let sound = |record: &Record| {
                !is_broken(item) || known.is_some_and(|known| known.stood_at(&record.place) && known.has_tree_of(item))
            };
            hashes.push((item.range.clone(), text));
            if let Some(record) = done.remove(&index) {
                records.push((index, record));
                continue;
            }
            match self.functions.take_same(text) {
                Some(mut record)
                    if sound(&record)
                        && record.holds(context(environment, header), (header, difference), index)
                        && record.followed == is_followed(snapshot, item) =>
                {
                    record.unused = 0;
                    record.seen = header.names_seen_by(index);
                    record.place = (snapshot.id(), item.range.clone());
                    records.push((index, record));
                }
                Some(record) => later.push((index, text, Some(record))),
                None => later.push((index, text, None)),
            }
        }
        let work: Vec<_> = later
            .into_iter()
            .map(|(index, text, record)| {
                let name = name_of(snapshot, items[index].node);
                let old = record.or_else(|| self.functions.take_named(&name));
                let fresh = if self.for_one_check { Statements::forgetful() } else { Statements::default() };
                (index, Mutex::new(Some((text, name, old, fresh))))
            })
            .collect();
        let size = |(index, _): &(usize, _)| items[*index].range.len();
        let before = last.as_ref().map(|(last, _)| last);
        let for_one_check = self.for_one_check;
        let facts = self.lints.along.map(|run| (run, Module::new(snapshot, &items)));
        let lints = facts.as_ref().map(|(run, module)| lints::LintContext {
            run: *run,
            header,
            module,
            keeps_facts: self.lints.keeps_facts,
            keeps_addresses: self.lints.keeps_addresses,
            cancelled: stop,
        });
        let context = CheckContext { snapshot, plain: &[], header, environment, lints };
        let begun = AtomicBool::new(false);
        let checked = self.threads.share(&work, size, &mut self.mnemonics, |mnemonics, (index, known)| {
            if begun.swap(true, Ordering::Relaxed) && stop() {
                return None;
            }
            let known = known.lock().unwrap_or_else(PoisonError::into_inner).take()?;
            let record = check_item(&context, before, &items[*index], *index, mnemonics, known);
            Some((*index, if for_one_check { record.without_statements() } else { record }))
        });
        let complete = checked.iter().all(Option::is_some);
        records.extend(checked.into_iter().flatten());
        if !complete {
            let left =
                work.into_iter().filter_map(|(_, left)| left.into_inner().unwrap_or_else(PoisonError::into_inner)?.2);
            self.interrupt(snapshot, environment, records, left);
            self.last = last;
            return None;
        }
        records.sort_by_key(|(index, _)| *index);
        let mut list = ListBuilder::default();
        for (index, record) in &mut records {
            // A record of the only check is not read again.
            let found = if for_one_check { std::mem::take(&mut record.found) } else { record.found.clone() };
            list.item(snapshot, &items[..*index], items[*index].range.start, found);
        }
        let aliases =
            records.iter().flat_map(|(index, record)| record.aliases.iter().map(move |names| (*index, names)));
        let aliases = aliases.map(|(index, names)| names.clone().shifted(items[index].range.start)).collect();
        let rest = module.about_several(aliases);
        self.functions = self.functions.next(records.into_iter().map(|(_, record)| record));
        self.last = Some((snapshot.clone(), hashes));
        let mut outside = module.found.clone();
        outside.extend(wherever(snapshot));
        let diagnostics = list.finish_module(snapshot, &items, (outside, rest), module.placed.clone());
        let environment = module.placed.header.environment.clone();
        self.module = Some(module).filter(|_| !for_one_check);
        Some(SharedReport { diagnostics, environment })
    }
}

/// The diagnostics about signs that may stand anywhere in a text.
fn wherever(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = snapshot.too_deep().map(syntax_error::too_deep).collect();
    out.extend(syntax_error::foreign_character(snapshot));
    out
}

impl Record {
    /// The record of a check after which no edit follows.
    fn without_statements(mut self: Box<Self>) -> Box<Self> {
        (self.layout, self.around) = (Vec::new(), NamesAround::default());
        self
    }

    /// Whether the result still holds with this header. `difference` is the one from the header of the previous snapshot, if it is known.
    fn holds(&self, environment: u64, (header, difference): (&Header, Option<&HeaderDifference>), item: usize) -> bool {
        self.environment == environment
            && self.first == (header.first_body == Some(item))
            && (self.seen == header.names_seen_by(item)
                || difference.is_some_and(|d| d.spares(self.seen, item, &self.dependencies))
                || self.dependencies.iter().all(|(name, symbol)| header.look_up(name, item) == *symbol))
    }
}

impl Record {
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

/// The last initializer of a declaration.
fn initializer(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_last_child();
    while more {
        let child = cursor.node();
        if child.kind_id() == kinds().declarator
            && let Some(value) = child.child_by_field_id(fields().value)
        {
            return Some(value);
        }
        more = cursor.goto_previous_sibling();
    }
    None
}

fn name_of(snapshot: &Snapshot, node: Node<'_>) -> String {
    node.child_by_field_id(fields().name).map_or_else(String::new, |n| snapshot.text(n.byte_range()).into_owned())
}
