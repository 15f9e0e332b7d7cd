//! Integer arithmetic.

use super::typed::{by_packed, by_type, unknown};
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::{Lane, lanes};
use crate::machine::StepOutcome;
use crate::machine::code::{DecodeRefusal, OpAction};
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::values::Marks;
use ptx_num::values::integer::{Int, arithmetic, bits, divide, dot, packed, product};

type Result<T> = std::result::Result<T, DecodeRefusal>;

/// The integer type of an instruction: its last modifier that is a type.
pub(super) fn type_of(inst: &DecodeContext<'_>) -> Option<Modifier> {
    inst.types().last()
}

fn is_packed(ty: Option<Modifier>) -> bool {
    ty.is_some_and(|t| t.name().contains('x'))
}

/// Decodes a function of two integers, or of the elements of two packed ones.
macro_rules! binary {
    ($inst:expr, $f:path) => {{
        let name = type_of($inst);
        if is_packed(name) {
            by_packed!(name, T => $inst.map2(|a: u32, b: u32| packed::elementwise::<T>(a, b, $f)))
        } else {
            by_type!(name, T => $inst.map2(|a: T, b: T| $f(a, b)))
        }
    }};
}

pub(super) fn add(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    if inst.has(Modifier::Sat) { binary!(inst, arithmetic::add_sat) } else { binary!(inst, arithmetic::add) }
}

pub(super) fn sub(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    if inst.has(Modifier::Sat) { binary!(inst, arithmetic::sub_sat) } else { binary!(inst, arithmetic::sub) }
}

pub(super) fn min(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    if inst.has(Modifier::Relu) { binary!(inst, arithmetic::min_relu) } else { binary!(inst, arithmetic::min) }
}

pub(super) fn max(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    if inst.has(Modifier::Relu) { binary!(inst, arithmetic::max_relu) } else { binary!(inst, arithmetic::max) }
}

pub(super) fn abs(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => inst.map1(|a: T| arithmetic::abs(a)))
}

pub(super) fn neg(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let name = type_of(inst);
    if is_packed(name) {
        return by_packed!(name, T => inst.map1(|a: u32| packed::each::<T>(a, arithmetic::neg)));
    }
    by_type!(name, T => inst.map1(|a: T| arithmetic::neg(a)))
}

pub(super) fn sad(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => inst.map3(|a: T, b: T, c: T| arithmetic::sad(a, b, c)))
}

/// Decodes a product that is twice as wide as its factors.
macro_rules! wide {
    ($inst:expr, $name:expr, $f:ident) => {
        match $name {
            Some(Modifier::U16) => $inst.$f(|a: u16, b: u16| product::mul_wide(a, b)),
            Some(Modifier::S16) => $inst.$f(|a: i16, b: i16| product::mul_wide(a, b)),
            Some(Modifier::U32) => $inst.$f(|a: u32, b: u32| product::mul_wide(a, b)),
            Some(Modifier::S32) => $inst.$f(|a: i32, b: i32| product::mul_wide(a, b)),
            other => Err(unknown(other)),
        }
    };
}

pub(super) fn mul(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let name = type_of(inst);
    match inst.modifier(SlotName::Mode) {
        Some(Modifier::Hi) => by_type!(name, T => inst.map2(|a: T, b: T| product::mul_hi(a, b))),
        Some(Modifier::Lo) => by_type!(name, T => inst.map2(|a: T, b: T| product::mul_lo(a, b))),
        _ => wide!(inst, name, map2),
    }
}

pub(super) fn mad(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let name = type_of(inst);
    if inst.has(Modifier::Sat) {
        return inst.map3(|a: i32, b: i32, c: i32| product::mad_hi_sat(a, b, c));
    }
    if inst.has(Modifier::Hi) {
        return by_type!(name, T => inst.map3(|a: T, b: T, c: T| product::mad_hi(a, b, c)));
    }
    if inst.has(Modifier::Lo) {
        return by_type!(name, T => inst.map3(|a: T, b: T, c: T| product::mad_lo(a, b, c)));
    }
    match name {
        Some(Modifier::U16) => inst.map3(|a: u16, b: u16, c: u32| product::mad_wide(a, b, c)),
        Some(Modifier::S16) => inst.map3(|a: i16, b: i16, c: i32| product::mad_wide(a, b, c)),
        Some(Modifier::U32) => inst.map3(|a: u32, b: u32, c: u64| product::mad_wide(a, b, c)),
        _ => inst.map3(|a: i32, b: i32, c: i64| product::mad_wide(a, b, c)),
    }
}

pub(super) fn clmad(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    if inst.has(Modifier::Hi) {
        inst.map3(|a: u64, b: u64, c: u64| product::clmad_hi(a, b, c))
    } else {
        inst.map3(|a: u64, b: u64, c: u64| product::clmad_lo(a, b, c))
    }
}

pub(super) fn mul24(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let name = type_of(inst);
    if inst.has(Modifier::Hi) {
        by_type!(name, T => inst.map2(|a: T, b: T| product::mul24_hi(a, b)))
    } else {
        by_type!(name, T => inst.map2(|a: T, b: T| product::mul24_lo(a, b)))
    }
}

pub(super) fn mad24(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let name = type_of(inst);
    if inst.has(Modifier::Sat) {
        inst.map3(|a: i32, b: i32, c: i32| product::mad24_hi_sat(a, b, c))
    } else if inst.has(Modifier::Hi) {
        by_type!(name, T => inst.map3(|a: T, b: T, c: T| product::mad24_hi(a, b, c)))
    } else {
        by_type!(name, T => inst.map3(|a: T, b: T, c: T| product::mad24_lo(a, b, c)))
    }
}

/// Decodes a division. A division by zero is a finding, and `f` marks its result.
fn dividing<T: Lane + Int>(inst: &mut DecodeContext<'_>, f: fn(T, T) -> (T, Marks)) -> Result<OpAction> {
    let (d, a, b) = (inst.dst::<T>(OperandName::D)?, inst.src::<T>(OperandName::A)?, inst.src::<T>(OperandName::B)?);
    Ok(DecodeContext::machine(move |context| {
        let mut zero = 0;
        for lane in lanes(context.mask) {
            let divisor = context.registers.lane(b, lane);
            let (value, marks) = f(context.registers.lane(a, lane), divisor);
            context.registers.put_lane(d, lane, value);
            context.mark(lane, marks);
            zero |= u32::from(divisor == T::ZERO) << lane;
        }
        if zero != 0 {
            context.fault(FaultKind::DivisionByZero, zero, || {
                "an integer is divided by zero: the result is undefined (here all bits are set, as on hardware)".into()
            });
        }
        StepOutcome::Next
    }))
}

pub(super) fn div(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => dividing::<T>(inst, divide::div))
}

pub(super) fn rem(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => dividing::<T>(inst, divide::rem))
}

pub(super) fn popc(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => inst.map1(|a: T| bits::popc(a)))
}

pub(super) fn clz(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => inst.map1(|a: T| bits::clz(a)))
}

pub(super) fn brev(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => inst.map1(|a: T| bits::brev(a)))
}

pub(super) fn bfind(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let name = type_of(inst);
    if inst.has(Modifier::Shiftamt) {
        by_type!(name, T => inst.map1(|a: T| bits::bfind_shiftamt(a)))
    } else {
        by_type!(name, T => inst.map1(|a: T| bits::bfind(a)))
    }
}

pub(super) fn fns(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let d = inst.dst::<u32>(OperandName::D)?;
    let (mask, base, offset) = (
        inst.src::<u32>(OperandName::Mask)?,
        inst.src::<u32>(OperandName::Base)?,
        inst.src::<i32>(OperandName::Offset)?,
    );
    Ok(DecodeContext::each(move |r, lane| {
        let (value, marks) = bits::fns(r.lane(mask, lane), r.lane(base, lane), r.lane(offset, lane));
        r.put_lane(d, lane, value);
        marks
    }))
}

pub(super) fn bfe(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => if <T as Int>::BITS == 64 {
        inst.each3(|a: T, b: u32, c: u32| (bits::bfe(a, b, c), bits::field_marks::<T>(b, c)))
    } else {
        inst.map3(|a: T, b: u32, c: u32| bits::bfe(a, b, c))
    })
}

pub(super) fn bfi(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    fn of<T: Lane + Int>(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
        let (f, a, b) =
            (inst.dst::<T>(OperandName::F)?, inst.src::<T>(OperandName::A)?, inst.src::<T>(OperandName::B)?);
        let (c, d) = (inst.src::<u32>(OperandName::C)?, inst.src::<u32>(OperandName::D)?);
        Ok(DecodeContext::each(move |r, lane| {
            let (position, length) = (r.lane(c, lane), r.lane(d, lane));
            r.put_lane(f, lane, bits::bfi(r.lane(a, lane), r.lane(b, lane), position, length));
            bits::field_marks::<T>(position, length)
        }))
    }
    by_type!(type_of(inst), T => of::<T>(inst))
}

pub(super) fn szext(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let wrap = inst.has(Modifier::Wrap);
    by_type!(type_of(inst), T => inst.map2(move |a: T, b: u32| bits::szext(a, b, wrap)))
}

pub(super) fn bmsk(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let wrap = inst.has(Modifier::Wrap);
    inst.map2(move |a: u32, b: u32| bits::bmsk(a, b, wrap))
}

fn signs(inst: &DecodeContext<'_>) -> (bool, bool) {
    (inst.modifier(SlotName::Atype) == Some(Modifier::S32), inst.modifier(SlotName::Btype) == Some(Modifier::S32))
}

pub(super) fn dp4a(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let (a_signed, b_signed) = signs(inst);
    inst.map3(move |a: u32, b: u32, c: u32| dot::dp4a(a, b, c, a_signed, b_signed))
}

pub(super) fn dp2a(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let ((a_signed, b_signed), upper) = (signs(inst), inst.has(Modifier::Hi));
    inst.map3(move |a: u32, b: u32, c: u32| dot::dp2a(a, b, c, a_signed, b_signed, upper))
}
