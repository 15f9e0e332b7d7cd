//! Inlay hints: implied information that is not in the source.
//!
//! Each kind of hint has a file and an option. Hints are computed for the visible range; this module reads nothing else but
//! the declarations of the names in it.

mod addresses;
mod calls;
mod defaults;
mod elements;
mod instruction;
mod layout;
mod numbers;
mod operands;
mod pressure;
mod sources;

use crate::text_edit::TextEdit;
use crate::walk::roots_in;
use ptx_analysis::{DeclarationNode, Environment, Figures, ItemSource, Semantics, environment, names};
use ptx_syntax::{Node, Snapshot, kinds};
use std::collections::HashMap;
use std::ops::Range;

/// Options: the kinds of hints to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HintOptions {
    /// Traffic of accesses to memory: sectors and bank conflicts.
    pub addresses: AddressHints,
    /// Names of parameters before the arguments of a call.
    pub arguments: bool,
    /// Values of constant expressions.
    pub constants: bool,
    /// Meanings of truth tables, selectors and masks.
    pub decoded: bool,
    /// Implied modifiers that are not written.
    pub defaults: Defaults,
    /// The array element at a byte offset.
    pub elements: bool,
    /// Values of floating-point numbers that are written as bits.
    pub floats: bool,
    /// Offsets of kernel parameters.
    pub offsets: bool,
    /// Numbers of live registers.
    pub registers: PressureHints,
    /// Shapes of matrix operands, once per run of equal instructions.
    pub shapes: bool,
    /// Files and lines that `.loc` names by number, unless a comment says them.
    pub sources: bool,
    /// Types of written registers.
    pub types: bool,
}

impl Default for HintOptions {
    fn default() -> Self {
        Self {
            addresses: AddressHints::Costly,
            arguments: true,
            constants: true,
            decoded: true,
            defaults: Defaults::Notable,
            elements: true,
            floats: true,
            offsets: false,
            registers: PressureHints::Peaks,
            shapes: true,
            sources: true,
            types: false,
        }
    }
}

impl HintOptions {
    /// Whether some hints need the flow facts of functions, which are computed when the document is idle.
    pub fn needs_flow(&self) -> bool {
        self.registers != PressureHints::Off || self.addresses != AddressHints::Off
    }
}

/// The implied modifiers that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defaults {
    /// None.
    Off,
    /// Those that are easily forgotten: memory orderings, scopes.
    Notable,
    /// All.
    All,
}

/// The lines that show the number of live registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PressureHints {
    /// No lines.
    Off,
    /// Lines with the maximum.
    Peaks,
    /// All lines.
    All,
}

/// The accesses to memory that show their traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressHints {
    /// None.
    Off,
    /// Those that cost at least twice as much as necessary.
    Costly,
    /// All whose traffic is known.
    All,
}

/// The kind of a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintKind {
    /// A type.
    Type,
    /// The role of an operand.
    Parameter,
    /// Anything else.
    Other,
}

/// A text that is displayed within the source but is not part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Offset at which it is displayed.
    pub offset: usize,
    /// The displayed text, in parts.
    pub label: Vec<HintPart>,
    /// The kind of the hint.
    pub kind: HintKind,
    /// The editor shows a gap before it.
    pub gap_before: bool,
    /// The editor shows a gap after it.
    pub gap_after: bool,
    /// Further explanation as Markdown; may be empty.
    pub tooltip: String,
    /// Edits that write the hint into the source; may be empty.
    pub edits: Vec<TextEdit>,
}

/// A part of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HintPart {
    /// The displayed text.
    pub text: String,
    /// Range of the source to which it links.
    pub target: Option<Range<usize>>,
}

impl Hint {
    /// A hint after an element of the source: `= 1.0`.
    fn after(offset: usize, text: impl Into<String>) -> Self {
        let label = vec![HintPart { text: text.into(), target: None }];
        let (tooltip, edits) = (String::new(), Vec::new());
        Self { offset, label, kind: HintKind::Other, gap_before: true, gap_after: false, tooltip, edits }
    }

    /// A hint before an element of the source: `n:`.
    fn before(offset: usize, text: impl Into<String>) -> Self {
        Self { gap_before: false, gap_after: true, kind: HintKind::Parameter, ..Self::after(offset, text) }
    }

    /// The text of the label.
    pub fn text(&self) -> String {
        self.label.iter().map(|p| p.text.as_str()).collect()
    }
}

/// The hints in a range, in order. `figures`: register reports of the last idle-time analysis.
pub fn inlay_hints(snapshot: &Snapshot, range: Range<usize>, options: &HintOptions, figures: &Figures) -> Vec<Hint> {
    let mut hints = Hints {
        snapshot,
        range,
        options,
        environment: environment(snapshot),
        semantics: Semantics::new(snapshot),
        files: None,
        declarations: HashMap::new(),
        out: Vec::new(),
    };
    hints.walk();
    hints.pressure(figures);
    hints.addresses(figures);
    let range = hints.range;
    hints.out.retain(|h| range.start <= h.offset && h.offset <= range.end);
    hints.out.sort_by_key(|h| h.offset);
    hints.out
}

struct Hints<'t> {
    snapshot: &'t Snapshot,
    range: Range<usize>,
    options: &'t HintOptions,
    environment: Environment,
    semantics: Semantics<'t>,
    /// The files that `.file` numbers, read on first use.
    files: Option<Vec<sources::SourceFile>>,
    /// A cache of declarations, by the id of the enclosing block and the name.
    declarations: HashMap<(usize, String), Option<DeclarationNode<'t>>>,
    out: Vec<Hint>,
}

impl<'t> Hints<'t> {
    /// Visits the nodes of the visible range.
    fn walk(&mut self) {
        for root in roots_in(self.snapshot, self.range.clone()) {
            self.piece(root);
        }
    }

    fn piece(&mut self, root: Node<'t>) {
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            if node.start_byte() > self.range.end {
                return;
            }
            if node.end_byte() >= self.range.start && self.enter(node) {
                let long = node.start_byte() < self.range.start;
                let down = if long {
                    cursor.goto_first_child_for_byte(self.range.start.saturating_sub(1)).is_some()
                } else {
                    cursor.goto_first_child()
                };
                if down {
                    continue;
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Adds the hints of a node. Returns whether to visit its children too.
    fn enter(&mut self, node: Node<'t>) -> bool {
        let k = kinds();
        let kind = node.kind_id();
        if kind == k.instruction {
            self.instruction(node);
        } else if kind == k.float {
            self.float(node);
        } else if kind == k.function {
            self.parameter_offsets(node);
        } else if kind == k.loc_directive {
            self.location(node);
        } else if self.expression(node) {
            return false;
        }
        node.child_count() > 0
    }

    /// The declaration of a name, cached. A screen of generated code has the same few names on every line, and each look-up
    /// may search all of a long function.
    fn declaration(&mut self, node: Node<'t>, name: &str) -> Option<DeclarationNode<'t>> {
        let k = kinds();
        let mut around = node;
        while ![k.block, k.function, k.source_file].contains(&around.kind_id()) {
            let Some(parent) = around.parent() else { break };
            around = parent;
        }
        let find = || names::find(self.snapshot, node, name);
        *self.declarations.entry((around.id(), name.to_owned())).or_insert_with(find)
    }

    /// Calls `f` with the text of a node.
    fn with_source<R>(&self, node: Node<'_>, f: impl FnOnce(ItemSource<'_>) -> R) -> R {
        let text = self.snapshot.text(node.byte_range());
        f(ItemSource { text: &text, base: node.start_byte() })
    }
}
