//! Copies of values that were never written. An instruction that only moves bits, such as `mov` or `shfl`, does not report such a value: its
//! result has no value either, and the first instruction that uses it reports it. Compilers copy unwritten registers on purpose.

use crate::lanes::LaneMask;
use std::collections::BTreeMap;

/// The lanes in which each byte of a register is known.
pub(in crate::machine) type KnownBytes = [LaneMask; 16];

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

    pub(in crate::machine) fn knows(&self, slot: u32, byte: usize, lane: usize) -> bool {
        let known = self.registers.get(&slot).and_then(|(_, known)| known.get(byte)).copied();
        known.unwrap_or(0) >> lane & 1 != 0
    }

    /// Notes that a register received a copy of an unwritten value.
    pub(in crate::machine) fn note(&mut self, PassedUnknown { slot, lanes, bytes }: PassedUnknown) {
        let (copied, known) = self.registers.entry(slot).or_default();
        *copied |= lanes;
        for (old, new) in known.iter_mut().zip(bytes) {
            *old = (*old & !lanes) | (new & lanes);
        }
    }
}

/// A result of an instruction that receives a copy of an unwritten value.
#[derive(Debug, Clone, Copy)]
pub(in crate::machine) struct PassedUnknown {
    /// The register.
    pub slot: u32,
    /// The lanes in which it receives the copy.
    pub lanes: LaneMask,
    /// The bytes that have a value in these lanes.
    pub bytes: KnownBytes,
}
