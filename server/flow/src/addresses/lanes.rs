//! The values of one expression in the lanes of a warp.

use super::node::mask;

/// The number of lanes of a warp.
pub(crate) const LANES: usize = 32;

/// Values of all lanes of a warp. The value of a lane is its known part plus an unknown part, which is the same for all lanes. Sums are
/// modulo 2^width of the expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lanes {
    /// The known part, for each lane.
    pub values: [u64; LANES],
    /// The bits of the unknown part that may be 1.
    pub unknown: u64,
}

impl Lanes {
    /// The same known number in all lanes.
    pub fn number(value: u64) -> Self {
        Self { values: [value; LANES], unknown: 0 }
    }

    /// An unknown number, the same in all lanes, with these bits.
    pub fn uniform(unknown: u64) -> Self {
        Self { values: [0; LANES], unknown }
    }

    /// Whether all active lanes have the same value.
    pub fn is_uniform(&self, active: u32) -> bool {
        let mut lanes = active_lanes(active).map(|l| self.values[l]);
        let first = lanes.next();
        lanes.all(|v| Some(v) == first)
    }

    /// Whether no known bit lies where the unknown number has bits, so that their sum is their union.
    pub(crate) fn is_disjoint(&self) -> bool {
        self.values.iter().all(|v| v & self.unknown == 0)
    }

    /// The sum.
    pub fn plus(&self, other: &Self, width: u8) -> Self {
        let bits = mask(width);
        let values = std::array::from_fn(|l| self.values[l].wrapping_add(other.values[l]) & bits);
        Self { values, unknown: sum_of_unknown(self.unknown, other.unknown) & bits }
    }

    /// The product with a number.
    pub fn times(&self, by: u64, width: u8) -> Self {
        let bits = mask(width);
        Self {
            values: self.values.map(|v| v.wrapping_mul(by) & bits),
            unknown: scaled_unknown(self.unknown, by) & bits,
        }
    }

    /// The number of lowest bits that are 0 in all active lanes.
    pub fn zeros(&self, active: u32) -> u32 {
        // Below the lowest bit of either part, their sum has no bit either.
        active_lanes(active).fold(self.unknown, |all, l| all | self.values[l]).trailing_zeros()
    }
}

/// The lanes of a mask.
pub fn active_lanes(active: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| active >> lane & 1 == 1)
}

/// The bits of the sum of two unknown numbers.
fn sum_of_unknown(a: u64, b: u64) -> u64 {
    if a & b == 0 {
        return a | b;
    }
    let both = a | b;
    between(both.trailing_zeros(), 65 - both.leading_zeros())
}

/// The bits of the product of an unknown number and a number.
fn scaled_unknown(unknown: u64, by: u64) -> u64 {
    if unknown == 0 || by == 0 {
        return 0;
    }
    let zeros = unknown.trailing_zeros() + by.trailing_zeros();
    if by.is_power_of_two() {
        return unknown << by.trailing_zeros();
    }
    between(zeros, (64 - unknown.leading_zeros()) + (64 - by.leading_zeros()))
}

/// The bits from one position up to, and without, another.
pub(crate) fn between(from: u32, to: u32) -> u64 {
    let below = |n: u32| 1u64.checked_shl(n).map_or(u64::MAX, |bit| bit - 1);
    below(to) & !below(from)
}

#[cfg(test)]
mod tests {
    use super::{Lanes, between};

    #[test]
    fn unknown_bits_of_sums_and_products_are_all_there() {
        // All sums and products of small numbers with these bits.
        for (a, b) in [(0b1100u64, 0b0011), (0b0110, 0b0100), (0b1000, 0b1000), (0, 0b101)] {
            let sum = Lanes::uniform(a).plus(&Lanes::uniform(b), 32).unknown;
            let subsets = |of: u64| (0..16u64).filter(move |n| n & !of == 0);
            for (x, y) in subsets(a).flat_map(|x| subsets(b).map(move |y| (x, y))) {
                assert_eq!((x + y) & !sum, 0, "{x} + {y}");
                let product = Lanes::uniform(a).times(y, 32).unknown;
                assert_eq!((x * y) & !product, 0, "{x} * {y}");
            }
        }
        assert_eq!(between(3, 6), 0b111000);
        assert_eq!(between(0, 64), u64::MAX);
        assert_eq!(between(60, 70), 0xf << 60);
    }

    #[test]
    fn a_warp_has_as_many_lanes_as_the_tables_say() {
        assert_eq!(ptx_isa::ISA.constant("WARP_SZ").map(|c| c.value), Some(super::LANES as i64));
    }

    #[test]
    fn negative_factors_wrap() {
        let one = Lanes { values: std::array::from_fn(|l| l as u64), unknown: 0b100000 };
        let minus = one.times(u64::MAX, 32);
        assert_eq!(minus.values[1], 0xffff_ffff);
        assert_eq!(minus.unknown, 0xffff_ffe0);
    }
}
