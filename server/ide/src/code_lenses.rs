//! Code lenses: titles above declarations.
//!
//! Their positions are computed at once, their titles when the client resolves them. Each kind of lens is a row of a table
//! with its position and its title.

use crate::demangle::{demangle, line_name};
use crate::launches::launched_block;
use crate::references::{Reference, ReferenceKind, references_at};
use crate::registers;
use ptx_analysis::{Figures, names};
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// The kind of a lens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LensKind {
    /// The demangled name of a function.
    Name,
    /// The number of calls and other mentions of a function.
    Calls,
    /// The number of uses of a module-level variable.
    Uses,
    /// The number of branches to a label.
    Branches,
    /// The number of registers of a function.
    Registers,
    /// A command that evaluates a kernel.
    Evaluate,
}

/// Options: the kinds of lenses to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LensOptions {
    /// [`LensKind::Calls`].
    pub calls: bool,
    /// [`LensKind::Uses`].
    pub uses: bool,
    /// [`LensKind::Branches`].
    pub branches: bool,
    /// [`LensKind::Registers`].
    pub registers: bool,
    /// [`LensKind::Evaluate`].
    pub evaluate: bool,
}

impl Default for LensOptions {
    fn default() -> Self {
        Self { calls: true, uses: false, branches: false, registers: true, evaluate: true }
    }
}

/// A lens without its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// Byte range of the name below the lens.
    pub range: Range<usize>,
    /// The kind of the lens.
    pub kind: LensKind,
}

/// A resolved lens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LensText {
    /// The title.
    pub title: String,
    /// The ranges that the lens counts.
    pub places: Vec<Range<usize>>,
}

struct LensRow {
    kind: LensKind,
    /// The name of the kind in the protocol.
    name: &'static str,
    wanted: fn(&LensOptions) -> bool,
    /// The name node below which the lens belongs, if the given node has such a lens.
    name_of: for<'t> fn(&Snapshot, Node<'t>) -> Option<Node<'t>>,
    says: fn(&Snapshot, usize, &Figures) -> Option<LensText>,
}

const ROWS: &[LensRow] = &[
    LensRow { kind: LensKind::Name, name: "name", wanted: |_| true, name_of: mangled, says: demangled },
    LensRow { kind: LensKind::Calls, name: "calls", wanted: |o| o.calls, name_of: function, says: calls },
    LensRow { kind: LensKind::Uses, name: "uses", wanted: |o| o.uses, name_of: variable, says: uses },
    LensRow { kind: LensKind::Branches, name: "branches", wanted: |o| o.branches, name_of: label, says: branches },
    LensRow { kind: LensKind::Evaluate, name: "evaluate", wanted: |o| o.evaluate, name_of: kernel, says: evaluate },
    LensRow { kind: LensKind::Registers, name: "registers", wanted: |o| o.registers, name_of: with_body, says: needed },
];

impl LensKind {
    fn row(self) -> Option<&'static LensRow> {
        ROWS.iter().find(|r| r.kind == self)
    }

    /// The name of the kind in the protocol.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |r| r.name)
    }

    /// The kind with a name.
    pub fn named(name: &str) -> Option<Self> {
        ROWS.iter().find(|r| r.name == name).map(|r| r.kind)
    }
}

/// The lenses of a module, in order.
pub fn code_lenses(snapshot: &Snapshot, options: &LensOptions) -> Vec<Lens> {
    let k = kinds();
    let rows: Vec<&LensRow> = ROWS.iter().filter(|r| (r.wanted)(options)).collect();
    let mut out = Vec::new();
    // Labels are in function bodies, which are most of the text; all other names are at the top level.
    let into_bodies = options.branches || snapshot.has_error();
    let enters = |kind: u16| {
        kind == k.source_file
            || kind == k.function
            || (kind == k.block && into_bodies)
            || (kind == k.variable_declaration && options.uses)
    };
    for root in snapshot.roots() {
        let mut cursor = root.walk();
        'piece: loop {
            let node = cursor.node();
            for row in &rows {
                if let Some(name) = (row.name_of)(snapshot, node) {
                    out.push(Lens { range: name.byte_range(), kind: row.kind });
                }
            }
            if (enters(node.kind_id()) || node.is_error()) && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'piece;
                }
            }
        }
    }
    out
}

/// The title of a lens for the name at an offset; `None` if there is no such name any more. `figures`: register reports of
/// the last idle-time analysis.
pub fn resolve_lens(snapshot: &Snapshot, kind: LensKind, offset: usize, figures: &Figures) -> Option<LensText> {
    (kind.row()?.says)(snapshot, offset, figures)
}

/// The name of a function. Kernels are excluded, since they are called from outside.
fn function<'t>(snapshot: &Snapshot, node: Node<'t>) -> Option<Node<'t>> {
    let f = fields();
    if node.kind_id() != kinds().function {
        return None;
    }
    let kind = node.child_by_field_id(f.kind)?;
    if snapshot.text(kind.byte_range()) == ".entry" { None } else { node.child_by_field_id(f.name) }
}

/// The name of a function or kernel, if it is mangled.
fn mangled<'t>(snapshot: &Snapshot, node: Node<'t>) -> Option<Node<'t>> {
    let name = node.child_by_field_id(fields().name).filter(|_| node.kind_id() == kinds().function)?;
    demangle(&snapshot.text(name.byte_range())).map(|_| name)
}

fn demangled(snapshot: &Snapshot, offset: usize, _: &Figures) -> Option<LensText> {
    let name = snapshot.node_at(offset).filter(|n| n.start_byte() == offset)?;
    let title = line_name(&snapshot.text(name.byte_range()))?;
    Some(LensText { title, places: Vec::new() })
}

fn variable<'t>(_: &Snapshot, node: Node<'t>) -> Option<Node<'t>> {
    let k = kinds();
    let of_module = node.kind_id() == k.declarator && node.parent()?.parent()?.kind_id() == k.source_file;
    if of_module { node.child_by_field_id(fields().name) } else { None }
}

fn label<'t>(_: &Snapshot, node: Node<'t>) -> Option<Node<'t>> {
    // The label of a list is not a branch target.
    let goal = node.kind_id() == kinds().label && names::listed_by(node).is_none();
    if goal { node.child_by_field_id(fields().name) } else { None }
}

fn calls(snapshot: &Snapshot, offset: usize, _: &Figures) -> Option<LensText> {
    said(snapshot, offset, ReferenceKind::Call, "call", "not called")
}

fn branches(snapshot: &Snapshot, offset: usize, _: &Figures) -> Option<LensText> {
    said(snapshot, offset, ReferenceKind::Jump, "branch", "no branch")
}

fn uses(snapshot: &Snapshot, offset: usize, _: &Figures) -> Option<LensText> {
    let found = places(snapshot, offset)?;
    let title = if found.is_empty() { "not used".to_owned() } else { number(found.len(), "use") };
    Some(LensText { title, places: found.into_iter().map(|r| r.range).collect() })
}

/// A title such as `2 calls, 1 mention`.
fn said(snapshot: &Snapshot, offset: usize, access: ReferenceKind, what: &str, none: &str) -> Option<LensText> {
    let found = places(snapshot, offset)?;
    let counted = found.iter().filter(|r| r.access == access).count();
    let mut title = if counted == 0 { none.to_owned() } else { number(counted, what) };
    if found.len() > counted {
        title = format!("{title}, {}", number(found.len() - counted, "mention"));
    }
    Some(LensText { title, places: found.into_iter().map(|r| r.range).collect() })
}

/// The name of a function or kernel that has a body.
fn with_body<'t>(_: &Snapshot, node: Node<'t>) -> Option<Node<'t>> {
    let f = fields();
    let defined = node.kind_id() == kinds().function && node.child_by_field_id(f.body).is_some();
    if defined { node.child_by_field_id(f.name) } else { None }
}

/// The name of a kernel that has a body.
fn kernel<'t>(snapshot: &Snapshot, node: Node<'t>) -> Option<Node<'t>> {
    let name = with_body(snapshot, node)?;
    let kind = node.child_by_field_id(fields().kind)?;
    (snapshot.text(kind.byte_range()) == ".entry").then_some(name)
}

fn evaluate(_: &Snapshot, _: usize, _: &Figures) -> Option<LensText> {
    Some(LensText { title: "Evaluate warp".to_owned(), places: Vec::new() })
}

fn needed(snapshot: &Snapshot, offset: usize, figures: &Figures) -> Option<LensText> {
    let function = snapshot.node_at(offset)?.parent().filter(|n| n.kind_id() == kinds().function)?;
    function.child_by_field_id(fields().name).filter(|n| n.start_byte() == offset)?;
    let block = launched_block(snapshot, function.start_byte());
    let launched = block.and_then(|block| block.iter().try_fold(1u32, |all, size| all.checked_mul(*size)));
    Some(LensText { title: registers::title(figures.of(snapshot, function), launched), places: Vec::new() })
}

/// The uses of the name that is declared at an offset, without its declarations.
fn places(snapshot: &Snapshot, offset: usize) -> Option<Vec<Reference>> {
    let mut found = references_at(snapshot, offset);
    let declared = found.iter().any(|r| r.access == ReferenceKind::Declaration && r.range.start == offset);
    found.retain(|r| r.access != ReferenceKind::Declaration);
    declared.then_some(found)
}

fn number(count: usize, what: &str) -> String {
    let plural = if what.ends_with("ch") { "es" } else { "s" };
    format!("{count} {what}{}", if count == 1 { "" } else { plural })
}
