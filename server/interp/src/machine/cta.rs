//! CTAs and clusters while they run.

use super::specials::special_file;
use super::warp::Warp;
use super::{GridShape, Machine};
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
    pub barrier: super::barriers::ClusterBarrier,
    /// Number of completed rounds; in a round, each of its warps has one turn.
    pub(super) rounds: u64,
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
    pub barriers: super::barriers::Barriers,
    /// The mbarriers in its shared memory.
    pub mbarriers: super::mbarriers::Mbarriers,
    /// Asynchronous operations on its shared memory whose completion no thread has observed yet.
    pub flights: super::copies::SharedFlights,
    /// Operands in its shared memory that products in flight read.
    pub operands: super::operands::SharedOperands,
    /// For each warp, the numbers of registers that it has asked for (`setmaxnreg`), with the instructions.
    pub register_requests: Vec<Vec<(i64, InstructionSite)>>,
    /// Accesses of other CTAs to its shared memory.
    pub peers: super::peers::PeerAccesses,
    /// A request of the CTA for the work of another cluster was refused, and the CTA has observed the refusal.
    pub refused: bool,
    /// Tensor memory.
    pub tensor: super::tensor_memory::TensorMemory,
}

impl Cta {
    /// The requests for registers that some warps of a warpgroup have made and others, which have ended, have not.
    pub(super) fn lone_requests(&self) -> Vec<InstructionSite> {
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

impl Machine {
    /// How far the grid has come.
    pub fn cta_counts(&self) -> CtaCounts {
        let running = self.clusters.iter().filter(|c| !c.is_finished()).map(|c| c.ctas.len() as u64).sum();
        let begun = self.next_cluster.saturating_mul(u64::from(self.shape.cluster_ctas()));
        CtaCounts { ended: begun.saturating_sub(running), running, ahead: self.shape.ctas().saturating_sub(begun) }
    }

    /// Whether the CTA with this linear number has not started yet.
    pub(crate) fn is_ahead(&self, cta: u64) -> bool {
        let [gx, gy, _] = self.shape.grid.map(u64::from);
        let at = [cta % gx, cta / gx % gy, cta / gx / gy];
        let [x, y, _] = self.shape.clusters();
        let in_cluster: [u64; 3] = std::array::from_fn(|i| at[i] / u64::from(self.shape.cluster[i]));
        in_cluster[0] + x * (in_cluster[1] + y * in_cluster[2]) >= self.next_cluster
    }

    /// The cluster with this linear number, before its first instruction.
    pub(super) fn start(&self, number: u64) -> Cluster {
        let at = self.cluster_index(number);
        let [cx, cy, _] = self.shape.cluster;
        let ctas = (0..self.shape.cluster_ctas()).map(|rank| {
            let inside = [rank % cx, rank / cx % cy, rank / cx / cy];
            self.start_cta(std::array::from_fn(|i| at[i] * self.shape.cluster[i] + inside[i]), rank)
        });
        Cluster { number, ctas: ctas.collect(), barrier: Default::default(), rounds: 0 }
    }

    fn start_cta(&self, index: [u32; 3], rank: u32) -> Cta {
        let GridShape { grid, shared, .. } = self.shape;
        let threads = self.shape.threads();
        let number =
            u64::from(index[0]) + u64::from(grid[0]) * (u64::from(index[1]) + u64::from(grid[1]) * u64::from(index[2]));
        let warps = self.shape.warps();
        let present = |w: u32| if threads - 32 * w >= 32 { u32::MAX } else { (1 << (threads - 32 * w)) - 1 };
        let bytes = self.executable.shared_bytes + u64::from(shared);
        let mut cta = Cta {
            index,
            rank,
            number,
            shared: Storage::new(bytes, false),
            live: threads,
            gone: (0..warps).map(|w| !present(w)).collect(),
            ..Cta::default()
        };
        cta.warps = (0..warps).map(|w| Warp::new(self, w, present(w), special_file(self, &cta, w))).collect();
        cta
    }
}
