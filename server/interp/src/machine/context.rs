//! What an instruction sees of the machine.

use super::code::Executable;
use super::cta::{Cluster, Cta};
use super::warp::WarpLanes;
use super::{Machine, Memory};
use crate::findings::{Fault, FaultKind, InstructionSite};
use crate::lanes::LaneMask;
use crate::registers::WarpRegisters;
use crate::simd::LaneMarks;
use ptx_num::values::Marks;

/// How an instruction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepOutcome {
    /// It is done.
    Next,
    /// It cannot go on: it is executed again later, with [`ExecContext::token`] as it left it. Others run meanwhile.
    Wait,
    /// It is done, and others should have their turn: it will probably be executed again soon.
    Yield,
}

/// What an instruction sees of the machine.
pub struct ExecContext<'m> {
    /// The registers of its activation.
    pub registers: &'m mut WarpRegisters,
    /// The lanes that execute it: those of the group in which the guard is true.
    pub mask: LaneMask,
    /// The lanes of the group.
    pub group: LaneMask,
    /// The warp.
    pub lanes: &'m mut WarpLanes,
    /// Everything else.
    pub machine: &'m mut Machine,
    /// Index of its cluster among those that run.
    pub cluster: usize,
    /// Rank of its CTA in the cluster.
    pub rank: usize,
    /// The instruction.
    pub site: InstructionSite,
    /// No group could go on in the last round: instructions that may give up waiting do so now.
    pub idle: bool,
    /// What it has left when it had to wait; nothing the first time.
    pub token: Option<u64>,
    /// Lanes whose results must be marked.
    pub marked: LaneMarks,
    /// Lanes in which a register that the instruction reads is marked.
    pub sources: LaneMarks,
    /// The marks of the results are only those that the step gives: what it reads in a lane does not go into that lane's results alone.
    pub exact: bool,
    /// How much work it was, beyond that of an ordinary instruction: see [`ExecContext::spend`].
    pub(super) effort: u32,
    /// The run ends here.
    pub(super) stopped: bool,
    /// Where accesses to memory are recorded, if they are.
    pub(super) noted: Option<&'m mut super::noted::AccessLog>,
}

impl ExecContext<'_> {
    /// Its CTA. The warps of it that are being executed are taken out.
    pub fn cta(&mut self) -> &mut Cta {
        &mut self.machine.clusters[self.cluster].ctas[self.rank]
    }

    /// Its cluster.
    pub fn cluster(&mut self) -> &mut Cluster {
        &mut self.machine.clusters[self.cluster]
    }

    /// The CTA of a rank in its cluster.
    pub fn cta_of(&mut self, rank: u32) -> Option<&mut Cta> {
        self.machine.clusters[self.cluster].ctas.get_mut(rank as usize)
    }

    /// The memory of the grid.
    pub fn memory(&mut self) -> &mut Memory {
        &mut self.machine.memory
    }

    /// The program.
    pub fn executable(&self) -> &Executable {
        &self.machine.executable
    }

    /// Threads that a lane is of, in its CTA: its number, x fastest.
    pub fn thread(&self, lane: usize) -> u32 {
        self.lanes.number * 32 + lane as u32
    }

    /// Says that others can see a change.
    pub fn changed(&mut self) {
        self.machine.progress += 1;
    }

    /// Marks the result of a lane.
    pub fn mark(&mut self, lane: usize, marks: Marks) {
        self.marked.add(lane, marks);
    }

    /// The marks of what the instruction reads from registers in a lane: those of what it stores.
    pub fn source_marks(&self, lane: usize) -> Marks {
        let mut marks = Marks::NONE;
        if self.sources.unspecified >> lane & 1 != 0 {
            marks |= Marks::UNSPECIFIED;
        }
        if self.sources.approximate >> lane & 1 != 0 {
            marks |= Marks::APPROXIMATE;
        }
        marks
    }

    /// Says that the instruction is as much work as so many ordinary ones, some 50 ns each: after enough of it somebody looks whether the
    /// run is still wanted.
    pub fn spend(&mut self, effort: usize) {
        self.effort = self.effort.saturating_add(effort.min(1 << 20) as u32);
    }

    /// Notes that something was found. If it is of a kind that ends the run, what the instruction does from here on has no effect.
    pub fn fault(&mut self, kind: FaultKind, lanes: LaneMask, message: impl FnOnce() -> String) {
        self.fault_with(kind, lanes, message, None);
    }

    /// The same with another place that has to do with it.
    pub fn fault_with(
        &mut self,
        kind: FaultKind,
        lanes: LaneMask,
        message: impl FnOnce() -> String,
        related: Option<(InstructionSite, String)>,
    ) {
        if !self.machine.settings.checks.has(kind) {
            return;
        }
        let (site, warp, step) = (self.site, self.lanes.number, self.lanes.steps);
        let cta = self.cta().index;
        let fault = || Fault { kind, message: message(), site, lanes, cta, warp, step, count: 1, related };
        self.machine.findings.add(kind, site, fault);
        self.stopped |= kind.is_fatal();
    }

    /// Whether the run ends with this instruction.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }
}
