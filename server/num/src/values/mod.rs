//! What instructions compute from values alone: plain functions of bits, without any machine.
//!
//! The rules: where the manual fixes the bits we give them; where it leaves them open we give what hardware gives, and mark the
//! value ([`Marks`]). The host's rounding mode and its flushing of subnormals are never touched.

pub mod atomic;
pub mod convert;
pub mod float;
pub mod integer;
pub mod video;

use std::ops::{BitOr, BitOrAssign};

/// What must be said of a value besides its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks(u8);

impl Marks {
    /// Nothing: the manual fixes the bits.
    pub const NONE: Self = Self(0);
    /// The manual leaves the bits open; they are those that hardware was seen to give, or ours.
    pub const UNSPECIFIED: Self = Self(1);
    /// Within the documented error of an approximation, not necessarily what hardware gives.
    pub const APPROXIMATE: Self = Self(2);

    /// Whether all of `other` is in it.
    #[inline]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing is to be said.
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
