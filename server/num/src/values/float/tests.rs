//! Tests against an independent implementation of the formats, and against constants folded by NVIDIA's assembler.

mod approximate;
mod folded;
mod reference;
mod selection;

use super::FloatRounding;

/// All four rounding directions.
const ROUNDINGS: [FloatRounding; 4] =
    [FloatRounding::Nearest, FloatRounding::Zero, FloatRounding::Down, FloatRounding::Up];

/// A deterministic stream of operands.
struct FloatSamples(u64);

impl FloatSamples {
    fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// 64 bits (xorshift).
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A whole number below `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        (self.bits() >> 11) % limit
    }

    /// Returns an operand of a format: any bits, subnormal, around one, near either end, a special one, or with few bits set.
    fn operand(&mut self, format: &TestFormat) -> u64 {
        let TestFormat { width, fraction, .. } = *format;
        let sign = (self.bits() & 1) << (width - 1);
        let low = self.bits() & ((1 << fraction) - 1);
        let bias = (1 << (width - fraction - 2)) - 1;
        let exponent = |e: u64| e << fraction;
        sign | match self.below(8) {
            0 => self.bits() & ((1 << (width - 1)) - 1),
            1 => low,
            2 => exponent(1 + self.below(3)) | low,
            3 => exponent(2 * bias - self.below(3)) | low,
            4 => format.specials[self.below(format.specials.len() as u64) as usize] & !(1 << (width - 1)),
            5 => exponent(bias + self.below(4)) | low & (low << (fraction / 2)),
            _ => exponent(bias - 3 + self.below(7)) | low,
        }
    }
}

/// Parameters of a format for the samples.
struct TestFormat {
    width: u32,
    fraction: u32,
    specials: Vec<u64>,
}

impl TestFormat {
    fn new(width: u32, fraction: u32) -> Self {
        let infinity = ((1 << (width - 1 - fraction)) - 1) << fraction;
        let normal = 1u64 << fraction;
        let one = (infinity >> (fraction + 1)) << fraction;
        let magnitudes = [
            0,
            1,
            2,
            normal / 2,
            normal - 1,
            normal,
            normal + 1,
            2 * normal,
            one - normal,
            one - 1,
            one,
            one + 1,
            one + normal,
            one + normal / 2,
            infinity - normal,
            infinity - 1,
            infinity,
            infinity + 1,
            infinity + normal / 2,
            infinity + normal - 1,
        ];
        let specials = magnitudes.iter().flat_map(|&m| [m, m | 1 << (width - 1)]).collect();
        Self { width, fraction, specials }
    }

    /// Returns all pairs of special operands, then `count` sampled pairs.
    fn pairs(&self, count: usize) -> Vec<[u64; 2]> {
        let mut samples = FloatSamples::new();
        let mut pairs: Vec<_> =
            self.specials.iter().flat_map(|&a| self.specials.iter().map(move |&b| [a, b])).collect();
        pairs.extend((0..count).map(|_| [samples.operand(self), samples.operand(self)]));
        pairs
    }

    /// Returns triples of operands: special ones and sampled ones.
    fn triples(&self, count: usize) -> Vec<[u64; 3]> {
        let mut samples = FloatSamples::new();
        let few: Vec<u64> = self.specials.iter().copied().step_by(3).collect();
        let mut triples = Vec::new();
        for &a in &few {
            for &b in &few {
                triples.extend(self.specials.iter().map(|&c| [a, b, c]));
            }
        }
        triples.extend((0..count).map(|_| [samples.operand(self), samples.operand(self), samples.operand(self)]));
        triples
    }
}
