//! The instruction at a place.

use crate::TextEdit;
use ptx_analysis::ast::Instruction;
use ptx_analysis::lower::{self, ItemSource, named_children};
use ptx_analysis::mnemonic::Candidate;
use ptx_analysis::semantics::names::LocalNames;
use ptx_analysis::semantics::{ResolvedInstruction, Semantics, instruction_around};
use ptx_analysis::spec::OperandVariant;
use ptx_analysis::{Severity, statement};
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// An instruction without an error in it.
pub struct AssistSite<'t> {
    pub snapshot: &'t Snapshot,
    pub node: Node<'t>,
    /// Its text, from its guard to its semicolon, and where that begins in the file.
    pub text: String,
    pub base: usize,
    pub names: LocalNames<'t>,
    semantics: Semantics<'t>,
}

/// An instruction and what it is matched with; ranges count in the text of its site.
pub struct Matched<'a> {
    pub instruction: &'a Instruction<'a>,
    pub candidate: &'a Candidate,
    pub variant: &'a OperandVariant,
}

impl<'t> AssistSite<'t> {
    /// The instruction around an offset, or the one that ends there.
    pub fn at(snapshot: &'t Snapshot, offset: usize) -> Option<Self> {
        let inside = snapshot.leaf(offset..offset);
        let before = || snapshot.leaf(offset.checked_sub(1)?..offset);
        inside
            .and_then(instruction_around)
            .or_else(|| before().and_then(instruction_around))
            .and_then(|n| Self::of(snapshot, n))
    }

    /// An instruction.
    pub fn of(snapshot: &'t Snapshot, node: Node<'t>) -> Option<Self> {
        if node.kind_id() != kinds().instruction || node.has_error() {
            return None;
        }
        let text = snapshot.text(node.byte_range()).into_owned();
        let semantics = Semantics::new(snapshot);
        let names = semantics.names_at(node);
        Some(Self { snapshot, node, text, base: node.start_byte(), names, semantics })
    }

    /// Calls `f` with the lowered instruction and its form.
    pub fn matched<R>(&self, f: impl FnOnce(&Matched<'_>) -> Option<R>) -> Option<R> {
        let snapshot = Snapshot::new(&self.text);
        let node = named_children(snapshot.root_at(0)).next().filter(|n| n.kind_id() == kinds().instruction)?;
        let instruction = lower::instruction(ItemSource { text: &self.text, base: 0 }, node)?;
        let mnemonic = self.semantics.mnemonic(&instruction);
        let ResolvedInstruction { candidate, variant, .. } = mnemonic.choose(&instruction, &self.names)?;
        f(&Matched { instruction: &instruction, candidate, variant })
    }

    /// Whether an instruction in this one's place would be without errors.
    pub fn is_clean(&self, text: &str) -> bool {
        statement::check(text, self.semantics.environment(), &self.names).iter().all(|d| d.severity != Severity::Error)
    }

    /// A replacement of a range of [`Self::text`] as one of the file.
    pub fn replace(&self, range: Range<usize>, text: impl Into<String>) -> TextEdit {
        TextEdit { range: self.base + range.start..self.base + range.end, text: text.into() }
    }

    /// The text with a range replaced.
    pub fn with(&self, range: Range<usize>, text: &str) -> String {
        let mut out = self.text.clone();
        if out.get(range.clone()).is_some() {
            out.replace_range(range, text);
        }
        out
    }

    /// What stands before the opcode: a guard with the white space behind it, or nothing.
    pub fn guard(&self, instruction: &Instruction<'_>) -> &str {
        self.text.get(..instruction.opcode.range().start).unwrap_or("")
    }
}

/// The words of a text that may be names.
pub fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'))).filter(|w| !w.is_empty())
}
