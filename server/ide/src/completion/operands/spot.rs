//! The position of the cursor among the operands of an instruction, and the forms that are still possible there.

use crate::completion::place::CompletionPlace;
use crate::completion::reach::TargetSupport;
use crate::completion::scope::Name;
use crate::completion::statement::MnemonicAtCursor;
use crate::completion::tokens::Tokens;
use ptx_analysis::assembly::unbuilt;
use ptx_analysis::spec::applies;
use ptx_analysis::{
    Candidate, Environment, ItemSource, LocalNames, Mnemonic, NameFrame, NameLookup, OperandPattern, OperandVariant,
    Symbol, lower, operands,
};
use ptx_isa::tables::{Gate, ValueKind};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Snapshot, kinds};

/// An unclosed bracket around the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnclosingBracket {
    /// `[`, with the 0-based index of the comma-separated part at the cursor.
    Bracket(usize),
    /// `{`, with the text of the elements before the cursor.
    Brace(Vec<String>),
    /// `(`, with the 0-based index of the argument at the cursor.
    Parenthesis(usize),
}

/// The position of the cursor among operands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperandSpot {
    /// Index of the operand, from 0.
    pub index: usize,
    /// Unclosed brackets within the operand, the innermost last.
    pub open: Vec<EnclosingBracket>,
    /// Token index of the operand's beginning.
    pub from: usize,
    /// Token indices before the cursor that belong to the value at the cursor.
    pub piece: Vec<usize>,
}

impl OperandSpot {
    /// The position after the last of `tokens`; the operands begin at token `from`.
    pub fn new(tokens: &Tokens, from: usize) -> Self {
        let mut out = Self { from, ..Self::default() };
        // For each open bracket, the tokens of the value that contains it.
        let mut outer: Vec<Vec<usize>> = Vec::new();
        for index in from..tokens.len() {
            match tokens.at(index) {
                sign @ ("[" | "{" | "(") => {
                    outer.push(std::mem::take(&mut out.piece));
                    out.open.push(match sign {
                        "[" => EnclosingBracket::Bracket(0),
                        "{" => EnclosingBracket::Brace(Vec::new()),
                        _ => EnclosingBracket::Parenthesis(0),
                    });
                }
                "]" | "}" | ")" => {
                    out.open.pop();
                    out.piece = outer.pop().unwrap_or_default();
                    out.piece.push(index);
                }
                "," => {
                    let piece = std::mem::take(&mut out.piece);
                    match out.open.last_mut() {
                        Some(EnclosingBracket::Bracket(part) | EnclosingBracket::Parenthesis(part)) => *part += 1,
                        Some(EnclosingBracket::Brace(elements)) => {
                            elements.push(piece.iter().map(|i| tokens.at(*i)).collect());
                        }
                        None => {
                            out.index += 1;
                            out.from = index + 1;
                        }
                    }
                }
                _ => out.piece.push(index),
            }
        }
        out
    }
}

/// An operand variant of a form, and how well it matches the mnemonic and the operands before the cursor.
pub struct Fitting {
    /// Index of the candidate, and index of the variant within it.
    pub place: (usize, usize),
    /// Total mismatch cost of the operands before the cursor; 0 is a perfect match.
    pub cost: u32,
    /// Whether the module's version and target have the form.
    pub status: TargetSupport,
}

/// The operand variants that have an operand at the cursor, the best match with the earlier operands first.
pub fn fitting(
    place: &CompletionPlace<'_>,
    head: &MnemonicAtCursor,
    spot: &OperandSpot,
    resolved: &Mnemonic,
    names: &dyn NameLookup,
    environment: &Environment,
) -> Vec<Fitting> {
    let given = given_text(place, head, spot);
    let parsed = Snapshot::new(&given);
    let source = ItemSource { text: &given, base: 0 };
    let node = named_children(parsed.root_at(0)).find(|n| n.kind_id() == kinds().instruction);
    let given = node.and_then(|n| lower::instruction(source, n)).map_or_else(Vec::new, |i| i.operands);
    let mut out = Vec::new();
    for (c, candidate) in resolved.candidates.iter().enumerate() {
        for (a, variant) in candidate.variants.iter().enumerate() {
            if variant.broken.is_some() || variant.operands.len() <= spot.index {
                continue;
            }
            let mut found = Vec::new();
            for (operand, (_, shape)) in given.iter().take(spot.index).zip(&variant.operands) {
                operands::check(operand, shape, names, &mut found);
            }
            let cost = found.iter().map(|m| m.kind.cost()).sum();
            out.push(Fitting { place: (c, a), cost, status: status(candidate, variant, environment) });
        }
    }
    out.sort_by_key(|f| (f.cost, f.status.rank()));
    out
}

fn status(candidate: &Candidate, variant: &OperandVariant, environment: &Environment) -> TargetSupport {
    if let Some(unbuilt) = unbuilt(candidate.form, &candidate.values, variant, environment) {
        return TargetSupport::Unbuilt(unbuilt);
    }
    let said = |gate: &Gate| applies(gate.when, &candidate.values, variant);
    match environment.refused(candidate.form.gates, said) {
        Some(gate) => TargetSupport::Lacking(gate),
        None => TargetSupport::Available,
    }
}

/// The instruction up to its last complete operand, with a semicolon.
fn given_text(place: &CompletionPlace<'_>, head: &MnemonicAtCursor, spot: &OperandSpot) -> String {
    let before = &place.before;
    let opcode = before.list.get(head.end.saturating_sub(1 + head.before.len())).map_or(0, |t| t.range.start);
    // The comma before the current operand is left out.
    let last = if spot.index == 0 { head.end } else { spot.from.saturating_sub(1) };
    let end = last.checked_sub(1).and_then(|i| before.list.get(i)).map_or(opcode, |t| t.range.end);
    format!("{};", before.text.get(opcode..end).unwrap_or(""))
}

/// Name lookup: first the names declared in the function, then those of the module.
pub struct NamesInScope<'a> {
    locals: NameFrame<&'a str, Symbol>,
    around: LocalNames<'a>,
}

impl<'a> NamesInScope<'a> {
    /// The names visible at a place; `locals` are the declarations of its function.
    pub fn new(place: &'a CompletionPlace<'_>, locals: &'a [Name]) -> Self {
        let at = place.snapshot.leaf(place.start..place.start);
        let at = at.unwrap_or_else(|| place.snapshot.root_at(place.start));
        let mut frame = NameFrame::default();
        for name in locals {
            match name.count {
                Some(count) => drop(frame.declare_range(name.text.as_str(), count, name.symbol)),
                None => drop(frame.declare(name.text.as_str(), name.symbol)),
            }
        }
        Self { locals: frame, around: LocalNames::new(place.snapshot, at) }
    }
}

impl NameLookup for NamesInScope<'_> {
    fn look_up(&self, name: &str) -> Option<Symbol> {
        let own = self.locals.get(name).map(|(symbol, _)| *symbol);
        // Registers are declared in functions only, so the module is not searched for them.
        own.or_else(|| if name.starts_with('%') { None } else { self.around.look_up(name) })
    }

    fn has_option(&self, name: &str) -> bool {
        self.around.has_option(name)
    }
}

/// The name of the called function, if the cursor is after it.
pub fn callee(
    tokens: &Tokens,
    head: &MnemonicAtCursor,
    spot: &OperandSpot,
    variant: &OperandVariant,
) -> Option<String> {
    let is =
        |shape: &OperandPattern| matches!(shape, OperandPattern::Value(spec) if spec.value.kind == ValueKind::Function);
    let index = variant.operands.iter().position(|(_, shape)| is(shape)).filter(|i| *i < spot.index)?;
    // The name is a token by itself, between commas at the outermost level.
    let mut depth = 0usize;
    let mut operand = 0;
    for token in head.end..tokens.len() {
        match tokens.at(token) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," if depth == 0 => operand += 1,
            name if operand == index => return Some(name.to_owned()),
            _ => {}
        }
    }
    None
}
