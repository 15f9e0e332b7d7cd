//! Copies of values that were never written. An instruction that only moves bits, such as `mov` or `shfl`, does not report such a value: its
//! result has no value either, and the first instruction that uses it reports it. Compilers copy unwritten registers on purpose.

use super::code::{FunctionCode, Op};

use super::layout::Slot;
use super::warp::{CallFrame, RegisterShadow};
use crate::lanes::{LaneMask, lanes};
use crate::registers::WarpRegisters;
use std::collections::BTreeMap;

/// The lanes in which each byte of a register is known.
type KnownBytes = [LaneMask; 16];

/// Where a byte of a result comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteOrigin {
    /// Index of the source operand in [`Passing::sources`].
    pub source: usize,
    /// Index of the byte in the source.
    pub byte: usize,
    /// The lane of the source.
    pub lane: usize,
}

/// Returns the origin of a byte of a result: of lane, result (index into [`Passing::results`]) and byte. `None`: the byte has a value in any
/// case, as a constant has.
pub type OriginFinder = Box<dyn Fn(&WarpRegisters, usize, usize, usize) -> Option<ByteOrigin> + Send + Sync>;

/// How an instruction copies bytes of registers.
pub struct Passing {
    /// The operands that are copied, as indices into [`FunctionCode::slots`]; `None` for constants and special registers.
    pub sources: Box<[Option<u32>]>,
    /// The results, likewise; `None` for `_`.
    pub results: Box<[Option<u32>]>,
    /// Finds the origin of a byte. It is called before the instruction is executed.
    pub origin: OriginFinder,
}

/// The parts of registers that hold copies of unwritten values.
#[derive(Debug, Clone, Default)]
pub struct CopiedUnknowns {
    /// By register: the lanes in which it was written with such a value, and the bytes that have a value in these lanes.
    registers: BTreeMap<u32, (LaneMask, KnownBytes)>,
}

impl CopiedUnknowns {
    /// The lanes in which a register that counts as unwritten was written, with a copy of an unwritten value.
    pub fn lanes(&self, slot: u32) -> LaneMask {
        self.registers.get(&slot).map_or(0, |(lanes, _)| *lanes)
    }

    /// Forgets what is noted of a register in the lanes of a mask.
    pub fn forget(&mut self, slot: u32, mask: LaneMask) {
        if let Some((lanes, known)) = self.registers.get_mut(&slot) {
            *lanes &= !mask;
            known.iter_mut().for_each(|byte| *byte &= !mask);
        }
    }

    fn knows(&self, slot: u32, byte: usize, lane: usize) -> bool {
        let known = self.registers.get(&slot).and_then(|(_, known)| known.get(byte)).copied();
        known.unwrap_or(0) >> lane & 1 != 0
    }
}

/// The results of an instruction that receive copies of unwritten values: for each the register, the lanes, and its known bytes in them.
pub(super) type PassedUnknowns = Vec<(u32, LaneMask, KnownBytes)>;

impl Passing {
    /// Whether all sources were written in the lanes of a mask.
    #[inline]
    pub(super) fn is_known(&self, shadow: &RegisterShadow, mask: LaneMask) -> bool {
        self.sources.iter().flatten().all(|s| shadow.known.get(*s as usize).is_some_and(|k| mask & !k == 0))
    }

    /// The results that will have no value after the instruction, in the lanes of a mask.
    pub(super) fn unknowns(&self, code: &FunctionCode, frame: &CallFrame, mask: LaneMask) -> PassedUnknowns {
        if self.is_known(&frame.shadow, mask) {
            return Vec::new();
        }
        let shadow = &frame.shadow;
        let known = |origin: ByteOrigin| {
            let Some(slot) = self.sources.get(origin.source).copied().flatten() else { return true };
            let written = shadow.known.get(slot as usize).copied().unwrap_or(0);
            written >> origin.lane & 1 != 0 || shadow.copied.knows(slot, origin.byte, origin.lane)
        };
        let mut out = Vec::new();
        for (result, slot) in self.results.iter().enumerate().filter_map(|(i, slot)| Some((i, (*slot)?))) {
            let width = match code.slots.get(slot as usize) {
                Some(Slot::Register(place)) => usize::from(place.width),
                Some(Slot::Predicate(_)) => 1,
                None => 0,
            };
            let (mut unknown, mut bytes) = (0, KnownBytes::default());
            for lane in lanes(mask) {
                for (byte, all) in bytes.iter_mut().enumerate().take(width) {
                    if (self.origin)(&frame.registers, lane, result, byte).is_none_or(known) {
                        *all |= 1 << lane;
                    } else {
                        unknown |= 1 << lane;
                    }
                }
            }
            if unknown != 0 {
                out.push((slot, unknown, bytes));
            }
        }
        out
    }
}

impl Op {
    /// Whether all registers that the instruction reads have been written: the guard in the lanes of the group, the others in those of
    /// `mask`.
    #[inline]
    pub(super) fn is_known(&self, shadow: &RegisterShadow, group: LaneMask, mask: LaneMask) -> bool {
        let known = |slot: u32, mask: LaneMask| shadow.known.get(slot as usize).is_some_and(|k| mask & !k == 0);
        self.guard_slot.is_none_or(|slot| known(slot, group))
            && self.uses.iter().all(|slot| known(*slot, mask))
            && self.passing.as_ref().is_none_or(|passing| passing.is_known(shadow, mask))
    }
}

impl RegisterShadow {
    /// Notes, after an instruction, that results received copies of unwritten values.
    pub(super) fn note_unknowns(&mut self, passed: PassedUnknowns) {
        for (slot, lanes, bytes) in passed {
            if let Some(known) = self.known.get_mut(slot as usize) {
                *known &= !lanes;
            }
            let (copied, known) = self.copied.registers.entry(slot).or_default();
            *copied |= lanes;
            for (old, new) in known.iter_mut().zip(bytes) {
                *old = (*old & !lanes) | (new & lanes);
            }
        }
    }
}
