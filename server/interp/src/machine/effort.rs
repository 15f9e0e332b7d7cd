//! The effort of a run: the work of its instructions in units of an ordinary instruction, about 50 ns of a processor.
//!
//! An ordinary instruction is on registers alone and counts as a step. A copy of 40 KB is one step too, but a thousand times the work. So
//! a run has a second limit besides that of its steps ([`Settings::effort`]), and whatever takes longer than a step adds to its effort:
//! bytes that are moved, lanes that are handled one by one, blocks that begin, memory that is taken, warps that only wait.
//!
//! Effort depends on the program alone, not on time. It changes at four places: before a turn, when a cluster begins, in an instruction
//! that uses the machine, and when a group waits. The limit is checked right after each change, so a run ends at the same instruction,
//! however often it is interrupted.

use super::{Machine, Settings};

/// Extra effort that a run may have for each step that it may execute.
const EXTRA_PER_STEP: u64 = 3;

/// Extra effort that each run may have, so that a limit of a few steps leaves room for the start of its blocks.
const MIN_EXTRA: u64 = 1 << 18;

/// Effort for a block that begins, besides that for its warps and its memory.
const CTA: u64 = 24;

/// Effort for a warp that begins.
const WARP: u64 = 24;

/// Bytes of memory that are taken with one unit of effort.
pub(super) const TAKEN_BYTES: u64 = 96;

/// The effort of a lane whose access has no neighbours, with this number of bytes of global memory.
pub(super) fn lone_access(bytes: u64) -> u8 {
    match bytes >> 20 {
        0..16 => 1,
        16..128 => 2,
        128..512 => 5,
        _ => 8,
    }
}

impl Settings {
    /// Maximum effort of a run besides its steps: three times its limit of steps, and a quarter of a million.
    pub fn effort(&self) -> u64 {
        self.limit.saturating_mul(EXTRA_PER_STEP).saturating_add(MIN_EXTRA)
    }
}

impl Machine {
    /// Adds effort that belongs to no instruction.
    #[inline]
    pub(super) fn charge(&mut self, effort: u64) {
        self.effort = self.effort.saturating_add(effort);
    }

    /// The work so far, in ordinary instructions: steps and effort.
    pub fn work(&self) -> u64 {
        self.steps.saturating_add(self.effort)
    }

    /// Whether the effort has reached its limit, so that the run must end.
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.effort >= self.settings.effort()
    }

    /// The effort for a cluster that begins.
    pub(super) fn cluster_effort(&self) -> u64 {
        let ctas = u64::from(self.shape.cluster_ctas());
        let registers = self.cluster_at_start() / TAKEN_BYTES;
        ctas.saturating_mul(CTA + WARP * u64::from(self.shape.warps())).saturating_add(registers)
    }
}
