//! What else has the name that is looked for: inner blocks hide names, and so do later declarations of the same block.

use crate::names::{self, Declaration, What};
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::cell::OnceCell;
use std::ops::Range;

/// A declaration, and where it counts.
#[derive(Debug)]
struct Meaning {
    /// Where its name stands.
    name: Range<usize>,
    /// The name as declared.
    text: String,
    /// `<10>`.
    count: Option<u32>,
    /// The block, or the whole module.
    visible: Range<usize>,
    /// From where on; a label counts in the whole of its block.
    since: usize,
    /// In one block: names, then ranges, then labels.
    rank: u8,
}

impl Meaning {
    fn covers(&self, name: &str) -> bool {
        match self.count {
            None => self.text == name,
            Some(count) => names::numbered(name, &self.text).is_some_and(|n| n < count),
        }
    }
}

/// All that a name, or the names of a range, can mean in the scope of one declaration.
pub struct Meanings<'t> {
    snapshot: &'t Snapshot,
    declaration: Declaration<'t>,
    name: &'t str,
    /// Where the name stands in the declaration itself.
    own: Option<Range<usize>>,
    /// The name is that of a range: all of its registers are meant.
    family: bool,
    others: Vec<Meaning>,
    debugging: OnceCell<Option<usize>>,
}

/// Where the name of a declaration stands.
pub fn own_name(declaration: &Declaration<'_>) -> Option<Range<usize>> {
    declaration.declarator.child_by_field_id(fields().name).map(|n| n.byte_range())
}

impl<'t> Meanings<'t> {
    /// Looks for the declarations that hide the given one.
    pub fn new(snapshot: &'t Snapshot, declaration: &Declaration<'t>, name: &'t str) -> Self {
        let own = own_name(declaration);
        let declared = own.clone().map(|r| snapshot.text(r));
        let family = declaration.count.is_some() && declared.is_some_and(|d| d == name);
        let (others, debugging) = (Vec::new(), OnceCell::new());
        let mut out = Self { snapshot, declaration: *declaration, name, own, family, others, debugging };
        out.others = out.declarations();
        out
    }

    fn scope(&self) -> Range<usize> {
        self.declaration.scope.map_or(0..self.snapshot.rope().len_bytes(), |n| n.byte_range())
    }

    /// The declarations of the name, or of names of the range, in the scope.
    fn declarations(&self) -> Vec<Meaning> {
        let mut nodes: Vec<Node<'t>> = Vec::new();
        self.words(self.scope(), |range| {
            let label = || names::is_before_colon(self.snapshot, range.end);
            if names::in_directive(self.snapshot, range.start) || label() {
                nodes.extend(self.snapshot.node_at(range.start));
            }
            true
        });
        let base = if self.family { self.name } else { self.name.trim_end_matches(|c: char| c.is_ascii_digit()) };
        if self.family || base.len() < self.name.len() {
            nodes.extend(names::ranges(self.snapshot, self.scope(), base));
        }
        let mut out: Vec<Meaning> = nodes.into_iter().filter_map(|n| self.meaning(n)).collect();
        out.sort_by_key(|m| m.name.start);
        out.dedup_by_key(|m| m.name.start);
        if let Some(own) = &self.own {
            match out.iter_mut().find(|m| m.name.start == own.start) {
                // Where the text is broken, the scope may be less than a block.
                Some(meaning) => meaning.visible = self.scope(),
                None => out.push(self.own_meaning(own.clone())),
            }
        }
        out
    }

    /// The declaration itself, where the tree is too broken to recognize it again.
    fn own_meaning(&self, name: Range<usize>) -> Meaning {
        let text = self.snapshot.text(name.clone()).into_owned();
        let label = matches!(self.declaration.what, What::Label | What::Targets);
        let (since, rank) = if label { (0, 2) } else { (name.end, u8::from(self.declaration.count.is_some())) };
        Meaning { name, text, count: self.declaration.count, visible: self.scope(), since, rank }
    }

    /// What a name declares where it stands, if it declares something that hides other names.
    fn meaning(&self, node: Node<'t>) -> Option<Meaning> {
        let (k, f) = (kinds(), fields());
        let parent = node.parent().filter(|p| p.child_by_field_id(f.name) == Some(node))?;
        let kind = parent.kind_id();
        let name = node.byte_range();
        let module = || 0..self.snapshot.rope().len_bytes();
        let (visible, since, rank) = if kind == k.label {
            let block = block_of(parent);
            if block.is_some_and(|b| b.kind_id() == k.section_directive) {
                return None;
            }
            (block.map_or_else(module, |b| b.byte_range()), 0, 2)
        } else if kind == k.declarator {
            let count = names::range_of(self.snapshot, parent);
            (block_of(parent.parent()?).map_or_else(module, |b| b.byte_range()), name.end, u8::from(count.is_some()))
        } else if kind == k.parameter {
            let owner = parent.parent()?.parent()?;
            (owner.child_by_field_id(f.body).unwrap_or(owner).byte_range(), 0, 0)
        } else if kind == k.function || kind == k.alias_directive {
            (module(), 0, 0)
        } else {
            return None;
        };
        let count = if kind == k.declarator { names::range_of(self.snapshot, parent) } else { None };
        let text = self.snapshot.text(name.clone()).into_owned();
        Some(Meaning { name, text, count, visible, since, rank })
    }

    /// Calls `see` with each occurrence of the name, or of the names of the range.
    fn words(&self, range: Range<usize>, mut see: impl FnMut(Range<usize>) -> bool) {
        if self.family {
            names::numbers(self.snapshot, range, self.name, see);
        } else {
            let len = self.name.len();
            names::occurrences(self.snapshot, range, self.name, |offset| see(offset..offset + len));
        }
    }

    /// Calls `see` with each place that may be meant, the declaration among them.
    pub fn places(&self, range: Range<usize>, mut see: impl FnMut(Range<usize>) -> bool) {
        // The name of a range is none of the names it declares.
        let apart = self.own.clone().filter(|_| self.declaration.count.is_some());
        if let Some(own) = apart
            && !see(own)
        {
            return;
        }
        self.words(range, see);
    }

    /// Whether the name is declared at an offset.
    pub fn declares(&self, offset: usize) -> bool {
        self.own.as_ref().is_some_and(|own| own.start == offset) || self.others.iter().any(|m| m.name.start == offset)
    }

    /// Whether the name that stands at a node means the declaration.
    pub fn is_meant(&self, node: Node<'_>, range: &Range<usize>) -> bool {
        let own = |start: usize| self.own.as_ref().is_some_and(|own| own.start == start);
        if own(range.start) {
            return true;
        }
        if names::in_debugging_data(node) {
            return self.is_debugged();
        }
        let in_section = |n: Node<'_>| n.parent().is_some_and(|p| p.kind_id() == kinds().section_directive);
        if self.declaration.what == What::Label && in_section(self.declaration.statement) {
            return false;
        }
        // A function that is not closed has the next ones inside.
        if let Some(scope) = self.declaration.scope.filter(|s| s.has_error())
            && names::function_around(node) != names::function_around(scope)
        {
            return false;
        }
        let text = self.snapshot.text(range.clone());
        let covered = |m: &&Meaning| m.covers(&text);
        let at = range.start;
        if let Some(declared) = self.others.iter().find(|m| m.name.start == at) {
            return self.declaration.scope.is_none() && declared.visible.len() == self.snapshot.rope().len_bytes();
        }
        let counts = |m: &&Meaning| m.visible.contains(&at) && m.since <= at;
        let inner = |m: &&Meaning| (m.visible.start, std::cmp::Reverse(m.visible.end));
        let meant = self.others.iter().filter(covered).filter(counts);
        match meant.max_by_key(|m| (inner(m), std::cmp::Reverse((m.rank, m.name.start)))) {
            Some(meant) => {
                own(meant.name.start)
                    || (self.declaration.scope.is_none() && meant.visible.len() == self.snapshot.rope().len_bytes())
            }
            None => false,
        }
    }

    /// Whether debugging data mean the declaration by the name.
    fn is_debugged(&self) -> bool {
        let label = self
            .debugging
            .get_or_init(|| names::debug_label(self.snapshot, self.name).map(|l| l.declarator.start_byte()));
        match label {
            Some(label) => *label == self.declaration.declarator.start_byte(),
            None => self.declaration.scope.is_none(),
        }
    }
}

/// The block that a statement belongs to, what the parser made of it where it is broken, or the section; nothing at the top.
fn block_of(statement: Node<'_>) -> Option<Node<'_>> {
    let mut here = statement.parent()?;
    while here.is_error() {
        match here.parent() {
            Some(parent) if parent.parent().is_some() => here = parent,
            _ => return Some(here),
        }
    }
    here.parent().is_some().then_some(here)
}
