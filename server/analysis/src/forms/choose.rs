//! Chooses the form and the operand variant of an instruction.

use crate::forms::mnemonic::{Candidate, Mnemonic};
use crate::forms::mnemonics::{Gates, ResolvedMnemonic};
use crate::forms::operands::{self, NameLookup, OperandMismatch};
use crate::forms::spec::{OperandPattern, OperandVariant};
use crate::hir::ast::{Instruction, OperandKind};
use ptx_isa::tables::Rule;

/// The form and the operand variant that an instruction matches, or the nearest ones if it matches none.
#[derive(Debug, Clone)]
pub struct ResolvedInstruction<'h> {
    /// The form with the values of its modifiers.
    pub candidate: &'h Candidate,
    /// The chosen operand variant.
    pub variant: &'h OperandVariant,
    /// Index of the candidate in its mnemonic, and of the variant in the candidate.
    pub place: (usize, usize),
    /// The gates of the PTX version and the target that apply to the variant.
    pub gates: Gates,
    /// How well the operands fit.
    pub fit: VariantFit,
}

impl ResolvedInstruction<'_> {
    /// The operands that do not fit.
    pub fn mismatches(&self) -> &[OperandMismatch] {
        if let VariantFit::Mismatch(found) = &self.fit { found } else { &[] }
    }
}

/// How well an instruction fits the variant that was chosen for it.
#[derive(Debug, Clone)]
pub enum VariantFit {
    /// All operands fit; the PTX version or the target may still refuse the form.
    Fits,
    /// The nearest variant has this number of operands; these are the operands that do not fit it.
    Mismatch(Vec<OperandMismatch>),
    /// Every variant with this number of operands breaks a rule; this is the first.
    Rule(&'static Rule),
    /// No variant has this number of operands. The list holds the possible numbers, sorted.
    Count(Vec<usize>),
}

/// Chooses a variant among the candidates of a mnemonic. It prefers a variant that fits and that version and target allow,
/// then one that just fits. Otherwise it prefers the nearest with the same number of operands, then one that breaks a rule,
/// then the one with the nearest number of operands. `gates[candidate][variant]` holds the gates that apply; it may be empty.
/// Returns `None` if the mnemonic has no candidate.
pub fn choose<'h>(
    instruction: &Instruction<'_>,
    mnemonic: &'h Mnemonic,
    gates: &[Vec<Gates>],
    names: &dyn NameLookup,
) -> Option<ResolvedInstruction<'h>> {
    let given = instruction.operands.len();
    let gates_of = |c: usize, a: usize| gates.get(c).and_then(|g| g.get(a)).copied().unwrap_or_default();
    let resolved = |c: usize, a: usize, fit: VariantFit| {
        let candidate = mnemonic.candidates.get(c)?;
        let variant = candidate.variants.get(a)?;
        Some(ResolvedInstruction { candidate, variant, place: (c, a), gates: gates_of(c, a), fit })
    };
    let mut fits: Option<(usize, usize, bool)> = None;
    let mut nearest: Option<(u32, usize, usize, Vec<OperandMismatch>)> = None;
    let mut rule: Option<(usize, usize, &'static Rule)> = None;
    let mut other_count: Option<(usize, usize, usize)> = None;
    let mut counts = Vec::new();
    let mut found = Vec::new();
    for (c, candidate) in mnemonic.candidates.iter().enumerate() {
        for (a, variant) in candidate.variants.iter().enumerate() {
            let distance = variant.operands.len().abs_diff(given);
            if distance != 0 {
                if variant.broken.is_none() {
                    counts.push(variant.operands.len());
                    if other_count.is_none_or(|(least, ..)| distance < least) {
                        other_count = Some((distance, c, a));
                    }
                }
                continue;
            }
            if let Some(broken) = variant.broken {
                rule = rule.or(Some((c, a, broken)));
                continue;
            }
            found.clear();
            match_operands(instruction, variant, names, &mut found);
            if found.is_empty() {
                let gates = gates_of(c, a);
                if gates.refused.is_none() && gates.lacking.is_none() {
                    return resolved(c, a, VariantFit::Fits);
                }
                // A form that is not available on all targets of the project still assembles.
                let refused = gates.refused.is_some();
                if fits.is_none_or(|(_, _, other_is_refused)| other_is_refused && !refused) {
                    fits = Some((c, a, refused));
                }
                continue;
            }
            let cost = found.iter().map(|m| m.kind.cost()).sum();
            if nearest.as_ref().is_none_or(|n| cost < n.0) {
                nearest = Some((cost, c, a, found.clone()));
            }
        }
    }
    if let Some((c, a, _)) = fits {
        return resolved(c, a, VariantFit::Fits);
    }
    if let Some((_, c, a, found)) = nearest {
        return resolved(c, a, VariantFit::Mismatch(found));
    }
    if let Some((c, a, rule)) = rule {
        return resolved(c, a, VariantFit::Rule(rule));
    }
    counts.sort_unstable();
    counts.dedup();
    let first = || mnemonic.candidates.iter().position(|c| !c.variants.is_empty()).map(|c| (c, 0));
    let (c, a) = other_count.map(|(_, c, a)| (c, a)).or_else(first)?;
    resolved(c, a, VariantFit::Count(counts))
}

/// The indices of the candidate and variant of a correct instruction; `None` if it has a mistake.
pub fn select(
    instruction: &Instruction<'_>,
    resolved: &ResolvedMnemonic,
    names: &dyn NameLookup,
) -> Option<(usize, usize)> {
    let mnemonic = resolved.mnemonic.as_ref()?;
    let given = instruction.operands.len();
    let counts = |a: &OperandVariant| a.operands.len() == given && a.broken.is_none();
    let all = mnemonic
        .candidates
        .iter()
        .enumerate()
        .flat_map(|(i, c)| c.variants.iter().enumerate().map(move |(j, a)| (i, j, a)));
    let mut fitting = all.filter(|(_, _, a)| counts(a));
    let first = fitting.next()?;
    // Nearly always only one variant fits, so there is nothing to compare.
    if fitting.next().is_none() {
        return Some((first.0, first.1));
    }
    let chosen = choose(instruction, mnemonic, &resolved.gates, names)?;
    matches!(chosen.fit, VariantFit::Fits).then_some(chosen.place)
}

fn match_operands(
    instruction: &Instruction<'_>,
    variant: &OperandVariant,
    names: &dyn NameLookup,
    out: &mut Vec<OperandMismatch>,
) {
    for (place, (operand, (_, shape))) in instruction.operands.iter().zip(&variant.operands).enumerate() {
        let operand = match (&operand.kind, shape) {
            // ptxas reads `%r1|_` as `%r1` if it is the first operand, in any instruction.
            (OperandKind::Pair(pair), OperandPattern::Value(_))
                if place == 0 && matches!((&pair.0.kind, &pair.1.kind), (OperandKind::Name(_), OperandKind::Sink)) =>
            {
                &pair.0
            }
            _ => operand,
        };
        operands::check(operand, shape, names, out);
    }
}
