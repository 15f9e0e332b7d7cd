//! The header of a module, which stays valid while the user types inside a function.
//!
//! The header depends on everything outside of function bodies. To read it again takes longer than all other parts of the check of a
//! large text, so it is kept if an edit lies within one body and if no item but this function has changed, in the tree too. If the edit
//! lies within one declaration, only that is read again.

use super::unchanged::UnchangedItems;
use crate::declarations::{self, CheckSettings, DeclaredByItem, declared_by, initializer};
use crate::diagnostic::{Diagnostic, FixEdit};
use crate::functions::{self, AliasNames};
use crate::header::is_about_header;
use crate::recovery;
use ptx_sema::hir::lower;
use ptx_sema::hir::module::{Dependencies, Header, ModuleItem, ModuleSymbol, is_function};
use ptx_sema::hir::signature::Signatures;
use ptx_sema::hir::symbols::{Symbol, VariableSymbol};
use ptx_sema::target::project::Project;
use ptx_syntax::{Node, Snapshot, SnapshotId, SourceEdit, fields, kinds};
use std::ops::Range;
use std::sync::Arc;

/// The number of edits after which all places in the header are moved, because each one has to follow all of them.
const MAX_MOVES: usize = 64;

/// The number of declarations after which the header is read again, because the signatures of all their versions stay cached.
const MAX_REPLACED: usize = 1024;

/// The declarations of a module, with their places as of an earlier text.
#[derive(Debug, Clone, Default)]
pub(super) struct PlacedHeader {
    pub header: Arc<Header>,
    /// The edits since.
    moves: Vec<SourceEdit>,
}

impl PlacedHeader {
    /// The place of the declaration of a name in the current text.
    pub(super) fn place(&self, name: &str) -> Option<Range<usize>> {
        Some(self.moved(self.header.symbols.get(name)?.place.clone()))
    }

    fn moved(&self, place: Range<usize>) -> Range<usize> {
        // The edits lie in bodies, so no place is within one.
        self.moves.iter().fold(place, |place, edit| moved(&place, *edit).unwrap_or(place))
    }

    /// The header, with the places in the current text.
    fn to_mut(&mut self) -> &mut Header {
        if !self.moves.is_empty() {
            *self = Self { header: Arc::new(self.up_to_date()), moves: Vec::new() };
        }
        Arc::make_mut(&mut self.header)
    }

    /// A copy of the header with the places in the current text.
    fn up_to_date(&self) -> Header {
        let mut header = Header::clone(&self.header);
        for symbol in header.symbols.values_mut() {
            symbol.place = self.moved(symbol.place.clone());
        }
        header
    }
}

/// The header of a module with its diagnostics, whose ranges are those in the file.
#[derive(Debug)]
pub(super) struct ModuleHeader {
    pub placed: PlacedHeader,
    /// The diagnostics outside of function bodies.
    pub found: Vec<Diagnostic>,
    /// The diagnostics about several items, if none of them depends on the contents of functions.
    about_several: Option<Vec<Diagnostic>>,
    /// The settings that it depends on: version and target of a text without a header, the target instead of its own, the project.
    asked: (u64, Option<&'static str>, Arc<Project>),
    snapshot: SnapshotId,
    /// The items, in order; `None` if one has a syntax error that may change the header.
    items: Option<Vec<ItemShape>>,
    /// Whether each declaration can be read without the items around it.
    is_orderly: bool,
    /// What has changed since the previous snapshot; `None` if nothing has, or if the header was read again.
    pub difference: Option<HeaderDifference>,
    /// How many declarations were replaced since the header was read.
    replaced: usize,
}

/// The names that mean something else than in the header of the previous snapshot, which has the same items.
#[derive(Debug)]
pub(super) struct HeaderDifference {
    before: Arc<Header>,
    names: Vec<String>,
}

impl HeaderDifference {
    /// Whether a result that held in the previous snapshot holds in this one. `seen` is the fingerprint of the names that the item saw when
    /// these dependencies last held.
    pub(super) fn spares(&self, seen: u64, item: usize, dependencies: &Dependencies) -> bool {
        let uses = |name: &String| dependencies.binary_search_by(|(used, _)| (**used).cmp(name)).is_ok();
        seen == self.before.names_seen_by(item) && !self.names.iter().any(uses)
    }
}

/// The properties of an item on which the header depends, besides its text.
#[derive(Debug)]
struct ItemShape {
    kind: u16,
    range: Range<usize>,
    has_error: bool,
}

impl ModuleHeader {
    /// Reads the header of a snapshot.
    pub(super) fn new(
        snapshot: &Snapshot,
        items: &[ModuleItem<'_>],
        asked: &CheckSettings,
        signatures: &mut Signatures,
        known: &UnchangedItems<'_>,
    ) -> Self {
        let mut found = Vec::new();
        let text_of = |range: &Range<usize>| Some(known.get(&(range.start, range.end))?.text);
        let header = declarations::header(snapshot, items, asked, signatures, &text_of, &mut found);
        let concerns_others = |item: &ModuleItem<'_>| {
            item.node.kind_id() == kinds().alias_directive
                || (is_function(item.node) && recovery::lacks_its_end(item.node))
        };
        let is_orderly = header.complete
            && header.aliases.is_empty()
            && !found.iter().any(is_about_header)
            && !items.iter().any(concerns_others);
        Self {
            is_orderly,
            difference: None,
            replaced: 0,
            placed: PlacedHeader { header: Arc::new(header), moves: Vec::new() },
            found,
            about_several: None,
            asked: settings(asked),
            snapshot: snapshot.id(),
            items: items.iter().map(ItemShape::new).collect(),
        }
    }

    /// The header of a snapshot that follows the one of this header, if all that it depends on is the same.
    pub(super) fn next(
        mut self,
        last: &Snapshot,
        snapshot: &Snapshot,
        items: &[ModuleItem<'_>],
        asked: &CheckSettings,
        signatures: &mut Signatures,
        known: &UnchangedItems<'_>,
    ) -> Option<Self> {
        let edit = snapshot.change_since(self.snapshot)??;
        self.difference = None;
        let shapes = self.items.as_mut()?;
        let same = self.snapshot == last.id() && self.asked == settings(asked) && shapes.len() == items.len();
        if !same {
            return None;
        }
        // Brackets that nest too deep are hidden from the parser, also in the items after them.
        if [last, snapshot].iter().any(|snapshot| snapshot.too_deep().next().is_some()) {
            return None;
        }
        let (mut inside, mut declaration) = (false, None);
        for (index, (item, shape)) in items.iter().zip(shapes).enumerate() {
            if moved(&shape.range, edit).is_some() {
                if !shape.is_same(item, edit, known) {
                    return None;
                }
            } else if shape.is_same_outside_of_body(item, edit, last) {
                inside = true;
            } else {
                // An edit that is not within one item reads all of them again.
                let within = shape.range.start <= edit.start && edit.old_end <= shape.range.end;
                if !within || !self.is_orderly || item.range != shape.range_after(edit) {
                    return None;
                }
                let old = last.leaf(shape.range.clone()).filter(|node| node.byte_range() == shape.range)?;
                let old = ModuleItem { node: old, range: shape.range.clone(), unclosed: false };
                ItemShape::new(item)?;
                declaration = Some((index, old));
            }
            shape.range = item.range.clone();
            shape.has_error = item.node.has_error();
        }
        self.snapshot = snapshot.id();
        if let Some((index, old)) = declaration {
            let old = (last, old);
            return self.replace(index, old, (snapshot, items.get(index)?), edit, signatures);
        }
        let follow = |found: &mut Vec<Diagnostic>| found.iter_mut().all(|d| follow(d, edit));
        // Outside of items, a module has only comments. What the end of the text lacks stands there.
        let keeps = inside || self.is_orderly;
        if !keeps || !follow(&mut self.found) || !self.about_several.as_mut().is_none_or(follow) {
            return None;
        }
        if self.placed.moves.len() == MAX_MOVES {
            self.placed.to_mut();
        }
        self.placed.moves.push(edit);
        Some(self)
    }

    /// Replaces the declarations of the item with an index; `None` if they may affect those of other items.
    fn replace(
        mut self,
        index: usize,
        (last, old): (&Snapshot, ModuleItem<'_>),
        (snapshot, new): (&Snapshot, &ModuleItem<'_>),
        edit: SourceEdit,
        signatures: &mut Signatures,
    ) -> Option<Self> {
        if self.replaced == MAX_REPLACED || !may_be_replaced((last, old.node), (snapshot, new.node)) {
            return None;
        }
        let environment = &self.placed.header.environment;
        let before = declared_by(last, index, &old, environment, signatures);
        let after = declared_by(snapshot, index, new, environment, signatures);
        let symbols = &self.placed.header.symbols;
        let is_own = |(name, symbol): (&String, &ModuleSymbol)| {
            symbols.get(name).is_some_and(|s| s.item == index && !s.repeated && s.symbol == symbol.symbol)
        };
        let is_free = |name: &String| before.symbols.contains_key(name) || !symbols.contains_key(name);
        let is_constant =
            |symbol: &ModuleSymbol| matches!(symbol.symbol, Symbol::Variable(VariableSymbol { space: ".const", .. }));
        // The constant variables are limited in total.
        if !before.symbols.iter().all(is_own)
            || !after.symbols.keys().all(is_free)
            || before.symbols.values().chain(after.symbols.values()).any(is_constant)
        {
            return None;
        }
        let is_about_old = |d: &mut Diagnostic| old.range.start <= d.range.start && d.range.end <= old.range.end;
        let removed = self.found.extract_if(.., is_about_old).count();
        if removed != before.found.len() || !self.found.iter_mut().all(|d| follow(d, edit)) {
            return None;
        }
        let symbol = |declared: &DeclaredByItem, name: &String| declared.symbols.get(name).map(|s| s.symbol);
        let names = before.symbols.keys().chain(after.symbols.keys());
        let names = names.filter(|name| symbol(&before, name) != symbol(&after, name)).cloned().collect();
        let mut header = self.placed.up_to_date();
        header.symbols.retain(|name, _| !before.symbols.contains_key(name));
        for symbol in header.symbols.values_mut() {
            symbol.place = moved(&symbol.place, edit)?;
        }
        header.symbols.extend(after.symbols);
        self.found.extend(after.found);
        header.seal(self.items.as_ref()?.len());
        let before = std::mem::replace(&mut self.placed.header, Arc::new(header));
        self.placed.moves.clear();
        self.difference = Some(HeaderDifference { before, names });
        self.about_several = None;
        self.replaced += 1;
        Some(self)
    }

    /// The diagnostics about several items. `aliases` are those that functions declare.
    pub(super) fn about_several(&mut self, aliases: Vec<AliasNames>) -> Vec<Diagnostic> {
        if let Some(known) = self.about_several.as_ref().filter(|_| aliases.is_empty()) {
            return known.clone();
        }
        let mut out = Vec::new();
        // Aliases in functions change the header, so it does not serve for the next text.
        self.items = self.items.take().filter(|_| aliases.is_empty());
        let header = self.placed.to_mut();
        for names in aliases {
            functions::declare_alias(names, header, &mut out);
        }
        if header.complete {
            functions::undefined(header, &mut out);
        }
        self.about_several = Some(out.clone());
        out
    }
}

fn settings(asked: &CheckSettings) -> (u64, Option<&'static str>, Arc<Project>) {
    let environment = asked.environment.as_ref().map_or(0, ptx_sema::hir::hash::hash_of);
    (environment, asked.target.map(|target| target.name), Arc::clone(&asked.project))
}

impl ItemShape {
    /// The shape of an item; `None` if it has a syntax error outside of a body.
    fn new(item: &ModuleItem<'_>) -> Option<Self> {
        let (node, kind) = (item.node, item.node.kind_id());
        let has_error = node.has_error();
        let sound = !item.unclosed && kind != kinds().unknown_directive && (!has_error || errors_are_in_body(node));
        sound.then(|| Self { kind, range: item.range.clone(), has_error })
    }

    /// Its range after an edit within it.
    fn range_after(&self, edit: SourceEdit) -> Range<usize> {
        self.range.start..self.range.end - edit.old_end + edit.new_end
    }

    /// Whether an item that the edit does not touch is the same as before.
    fn is_same(&self, item: &ModuleItem<'_>, edit: SourceEdit, known: &UnchangedItems<'_>) -> bool {
        let has_error = item.node.has_error();
        // Without an error, the text decides about the tree.
        let same_tree = || {
            let known = known.get(&(item.range.start, item.range.end));
            !has_error || known.is_some_and(|known| known.has_tree_of(item))
        };
        moved(&self.range, edit).as_ref() == Some(&item.range)
            && item.node.kind_id() == self.kind
            && has_error == self.has_error
            && !item.unclosed
            && same_tree()
    }

    /// Whether an edit within an item lies in the body of a function, and all before the body is the same.
    fn is_same_outside_of_body(&self, item: &ModuleItem<'_>, edit: SourceEdit, last: &Snapshot) -> bool {
        let body = |node: Node<'_>| node.child_by_field_id(fields().body).map(|body| body.start_byte());
        let Some(start) = last.leaf(self.range.clone()).and_then(body) else { return false };
        // The braces belong to the outside.
        let inside = start < edit.start && edit.old_end < self.range.end;
        inside
            && self.kind == kinds().function
            && item.node.kind_id() == self.kind
            && !item.unclosed
            && item.range == self.range_after(edit)
            && body(item.node) == Some(start)
            && errors_are_in_body(item.node)
    }
}

/// Whether the declarations of an item can be read without the items around it, both before and after an edit in it.
fn may_be_replaced((last, old): (&Snapshot, Node<'_>), (snapshot, new): (&Snapshot, Node<'_>)) -> bool {
    let (k, f) = (kinds(), fields());
    let kind = new.kind_id();
    let has_body = |node: Node<'_>| node.child_by_field_id(f.body).is_some();
    let space = |snapshot: &Snapshot, node: Node<'_>| {
        node.child_by_field_id(f.space).map(|space| snapshot.text(space.byte_range()).into_owned())
    };
    // A table of functions depends on these functions.
    let names_functions = |node: Node<'_>| {
        let first = initializer(node).and_then(|value| ptx_syntax::walk::named_children(value).next());
        first.is_some_and(|first| first.kind_id() == k.identifier)
    };
    if old.kind_id() != kind {
        return false;
    }
    if kind == k.function {
        return has_body(old) == has_body(new) && ![old, new].into_iter().any(recovery::lacks_its_end);
    }
    kind == k.variable_declaration
        && ![old, new].into_iter().any(|node| node.has_error() || lower::is_broken(node) || names_functions(node))
        && space(last, old) == space(snapshot, new)
}

/// Whether all syntax errors of a function are in its body.
fn errors_are_in_body(node: Node<'_>) -> bool {
    let body = node.child_by_field_id(fields().body);
    let sound = |child: Node<'_>| Some(child) == body || !child.has_error();
    body.is_some() && node.kind_id() == kinds().function && node.children(&mut node.walk()).all(sound)
}

/// A range after an edit; `None` if the edit touches it.
fn moved(range: &Range<usize>, edit: SourceEdit) -> Option<Range<usize>> {
    if edit.old_end <= range.start {
        return Some(range.start - edit.old_end + edit.new_end..range.end - edit.old_end + edit.new_end);
    }
    (range.end <= edit.start).then(|| range.clone())
}

/// Moves the ranges of a diagnostic; false if the edit touches one.
fn follow(diagnostic: &mut Diagnostic, edit: SourceEdit) -> bool {
    let follow = |range: &mut Range<usize>| moved(range, edit).map(|new| *range = new).is_some();
    let replaced = |edit: &mut FixEdit| match edit {
        FixEdit::Replace(range, _) => follow(range),
        _ => true,
    };
    follow(&mut diagnostic.range)
        && diagnostic.related.make_mut().iter_mut().all(|related| follow(&mut related.range))
        && diagnostic.fixes.make_mut().iter_mut().flat_map(|fix| &mut fix.edits).all(replaced)
}

#[cfg(test)]
mod tests {
    use crate::Analyzer;
    use ptx_syntax::{Document, Snapshot};

    const TEXT: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func g();\n.func early()\n{\n    mov.u32 %r1, late;\n    ret;\n}\n.func late()\n{\n    .reg .b32 %a;\n    mov.b32 %a, 1;\n    ret;\n}\n.func declared();\n.global .u32 x;\n.global .u32 x;\n.func user()\n{\n    mov.u32 %r2, x;\n    mov.u32 %r2, after;\n}\n.global .u32 after;\n";

    /// Replaces a text and compares the report with a fresh one; returns whether the header was kept.
    fn keeps(analyzer: &mut Analyzer, document: &mut Document, old: &str, new: &str) -> bool {
        let at = document.rope().to_string().find(old).expect("the text");
        document.edit(at..at + old.len(), new);
        let report = analyzer.analyze(&document.snapshot());
        let fresh = Snapshot::new(&document.rope().to_string());
        assert_eq!(report.diagnostics, Analyzer::default().analyze(&fresh).diagnostics, "{}", document.rope());
        analyzer.module.as_ref().is_some_and(|module| !module.placed.moves.is_empty())
    }

    fn start(text: &str) -> (Analyzer, Document) {
        let (mut analyzer, mut document) = (Analyzer::default(), Document::new(text));
        assert!(!analyzer.analyze(&document.snapshot()).diagnostics.is_empty());
        (analyzer, document)
    }

    #[test]
    fn typing_in_a_body_keeps_the_header() {
        let (mut analyzer, mut document) = start(TEXT);
        for (old, new) in [
            ("%a, 1", "%a, 12"),
            ("%a, 12", "%a, "),
            ("%a, ;", "%a 7"),
            ("%a 7", "%a, 7;"),
            ("mov.u32 %r1", "\nmov.u32 %r1"),
        ] {
            assert!(keeps(&mut analyzer, &mut document, old, new), "{old:?} becomes {new:?}");
        }
        // Places follow many edits.
        for _ in 0..100 {
            assert!(keeps(&mut analyzer, &mut document, "    ret;", "     ret;"));
        }
    }

    #[test]
    fn typing_in_a_comment_keeps_the_header() {
        let (mut analyzer, mut document) = start(&TEXT.replace(".func late", "// note\n.func late"));
        assert!(keeps(&mut analyzer, &mut document, "note", "notes"));
        assert!(!keeps(&mut analyzer, &mut document, "// notes", "/* notes"));
        keeps(&mut analyzer, &mut document, "/* notes", "// notes");
        // A missing version is reported at the last character of a text with comments only.
        let (mut analyzer, mut document) = start("// a text\n");
        assert!(!keeps(&mut analyzer, &mut document, "a text", "text"));
    }

    #[test]
    fn other_edits_read_the_header_again() {
        let edits = [
            (".func late()", ".func later()"),
            (".func late()", ".func  late()"),
            ("sm_80", "sm_90"),
            ("    ret;\n}", "    ret;\n"),
            ("    ret;\n}", "    ret;\n}}"),
            ("{\n    .reg", "\n    .reg"),
            ("%a, 1;", "%a, 1; /*"),
            ("%a, 1;", "%a, 1; } .func more() {"),
            (".global .u32 x;", ".global .u32 y;"),
            ("after;\n}", "after;\n}\n;"),
            (".global .u32 after;\n", ""),
            ("%a, 1;", "%a, 1; .alias declared, late;"),
        ];
        for (old, new) in edits {
            let (mut analyzer, mut document) = start(TEXT);
            let kept = keeps(&mut analyzer, &mut document, old, new);
            // An alias in a body is found when the body is checked.
            assert!(!kept || new.contains(".alias"), "{old:?} becomes {new:?}");
            keeps(&mut analyzer, &mut document, "%r1, late", "%r1, x");
            // Undone.
            keeps(&mut analyzer, &mut document, new, old);
            keeps(&mut analyzer, &mut document, "%r1, x", "%r1, late");
            assert!(keeps(&mut analyzer, &mut document, "%a, 1;", "%a, 1 ;"), "after {old:?} is back");
        }
    }

    const DECLARATIONS: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.func g(.param .b32 a);\n.global .u32 x[2] = {1, 2};\n\
        .global .u64 table[1] = {g};\n.const .u32 c;\n.shared .b8 s[4];\n.visible .entry k(.param .u64 p)\n.maxntid 32\n{\n    .param .b32 b;\n    \
        call g, (b);\n    mov.u32 %r1, x;\n    ret;\n}\n.global .u32 twice;\n.global .u32 twice;\n.func f(.param .b32 q)\n{\n    \
        ld.param.b32 %r1, [q];\n    call k;\n    .alias x, y;\n}\n";

    /// Replaces a text, compares the report with a fresh one, and undoes that; returns whether the declarations of one item were replaced.
    fn replaces(analyzer: &mut Analyzer, document: &mut Document, old: &str, new: &str) -> bool {
        let count = |analyzer: &Analyzer| analyzer.module.as_ref().map_or(0, |module| module.replaced);
        keeps(analyzer, document, old, new);
        let once = count(analyzer);
        keeps(analyzer, document, new, old);
        assert_eq!(once > 0, count(analyzer) > 1, "{old:?} becomes {new:?} and back");
        once > 0
    }

    #[test]
    fn an_edit_in_a_declaration_reads_only_that_again() {
        // An alias in a body depends on other functions.
        let text = DECLARATIONS.replace("    .alias x, y;\n", "");
        for (old, new) in [
            (".b32 a", ".b64 a"),
            (".b32 a", ".b32 ab"),
            (" g(.param .b32 a);", " gg(.param .b32 a);"),
            ("x[2]", "xx[2]"),
            ("x[2]", "x[3]"),
            ("{1, 2}", "{1, 23}"),
            ("{1, 2}", "{1, 2, 3}"),
            (" x[2] =", " x[2], z =\n"),
            ("s[4]", "s[0x40000000]"),
            ("s[4]", "s[4], v<3>"),
            (".shared .b8", ".shared .bogus"),
            ("k(.param .u64 p)", "k(.param .u32 p)"),
            (".maxntid 32", ".maxntid 3200"),
            (".maxntid 32", ".bogus 3"),
            (".entry k", ".func k"),
            ("call g, (b);\n    mov.u32 %r1, x;", "call k;\n    mov.u32 %r1, x;"),
            ("q)\n{\n    ld.param.b32 %r1, [q]", "qq)\n{\n    ld.param.b32 %r1, [qq]"),
        ] {
            let (mut analyzer, mut document) = start(&text);
            let body = old.starts_with("call");
            assert_eq!(replaces(&mut analyzer, &mut document, old, new), !body, "{old:?} becomes {new:?}");
            keeps(&mut analyzer, &mut document, "%r1, [q]", "%r1, [p]");
        }
    }

    #[test]
    fn declarations_that_concern_others_are_all_read_again() {
        let text = DECLARATIONS.replace("    .alias x, y;\n", "");
        for (old, new) in [
            ("{g}", "{k}"),
            ("x[2] = {1, 2}", "x[2] = {g, 2}"),
            (" c;", " c[70000];"),
            ("s[4]", "k[4]"),
            ("s[4]", "twice[4]"),
            ("twice;\n.func", "thrice;\n.func"),
            ("twice;\n.global", "once;\n.global"),
            (".shared .b8", ".local .b8"),
            ("(.param .b32 a);", "(.param .b32 a)"),
            ("(.param .b32 a);", "(.param .b32 a) { ret; }"),
            ("s[4];", "s[4]"),
            ("s[4];", "s[4;"),
            ("{1, 2}", "{1, 2"),
        ] {
            let (mut analyzer, mut document) = start(&text);
            assert!(!replaces(&mut analyzer, &mut document, old, new), "{old:?} becomes {new:?}");
        }
        let others = ["    .alias g, f;\n", "}\n.alias f, g;\n"];
        for other in others {
            let text = DECLARATIONS.replace("    .alias x, y;\n", other);
            let (mut analyzer, mut document) = start(&text);
            assert!(!replaces(&mut analyzer, &mut document, ".b32 a", ".b64 a"), "{other}");
        }
        let (mut analyzer, mut document) = start(&text.replace(".target sm_80\n", ""));
        assert!(!replaces(&mut analyzer, &mut document, ".b32 a", ".b64 a"));
    }

    #[test]
    fn settings_count() {
        let (mut analyzer, mut document) = start(TEXT);
        assert_eq!(analyzer.set_target(Some("sm_30")), Ok(()));
        let changed = analyzer.analyze(&document.snapshot());
        let mut fresh = Analyzer::default();
        assert_eq!(fresh.set_target(Some("sm_30")), Ok(()));
        assert_eq!(changed.diagnostics, fresh.analyze(&document.snapshot()).diagnostics);
    }
}
