//! Accounting of the memory that a run occupies: buffers and variables, pages of shared and local memory, registers, the heap.
//!
//! One limit applies to their sum ([`Settings::memory`](super::Settings::memory)). The machine adds memory that it creates and subtracts
//! memory that it releases. The notes of the race detector ([`super::races`]) and operations in flight ([`super::copies`]) are part of the
//! sum, and have limits of their own besides: beyond these, less is checked.

use super::code::FunctionCode;
use super::state::{CallFrame, Warp};
use super::state::{Cluster, Cta};
use super::{ExecContext, Machine, Memory};
use crate::findings::{Fault, FaultKind, InstructionSite};
use crate::memory::Storage;

/// What an allocation of the heap takes besides its pages: its entry in a list that grows by doubling, and its name.
pub(crate) const ALLOCATION: u64 = 2 * size_of::<crate::memory::GlobalAllocation>() as u64 + 32;

/// Bytes of a warp before its first instruction, without registers: the empty stacks of its lanes.
const WARP: u64 = (size_of::<Warp>() + crate::lanes::LANES * (size_of::<Storage>() + 4) + 1280) as u64 + PAIRS;

/// Bytes of the times that lanes of a warp know of each other, if these differ.
const PAIRS: u64 = 4 * (crate::lanes::LANES * crate::lanes::LANES) as u64;

/// Bytes of a call frame without registers.
const FRAME: u64 = (size_of::<CallFrame>() + 4 * crate::lanes::LANES + 128) as u64;

/// Bytes per register for its status (three lane masks).
const SHADOW: u64 = 12;

impl Machine {
    /// Adds bytes to the account. Returns false if the total exceeds the limit; then the run must end.
    pub(crate) fn hold(&mut self, bytes: u64) -> bool {
        self.kept = self.kept.saturating_add(bytes);
        self.most_kept = self.most_kept.max(self.kept);
        self.kept <= self.settings.memory
    }

    /// Adds bytes that are taken before the first instruction.
    pub fn hold_before_run(&mut self, bytes: u64) {
        self.hold(bytes);
    }

    /// Subtracts bytes from the account.
    pub(crate) fn release(&mut self, bytes: u64) {
        self.kept = self.kept.saturating_sub(bytes);
    }

    /// Whether `bytes` more bytes would stay within the limit.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        self.kept.saturating_add(bytes) <= self.settings.memory
    }

    /// Bytes that a cluster occupies when it starts.
    pub(super) fn cluster_at_start(&self) -> u64 {
        let frame = self.executable.code(self.executable.entry).map_or(0, frame_of);
        let warps = u64::from(self.shape.warps()) * u64::from(self.shape.cluster_ctas());
        warps.saturating_mul(WARP.saturating_add(frame))
    }

    /// Reports that the next cluster does not fit into memory although no other cluster is running.
    pub(super) fn report_no_room(&mut self) {
        let (needed, limit, held) = (self.cluster_at_start(), self.settings.memory, self.kept);
        let (ctas, threads) = (self.shape.cluster_ctas(), self.shape.threads());
        let site = InstructionSite { function: self.executable.entry, instruction: 0 };
        let message = || {
            format!(
                "{ctas} blocks of {threads} threads need {needed} bytes for their registers; the run holds {held} bytes, and its limit is {limit}"
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
    /// Adds bytes to the account, for a lane; exceeding the limit is a fault.
    pub(crate) fn hold(&mut self, bytes: u64, lane: usize) {
        if !self.machine.hold(bytes) {
            let limit = self.machine.settings.memory;
            self.fault(FaultKind::OutOfMemory, 1 << lane, || {
                format!("the run needs more memory than its limit of {limit} bytes")
            });
        }
    }
}

impl ExecContext<'_> {
    /// Adds bytes to the account that no lane takes alone.
    pub(crate) fn hold_for_all(&mut self, bytes: u64) {
        self.hold(bytes, self.mask.trailing_zeros() as usize % crate::lanes::LANES);
    }
}

/// The size of several allocations, as allocators round them.
fn rounded(bytes: u64) -> u64 {
    bytes + bytes / 8
}

/// Bytes that a call frame of a function occupies.
pub(super) fn frame_of(code: &FunctionCode) -> u64 {
    let registers = crate::registers::weight(code.register_bytes, code.predicates) as u64;
    rounded(FRAME + registers + SHADOW * code.slots.len() as u64)
}

impl CallFrame {
    /// Bytes that the frame occupies.
    pub(super) fn held(&self) -> u64 {
        rounded(FRAME + self.registers.weight() as u64 + SHADOW * self.shadow.known.len() as u64)
    }
}

impl Warp {
    /// Bytes that all frames of the warp occupy.
    pub(super) fn frames_held(&self) -> u64 {
        self.frames.iter().flatten().map(|frame| frame.held()).sum()
    }
}

impl Cta {
    /// Bytes of the pages of shared and local memory.
    pub(crate) fn page_bytes(&self) -> u64 {
        let bytes = |storage: &Storage| (storage.counted() + storage.extra_bytes()) as u64;
        bytes(&self.shared) + self.warps.iter().flat_map(|w| &w.lanes.local).map(bytes).sum::<u64>()
    }

    /// Bytes of pages that are not shared with a later state of the CTA, if there is one.
    pub(crate) fn bytes_apart(&self, later: Option<&Self>) -> u64 {
        let nothing = Storage::default();
        let mut apart = self.shared.bytes_apart(later.map_or(&nothing, |cta| &cta.shared));
        for (warp, old) in self.warps.iter().enumerate() {
            let new = later.and_then(|cta| cta.warps.get(warp));
            for (lane, old) in old.lanes.local.iter().enumerate() {
                let new = new.and_then(|warp| warp.lanes.local.get(lane));
                apart += old.bytes_apart(new.unwrap_or(&nothing));
            }
        }
        apart as u64
    }

    /// Bytes that the CTA occupies.
    fn held(&self) -> u64 {
        let bytes = |storage: &Storage| storage.counted() + storage.extra_bytes();
        let warp = |w: &Warp| {
            let stacks: usize = w.lanes.local.iter().map(bytes).sum();
            WARP + w.frames_held() + w.lanes.copies.held() + stacks as u64
        };
        bytes(&self.shared) as u64 + self.tensor.held() + self.warps.iter().map(warp).sum::<u64>()
    }
}

impl Cluster {
    /// Bytes that the cluster occupies.
    pub(super) fn held(&self) -> u64 {
        self.ctas.iter().map(Cta::held).sum()
    }
}

impl Memory {
    /// Bytes of all pages of global memory.
    pub(crate) fn page_bytes(&self) -> u64 {
        let bytes = |storage: &Storage| (storage.counted() + storage.extra_bytes()) as u64;
        self.global.allocations().iter().map(|a| bytes(&a.storage)).sum()
    }

    /// Records that the contents are those of before a run, and kept.
    pub(super) fn seal(&mut self) {
        self.global.seal();
        self.constant.seal();
        self.parameters.seal();
    }

    /// Returns the number of bytes that are not in the account yet. The storages regard them as counted from now on.
    pub(super) fn count(&mut self) -> u64 {
        (self.global.count() + self.constant.count() + self.parameters.count()) as u64
    }
}
