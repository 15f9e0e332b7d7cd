//! The header of a module, which stays valid while the user types inside of a function.
//!
//! The header depends on everything outside of function bodies. To read it again takes longer than all other parts of the check of a
//! large text, so it is kept if an edit lies within one body and if no item but this function has changed, in the tree too.

use super::unchanged::Unchanged;
use super::{Asked, header};
use crate::check::diagnostic::{Diagnostic, FixEdit};
use crate::check::functions::{self, AliasNames};
use crate::hir::module::{Header, ModuleItem};
use crate::hir::signature::Signatures;
use crate::target::project::Project;
use ptx_syntax::{Node, Snapshot, SnapshotId, SourceEdit, fields, kinds};
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The number of edits after which the header is read again, because each place in it has to follow all of them.
const MAX_MOVES: usize = 64;

/// Returns the hash of the text of an item by its byte range, if it is at hand.
pub(super) type TextHashes<'a> = dyn Fn(&Range<usize>) -> Option<u64> + 'a;

/// The items that no edit has touched since the last snapshot, by their byte range.
type UnchangedItems<'l> = HashMap<(usize, usize), Unchanged<'l>>;

/// The declarations of a module, with their places as of an earlier text.
#[derive(Debug, Clone, Default)]
pub(super) struct PlacedHeader {
    pub header: Arc<Header>,
    /// The edits since.
    moves: Vec<SourceEdit>,
}

impl PlacedHeader {
    /// The place of the declaration of a name in the current text.
    pub fn place(&self, name: &str) -> Option<Range<usize>> {
        Some(self.moved(self.header.symbols.get(name)?.place.clone()))
    }

    fn moved(&self, place: Range<usize>) -> Range<usize> {
        // The edits lie in bodies, so no place is within one.
        self.moves.iter().fold(place, |place, edit| moved(&place, *edit).unwrap_or(place))
    }

    /// The header, with the places in the current text.
    fn to_mut(&mut self) -> &mut Header {
        if !self.moves.is_empty() {
            let mut header = Header::clone(&self.header);
            for symbol in header.symbols.values_mut() {
                symbol.place = self.moved(symbol.place.clone());
            }
            *self = Self { header: Arc::new(header), moves: Vec::new() };
        }
        Arc::make_mut(&mut self.header)
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
    pub fn new(
        snapshot: &Snapshot,
        items: &[ModuleItem<'_>],
        asked: &Asked,
        signatures: &mut Signatures,
        known: &UnchangedItems<'_>,
    ) -> Self {
        let mut found = Vec::new();
        let text_of = |range: &Range<usize>| Some(known.get(&(range.start, range.end))?.text);
        let header = header(snapshot, items, asked, (signatures, &text_of), &mut found);
        Self {
            placed: PlacedHeader { header: Arc::new(header), moves: Vec::new() },
            found,
            about_several: None,
            asked: settings(asked),
            snapshot: snapshot.id(),
            items: items.iter().map(ItemShape::new).collect(),
        }
    }

    /// The header of a snapshot that follows the one of this header, if all that it depends on is the same.
    pub fn next(
        mut self,
        last: &Snapshot,
        snapshot: &Snapshot,
        items: &[ModuleItem<'_>],
        asked: &Asked,
        known: &UnchangedItems<'_>,
    ) -> Option<Self> {
        let edit = snapshot.change_since(self.snapshot)??;
        let shapes = self.items.as_mut()?;
        let same = self.snapshot == last.id() && self.asked == settings(asked) && shapes.len() == items.len();
        if !same || self.placed.moves.len() == MAX_MOVES {
            return None;
        }
        // Brackets that nest too deep are hidden from the parser, also in the items after them.
        if [last, snapshot].iter().any(|snapshot| snapshot.too_deep().next().is_some()) {
            return None;
        }
        let mut inside = false;
        for (item, shape) in items.iter().zip(shapes) {
            if moved(&shape.range, edit).is_some() {
                if !shape.is_same(item, edit, known) {
                    return None;
                }
            } else if !shape.is_same_outside_of_body(item, edit, last) {
                return None;
            } else {
                inside = true;
            }
            shape.range = item.range.clone();
            shape.has_error = item.node.has_error();
        }
        let follow = |found: &mut Vec<Diagnostic>| found.iter_mut().all(|d| follow(d, edit));
        if !inside || !follow(&mut self.found) || !self.about_several.as_mut().is_none_or(follow) {
            return None;
        }
        self.placed.moves.push(edit);
        self.snapshot = snapshot.id();
        Some(self)
    }

    /// The diagnostics about several items. `aliases` are those that functions declare.
    pub fn about_several(&mut self, aliases: Vec<AliasNames>) -> Vec<Diagnostic> {
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

fn settings(asked: &Asked) -> (u64, Option<&'static str>, Arc<Project>) {
    let environment = asked.environment.as_ref().map_or(0, crate::hir::hash::hash_of);
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
            && item.range == (self.range.start..self.range.end - edit.old_end + edit.new_end)
            && body(item.node) == Some(start)
            && errors_are_in_body(item.node)
    }
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
        let kept = (0..100).filter(|_| keeps(&mut analyzer, &mut document, "    ret;", "     ret;")).count();
        assert!((90..100).contains(&kept), "{kept}");
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
