//! Numbers with more bits than any format holds, and their rounding: what directed roundings of `.f64` are made of.

use super::FloatRounding;

/// A finite number, `mantissa × 2^exponent`. Where bits were dropped below the last one, that one is set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exact {
    /// Whether it is below zero, or a zero of that sign.
    pub negative: bool,
    /// The power of two that the last bit of the mantissa stands for.
    pub exponent: i32,
    /// At most 126 bits.
    pub mantissa: u128,
}

/// The widest mantissa that [`Exact::sum`] works with: one bit is left for the carry.
const WIDTH: u32 = 126;
const FRACTION_BITS: u32 = 52;
/// The power of two that the last bit of a subnormal `.f64` stands for.
const MIN_EXPONENT: i32 = -1074;
const INFINITY: u64 = 0x7ff0_0000_0000_0000;

impl Exact {
    /// The value of a finite `.f64`.
    #[inline]
    pub fn of(bits: u64) -> Self {
        let biased = (bits >> FRACTION_BITS & 0x7ff) as i32;
        let fraction = bits & ((1 << FRACTION_BITS) - 1);
        let hidden = u64::from(biased != 0) << FRACTION_BITS;
        Self {
            negative: bits >> 63 != 0,
            exponent: MIN_EXPONENT + (biased - 1).max(0),
            mantissa: u128::from(fraction | hidden),
        }
    }

    /// The exact product of two numbers of up to 63 bits.
    #[inline]
    pub fn product(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            exponent: self.exponent + other.exponent,
            mantissa: self.mantissa.wrapping_mul(other.mantissa),
        }
    }

    /// The quotient of two numbers of up to 64 bits, the divisor not zero.
    #[inline]
    pub fn quotient(self, divisor: Self) -> Self {
        let (a, b) = (self.raised(127), divisor.raised(64));
        let Some(mantissa) = a.mantissa.checked_div(b.mantissa) else { return self };
        let inexact = mantissa.wrapping_mul(b.mantissa) != a.mantissa;
        Self {
            negative: self.negative != divisor.negative,
            exponent: a.exponent - b.exponent,
            mantissa: mantissa | u128::from(inexact),
        }
    }

    /// The square root of a number that is not negative.
    #[inline]
    pub fn root(self) -> Self {
        let mut a = self.raised(WIDTH);
        if a.exponent % 2 != 0 {
            a.mantissa <<= 1;
            a.exponent -= 1;
        }
        let mantissa = a.mantissa.isqrt();
        let inexact = mantissa.wrapping_mul(mantissa) != a.mantissa;
        Self { negative: false, exponent: a.exponent / 2, mantissa: mantissa | u128::from(inexact) }
    }

    /// The sum. Opposite numbers give a zero of the sign that `rounding` asks for.
    #[inline]
    pub fn sum(self, other: Self, rounding: FloatRounding) -> Self {
        let zero_sign = rounding == FloatRounding::Down;
        match (self.mantissa == 0, other.mantissa == 0) {
            (true, true) if self.negative != other.negative => return Self { negative: zero_sign, ..self },
            (true, _) => return other,
            (false, true) => return self,
            (false, false) => {}
        }
        let (a, b) = (self.raised(WIDTH), other.raised(WIDTH));
        let (a, b) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
        let low = shift_right(b.mantissa, a.exponent.abs_diff(b.exponent));
        if a.negative == b.negative {
            return Self { mantissa: a.mantissa.wrapping_add(low), ..a };
        }
        let negative = if a.mantissa == low { zero_sign } else { a.negative != (a.mantissa < low) };
        Self { negative, exponent: a.exponent, mantissa: a.mantissa.abs_diff(low) }
    }

    /// The same value, its mantissa moved up to `width` bits (zero stays zero).
    #[inline]
    fn raised(self, width: u32) -> Self {
        let up = self.mantissa.leading_zeros().saturating_sub(128 - width);
        if self.mantissa == 0 {
            return self;
        }
        Self { mantissa: self.mantissa << up, exponent: self.exponent - up as i32, ..self }
    }

    /// The bits of the `.f64` that it rounds to.
    #[inline]
    pub fn round(self, rounding: FloatRounding) -> u64 {
        let sign = u64::from(self.negative) << 63;
        if self.mantissa == 0 {
            return sign;
        }
        let bits = 128 - self.mantissa.leading_zeros() as i32;
        let last = (self.exponent + bits - (FRACTION_BITS as i32 + 1)).max(MIN_EXPONENT);
        let away = match rounding {
            FloatRounding::Down => self.negative,
            FloatRounding::Up => !self.negative,
            FloatRounding::Nearest | FloatRounding::Zero => false,
        };
        let down = last - self.exponent;
        let mantissa = if down <= 0 {
            self.mantissa << (-down).min(127)
        } else {
            // Two bits more than the result has: the first dropped one, and whether anything follows.
            let kept = shift_right(self.mantissa << 1, down.unsigned_abs() - 1);
            let rounds_up = match rounding {
                // More than half, or half and an odd last bit.
                FloatRounding::Nearest => matches!(kept & 7, 3 | 6 | 7),
                _ => away && kept & 3 != 0,
            };
            (kept >> 2) + u128::from(rounds_up)
        };
        // The hidden bit carries into the exponent, as does a mantissa that was rounded up to the next power of two.
        let magnitude = ((i64::from(last - MIN_EXPONENT) as u64) << FRACTION_BITS).wrapping_add(mantissa as u64);
        if last > 971 || magnitude >= INFINITY {
            let infinite = rounding == FloatRounding::Nearest || away;
            return sign | if infinite { INFINITY } else { INFINITY - 1 };
        }
        sign | magnitude
    }
}

/// `value >> count`, the last bit set when any that was dropped was.
#[inline]
fn shift_right(value: u128, count: u32) -> u128 {
    match value.checked_shr(count) {
        Some(kept) => kept | u128::from(kept << count != value),
        None => u128::from(value != 0),
    }
}
