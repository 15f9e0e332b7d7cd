//! Fused multiplication and addition in double precision with any rounding, as `mma` on `.f64` uses it.

/// Where a result goes that is no number of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the nearest, of two to the even one.
    NearestEven,
    /// Toward zero.
    Zero,
    /// Toward negative infinity.
    Down,
    /// Toward positive infinity.
    Up,
}

impl Direction {
    /// That of a modifier (`.rz`, with or without its dot).
    pub fn named(name: &str) -> Option<Self> {
        match name.strip_prefix('.').unwrap_or(name) {
            "rn" => Some(Self::NearestEven),
            "rz" => Some(Self::Zero),
            "rm" => Some(Self::Down),
            "rp" => Some(Self::Up),
            _ => None,
        }
    }
}

/// What hardware gives for an invalid operation on doubles.
const NAN: u64 = 0xfff8_0000_0000_0000;

/// `a * b + c`, rounded once.
#[inline]
pub fn fused(a: u64, b: u64, c: u64, direction: Direction) -> u64 {
    let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
    let nearest = x.mul_add(y, z);
    if nearest.is_nan() {
        return NAN;
    }
    if direction == Direction::NearestEven || !(x.is_finite() && y.is_finite() && z.is_finite()) {
        return nearest.to_bits();
    }
    exact(a, b, c, direction)
}

/// The same of finite numbers, from an exact sum.
fn exact(a: u64, b: u64, c: u64, direction: Direction) -> u64 {
    let split = |bits: u64| {
        let (fraction, field) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i32);
        let significand = if field == 0 { fraction } else { fraction | 1 << 52 };
        (bits >> 63 == 1, u128::from(significand), field.max(1) - 1075)
    };
    let ((sa, ma, ea), (sb, mb, eb), (sc, mc, ec)) = (split(a), split(b), split(c));
    // Significands at the top of 126 bits; what falls off at the bottom leaves a lowest bit behind. A bit can only fall off where
    // the exponents differ so much that the sum keeps all its bits but one.
    let lift = |sign: bool, significand: u128, exponent: i32| {
        let up = significand.leading_zeros().saturating_sub(2);
        (sign, significand << up, exponent - up as i32)
    };
    let (p, q) = (lift(sa != sb, ma * mb, ea + eb), lift(sc, mc, ec));
    if p.1 == 0 && q.1 == 0 {
        let negative = if p.0 == q.0 { p.0 } else { direction == Direction::Down };
        return u64::from(negative) << 63;
    }
    let (big, small) = if q.1 == 0 || p.1 != 0 && p.2 >= q.2 { (p, q) } else { (q, p) };
    let down = if small.1 == 0 { 0 } else { (big.2 - small.2).clamp(0, 127) as u32 };
    let kept = small.1 >> down;
    let low = kept | u128::from(kept << down != small.1);
    let (sign, sum) = if big.0 == small.0 || small.1 == 0 {
        (big.0, big.1 + low)
    } else if big.1 >= low {
        (big.0, big.1 - low)
    } else {
        (small.0, low - big.1)
    };
    if sum == 0 {
        return u64::from(direction == Direction::Down) << 63;
    }
    rounded(sign, sum, big.2, direction)
}

fn rounded(sign: bool, sum: u128, exponent: i32, direction: Direction) -> u64 {
    let top = 127 - sum.leading_zeros() as i32 + exponent;
    let lowest = (top - 52).max(-1074);
    let down = lowest - exponent;
    let (kept, rest) = match down {
        ..=0 => (sum << down.unsigned_abs().min(127), false),
        1..=127 => (sum >> down, sum & ((1 << down) - 1) != 0),
        _ => (0, true),
    };
    let away = rest && matches!((direction, sign), (Direction::Down, true) | (Direction::Up, false));
    let significand = kept as u64 + u64::from(away);
    // The field is one too small by the implicit bit, which carries into it.
    let packed = (((lowest + 1074) as u64) << 52) + significand;
    let infinity = 0x7ff0_0000_0000_0000;
    let bits = match packed >= infinity {
        true if matches!(
            (direction, sign),
            (Direction::Zero, _) | (Direction::Down, false) | (Direction::Up, true)
        ) =>
        {
            infinity - 1
        }
        true => infinity,
        false => packed,
    };
    bits | u64::from(sign) << 63
}
