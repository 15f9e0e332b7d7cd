//! Tests of the products against independent models, and of the tables against the manual.

mod exact;
mod floats;
mod fragments;
mod memory;
mod published;
mod reference;

/// A small deterministic generator of numbers.
pub(super) struct MatrixRandom(pub u64);

impl MatrixRandom {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, count: u64) -> u64 {
        (self.next() >> 33) % count
    }
}
