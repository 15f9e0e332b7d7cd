//! CTAs and clusters while they run.

use super::barriers::{Barriers, ClusterBarrier};
use super::flights::SharedFlights;
use super::mbarriers::Mbarriers;
use super::operands::SharedOperands;
use super::peers::PeerAccesses;
use super::tensor_memory::TensorMemory;
use super::warp::Warp;
use crate::findings::InstructionSite;
use crate::lanes::LaneMask;
use crate::memory::Storage;

/// A running cluster of CTAs. Without clusters each CTA is one of its own.
#[derive(Debug, Clone, Default)]
pub struct Cluster {
    /// Its linear number in the grid.
    pub number: u64,
    /// Its CTAs, by rank.
    pub ctas: Vec<Cta>,
    /// The cluster barrier (`barrier.cluster`).
    pub barrier: ClusterBarrier,
    /// Number of completed rounds; in a round, each of its warps has one turn.
    pub(in crate::machine) rounds: u64,
}

/// How many CTAs of a grid have ended, run and have not begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CtaCounts {
    /// All their threads have exited.
    pub ended: u64,
    /// They have begun and not ended.
    pub running: u64,
    /// They have not begun.
    pub ahead: u64,
}

/// A running CTA.
#[derive(Debug, Clone, Default)]
pub struct Cta {
    /// Its position (x, y, z) in the grid.
    pub index: [u32; 3],
    /// Its rank in the cluster.
    pub rank: u32,
    /// Its linear number in the grid; x varies fastest.
    pub number: u64,
    /// Shared memory.
    pub shared: Storage,
    /// Its warps. The entry of the warp that is executing is empty meanwhile.
    pub warps: Vec<Warp>,
    /// Number of threads that have not exited.
    pub live: u32,
    /// For each warp, the lanes that have exited or never existed.
    pub gone: Vec<LaneMask>,
    /// The barriers of `bar` and `barrier`.
    pub barriers: Barriers,
    /// The mbarriers in its shared memory.
    pub mbarriers: Mbarriers,
    /// Asynchronous operations on its shared memory whose completion no thread has observed yet.
    pub flights: SharedFlights,
    /// Operands in its shared memory that products in flight read.
    pub operands: SharedOperands,
    /// For each warp, the numbers of registers that it has asked for (`setmaxnreg`), with the instructions.
    pub register_requests: Vec<Vec<(i64, InstructionSite)>>,
    /// Accesses of other CTAs to its shared memory.
    pub peers: PeerAccesses,
    /// A request of the CTA for the work of another cluster was refused, and the CTA has observed the refusal.
    pub refused: bool,
    /// Tensor memory.
    pub tensor: TensorMemory,
}

impl Cta {
    /// The requests for registers that some warps of a warpgroup have made and others, which have ended, have not.
    pub(in crate::machine) fn lone_requests(&self) -> Vec<InstructionSite> {
        let warps = self.gone.len();
        let asked = |warp: usize| self.register_requests.get(warp).map_or(&[][..], |r| r);
        let groups = (0..warps).step_by(4).filter_map(|first| {
            let group = first..warps.min(first + 4);
            let least = group.clone().map(|w| asked(w).len()).min()?;
            group.filter_map(|w| asked(w).get(least)).map(|(_, site)| *site).next()
        });
        groups.collect()
    }
}

impl Cluster {
    /// Whether all threads have exited.
    pub fn is_finished(&self) -> bool {
        self.ctas.iter().all(|c| c.live == 0)
    }
}
