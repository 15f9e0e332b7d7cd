//! The check of a module, incremental from one snapshot of its text to the next.
//!
//! Nothing here depends on the edit between two snapshots: results are cached by text. The result of a function stays valid
//! as long as its text, the module's version and target, and the used module names stay the same. In a function that did
//! change, the same holds statement by statement ([`crate::incremental::memo`]).

mod contents;
mod earlier;
mod facts;
mod fragment;
mod interrupted;
mod lints;
mod list;
mod module_header;
mod outlined;
mod threads;
mod unchanged;

use crate::check::codes::Code;
use crate::hir::directive_parts;
use crate::hir::module::Dependencies;
use contents::{CheckContext, check_contents, check_item, is_broken, is_followed};
pub(crate) use facts::module_of;
pub(crate) use fragment::{Fragment, Outside};
use interrupted::InterruptedCheck;
pub use lints::Cancelled;
pub use list::{DiagnosticList, PlacedDiagnostic, SharedReport};
use list::{ItemDiagnostics, ListBuilder};
use module_header::{ModuleHeader, TextHashes};
use threads::Threads;
use unchanged::{HashedRange, unchanged};

use crate::check::declare::{self, DeclarationSite, Earlier};
use crate::check::diagnostic::Diagnostic;
use crate::check::directives;
use crate::check::functions::{self, AliasNames};
use crate::check::rules::module_header::HeaderProgress;
use crate::check::rules::{
    constant_memory_limit, constant_overflow, debug_directive, project_target, project_version, syntax_error,
};
use crate::check::variables::{self, ModuleDeclaration};
use crate::forms::mnemonics::MnemonicCache;
use crate::hir::hash::{hash_of, hash_range, mix};
use crate::hir::lower::{self, ItemSource};
use crate::hir::module::{Header, ModuleItem, ModuleSymbol, is_function, items};
use crate::hir::signature::Signatures;
use crate::hir::symbols::{Symbol, VariableOrigin};
use crate::incremental::body::{ChangedRange, EarlierStatements, KnownStatement, Old};
use crate::incremental::memo::Statements;
use crate::incremental::recovery;
use crate::target::project::Project;
use crate::target::{Environment, find_architecture};
use ptx_isa::tables::TargetInfo;
use ptx_syntax::{Node, Snapshot, SnapshotId, SourceEdit, fields, kinds};
use rustc_hash::FxHashMap as HashMap;
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

/// The number of checks for which the result of a function that disappeared stays cached. A keystroke may change the
/// structure of half a file for a moment, and the next one restores it.
const MAX_UNUSED_CHECKS: u8 = 6;

/// The cached check of a function (or of a section or initialized variable).
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
    place: (SnapshotId, Range<usize>),
    /// For how many checks no function has had this text.
    unused: u8,
}

#[derive(Debug, Default)]
struct Functions {
    records: Vec<Option<Record>>,
    by_text: HashMap<u64, Vec<usize>>,
    by_name: HashMap<Box<str>, Vec<usize>>,
}

impl Functions {
    /// Takes the record of a function with the same text, if one is left.
    fn take_same(&mut self, text: u64) -> Option<Record> {
        let indices = self.by_text.get_mut(&text)?;
        while let Some(index) = indices.pop() {
            if let Some(record) = self.records[index].take() {
                return Some(record);
            }
        }
        None
    }

    /// Takes the record of a function with this name, if one is left.
    fn take_named(&mut self, name: &str) -> Option<Record> {
        let indices = self.by_name.get_mut(name)?;
        while let Some(index) = indices.pop() {
            if let Some(record) = self.records[index].take() {
                return Some(record);
            }
        }
        None
    }

    /// Combines the records of this check with those of earlier checks that may be needed again.
    fn next(&mut self, mut records: Vec<Record>) -> Self {
        let most = records.len() * 2 + 64;
        for mut record in std::mem::take(&mut self.records).into_iter().flatten() {
            record.unused += 1;
            if record.unused <= MAX_UNUSED_CHECKS && records.len() < most {
                records.push(record);
            }
        }
        let mut out = Self::default();
        // Insert backwards, so that `pop` returns the first of several records first.
        for (index, record) in records.iter().enumerate().rev() {
            out.by_text.entry(record.text).or_default().push(index);
            out.by_name.entry(record.name.clone()).or_default().push(index);
        }
        out.records = records.into_iter().map(Some).collect();
        out
    }
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
        let same = same.and_then(|(module, (last, _))| module.next(last, snapshot, &items, &self.asked, &known));
        let mut module =
            same.unwrap_or_else(|| ModuleHeader::new(snapshot, &items, &self.asked, &mut self.signatures, &known));
        let header = &*module.placed.header;
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
                        && record.holds(context(environment, header), header, index)
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
        let facts = self.lints.along.map(|run| (run, lints::module_facts(snapshot, &items)));
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
            Some((*index, if for_one_check { Record { layout: Vec::new(), ..record } } else { record }))
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
        self.functions = self.functions.next(records.into_iter().map(|(_, record)| record).collect());
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
    fn holds(&self, environment: u64, header: &Header, item: usize) -> bool {
        self.environment == environment
            && self.first == (header.first_body == Some(item))
            && (self.seen == header.names_seen_by(item)
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
        (item.range == (start..end)).then(|| EarlierStatements { known: std::mem::take(&mut self.layout), changed })
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

/// Checks everything outside of function bodies and collects the module's declarations. `text_of` returns the hash of the text of
/// an item, if it is at hand.
fn header(
    snapshot: &Snapshot,
    items: &[ModuleItem<'_>],
    asked: &Asked,
    (signatures, text_of): (&mut Signatures, &TextHashes<'_>),
    out: &mut Vec<Diagnostic>,
) -> Header {
    let (k, f) = (kinds(), fields());
    signatures.begin();
    let mut header = Header::default();
    header.environment.address_size = 32;
    header.environment.project = Arc::clone(&asked.project);
    let mut progress = HeaderProgress::default();
    if let Some(environment) = &asked.environment {
        header.environment = environment.clone();
        progress = HeaderProgress::given();
    }
    let mut places: HashMap<String, Earlier> = HashMap::default();
    let mut files: HashMap<u32, Range<usize>> = HashMap::default();
    let follows = recovery::followers(snapshot, items);
    // The previous function, if its header has no end.
    let mut open: Option<&ModuleItem<'_>> = None;
    for (index, item) in items.iter().enumerate() {
        if follows.get(index).copied().unwrap_or(false) {
            continue;
        }
        let node = item.node;
        let kind = node.kind_id();
        let whole = if is_function(node) { text_of(&item.range) } else { None };
        let known = whole.is_some_and(|whole| !node.has_error() && signatures.knows(whole));
        // The parameters of kernels can be half of a text.
        let name = node.child_by_field_id(f.name).filter(|_| known);
        let end = name.map_or_else(|| end_of_header(item), |name| name.end_byte()).max(item.range.start);
        let text = snapshot.text(item.range.start..end);
        let source = ItemSource { text: &text, base: item.range.start };
        let mut found = Vec::new();
        if kind == k.version_directive {
            progress.version(source, node, &mut header.environment, &mut found);
            if found.is_empty() {
                syntax_error::report(source, node, &mut found);
            }
            project_version::check(source, node, &header.environment, &mut found);
        } else if kind == k.target_directive {
            progress.target(source, node, &mut header.environment, &mut found);
            if found.is_empty() {
                syntax_error::report(source, node, &mut found);
            }
            project_target::check(source, node, asked.target, &mut header.environment, &mut found);
        } else if kind == k.address_size_directive {
            progress.address_size(source, node, &mut header.environment, &mut found);
            if found.is_empty() {
                syntax_error::report(source, node, &mut found);
            }
        } else {
            if (!node.is_error() || is_function(node)) && kind != k.unknown_directive {
                progress.other(first_word(&text), &mut found);
            }
            if is_function(node) {
                if node.child_by_field_id(f.body).is_some() {
                    header.first_body = header.first_body.or(Some(index));
                }
                functions::declare(source, node, (index, whole), &mut header, signatures, out);
            } else if kind == k.variable_declaration {
                syntax_error::report(source, node, &mut found);
                if node.has_error() {
                    for (name, _) in recovery::names_in(source.word(node).text) {
                        let lost = ModuleSymbol::new(Symbol::Unknown, index, 0..0);
                        header.symbols.entry(name.to_owned()).or_insert(ModuleSymbol { defined: false, ..lost });
                    }
                } else {
                    let declaration = lower::declaration(source, node);
                    let site = DeclarationSite::of(VariableOrigin::Module);
                    let sound = declare::check(&declaration, site, &header.environment, &mut found);
                    constant_overflow::declaration(&declaration, &text, &mut found);
                    let statement =
                        ModuleDeclaration { snapshot, source, node, item: index, declaration: &declaration };
                    variables::declare(&statement, sound, &mut header, &mut places, out);
                }
                if lower::is_broken(node) {
                    found.truncate(1);
                }
            } else if kind == k.unknown_directive {
                found.extend(directives::unknown(source, node));
            } else if kind == k.label {
                // A label of a target list is reported with the list.
                let next = items.get(index + 1).map(|i| i.node.kind_id());
                if next.and_then(directive_parts::list_kind).is_none() {
                    found.push(syntax_error::outside_of_function(first_word(&text), "a label"));
                }
                if let Some(name) = node.child_by_field_id(f.name).map(|n| source.word(n)) {
                    let symbol = ModuleSymbol::new(Symbol::Unknown, index, source.absolute(name.range()));
                    header.symbols.entry(name.text.to_owned()).or_insert(symbol);
                }
            } else if kind == k.alias_directive {
                syntax_error::report(source, node, &mut found);
                functions::alias(source, node, &mut header, out);
                directives::statement(source, node, "module", &header.environment, &mut found);
            } else if kind == k.instruction {
                found.push(syntax_error::statement_outside(&text, first_word(&text)));
            } else if kind == k.block {
                found.push(syntax_error::outside_of_function(0..1, "a block"));
            } else if kind == k.section_directive {
                // Its content is checked and cached like a function.
                progress.section();
            } else {
                syntax_error::report(source, node, &mut found);
                directives::statement(source, node, "module", &header.environment, &mut found);
                if kind == k.file_directive
                    && let Some((number, word)) = directive_parts::file_number(source, node)
                {
                    header.files.insert(number);
                    let place = source.absolute(word.range());
                    match files.get(&number) {
                        Some(first) => out.push(debug_directive::file_twice(place, number, first.clone())),
                        None => drop(files.insert(number, place)),
                    }
                }
            }
        }
        if let Some(header) = open.filter(|_| !found.is_empty() && recovery::belongs_into_body(snapshot, node)) {
            // The first misplaced statement shows that a bracket is missing.
            found.clear();
            out.push(recovery::opening_bracket(snapshot, header, node));
        }
        out.extend(found.into_iter().map(|d| d.shifted(item.range.start)));
        open = Some(item).filter(|i| is_function(i.node) && recovery::lacks_its_end(i.node));
    }
    if follows.contains(&true) || items.iter().any(|i| i.node.is_error() || i.node.kind_id() == k.unknown_directive) {
        for name in recovery::lost_names(snapshot, items, &follows) {
            let lost = ModuleSymbol::new(Symbol::Unknown, 0, 0..0);
            header.symbols.entry(name).or_insert(ModuleSymbol { defined: false, ..lost });
        }
    }
    out.extend(constant_memory_limit::check(&header, &places));
    header.seal(items.len());
    let mut found = Vec::new();
    let rope = snapshot.rope();
    progress.end(rope.char_to_byte(rope.len_chars().saturating_sub(1))..rope.len_bytes(), &mut found);
    out.extend(found);
    header.complete = !follows.contains(&true);
    header
}

/// The byte offset in the file at which the header part of an item ends: before its body or initializer, which may be long.
fn end_of_header(item: &ModuleItem<'_>) -> usize {
    let f = fields();
    if let Some(body) = item.node.child_by_field_id(f.body) {
        return body.start_byte();
    }
    if item.node.kind_id() == kinds().section_directive {
        return item.range.start;
    }
    let cut = item.node.kind_id() == kinds().variable_declaration && !lower::is_broken(item.node);
    let last = |value: &Node<'_>| value.parent().is_none_or(|declarator| declarator.next_named_sibling().is_none());
    initializer(item.node).filter(|value| cut && last(value)).map_or(item.range.end, |value| value.start_byte())
}

/// The byte range of the first word of a text, or of its first character if it does not begin with a word.
fn first_word(text: &str) -> Range<usize> {
    let end = text.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(text.len());
    0..end.max(text.chars().next().map_or(1, char::len_utf8))
}

fn name_of(snapshot: &Snapshot, node: Node<'_>) -> String {
    node.child_by_field_id(fields().name).map_or_else(String::new, |n| snapshot.text(n.byte_range()).into_owned())
}
