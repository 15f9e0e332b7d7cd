//! Elementary functions of `f64` for the approximate instructions, accurate to about 2^-50. They use only additions,
//! multiplications and divisions, so every host computes the same bits.

use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E};

/// Evaluates a polynomial in `x` with the given coefficients, the constant first.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Returns `1/first!, 1/(first + step)!, …`, with alternating signs if `alternating` is set.
#[inline]
const fn inverse_factorials<const N: usize>(first: u32, step: u32, alternating: bool) -> [f64; N] {
    let mut coefficients = [0.0; N];
    let (mut i, mut k, mut factorial) = (0, 0, 1.0);
    while i < N {
        while k < first + i as u32 * step {
            k += 1;
            factorial *= k as f64;
        }
        coefficients[i] = if alternating && i % 2 == 1 { -1.0 / factorial } else { 1.0 / factorial };
        i += 1;
    }
    coefficients
}

/// Returns 2^`whole` for -1022 to 1023.
#[inline(always)]
fn power_of_two(whole: i32) -> f64 {
    f64::from_bits((i64::from(1023 + whole) as u64) << 52)
}

/// Returns 2^x; `x` is clamped to |x| ≤ 500.
#[inline(always)]
pub(super) fn exp2(x: f64) -> f64 {
    const TERMS: [f64; 15] = inverse_factorials(0, 1, false);
    let x = x.clamp(-500.0, 500.0);
    let whole = round_to_integer(x);
    polynomial((x - whole) * LN_2, TERMS) * power_of_two(whole as i32)
}

/// Returns the nearest whole number, for |x| up to 2^51.
#[inline(always)]
fn round_to_integer(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 × 2^52: a number added to it loses its fraction
    (x + SHIFT) - SHIFT
}

/// Returns the logarithm to base 2 of a positive normal number.
#[inline(always)]
pub(super) fn log2(x: f64) -> f64 {
    // x = 2^whole × part with √½ ≤ part < √2, so that the two terms of the result never cancel.
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let shifted = x.to_bits().wrapping_sub(ROOT_HALF);
    let whole = (shifted as i64) >> 52;
    let part = f64::from_bits(x.to_bits().wrapping_sub((whole as u64) << 52));
    // ln(part) = 2 artanh((part - 1) / (part + 1))
    let s = (part - 1.0) / (part + 1.0);
    let mut series = [0.0; 12];
    let mut odd = 1.0;
    for coefficient in &mut series {
        *coefficient = 1.0 / odd;
        odd += 2.0;
    }
    whole as f64 + 2.0 * LOG2_E * s * polynomial(s * s, series)
}

/// Returns the hyperbolic tangent.
#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    let square = x * x;
    // A continued fraction for arguments with which the exponential form would cancel; it converges fast enough for |x| < 1.
    let mut tail = 17.0;
    for odd in [15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        tail = odd + square / tail;
    }
    let large = 1.0 - 2.0 / (exp2(2.0 * LOG2_E * x.abs()) + 1.0);
    if x.abs() < 0.5 { x / tail } else { large.copysign(x) }
}

/// Returns sine and cosine of a finite `.f32` of any size.
#[inline(always)]
pub(super) fn sin_cos(x: f32) -> (f64, f64) {
    let (quadrant, angle) = reduce(x);
    let square = angle * angle;
    const SINE: [f64; 9] = inverse_factorials(1, 2, true);
    const COSINE: [f64; 10] = inverse_factorials(0, 2, true);
    let (sine, cosine) = (angle * polynomial(square, SINE), polynomial(square, COSINE));
    match quadrant & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// Reduces `x` to a number of quarter turns and an angle of at most an eighth of a turn.
#[inline(always)]
fn reduce(x: f32) -> (u32, f64) {
    if x.abs() < 0.75 {
        return (0, f64::from(x));
    }
    // The fraction bits of 2/π.
    const TWO_OVER_PI: [u64; 5] = [
        0xa2f9_836e_4e44_1529,
        0xfc27_57d1_f534_ddc0,
        0xdb62_9599_3c43_9041,
        0xfe51_63ab_debb_c561,
        0xb724_6e3a_424d_d2e0,
    ];
    let biased = x.to_bits() >> 23 & 0xff;
    let mantissa = x.to_bits() & 0x7f_ffff | 0x80_0000;
    // x = mantissa × 2^(biased - 150). The 128-bit window of 2/π begins at the bit that, multiplied by that power of two, is
    // worth 2. The bits before it add multiples of four quarter turns and drop out of the wrapping product.
    let power = biased as i32 - 150;
    let window = if power >= 2 {
        window_of(&TWO_OVER_PI, (power - 2) as u32)
    } else {
        window_of(&TWO_OVER_PI, 0) >> (2 - power)
    };
    let turns = window.wrapping_mul(u128::from(mantissa));
    // The fraction of a quarter turn as a signed number; the quarter turns are rounded to nearest.
    let quadrant = (turns.wrapping_add(1 << 125) >> 126) as u32;
    let fraction = (turns << 2) as i128;
    let angle = fraction as f64 * power_of_two(-128) * FRAC_PI_2;
    if x < 0.0 { (quadrant.wrapping_neg(), -angle) } else { (quadrant, angle) }
}

/// Returns 128 bits from bit `start` on; the first bit becomes the highest.
#[inline(always)]
fn window_of(words: &[u64; 5], start: u32) -> u128 {
    let word = |i: u32| u128::from(words.get(i as usize).copied().unwrap_or(0));
    let (first, offset) = (start / 64, start % 64);
    let high = word(first) << 64 | word(first + 1);
    let next = word(first + 2);
    high << offset | (next << offset) >> 64
}
