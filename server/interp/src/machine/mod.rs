//! The machine: a grid of CTAs with their warps and memories, executed in a fixed order.
//!
//! - [`Machine`] – everything that a run changes. A copy of it is a snapshot; pages of memory are shared by copies.
//! - [`code`] – what it executes.
//! - [`ExecContext`] – what an instruction sees of it.
//! - `warp` – groups of lanes with a program counter each; `group` – the loop that executes them; `schedule` – whose turn it is;
//!   `call` – activations of functions; `specials` – what special registers say.
//! - [`races`] – the detector of races.
//! - `barriers`, `mbarriers`, `copies`, `tensor_memory`, `wgmma` – state that only some families of instructions change.

mod access;
mod account;
pub(crate) mod barriers;
mod call;
pub mod code;
mod context;
pub(crate) mod copies;
mod cta;
mod group;
pub(crate) mod mbarriers;
mod nan;
mod noted;
pub mod races;
mod record;
mod schedule;
mod specials;
pub(crate) mod tensor_memory;
#[cfg(test)]
mod tests;
mod warp;
pub(crate) mod wgmma;

pub(crate) use access::region_name;
pub use access::{AccessLocation, Order};
pub(crate) use account::ALLOCATION;
pub use context::{ExecContext, StepOutcome};
pub use cta::{Cluster, Cta};
pub(crate) use nan::number_format;
pub use noted::{AccessKind, MAX_ACCESSES, MemoryAccess};
pub use record::{Detail, Origin, RecordScope, RecordedStep, Recorder, RegisterWrite, WarpId};
pub(crate) use schedule::list;
pub use schedule::{Progress, RunStatus};
pub use specials::is_clock;
pub(crate) use specials::{clock, value as special_value};
pub use warp::{CallFrame, Group, GroupReadiness, RegisterShadow, Warp, WarpLanes};

use crate::findings::{Checks, Findings};
use crate::memory::{Global, Storage};
use code::Executable;
use ptx_isa::ISA;
use std::sync::Arc;

/// Bytes of local memory, its stack included, that a thread can have (hardware's limit).
pub const LOCAL_BYTES: u64 = 512 << 10;

/// How a grid is to be run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What is looked for.
    pub checks: Checks,
    /// After so many warp instructions the run stops.
    pub limit: u64,
    /// Bytes of memory that a run may hold: buffers, variables, shared and local memory, registers, the heap. More is a fault.
    pub memory: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { checks: Checks::default(), limit: 10_000_000, memory: 2 << 30 }
    }
}

/// The size of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridShape {
    /// CTAs.
    pub grid: [u32; 3],
    /// Threads of a CTA.
    pub block: [u32; 3],
    /// CTAs of a cluster.
    pub cluster: [u32; 3],
    /// The kernel is launched with clusters, if only of one CTA.
    pub explicit_cluster: bool,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
}

impl GridShape {
    /// A grid, and CTAs of so many threads, without clusters.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> Self {
        Self { grid, block, cluster: [1; 3], explicit_cluster: false, shared: 0 }
    }

    /// Threads of a CTA.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a CTA.
    pub fn warps(&self) -> u32 {
        self.threads().div_ceil(32)
    }

    /// CTAs of the grid.
    pub fn ctas(&self) -> u64 {
        self.grid.iter().map(|n| u64::from(*n)).product()
    }

    /// The number in the grid of the CTA at a place.
    pub fn cta_number(&self, [x, y, z]: [u32; 3]) -> u64 {
        let [gx, gy, _] = self.grid.map(u64::from);
        u64::from(x) + gx * (u64::from(y) + gy * u64::from(z))
    }

    /// The place in the grid of the CTA of a number.
    pub fn cta_place(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(|n| u64::from(n).max(1));
        [number % x, number / x % y, number / x / y].map(|n| n as u32)
    }

    /// CTAs of a cluster.
    pub fn cluster_ctas(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// Clusters of the grid, by dimension.
    pub fn clusters(&self) -> [u64; 3] {
        std::array::from_fn(|i| u64::from(self.grid[i]) / u64::from(self.cluster[i]).max(1))
    }

    /// What is wrong with it: the part at fault, `grid`, `block` or `cluster`, and words.
    pub fn mistake(&self) -> Option<(&'static str, String)> {
        let parts = [("grid", self.grid), ("block", self.block), ("cluster", self.cluster)];
        if let Some((part, _)) = parts.into_iter().find(|(_, size)| size.contains(&0)) {
            return Some((part, "every dimension of a grid, a block and a cluster is at least 1".into()));
        }
        let threads = self.block.iter().try_fold(1u32, |a, b| a.checked_mul(*b));
        // What the target is does not matter: it is the same number for all.
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
    /// Constants.
    pub constant: Storage,
    /// Parameters of the kernel.
    pub parameters: Storage,
}

/// Everything that a run changes.
#[derive(Clone)]
pub struct Machine {
    /// The program.
    pub executable: Arc<Executable>,
    /// The size of the grid.
    pub shape: GridShape,
    /// What is looked for, and limits.
    pub settings: Settings,
    /// Memory of the grid.
    pub memory: Memory,
    /// The clusters that run now.
    pub clusters: Vec<Cluster>,
    /// The number of the cluster that starts next.
    pub(crate) next_cluster: u64,
    /// Clusters that must not start: another one has taken over their work (`clusterlaunchcontrol`).
    pub cancelled: std::collections::BTreeSet<u64>,
    /// What was found.
    pub findings: Findings,
    /// What was printed.
    pub printed: Vec<u8>,
    /// Bytes of memory that the run holds.
    pub kept: u64,
    /// Those that it held before its first instruction.
    pub(crate) kept_before: u64,
    /// Warp instructions executed.
    pub steps: u64,
    /// Counts what others can see: stores, arrivals. If it stands still while all groups wait, the run is deadlocked.
    pub progress: u64,
    /// Textures, surfaces and samplers that are bound to variables and handles.
    pub images: ptx_num::image::Bindings,
    /// Who is ordered before whom, as far as the detector of races knows.
    pub races: races::Races,
    /// Asynchronous operations whose completion was not observed.
    pub flights: copies::Flights,
    pub(crate) schedule: schedule::Schedule,
}

impl Machine {
    /// A grid that is about to start.
    pub fn new(executable: Arc<Executable>, shape: GridShape, settings: Settings, mut memory: Memory) -> Self {
        let kept = memory.count();
        Self {
            executable,
            shape,
            settings,
            memory,
            clusters: Vec::new(),
            next_cluster: 0,
            cancelled: std::collections::BTreeSet::new(),
            findings: Findings::default(),
            printed: Vec::new(),
            kept,
            kept_before: kept,
            steps: 0,
            progress: 0,
            images: ptx_num::image::Bindings::default(),
            races: races::Races::default(),
            flights: copies::Flights::default(),
            schedule: schedule::Schedule::default(),
        }
    }

    /// Clusters of the grid.
    pub fn cluster_count(&self) -> u64 {
        self.shape.clusters().iter().product()
    }

    /// The position in the grid of a cluster.
    pub fn cluster_index(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.shape.clusters();
        [number % x, number / x % y, number / x / y].map(|n| n as u32)
    }
}
