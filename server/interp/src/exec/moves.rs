//! `mov`: copies, addresses, and packing and unpacking of vectors.

use crate::inst::DecodeContext;
use crate::lanes::{ALL, Lane, LaneMask, lanes};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::machine::passing::ByteOrigin;
use crate::registers::{Dst, Src};
use crate::registers::{RegisterLocation, WarpRegisters};
use crate::simd::{LaneMarks, LaneStep, step};
use ptx_isa::OperandName;

/// `d = a` for all lanes.
struct Move<T> {
    d: Dst<T>,
    a: Src<T>,
}

impl<T: Lane> LaneStep for Move<T> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let values = registers.get(self.a);
        registers.put(self.d, mask, values);
        LaneMarks::default()
    }
}

/// Decodes the copy of a register in the narrower of the two widths.
fn copy(d: RegisterLocation, a: RegisterLocation) -> Result<OpAction, DecodeRefusal> {
    fn of<T: Lane>(d: RegisterLocation, a: RegisterLocation) -> Option<OpAction> {
        Some(OpAction::Lanes(step(Move { d: Dst::<T>::new(d)?, a: Src::<T>::new(a)? })))
    }
    let width = d.width.min(a.width);
    let made = match width {
        1 => of::<u8>(d, a),
        2 => of::<u16>(d, a),
        4 => of::<u32>(d, a),
        8 => of::<u64>(d, a),
        _ => of::<u128>(d, a),
    };
    made.ok_or_else(|| "a register that cannot be written".into())
}

/// `mov` of a value, an address or a predicate.
pub(crate) fn mov(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    if inst.is_predicate(OperandName::D) {
        let to = inst.predicate_dst(OperandName::D)?.ok_or("`mov.pred` without a destination")?;
        let from = inst.predicate_src(OperandName::A)?.ok_or("`mov.pred` without a source")?;
        inst.passes(&[OperandName::A], |_, lane, source, byte| Some(ByteOrigin { source, byte, lane }));
        return Ok(DecodeContext::all(move |r, mask| {
            let value = r.predicate(from);
            r.put_predicate(to, mask, value);
            LaneMarks::default()
        }));
    }
    let operand = inst.operand(OperandName::D).ok_or("`mov` without a destination")?;
    let width = inst.width(operand);
    let (to, from) = (inst.places(OperandName::D, width)?, inst.places(OperandName::A, width)?);
    if to.len() == from.len() {
        // Bytes that the source does not have are zero.
        let widths: Vec<usize> = from.iter().map(|p| p.width.into()).collect();
        inst.passes(&[OperandName::A], move |_, lane, source, byte| {
            (byte < *widths.get(source)?).then_some(ByteOrigin { source, byte, lane })
        });
        if let ([to], [from]) = (&to[..], &from[..]) {
            return copy(*to, *from);
        }
        return Ok(DecodeContext::each(move |r, lane| {
            let values: Vec<u128> = from.iter().map(|p| r.lane_bits(*p, lane)).collect();
            to.iter().zip(values).for_each(|(p, v)| r.set_lane_bits(*p, lane, v));
            ptx_num::values::Marks::NONE
        }));
    }
    repack(inst, to, from)
}

/// `mov` that packs a list into a register, or unpacks one.
pub(crate) fn vector(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let whole = inst.modifiers().filter_map(|m| ptx_isa::ISA.ty(m.name())).last().map_or(32, |t| t.bits) / 8;
    let elements = |inst: &DecodeContext<'_>, name: OperandName| inst.operands(name).count().max(1) as u16;
    let (d, a) = (elements(inst, OperandName::D), elements(inst, OperandName::A));
    let width = |count: u16| (whole / count).max(1) as u8;
    let (to, from) = (inst.places(OperandName::D, width(d))?, inst.places(OperandName::A, width(a))?);
    repack(inst, to, from)
}

/// Concatenates the bits of the sources, the first one lowest, and splits them into the destinations. All elements of a list have one
/// width.
fn repack(
    inst: &mut DecodeContext<'_>,
    to: Vec<RegisterLocation>,
    from: Vec<RegisterLocation>,
) -> Result<OpAction, DecodeRefusal> {
    if to.is_empty() || from.is_empty() {
        return Err("`mov` of an empty list".into());
    }
    let total: u32 = if to.len() == 1 { to[0].width.into() } else { from.iter().map(|p| u32::from(p.width)).sum() };
    let (to_bits, from_bits) = (8 * total / to.len() as u32, 8 * total / from.len() as u32);
    inst.passes(&[OperandName::A], move |_, lane, element, byte| {
        let (inside, source_bytes) = (byte < (to_bits / 8) as usize, (from_bits / 8) as usize);
        let at = element * (to_bits / 8) as usize + byte;
        let origin = || ByteOrigin { source: at / source_bytes, byte: at % source_bytes, lane };
        (inside && source_bytes > 0).then(origin)
    });
    Ok(DecodeContext::all(move |r, mask| {
        let one = |r: &mut WarpRegisters, lane: usize| {
            let join =
                |(i, p): (usize, &RegisterLocation)| cut(r.lane_bits(*p, lane), from_bits) << (from_bits * i as u32);
            let all = from.iter().enumerate().map(join).fold(0, |a, b| a | b);
            for (i, place) in to.iter().enumerate() {
                r.set_lane_bits(*place, lane, cut(all >> (to_bits * i as u32), to_bits));
            }
        };
        if mask == ALL {
            (0..32).for_each(|lane| one(r, lane));
        } else {
            lanes(mask).for_each(|lane| one(r, lane));
        }
        LaneMarks::default()
    }))
}

/// The lowest `bits` bits of a value.
fn cut(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}
