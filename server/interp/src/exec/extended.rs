//! Extended-precision arithmetic: sums and products that read a carry and write one.

use super::integer::type_of;
use super::typed::by_type;
use crate::inst::DecodeContext;
use crate::lanes::{Lane, LaneMask, lanes};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::registers::WarpRegisters;
use crate::simd::LaneMarks;
use ptx_isa::{Modifier, OperandName};
use ptx_num::values::Marks;
use ptx_num::values::integer::{Int, carry};

type Result<T> = std::result::Result<T, DecodeRefusal>;

/// Whether the instruction writes the carry (`.cc`).
fn leaves(inst: &DecodeContext<'_>) -> bool {
    inst.has(Modifier::Cc)
}

/// `d = f(a, b, c, carry)` in the lanes of a mask. `third`: there is an operand `c`. The carry flag changes only with `.cc`.
fn step<T: Lane + Int>(
    inst: &mut DecodeContext<'_>,
    third: bool,
    f: impl Fn(T, T, T, bool) -> ((T, bool), Marks) + Send + Sync + 'static,
) -> Result<OpAction> {
    step_of(inst, third, Box::new(f))
}

/// An operation on three numbers and a carry: its result, the new carry, and the marks.
type CarryOperation<T> = Box<dyn Fn(T, T, T, bool) -> ((T, bool), Marks) + Send + Sync>;

/// Compiled for each type, not for each operation.
fn step_of<T: Lane + Int>(inst: &mut DecodeContext<'_>, third: bool, f: CarryOperation<T>) -> Result<OpAction> {
    let leaves = leaves(inst);
    let (d, a, b) = (inst.dst::<T>(OperandName::D)?, inst.src::<T>(OperandName::A)?, inst.src::<T>(OperandName::B)?);
    let c = if third { inst.src::<T>(OperandName::C)? } else { a };
    Ok(DecodeContext::all(move |r: &mut WarpRegisters, mask: LaneMask| {
        let (x, y, z) = (r.get(a), r.get(b), r.get(c));
        let mut marked = LaneMarks::default();
        for lane in lanes(mask) {
            let carry = r.carry >> lane & 1 != 0;
            let ((value, carry), marks) = f(x[lane], y[lane], z[lane], carry);
            r.put_lane(d, lane, value);
            if leaves {
                r.carry = (r.carry & !(1 << lane)) | LaneMask::from(carry) << lane;
            }
            marked.add(lane, marks);
        }
        marked
    }))
}

fn plain<T>(result: (T, bool)) -> ((T, bool), Marks) {
    (result, Marks::NONE)
}

pub(super) fn add_cc(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => step::<T>(inst, false, |a, b, _, _| plain(carry::add_cc(a, b))))
}

pub(super) fn sub_cc(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    by_type!(type_of(inst), T => step::<T>(inst, false, |a, b, _, _| plain(carry::sub_cc(a, b))))
}

pub(super) fn addc(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    if inst.has(Modifier::Sat) {
        return step::<i32>(inst, false, |a, b, _, c| plain((carry::addc_sat(a, b, c), false)));
    }
    by_type!(type_of(inst), T => step::<T>(inst, false, |a, b, _, c| plain(carry::addc(a, b, c))))
}

pub(super) fn subc(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    if inst.has(Modifier::Sat) {
        return step::<i32>(inst, false, |a, b, _, c| plain((carry::subc_sat(a, b, c), false)));
    }
    by_type!(type_of(inst), T => step::<T>(inst, false, |a, b, _, c| plain(carry::subc(a, b, c))))
}

pub(super) fn mad_cc(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let name = type_of(inst);
    if inst.has(Modifier::Hi) {
        by_type!(name, T => step::<T>(inst, true, |a, b, c, _| plain(carry::madc_hi(a, b, c, false))))
    } else {
        by_type!(name, T => step::<T>(inst, true, |a, b, c, _| plain(carry::madc_lo(a, b, c, false))))
    }
}

pub(super) fn madc(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let name = type_of(inst);
    if inst.has(Modifier::Sat) {
        return step::<i32>(inst, true, |a, b, c, carry| {
            let (value, marks) = carry::madc_hi_sat(a, b, c, carry);
            ((value, false), marks)
        });
    }
    if inst.has(Modifier::Hi) {
        by_type!(name, T => step::<T>(inst, true, |a, b, c, carry| plain(carry::madc_hi(a, b, c, carry))))
    } else {
        by_type!(name, T => step::<T>(inst, true, |a, b, c, carry| plain(carry::madc_lo(a, b, c, carry))))
    }
}
