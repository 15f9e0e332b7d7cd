//! The machine: the complete state of a run, its settings and limits.

use super::code::Executable;
use super::state::flights::Flights;
use super::state::part::GridPart;
use super::state::proxies::HiddenWrites;
use super::state::schedule::Schedule;
use super::state::texels::WrittenTexels;
use super::state::{Cluster, GridShape, Races};
use crate::findings::{Checks, Findings};
use crate::machine::origins::OriginBounds;
use crate::memory::{Global, Storage};
use std::sync::Arc;

/// Bytes of local memory per thread, including its stack (the limit of the hardware).
pub const LOCAL_BYTES: u64 = 512 << 10;

/// Checks and limits of a run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The kinds of findings to look for.
    pub checks: Checks,
    /// Maximum number of warp instructions, summed over all warps; then the run stops. It also stops when these have taken as much work as
    /// four times as many ordinary ones ([`effort`](Self::effort)).
    pub limit: u64,
    /// Maximum number of bytes that a run may occupy: buffers, variables, shared and local memory, registers, the heap. Exceeding it is a
    /// fault.
    pub memory: u64,
    /// Maximum number of threads of the host for the CTAs of a grid. The result does not depend on it. Windows of steps are always executed
    /// by one thread.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { checks: Checks::default(), limit: 10_000_000, memory: 2 << 30, threads: 1 }
    }
}

/// The memory that all threads of a grid share.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Global memory.
    pub global: Global,
    /// Constant memory.
    pub constant: Storage,
    /// Parameters of the kernel.
    pub parameters: Storage,
}

/// The complete mutable state of a run.
#[derive(Clone)]
pub struct Machine {
    /// The decoded program.
    pub executable: Arc<Executable>,
    /// The launch dimensions.
    pub shape: GridShape,
    /// The enabled checks, and limits.
    pub settings: Settings,
    /// Memory that all threads of the grid share.
    pub memory: Memory,
    /// The clusters that are resident: started and not finished.
    pub clusters: Vec<Cluster>,
    /// The linear number of the cluster that starts next.
    pub(crate) next_cluster: u64,
    /// Number of clusters, from the next one on, that must not start, because running clusters have taken over their work
    /// (`clusterlaunchcontrol`).
    pub(crate) taken_over: u64,
    /// The findings of the run so far.
    pub findings: Findings,
    /// Bytes that the kernel printed with `vprintf`.
    pub printed: Vec<u8>,
    /// Bytes of memory that the run occupies now, as counted against [`Settings::memory`].
    pub kept: u64,
    /// The maximum of `kept` so far.
    pub(crate) most_kept: u64,
    /// Number of warp instructions executed, summed over all warps.
    pub steps: u64,
    /// Work of the run so far besides its steps, in ordinary instructions: see [`Settings::effort`].
    pub effort: u64,
    /// Counter of changes that other threads can observe: stores, arrivals. If it does not change while all groups wait, the run is
    /// deadlocked.
    pub progress: u64,
    /// Textures, surfaces and samplers, with the variables and handles that refer to them.
    pub images: ptx_num::image::Bindings,
    /// State of the race detector that is not part of a warp or of a page of memory.
    pub races: Races,
    /// Asynchronous operations whose completion no thread has observed yet.
    pub flights: Flights,
    /// Writes to global memory that other proxies may not see.
    pub(crate) hidden: HiddenWrites,
    /// Texels that the kernel has written through surfaces.
    pub(crate) written_texels: WrittenTexels,
    /// Effort of a lane whose access has no neighbours. The more memory there is, the less of it processors have at hand.
    pub(crate) lone_access: u8,
    /// For each of the program's sets of origins, the ranges that such an address may point into.
    pub(crate) bounds: Arc<[OriginBounds]>,
    /// State of the scheduler.
    pub(crate) schedule: Schedule,
    /// The part of the grid that this machine executes beside other machines; `None` if it executes the whole grid.
    pub(crate) part: Option<Box<GridPart>>,
    /// Tests set it to compare both ways to make the accesses of a warp.
    #[cfg(test)]
    pub(crate) accesses_by_lane: bool,
}

impl Machine {
    /// Whether the accesses of a warp are made lane by lane.
    #[inline]
    pub(super) fn lane_by_lane(&self) -> bool {
        #[cfg(test)]
        return self.accesses_by_lane;
        #[cfg(not(test))]
        return false;
    }

    /// Number of clusters in the grid.
    pub fn cluster_count(&self) -> u64 {
        self.shape.clusters().iter().product()
    }

    /// The position (x, y, z), in clusters, of the cluster with the linear number `number`.
    pub fn cluster_index(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.shape.clusters();
        [number % x, number / x % y, number / x / y].map(|n| n as u32)
    }
}
