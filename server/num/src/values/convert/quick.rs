//! Fast paths for the most common conversions: branch-free functions of one lane that vectorise in a loop over lanes.
//!
//! The manual leaves the bits of most NaNs open. They follow the constants that NVIDIA's assembler folds, or the results of its
//! sm_90 code: half precision to `.f32` yields `0x7fffffff`, a conversion to half precision `0x7fff`; between `.f64` and `.f32`
//! the upper digits are kept and the NaN becomes quiet.

/// binary16 to binary32, exact.
#[inline(always)]
pub fn f32_from_f16(half: u32) -> u32 {
    let sign = (half & 0x8000) << 16;
    let shifted = (half & 0x7fff) << 13;
    let normal = shifted + (112 << 23);
    // The digits of a subnormal are placed below 2^-14, and 2^-14 is subtracted again: exact.
    let small = (f32::from_bits(shifted + (113 << 23)) - f32::from_bits(113 << 23)).to_bits();
    let large = if shifted > 0x0f80_0000 { 0x7fff_ffff } else { 0x7f80_0000 };
    let magnitude = if shifted < 0x0080_0000 { small } else { normal };
    let special = shifted >= 0x0f80_0000;
    let magnitude = if special { large } else { magnitude };
    if shifted > 0x0f80_0000 { magnitude } else { sign | magnitude }
}

/// binary32 to binary16, to nearest even.
#[inline(always)]
pub fn f16_from_f32(bits: u32) -> u32 {
    let sign = (bits >> 16) & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    let rounded = magnitude.wrapping_add(0xfff + ((magnitude >> 13) & 1));
    let normal = rounded.wrapping_sub(112 << 23) >> 13;
    // Below 2^-14 the spacing of halves is 2^-24, the weight of the last bit of 0.5 in binary32: the addition rounds.
    let small = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let half = if magnitude < 0x3880_0000 { small } else { normal };
    let half = if rounded >= 0x4780_0000 { 0x7c00 } else { half };
    if magnitude > 0x7f80_0000 { 0x7fff } else { sign | half }
}

/// bfloat16 to binary32: a shift, which keeps the payload of a NaN (`ptxas` emits a shift for sm_90).
#[inline(always)]
pub fn f32_from_bf16(half: u32) -> u32 {
    half << 16
}

/// binary32 to bfloat16, to nearest even.
#[inline(always)]
pub fn bf16_from_f32(bits: u32) -> u32 {
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
    if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff } else { rounded }
}

/// binary32 to binary64, exact.
#[inline(always)]
pub fn f64_from_f32(bits: u32) -> u64 {
    let nan = u64::from(bits >> 31) << 63 | 0x7ff8_0000_0000_0000 | u64::from(bits & 0x7f_ffff) << 29;
    let number = f64::from(f32::from_bits(bits)).to_bits();
    if bits & 0x7fff_ffff > 0x7f80_0000 { nan } else { number }
}

/// Converts a NaN of binary64 to a NaN of binary32.
#[inline(always)]
pub fn f32_nan_from_f64(bits: u64) -> u32 {
    ((bits >> 32) as u32 & 0x8000_0000) | 0x7fc0_0000 | ((bits >> 29) as u32 & 0x3f_ffff)
}

/// binary64 to binary32, to nearest even.
#[inline(always)]
pub fn f32_from_f64(bits: u64) -> u32 {
    let number = (f64::from_bits(bits) as f32).to_bits();
    if bits & i64::MAX as u64 > 0x7ff0_0000_0000_0000 { f32_nan_from_f64(bits) } else { number }
}

/// Applies `.ftz` to a source if `FTZ` is set: subnormal numbers become zeros with their sign.
#[inline(always)]
pub fn flushed_f32<const FTZ: bool>(bits: u32) -> u32 {
    if FTZ && bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// `cvt.sat.f32.f32`: NaN, negative numbers and -0 become +0, numbers above 1 become 1.
#[inline(always)]
pub fn saturated_f32(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    let positive = if value > 0.0 { bits } else { 0 };
    if value > 1.0 { 0x3f80_0000 } else { positive }
}

/// `.rni`, as a number for constant parameters like the three modifiers below.
pub const NEAREST: u8 = 0;
/// `.rzi`
pub const TOWARD_ZERO: u8 = 1;
/// `.rmi`
pub const DOWN: u8 = 2;
/// `.rpi`
pub const UP: u8 = 3;

/// Defines a function that rounds to an integral value without a library call. Signs of zero are kept; a NaN stays a NaN.
macro_rules! integral {
    ($name:ident, $float:ty, $place:literal) => {
        #[doc = concat!("Rounds to an integral `", stringify!($float), "`.")]
        #[inline(always)]
        pub fn $name<const MODE: u8>(value: $float) -> $float {
            // Numbers from `PLACE` on have no fraction digits. Adding it to a smaller number drops the fraction and rounds to
            // nearest even.
            const PLACE: $float = $place;
            let size = value.abs();
            let nearest = (size + PLACE) - PLACE;
            let nearest = if size < PLACE { nearest } else { size };
            let below = if nearest > size { nearest - 1.0 } else { nearest };
            let above = if nearest < size { nearest + 1.0 } else { nearest };
            let negative = value.is_sign_negative();
            let chosen = match MODE {
                NEAREST => nearest,
                TOWARD_ZERO => below,
                DOWN if negative => above,
                DOWN => below,
                _ if negative => below,
                _ => above,
            };
            chosen.copysign(value)
        }
    };
}

// 2^23 and 2^52.
integral!(integral_f32, f32, 8_388_608.0);
integral!(integral_f64, f64, 4_503_599_627_370_496.0);

/// Returns the 32 low bits of an integral value between -2^31 and 2^32. Rust's own conversion saturates, which no vector
/// instruction of x86 does, so loops that use it are not vectorised. This function converts the value in two halves of 16 bits,
/// exactly.
#[inline(always)]
fn low_bits(integral: f32) -> u32 {
    // Adding `PLACE` to a number below 2^22 leaves the integer in the lowest digits.
    const PLACE: f32 = 12_582_912.0;
    let upper = integral * (1.0 / 65_536.0) + PLACE;
    let lower = (integral - (upper - PLACE) * 65_536.0) + PLACE;
    let digits = |value: f32| value.to_bits().wrapping_sub(PLACE.to_bits());
    (digits(upper) << 16).wrapping_add(digits(lower))
}

/// binary32 to a clamped `.s32`; a NaN becomes 0.
#[inline(always)]
pub fn s32_from_f32<const MODE: u8>(bits: u32) -> u32 {
    const BEYOND: f32 = 2_147_483_648.0;
    let value = integral_f32::<MODE>(f32::from_bits(bits));
    let inside = if value < BEYOND { value } else { 0.0 };
    let inside = if inside > -BEYOND { inside } else { -BEYOND };
    let result = low_bits(inside);
    if value >= BEYOND { 0x7fff_ffff } else { result }
}

/// binary32 to a clamped `.u32`; a NaN becomes 0.
#[inline(always)]
pub fn u32_from_f32<const MODE: u8>(bits: u32) -> u32 {
    const BEYOND: f32 = 4_294_967_296.0;
    let value = integral_f32::<MODE>(f32::from_bits(bits));
    let inside = if value < BEYOND { value } else { 0.0 };
    let inside = if inside > 0.0 { inside } else { 0.0 };
    let result = low_bits(inside);
    if value >= BEYOND { u32::MAX } else { result }
}

/// binary32 to a clamped `.s64`; a NaN becomes the top bit alone.
#[inline(always)]
pub fn s64_from_f32<const MODE: u8>(bits: u32) -> u64 {
    let value = integral_f32::<MODE>(f32::from_bits(bits));
    if value.is_nan() { 1 << 63 } else { (value as i64) as u64 }
}

/// binary32 to a clamped `.u64`; a NaN becomes the top bit alone.
#[inline(always)]
pub fn u64_from_f32<const MODE: u8>(bits: u32) -> u64 {
    let value = integral_f32::<MODE>(f32::from_bits(bits));
    if value.is_nan() { 1 << 63 } else { value as u64 }
}

/// binary64 to a clamped `.s32`; a NaN becomes the top bit alone.
#[inline(always)]
pub fn s32_from_f64<const MODE: u8>(bits: u64) -> u32 {
    let value = integral_f64::<MODE>(f64::from_bits(bits));
    if value.is_nan() { 1 << 31 } else { (value as i32) as u32 }
}

/// binary64 to a clamped `.u32`; a NaN becomes the top bit alone.
#[inline(always)]
pub fn u32_from_f64<const MODE: u8>(bits: u64) -> u32 {
    let value = integral_f64::<MODE>(f64::from_bits(bits));
    if value.is_nan() { 1 << 31 } else { value as u32 }
}

/// binary64 to a clamped `.s64`; a NaN becomes the top bit alone.
#[inline(always)]
pub fn s64_from_f64<const MODE: u8>(bits: u64) -> u64 {
    let value = integral_f64::<MODE>(f64::from_bits(bits));
    if value.is_nan() { 1 << 63 } else { (value as i64) as u64 }
}

/// binary64 to a clamped `.u64`; a NaN becomes the top bit alone.
#[inline(always)]
pub fn u64_from_f64<const MODE: u8>(bits: u64) -> u64 {
    let value = integral_f64::<MODE>(f64::from_bits(bits));
    if value.is_nan() { 1 << 63 } else { value as u64 }
}

/// The low `BITS` bits, sign-extended.
#[inline(always)]
pub fn sign_extend<const BITS: u32>(bits: u32) -> u32 {
    (((bits << (32 - BITS)) as i32) >> (32 - BITS)) as u32
}

/// The low `BITS` bits, the others zero.
#[inline(always)]
pub fn zero_extend<const BITS: u32>(bits: u32) -> u32 {
    (bits << (32 - BITS)) >> (32 - BITS)
}

/// `cvt.rna.tf32.f32`: adds half a step and clears the 13 lowest bits; for infinities and NaNs it only clears them. `ptxas`
/// emits this for every target (sm_80 … sm_100a) and folds in the same way, so a NaN with digits only in the low bits becomes
/// infinity.
#[inline(always)]
pub fn tf32_away(bits: u32) -> u32 {
    let number = bits & 0x7fff_ffff < 0x7f80_0000;
    (bits.wrapping_add(if number { 0x1000 } else { 0 })) & 0xffff_e000
}

/// `cvt.rna.satfinite.tf32.f32`: as [`tf32_away`], then subtracts a step from infinities *and* NaNs (`ptxas`, sm_80 … sm_100a).
/// A NaN with digits only in the low bits thus becomes the largest number, although the manual specifies a NaN.
#[inline(always)]
pub fn tf32_away_finite(bits: u32) -> u32 {
    let rounded = tf32_away(bits);
    if rounded & 0x7fff_ffff >= 0x7f80_0000 { rounded.wrapping_sub(0x2000) } else { rounded }
}
