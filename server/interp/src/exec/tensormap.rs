//! Tensor maps in memory: `tensormap.replace`, `tensormap.cp_fenceproxy` (manual 9.7.9.28, 9.7.13.16).

#[cfg(test)]
mod tests;

use super::mbarrier;
use super::tensor;
use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::{Order, StepOutcome, proxies};
use crate::memory::Region;
use ptx_isa::{Modifier, OperandName};
use ptx_num::image::TensorFault;
use ptx_num::image::tensor_map::{BYTES, Field, replace as replace_field};

/// `tensormap.replace`.
pub(super) fn replace(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let ordinal = inst.immediate(OperandName::Ord).and_then(|o| u8::try_from(o).ok()).unwrap_or(0);
    let field = inst.modifiers().find_map(|m| Field::named(m.word(), ordinal));
    let field = field.ok_or("`tensormap.replace` without a field")?;
    let width = if matches!(field, Field::GlobalAddress | Field::GlobalStride(_)) { 8 } else { 4 };
    let value = *inst.places(OperandName::Value, width)?.first().ok_or("`tensormap.replace` without a value")?;
    let map = inst.address(OperandName::Map)?;
    let own = inst.has(Modifier::SharedCta);
    Ok(DecodeContext::machine(move |context| {
        for lane in lanes(context.mask) {
            let Some(at) = context.locate(&map, lane, BYTES, 1, true) else { continue };
            let rank = mbarrier::rank_of(context, at);
            if at.region != Region::Global && rank != Some(context.rank as u32) || own && rank.is_none() {
                context.fault(FaultKind::Undefined, 1 << lane, || {
                    "the tensor map is neither in global memory nor in shared memory of this CTA".into()
                });
                continue;
            }
            let mut bytes = [0; BYTES];
            let marks = context.read_at(at, lane, &mut bytes, Order::Weak);
            let mut value = context.registers.lane_bits(value, lane) as u64;
            if width == 4 {
                value &= 0xffff_ffff;
            }
            if replace_field(&mut bytes, field, value) {
                context.write_at(at, lane, &bytes, marks, Order::Weak);
                proxies::map_written(context, at);
            } else if ptx_num::image::TensorMap::from_bytes(&bytes).is_none() {
                tensor::fault(context, TensorFault::NotAMap, lane);
            } else {
                context.fault(FaultKind::Undefined, 1 << lane, || {
                    format!("there is no entry {ordinal} of this field: a tensor has at most five dimensions and four strides")
                });
            }
        }
        StepOutcome::Next
    }))
}

/// `tensormap.cp_fenceproxy`: copies the map and releases it. A copy that uses it must acquire it.
pub(super) fn copy(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (to, from) = (inst.address(OperandName::Dst)?, inst.address(OperandName::Src)?);
    Ok(DecodeContext::machine(move |context| {
        let mut done = Vec::new();
        for lane in lanes(context.mask) {
            let (Some(to), Some(from)) =
                (context.locate(&to, lane, BYTES, 1, true), context.locate(&from, lane, BYTES, 1, false))
            else {
                continue;
            };
            // The warp copies one tensor map, so lanes with the same addresses need not repeat it.
            if !done.contains(&(to, from)) {
                done.push((to, from));
                context.copy_at(from, to, lane, BYTES, u16::MAX);
                proxies::map_written(context, to);
            }
        }
        StepOutcome::Next
    }))
}

/// `tensormap.query`.
pub(super) fn query(_: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    Err("the manual does not say what `tensormap.query` returns".into())
}
