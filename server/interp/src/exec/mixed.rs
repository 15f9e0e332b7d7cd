//! Operations whose sources have another precision than the result (manual 9.7.5, and the forms of PTX 9.2 to 9.4).

#[cfg(test)]
mod tests;

use super::float::pair_marks;
use super::float::steps::{StepModifiers, modifiers, step2, step3, with_modifiers};
use super::half;
use crate::inst::DecodeContext;
use crate::machine::code::{ActionResult, DecodeRefusal};
use crate::registers::RegisterLocation;
use ptx_isa::{Modifier, OperandName};
use ptx_num::values::Marks;
use ptx_num::values::convert::{Narrow, RoundingDirection};
use ptx_num::values::float::half::{Bf16, F16, Half};
use ptx_num::values::float::{FloatModifiers, FloatRounding, mixed, single};

/// The type at index `number` among those that are written.
fn ty(inst: &DecodeContext<'_>, number: usize) -> Result<Modifier, DecodeRefusal> {
    inst.types().nth(number).ok_or_else(|| "a type is missing".into())
}

/// Decodes an operation on `.f32` with a narrow operand of either format. `$operation` is its function in `mixed`. Subnormal numbers are
/// kept, since there is no `.ftz`.
macro_rules! into_single {
    ($inst:expr, $operation:ident) => {{
        let inst = $inst;
        let m = modifiers(inst, false);
        if ty(inst, 1)? == Modifier::Bf16 {
            with_modifiers!(m, m => step2(inst, OperandName::C, move |a: u16, c: u32| mixed::$operation::<Bf16>(m.get(), a, c), |_, _, d| single::marks(d)))
        } else {
            with_modifiers!(m, m => step2(inst, OperandName::C, move |a: u16, c: u32| mixed::$operation::<F16>(m.get(), a, c), |_, _, d| single::marks(d)))
        }
    }};
}

/// `add.f32.f16` and `.bf16`.
pub(crate) fn add(inst: &mut DecodeContext<'_>) -> ActionResult {
    into_single!(inst, add)
}

/// `sub.f32.f16` and `.bf16`.
pub(crate) fn sub(inst: &mut DecodeContext<'_>) -> ActionResult {
    into_single!(inst, sub)
}

/// `fma.f32.f16` and `.bf16`.
pub(crate) fn fma(inst: &mut DecodeContext<'_>) -> ActionResult {
    if ty(inst, 1)? == Modifier::Bf16 { fma_of::<Bf16>(inst) } else { fma_of::<F16>(inst) }
}

fn fma_of<H: Half + 'static>(inst: &mut DecodeContext<'_>) -> ActionResult {
    with_modifiers!(modifiers(inst, false), m => {
        step3(inst, move |a: u16, b: u16, c: u32| mixed::fma::<H>(m.get(), a, b, c), |_, _, _, d| single::marks(d))
    })
}

/// Decodes a sum or a difference of pairs: `.f32x2` from a narrow and a wide pair, or a narrow pair from wide ones, rounded toward zero.
macro_rules! packed {
    ($inst:expr, $widening:ident, $narrowing:ident) => {{
        let inst = $inst;
        let (result, source) = (ty(inst, 0)?, ty(inst, 1)?);
        let m = modifiers(inst, inst.has(Modifier::Ftz));
        let toward_zero = m.rounding(FloatRounding::Zero);
        match (result, source) {
            (Modifier::F32x2, Modifier::F16x2) => step2(
                inst,
                OperandName::C,
                move |a: u32, c: u64| mixed::$widening::<F16>(m, a, c),
                |_, _, d| pair_marks(d),
            ),
            (Modifier::F32x2, Modifier::Bf16x2) => step2(
                inst,
                OperandName::C,
                move |a: u32, c: u64| mixed::$widening::<Bf16>(m, a, c),
                |_, _, d| pair_marks(d),
            ),
            (Modifier::F16x2, Modifier::F32x2) => {
                narrow_pair::<F16>(inst, OperandName::C, move |a, c| mixed::$narrowing::<F16>(toward_zero, a, c))
            }
            (Modifier::Bf16x2, Modifier::F32x2) => {
                narrow_pair::<Bf16>(inst, OperandName::C, move |a, c| mixed::$narrowing::<Bf16>(toward_zero, a, c))
            }
            _ => Err(format!("`{result}{source}`: no such pair of types").into()),
        }
    }};
}

/// Decodes an operation that returns a narrow pair of format `H` for two wide pairs.
fn narrow_pair<H: Half + 'static>(
    inst: &mut DecodeContext<'_>,
    second: OperandName,
    f: impl Fn(u64, u64) -> u32 + Send + Sync + 'static,
) -> ActionResult {
    step2(inst, second, f, |_, _, d| half::pair_marks::<H>(d))
}

/// `add` of pairs.
pub(crate) fn add_packed(inst: &mut DecodeContext<'_>) -> ActionResult {
    packed!(inst, add_pair, add_narrowing)
}

/// `sub` of pairs.
pub(crate) fn sub_packed(inst: &mut DecodeContext<'_>) -> ActionResult {
    packed!(inst, sub_pair, sub_narrowing)
}

/// `mul` of pairs: of two wide pairs with a narrow result, or of one pair of each narrow format.
pub(crate) fn mul_packed(inst: &mut DecodeContext<'_>) -> ActionResult {
    let (result, second) = (ty(inst, 0)?, ty(inst, 2)?);
    let m = FloatModifiers::RZ.ftz(inst.has(Modifier::Ftz));
    match (result, second) {
        (Modifier::F16x2, Modifier::F32x2) => {
            narrow_pair::<F16>(inst, OperandName::B, move |a, b| mixed::mul_narrowing::<F16>(m, a, b))
        }
        (Modifier::Bf16x2, Modifier::F32x2) => {
            narrow_pair::<Bf16>(inst, OperandName::B, move |a, b| mixed::mul_narrowing::<Bf16>(m, a, b))
        }
        (Modifier::F16x2, Modifier::Bf16x2) => {
            step2(inst, OperandName::B, mixed::mul_f16_bf16, |_, _, d| half::pair_marks::<F16>(d))
        }
        (Modifier::Bf16x2, Modifier::F16x2) => {
            step2(inst, OperandName::B, mixed::mul_bf16_f16, |_, _, d| half::pair_marks::<Bf16>(d))
        }
        _ => Err(format!("`{result}` and `{second}`: no such pair of types").into()),
    }
}

/// `fma` of pairs, `a` narrow.
pub(crate) fn fma_packed(inst: &mut DecodeContext<'_>) -> ActionResult {
    let m = modifiers(inst, false);
    if ty(inst, 1)? == Modifier::Bf16x2 {
        let f = move |a: u32, b: u64, c: u64| mixed::fma_pair::<Bf16>(m, a, b, c);
        return step3(inst, f, |_, _, _, d| pair_marks(d));
    }
    step3(inst, move |a: u32, b: u64, c: u64| mixed::fma_pair::<F16>(m, a, b, c), |_, _, _, d| pair_marks(d))
}

/// The format of the elements of a type that has four narrow ones.
fn narrow(ty: Modifier) -> Result<Narrow, DecodeRefusal> {
    Ok(match ty {
        Modifier::E4m3x4 => Narrow::E4m3,
        Modifier::E5m2x4 => Narrow::E5m2,
        Modifier::E2m3x4 => Narrow::E2m3,
        Modifier::E3m2x4 => Narrow::E3m2,
        Modifier::E2m1x4 => Narrow::E2m1,
        Modifier::Ue8m0x4 => Narrow::Ue8m0,
        _ => return Err(format!("`{ty}` does not have four elements of 8, 6 or 4 bits").into()),
    })
}

/// An operand of four narrow numbers: its place and the format of the numbers.
type Four = (RegisterLocation, Narrow);

fn four(inst: &mut DecodeContext<'_>, name: OperandName, format: Narrow) -> Result<Four, DecodeRefusal> {
    let width = if format.element_bits() == 4 { 2 } else { 4 };
    let place = inst.places(name, width)?.first().copied();
    Ok((place.ok_or_else(|| DecodeRefusal(format!("no operand `{name}`")))?, format))
}

/// The four numbers in a register, from the lowest bits on.
fn unpack(bits: u128, format: Narrow) -> [f32; 4] {
    let width = format.element_bits();
    // Bits of a byte above those of the format are ignored.
    let mask = ((1u16 << width) - 1) as u8;
    std::array::from_fn(|i| format.decode((bits >> (width * i as u32)) as u8 & mask))
}

/// Four results in a register, and their marks. The manual specifies neither which NaN results nor, without `.satfinite`, what becomes of
/// numbers beyond the range of the format.
fn pack(values: [f32; 4], format: Narrow, saturate: bool) -> (u32, Marks) {
    let (mut bits, mut marks) = (0, Marks::NONE);
    for (i, value) in values.into_iter().enumerate() {
        let code = format.encode(value, RoundingDirection::Nearest, saturate);
        bits |= u32::from(code) << (8 * i);
        let overflows = value.is_finite() && !format.decode(code).is_finite();
        if value.is_nan() || overflows {
            marks |= Marks::UNSPECIFIED;
        }
    }
    (bits, marks)
}

/// An operation on four narrow numbers.
#[derive(Clone, Copy, PartialEq)]
enum NarrowOperation {
    Add,
    Sub,
    Mul,
    Fma,
}

/// Decodes an operation on four narrow numbers. The first type is that of the result and of `c`, the second that of `a` and `b`.
fn narrow_step(inst: &mut DecodeContext<'_>, operation: NarrowOperation) -> ActionResult {
    let (result, source) = (narrow(ty(inst, 0)?)?, narrow(ty(inst, 1)?)?);
    let saturate = inst.has(Modifier::Satfinite);
    let d = inst.dst::<u32>(OperandName::D)?;
    let a = four(inst, OperandName::A, source)?;
    let b = if matches!(operation, NarrowOperation::Mul | NarrowOperation::Fma) {
        Some(four(inst, OperandName::B, source)?)
    } else {
        None
    };
    let c = if operation == NarrowOperation::Mul { None } else { Some(four(inst, OperandName::C, result)?) };
    Ok(DecodeContext::each(move |r, lane| {
        let of = |(place, format): Four| unpack(r.lane_bits(place, lane), format);
        let factor = b.map_or([1.0; 4], of);
        // Adding -0 keeps the sign of a product that is zero.
        let term = c.map_or([-0.0; 4], of);
        let term = if operation == NarrowOperation::Sub { term.map(|x| -x) } else { term };
        let (bits, marks) = pack(mixed::fma4(of(a), factor, term), result, saturate);
        r.put_lane(d, lane, bits);
        marks
    }))
}

/// `add` of four narrow numbers.
pub(crate) fn add_narrow(inst: &mut DecodeContext<'_>) -> ActionResult {
    narrow_step(inst, NarrowOperation::Add)
}

/// `sub` of four narrow numbers.
pub(crate) fn sub_narrow(inst: &mut DecodeContext<'_>) -> ActionResult {
    narrow_step(inst, NarrowOperation::Sub)
}

/// `mul` of four narrow numbers.
pub(crate) fn mul_narrow(inst: &mut DecodeContext<'_>) -> ActionResult {
    narrow_step(inst, NarrowOperation::Mul)
}

/// `fma` of four narrow numbers.
pub(crate) fn fma_narrow(inst: &mut DecodeContext<'_>) -> ActionResult {
    narrow_step(inst, NarrowOperation::Fma)
}
