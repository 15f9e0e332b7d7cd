//! Classification of the opcode, modifiers and operands of an instruction, cached by the text of the mnemonic. A screen has
//! a few dozen different mnemonics, a module a few hundred.

use super::legend::{TokenKind, TokenModifiers};
use ptx_analysis::mnemonic::{self, holds};
use ptx_analysis::{Candidate, Environment, OperandPattern, OperandSpec, OperandVariant};
use ptx_isa::ISA;
use ptx_isa::tables::{ControlTransfer, Gate, Opcode, OperandAccess, Term, ValueKind};
use ptx_syntax::trivia::opaque;
use std::collections::HashMap;
use std::rc::Rc;

/// The role of an operand in its instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HighlightRole {
    /// Not an operand.
    None,
    /// Source operand.
    Read,
    /// Destination operand.
    Write,
    /// A label to branch to.
    Label,
    /// A function to call.
    Function,
    /// The label of a list of targets or of a prototype.
    Targets,
    /// A pair; the value is its operand index. Each part has a role of its own.
    Pair(u8),
}

/// The token classes of a mnemonic.
#[derive(Debug, Default)]
pub(super) struct MnemonicTokens {
    /// Token modifiers of the opcode.
    pub opcode: TokenModifiers,
    /// Kind and token modifiers of each modifier, in source order.
    pub modifiers: Vec<(TokenKind, TokenModifiers)>,
    /// Roles of the operands for each operand variant; the second role is that of the second part of a pair.
    roles: Vec<Vec<[HighlightRole; 2]>>,
}

impl MnemonicTokens {
    /// The role of operand `place` of an instruction with `operands` operands. `part` is 1 for the second part of a pair.
    pub fn role(&self, operands: usize, place: usize, part: u8) -> HighlightRole {
        let fits = self.roles.iter().find(|r| r.len() == operands);
        // The instruction is incomplete or has too many operands.
        let near = fits.or_else(|| self.roles.iter().find(|r| r.len() > operands)).or(self.roles.last());
        near.and_then(|r| r.get(place)?.get(usize::from(part))).copied().unwrap_or(HighlightRole::Read)
    }
}

/// The cache of mnemonics.
pub(super) struct Heads {
    environment: Environment,
    known: HashMap<String, Option<Rc<MnemonicTokens>>>,
}

impl Heads {
    pub fn new(environment: Environment) -> Self {
        Self { environment, known: HashMap::new() }
    }

    /// The token modifiers that follow from gates in this module.
    pub fn gates(&self, gates: &'static [Gate]) -> TokenModifiers {
        if gates.is_empty() {
            return TokenModifiers::NONE;
        }
        if self.environment.refused(gates, |_| true).is_some() {
            return TokenModifiers::UNAVAILABLE;
        }
        let old = self.environment.deprecated(gates, |_| true).is_some();
        if old { TokenModifiers::DEPRECATED } else { TokenModifiers::NONE }
    }

    /// The token classes of a mnemonic; `None` if its opcode does not exist.
    pub fn get(&mut self, text: &str) -> Option<Rc<MnemonicTokens>> {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let found = self.resolve(text).map(Rc::new);
        self.known.insert(text.to_owned(), found.clone());
        found
    }

    fn resolve(&self, text: &str) -> Option<MnemonicTokens> {
        let name_end = text.find(|c: char| c == '.' || c == '/' || c.is_whitespace()).unwrap_or(text.len());
        let opcode = ISA.opcode(text.get(..name_end)?)?;
        let written = modifiers(text.get(name_end..)?);
        let mut out =
            MnemonicTokens { modifiers: written.iter().map(|m| modifier(m)).collect(), ..MnemonicTokens::default() };
        let Some(resolved) = mnemonic::resolve(opcode, &written) else { return Some(out) };
        if resolved.entry.flow != ControlTransfer::Next {
            out.opcode = TokenModifiers::CONTROL_FLOW;
        }
        let usable = |a: &&OperandVariant| a.broken.is_none();
        let variants = resolved.candidates.iter().flat_map(|c| c.variants.iter().filter(usable));
        out.roles = variants.map(|a| a.operands.iter().map(|(_, shape)| roles(shape)).collect()).collect();
        out.roles.sort_by_key(Vec::len);
        self.flag(&resolved.candidates, &written, &mut out);
        if resolved.candidates.is_empty() {
            self.flag_opcode(opcode, &mut out);
        }
        Some(out)
    }

    /// Marks words that this module does not support or that are deprecated, if that is so in all candidate forms.
    fn flag(&self, candidates: &[Candidate], written: &[&str], out: &mut MnemonicTokens) {
        let applies = |c: &Candidate, g: &Gate| holds(g.when, &c.values, None) == Some(true);
        let refused = |c: &Candidate| self.environment.refused(c.form.gates, |g| applies(c, g));
        let Some(first) = candidates.first() else { return };
        if let Some(gate) = refused(first) {
            if candidates.iter().all(|c| refused(c).is_some()) {
                mark(gate, first, written, TokenModifiers::UNAVAILABLE, out);
            }
            return;
        }
        if let Some(gate) = self.environment.deprecated(first.form.gates, |g| applies(first, g)) {
            mark(gate, first, written, TokenModifiers::DEPRECATED, out);
        }
    }

    /// Like [`Self::flag`], for an opcode whose modifiers fit no form, perhaps because they are incomplete.
    fn flag_opcode(&self, opcode: &'static Opcode, out: &mut MnemonicTokens) {
        let forms = || opcode.entries.iter().flat_map(|e| e.forms);
        let refused = |gates| self.environment.refused(gates, |g: &Gate| g.when.is_empty()).is_some();
        if forms().next().is_some() && forms().all(|f| refused(f.gates)) {
            out.opcode = out.opcode | TokenModifiers::UNAVAILABLE;
        }
    }
}

/// Marks the modifiers that the gate tests, or the opcode if it tests none.
fn mark(gate: &Gate, candidate: &Candidate, written: &[&str], with: TokenModifiers, out: &mut MnemonicTokens) {
    let tested = |modifier: &str| {
        gate.when.iter().any(|term| match term {
            Term::Slot(test) => !test.negated && candidate.values.get(usize::from(test.slot)) == Some(&Some(modifier)),
            Term::Operand(_) => false,
        })
    };
    let mut found = false;
    // Of two equal types in a form, the first one is marked.
    for (modifier, (_, flags)) in written.iter().zip(&mut out.modifiers) {
        let of_table = candidate.values.iter().flatten().find(|v| *v == modifier);
        if of_table.is_some_and(|v| tested(v)) {
            *flags = *flags | with;
            found = true;
        }
    }
    if !found {
        out.opcode = out.opcode | with;
    }
}

/// The modifiers of a mnemonic; there may be blanks and comments between them.
fn modifiers(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(extent) = opaque(rest.as_bytes()) {
            rest = rest.get(extent.exact()..).unwrap_or("");
        } else if c == '.' {
            let end = rest[1..].find(|c: char| c == '.' || c == '/' || c.is_whitespace()).map_or(rest.len(), |n| n + 1);
            let (word, after) = rest.split_at(end);
            out.push(word);
            rest = after;
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// The token class of a modifier by itself.
pub(super) fn modifier(name: &str) -> (TokenKind, TokenModifiers) {
    if ISA.ty(name).is_some() {
        (TokenKind::Type, TokenModifiers::DEFAULT_LIBRARY)
    } else if ISA.space(name).is_some() {
        (TokenKind::StateSpace, TokenModifiers::NONE)
    } else {
        (TokenKind::Modifier, TokenModifiers::NONE)
    }
}

fn roles(shape: &OperandPattern) -> [HighlightRole; 2] {
    match shape {
        OperandPattern::Value(spec) | OperandPattern::Arguments(spec) => [role(spec); 2],
        OperandPattern::Pair(both) => [role(&both.0), role(&both.1)],
        OperandPattern::Address(_) | OperandPattern::Sink => [HighlightRole::Read; 2],
    }
}

fn role(spec: &OperandSpec) -> HighlightRole {
    match spec.value.kind {
        ValueKind::Label => HighlightRole::Label,
        ValueKind::Function => HighlightRole::Function,
        ValueKind::Targets => HighlightRole::Targets,
        _ if spec.value.access == OperandAccess::Read => HighlightRole::Read,
        _ => HighlightRole::Write,
    }
}
