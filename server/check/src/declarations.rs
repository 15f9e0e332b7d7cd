//! Reads the declarations of a module: everything outside of function bodies.

use crate::declare::{self, DeclarationSite, Earlier};
use crate::diagnostic::Diagnostic;
use crate::header::HeaderProgress;
use crate::recovery;
use crate::rules::{
    constant_memory_limit, constant_overflow, debug_directive, module_header, project_target, project_version,
    syntax_error,
};
use crate::variables::{self, ModuleDeclaration};
use crate::{directives, functions};
use ptx_isa::tables::TargetInfo;
use ptx_sema::hir::directive_parts;
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::hir::module::{Header, ModuleItem, ModuleSymbol, is_function};
use ptx_sema::hir::signature::Signatures;
use ptx_sema::hir::symbols::{Symbol, VariableOrigin};
use ptx_sema::target::Environment;
use ptx_sema::target::project::Project;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Settings of the check that the module's own header does not give.
#[derive(Debug, Default)]
pub(crate) struct CheckSettings {
    /// The version and target of a text that has no header of its own.
    pub environment: Option<Environment>,
    /// The target that replaces the module's own.
    pub target: Option<&'static TargetInfo>,
    /// The project for whose targets the module is checked.
    pub project: Arc<Project>,
}

/// Returns the hash of the text in a range, if it is at hand.
pub(crate) type TextHashes<'a> = dyn Fn(&Range<usize>) -> Option<u64> + 'a;

/// Checks everything outside of function bodies and collects the module's declarations. `text_of` returns the hash of the text of
/// an item, if it is at hand.
pub(crate) fn header(
    snapshot: &Snapshot,
    items: &[ModuleItem<'_>],
    asked: &CheckSettings,
    signatures: &mut Signatures,
    text_of: &TextHashes<'_>,
    out: &mut Vec<Diagnostic>,
) -> Header {
    signatures.begin();
    let mut header = Header::default();
    header.environment.address_size = 32;
    header.environment.project = Arc::clone(&asked.project);
    let mut progress = HeaderProgress::default();
    if let Some(environment) = &asked.environment {
        header.environment = environment.clone();
        progress = HeaderProgress::given();
    }
    let mut reader = DeclarationReader::new(snapshot, header, signatures);
    reader.progress = progress;
    let follows = recovery::followers(snapshot, items);
    // The previous function, if its header has no end.
    let mut open: Option<&ModuleItem<'_>> = None;
    for (index, item) in items.iter().enumerate() {
        if follows.get(index).copied().unwrap_or(false) {
            continue;
        }
        let mut reports = reader.item((index, item, items.get(index + 1)), asked, text_of, out);
        if let Some(header) = open.filter(|_| !reports.is_empty() && recovery::belongs_into_body(snapshot, item.node)) {
            // The first misplaced statement shows that a bracket is missing.
            reports.clear();
            out.push(recovery::opening_bracket(snapshot, header, item.node));
        }
        out.extend(reports.into_iter().map(|d| d.shifted(item.range.start)));
        open = Some(item).filter(|i| is_function(i.node) && recovery::lacks_its_end(i.node));
    }
    let DeclarationReader { mut header, mut progress, .. } = reader;
    if follows.contains(&true)
        || items.iter().any(|i| i.node.is_error() || i.node.kind_id() == kinds().unknown_directive)
    {
        for name in recovery::lost_names(snapshot, items, &follows) {
            header.declare(name, ModuleSymbol::lost(0));
        }
    }
    out.extend(constant_memory_limit::check(&header));
    header.seal(items.len());
    let mut reports = Vec::new();
    let rope = snapshot.rope();
    progress.end(rope.char_to_byte(rope.len_chars().saturating_sub(1))..rope.len_bytes(), &mut reports);
    out.extend(reports);
    header.complete = !follows.contains(&true);
    header
}

/// The names that one item declares, and the diagnostics about it, whose ranges are those in the file.
pub(crate) struct DeclaredByItem {
    /// The names with their symbols.
    pub symbols: HashMap<String, ModuleSymbol>,
    /// The diagnostics.
    pub found: Vec<Diagnostic>,
}

/// Reads a function or a variable, as if there were no other declaration. `index` is that of the item.
pub(crate) fn declared_by(
    snapshot: &Snapshot,
    index: usize,
    item: &ModuleItem<'_>,
    environment: &Environment,
    signatures: &mut Signatures,
) -> DeclaredByItem {
    let mut header = Header::default();
    header.environment.clone_from(environment);
    let mut reader = DeclarationReader::new(snapshot, header, signatures);
    let mut out = Vec::new();
    let reports = reader.item((index, item, None), &CheckSettings::default(), &|_| None, &mut out);
    out.extend(reports.into_iter().map(|d| d.shifted(item.range.start)));
    DeclaredByItem { symbols: reader.header.symbols, found: out }
}

/// Reads the declarations of a module item by item.
struct DeclarationReader<'a> {
    snapshot: &'a Snapshot,
    signatures: &'a mut Signatures,
    header: Header,
    progress: HeaderProgress,
    /// The first declaration of each variable.
    places: HashMap<String, Earlier>,
    /// The numbers in `.file` directives.
    files: HashMap<u32, Range<usize>>,
}

impl<'a> DeclarationReader<'a> {
    fn new(snapshot: &'a Snapshot, header: Header, signatures: &'a mut Signatures) -> Self {
        let progress = HeaderProgress::given();
        Self { snapshot, signatures, header, progress, places: HashMap::default(), files: HashMap::default() }
    }

    /// Reads an item, which has this index; the next item may follow. Returns the diagnostics about it alone, whose ranges count from its
    /// start, and adds those that may concern several items to `out`.
    fn item(
        &mut self,
        (index, item, next): (usize, &ModuleItem<'_>, Option<&ModuleItem<'_>>),
        asked: &CheckSettings,
        text_of: &TextHashes<'_>,
        out: &mut Vec<Diagnostic>,
    ) -> Vec<Diagnostic> {
        let (k, f) = (kinds(), fields());
        let Self { snapshot, signatures, header, progress, places, files } = self;
        let node = item.node;
        let kind = node.kind_id();
        let whole = if is_function(node) { text_of(&item.range) } else { None };
        let is_known = whole.is_some_and(|whole| !node.has_error() && signatures.knows(whole));
        // The parameters of kernels can be half of a text.
        let name = node.child_by_field_id(f.name).filter(|_| is_known);
        let end = name.map_or_else(|| end_of_header(item), |name| name.end_byte()).max(item.range.start);
        let text = snapshot.text(item.range.start..end);
        let source = ItemSource { text: &text, base: item.range.start };
        let mut reports = Vec::new();
        if kind == k.version_directive {
            progress.version(source, node, &mut header.environment, &mut reports);
            if reports.is_empty() {
                syntax_error::report(source, node, &mut reports);
            }
            project_version::check(source, node, &header.environment, &mut reports);
        } else if kind == k.target_directive {
            progress.target(source, node, &mut header.environment, &mut reports);
            version_below(snapshot, item, next, &mut reports);
            if reports.is_empty() {
                syntax_error::report(source, node, &mut reports);
            }
            project_target::check(source, node, asked.target, &mut header.environment, &mut reports);
        } else if kind == k.address_size_directive {
            progress.address_size(source, node, &mut header.environment, &mut reports);
            version_below(snapshot, item, next, &mut reports);
            if reports.is_empty() {
                syntax_error::report(source, node, &mut reports);
            }
        } else {
            if (!node.is_error() || is_function(node)) && kind != k.unknown_directive {
                progress.other(first_word(&text), &mut reports);
            }
            if is_function(node) {
                if node.child_by_field_id(f.body).is_some() {
                    header.first_body = header.first_body.or(Some(index));
                }
                functions::declare(source, node, index, whole, header, signatures, out);
            } else if kind == k.variable_declaration {
                syntax_error::report(source, node, &mut reports);
                if node.has_error() {
                    for (name, _) in recovery::names_in(source.word(node).text) {
                        header.declare(name.to_owned(), ModuleSymbol::lost(index));
                    }
                } else {
                    let declaration = lower::declaration(source, node);
                    let site = DeclarationSite::of(VariableOrigin::Module);
                    let sound = declare::check(&declaration, site, &header.environment, &mut reports);
                    syntax_error::with_text(&text, &mut reports);
                    constant_overflow::declaration(&declaration, &text, &mut reports);
                    let statement =
                        ModuleDeclaration { snapshot, source, node, item: index, declaration: &declaration };
                    variables::declare(&statement, sound, header, places, out);
                }
                if lower::is_broken(node) {
                    reports.truncate(1);
                }
            } else if kind == k.unknown_directive {
                reports.extend(directives::unknown(source, node));
            } else if kind == k.label {
                // A label of a target list is reported with the list.
                let next = next.map(|i| i.node.kind_id());
                if next.and_then(directive_parts::list_kind).is_none() {
                    reports.push(syntax_error::outside_of_function(first_word(&text), "a label"));
                }
                if let Some(name) = node.child_by_field_id(f.name).map(|n| source.word(n)) {
                    let symbol = ModuleSymbol::new(Symbol::Unknown, index, source.absolute(name.range()));
                    header.declare(name.text.to_owned(), symbol);
                }
            } else if kind == k.alias_directive {
                syntax_error::report(source, node, &mut reports);
                functions::alias(source, node, header, out);
                directives::statement(source, node, "module", &header.environment, &mut reports);
            } else if kind == k.instruction {
                reports.push(syntax_error::statement_outside(&text, first_word(&text)));
            } else if kind == k.block
                && let Some(body) = body_of(snapshot, node, header)
            {
                out.push(body);
            } else if kind == k.block {
                reports.push(syntax_error::outside_of_function(0..1, "a block"));
            } else if kind == k.section_directive {
                // Its content is checked and cached like a function.
                progress.section();
            } else {
                syntax_error::report(source, node, &mut reports);
                directives::statement(source, node, "module", &header.environment, &mut reports);
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
        reports
    }
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

/// The last initializer of a declaration.
pub(crate) fn initializer(node: Node<'_>) -> Option<Node<'_>> {
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

/// Makes the report on a missing `.version` one on its place, if it is the next directive.
fn version_below(snapshot: &Snapshot, item: &ModuleItem<'_>, next: Option<&ModuleItem<'_>>, found: &mut [Diagnostic]) {
    let Some(version) = next.filter(|item| item.node.kind_id() == kinds().version_directive) else { return };
    for report in found.iter_mut().filter(|report| module_header::lacks_version(report)) {
        let start = item.range.start;
        let text = snapshot.text(version.range.clone());
        let place = version.range.start - start..version.range.end - start;
        *report = module_header::version_below(report.range.clone(), place, text.trim_end());
    }
}

/// The report on a block that is the body of the function before it, from which a `;` parts it.
fn body_of(snapshot: &Snapshot, block: Node<'_>, header: &mut Header) -> Option<Diagnostic> {
    let function = block.prev_sibling().filter(|node| is_function(*node))?;
    if function.child_by_field_id(fields().body).is_some() {
        return None;
    }
    let report = syntax_error::body_after_semicolon(&snapshot.text(function.byte_range()))?;
    let name = function.child_by_field_id(fields().name)?;
    // One mistake, one report: the function is not without a body.
    if let Some(symbol) = header.symbols.get_mut(&*snapshot.text(name.byte_range())) {
        symbol.defined = true;
    }
    Some(report.shifted(function.start_byte()))
}
