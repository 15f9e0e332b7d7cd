//! Aligns the operands of an instruction with those of a variant that has another number of them.

use crate::forms::operands::{self, NameLookup, OperandMismatch};
use crate::forms::spec::{OperandPattern, OperandVariant};
use crate::hir::ast::{Instruction, Operand, OperandKind};

/// Cost of an operand that is missing or too many: more than one that does not fit.
const GAP_COST: u32 = 5;
/// Cost of an operand that fits but for its braces or brackets.
const GROUPING_COST: u32 = 2;

/// How the operands of an instruction relate to those of a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alignment {
    /// What happens to the operands, in order. An operand that stands for an expected one has no step.
    pub edits: Vec<AlignmentEdit>,
    /// The distance: gaps, and operands that do not fit.
    pub cost: u32,
    /// Whether all other operands fit.
    pub rest_fits: bool,
}

/// A difference between written and expected operands. Numbers are indices of written and of expected operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlignmentEdit {
    /// An expected operand is missing; it belongs before the written one `before`.
    Missing {
        /// Index of the expected operand.
        expected: usize,
        /// Index of the written operand that follows.
        before: usize,
    },
    /// A written operand is too many.
    Extra(usize),
    /// Consecutive written operands are the elements of one expected list.
    List {
        /// Index of the first written operand.
        first: usize,
        /// How many there are.
        count: usize,
        /// Index of the expected operand.
        expected: usize,
    },
    /// A written operand belongs into the brackets of the address before it.
    Bracket {
        /// Index of the written address.
        address: usize,
    },
}

/// A cost that no alignment of this number of written with this number of expected operands is below.
pub(crate) fn least_cost(written: usize, expected: usize) -> u32 {
    match expected.checked_sub(written) {
        // Each step uses up at least one written operand for an expected one, unless that one is missing.
        Some(missing) => GAP_COST * u32::try_from(missing).unwrap_or(u32::MAX / GAP_COST),
        None => GROUPING_COST,
    }
}

/// The cheapest alignment of the operands of an instruction with a variant.
pub fn align(instruction: &Instruction<'_>, variant: &OperandVariant, names: &dyn NameLookup) -> Alignment {
    let (written, expected) = (&instruction.operands, &variant.operands);
    let width = expected.len() + 1;
    // The best way from each pair of positions to the end: its cost, whether all that it matches fits, and its first step.
    let mut best: Vec<(u32, bool, Step)> = vec![(0, true, Step::End); (written.len() + 1) * width];
    for i in (0..=written.len()).rev() {
        for j in (0..expected.len() + 1).rev() {
            if (i, j) == (written.len(), expected.len()) {
                continue;
            }
            let mut options: Vec<(u32, bool, Step)> = Vec::new();
            let mut add = |cost: u32, fits: bool, step: Step| {
                let (to_i, to_j) = step.target(i, j);
                let (rest, rest_fits, _) = best[to_i * width + to_j];
                options.push((cost + rest, fits && rest_fits, step));
            };
            if let (Some(operand), Some((_, pattern))) = (written.get(i), expected.get(j)) {
                let cost = mismatch_cost(operand, pattern, names);
                add(cost, cost == 0, Step::Match);
                for count in list_lengths(pattern, &written[i..]) {
                    let cost = mismatch_cost(&list(&written[i..i + count]), pattern, names);
                    add(GROUPING_COST + cost, cost == 0, Step::List(count));
                }
                if let Some(whole) = written.get(i + 1).and_then(|next| in_brackets(operand, next, pattern)) {
                    let cost = mismatch_cost(&whole, pattern, names);
                    add(GROUPING_COST + cost, cost == 0, Step::Bracket);
                }
            }
            if i < written.len() {
                add(GAP_COST, true, Step::Extra);
            }
            if j < expected.len() {
                add(GAP_COST, true, Step::Missing);
            }
            // Of equal ones the first: a match before a gap.
            if let Some(cheapest) = options.into_iter().min_by_key(|o| o.0) {
                best[i * width + j] = cheapest;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut edits = Vec::new();
    loop {
        let step = best[i * width + j].2;
        match step {
            Step::End => break,
            Step::Match => {}
            Step::Missing => edits.push(AlignmentEdit::Missing { expected: j, before: i }),
            Step::Extra => edits.push(AlignmentEdit::Extra(i)),
            Step::List(count) => edits.push(AlignmentEdit::List { first: i, count, expected: j }),
            Step::Bracket => edits.push(AlignmentEdit::Bracket { address: i }),
        }
        (i, j) = step.target(i, j);
    }
    Alignment { edits, cost: best[0].0, rest_fits: best[0].1 }
}

/// A step from one pair of positions to another.
#[derive(Debug, Clone, Copy)]
enum Step {
    End,
    Match,
    Missing,
    Extra,
    List(usize),
    Bracket,
}

impl Step {
    fn target(self, i: usize, j: usize) -> (usize, usize) {
        match self {
            Self::End => (i, j),
            Self::Match => (i + 1, j + 1),
            Self::Missing => (i, j + 1),
            Self::Extra => (i + 1, j),
            Self::List(count) => (i + count, j + 1),
            Self::Bracket => (i + 2, j + 1),
        }
    }
}

fn mismatch_cost(operand: &Operand<'_>, pattern: &OperandPattern, names: &dyn NameLookup) -> u32 {
    let mut found: Vec<OperandMismatch> = Vec::new();
    operands::check(operand, pattern, names, &mut found);
    found.iter().map(|m| m.kind.cost()).sum()
}

/// The lengths of a list that the next written operands could be the elements of.
fn list_lengths(pattern: &OperandPattern, written: &[Operand<'_>]) -> Vec<usize> {
    let OperandPattern::Value(spec) = pattern else { return Vec::new() };
    let longest = spec.lengths.iter().max().map_or(0, |n| usize::from(*n));
    let scalars = written
        .iter()
        .take(longest)
        .take_while(|o| !matches!(o.kind, OperandKind::Vector(_) | OperandKind::Address(_) | OperandKind::Arguments(_)))
        .count();
    let lengths = spec.lengths.iter().map(|n| usize::from(*n));
    lengths.filter(|n| (2..=scalars).contains(n)).collect()
}

fn list<'t>(elements: &[Operand<'t>]) -> Operand<'t> {
    let range = elements.first().map_or(0, |o| o.range.start)..elements.last().map_or(0, |o| o.range.end);
    Operand { range, kind: OperandKind::Vector(elements.to_vec()) }
}

/// An address with one part more.
fn in_brackets<'t>(address: &Operand<'t>, next: &Operand<'t>, pattern: &OperandPattern) -> Option<Operand<'t>> {
    let (OperandKind::Address(parts), OperandPattern::Address(expected)) = (&address.kind, pattern) else {
        return None;
    };
    if parts.len() + 1 != expected.len() || matches!(next.kind, OperandKind::Address(_)) {
        return None;
    }
    let mut parts = parts.clone();
    parts.push(next.clone());
    Some(Operand { range: address.range.start..next.range.end, kind: OperandKind::Address(parts) })
}
