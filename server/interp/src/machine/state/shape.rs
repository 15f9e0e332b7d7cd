//! The dimensions of a grid.

use crate::memory::Scope;
use ptx_isa::ISA;

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
