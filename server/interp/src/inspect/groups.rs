//! The groups of lanes of a warp, and their call stacks.

use crate::findings::InstructionSite;
use crate::lanes::LaneMask;
use crate::machine::state::schedule::WarpPosition;
use crate::machine::{CallFrame, Cta, Group, GroupReadiness, Machine, Warp, WarpId};
use ptx_isa::Exec;

/// Whether a CTA is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CtaPhase {
    /// It has not started.
    Ahead,
    /// It is running; some of its warps may have ended.
    Running,
    /// It has ended, and its state is discarded.
    Gone,
    /// There is no such CTA in the grid, or no such warp in the CTA.
    Unknown,
}

/// The state of a group of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupState {
    /// It can continue.
    Ready,
    /// It waits at a barrier of its CTA.
    Barrier,
    /// It waits for something else outside the warp: a cluster barrier, an asynchronous operation.
    Waiting,
    /// It waits for these lanes of the warp to arrive.
    Gathering(LaneMask),
}

/// Lanes with a common program counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupView {
    /// The lanes.
    pub mask: LaneMask,
    /// The next instruction. An index after the last instruction means the return at the end of the function.
    pub site: InstructionSite,
    /// Call depth: 0 in the kernel.
    pub depth: u32,
    /// The state of the group.
    pub state: GroupState,
}

/// The state of a warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarpView {
    /// The lanes that are threads.
    pub present: LaneMask,
    /// The threads that have exited.
    pub exited: LaneMask,
    /// Number of instructions that the warp has executed.
    pub steps: u64,
    /// Its groups. Other functions of this module identify a group by its index in this list.
    pub groups: Vec<GroupView>,
    /// The group that will run next, as an index into `groups`; `None` if the warp has ended.
    pub next: Option<usize>,
}

/// One entry of a call stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameView {
    /// The name of the function.
    pub name: String,
    /// The next instruction; for a caller, its call instruction.
    pub site: InstructionSite,
    /// The lanes that have not returned from it.
    pub lanes: LaneMask,
}

/// Whether the CTA of a warp is running.
pub fn phase(machine: &Machine, target: WarpId) -> CtaPhase {
    if target.cta >= machine.shape.ctas() || target.warp >= machine.shape.warps() {
        CtaPhase::Unknown
    } else if find(machine, target).is_some() {
        CtaPhase::Running
    } else if machine.is_ahead(target.cta) {
        CtaPhase::Ahead
    } else {
        CtaPhase::Gone
    }
}

/// The groups of a warp; `None` unless its CTA is running.
pub fn groups(machine: &Machine, target: WarpId) -> Option<WarpView> {
    let place = find(machine, target)?;
    let warp = warp_at(machine, place)?;
    let view = |group: &Group| GroupView {
        mask: group.mask,
        site: site_of(warp, group),
        depth: chain(warp, group.frame).count().saturating_sub(1) as u32,
        state: state_of(machine, warp, group),
    };
    Some(WarpView {
        present: warp.lanes.present,
        exited: warp.lanes.exited,
        steps: warp.lanes.steps,
        groups: warp.groups.iter().map(view).collect(),
        next: machine.next_group(place),
    })
}

/// The call stack of a group, innermost function first; empty if there is no such group.
pub fn frames(machine: &Machine, target: WarpId, group: usize) -> Vec<FrameView> {
    let Some(warp) = warp_of(machine, target) else { return Vec::new() };
    let Some(group) = warp.groups.get(group) else { return Vec::new() };
    let mut instruction = group.pc;
    let view = |index: u32| {
        let frame = warp.frame(index)?;
        let function = frame.function;
        let name = machine.executable.program.functions.get(function as usize).map_or("", |f| &f.name);
        let out =
            FrameView { name: name.to_owned(), site: InstructionSite { function, instruction }, lanes: frame.lanes };
        instruction = frame.call;
        Some(out)
    };
    chain(warp, group.frame).filter_map(view).collect()
}

/// The position of a warp in the machine.
pub(super) fn find(machine: &Machine, target: WarpId) -> Option<WarpPosition> {
    let mut ctas = machine
        .clusters
        .iter()
        .enumerate()
        .flat_map(|(c, cluster)| cluster.ctas.iter().enumerate().map(move |(r, cta)| ((c, r), cta)));
    let ((cluster, rank), cta) = ctas.find(|(_, cta)| cta.number == target.cta)?;
    let number = target.warp as usize;
    (number < cta.warps.len()).then_some(WarpPosition { cluster, rank, number })
}

/// The warp at a position that [`find`] returned.
pub(super) fn warp_at(machine: &Machine, position: WarpPosition) -> Option<&Warp> {
    machine.clusters.get(position.cluster)?.ctas.get(position.rank)?.warps.get(position.number)
}

pub(super) fn warp_of(machine: &Machine, target: WarpId) -> Option<&Warp> {
    warp_at(machine, find(machine, target)?)
}

pub(super) fn cta_of(machine: &Machine, target: WarpId) -> Option<&Cta> {
    let WarpPosition { cluster, rank, .. } = find(machine, target)?;
    machine.clusters.get(cluster)?.ctas.get(rank)
}

/// The indices of a call frame and its callers, from the inside out.
pub(super) fn chain(warp: &Warp, frame: u32) -> impl Iterator<Item = u32> + '_ {
    std::iter::successors(Some(frame), |index| warp.frame(*index)?.parent).take(warp.frames.len())
}

/// The index of a call frame of a group. `depth` counts calls outwards from the innermost frame.
pub(super) fn frame_index(warp: &Warp, group: usize, depth: usize) -> Option<u32> {
    chain(warp, warp.groups.get(group)?.frame).nth(depth)
}

pub(super) fn frame_of(warp: &Warp, group: usize, depth: usize) -> Option<&CallFrame> {
    warp.frame(frame_index(warp, group, depth)?)
}

fn site_of(warp: &Warp, group: &Group) -> InstructionSite {
    InstructionSite { function: warp.frame(group.frame).map_or(0, |f| f.function), instruction: group.pc }
}

fn state_of(machine: &Machine, warp: &Warp, group: &Group) -> GroupState {
    match group.state {
        GroupReadiness::Gathering(needed) => GroupState::Gathering(needed),
        // A group that waited tries its instruction again in its turn. Until then it keeps its token, and counts as waiting.
        GroupReadiness::Ready if group.token.is_none() => GroupState::Ready,
        GroupReadiness::Gathered => GroupState::Ready,
        GroupReadiness::Ready | GroupReadiness::Waiting => {
            let InstructionSite { function, instruction } = site_of(warp, group);
            let body = machine.executable.function(function).filter(|b| (instruction as usize) < b.instructions.len());
            let exec = body.map(|b| b.chosen(instruction as usize)).and_then(|c| c.entry.exec_of(c.form));
            match exec {
                Some(Exec::BarrierSync | Exec::BarrierRed) => GroupState::Barrier,
                _ => GroupState::Waiting,
            }
        }
    }
}
