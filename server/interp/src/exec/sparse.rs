//! `spcompress` keeps two of every four elements and their positions; `spdecompress` puts elements back to their positions.
//!
//! Source: manual 9.4, the pages of both instructions. Elements and positions fill lists of 32-bit registers from the lowest bit on.

use crate::findings::FaultKind;
use crate::inst::DecodeContext;
use crate::lanes::lanes;
use crate::machine::StepOutcome;
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::simd::LaneMarks;
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::values::Marks;

/// Access to elements of `bits` bits each (a power of two up to 32) in a list of words.
#[derive(Clone, Copy)]
struct Packing {
    bits: usize,
}

impl Packing {
    fn get(self, words: &[u32], index: usize) -> u32 {
        let at = index * self.bits;
        let word = words.get(at / 32).copied().unwrap_or(0);
        (word >> (at % 32)) & (u32::MAX >> (32 - self.bits))
    }

    fn or(self, words: &mut [u32], index: usize, value: u32) {
        let at = index * self.bits;
        if let Some(word) = words.get_mut(at / 32) {
            *word |= value << (at % 32);
        }
    }

    fn clear(self, words: &mut [u32], index: usize) {
        let at = index * self.bits;
        if let Some(word) = words.get_mut(at / 32) {
            *word &= !((u32::MAX >> (32 - self.bits)) << (at % 32));
        }
    }
}

/// The number after `prefix` in the modifier of a slot, such as 16 in `.x16`.
fn number(inst: &DecodeContext<'_>, slot: SlotName, prefix: &str) -> Result<usize, DecodeRefusal> {
    let number = inst.modifier(slot).and_then(|m| m.name().strip_prefix(prefix)).and_then(|n| n.parse().ok());
    number.ok_or_else(|| DecodeRefusal(format!("`{}` without its `{prefix}`", inst.entry().name)))
}

/// The sizes in bits of an element and of a position. (A position has 4 bits where the pattern leaves no choice.)
fn sizes(inst: &DecodeContext<'_>) -> Result<(Packing, Packing), DecodeRefusal> {
    let bits = |m: Modifier| m.name().strip_prefix(".b").and_then(|n| n.parse::<usize>().ok());
    let both: Vec<usize> = inst.modifiers().filter_map(bits).collect();
    match *both.as_slice() {
        [element, position] => Ok((Packing { bits: element.clamp(1, 32) }, Packing { bits: position.clamp(1, 32) })),
        _ => Err("the sizes of elements and positions are missing".into()),
    }
}

/// How the bits of an element are interpreted when elements are compared.
#[derive(Clone, Copy)]
enum ComparisonType {
    Unsigned,
    Signed,
    /// A floating-point format: the bit of the sign, and the largest magnitude that is no NaN.
    Float {
        sign: u32,
        largest: u32,
    },
}

impl ComparisonType {
    /// The interpretation that a number in the descriptor selects; `None` if elements of `bits` bits do not have it.
    fn of(number: u32, bits: usize) -> Option<Self> {
        let float = |sign: u32, largest| Some(Self::Float { sign, largest });
        match (bits, number) {
            (16, 0) => float(0x8000, 0x7c00),
            (16, 1) => float(0x8000, 0x7f80),
            (8, 0) => Some(Self::Unsigned),
            (8, 1) => Some(Self::Signed),
            (8, 2) => float(0x80, 0x7c),
            (8, 3) => float(0x80, 0x7e),
            // The formats of 6 bits have no NaN.
            (8, 4 | 5) => float(0x20, 0x1f),
            _ => None,
        }
    }

    /// The rank of an element: the elements with the greatest ranks are kept. NaN has the greatest rank, and minus zero is less than zero.
    fn rank(self, element: u32, operation: u32) -> i32 {
        let (value, magnitude) = match self {
            Self::Unsigned => (element as i32, element as i32),
            Self::Signed => (i32::from(element as u8 as i8), i32::from(element as u8 as i8).abs()),
            Self::Float { sign, largest } => {
                let magnitude = element & (sign - 1);
                if magnitude > largest {
                    return i32::MAX;
                }
                let magnitude = magnitude as i32;
                (if element & sign != 0 { !magnitude } else { magnitude }, magnitude)
            }
        };
        match operation & 3 {
            0 => value,
            1 => magnitude,
            2 => -value,
            _ => -magnitude,
        }
    }
}

/// The positions of the two elements of four that are kept, ascending, and whether equal ranks would allow another choice.
fn keep(ranks: [i32; 4]) -> ([usize; 2], bool) {
    let mut order = [0, 1, 2, 3];
    // Of elements with equal ranks, take the first.
    order.sort_by_key(|i: &usize| std::cmp::Reverse(ranks[*i]));
    let open = ranks[order[1]] == ranks[order[2]];
    ([order[0].min(order[1]), order[0].max(order[1])], open)
}

/// `spcompress`.
pub(crate) fn compress(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (element, position) = sizes(inst)?;
    let (positions, kept) = (inst.dsts::<u32>(OperandName::Mdata)?, inst.dsts::<u32>(OperandName::Cdata)?);
    let (data, descriptor) = (inst.srcs::<u32>(OperandName::Data)?, inst.src::<u32>(OperandName::Spdesc)?);
    let groups = data.len() * 32 / element.bits / 4;
    Ok(DecodeContext::machine(move |context| {
        let descriptors = context.registers.get(descriptor);
        let kind = |lane: usize| ComparisonType::of(descriptors[lane] >> 2 & 7, element.bits);
        let wrong: crate::lanes::LaneMask =
            lanes(context.mask).filter(|l| kind(*l).is_none()).fold(0, |m, l| m | 1 << l);
        if wrong != 0 {
            let number = descriptors[wrong.trailing_zeros() as usize] >> 2 & 7;
            context.fault(FaultKind::Trap, wrong, || {
                format!("the descriptor names type {number}, which elements of {} bits do not have", element.bits)
            });
            return StepOutcome::Next;
        }
        let reserved: crate::lanes::LaneMask =
            lanes(context.mask).filter(|l| descriptors[*l] >> 5 != 0).fold(0, |m, l| m | 1 << l);
        if reserved != 0 {
            context.fault(FaultKind::Undefined, reserved, || "bits 5 to 31 of the descriptor must be zero".into());
        }
        for lane in lanes(context.mask) {
            let Some(ty) = kind(lane) else { continue };
            let words: Vec<u32> = data.iter().map(|s| context.registers.lane(*s, lane)).collect();
            let (mut out, mut places) = (vec![0; kept.len()], vec![0; positions.len()]);
            let mut any = false;
            for group in 0..groups {
                let four: [u32; 4] = std::array::from_fn(|i| element.get(&words, 4 * group + i));
                let (two, open) = keep(four.map(|e| ty.rank(e, descriptors[lane])));
                any |= open;
                for (i, at) in two.into_iter().enumerate() {
                    element.or(&mut out, 2 * group + i, four[at]);
                    position.or(&mut places, 2 * group + i, at as u32);
                }
            }
            kept.iter().zip(out).for_each(|(d, v)| context.registers.put_lane(*d, lane, v));
            positions.iter().zip(places).for_each(|(d, v)| context.registers.put_lane(*d, lane, v));
            if any {
                context.mark(lane, Marks::UNSPECIFIED);
            }
        }
        StepOutcome::Next
    }))
}

/// `spdecompress`.
pub(crate) fn decompress(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (element, position) = sizes(inst)?;
    let groups = number(inst, SlotName::Num, ".x")?;
    let pattern = inst.modifiers().find_map(|m| m.name().strip_prefix(".sp::")?.split_once(':'));
    let (from, to) = pattern.ok_or("`spdecompress` without its pattern")?;
    let (Ok(from), Ok(to)) = (from.parse::<usize>(), to.parse::<usize>()) else {
        return Err("a pattern that is not two numbers".into());
    };
    let data = inst.dsts::<u32>(OperandName::Data)?;
    let (positions, kept) = (inst.srcs::<u32>(OperandName::Mdata)?, inst.srcs::<u32>(OperandName::Cdata)?);
    Ok(DecodeContext::all(move |registers, mask| {
        let mut marked = LaneMarks::default();
        for lane in lanes(mask) {
            let words = |list: &[crate::registers::Src<u32>]| -> Vec<u32> {
                list.iter().map(|s| registers.lane(*s, lane)).collect()
            };
            let (places, elements) = (words(&positions), words(&kept));
            let mut out = vec![0; data.len()];
            for group in 0..groups {
                for i in from * group..from * (group + 1) {
                    let at = position.get(&places, i) as usize;
                    if at < to {
                        // If a position occurs twice, the last element stays there.
                        element.clear(&mut out, to * group + at);
                        element.or(&mut out, to * group + at, element.get(&elements, i));
                    } else {
                        // The manual leaves open what becomes of an element without a position in the group; here it is dropped.
                        marked.add(lane, Marks::UNSPECIFIED);
                    }
                }
            }
            data.iter().zip(out).for_each(|(d, v)| registers.put_lane(*d, lane, v));
        }
        marked
    }))
}

#[cfg(test)]
mod tests;
