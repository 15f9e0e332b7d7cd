//! The instruction at the cursor.

use crate::TextEdit;
use ptx_analysis::{
    Candidate, Instruction, ItemSource, LocalNames, OperandVariant, ResolvedInstruction, Semantics, Severity,
    instruction_around, lower, statement,
};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// An instruction without syntax errors.
pub struct AssistSite<'t> {
    pub snapshot: &'t Snapshot,
    pub node: Node<'t>,
    /// Its text, from its guard to its semicolon. `base` is the offset of that text in the file.
    pub text: String,
    pub base: usize,
    pub names: LocalNames<'t>,
    semantics: Semantics<'t>,
}

/// An instruction with its form and operand variant. Ranges are relative to the text of its site.
pub struct Matched<'a> {
    pub instruction: &'a Instruction<'a>,
    pub candidate: &'a Candidate,
    pub variant: &'a OperandVariant,
}

impl<'t> AssistSite<'t> {
    /// The instruction that contains an offset or ends there.
    pub fn at(snapshot: &'t Snapshot, offset: usize) -> Option<Self> {
        let inside = snapshot.leaf(offset..offset);
        let before = || snapshot.leaf(offset.checked_sub(1)?..offset);
        inside
            .and_then(instruction_around)
            .or_else(|| before().and_then(instruction_around))
            .and_then(|n| Self::of(snapshot, n))
    }

    /// The site of an instruction node.
    pub fn of(snapshot: &'t Snapshot, node: Node<'t>) -> Option<Self> {
        if node.kind_id() != kinds().instruction || node.has_error() {
            return None;
        }
        let text = snapshot.text(node.byte_range()).into_owned();
        let semantics = Semantics::new(snapshot);
        let names = semantics.names_at(node);
        Some(Self { snapshot, node, text, base: node.start_byte(), names, semantics })
    }

    /// Calls `f` with the lowered instruction, its form and its operand variant.
    pub fn matched<R>(&self, f: impl FnOnce(&Matched<'_>) -> Option<R>) -> Option<R> {
        let snapshot = Snapshot::new(&self.text);
        let node = named_children(snapshot.root_at(0)).next().filter(|n| n.kind_id() == kinds().instruction)?;
        let instruction = lower::instruction(ItemSource { text: &self.text, base: 0 }, node)?;
        let mnemonic = self.semantics.mnemonic(&instruction);
        let ResolvedInstruction { candidate, variant, .. } = mnemonic.choose(&instruction, &self.names)?;
        f(&Matched { instruction: &instruction, candidate, variant })
    }

    /// Whether `text` in place of the instruction passes the checks without errors.
    pub fn is_clean(&self, text: &str) -> bool {
        statement::check(text, self.semantics.environment(), &self.names).iter().all(|d| d.severity != Severity::Error)
    }

    /// Replaces a range of [`Self::text`]; the range of the edit is relative to the file.
    pub fn replace(&self, range: Range<usize>, text: impl Into<String>) -> TextEdit {
        TextEdit { range: self.base + range.start..self.base + range.end, text: text.into() }
    }

    /// [`Self::text`] with a range replaced.
    pub fn with(&self, range: Range<usize>, text: &str) -> String {
        let mut out = self.text.clone();
        if out.get(range.clone()).is_some() {
            out.replace_range(range, text);
        }
        out
    }

    /// The text before the opcode: a guard and white space, or nothing.
    pub fn guard(&self, instruction: &Instruction<'_>) -> &str {
        self.text.get(..instruction.opcode.range().start).unwrap_or("")
    }
}

/// The words of a text that could be names.
pub fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'))).filter(|w| !w.is_empty())
}
