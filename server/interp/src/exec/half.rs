//! Half precision (manual 9.7.4): `.f16`, `.bf16`, and pairs of them.

#[cfg(test)]
mod tests;

use super::float::steps::{StepModifiers, modifiers, step1, step2, step3};
use super::float::{extreme_modifiers, extreme_of};
use crate::inst::DecodeContext;
use crate::machine::code::{ActionResult, DecodeRefusal};
use ptx_isa::{Modifier, OperandName};
use ptx_num::math::FusedArithmetic;
use ptx_num::values::Marks;
use ptx_num::values::float::half::{self, Bf16, F16, Half};
use ptx_num::values::float::packed::{half_pair1, half_pair2, half_pair3, halves};
use ptx_num::values::float::{Clamp, FloatModifiers, FloatRounding, approx, extremes, single};

/// `.rn` alone, as a constant of the compiler.
#[derive(Clone, Copy)]
struct Plain;

impl StepModifiers for Plain {
    #[inline(always)]
    fn get(self) -> FloatModifiers {
        FloatModifiers::RN
    }
}

/// The marks of a pair: those of both halves.
#[inline(always)]
pub(super) fn pair_marks<H: Half>(result: u32) -> Marks {
    let [low, high] = halves(result);
    half::marks::<H>(low) | half::marks::<H>(high)
}

/// The marks of a single result. `canonical`: the manual specifies the NaN, as it does for `.relu` and `.NaN`.
#[inline(always)]
fn marks<H: Half>(canonical: bool, result: u16) -> Marks {
    if canonical { Marks::NONE } else { half::marks::<H>(result) }
}

/// A type of half precision.
#[derive(Clone, Copy, PartialEq)]
struct HalfType {
    /// `.bf16`, otherwise `.f16`.
    brain: bool,
    /// Two numbers in a word.
    pair: bool,
}

impl HalfType {
    fn of(inst: &DecodeContext<'_>) -> Result<Self, DecodeRefusal> {
        let ty = inst.types().next();
        let (brain, pair) = match ty {
            Some(Modifier::F16) => (false, false),
            Some(Modifier::F16x2) => (false, true),
            Some(Modifier::Bf16) => (true, false),
            Some(Modifier::Bf16x2) => (true, true),
            _ => return Err(format!("not a half-precision type: `{}`", ty.map_or("", Modifier::name)).into()),
        };
        Ok(Self { brain, pair })
    }
}

/// Decodes an operation with one operand. If `pair`, it is applied to each half.
fn one(
    inst: &mut DecodeContext<'_>,
    pair: bool,
    f: impl Fn(u16) -> u16 + Send + Sync + 'static,
    marks: impl Fn(u16, u16) -> Marks + Send + Sync + 'static,
) -> ActionResult {
    if !pair {
        return step1(inst, f, marks);
    }
    let both = move |a: u32, d: u32| {
        let ([a0, a1], [d0, d1]) = (halves(a), halves(d));
        marks(a0, d0) | marks(a1, d1)
    };
    step1(inst, move |a: u32| half_pair1(a, &f), both)
}

/// Decodes an operation with two operands. If `pair`, it is applied to each half. `canonical`: see [`marks`].
fn two<H: Half + 'static>(
    inst: &mut DecodeContext<'_>,
    pair: bool,
    canonical: bool,
    f: impl Fn(u16, u16) -> u16 + Send + Sync + 'static,
) -> ActionResult {
    if !pair {
        return step2(inst, OperandName::B, f, move |_, _, d| marks::<H>(canonical, d));
    }
    let both = move |_, _, d| if canonical { Marks::NONE } else { pair_marks::<H>(d) };
    step2(inst, OperandName::B, move |a: u32, b: u32| half_pair2(a, b, &f), both)
}

/// Decodes an operation with three operands. If `pair`, it is applied to each half.
fn three(
    inst: &mut DecodeContext<'_>,
    pair: bool,
    f: impl Fn(u16, u16, u16) -> u16 + Send + Sync + 'static,
    marks: impl Fn([u16; 3], u16) -> Marks + Send + Sync + 'static,
) -> ActionResult {
    if !pair {
        return step3(inst, f, move |a, b, c, d| marks([a, b, c], d));
    }
    let both = move |a: u32, b: u32, c: u32, d: u32| {
        let ([a0, a1], [b0, b1], [c0, c1], [d0, d1]) = (halves(a), halves(b), halves(c), halves(d));
        marks([a0, b0, c0], d0) | marks([a1, b1, c1], d1)
    };
    step3(inst, move |a: u32, b: u32, c: u32| half_pair3(a, b, c, &f), both)
}

/// Decodes an operation with two operands in both formats, with a loop of its own for `.rn` alone.
macro_rules! binary {
    ($inst:expr, $operation:ident) => {{
        let inst = $inst;
        let (ty, m) = (HalfType::of(inst)?, modifiers(inst, inst.has(Modifier::Ftz)));
        match (ty.brain, m == FloatModifiers::RN) {
            (false, true) => two::<F16>(inst, ty.pair, false, |a, b| half::$operation::<F16>(Plain.get(), a, b)),
            (false, false) => two::<F16>(inst, ty.pair, false, move |a, b| half::$operation::<F16>(m, a, b)),
            (true, true) => two::<Bf16>(inst, ty.pair, false, |a, b| half::$operation::<Bf16>(Plain.get(), a, b)),
            (true, false) => two::<Bf16>(inst, ty.pair, false, move |a, b| half::$operation::<Bf16>(m, a, b)),
        }
    }};
}

/// `add`.
pub(crate) fn add(inst: &mut DecodeContext<'_>) -> ActionResult {
    binary!(inst, add)
}

/// `sub`.
pub(crate) fn sub(inst: &mut DecodeContext<'_>) -> ActionResult {
    binary!(inst, sub)
}

/// `mul`.
pub(crate) fn mul(inst: &mut DecodeContext<'_>) -> ActionResult {
    binary!(inst, mul)
}

/// The bits that tensor copies write for elements out of bounds ([`nan_pattern`](ptx_num::image::tensor_map::ElementType::nan_pattern)).
/// The manual does not give them.
pub(crate) const OUTSIDE: u16 = 0x7fff;

/// `fma`.
pub(crate) fn fma(inst: &mut DecodeContext<'_>) -> ActionResult {
    let ty = HalfType::of(inst)?;
    let m = modifiers(inst, inst.has(Modifier::Ftz));
    if m.rounding != FloatRounding::Nearest {
        return fma_directed(inst, ty.pair, m.rounding);
    }
    if ty.brain { fma_of::<Bf16>(inst, ty.pair, m) } else { fma_of::<F16>(inst, ty.pair, m) }
}

/// `fma.{rz,rm,rp}` of `.bf16`, which ptxas accepts although the manual has only `.rn`. Its machine code (13.5, sm_80 to sm_120) widens the
/// operands as if they were `.f16`, computes in `.f32` with that rounding, and rounds to the nearest `.f16`, whatever `.relu` and `.oob`
/// say. For a pair it writes the code of `.rn`.
fn fma_directed(inst: &mut DecodeContext<'_>, pair: bool, rounding: FloatRounding) -> ActionResult {
    let open = |_, _| Marks::UNSPECIFIED;
    if pair {
        let m = modifiers(inst, false).rounding(FloatRounding::Nearest);
        if inst.has(Modifier::Oob) {
            return three(inst, pair, move |a, b, c| half::fma_oob::<Bf16>(m, OUTSIDE, a, b, c), open);
        }
        return three(inst, pair, move |a, b, c| half::fma::<Bf16>(m, a, b, c), open);
    }
    let m = FloatModifiers::RN.rounding(rounding);
    let f = move |a, b, c| {
        let [a, b, c] = [a, b, c].map(|x| F16::widen(x).to_bits());
        F16::nearest(f32::from_bits(single::fma(FusedArithmetic, m, a, b, c)))
    };
    three(inst, pair, f, open)
}

fn fma_of<H: Half + 'static>(inst: &mut DecodeContext<'_>, pair: bool, m: FloatModifiers) -> ActionResult {
    if inst.has(Modifier::Oob) {
        // `.oob` treats one NaN specially, but the manual does not give its bits. So the result for any NaN is unspecified.
        let open = |operands: [u16; 3], d| {
            let [a, b, c] = operands.map(half::is_nan::<H>);
            if a | b | c { Marks::UNSPECIFIED } else { half::marks::<H>(d) }
        };
        return three(inst, pair, move |a, b, c| half::fma_oob::<H>(m, OUTSIDE, a, b, c), open);
    }
    if m == FloatModifiers::RN {
        return three(inst, pair, |a, b, c| half::fma::<H>(Plain.get(), a, b, c), |_, d| half::marks::<H>(d));
    }
    let canonical = m.clamp == Clamp::Relu;
    three(inst, pair, move |a, b, c| half::fma::<H>(m, a, b, c), move |_, d| marks::<H>(canonical, d))
}

/// `neg`.
pub(crate) fn neg(inst: &mut DecodeContext<'_>) -> ActionResult {
    let (ty, ftz) = (HalfType::of(inst)?, inst.has(Modifier::Ftz));
    if ty.brain {
        return one(inst, ty.pair, |a| half::neg::<Bf16>(false, a), |_, d| half::marks::<Bf16>(d));
    }
    one(inst, ty.pair, move |a| half::neg::<F16>(ftz, a), |_, d| half::marks::<F16>(d))
}

/// `abs`.
pub(crate) fn abs(inst: &mut DecodeContext<'_>) -> ActionResult {
    let (ty, ftz) = (HalfType::of(inst)?, inst.has(Modifier::Ftz));
    if ty.brain {
        return one(inst, ty.pair, |a| half::abs::<Bf16>(false, a), |_, d| half::marks::<Bf16>(d));
    }
    one(inst, ty.pair, move |a| half::abs::<F16>(ftz, a), |_, d| half::marks::<F16>(d))
}

/// `min`.
pub(crate) fn min(inst: &mut DecodeContext<'_>) -> ActionResult {
    extreme::<false>(inst)
}

/// `max`.
pub(crate) fn max(inst: &mut DecodeContext<'_>) -> ActionResult {
    extreme::<true>(inst)
}

fn extreme<const GREATEST: bool>(inst: &mut DecodeContext<'_>) -> ActionResult {
    let (ty, m) = (HalfType::of(inst)?, extreme_modifiers(inst, inst.has(Modifier::Ftz)));
    if ty.brain {
        let f = move |a, b| extremes::half::<Bf16>(extreme_of::<GREATEST>(), m, a, b);
        return two::<Bf16>(inst, ty.pair, m.nan, f);
    }
    two::<F16>(inst, ty.pair, m.nan, move |a, b| extremes::half::<F16>(extreme_of::<GREATEST>(), m, a, b))
}

/// `tanh`.
pub(crate) fn tanh(inst: &mut DecodeContext<'_>) -> ActionResult {
    let ty = HalfType::of(inst)?;
    if ty.brain {
        return one(inst, ty.pair, approx::tanh_half::<Bf16>, approx::marks_half::<Bf16>);
    }
    one(inst, ty.pair, approx::tanh_half::<F16>, approx::marks_half::<F16>)
}

/// `ex2`.
pub(crate) fn ex2(inst: &mut DecodeContext<'_>) -> ActionResult {
    let (ty, ftz) = (HalfType::of(inst)?, inst.has(Modifier::Ftz));
    if ty.brain {
        return one(inst, ty.pair, move |a| approx::ex2_half::<Bf16>(ftz, a), approx::marks_half::<Bf16>);
    }
    one(inst, ty.pair, move |a| approx::ex2_half::<F16>(ftz, a), approx::marks_half::<F16>)
}
