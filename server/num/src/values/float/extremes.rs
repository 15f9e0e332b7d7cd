//! `min` and `max` of two and three operands (manual 9.7.3.11, 9.7.3.12, 9.7.4.7, 9.7.4.8).
//!
//! A number wins against a NaN, -0 is less than +0, and a NaN result is canonical in all formats except `.f64`.

use super::{
    double,
    half::{self, Half},
    single,
};

/// The operand that the instruction returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extreme {
    /// `min`.
    Least,
    /// `max`.
    Greatest,
}

/// The modifiers of `min` and `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ExtremeModifiers {
    /// `.ftz`: subnormal operands and results become zeros of their sign.
    pub ftz: bool,
    /// `.NaN`: one NaN operand makes the result NaN.
    pub nan: bool,
    /// `.xorsign`: the result's sign is the exclusive or of the operands' signs.
    pub xorsign: bool,
    /// `.abs`: magnitudes are compared and returned.
    pub abs: bool,
}

/// Returns one of two numbers, neither of them NaN. `less` tells whether `a < b`, `greater` whether `a > b`. Equal numbers have
/// the same bits or are zeros; for zeros, or-ing the bits yields -0 and and-ing them +0.
macro_rules! pick {
    ($extreme:expr, $a:expr, $b:expr, $less:expr, $greater:expr) => {{
        let (a_wins, b_wins, tie) = match $extreme {
            Extreme::Least => ($less, $greater, $a | $b),
            Extreme::Greatest => ($greater, $less, $a & $b),
        };
        if a_wins {
            $a
        } else if b_wins {
            $b
        } else {
            tie
        }
    }};
}

/// `min.f32` and `max.f32` of two operands.
#[inline(always)]
pub fn single(extreme: Extreme, m: ExtremeModifiers, a: u32, b: u32) -> u32 {
    const SIGN: u32 = 0x8000_0000;
    let sign = (a ^ b) & SIGN;
    let magnitudes = if m.abs { !SIGN } else { u32::MAX };
    let [a, b] = [a, b].map(|x| if m.ftz { single::flush(x) } else { x } & magnitudes);
    let (a_nan, b_nan) = (single::is_nan(a), single::is_nan(b));
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let number = pick!(extreme, a, b, x < y, x > y);
    let number = if a_nan { b } else { number };
    let number = if b_nan { a } else { number };
    let signed = if m.xorsign { number & !SIGN | sign } else { number };
    let is_nan = if m.nan { a_nan | b_nan } else { a_nan & b_nan };
    if is_nan { single::NAN } else { signed }
}

/// `min.f32` and `max.f32` of three operands.
#[inline(always)]
pub fn single3(extreme: Extreme, m: ExtremeModifiers, a: u32, b: u32, c: u32) -> u32 {
    // Taking magnitudes and flushing twice changes nothing; the form with three operands has no `.xorsign`.
    let m = ExtremeModifiers { xorsign: false, ..m };
    single(extreme, m, single(extreme, m, a, b), c)
}

/// `min` and `max` of `.f16` and `.bf16`.
#[inline(always)]
pub fn half<H: Half>(extreme: Extreme, m: ExtremeModifiers, a: u16, b: u16) -> u16 {
    const SIGN: u16 = 0x8000;
    let sign = (a ^ b) & SIGN;
    let magnitudes = if m.abs { !SIGN } else { u16::MAX };
    let [a, b] = [a, b].map(|x| if m.ftz { half::flush::<H>(x) } else { x } & magnitudes);
    let (a_nan, b_nan) = (half::is_nan::<H>(a), half::is_nan::<H>(b));
    // Ordered as these integers, -0 is less than +0.
    let order = |x: u16| if x & SIGN != 0 { !x } else { x | SIGN };
    let (x, y) = (order(a), order(b));
    let number = pick!(extreme, a, b, x < y, x > y);
    let number = if a_nan { b } else { number };
    let number = if b_nan { a } else { number };
    let signed = if m.xorsign { number & !SIGN | sign } else { number };
    let is_nan = if m.nan { a_nan | b_nan } else { a_nan & b_nan };
    if is_nan { half::NAN } else { signed }
}

/// `min.f64` and `max.f64`. For two NaNs the second is returned, made quiet, as in the assembler's machine code.
#[inline(always)]
pub fn double(extreme: Extreme, a: u64, b: u64) -> u64 {
    let (a_nan, b_nan) = (double::is_nan(a), double::is_nan(b));
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let number = pick!(extreme, a, b, x < y, x > y);
    let number = if a_nan { b } else { number };
    let number = if b_nan { a } else { number };
    if a_nan & b_nan { double::quiet(b) } else { number }
}
