//! The uses of a name, and the kind of each use.

mod access;
mod meanings;

use crate::walk::top;
use access::AccessReader;
use meanings::Meanings;
pub(crate) use meanings::{DeclarationMeaning, NamePattern, declared, meaning, meant, own_name};
use ptx_analysis::{DeclarationKind, DeclarationNode, names};
use ptx_syntax::{Node, Snapshot, TreeCursor, fields, kinds};
use std::ops::Range;

/// The kind of a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReferenceKind {
    /// A declaration, a repeated declaration or a definition.
    Declaration,
    /// A register is read, or memory is read through its name.
    Read,
    /// A register or memory is written.
    Write,
    /// Read and written.
    ReadWrite,
    /// A call of a function.
    Call,
    /// A branch to a label.
    Jump,
    /// Any other use: its address is taken, or a list or debugging data name it.
    Mention,
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Byte range of the name.
    pub range: Range<usize>,
    /// The kind of use.
    pub access: ReferenceKind,
}

/// The declaration of the name at an offset, the node of the name, and the name itself. For a register of a range, the name
/// has its number: `%r7`.
pub(crate) fn declaration_at(snapshot: &Snapshot, offset: usize) -> Option<(DeclarationNode<'_>, Node<'_>, String)> {
    let node = name_at(snapshot, offset)?;
    let name = snapshot.text(node.byte_range()).into_owned();
    let found = names::find(snapshot, node, &name).or_else(|| listed_range(snapshot, node, &name))?;
    Some((found, node, name))
}

/// The first of the labels for which `N<5>` in a list stands.
fn listed_range<'t>(snapshot: &'t Snapshot, node: Node<'t>, name: &str) -> Option<DeclarationNode<'t>> {
    let list = node.parent().filter(|p| is_list(*p))?;
    let range = node.next_sibling().filter(|n| n.kind_id() == kinds().register_range)?;
    names::find(snapshot, list, &format!("{name}0")).filter(|_| range.child_by_field_id(fields().count).is_some())
}

/// Whether a node is a list of labels or functions.
fn is_list(node: Node<'_>) -> bool {
    let k = kinds();
    node.kind_id() == k.branch_targets_directive || node.kind_id() == k.call_targets_directive
}

/// The name at an offset, or else the name that ends there.
pub(crate) fn name_at(snapshot: &Snapshot, offset: usize) -> Option<Node<'_>> {
    let before = offset.checked_sub(1);
    [Some(offset), before].into_iter().flatten().find_map(|at| {
        let node = snapshot.leaf(at..at + 1)?;
        (node.byte_range().contains(&at) && is_name(node)).then_some(node)
    })
}

/// Whether a node may be the name of a declaration.
pub(crate) fn is_name(node: Node<'_>) -> bool {
    let k = kinds();
    let kind = node.kind_id();
    if kind != k.identifier && kind != k.register {
        return false;
    }
    is_name_in(node, node.parent())
}

/// Like [`is_name`], for an identifier or register whose parent is known.
fn is_name_in(node: Node<'_>, parent: Option<Node<'_>>) -> bool {
    let k = kinds();
    // A field of an initializer, `@progbits`.
    let Some(parent) = parent else { return true };
    let field = parent.kind_id() == k.field_initializer && parent.child_by_field_id(fields().name) == Some(node);
    !field && parent.kind() != "section_kind"
}

/// All uses of the name at an offset, including its declarations, in order.
pub fn references_at(snapshot: &Snapshot, offset: usize) -> Vec<Reference> {
    let Some((declaration, _, name)) = declaration_at(snapshot, offset) else { return Vec::new() };
    references(snapshot, &declaration, &name)
}

/// All uses of a module-level name, which the caller knows from another module.
pub fn references_in_module(snapshot: &Snapshot, name: &str) -> Vec<Reference> {
    let declaration = names::all_in_module(snapshot, name).into_iter().next();
    declaration.map_or_else(Vec::new, |d| references(snapshot, &d, name))
}

/// All uses of a declared name, including its declarations, in order. For a register range, `name` is one register (`%r7`)
/// or the base of all (`%r`).
pub(crate) fn references(snapshot: &Snapshot, declaration: &DeclarationNode<'_>, name: &str) -> Vec<Reference> {
    let mut out = Vec::new();
    visit(snapshot, declaration, name, |reference| {
        out.push(reference);
        true
    });
    out.sort_by_key(|r| (r.range.start, r.range.end));
    out.dedup();
    out
}

/// Calls `see` with each of [`references`] until it returns false: first those in the scope in order, then those in
/// debugging data.
pub(crate) fn visit(
    snapshot: &Snapshot,
    declaration: &DeclarationNode<'_>,
    name: &str,
    see: impl FnMut(Reference) -> bool,
) {
    visit_near(snapshot, declaration, name, None, see);
}

/// Like [`visit`], but limited to the uses nearest to an offset. `near` is that offset and the maximum number of uses.
pub(crate) fn visit_near(
    snapshot: &Snapshot,
    declaration: &DeclarationNode<'_>,
    name: &str,
    near: Option<(usize, usize)>,
    mut see: impl FnMut(Reference) -> bool,
) {
    let meanings = Meanings::new(snapshot, declaration, name);
    let mut reader = AccessReader::new(snapshot, declaration.what);
    let mut paths = Paths::new(snapshot);
    let all = meanings.places();
    let places = match near {
        Some((offset, most)) if all.len() > most => {
            let middle = all.partition_point(|p| p.start < offset);
            let first = middle.saturating_sub(most / 2).min(all.len() - most);
            all.get(first..first + most).unwrap_or(all)
        }
        _ => all,
    };
    let own = meanings.own_apart();
    for range in own.iter().chain(places) {
        let path = paths.to(range.start);
        if !is_name_of(path) || !meanings.is_meant(path, range) {
            continue;
        }
        let access = if meanings.declares(range.start) { ReferenceKind::Declaration } else { reader.access(path) };
        if !see(Reference { range: range.clone(), access }) {
            return;
        }
    }
    if declaration.what != DeclarationKind::Label {
        return;
    }
    in_lists(snapshot, declaration, name, &mut see);
    // Debugging data are outside the scope of the label. Most files have none.
    let data = debugging_data(snapshot);
    let meant = || names::debug_label(snapshot, name).is_some_and(|l| same(&l, declaration));
    if !data.is_empty() && declaration.scope.is_some() && meant() {
        for data in data {
            names::occurrences(snapshot, data, name, |offset| {
                let node = snapshot.node_at(offset).filter(|n| is_name(*n) && names::in_debugging_data(*n));
                let range = offset..offset + name.len();
                node.is_none_or(|_| see(Reference { range, access: ReferenceKind::Mention }))
            });
        }
    }
}

/// Paths from the root of a tree to a leaf. A node does not store its parent, so finding one parent costs as much as
/// finding the whole path.
struct Paths<'t> {
    snapshot: &'t Snapshot,
    cursor: TreeCursor<'t>,
    path: Vec<Node<'t>>,
}

impl<'t> Paths<'t> {
    fn new(snapshot: &'t Snapshot) -> Self {
        Self { snapshot, cursor: snapshot.root_at(0).walk(), path: Vec::new() }
    }

    /// The nodes that contain an offset, the innermost last.
    fn to(&mut self, offset: usize) -> &[Node<'t>] {
        self.path.clear();
        self.cursor.reset(self.snapshot.root_at(offset));
        loop {
            let node = self.cursor.node();
            if node.start_byte() > offset {
                self.path.clear();
                return &self.path;
            }
            self.path.push(node);
            if self.cursor.goto_first_child_for_byte(offset).is_none() {
                return &self.path;
            }
        }
    }
}

/// Whether the last node of a path is a name.
fn is_name_of(path: &[Node<'_>]) -> bool {
    let k = kinds();
    let [.., parent, node] = path else { return false };
    let kind = node.kind_id();
    (kind == k.identifier || kind == k.register) && is_name_in(*node, Some(*parent))
}

/// Whether two declarations of a name are the same node, or both declare it in the module.
pub(crate) fn same(a: &DeclarationNode<'_>, b: &DeclarationNode<'_>) -> bool {
    a.declarator == b.declarator || (a.scope.is_none() && b.scope.is_none())
}

/// Visits lists of targets in which `N<5>` stands for `N0` to `N4`.
fn in_lists(
    snapshot: &Snapshot,
    declaration: &DeclarationNode<'_>,
    name: &str,
    see: &mut impl FnMut(Reference) -> bool,
) {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let Some(scope) = declaration.scope.filter(|_| base.len() < name.len() && !base.is_empty()) else { return };
    for entry in names::ranges(snapshot, scope.byte_range(), base) {
        let listed = entry.parent().is_some_and(is_list);
        if listed && names::find(snapshot, entry, name).is_some_and(|d| same(&d, declaration)) {
            see(Reference { range: entry.byte_range(), access: ReferenceKind::Mention });
        }
    }
}

/// Ranges of the sections of the module, and of its debugging data in the old notation.
fn debugging_data(snapshot: &Snapshot) -> Vec<Range<usize>> {
    let k = kinds();
    let data = |n: &Node<'_>| n.kind_id() == k.section_directive || n.kind_id() == k.dwarf_directive;
    top(snapshot).filter(data).map(|n| n.byte_range()).collect()
}
