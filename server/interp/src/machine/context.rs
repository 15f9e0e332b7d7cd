//! The view of the machine that an instruction gets while it is executed.

use super::code::Executable;
use super::state::access_log::AccessLog;
use super::state::operands::OperandUses;
use super::state::{Cluster, Cta, WarpLanes};
use super::{Machine, Memory};
use crate::findings::{Fault, FaultKind, InstructionSite};
use crate::lanes::LaneMask;
use crate::registers::WarpRegisters;
use crate::simd::LaneMarks;
use ptx_num::values::Marks;

/// Effort after which an instruction leaves out what it can: see [`ExecContext::is_tired`].
const MAX_EFFORT: u32 = 1 << 22;

/// Effort of a finding.
const FINDING: usize = 6;

/// How an instruction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepOutcome {
    /// It is complete.
    Next,
    /// It must wait. It will be executed again later, with [`ExecContext::token`] as it left it. Other groups run meanwhile.
    Wait,
    /// It is complete, but will probably be executed again soon (a polling loop): other groups should run first.
    Yield,
}

/// The view of the machine that an instruction gets while it is executed.
pub struct ExecContext<'m> {
    /// The registers of the current call frame.
    pub registers: &'m mut WarpRegisters,
    /// The lanes that execute the instruction: those of the group whose guard is true.
    pub mask: LaneMask,
    /// All lanes of the group.
    pub group: LaneMask,
    /// State of the warp besides its registers.
    pub lanes: &'m mut WarpLanes,
    /// The rest of the machine. The warp itself is taken out of it meanwhile.
    pub machine: &'m mut Machine,
    /// Index of the warp's cluster in [`Machine::clusters`].
    pub cluster: usize,
    /// Rank of the warp's CTA in the cluster.
    pub rank: usize,
    /// The instruction.
    pub site: InstructionSite,
    /// No group could continue in the last round. Instructions that may give up waiting do so now.
    pub idle: bool,
    /// The value that the instruction left here when it had to wait; `None` on its first execution.
    pub token: Option<u64>,
    /// Lanes whose results the instruction marks as unspecified or approximate.
    pub marked: LaneMarks,
    /// Lanes in which a register that the instruction reads is marked.
    pub sources: LaneMarks,
    /// The results get only the marks in `marked`. Otherwise, each lane also inherits the marks of the registers that it reads, which is
    /// wrong for instructions that move data between lanes.
    pub exact: bool,
    /// The operands that the instruction has used so far, if it is a product or a copy to tensor memory.
    pub(crate) uses: Option<Box<OperandUses>>,
    /// Extra work of this instruction beyond that of an ordinary one: see [`ExecContext::spend`].
    pub(super) effort: u32,
    /// The run ends with this instruction.
    pub(super) stopped: bool,
    /// The log of memory accesses, if they are recorded.
    pub(super) noted: Option<&'m mut AccessLog>,
}

impl ExecContext<'_> {
    /// The CTA of the warp. The warp that is executing is missing from its list.
    pub fn cta(&mut self) -> &mut Cta {
        &mut self.machine.clusters[self.cluster].ctas[self.rank]
    }

    /// The cluster of the warp.
    pub fn cluster(&mut self) -> &mut Cluster {
        &mut self.machine.clusters[self.cluster]
    }

    /// The CTA with this rank in the warp's cluster.
    pub fn cta_of(&mut self, rank: u32) -> Option<&mut Cta> {
        self.machine.clusters[self.cluster].ctas.get_mut(rank as usize)
    }

    /// The memory of the grid.
    pub fn memory(&mut self) -> &mut Memory {
        &mut self.machine.memory
    }

    /// The decoded program.
    pub fn executable(&self) -> &Executable {
        &self.machine.executable
    }

    /// The linear number of a lane's thread in its CTA; x varies fastest.
    pub fn thread(&self, lane: usize) -> u32 {
        self.lanes.number * 32 + lane as u32
    }

    /// Notes a change that other threads can observe: see [`Machine::progress`].
    pub fn changed(&mut self) {
        self.machine.progress += 1;
    }

    /// Marks the result of a lane.
    pub fn mark(&mut self, lane: usize, marks: Marks) {
        self.marked.add(lane, marks);
    }

    /// The combined marks of the registers that the instruction reads in a lane. A store gives them to the bytes that it writes.
    pub fn source_marks(&self, lane: usize) -> Marks {
        self.sources.of(lane)
    }

    /// Notes that the instruction does as much work as `effort` ordinary ones, some 50 ns each. It counts towards the limit of the run, and
    /// after enough of it the scheduler checks whether the run has been cancelled.
    #[inline]
    pub fn spend(&mut self, effort: usize) {
        self.effort = self.effort.saturating_add(u32::try_from(effort).unwrap_or(u32::MAX));
    }

    /// Whether this instruction has already done so much that it should do no more than it must: a fraction of a second.
    pub(crate) fn is_tired(&self) -> bool {
        self.effort > MAX_EFFORT
    }

    /// Adds a finding. If its kind ends the run, the rest of the instruction has no effect.
    pub fn fault(&mut self, kind: FaultKind, lanes: LaneMask, message: impl FnOnce() -> String) {
        self.fault_with(kind, lanes, message, None);
    }

    /// Like [`fault`](Self::fault), with a related instruction and a description of its role.
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
        // What does not depend on the type of `message` is compiled once.
        let mut message = Some(message);
        self.add_fault(kind, lanes, &mut || message.take().map_or_else(String::new, |message| message()), related);
    }

    fn add_fault(
        &mut self,
        kind: FaultKind,
        lanes: LaneMask,
        message: &mut dyn FnMut() -> String,
        related: Option<(InstructionSite, String)>,
    ) {
        let (site, warp, step) = (self.site, self.lanes.number, self.lanes.steps);
        let cta = self.cta().index;
        let fault = || Fault { kind, message: message(), site, lanes, cta, warp, step, count: 1, related };
        self.machine.findings.add(kind, site, fault);
        self.spend(FINDING);
        self.stopped |= kind.is_fatal();
    }

    /// Like [`fault_with`](Self::fault_with), for an earlier instruction of the CTA, with this instruction's warp. Its kind must not end a
    /// run.
    pub fn fault_before(
        &mut self,
        kind: FaultKind,
        site: InstructionSite,
        lanes: LaneMask,
        message: impl FnOnce() -> String,
        related: (InstructionSite, String),
    ) {
        let own = std::mem::replace(&mut self.site, site);
        self.fault_with(kind, lanes, message, Some(related));
        self.site = own;
    }

    /// Whether the run ends with this instruction.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }
}
