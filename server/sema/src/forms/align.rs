//! Aligns the operands of an instruction with those of a variant that has another number of them.

use crate::forms::operands::{self, NameLookup, OperandMismatch};
use crate::forms::spec::{OperandPattern, OperandVariant};
use crate::hir::ast::{ConstantValue, Instruction, Operand, OperandKind};
use crate::hir::literal;
use ptx_isa::tables::Suggested;

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
    /// Whether no other alignment is as near: which operand is missing is certain.
    pub is_certain: bool,
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
    let usual = UsualValues::new(instruction, variant);
    // The best way from each pair of positions to the end.
    let end = Way { cost: 0, oddness: 0, fits: true, ties: false, step: Step::End };
    let mut best: Vec<Way> = vec![end; (written.len() + 1) * width];
    for i in (0..=written.len()).rev() {
        for j in (0..expected.len() + 1).rev() {
            if (i, j) == (written.len(), expected.len()) {
                continue;
            }
            let mut options: Vec<Way> = Vec::new();
            let mut add = |cost: u32, oddness: u32, step: Step| {
                let (to_i, to_j) = step.target(i, j);
                let rest = best[to_i * width + to_j];
                options.push(Way {
                    cost: cost + rest.cost + step.cost(),
                    oddness: oddness + rest.oddness,
                    fits: cost == 0 && rest.fits,
                    ties: rest.ties,
                    step,
                });
            };
            if let (Some(operand), Some((_, pattern))) = (written.get(i), expected.get(j)) {
                add(mismatch_cost(operand, pattern, names), usual.oddness(operand, pattern), Step::Match);
                for count in list_lengths(pattern, &written[i..]) {
                    add(mismatch_cost(&list(&written[i..i + count]), pattern, names), 0, Step::List(count));
                }
                if let Some(whole) = written.get(i + 1).and_then(|next| in_brackets(operand, next, pattern)) {
                    add(mismatch_cost(&whole, pattern, names), 0, Step::Bracket);
                }
            }
            if i < written.len() {
                add(0, 0, Step::Extra);
            }
            if j < expected.len() {
                add(0, 0, Step::Missing);
            }
            // Of equal ones the first: a match before a gap.
            if let Some(mut nearest) = options.iter().copied().min_by_key(|o| (o.cost, o.oddness)) {
                let equal = |o: &&Way| (o.cost, o.oddness) == (nearest.cost, nearest.oddness);
                nearest.ties |= options.iter().filter(equal).count() > 1;
                best[i * width + j] = nearest;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut edits = Vec::new();
    loop {
        let step = best[i * width + j].step;
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
    let Way { cost, fits, ties, .. } = best[0];
    Alignment { edits, cost, rest_fits: fits, is_certain: !ties }
}

/// The best way from a pair of positions to the end.
#[derive(Debug, Clone, Copy)]
struct Way {
    /// The distance.
    cost: u32,
    /// The number of operands that fit, but hardly belong there. It decides between equal distances.
    oddness: u32,
    /// Whether all that it matches fits.
    fits: bool,
    /// Whether another way is as good.
    ties: bool,
    /// Its first step.
    step: Step,
}

/// The values that operands of an instruction usually have: a mask is hardly a distance, a truth table hardly a source.
struct UsualValues {
    rows: Vec<&'static Suggested>,
    /// Whether another operand can only be a number.
    has_constant: bool,
}

impl UsualValues {
    fn new(instruction: &Instruction<'_>, variant: &OperandVariant) -> Self {
        let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| m.text).collect();
        let mnemonic: String = std::iter::once(instruction.opcode.text).chain(modifiers.iter().copied()).collect();
        let is_constant =
            |pattern: &OperandPattern| matches!(pattern, OperandPattern::Value(spec) if spec.value.immediate_only);
        Self {
            rows: ptx_isa::VALUES.iter().filter(|row| row.is_of(&mnemonic, &modifiers)).collect(),
            has_constant: variant.operands.iter().any(|(_, pattern)| is_constant(pattern)),
        }
    }

    /// 1 if an operand in the place of an expected one is what another operand usually is, or is not what this one usually is.
    fn oddness(&self, operand: &Operand<'_>, pattern: &OperandPattern) -> u32 {
        let OperandPattern::Value(spec) = pattern else { return 0 };
        let own = |row: &&&Suggested| row.operand == spec.value.name;
        // Whoever leaves out an operand leaves out one that is nearly always the same.
        let is_constant = self.rows.iter().filter(own).any(|row| row.implied);
        let value = match &operand.kind {
            OperandKind::Integer(text) => literal::integer(text),
            OperandKind::Constant(ConstantValue::Integer(value)) => *value,
            _ => return u32::from(is_constant),
        };
        if spec.value.immediate_only {
            return 0;
        }
        // −1 and 0xffffffff are one mask.
        let bits = |value: Option<i128>| value.map(|v| v as u32);
        let usual =
            |row: &&&Suggested| bits(literal::integer(row.value).or_else(|| negative(row.value))) == bits(value);
        let others = self.rows.iter().filter(usual).any(|row| row.operand != spec.value.name);
        let is_own = self.rows.iter().filter(own).any(|row| usual(&row));
        u32::from(!is_own && (others || self.has_constant || is_constant))
    }
}

fn negative(text: &str) -> Option<i128> {
    literal::integer(text.strip_prefix('-')?).map(|value| -value)
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
    fn cost(self) -> u32 {
        match self {
            Self::End | Self::Match => 0,
            Self::List(_) | Self::Bracket => GROUPING_COST,
            Self::Extra | Self::Missing => GAP_COST,
        }
    }

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
