//! Binary floating-point formats, described by their parameters, and exact values for conversions between them.
//!
//! A source is decoded to a [`Real`], which represents it exactly. The result is encoded from it with a single rounding. Every
//! conversion without a fast path works this way, so no conversion rounds twice.

/// Meaning of the largest codes of a floating-point format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialCodes {
    /// The largest exponent is reserved for infinity and NaN, as in IEEE 754.
    Ieee,
    /// Only the largest magnitude is a NaN, and there is no infinity (`.e4m3`, `.ue4m3`, `.ue5m3`).
    OneNan,
    /// Every code is a number (`.e2m1`, `.e2m3`, `.e3m2`).
    None,
}

/// A floating-point format: sign, exponent and fraction from the top bit down, with subnormals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatLayout {
    /// Width of the exponent in bits.
    pub exponent_bits: u32,
    /// Width of the fraction in bits.
    pub fraction_bits: u32,
    /// Exponent bias: the exponent is its code minus this number.
    pub bias: i32,
    /// Whether there is a sign bit.
    pub signed: bool,
    /// Meaning of the largest codes.
    pub special: SpecialCodes,
}

/// Rounding of a value between two neighbours of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundingDirection {
    /// To the nearer neighbour, ties to the even one.
    Nearest,
    /// To the nearer neighbour, ties away from zero.
    NearestAway,
    /// Toward zero.
    Zero,
    /// Toward negative infinity.
    Down,
    /// Toward positive infinity.
    Up,
    /// Stochastic: away from zero if adding `bits` (`width` bits) to the first discarded bits carries.
    Stochastic {
        /// The random number.
        bits: u32,
        /// Number of random bits.
        width: u32,
    },
}

/// Class of a [`Real`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberClass {
    /// Zero.
    Zero,
    /// A number other than zero.
    Finite,
    /// Infinity.
    Infinite,
    /// Not a number.
    Nan,
}

/// An exact value: `significand · 2^exponent`, negated when `negative`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Real {
    /// The sign, also of zero, infinity and NaN.
    pub negative: bool,
    /// Class of the value; only finite values (other than zero) have a significand.
    pub class: NumberClass,
    /// Exponent of the significand's lowest bit.
    pub exponent: i32,
    /// The digits.
    pub significand: u64,
}

impl Real {
    /// Returns a zero with that sign.
    #[inline]
    pub const fn zero(negative: bool) -> Self {
        Self { negative, class: NumberClass::Zero, exponent: 0, significand: 0 }
    }

    /// A NaN, without its payload.
    pub const NAN: Self = Self { negative: false, class: NumberClass::Nan, exponent: 0, significand: 0 };

    /// Returns `magnitude · 2^exponent` with a sign.
    #[inline]
    pub const fn scaled(negative: bool, magnitude: u64, exponent: i32) -> Self {
        if magnitude == 0 {
            return Self::zero(negative);
        }
        Self { negative, class: NumberClass::Finite, exponent, significand: magnitude }
    }

    /// Returns an integer of 64 bits, read as signed or unsigned; zero is positive.
    #[inline]
    pub const fn integer(bits: u64, signed: bool) -> Self {
        let negative = signed && (bits as i64) < 0;
        let magnitude = if negative { (bits as i64).unsigned_abs() } else { bits };
        Self::scaled(negative, magnitude, 0)
    }

    /// Returns the value times 2^`power`, exactly.
    #[inline]
    pub const fn times_power(self, power: i32) -> Self {
        Self { exponent: self.exponent + power, ..self }
    }

    /// Returns the magnitude.
    #[inline]
    pub const fn magnitude(self) -> Self {
        Self { negative: false, ..self }
    }

    /// The exponent of the highest digit of a finite value.
    const fn top(self) -> i32 {
        self.exponent + 63 - self.significand.leading_zeros() as i32
    }

    /// The multiple of `2^quantum` that `direction` chooses, as a count of quanta without the sign; saturates at `u64::MAX`.
    #[inline]
    pub fn quanta(self, quantum: i32, direction: RoundingDirection) -> u64 {
        match self.class {
            NumberClass::Zero | NumberClass::Nan => return 0,
            NumberClass::Infinite => return u64::MAX,
            NumberClass::Finite => {}
        }
        let shift = quantum - self.exponent;
        if shift <= 0 {
            return if self.top() - quantum > 63 { u64::MAX } else { self.significand << -shift };
        }
        // More than 127 discarded bits make no difference: all digits are then far below half a quantum.
        let shift = shift.min(127) as u32;
        let digits = u128::from(self.significand);
        let kept = (digits >> shift) as u64;
        let rest = digits & ((1 << shift) - 1);
        let half = 1_u128 << (shift - 1);
        let up = match direction {
            RoundingDirection::Nearest => rest > half || (rest == half && kept & 1 == 1),
            RoundingDirection::NearestAway => rest >= half,
            RoundingDirection::Zero => false,
            RoundingDirection::Down => rest != 0 && self.negative,
            RoundingDirection::Up => rest != 0 && !self.negative,
            RoundingDirection::Stochastic { bits, width } => {
                let field = if shift >= width { rest >> (shift - width) } else { rest << (width - shift) };
                (field + u128::from(bits)) >> width != 0
            }
        };
        kept.saturating_add(u64::from(up))
    }
}

impl FloatLayout {
    /// IEEE binary16.
    pub const F16: Self = Self::ieee(5, 10);
    /// The upper half of binary32.
    pub const BF16: Self = Self::ieee(8, 7);
    /// binary32 with 10 fraction bits, counted without the 13 zeros below them.
    pub const TF32: Self = Self::ieee(8, 10);
    /// IEEE binary32.
    pub const F32: Self = Self::ieee(8, 23);
    /// IEEE binary64.
    pub const F64: Self = Self::ieee(11, 52);

    const fn ieee(exponent_bits: u32, fraction_bits: u32) -> Self {
        let bias = (1 << (exponent_bits - 1)) - 1;
        Self { exponent_bits, fraction_bits, bias, signed: true, special: SpecialCodes::Ieee }
    }

    /// Width without the sign, in bits.
    #[inline]
    pub const fn magnitude_bits(self) -> u32 {
        self.exponent_bits + self.fraction_bits
    }

    /// Mask of the sign bit; 0 if the format has no sign.
    #[inline]
    pub const fn sign_bit(self) -> u64 {
        (self.signed as u64) << self.magnitude_bits()
    }

    /// All bits of the magnitude: the canonical NaN of every format that has one.
    #[inline]
    pub const fn all_ones(self) -> u64 {
        (1 << self.magnitude_bits()) - 1
    }

    /// The code of the largest finite number.
    #[inline]
    pub const fn largest(self) -> u64 {
        match self.special {
            SpecialCodes::Ieee => self.infinity() - 1,
            SpecialCodes::OneNan => self.all_ones() - 1,
            SpecialCodes::None => self.all_ones(),
        }
    }

    /// The code of infinity in an IEEE format; meaningless in other formats.
    #[inline]
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    /// The code of 1.
    #[inline]
    pub const fn one(self) -> u64 {
        (self.bias as u64) << self.fraction_bits
    }

    /// The exponent of the smallest normal number.
    const fn smallest_exponent(self) -> i32 {
        1 - self.bias
    }

    /// Whether these bits are a NaN.
    #[inline]
    pub const fn is_nan(self, bits: u64) -> bool {
        let magnitude = bits & self.all_ones();
        match self.special {
            SpecialCodes::Ieee => magnitude > self.infinity(),
            SpecialCodes::OneNan => magnitude == self.all_ones(),
            SpecialCodes::None => false,
        }
    }

    /// Whether these bits are a subnormal number (zero is not one).
    #[inline]
    pub const fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = bits & self.all_ones();
        magnitude != 0 && magnitude >> self.fraction_bits == 0
    }

    /// Returns the value of a code; bits above the format are ignored.
    #[inline]
    pub const fn decode(self, bits: u64) -> Real {
        let negative = bits & self.sign_bit() != 0;
        let magnitude = bits & self.all_ones();
        if self.is_nan(bits) {
            return Real { negative, ..Real::NAN };
        }
        if matches!(self.special, SpecialCodes::Ieee) && magnitude == self.infinity() {
            return Real { negative, class: NumberClass::Infinite, exponent: 0, significand: 0 };
        }
        let code = (magnitude >> self.fraction_bits) as i32;
        let fraction = magnitude & ((1 << self.fraction_bits) - 1);
        let hidden = if code == 0 { 0 } else { 1 << self.fraction_bits };
        let exponent = if code == 0 { self.smallest_exponent() } else { code - self.bias };
        Real::scaled(negative, fraction | hidden, exponent - self.fraction_bits as i32)
    }

    /// Returns the code of a value, rounded once. A value that is too large becomes infinity (the NaN in a format without
    /// infinities), or the largest number if the direction leads there or `saturate` is set. A NaN becomes the positive
    /// canonical NaN, or the largest number in a format without NaN. A format without a sign uses the magnitude.
    #[inline]
    pub fn encode(self, value: Real, direction: RoundingDirection, saturate: bool) -> u64 {
        let value = if self.signed { value } else { value.magnitude() };
        let sign = if value.negative { self.sign_bit() } else { 0 };
        match value.class {
            NumberClass::Nan => return self.all_ones(),
            NumberClass::Zero => return sign,
            NumberClass::Infinite => return sign | if saturate { self.largest() } else { self.endless() },
            NumberClass::Finite => {}
        }
        // A value far beyond the format's range: the code computed below would overflow.
        if value.top() > self.bias + 2 {
            return sign | self.overflow(value.negative, direction, saturate);
        }
        let smallest = self.smallest_exponent();
        let top = if value.top() > smallest { value.top() } else { smallest };
        let kept = value.quanta(top - self.fraction_bits as i32, direction);
        // Without the hidden bit, the codes of subnormals and of the smallest normal numbers are consecutive; a carry moves to
        // the next exponent by itself.
        let code = (((top - smallest) as u64) << self.fraction_bits) + kept;
        if code > self.largest() {
            return sign | self.overflow(value.negative, direction, saturate);
        }
        sign | code
    }

    /// Returns the code of an infinite value, without the sign.
    const fn endless(self) -> u64 {
        match self.special {
            SpecialCodes::Ieee => self.infinity(),
            SpecialCodes::OneNan | SpecialCodes::None => self.all_ones(),
        }
    }

    const fn overflow(self, negative: bool, direction: RoundingDirection, saturate: bool) -> u64 {
        let inward = match direction {
            RoundingDirection::Zero => true,
            RoundingDirection::Down => !negative,
            RoundingDirection::Up => negative,
            RoundingDirection::Nearest | RoundingDirection::NearestAway | RoundingDirection::Stochastic { .. } => false,
        };
        if inward || saturate { self.largest() } else { self.endless() }
    }

    /// Whether the value, rounded with an unbounded exponent, is below the smallest normal number. This is the condition for
    /// `.ftz` to flush a result: `ptxas` compares the source of `cvt.ftz.f32.f64` with exactly these bounds (`.rn`, `.rz`,
    /// `.rm`, `.rp`, sm_90).
    #[inline]
    pub fn is_tiny(self, value: Real, direction: RoundingDirection) -> bool {
        if value.class != NumberClass::Finite || value.top() >= self.smallest_exponent() {
            return false;
        }
        let quantum = value.top() - self.fraction_bits as i32;
        let carried = value.quanta(quantum, direction) >> (self.fraction_bits + 1) != 0;
        !(carried && value.top() + 1 == self.smallest_exponent())
    }
}
