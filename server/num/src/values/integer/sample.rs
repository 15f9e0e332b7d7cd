//! Operands for tests: all special values, and numbers from a small deterministic generator.

use super::Int;

/// A xorshift generator of 64 bits (Marsaglia, "Xorshift RNGs", 2003: shifts 13, 7, 17).
pub(crate) struct Sample(u64);

impl Sample {
    /// Creates a generator with its own seed, so that tests use different numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns the next number.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns an operand; every second one is close to a power of two or small.
    pub(crate) fn operand<T: Int>(&mut self) -> T {
        let bits = self.bits();
        let near = (self.bits() % 5).wrapping_sub(2);
        let edge = 1u64.checked_shl((bits >> 8) as u32 % 66).unwrap_or(0).wrapping_add(near);
        let small = bits >> (self.bits() % 64);
        T::from_bits(match bits % 4 {
            0 => edge,
            1 => small,
            _ => bits,
        })
    }
}

/// Returns numbers at the limits of the type; tests use all pairs of them.
pub(crate) fn special<T: Int>() -> Vec<T> {
    let half = 1u64 << (T::BITS - 1);
    let numbers = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, half - 1, half, half + 1];
    let numbers = numbers.iter().flat_map(|n| [*n, n.wrapping_neg(), !n]);
    numbers.map(T::from_bits).collect()
}

/// All pairs of special values, then `count` pairs from the generator.
pub(crate) fn pairs<T: Int>(seed: u64, count: usize) -> Vec<(T, T)> {
    let edges = special::<T>();
    let mut out: Vec<(T, T)> = edges.iter().flat_map(|a| edges.iter().map(move |b| (*a, *b))).collect();
    let mut sample = Sample::new(seed);
    out.extend((0..count).map(|_| (sample.operand(), sample.operand())));
    out
}

/// Returns the numeric value of an operand.
pub(crate) fn value<T: Int>(a: T) -> i128 {
    let bits = i128::from(a.to_bits());
    if T::SIGNED && bits >> (T::BITS - 1) == 1 { bits - (1 << T::BITS) } else { bits }
}

/// Returns a number truncated to the type.
pub(crate) fn cut<T: Int>(number: i128) -> T {
    T::from_bits(number as u64)
}

/// Returns a number clamped to the range of the type.
pub(crate) fn clamped<T: Int>(number: i128) -> T {
    let (low, high) =
        if T::SIGNED { (-(1i128 << (T::BITS - 1)), (1i128 << (T::BITS - 1)) - 1) } else { (0, (1i128 << T::BITS) - 1) };
    cut(number.clamp(low, high))
}
