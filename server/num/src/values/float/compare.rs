//! Comparison and selection: `setp`, `set`, `testp`, `slct` (manual 9.3.1.2, 9.7.3.1, 9.7.6, 9.7.7).

use super::{
    half::{self, Half},
    single,
};

/// The fourteen comparison operators for floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatComparison {
    /// `eq`: equal, and neither is NaN.
    Eq,
    /// `ne`: different, and neither is NaN.
    Ne,
    /// `lt`: below.
    Lt,
    /// `le`: below or equal.
    Le,
    /// `gt`: above.
    Gt,
    /// `ge`: above or equal.
    Ge,
    /// `equ`: equal, or one is NaN.
    Equ,
    /// `neu`: different, or one is NaN.
    Neu,
    /// `ltu`: below, or one is NaN.
    Ltu,
    /// `leu`: below or equal, or one is NaN.
    Leu,
    /// `gtu`: above, or one is NaN.
    Gtu,
    /// `geu`: above or equal, or one is NaN.
    Geu,
    /// `num`: neither is NaN.
    Num,
    /// `nan`: at least one is NaN.
    Nan,
}

impl FloatComparison {
    /// All variants, in the order of the manual.
    pub const ALL: [Self; 14] = [
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
        Self::Equ,
        Self::Neu,
        Self::Ltu,
        Self::Leu,
        Self::Gtu,
        Self::Geu,
        Self::Num,
        Self::Nan,
    ];

    /// Returns the modifier without its dot.
    #[inline]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Lt => "lt",
            Self::Le => "le",
            Self::Gt => "gt",
            Self::Ge => "ge",
            Self::Equ => "equ",
            Self::Neu => "neu",
            Self::Ltu => "ltu",
            Self::Leu => "leu",
            Self::Gtu => "gtu",
            Self::Geu => "geu",
            Self::Num => "num",
            Self::Nan => "nan",
        }
    }
}

/// Returns `a cmp b`, for any type whose comparisons with NaN are false.
#[inline(always)]
fn compare<T: PartialOrd + Copy>(comparison: FloatComparison, a: T, b: T) -> bool {
    match comparison {
        FloatComparison::Eq => a == b,
        FloatComparison::Ne => a != b && compare(FloatComparison::Num, a, b),
        FloatComparison::Lt => a < b,
        FloatComparison::Le => a <= b,
        FloatComparison::Gt => a > b,
        FloatComparison::Ge => a >= b,
        // The complements of the ordered comparisons, which are true for NaN.
        FloatComparison::Equ => !compare(FloatComparison::Ne, a, b),
        FloatComparison::Neu => !compare(FloatComparison::Eq, a, b),
        FloatComparison::Ltu => !compare(FloatComparison::Ge, a, b),
        FloatComparison::Leu => !compare(FloatComparison::Gt, a, b),
        FloatComparison::Gtu => !compare(FloatComparison::Le, a, b),
        FloatComparison::Geu => !compare(FloatComparison::Lt, a, b),
        FloatComparison::Num => a.partial_cmp(&b).is_some(),
        FloatComparison::Nan => a.partial_cmp(&b).is_none(),
    }
}

/// Comparison of `.f32` sources in `setp` and `set`, before it is combined with a predicate.
#[inline(always)]
pub fn single(comparison: FloatComparison, ftz: bool, a: u32, b: u32) -> bool {
    compare(comparison, single::operand(ftz, a), single::operand(ftz, b))
}

/// Comparison of `.f64` sources in `setp` and `set`.
#[inline(always)]
pub fn double(comparison: FloatComparison, a: u64, b: u64) -> bool {
    compare(comparison, f64::from_bits(a), f64::from_bits(b))
}

/// Comparison of `.f16` or `.bf16` sources in `setp` and `set`.
#[inline(always)]
pub fn half<H: Half>(comparison: FloatComparison, ftz: bool, a: u16, b: u16) -> bool {
    compare(comparison, half::operand::<H>(ftz, a), half::operand::<H>(ftz, b))
}

/// Comparison of `.f16x2` or `.bf16x2` sources in `setp` and `set`: the lower halves, then the upper halves.
#[inline(always)]
pub fn half_pair<H: Half>(comparison: FloatComparison, ftz: bool, a: u32, b: u32) -> [bool; 2] {
    [half::<H>(comparison, ftz, a as u16, b as u16), half::<H>(comparison, ftz, (a >> 16) as u16, (b >> 16) as u16)]
}

/// The Boolean operators that combine a comparison with a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PredicateCombination {
    /// `.and`.
    And,
    /// `.or`.
    Or,
    /// `.xor`.
    Xor,
}

/// Combines the result of a comparison with the predicate operand `c`.
#[inline(always)]
pub const fn combine(combination: PredicateCombination, found: bool, c: bool) -> bool {
    match combination {
        PredicateCombination::And => found & c,
        PredicateCombination::Or => found | c,
        PredicateCombination::Xor => found ^ c,
    }
}

/// The tests of `testp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Property {
    /// `.finite`: neither infinite nor NaN.
    Finite,
    /// `.infinite`.
    Infinite,
    /// `.number`: not NaN.
    Number,
    /// `.notanumber`: NaN.
    NotANumber,
    /// `.normal`: a normal number or a zero.
    Normal,
    /// `.subnormal`.
    Subnormal,
}

/// `testp` for a format whose exponent has the mask `exponent`; `magnitude` is the number without its sign.
#[inline(always)]
fn has(property: Property, magnitude: u64, exponent: u64) -> bool {
    match property {
        Property::Finite => magnitude < exponent,
        Property::Infinite => magnitude == exponent,
        Property::Number => magnitude <= exponent,
        Property::NotANumber => magnitude > exponent,
        Property::Normal => magnitude < exponent && (magnitude & exponent != 0 || magnitude == 0),
        Property::Subnormal => magnitude & exponent == 0 && magnitude != 0,
    }
}

/// `testp.f32`.
#[inline(always)]
pub fn has_single(property: Property, a: u32) -> bool {
    has(property, u64::from(a & 0x7fff_ffff), 0x7f80_0000)
}

/// `testp.f64`.
#[inline(always)]
pub fn has_double(property: Property, a: u64) -> bool {
    has(property, a & (u64::MAX >> 1), 0x7ff0_0000_0000_0000)
}

/// Whether `slct` with an `.f32` selector selects its first operand: the selector is positive or a zero of either sign.
#[inline(always)]
pub fn selects_first(ftz: bool, selector: u32) -> bool {
    single::operand(ftz, selector) >= 0.0
}
