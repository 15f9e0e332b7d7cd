//! A machine, its clusters, CTAs and warps before their first instruction.

use super::code::Executable;
use super::specials::special_file;
use super::state::{Cluster, Cta, CtaCounts, Group, Warp, WarpLanes};
use super::{GridShape, LOCAL_BYTES, Machine, Memory, Settings, bounds, effort};
use crate::lanes::{LANES, LaneMask};
use crate::memory::Storage;
use crate::registers::RegisterLine;
use std::sync::Arc;

impl Machine {
    /// A machine before its first instruction. No cluster has started yet.
    pub fn new(executable: Arc<Executable>, shape: GridShape, settings: Settings, mut memory: Memory) -> Self {
        let kept = memory.count();
        memory.seal();
        let bounds = bounds::of(&executable, &memory);
        let memory_bytes = memory.global.allocations().iter().map(|a| a.storage.len()).sum();
        Self {
            executable,
            shape,
            settings,
            memory,
            clusters: Vec::new(),
            next_cluster: 0,
            taken_over: 0,
            findings: Default::default(),
            printed: Vec::new(),
            kept,
            most_kept: kept,
            steps: 0,
            effort: 0,
            progress: 0,
            images: Default::default(),
            races: Default::default(),
            flights: Default::default(),
            hidden: Default::default(),
            written_texels: Default::default(),
            lone_access: effort::lone_access(memory_bytes),
            bounds,
            schedule: Default::default(),
            part: None,
            #[cfg(test)]
            accesses_by_lane: false,
        }
    }

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

impl Warp {
    /// A warp before its first instruction: all present lanes are at the beginning of the kernel.
    fn new(machine: &Machine, number: u32, present: LaneMask, specials: Arc<[RegisterLine]>) -> Self {
        let lanes = WarpLanes {
            number,
            present,
            exited: 0,
            steps: 0,
            local: (0..LANES).map(|_| Storage::new(LOCAL_BYTES, false)).collect(),
            stack: vec![0; LANES].into(),
            copies: Default::default(),
            clock: Default::default(),
            wgmma: Default::default(),
            tensor_fence: 0,
        };
        let mut out = Self { lanes, groups: Vec::new(), frames: Vec::new(), specials };
        if let Some(code) = machine.executable.code(machine.executable.entry) {
            let frame = out.enter(machine, code, present);
            out.groups.push(Group { mask: present, frame, ..Group::default() });
        }
        out
    }
}
