//! Lanes of a warp, lane masks, and the types of lane values.

use bytemuck::Pod;
use std::fmt::Debug;

/// Number of lanes of a warp.
pub const LANES: usize = 32;

/// A set of lanes: bit *i* is lane *i*.
pub type LaneMask = u32;

/// The mask of all lanes.
pub const ALL: LaneMask = u32::MAX;

/// The lanes of a mask, in ascending order.
pub fn lanes(mask: LaneMask) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// The type of a lane's value as instructions see it: an integer, or a floating-point number of the host. Its bytes are those of the
/// register, little-endian.
pub trait Lane: Pod + Copy + Default + Debug + Send + Sync + PartialEq + 'static {
    /// Size in bytes.
    const BYTES: usize = size_of::<Self>();
    /// The bits, zero-extended.
    fn bits(self) -> u128;
    /// The value with the lowest bits of `bits`.
    fn from_bits(bits: u128) -> Self;
    /// The bits, extended to 128 bits: sign-extended for signed types, else zero-extended.
    fn extended(self) -> u128 {
        self.bits()
    }
}

macro_rules! integers {
    ($($ty:ty, $unsigned:ty, $wide:ty);*) => {$(
        impl Lane for $ty {
            #[inline(always)]
            fn bits(self) -> u128 {
                self as $unsigned as u128
            }
            #[inline(always)]
            fn from_bits(bits: u128) -> Self {
                bits as $ty
            }
            #[inline(always)]
            fn extended(self) -> u128 {
                self as $wide as u128
            }
        }
    )*};
}

integers!(u8, u8, u128; u16, u16, u128; u32, u32, u128; u64, u64, u128; u128, u128, u128;
    i8, u8, i128; i16, u16, i128; i32, u32, i128; i64, u64, i128; i128, u128, i128);

impl Lane for f32 {
    #[inline(always)]
    fn bits(self) -> u128 {
        self.to_bits().into()
    }
    #[inline(always)]
    fn from_bits(bits: u128) -> Self {
        Self::from_bits(bits as u32)
    }
}

impl Lane for f64 {
    #[inline(always)]
    fn bits(self) -> u128 {
        self.to_bits().into()
    }
    #[inline(always)]
    fn from_bits(bits: u128) -> Self {
        Self::from_bits(bits as u64)
    }
}

/// The lanes of a mask as text: `0-15, 31`.
pub(crate) fn list(mask: LaneMask) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut run: Option<(usize, usize)> = None;
    let mut close = |run: Option<(usize, usize)>| match run {
        Some((from, to)) if from == to => out.push(from.to_string()),
        Some((from, to)) => out.push(format!("{from}-{to}")),
        None => {}
    };
    for lane in lanes(mask) {
        run = match run {
            Some((from, to)) if to + 1 == lane => Some((from, lane)),
            other => {
                close(other);
                Some((lane, lane))
            }
        };
    }
    close(run);
    if out.is_empty() { "none".into() } else { out.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::{Lane, lanes};

    #[test]
    fn lanes_of_masks_ascend() {
        assert_eq!(lanes(0).count(), 0);
        assert_eq!(lanes(0x8000_0005).collect::<Vec<_>>(), [0, 2, 31]);
        assert_eq!(lanes(u32::MAX).count(), 32);
    }

    #[test]
    fn signed_values_are_extended_by_their_sign() {
        assert_eq!((-1i8).extended() as u32, u32::MAX);
        assert_eq!((-1i8).bits(), 0xff);
        assert_eq!(200u8.extended(), 200);
        assert_eq!(<f32 as Lane>::from_bits(0x3f80_0000), 1.0);
    }
}
