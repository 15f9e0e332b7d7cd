//! The machine: a grid of CTAs with their warps and memories, executed in a fixed order.
//!
//! - [`Machine`] – the complete mutable state of a run. A clone of it is a snapshot; clones share unchanged pages of memory.
//! - [`layout`] – where the registers, parameters and variables of a decoded program are stored; [`code`] – its operations.
//! - `state` – warps, CTAs and clusters, and what the units of an instruction family remember. It knows no operation.
//! - [`ExecContext`] – the view of the machine that an instruction gets.
//! - `access`, `copies`, `mbarriers`, [`races`] … – what an instruction does with the state, and the findings about it.
//! - `start` – clusters before their first instruction; `group` – the loop that executes a group of lanes; `schedule` – the order in which
//!   CTAs, warps and groups run; `call` – calls and returns of functions; `specials` – values of special registers.
//! - `effort`, `account` – the work and the memory of a run, which are limited.
//! - `parallel` – several machines that each execute a part of the grid.

mod access;
mod account;
mod bounds;
mod call;
pub mod code;
mod context;
pub(crate) mod copies;
mod effort;
mod exits;
mod group;
mod group_selection;
pub mod layout;
mod limits;
pub(crate) mod mbarriers;
mod nan;
mod noted;
pub(crate) mod operands;
mod order;
pub(crate) mod origins;
mod parallel;
pub(crate) mod passing;
mod peers;
mod pending;
pub(crate) mod proxies;
pub mod races;
mod record;
mod schedule;
mod specials;
mod start;
pub(crate) mod state;
#[cfg(test)]
mod tests;
pub(crate) mod texels;
mod warp_access;
mod warp_location;

pub use crate::memory::{AccessLocation, Scope};
pub(crate) use access::region_name;
pub(crate) use account::ALLOCATION;
pub use context::{ExecContext, StepOutcome};
pub(crate) use nan::number_format;
pub use order::Order;
pub use record::{Detail, Origin, RecordScope, RecordedStep, Recorder, RegisterWrite, WarpId};
pub use schedule::{Progress, RunStatus};
pub use specials::is_clock;
pub(crate) use specials::{clock, value as special_value};
pub use state::{
    AccessKind, CallFrame, Cluster, Cta, CtaCounts, Group, GroupReadiness, MAX_ACCESSES, MemoryAccess, RegisterShadow,
    Warp, WarpLanes,
};
pub(crate) use warp_access::{from_registers, to_registers};
pub(crate) use warp_location::WarpAccess;

use crate::findings::{Checks, Findings};
use crate::machine::origins::OriginBounds;
use crate::memory::{Global, Storage};
use code::Executable;
use ptx_isa::ISA;
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

/// The launch dimensions of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridShape {
    /// Size of the grid in CTAs, per dimension (x, y, z).
    pub grid: [u32; 3],
    /// Size of a CTA in threads, per dimension.
    pub block: [u32; 3],
    /// Size of a cluster in CTAs, per dimension.
    pub cluster: [u32; 3],
    /// The launch specifies a cluster size, even if it is one CTA (`%is_explicit_cluster`).
    pub explicit_cluster: bool,
    /// Bytes of dynamic shared memory per CTA.
    pub shared: u32,
}

impl GridShape {
    /// A grid of `grid` CTAs with `block` threads each, without clusters and without dynamic shared memory.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> Self {
        Self { grid, block, cluster: [1; 3], explicit_cluster: false, shared: 0 }
    }

    /// Number of threads per CTA.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Number of warps per CTA, a partial one included.
    pub fn warps(&self) -> u32 {
        self.threads().div_ceil(32)
    }

    /// Number of CTAs in the grid.
    pub fn ctas(&self) -> u64 {
        self.grid.iter().map(|n| u64::from(*n)).product()
    }

    /// The linear number of the CTA at position (x, y, z) of the grid; x varies fastest.
    pub fn cta_number(&self, [x, y, z]: [u32; 3]) -> u64 {
        let [gx, gy, _] = self.grid.map(u64::from);
        u64::from(x) + gx * (u64::from(y) + gy * u64::from(z))
    }

    /// The position (x, y, z) in the grid of the CTA with the linear number `number`.
    pub fn cta_place(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(|n| u64::from(n).max(1));
        [number % x, number / x % y, number / x / y].map(|n| n as u32)
    }

    /// The index (x, y, z) of the cluster that contains the CTA with the linear number `number`.
    fn cluster_of(&self, number: u64) -> [u32; 3] {
        let at = self.cta_place(number);
        std::array::from_fn(|i| at[i] / self.cluster[i].max(1))
    }

    /// The narrowest scope that contains both CTAs with these linear numbers.
    pub fn scope_of(&self, a: u64, b: u64) -> Scope {
        if a == b {
            Scope::Cta
        } else if self.cluster_ctas() > 1 && self.cluster_of(a) == self.cluster_of(b) {
            Scope::Cluster
        } else {
            Scope::Gpu
        }
    }

    /// Number of CTAs per cluster.
    pub fn cluster_ctas(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// Number of clusters in the grid, per dimension.
    pub fn clusters(&self) -> [u64; 3] {
        std::array::from_fn(|i| u64::from(self.grid[i]) / u64::from(self.cluster[i]).max(1))
    }

    /// Why the dimensions are invalid: the name of the wrong one (`grid`, `block` or `cluster`) and a message. `None` if they are valid.
    pub fn mistake(&self) -> Option<(&'static str, String)> {
        let parts = [("grid", self.grid), ("block", self.block), ("cluster", self.cluster)];
        if let Some((part, _)) = parts.into_iter().find(|(_, size)| size.contains(&0)) {
            return Some((part, "every dimension of a grid, a block and a cluster is at least 1".into()));
        }
        let threads = self.block.iter().try_fold(1u32, |a, b| a.checked_mul(*b));
        // All targets have the same limit, so the actual target does not matter.
        let most = ISA.multiprocessors.iter().map(|m| m.cta_threads).max().unwrap_or(u32::MAX);
        if threads.is_none_or(|n| n > most) {
            return Some(("block", format!("a block has at most {most} threads, not {:?}", self.block)));
        }
        if (0..3).any(|i| !self.grid[i].is_multiple_of(self.cluster[i])) {
            let words = format!("a grid of {:?} cannot be divided into clusters of {:?}", self.grid, self.cluster);
            return Some(("grid", words));
        }
        if self.cluster.iter().try_fold(1u32, |a, b| a.checked_mul(*b)).is_none_or(|n| n > 16) {
            return Some(("cluster", format!("a cluster has at most 16 CTAs, not {:?}", self.cluster)));
        }
        None
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
    pub races: races::Races,
    /// Asynchronous operations whose completion no thread has observed yet.
    pub flights: state::flights::Flights,
    /// Writes to global memory that other proxies may not see.
    pub(crate) hidden: proxies::HiddenWrites,
    /// Texels that the kernel has written through surfaces.
    pub(crate) written_texels: texels::WrittenTexels,
    /// Effort of a lane whose access has no neighbours. The more memory there is, the less of it processors have at hand.
    pub(crate) lone_access: u8,
    /// For each of the program's sets of origins, the ranges that such an address may point into.
    pub(crate) bounds: Arc<[OriginBounds]>,
    /// State of the scheduler.
    pub(crate) schedule: schedule::Schedule,
    /// The part of the grid that this machine executes beside other machines; `None` if it executes the whole grid.
    pub(crate) part: Option<Box<parallel::GridPart>>,
    /// Tests set it to compare both ways to make the accesses of a warp.
    #[cfg(test)]
    pub(crate) accesses_by_lane: bool,
}

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
            findings: Findings::default(),
            printed: Vec::new(),
            kept,
            most_kept: kept,
            steps: 0,
            effort: 0,
            progress: 0,
            images: ptx_num::image::Bindings::default(),
            races: races::Races::default(),
            flights: state::flights::Flights::default(),
            hidden: proxies::HiddenWrites::default(),
            written_texels: texels::WrittenTexels::default(),
            lone_access: effort::lone_access(memory_bytes),
            bounds,
            schedule: schedule::Schedule::default(),
            part: None,
            #[cfg(test)]
            accesses_by_lane: false,
        }
    }

    /// Whether the accesses of a warp are made lane by lane.
    #[inline]
    fn lane_by_lane(&self) -> bool {
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
