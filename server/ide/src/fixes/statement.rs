//! The instruction that a diagnostic is about, and the means to try other texts for it.

use ptx_analysis::{
    Alignment, Diagnostic, Environment, Finding, Fix, FixEdit, Instruction, ItemSource, LocalNames, Mnemonic,
    NameLookup, OperandMismatch, OperandVariant, Severity, Symbol, VariantFit, choose, instruction_around, lower,
    mnemonic, statement,
};
use ptx_isa::ISA;
use ptx_isa::tables::Opcode;
use ptx_syntax::{Node, Snapshot, kinds};
use std::ops::Range;

/// An instruction with a diagnostic.
pub struct DiagnosedInstruction<'t> {
    /// The text that contains it.
    pub snapshot: &'t Snapshot,
    /// The diagnostic.
    pub diagnostic: &'t Diagnostic,
    /// The version, target and options of the module.
    pub environment: &'t Environment,
    /// The instruction, from its guard to its semicolon.
    pub text: String,
    /// Offset of the instruction in the file.
    pub base: usize,
    names: LocalNames<'t>,
    /// The result of [`Self::check`] for the unchanged text. Undeclared names are not among its errors.
    errors: Vec<Finding>,
}

/// A register that a fix declares.
pub(super) struct TrialRegister {
    pub name: String,
    pub symbol: Symbol,
}

/// Name lookup for a trial: first the names that the fix declares, then those of the file. Any other name counts as
/// declared, since an undeclared name is a separate error.
struct TrialNames<'a> {
    around: &'a dyn NameLookup,
    declared: &'a [TrialRegister],
}

impl NameLookup for TrialNames<'_> {
    fn look_up(&self, name: &str) -> Option<Symbol> {
        if let Some(register) = self.declared.iter().find(|register| register.name == name) {
            return Some(register.symbol);
        }
        let found = self.around.look_up(name);
        let predefined = || ISA.special_register(name).is_some() || ISA.constant(name).is_some();
        found.or_else(|| (!predefined()).then_some(Symbol::Unknown))
    }

    fn has_option(&self, name: &str) -> bool {
        self.around.has_option(name)
    }
}

impl<'t> DiagnosedInstruction<'t> {
    /// The instruction that contains a diagnostic, if there is one.
    pub fn around(snapshot: &'t Snapshot, environment: &'t Environment, diagnostic: &'t Diagnostic) -> Option<Self> {
        let range = &diagnostic.range;
        let node = instruction_around(snapshot.leaf(range.start..range.start)?)?;
        if node.has_error() || node.end_byte() < range.end {
            return None;
        }
        let text = snapshot.text(node.byte_range()).into_owned();
        let names = LocalNames::new(snapshot, node);
        let mut out =
            Self { snapshot, diagnostic, environment, text, base: node.start_byte(), names, errors: Vec::new() };
        out.errors = out.check(&out.text, &[]);
        Some(out)
    }

    /// Calls `f` with the instruction; its ranges are relative to [`Self::text`].
    pub fn lowered<R>(&self, f: impl FnOnce(&Instruction<'_>) -> Option<R>) -> Option<R> {
        let snapshot = Snapshot::new(&self.text);
        let node = instruction_node(&snapshot)?;
        f(&lower::instruction(ItemSource { text: &self.text, base: 0 }, node)?)
    }

    /// The opcode and the mnemonic; `None` if the opcode does not exist.
    pub fn head(&self, instruction: &Instruction<'_>) -> Option<(&'static Opcode, Mnemonic)> {
        let opcode = ISA.opcode(instruction.opcode.text)?;
        let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
        Some((opcode, mnemonic::resolve(opcode, &modifiers)?))
    }

    /// The mismatches of the operands with the nearest operand variant.
    pub fn mismatches(&self, instruction: &Instruction<'_>, head: &Mnemonic) -> Vec<OperandMismatch> {
        choose(instruction, head, &[], &self.names).map_or_else(Vec::new, |r| r.mismatches().to_vec())
    }

    /// The symbol of a name at the instruction.
    pub fn look_up(&self, name: &str) -> Option<Symbol> {
        self.names.look_up(name)
    }

    /// The range of the diagnostic in [`Self::text`].
    pub fn place(&self) -> Range<usize> {
        let range = &self.diagnostic.range;
        range.start.saturating_sub(self.base)..range.end.saturating_sub(self.base)
    }

    /// Replaces a range of [`Self::text`]; the range of the edit is relative to the file.
    pub fn replace(&self, range: Range<usize>, text: impl Into<String>) -> FixEdit {
        FixEdit::Replace(self.base + range.start..self.base + range.end, text.into())
    }

    /// The errors of a text, and its diagnostics with the code of [`Self::diagnostic`].
    fn check(&self, text: &str, declared: &[TrialRegister]) -> Vec<Finding> {
        let names = TrialNames { around: &self.names, declared };
        let found = statement::check(text, self.environment, &names);
        let counts = |d: &Diagnostic| d.severity == Severity::Error || d.code() == self.diagnostic.code();
        found.into_iter().filter(counts).map(|d| d.finding).collect()
    }

    /// Whether `text` passes the checks without errors. `declared` are registers that the fix declares.
    pub fn is_clean(&self, text: &str, declared: &[TrialRegister]) -> bool {
        self.check(text, declared).is_empty()
    }

    /// Whether `text` in place of the instruction removes the diagnostic and adds no other.
    pub fn is_better(&self, text: &str, declared: &[TrialRegister]) -> bool {
        let mut left = self.errors.clone();
        for error in self.check(text, declared) {
            let Some(same) = left.iter().position(|e| e.is_same(&error)) else { return false };
            left.remove(same);
        }
        left.iter().any(|found| found.is_same(&self.diagnostic.finding))
    }

    /// Whether a fix that replaces nothing but parts of the instruction adds no diagnostic, and leaves none of the kind that it is for.
    pub fn takes(&self, fix: &Fix) -> bool {
        let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
        for edit in &fix.edits {
            let FixEdit::Replace(range, text) = edit else { return true };
            let inside = self.base <= range.start && range.end <= self.base + self.text.len();
            if !inside {
                return true;
            }
            edits.push((range.start - self.base..range.end - self.base, text));
        }
        edits.sort_by_key(|(range, _)| range.start);
        let after = self.with(&edits);
        if after.trim().is_empty() || (after.starts_with('.') && is_declaration(&after)) {
            return true;
        }
        let mut left = self.errors.clone();
        for error in self.check(&after, &[]) {
            let Some(same) = left.iter().position(|e| e.is_same(&error)) else { return false };
            left.remove(same);
        }
        let is_it = |found: &&Finding| found.is_same(&self.diagnostic.finding);
        self.errors.iter().filter(is_it).count() == 0 || left.iter().any(|found| is_it(&found))
    }

    /// Whether it is certain which operand is missing: all others can only be what they are.
    pub fn missing_operand_is_certain(&self) -> bool {
        self.lowered(|instruction| {
            let (_, head) = self.head(instruction)?;
            let (alignment, _) = self.alignment(instruction, &head)?;
            Some(alignment.is_certain && alignment.rest_fits)
        })
        .unwrap_or(false)
    }

    /// Whether forms of the opcode have several types, one for each of several operands.
    pub fn has_several_types(&self) -> bool {
        self.lowered(|instruction| {
            let opcode = ISA.opcode(instruction.opcode.text)?;
            let mut forms = opcode.entries.iter().flat_map(|e| e.forms);
            Some(forms.any(|f| f.slots.iter().filter(|s| s.is_type && !s.optional).count() > 1))
        })
        .unwrap_or(false)
    }

    /// Whether the diagnostic is about a list in braces, or a value in the place of one.
    pub fn is_about_list(&self) -> bool {
        self.text.get(self.place()).is_some_and(|written| written.starts_with('{'))
    }

    /// Whether the diagnostic is about a number among the operands.
    pub fn is_about_number(&self) -> bool {
        let written = self.text.get(self.place()).unwrap_or("").trim_start_matches('-');
        written.starts_with(|c: char| c.is_ascii_digit())
    }

    /// How the operands differ from those of the nearest variant with another number of them, and that variant.
    pub fn alignment<'h>(
        &self,
        instruction: &Instruction<'_>,
        head: &'h Mnemonic,
    ) -> Option<(Alignment, &'h OperandVariant)> {
        let chosen = choose(instruction, head, &[], &self.names)?;
        match chosen.fit {
            VariantFit::Count { alignment, .. } => Some((alignment, chosen.variant)),
            _ => None,
        }
    }

    /// [`Self::text`] with several ranges replaced, which must be in order.
    pub fn with(&self, edits: &[(Range<usize>, &str)]) -> String {
        let mut out = self.text.clone();
        for (range, text) in edits.iter().rev() {
            if out.get(range.clone()).is_some() {
                out.replace_range(range.clone(), text);
            }
        }
        out
    }
}

/// The instruction node of a text that consists of one instruction.
fn instruction_node(snapshot: &Snapshot) -> Option<Node<'_>> {
    ptx_syntax::walk::named_children(snapshot.root_at(0)).next().filter(|n| n.kind_id() == kinds().instruction)
}

/// Whether a text is a declaration without syntax errors.
fn is_declaration(text: &str) -> bool {
    let snapshot = Snapshot::new(text);
    let root = snapshot.root_at(0);
    !root.has_error() && ptx_syntax::walk::named_children(root).all(|n| n.kind_id() == kinds().variable_declaration)
}

/// A fix with these edits, whose ranges are relative to the file.
pub(super) fn fix(title: impl Into<String>, edits: Vec<FixEdit>) -> Fix {
    Fix::new(title, edits)
}
