//! Single and double precision (manual 9.7.3): `.f32`, `.f32x2`, `.f64`.

pub(crate) mod steps;
#[cfg(test)]
pub(in crate::exec) mod tests;

use crate::inst::DecodeContext;
use crate::lanes::{LANES, Lane};
use crate::machine::code::{ActionResult, OpAction};
use crate::simd::{LaneMarks, bits};
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::math::{FusedArithmetic, FusedInstruction, FusedMultiplyAdd};
use ptx_num::values::Marks;
use ptx_num::values::float::compare::{self, Property};
use ptx_num::values::float::extremes::{self, Extreme, ExtremeModifiers};
use ptx_num::values::float::packed::{single_pair2, single_pair3, words};
use ptx_num::values::float::{FloatModifiers, FloatRounding, approx, double, single};
use steps::{StepModifiers, flushes, is_first_generation, modifiers, rounding, step1, step2, step3, with_modifiers};

/// The marks of an `.f32x2` result: those of both its elements.
#[inline(always)]
pub(crate) fn pair_marks(result: u64) -> Marks {
    let [low, high] = words(result);
    single::marks(low) | single::marks(high)
}

/// Decodes an operation with two operands. `$operation` names its function for each type.
macro_rules! binary {
    ($inst:expr, $operation:ident) => {{
        let inst = $inst;
        if inst.has(Modifier::F64) {
            match rounding(inst) {
                FloatRounding::Nearest => {
                    let f = |a: u64, b: u64| double::$operation(FloatRounding::Nearest, a, b);
                    step2(inst, OperandName::B, f, |_, _, d| double::marks(d))
                }
                other => {
                    let f = move |a: u64, b: u64| double::$operation(other, a, b);
                    step2(inst, OperandName::B, f, |_, _, d| double::marks(d))
                }
            }
        } else if inst.has(Modifier::F32x2) {
            with_modifiers!(modifiers(inst, flushes(inst)), m => {
                let f = move |a: u64, b: u64| single_pair2(a, b, |a, b| single::$operation(m.get(), a, b));
                step2(inst, OperandName::B, f, |_, _, d| pair_marks(d))
            })
        } else {
            with_modifiers!(modifiers(inst, flushes(inst)), m => {
                let f = move |a: u32, b: u32| single::$operation(m.get(), a, b);
                step2(inst, OperandName::B, f, |_, _, d| single::marks(d))
            })
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
    let m = modifiers(inst, flushes(inst));
    let outward = matches!(m.rounding, FloatRounding::Down | FloatRounding::Up);
    if m.ftz && outward && !inst.has(Modifier::F64) {
        let marks = move |a: u32, b: u32, d: u32| {
            let unflushed = |m| single::mul(m, single::flush(a), single::flush(b));
            single::marks(d) | single::edge_marks(m, d, unflushed)
        };
        if inst.has(Modifier::F32x2) {
            let f = move |a: u64, b: u64| single_pair2(a, b, |a, b| single::mul(m, a, b));
            return step2(inst, OperandName::B, f, move |a: u64, b: u64, d: u64| {
                let [a, b, d] = [a, b, d].map(words);
                marks(a[0], b[0], d[0]) | marks(a[1], b[1], d[1])
            });
        }
        return step2(inst, OperandName::B, move |a: u32, b: u32| single::mul(m, a, b), marks);
    }
    binary!(inst, mul)
}

/// `fma`.
pub(crate) fn fma(inst: &mut DecodeContext<'_>) -> ActionResult {
    match FusedInstruction::detect() {
        Some(instruction) => fma_by(inst, instruction),
        None => fma_by(inst, FusedArithmetic),
    }
}

fn fma_by(inst: &mut DecodeContext<'_>, fused: impl FusedMultiplyAdd) -> ActionResult {
    if inst.has(Modifier::F64) {
        return match rounding(inst) {
            FloatRounding::Nearest => step3(
                inst,
                move |a: u64, b: u64, c: u64| double::fma(fused, FloatRounding::Nearest, a, b, c),
                |_, _, _, d| double::marks(d),
            ),
            other => step3(
                inst,
                move |a: u64, b: u64, c: u64| double::fma(fused, other, a, b, c),
                |_, _, _, d| double::marks(d),
            ),
        };
    }
    let m = modifiers(inst, flushes(inst));
    let f = move |m, a, b, c| single::fma(fused, m, a, b, c);
    if inst.has(Modifier::F32x2) {
        with_modifiers!(m, m => fma_pair(inst, m, f))
    } else {
        with_modifiers!(m, m => fma_single(inst, m, f))
    }
}

/// The marks of a result of `fma`, which `f` computes.
#[inline(always)]
fn fma_marks(
    m: FloatModifiers,
    [a, b, c]: [u32; 3],
    d: u32,
    f: impl Fn(FloatModifiers, u32, u32, u32) -> u32,
) -> Marks {
    let unflushed = |m| f(m, single::flush(a), single::flush(b), single::flush(c));
    single::marks(d) | single::edge_marks(m, d, unflushed)
}

fn fma_single(
    inst: &mut DecodeContext<'_>,
    m: impl StepModifiers,
    f: impl Fn(FloatModifiers, u32, u32, u32) -> u32 + Send + Sync + Copy + 'static,
) -> ActionResult {
    let marks = move |a, b, c, d| fma_marks(m.get(), [a, b, c], d, f);
    step3(inst, move |a: u32, b: u32, c: u32| f(m.get(), a, b, c), marks)
}

fn fma_pair(
    inst: &mut DecodeContext<'_>,
    m: impl StepModifiers,
    f: impl Fn(FloatModifiers, u32, u32, u32) -> u32 + Send + Sync + Copy + 'static,
) -> ActionResult {
    let marks = move |a: u64, b: u64, c: u64, d: u64| {
        let [a, b, c, d] = [a, b, c, d].map(words);
        fma_marks(m.get(), [a[0], b[0], c[0]], d[0], f) | fma_marks(m.get(), [a[1], b[1], c[1]], d[1], f)
    };
    step3(inst, move |a: u64, b: u64, c: u64| single_pair3(a, b, c, |a, b, c| f(m.get(), a, b, c)), marks)
}

/// `mad`: the same as `fma`, except for `mad.f32` on `sm_1x`.
pub(crate) fn mad(inst: &mut DecodeContext<'_>) -> ActionResult {
    if inst.has(Modifier::F32) && is_first_generation(inst) {
        let m = modifiers(inst, true);
        let f = move |a: u32, b: u32, c: u32| single::mad_truncated(m, a, b, c);
        return step3(inst, f, |_, _, _, d| single::marks(d));
    }
    fma(inst)
}

/// Decodes an approximate function of `.f32`, compiled with and without `.ftz`.
macro_rules! approximate {
    ($inst:expr, $ftz:expr, $function:path) => {{
        if $ftz {
            step1($inst, |a: u32| $function(true, a), |a, d| approx::marks1(true, a, d))
        } else {
            step1($inst, |a: u32| $function(false, a), |a, d| approx::marks1(false, a, d))
        }
    }};
}

/// Whether the instruction states neither a rounding nor a precision. Until PTX 1.3 that meant `.approx.ftz.f32` and `.rn.f64`.
fn is_unsaid(inst: &DecodeContext<'_>) -> bool {
    ![Modifier::Approx, Modifier::Full, Modifier::Rn, Modifier::Rz, Modifier::Rm, Modifier::Rp]
        .iter()
        .any(|m| inst.has(*m))
}

/// `div`.
pub(crate) fn div(inst: &mut DecodeContext<'_>) -> ActionResult {
    if inst.has(Modifier::F64) {
        let r = rounding(inst);
        return step2(inst, OperandName::B, move |a: u64, b: u64| double::div(r, a, b), |_, _, d| double::marks(d));
    }
    let unsaid = is_unsaid(inst);
    let ftz = flushes(inst) || unsaid;
    if inst.has(Modifier::Full) {
        let f = move |a: u32, b: u32| approx::div_full(ftz, a, b);
        return step2(inst, OperandName::B, f, move |a, b, d| approx::marks2(ftz, a, b, d));
    }
    if inst.has(Modifier::Approx) || unsaid {
        let f = move |a: u32, b: u32| approx::div(ftz, a, b);
        return step2(inst, OperandName::B, f, move |a, b, d| approx::marks2(ftz, a, b, d));
    }
    with_modifiers!(modifiers(inst, ftz), m => {
        step2(inst, OperandName::B, move |a: u32, b: u32| single::div(m.get(), a, b), |_, _, d| single::marks(d))
    })
}

/// Decodes a function that has an approximate form and correctly rounded ones.
macro_rules! unary {
    ($inst:expr, $function:ident) => {{
        let inst = $inst;
        let unsaid = is_unsaid(inst);
        if inst.has(Modifier::F64) {
            let r = rounding(inst);
            step1(inst, move |a: u64| double::$function(r, a), |_, d| double::marks(d))
        } else if inst.has(Modifier::Approx) || unsaid {
            approximate!(inst, flushes(inst) || unsaid, approx::$function)
        } else {
            with_modifiers!(modifiers(inst, flushes(inst)), m => {
                step1(inst, move |a: u32| single::$function(m.get(), a), |_, d| single::marks(d))
            })
        }
    }};
}

/// `rcp`.
pub(crate) fn rcp(inst: &mut DecodeContext<'_>) -> ActionResult {
    unary!(inst, rcp)
}

/// `sqrt`.
pub(crate) fn sqrt(inst: &mut DecodeContext<'_>) -> ActionResult {
    unary!(inst, sqrt)
}

/// `rsqrt`, always approximate.
pub(crate) fn rsqrt(inst: &mut DecodeContext<'_>) -> ActionResult {
    if inst.has(Modifier::F64) {
        return step1(inst, |a: u64| approx::rsqrt_double(a), approx::marks_double);
    }
    approximate!(inst, flushes(inst) || is_unsaid(inst), approx::rsqrt)
}

/// `rcp.approx.ftz.f64`.
pub(crate) fn rcp_coarse(inst: &mut DecodeContext<'_>) -> ActionResult {
    step1(inst, |a: u64| approx::rcp_double(a), approx::marks_double)
}

/// `rsqrt.approx.ftz.f64`.
pub(crate) fn rsqrt_coarse(inst: &mut DecodeContext<'_>) -> ActionResult {
    step1(inst, |a: u64| approx::rsqrt_double_coarse(a), approx::marks_double)
}

/// `sin`.
pub(crate) fn sin(inst: &mut DecodeContext<'_>) -> ActionResult {
    approximate!(inst, flushes(inst) || is_unsaid(inst), approx::sin)
}

/// `cos`.
pub(crate) fn cos(inst: &mut DecodeContext<'_>) -> ActionResult {
    approximate!(inst, flushes(inst) || is_unsaid(inst), approx::cos)
}

/// `lg2`.
pub(crate) fn lg2(inst: &mut DecodeContext<'_>) -> ActionResult {
    approximate!(inst, flushes(inst) || is_unsaid(inst), approx::lg2)
}

/// `ex2`.
pub(crate) fn ex2(inst: &mut DecodeContext<'_>) -> ActionResult {
    approximate!(inst, flushes(inst) || is_unsaid(inst), approx::ex2)
}

/// `tanh`.
pub(crate) fn tanh(inst: &mut DecodeContext<'_>) -> ActionResult {
    step1(inst, |a: u32| approx::tanh(a), |a, d| approx::marks1(false, a, d))
}

/// `neg`.
pub(crate) fn neg(inst: &mut DecodeContext<'_>) -> ActionResult {
    if inst.has(Modifier::F64) {
        return step1(inst, |a: u64| double::neg(a), |_, d| double::marks(d));
    }
    let ftz = flushes(inst);
    step1(inst, move |a: u32| single::neg(ftz, a), |_, d| single::marks(d))
}

/// `abs`. For `.f64` it keeps a NaN as it is, so the bits of the result are known.
pub(crate) fn abs(inst: &mut DecodeContext<'_>) -> ActionResult {
    if inst.has(Modifier::F64) {
        return inst.map1(|a: u64| double::abs(a));
    }
    let ftz = flushes(inst);
    step1(inst, move |a: u32| single::abs(ftz, a), |_, d| single::marks(d))
}

/// `copysign`: only moves bits, so no result is unspecified.
pub(crate) fn copysign(inst: &mut DecodeContext<'_>) -> ActionResult {
    if inst.has(Modifier::F64) {
        return inst.map2(|a: u64, b: u64| double::copysign(a, b));
    }
    inst.map2(|a: u32, b: u32| single::copysign(a, b))
}

/// The modifiers of `min` and `max`.
pub(crate) fn extreme_modifiers(inst: &DecodeContext<'_>, ftz: bool) -> ExtremeModifiers {
    ExtremeModifiers {
        ftz,
        nan: inst.has(Modifier::NaN),
        xorsign: inst.has(Modifier::Xorsign),
        abs: inst.has(Modifier::Abs),
    }
}

/// `min`.
pub(crate) fn min(inst: &mut DecodeContext<'_>) -> ActionResult {
    extreme::<false>(inst)
}

/// `max`.
pub(crate) fn max(inst: &mut DecodeContext<'_>) -> ActionResult {
    extreme::<true>(inst)
}

/// The extreme that an instruction returns, as a constant of the compiler.
#[inline(always)]
pub(crate) const fn extreme_of<const GREATEST: bool>() -> Extreme {
    if GREATEST { Extreme::Greatest } else { Extreme::Least }
}

fn extreme<const GREATEST: bool>(inst: &mut DecodeContext<'_>) -> ActionResult {
    if inst.has(Modifier::F64) {
        let f = |a: u64, b: u64| extremes::double(extreme_of::<GREATEST>(), a, b);
        return step2(inst, OperandName::B, f, |_, _, d| double::marks(d));
    }
    let m = extreme_modifiers(inst, flushes(inst));
    if inst.operand(OperandName::C).is_some() {
        let f = move |a: u32, b: u32, c: u32| extremes::single3(extreme_of::<GREATEST>(), m, a, b, c);
        return step3(inst, f, move |_, _, _, d| extreme_marks(m, d));
    }
    // The common combinations of modifiers get loops of their own.
    const PLAIN: ExtremeModifiers = ExtremeModifiers { ftz: false, nan: false, xorsign: false, abs: false };
    const FTZ: ExtremeModifiers = ExtremeModifiers { ftz: true, ..PLAIN };
    const NAN: ExtremeModifiers = ExtremeModifiers { nan: true, ..PLAIN };
    match m {
        PLAIN => extreme2(inst, |a, b| extremes::single(extreme_of::<GREATEST>(), PLAIN, a, b), PLAIN),
        FTZ => extreme2(inst, |a, b| extremes::single(extreme_of::<GREATEST>(), FTZ, a, b), FTZ),
        NAN => extreme2(inst, |a, b| extremes::single(extreme_of::<GREATEST>(), NAN, a, b), NAN),
        _ => extreme2(inst, move |a, b| extremes::single(extreme_of::<GREATEST>(), m, a, b), m),
    }
}

fn extreme2(
    inst: &mut DecodeContext<'_>,
    f: impl Fn(u32, u32) -> u32 + Send + Sync + 'static,
    m: ExtremeModifiers,
) -> ActionResult {
    step2(inst, OperandName::B, f, move |_, _, d| extreme_marks(m, d))
}

/// The marks of a result. With `.NaN` the manual specifies which NaN results: the canonical one.
#[inline(always)]
fn extreme_marks(m: ExtremeModifiers, result: u32) -> Marks {
    if m.nan { Marks::NONE } else { single::marks(result) }
}

/// `testp`. Without a property to test, the instruction does nothing (measured with the assembler).
pub(crate) fn testp(inst: &mut DecodeContext<'_>) -> ActionResult {
    let property = match inst.modifier(SlotName::Op) {
        None => return Ok(OpAction::Nothing),
        Some(Modifier::Finite) => Property::Finite,
        Some(Modifier::Infinite) => Property::Infinite,
        Some(Modifier::Number) => Property::Number,
        Some(Modifier::Notanumber) => Property::NotANumber,
        Some(Modifier::Normal) => Property::Normal,
        Some(Modifier::Subnormal) => Property::Subnormal,
        Some(other) => return Err(format!("`testp{other}` is not known").into()),
    };
    if inst.has(Modifier::F64) {
        test(inst, move |a: u64| compare::has_double(property, a))
    } else {
        test(inst, move |a: u32| compare::has_single(property, a))
    }
}

fn test<A: Lane>(inst: &mut DecodeContext<'_>, f: impl Fn(A) -> bool + Send + Sync + 'static) -> ActionResult {
    let a = inst.src::<A>(OperandName::A)?;
    let to = inst.predicate_dst(OperandName::P)?.ok_or("`testp` without a destination")?;
    Ok(DecodeContext::all(move |r, mask| {
        let a = r.get(a);
        let mut truth = [0; LANES];
        for lane in 0..LANES {
            truth[lane] = f(a[lane]).into();
        }
        r.put_predicate(to, mask, bits(&truth));
        LaneMarks::default()
    }))
}
