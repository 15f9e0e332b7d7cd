//! The factors of a product of floating-point matrices, decoded once for all products that use them.

use super::element::{MatrixElementType, Traits, UnpackedFloat};
use super::sum::{FactorRow, SumCertainty, ZERO_FACTOR_EXPONENT, special_product};
use std::ops::Range;

/// Decoded lines along K: rows of A or columns of B.
pub(crate) struct Factors {
    /// Number of factors of a line.
    length: usize,
    /// Number of blocks of a line.
    blocks: usize,
    significands: Vec<i32>,
    /// Exponent of each factor; [`ZERO_FACTOR_EXPONENT`] for a zero.
    exponents: Vec<i16>,
    /// [`Traits`] of each factor; bit 7 is set if the factor is negative.
    each: Vec<u8>,
    /// Union of the [`Traits`] of the factors of each block.
    traits: Vec<u8>,
    /// Range of each whole line.
    lines: Vec<LineRange>,
}

/// Range of the numbers of a line.
#[derive(Debug, Clone, Copy)]
struct LineRange {
    /// Bounds on the numbers: the least weight of their bits, and the sum of their magnitudes.
    terms: SumCertainty,
    /// The greatest magnitude of any number.
    greatest: f64,
}

const NEGATIVE: u8 = 128;

impl Factors {
    /// Decodes `lines` lines of `length` elements; `bits` returns the bits of an element for a line and an index.
    pub fn new(
        element: MatrixElementType,
        negate: bool,
        lines: usize,
        length: usize,
        blocks: &[Range<usize>],
        bits: impl Fn(usize, usize) -> u64,
    ) -> Self {
        let count = lines * length;
        let mut all = Self {
            length,
            blocks: blocks.len(),
            significands: Vec::with_capacity(count),
            exponents: Vec::with_capacity(count),
            each: Vec::with_capacity(count),
            traits: Vec::with_capacity(lines * blocks.len()),
            lines: Vec::with_capacity(lines),
        };
        let fraction_bits = element.fraction_bits();
        for line in 0..lines {
            let mut reach = LineRange { terms: SumCertainty { least: i32::MAX, total: 0.0 }, greatest: 0.0 };
            for at in 0..length {
                let number = element.decode(bits(line, at));
                all.push(number, negate);
                let one = SumCertainty::of(number, fraction_bits);
                reach = LineRange { terms: reach.terms.and(one), greatest: reach.greatest.max(one.total) };
            }
            all.lines.push(reach);
            for block in blocks {
                let each = &all.each[line * length..][block.clone()];
                all.traits.push(each.iter().fold(0, |all, one| all | one) & !NEGATIVE);
            }
        }
        all
    }

    fn push(&mut self, number: UnpackedFloat, negate: bool) {
        let zero = number.significand == 0;
        self.significands.push(if negate { -number.significand } else { number.significand });
        self.exponents.push(if zero { ZERO_FACTOR_EXPONENT } else { number.exponent as i16 });
        let negative = if number.negative != negate { NEGATIVE } else { 0 };
        self.each.push(number.traits | negative);
    }

    /// Creates an empty buffer for one line.
    pub fn room(length: usize) -> Self {
        Self {
            length,
            blocks: 0,
            significands: vec![0; length],
            exponents: vec![0; length],
            each: vec![0; length],
            traits: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Fills the single line with elements of a line of `from`: those in `columns`, in the order `order`.
    pub fn gather(&mut self, from: &Self, line: usize, order: &[usize], columns: &[u16], blocks: &[Range<usize>]) {
        let base = line * from.length;
        for (at, place) in order.iter().enumerate() {
            let source = base + usize::from(columns[*place]);
            self.significands[at] = from.significands[source];
            self.exponents[at] = from.exponents[source];
            self.each[at] = from.each[source];
        }
        self.blocks = blocks.len();
        self.lines.clear();
        self.lines.push(from.lines[line]);
        self.traits.clear();
        for block in blocks {
            let traits = self.each[block.clone()].iter().fold(0, |all, one| all | one) & !NEGATIVE;
            self.traits.push(traits);
        }
    }

    /// Returns the range of the products of two lines.
    #[inline]
    pub fn products(&self, line: usize, other: &Self, other_line: usize) -> SumCertainty {
        let (a, b) = (&self.lines[line], &other.lines[other_line]);
        if a.terms.least == i32::MAX || b.terms.least == i32::MAX {
            return SumCertainty { least: i32::MAX, total: 0.0 };
        }
        SumCertainty {
            least: a.terms.least + b.terms.least,
            total: (a.terms.total * b.greatest).min(a.greatest * b.terms.total),
        }
    }

    /// Returns the union of the [`Traits`] of the factors of a block.
    #[inline]
    pub fn traits(&self, line: usize, block: usize) -> u8 {
        self.traits[line * self.blocks + block]
    }

    /// Returns the significands and exponents of a range of a line.
    #[inline]
    pub fn part(&self, line: usize, range: &Range<usize>) -> FactorRow<'_> {
        let (begin, end) = (line * self.length + range.start, line * self.length + range.end);
        FactorRow { significands: &self.significands[begin..end], exponents: &self.exponents[begin..end] }
    }

    /// Returns the [`Traits`] of NaNs and infinities among the products of ranges of two lines.
    pub fn special_products(&self, line: usize, other: &Self, other_line: usize, range: Range<usize>) -> u8 {
        let number = |each: u8| UnpackedFloat {
            traits: each & !NEGATIVE,
            negative: each & NEGATIVE != 0,
            ..UnpackedFloat::default()
        };
        let of =
            |factors: &Self, line: usize| (line * factors.length + range.start)..(line * factors.length + range.end);
        let (a, b) = (&self.each[of(self, line)], &other.each[of(other, other_line)]);
        a.iter().zip(b).fold(0, |all, (a, b)| all | special_product(number(*a), number(*b))) & Traits::SPECIAL
    }
}
