//! Code lenses: what a line above a declaration says of it.
//!
//! Their places are computed at once, their texts when the client resolves them. A kind of lens is a row of a table: where it stands, and
//! what it says.

use crate::demangle::demangle;
use crate::references::{Reference, ReferenceKind, references_at};
use crate::registers;
use ptx_analysis::registers::Figures;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// What a lens is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LensKind {
    /// The name of a function as a programmer wrote it.
    Name,
    /// How often a function is called, and named otherwise.
    Calls,
    /// How often a variable of the module is used.
    Uses,
    /// From how many places execution goes to a label.
    Branches,
    /// How many registers a function needs.
    Registers,
    /// Executes a kernel.
    Evaluate,
}

/// Which lenses are wanted.
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

/// A lens that does not say anything yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The name that it is about, in bytes.
    pub range: Range<usize>,
    /// What it is about.
    pub kind: LensKind,
}

/// What a lens says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LensText {
    /// In words.
    pub title: String,
    /// The places that it counts.
    pub places: Vec<Range<usize>>,
}

struct LensRow {
    kind: LensKind,
    /// Its name in the protocol.
    name: &'static str,
    wanted: fn(&LensOptions) -> bool,
    /// The name that a lens of the kind is about, if one belongs to a node.
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

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |r| r.name)
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        ROWS.iter().find(|r| r.name == name).map(|r| r.kind)
    }
}

/// The lenses of a module, in order.
pub fn code_lenses(snapshot: &Snapshot, options: &LensOptions) -> Vec<Lens> {
    let k = kinds();
    let rows: Vec<&LensRow> = ROWS.iter().filter(|r| (r.wanted)(options)).collect();
    let mut out = Vec::new();
    // Labels are in bodies, which are most of the text; the rest stands at the top.
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

/// What a lens says about the name at an offset; nothing where there is none any more. `figures` tell what was found out about the
/// functions when the document was idle.
pub fn resolve_lens(snapshot: &Snapshot, kind: LensKind, offset: usize, figures: &Figures) -> Option<LensText> {
    (kind.row()?.says)(snapshot, offset, figures)
}

/// Functions only: kernels are called from outside.
fn function<'t>(snapshot: &Snapshot, node: Node<'t>) -> Option<Node<'t>> {
    let f = fields();
    if node.kind_id() != kinds().function {
        return None;
    }
    let kind = node.child_by_field_id(f.kind)?;
    if snapshot.text(kind.byte_range()) == ".entry" { None } else { node.child_by_field_id(f.name) }
}

/// Functions and kernels whose name a compiler mangled.
fn mangled<'t>(snapshot: &Snapshot, node: Node<'t>) -> Option<Node<'t>> {
    let name = node.child_by_field_id(fields().name).filter(|_| node.kind_id() == kinds().function)?;
    demangle(&snapshot.text(name.byte_range())).map(|_| name)
}

fn demangled(snapshot: &Snapshot, offset: usize, _: &Figures) -> Option<LensText> {
    let name = snapshot.node_at(offset).filter(|n| n.start_byte() == offset)?;
    let title = demangle(&snapshot.text(name.byte_range()))?.short;
    Some(LensText { title, places: Vec::new() })
}

fn variable<'t>(_: &Snapshot, node: Node<'t>) -> Option<Node<'t>> {
    let k = kinds();
    let of_module = node.kind_id() == k.declarator && node.parent()?.parent()?.kind_id() == k.source_file;
    if of_module { node.child_by_field_id(fields().name) } else { None }
}

fn label<'t>(_: &Snapshot, node: Node<'t>) -> Option<Node<'t>> {
    let k = kinds();
    // The label of a list is no place to go to.
    let lists = [k.branch_targets_directive, k.call_targets_directive, k.call_prototype_directive];
    let goal = node.kind_id() == k.label && node.next_named_sibling().is_none_or(|n| !lists.contains(&n.kind_id()));
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

/// `2 calls, 1 mention`.
fn said(snapshot: &Snapshot, offset: usize, access: ReferenceKind, what: &str, none: &str) -> Option<LensText> {
    let found = places(snapshot, offset)?;
    let counted = found.iter().filter(|r| r.access == access).count();
    let mut title = if counted == 0 { none.to_owned() } else { number(counted, what) };
    if found.len() > counted {
        title = format!("{title}, {}", number(found.len() - counted, "mention"));
    }
    Some(LensText { title, places: found.into_iter().map(|r| r.range).collect() })
}

/// Functions and kernels that are defined here.
fn with_body<'t>(_: &Snapshot, node: Node<'t>) -> Option<Node<'t>> {
    let f = fields();
    let defined = node.kind_id() == kinds().function && node.child_by_field_id(f.body).is_some();
    if defined { node.child_by_field_id(f.name) } else { None }
}

/// Kernels that are defined here.
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
    let launched = launched_threads(snapshot, function.start_byte());
    Some(LensText { title: registers::title(figures.of(snapshot, function), launched), places: Vec::new() })
}

/// Lines above a kernel that are looked at for its launch.
const LINES_ABOVE: usize = 64;

/// The threads of a CTA in the launch line above a kernel.
fn launched_threads(snapshot: &Snapshot, start: usize) -> Option<u32> {
    let rope = snapshot.rope();
    let own = rope.byte_to_line(start.min(rope.len_bytes()));
    let above = (own.saturating_sub(LINES_ABOVE)..own).rev().map(|line| rope.line(line).to_string());
    let comments = above.take_while(|line| line.trim().is_empty() || line.trim_start().starts_with("//"));
    // The first launch is the one that is run.
    let launch = comments.filter_map(|line| Some(line.trim_start().strip_prefix("//! launch:")?.to_owned())).last()?;
    let block = launch.split_whitespace().find_map(|word| word.strip_prefix("block="))?;
    let mut sizes = block.split(',').map(|size| size.parse::<u32>().ok().filter(|n| *n > 0));
    sizes.try_fold(1u32, |all, size| all.checked_mul(size?))
}

/// Where a name stands that is declared at an offset, but for its declarations.
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
