//! Inlay hints: what a line says without writing it.
//!
//! Each kind of hint is a file and a switch. They are computed for what is on the screen: nothing here looks further than the
//! declarations of the names in it.

mod calls;
mod defaults;
mod elements;
mod instruction;
mod layout;
mod numbers;
mod operands;
mod pressure;
mod sources;

use crate::fixes::TextEdit;
use crate::walk::roots_in;
use ptx_analysis::lower::ItemSource;
use ptx_analysis::registers::Figures;
use ptx_analysis::semantics::Semantics;
use ptx_analysis::semantics::environment;
use ptx_analysis::semantics::names::{self, DeclarationNode};
use ptx_analysis::target::Environment;
use ptx_syntax::{Node, Snapshot, kinds};
use std::collections::HashMap;
use std::ops::Range;

/// Which hints are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HintOptions {
    /// The names of parameters before the arguments of a call.
    pub arguments: bool,
    /// Values of constant expressions.
    pub constants: bool,
    /// What truth tables, selectors and masks mean.
    pub decoded: bool,
    /// What modifiers mean that are not written.
    pub defaults: Defaults,
    /// The element of an array behind an offset in bytes.
    pub elements: bool,
    /// Values of floating-point numbers that are written as bits.
    pub floats: bool,
    /// Where the parameters of a kernel begin.
    pub offsets: bool,
    /// How many registers hold a value.
    pub registers: PressureHints,
    /// The shapes of matrix operands, once for a run of equal instructions.
    pub shapes: bool,
    /// Files and lines that `.loc` names by number, where no comment says them.
    pub sources: bool,
    /// The types of registers that are written.
    pub types: bool,
}

impl Default for HintOptions {
    fn default() -> Self {
        Self {
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

/// Which modifiers that are not written are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defaults {
    /// None.
    Off,
    /// Those that one may forget: orderings, scopes.
    Notable,
    /// All.
    All,
}

/// The instructions that show how many registers hold a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PressureHints {
    /// Nowhere.
    Off,
    /// Where the number is highest.
    Peaks,
    /// In every line.
    All,
}

/// What a hint is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintKind {
    /// A type.
    Type,
    /// What an operand is for.
    Parameter,
    /// Anything else.
    Other,
}

/// A piece of text that is shown and not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Where it is shown.
    pub offset: usize,
    /// What is shown.
    pub label: Vec<HintPart>,
    /// What it is about.
    pub kind: HintKind,
    /// There is a gap before it.
    pub gap_before: bool,
    /// There is a gap after it.
    pub gap_after: bool,
    /// More about it, Markdown; may be empty.
    pub tooltip: String,
    /// Writing it out; may be empty.
    pub edits: Vec<TextEdit>,
}

/// A piece of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HintPart {
    /// What is shown.
    pub text: String,
    /// The place that it is about.
    pub target: Option<Range<usize>>,
}

impl Hint {
    /// A hint behind something: `= 1.0`.
    fn after(offset: usize, text: impl Into<String>) -> Self {
        let label = vec![HintPart { text: text.into(), target: None }];
        let (tooltip, edits) = (String::new(), Vec::new());
        Self { offset, label, kind: HintKind::Other, gap_before: true, gap_after: false, tooltip, edits }
    }

    /// A hint before something: `n:`.
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
    /// The declarations of names, as seen from a block.
    declarations: HashMap<(usize, String), Option<DeclarationNode<'t>>>,
    out: Vec<Hint>,
}

impl<'t> Hints<'t> {
    /// Visits the nodes in sight.
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

    /// Looks at a node; whether its children are to be looked at as well.
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

    /// The declaration of a name. A screen of generated code has the same few names in every line, and each look-up may go through all
    /// of a long function.
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
