//! Chooses the form and the operand variant of an instruction.

use crate::forms::align::{Alignment, align, least_cost};
use crate::forms::mnemonic::{Candidate, Mnemonic};
use crate::forms::mnemonics::{Gates, ResolvedMnemonic};
use crate::forms::operands::{self, MismatchKind, NameLookup, OperandMismatch};
use crate::forms::spec::{OperandPattern, OperandVariant, operand_variants};
use crate::hir::ast::{Instruction, OperandKind};
use ptx_isa::tables::{Form, Rule};

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
    /// The nearest variant breaks this rule.
    Rule(&'static Rule),
    /// The nearest variant has another number of operands.
    Count {
        /// The numbers of operands that there are, sorted.
        counts: Vec<usize>,
        /// The difference to the nearest variant.
        alignment: Alignment,
    },
}

/// Cost of a rule that a variant breaks.
const RULE_COST: u32 = 4;

/// Chooses among the candidates of a mnemonic: a variant that fits and that version and target allow, else one that fits, else the
/// nearest. Operands that do not fit, are missing or too many, and broken rules make the distance. `gates` says for each candidate and
/// variant which gates apply; it may be empty. `None` if the mnemonic has no candidate.
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
    let mut rule: Option<(u32, usize, usize, &'static Rule)> = None;
    let mut counts = Vec::new();
    let mut found = Vec::new();
    for (c, candidate) in mnemonic.candidates.iter().enumerate() {
        for (a, variant) in candidate.variants.iter().enumerate() {
            if variant.operands.len() != given {
                if variant.broken.is_none() {
                    counts.push(variant.operands.len());
                }
                continue;
            }
            found.clear();
            match_operands(instruction, variant, names, &mut found);
            let cost = distance(&found);
            if let Some(broken) = variant.broken {
                if rule.is_none_or(|r| cost < r.0) {
                    rule = Some((cost, c, a, broken));
                }
                continue;
            }
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
            if nearest.as_ref().is_none_or(|n| cost < n.0) {
                nearest = Some((cost, c, a, found.clone()));
            }
        }
    }
    if let Some((c, a, _)) = fits {
        return resolved(c, a, VariantFit::Fits);
    }
    // Nothing fits: the nearest of each kind, and among equally near ones the first.
    let mismatch_cost = nearest.as_ref().map_or(u32::MAX, |n| n.0);
    let rule_cost = rule.map_or(u32::MAX, |r| r.0 + RULE_COST);
    let aligned = nearest_of_other_count(instruction, mnemonic, names, mismatch_cost.min(rule_cost));
    let count_cost = aligned.as_ref().map_or(u32::MAX, |a| a.0.cost);
    if let Some((_, c, a, found)) = nearest
        && mismatch_cost <= rule_cost
        && mismatch_cost <= count_cost
    {
        return resolved(c, a, VariantFit::Mismatch(found));
    }
    if let Some((_, c, a, rule)) = rule
        && rule_cost <= count_cost
    {
        return resolved(c, a, VariantFit::Rule(rule));
    }
    counts.sort_unstable();
    counts.dedup();
    let (alignment, c, a) = aligned?;
    resolved(c, a, VariantFit::Count { counts, alignment })
}

/// The distance of operands from what is expected. Elements of one list with the same mistake count once.
fn distance(mismatches: &[OperandMismatch]) -> u32 {
    let is_repeated = |index: usize| {
        let (before, own) = (&mismatches[index - 1], &mismatches[index]);
        let name = |m: &OperandMismatch| m.spec.as_ref().map(|spec| spec.value.name);
        let types = [before, own].iter().all(|m| matches!(m.kind, MismatchKind::RegisterType(..)));
        types && name(before).is_some() && name(before) == name(own)
    };
    let costs = mismatches.iter().enumerate().filter(|(i, _)| *i == 0 || !is_repeated(*i));
    costs.map(|(_, m)| m.kind.cost()).sum()
}

/// How far the operands of an instruction are from those of a form with these values in its slots.
pub fn operand_distance(
    instruction: &Instruction<'_>,
    form: &'static Form,
    values: &[Option<&'static str>],
    names: &dyn NameLookup,
) -> u32 {
    let given = instruction.operands.len();
    let mut nearest = u32::MAX;
    let mut found = Vec::new();
    for variant in &operand_variants(form, values) {
        let rule = if variant.broken.is_some() { RULE_COST } else { 0 };
        if rule + least_cost(given, variant.operands.len()) >= nearest {
            continue;
        }
        let distance = if variant.operands.len() == given {
            found.clear();
            match_operands(instruction, variant, names, &mut found);
            distance(&found)
        } else {
            align(instruction, variant, names).cost
        };
        nearest = nearest.min(rule + distance);
    }
    if nearest == u32::MAX { 0 } else { nearest }
}

/// The nearest variant with another number of operands that is nearer than `limit`, with the indices of its candidate and of itself.
/// Variants that break a rule count only if all do.
fn nearest_of_other_count(
    instruction: &Instruction<'_>,
    mnemonic: &Mnemonic,
    names: &dyn NameLookup,
    limit: u32,
) -> Option<(Alignment, usize, usize)> {
    let given = instruction.operands.len();
    let others = || {
        let all = mnemonic.candidates.iter().enumerate();
        let variants =
            all.flat_map(|(c, candidate)| candidate.variants.iter().enumerate().map(move |(a, v)| (c, a, v)));
        variants.filter(|(_, _, variant)| variant.operands.len() != given)
    };
    let all_broken = others().all(|(_, _, variant)| variant.broken.is_some());
    let mut nearest: Option<(Alignment, usize, usize)> = None;
    for (c, a, variant) in others().filter(|(_, _, variant)| variant.broken.is_some() == all_broken) {
        let limit = nearest.as_ref().map_or(limit, |(alignment, ..)| alignment.cost);
        if least_cost(given, variant.operands.len()) >= limit {
            continue;
        }
        let alignment = align(instruction, variant, names);
        if alignment.cost < limit {
            nearest = Some((alignment, c, a));
        }
    }
    nearest
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
