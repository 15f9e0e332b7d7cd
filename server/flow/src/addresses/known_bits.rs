//! The bits of a value that are the same each time its instruction is executed.

use super::node::{Node, NodeId, Operation, Symbol, combined, mask};
use super::values::Values;
use rustc_hash::FxHashMap as HashMap;

/// A value of which some bits are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KnownBits {
    /// The values of the known bits; the others are 0.
    pub value: u64,
    /// The bits that are known.
    pub known: u64,
}

impl KnownBits {
    /// A number, of which all bits are known.
    pub fn number(value: u64) -> Self {
        Self { value, known: u64::MAX }
    }

    /// The largest and the smallest number that it may be.
    fn extremes(self, width: u8) -> (u64, u64) {
        (self.value | !self.known & mask(width), self.value)
    }

    /// The number of lowest bits that are known to be 0.
    fn zeros(self) -> u32 {
        (!self.known | self.value).trailing_zeros()
    }

    /// Whether all bits of a value of this width are known.
    pub fn is_number(self, width: u8) -> bool {
        self.known & mask(width) == mask(width)
    }

    fn shifted(self, by: u32, width: u8) -> Self {
        if by >= u32::from(width) {
            return Self::number(0);
        }
        let below = mask(by as u8);
        Self { value: self.value << by & mask(width), known: self.known << by | below }
    }

    fn plus(self, other: Self, width: u8) -> Self {
        // A bit of the sum is known where both bits are, and the carry into it: it is the same for the extremes.
        let ((largest, smallest), (other_largest, other_smallest)) = (self.extremes(width), other.extremes(width));
        let (high, low) = (largest.wrapping_add(other_largest), smallest.wrapping_add(other_smallest));
        let carry_of_high = high ^ largest ^ other_largest;
        let carry_of_low = low ^ smallest ^ other_smallest;
        let known = self.known & other.known & !(carry_of_high ^ carry_of_low);
        Self { value: low & known, known }
    }

    fn times(self, other: Self, width: u8) -> Self {
        match (self.is_number(width), other.is_number(width)) {
            (true, true) => Self::number(self.value.wrapping_mul(other.value) & mask(width)),
            (true, false) if self.value.is_power_of_two() => other.shifted(self.value.trailing_zeros(), width),
            (false, true) if other.value.is_power_of_two() => self.shifted(other.value.trailing_zeros(), width),
            _ => {
                let zeros = (self.zeros() + other.zeros()).min(u32::from(width));
                Self { value: 0, known: mask(zeros as u8) }
            }
        }
    }
}

/// The value of a kernel parameter at an offset, of so many bits, if it is known.
pub(super) type ParameterValue<'a> = &'a dyn Fn(u32, u32, u8) -> Option<u64>;

impl Values {
    /// The known bits of a value.
    pub fn known_bits(&self, id: NodeId, parameter: ParameterValue<'_>) -> KnownBits {
        Evaluation { values: self, parameter, done: HashMap::default() }.node(id)
    }
}

struct Evaluation<'a> {
    values: &'a Values,
    parameter: ParameterValue<'a>,
    done: HashMap<NodeId, KnownBits>,
}

impl Evaluation<'_> {
    /// Expressions are not deep: construction bounds them.
    fn node(&mut self, id: NodeId) -> KnownBits {
        if let Some(done) = self.done.get(&id) {
            return *done;
        }
        let facts = self.values.facts(id);
        let (width, may) = (facts.width, facts.may);
        let mut bits = self.compute(&facts.node, width);
        let never = !may | !mask(width);
        bits.known |= never;
        bits.value &= !never & bits.known;
        self.done.insert(id, bits);
        bits
    }

    fn compute(&mut self, node: &Node, width: u8) -> KnownBits {
        match node {
            Node::Constant(value) => KnownBits::number(*value),
            Node::Symbol(Symbol::Parameter(variable, offset)) => {
                let value = (self.parameter)(*variable, *offset, width);
                value.map_or(KnownBits::default(), |value| KnownBits::number(value & mask(width)))
            }
            Node::Symbol(_) => KnownBits::default(),
            Node::Sum(constant, terms) => terms.iter().fold(KnownBits::number(*constant), |sum, term| {
                let coefficient = KnownBits::number(term.coefficient);
                let product = term.factors.iter().fold(coefficient, |all, id| all.times(self.node(*id), width));
                sum.plus(product, width)
            }),
            Node::Extend(of, signed) => {
                let (inner, from) = (self.node(*of), self.values.facts(*of).width);
                let above = mask(width) & !mask(from);
                let sign = 1u64 << from.saturating_sub(1);
                let low = KnownBits { value: inner.value & mask(from), known: inner.known & mask(from) };
                match (signed, inner.known & sign != 0, inner.value & sign != 0) {
                    (false, ..) | (true, true, false) => KnownBits { known: low.known | above, ..low },
                    (true, true, true) => KnownBits { value: low.value | above, known: low.known | above },
                    (true, false, _) => low,
                }
            }
            Node::Low(of) => self.node(*of),
            Node::Apply(operation, arguments) => {
                let arguments: Vec<KnownBits> = arguments.iter().map(|id| self.node(*id)).collect();
                applied(*operation, &arguments, width)
            }
        }
    }
}

fn applied(operation: Operation, arguments: &[KnownBits], width: u8) -> KnownBits {
    if arguments.iter().all(|argument| argument.is_number(width)) {
        let values: Vec<u64> = arguments.iter().map(|argument| argument.value).collect();
        return operation.apply(&values, width).map_or(KnownBits::default(), KnownBits::number);
    }
    if let Some(table) = operation.table() {
        // What the results agree on, whatever the unknown bits are.
        let argument = |at: usize, ones: bool| {
            let KnownBits { value, known } = arguments.get(at).copied().unwrap_or(KnownBits::number(0));
            if ones { value | !known } else { value }
        };
        let result = |choice: usize| {
            let of = |at: usize| argument(at, choice >> at & 1 == 1);
            combined(table, of(0), of(1), of(2))
        };
        let (any, all) = (0..8).map(result).fold((0, u64::MAX), |(any, all), r| (any | r, all & r));
        return KnownBits { value: all & mask(width), known: !(any ^ all) };
    }
    let [value, by, ..] = arguments else { return KnownBits::default() };
    // Distances have 32 bits.
    let distance = by.is_number(32).then_some(by.value).and_then(|by| u32::try_from(by).ok());
    match (operation, distance) {
        (Operation::ShiftLeft, Some(by)) => value.shifted(by, width),
        (Operation::ShiftRight(false), Some(by)) if by < u32::from(width) => {
            let above = mask(width) & !(mask(width) >> by);
            KnownBits { value: value.value >> by, known: (value.known & mask(width)) >> by | above }
        }
        _ => KnownBits::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::{KnownBits, applied};
    use crate::addresses::node::Operation;

    fn bits(value: u64, known: u64) -> KnownBits {
        KnownBits { value, known }
    }

    /// All numbers of four bits that a pattern stands for.
    fn numbers(pattern: KnownBits) -> impl Iterator<Item = u64> + Clone {
        (0..16u64).filter(move |n| n & pattern.known == pattern.value & pattern.known)
    }

    fn patterns() -> impl Iterator<Item = KnownBits> + Clone {
        (0..16u64).flat_map(|known| (0..16u64).filter(move |v| v & !known == 0).map(move |v| bits(v, known)))
    }

    /// Whether all results have the known bits, and each bit that they agree on is known.
    fn is_exact(pattern: KnownBits, results: impl Iterator<Item = u64>) -> (bool, bool) {
        let (any, all) = results.fold((0, 15), |(any, all), r| (any | r & 15, all & r & 15));
        let agreed = !(any ^ all) & 15;
        let right = pattern.known & 15 & !agreed == 0 && pattern.value & pattern.known & 15 == all & pattern.known & 15;
        (right, pattern.known & 15 == agreed)
    }

    #[test]
    fn sums_products_and_functions_of_all_patterns_of_four_bits() {
        for (a, b) in patterns().flat_map(|a| patterns().map(move |b| (a, b))) {
            let pairs = numbers(a).flat_map(|x| numbers(b).map(move |y| (x, y)));
            let widened = |p: KnownBits| bits(p.value, p.known | !15);
            let (wide_a, wide_b) = (widened(a), widened(b));
            let (right, exact) = is_exact(wide_a.plus(wide_b, 4), pairs.clone().map(|(x, y)| x + y));
            assert!(right && exact, "{a:?} + {b:?}: {:?}", wide_a.plus(wide_b, 4));
            let (right, _) = is_exact(wide_a.times(wide_b, 4), pairs.clone().map(|(x, y)| x * y));
            assert!(right, "{a:?} * {b:?}: {:?}", wide_a.times(wide_b, 4));
            for operation in [Operation::And, Operation::Or, Operation::Xor] {
                let result = applied(operation, &[wide_a, wide_b], 4);
                let results = pairs.clone().map(|(x, y)| operation.apply(&[x, y], 4).unwrap());
                assert_eq!(is_exact(result, results), (true, true), "{operation:?} {a:?} {b:?}");
            }
        }
        for (a, by) in patterns().flat_map(|a| (0..5).map(move |by| (a, by))) {
            for operation in [Operation::ShiftLeft, Operation::ShiftRight(false)] {
                let result = applied(operation, &[bits(a.value, a.known | !15), KnownBits::number(by)], 4);
                let results = numbers(a).map(|x| operation.apply(&[x, by], 4).unwrap());
                assert!(is_exact(result, results).0, "{operation:?} {a:?} by {by}");
            }
        }
    }
}
