//! Numbers with more bits than any format, and their rounding: the basis of the directed roundings of `.f64`.

use super::FloatRounding;

/// A finite number, `mantissa × 2^exponent`. The last bit of the mantissa is sticky: it is set if any dropped bit was set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exact {
    /// Sign, also of a zero.
    pub negative: bool,
    /// Exponent of the mantissa's last bit.
    pub exponent: i32,
    /// Mantissa of at most 126 bits.
    pub mantissa: u128,
}

/// Maximum width of a mantissa in [`Exact::sum`], in bits: one bit remains for the carry.
const WIDTH: u32 = 126;
const FRACTION_BITS: u32 = 52;
/// Exponent of the last bit of a subnormal `.f64`.
const MIN_EXPONENT: i32 = -1074;
const INFINITY: u64 = 0x7ff0_0000_0000_0000;

impl Exact {
    /// Returns the value of a finite `.f64`.
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

    /// Returns the exact product of two numbers of up to 63 bits.
    #[inline]
    pub fn product(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            exponent: self.exponent + other.exponent,
            mantissa: self.mantissa.wrapping_mul(other.mantissa),
        }
    }

    /// Returns the quotient of two numbers of up to 64 bits; the divisor must not be zero.
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

    /// Returns the square root of a non-negative number.
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

    /// Returns the sum. Opposite numbers yield a zero whose sign depends on `rounding`.
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

    /// Returns the same value with its mantissa shifted up to `width` bits (zero stays zero).
    #[inline]
    fn raised(self, width: u32) -> Self {
        let up = self.mantissa.leading_zeros().saturating_sub(128 - width);
        if self.mantissa == 0 {
            return self;
        }
        Self { mantissa: self.mantissa << up, exponent: self.exponent - up as i32, ..self }
    }

    /// Returns the bits of the rounded `.f64`.
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
            // Two more bits than the result: the first dropped bit, and the sticky bit for the rest.
            let kept = shift_right(self.mantissa << 1, down.unsigned_abs() - 1);
            let rounds_up = match rounding {
                // More than half, or half and an odd last bit.
                FloatRounding::Nearest => matches!(kept & 7, 3 | 6 | 7),
                _ => away && kept & 3 != 0,
            };
            (kept >> 2) + u128::from(rounds_up)
        };
        // The hidden bit carries into the exponent; so does a mantissa that was rounded up to the next power of two.
        let magnitude = ((i64::from(last - MIN_EXPONENT) as u64) << FRACTION_BITS).wrapping_add(mantissa as u64);
        if last > 971 || magnitude >= INFINITY {
            let infinite = rounding == FloatRounding::Nearest || away;
            return sign | if infinite { INFINITY } else { INFINITY - 1 };
        }
        sign | magnitude
    }
}

/// Returns `value >> count` with the last bit set if any dropped bit was set.
#[inline]
fn shift_right(value: u128, count: u32) -> u128 {
    match value.checked_shr(count) {
        Some(kept) => kept | u128::from(kept << count != value),
        None => u128::from(value != 0),
    }
}
