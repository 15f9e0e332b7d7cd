//! The memory that a run holds, as one account: buffers and variables, pages of shared and local memory, registers, the heap.
//!
//! One limit holds for all of it ([`Settings::memory`](super::Settings::memory)). The machine counts what it makes here, and subtracts it when
//! it is gone. Two things have limits of their own: the notes of the detector of races ([`super::races`]) and the printed text.

use super::code::FunctionCode;
use super::cta::{Cluster, Cta};
use super::warp::{CallFrame, Warp};
use super::{ExecContext, Machine, Memory};
use crate::findings::{Fault, FaultKind, InstructionSite};

/// What an allocation of the heap takes besides its pages: its entry in a list that grows by doubling, and its name.
pub(crate) const ALLOCATION: u64 = 2 * size_of::<crate::memory::Allocation>() as u64 + 32;

/// What a warp takes before its first instruction, without the registers: the stacks of its lanes, empty.
const WARP: u64 = (size_of::<Warp>() + crate::lanes::LANES * (size_of::<crate::memory::Storage>() + 4)) as u64;

/// Bytes per register for what is known of it.
const SHADOW: u64 = 12;

impl Machine {
    /// Takes bytes into the account. False where they exceed the limit: then the run must end.
    pub(crate) fn hold(&mut self, bytes: u64) -> bool {
        self.kept = self.kept.saturating_add(bytes);
        self.kept <= self.settings.memory
    }

    /// Gives bytes back.
    pub(crate) fn release(&mut self, bytes: u64) {
        self.kept = self.kept.saturating_sub(bytes);
    }

    /// Whether so many more bytes would be within the limit.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        self.kept.saturating_add(bytes) <= self.settings.memory
    }

    /// What a cluster holds at its start.
    pub(super) fn cluster_at_start(&self) -> u64 {
        let frame = self.executable.code(self.executable.entry).map_or(0, frame_of);
        let warps = u64::from(self.shape.warps()) * u64::from(self.shape.cluster_ctas());
        warps.saturating_mul(WARP.saturating_add(frame))
    }

    /// The next cluster does not start, even though none is running: it needs more than there is.
    pub(super) fn report_no_room(&mut self) {
        let (needed, limit, held) = (self.cluster_at_start(), self.settings.memory, self.kept);
        let (ctas, threads) = (self.shape.cluster_ctas(), self.shape.threads());
        let site = InstructionSite { function: self.executable.entry, instruction: 0 };
        let message = || {
            format!(
                "{ctas} blocks of {threads} threads need {needed} bytes for their registers; the run holds {held} bytes and may hold {limit}"
            )
        };
        let fault = || Fault {
            kind: FaultKind::OutOfMemory,
            message: message(),
            site,
            lanes: 0,
            cta: [0; 3],
            warp: 0,
            step: 0,
            count: 1,
            related: None,
        };
        self.findings.add(FaultKind::OutOfMemory, site, fault);
    }
}

impl ExecContext<'_> {
    /// Takes bytes into the account for a lane; beyond the limit the run ends.
    pub(crate) fn hold(&mut self, bytes: u64, lane: usize) {
        if !self.machine.hold(bytes) {
            let limit = self.machine.settings.memory;
            self.fault(FaultKind::OutOfMemory, 1 << lane, || {
                format!("the run holds more than the {limit} bytes of memory that it may hold")
            });
        }
    }
}

/// What a frame of a function holds.
pub(super) fn frame_of(code: &FunctionCode) -> u64 {
    let registers = crate::registers::weight(code.register_bytes, code.predicates) as u64;
    registers + SHADOW * code.slots.len() as u64
}

impl CallFrame {
    /// What it holds.
    pub(super) fn held(&self) -> u64 {
        self.registers.weight() as u64 + SHADOW * self.shadow.known.len() as u64
    }
}

impl Warp {
    /// What its frames hold.
    pub(super) fn frames_held(&self) -> u64 {
        self.frames.iter().flatten().map(|frame| frame.held()).sum()
    }
}

impl Cta {
    fn held(&self) -> u64 {
        let warp = |w: &Warp| {
            let stacks: usize = w.lanes.local.iter().map(crate::memory::Storage::counted).sum();
            WARP + w.frames_held() + stacks as u64
        };
        self.shared.counted() as u64 + self.warps.iter().map(warp).sum::<u64>()
    }
}

impl Cluster {
    /// What it holds.
    pub(super) fn held(&self) -> u64 {
        self.ctas.iter().map(Cta::held).sum()
    }
}

impl Memory {
    /// Bytes that are not in the account yet.
    pub(super) fn count(&mut self) -> u64 {
        (self.global.count() + self.constant.count() + self.parameters.count()) as u64
    }
}
