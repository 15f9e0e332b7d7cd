//! Video instructions.

use super::integer::type_of;
use crate::inst::DecodeContext;
use crate::machine::code::{DecodeRefusal, OpAction};
use ptx_isa::{Exec, Modifier, OperandName, SlotName};
use ptx_num::values::integer::compare::IntegerComparison;
use ptx_num::values::video::RegisterPart;
use ptx_num::values::video::multiply::{Multiply, Sign};
use ptx_num::values::video::scalar::{ScalarOperation, ScalarVideo, Then, VideoSource};
use ptx_num::values::video::simd::{self, ElementChoice, ElementMask, Simd, Width};

type Result<T> = std::result::Result<T, DecodeRefusal>;

/// The selector on an operand, without its dot.
fn selector<'a>(inst: &DecodeContext<'a>, name: OperandName) -> Option<&'a str> {
    inst.operand(name)?.selector()
}

fn part(inst: &DecodeContext<'_>, name: OperandName) -> Result<RegisterPart> {
    match selector(inst, name) {
        None => Ok(RegisterPart::ALL),
        Some(selector) => {
            RegisterPart::of(selector).ok_or_else(|| format!("the selector `.{selector}` is not known here").into())
        }
    }
}

fn signed(inst: &DecodeContext<'_>, slot: SlotName) -> bool {
    inst.modifier(slot) == Some(Modifier::S32)
}

fn comparison(inst: &DecodeContext<'_>) -> Result<IntegerComparison> {
    let found = inst.modifier(SlotName::Cmp).and_then(|m| IntegerComparison::of(m.word()));
    found.ok_or_else(|| "an unknown comparison".into())
}

/// `vadd`, `vsub`, `vabsdiff`, `vmin`, `vmax`, `vshl`, `vshr`, `vset`.
pub(super) fn scalar(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let wrap = inst.has(Modifier::Wrap);
    let operation = match inst.exec() {
        Some(Exec::VideoVadd) => ScalarOperation::Add,
        Some(Exec::VideoVsub) => ScalarOperation::Sub,
        Some(Exec::VideoVabsdiff) => ScalarOperation::AbsDiff,
        Some(Exec::VideoVmin) => ScalarOperation::Min,
        Some(Exec::VideoVmax) => ScalarOperation::Max,
        Some(Exec::VideoVshl) => ScalarOperation::ShiftLeft { wrap },
        Some(Exec::VideoVshr) => ScalarOperation::ShiftRight { wrap },
        _ => ScalarOperation::Set(comparison(inst)?),
    };
    let then = match inst.modifier(SlotName::Op2) {
        Some(Modifier::Add) => Then::Add,
        Some(Modifier::Min) => Then::Min,
        Some(Modifier::Max) => Then::Max,
        _ if inst.operand(OperandName::C).is_none() => Then::Nothing,
        _ => {
            selector(inst, OperandName::D).map_or(Ok(Then::Nothing), |_| part(inst, OperandName::D).map(Then::Merge))?
        }
    };
    let set = matches!(operation, ScalarOperation::Set(_));
    let shift = matches!(operation, ScalarOperation::ShiftLeft { .. } | ScalarOperation::ShiftRight { .. });
    let scalar = ScalarVideo {
        operation,
        a: VideoSource { part: part(inst, OperandName::A)?, signed: signed(inst, SlotName::Atype) },
        b: VideoSource { part: part(inst, OperandName::B)?, signed: !shift && signed(inst, SlotName::Btype) },
        signed: signed(inst, if set { SlotName::Atype } else { SlotName::Dtype }),
        saturate: inst.has(Modifier::Sat),
        then,
    };
    if inst.operand(OperandName::C).is_some() {
        inst.each3(move |a: u32, b: u32, c: u32| scalar.evaluate(a, b, c))
    } else {
        inst.each2(move |a: u32, b: u32| scalar.evaluate(a, b, 0))
    }
}

/// `vmad`.
pub(super) fn vmad(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    let minus = |inst: &DecodeContext<'_>, name: OperandName| inst.operand(name).is_some_and(|o| o.minus);
    let sign = match (
        inst.has(Modifier::Po),
        minus(inst, OperandName::A) != minus(inst, OperandName::B),
        minus(inst, OperandName::C),
    ) {
        (true, _, _) => Sign::PlusOne,
        (_, true, _) => Sign::MinusProduct,
        (_, _, true) => Sign::MinusThird,
        _ => Sign::Plain,
    };
    let scale = match inst.modifier(SlotName::Scale) {
        Some(Modifier::Shr7) => 7,
        Some(Modifier::Shr15) => 15,
        _ => 0,
    };
    let vmad = Multiply {
        a: VideoSource { part: part(inst, OperandName::A)?, signed: signed(inst, SlotName::Atype) },
        b: VideoSource { part: part(inst, OperandName::B)?, signed: signed(inst, SlotName::Btype) },
        sign,
        saturate: inst.has(Modifier::Sat),
        scale,
    };
    inst.each3(move |a: u32, b: u32, c: u32| vmad.evaluate(a, b, c))
}

/// `vadd2` … `vset4`.
pub(super) fn packed(inst: &mut DecodeContext<'_>) -> Result<OpAction> {
    use simd::SimdOperation;
    let name = inst.entry().name;
    let width = if name.ends_with('4') { Width::Bytes } else { Width::Halves };
    let operation = match inst.exec() {
        Some(Exec::VideoVadd2 | Exec::VideoVadd4) => SimdOperation::Add,
        Some(Exec::VideoVsub2 | Exec::VideoVsub4) => SimdOperation::Sub,
        Some(Exec::VideoVavrg2 | Exec::VideoVavrg4) => SimdOperation::Average,
        Some(Exec::VideoVabsdiff2 | Exec::VideoVabsdiff4) => SimdOperation::AbsDiff,
        Some(Exec::VideoVmin2 | Exec::VideoVmin4) => SimdOperation::Min,
        Some(Exec::VideoVmax2 | Exec::VideoVmax4) => SimdOperation::Max,
        _ => SimdOperation::Set(comparison(inst)?),
    };
    let unknown = || DecodeRefusal("an unknown selector".into());
    let choice = |inst: &DecodeContext<'_>, name: OperandName, without: ElementChoice| match selector(inst, name) {
        None => Ok(without),
        Some(selector) => ElementChoice::of(selector, width).ok_or_else(unknown),
    };
    let mask = match selector(inst, OperandName::D) {
        None => ElementMask::ALL,
        Some(selector) => ElementMask::of(selector, width).ok_or_else(unknown)?,
    };
    let set = matches!(operation, SimdOperation::Set(_));
    let simd = Simd {
        operation,
        width,
        a: choice(inst, OperandName::A, ElementChoice::A)?,
        a_signed: signed(inst, SlotName::Atype),
        b: choice(inst, OperandName::B, ElementChoice::b(width))?,
        b_signed: signed(inst, SlotName::Btype),
        signed: if set { type_of(inst) == Some(Modifier::S32) } else { signed(inst, SlotName::Dtype) },
        saturate: inst.has(Modifier::Sat),
        mask,
        accumulate: inst.has(Modifier::Add),
    };
    inst.map3(move |a: u32, b: u32, c: u32| simd.evaluate(a, b, c))
}
