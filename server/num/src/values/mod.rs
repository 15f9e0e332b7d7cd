//! Scalar arithmetic of instructions: pure functions of bits, without any machine.
//!
//! Where the manual fixes the bits of a result, these functions return exactly those bits. Where the manual leaves them open,
//! they return what hardware returns and mark the value ([`Marks`]). They never touch the host's rounding mode or its flushing
//! of subnormals.

pub mod atomic;
pub mod convert;
pub mod float;
pub mod integer;
pub mod video;

use std::ops::{BitOr, BitOrAssign};

/// A set of flags that tell how reliable the bits of a value are; empty if the manual fixes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks(u8);

impl Marks {
    /// No flag: the manual fixes the bits.
    pub const NONE: Self = Self(0);
    /// The manual leaves the bits open; they are the ones that hardware was observed to return, or a choice of this crate.
    pub const UNSPECIFIED: Self = Self(1);
    /// The value is within the documented error of an approximation, but may differ from the value that hardware returns.
    pub const APPROXIMATE: Self = Self(2);

    /// Whether all flags of `other` are set in `self`.
    #[inline]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether no flag is set.
    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Marks {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Marks {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
