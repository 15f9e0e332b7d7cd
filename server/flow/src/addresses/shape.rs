//! The threads of a block in its warps: which thread each lane is.

use super::lanes::{LANES, Lanes};
use ptx_isa::ISA;
use ptx_isa::tables::GridRole;
use std::collections::HashMap;

/// The shape of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BlockShape {
    /// The number of threads in each dimension.
    Known([u32; 3]),
    /// The width is a multiple of the warp size, so that each warp is a part of a row. This is an assumption.
    #[default]
    Rows,
}

/// Warps whose lanes are threads of the same pattern.
#[derive(Debug, Clone)]
pub struct WarpCase {
    /// The components of the thread's index.
    pub thread: [Lanes; 3],
    /// The size of the block, if it is known.
    pub size: Option<[u32; 3]>,
    /// Whether the warps are parts of rows.
    pub rows: bool,
    /// The lanes that exist.
    pub active: u32,
}

impl BlockShape {
    /// The cases into which the warps of the block fall; empty for a shape that no device launches.
    pub fn cases(self) -> Vec<WarpCase> {
        match self {
            Self::Rows => {
                // The evaluator keeps only the bits that the maximum of the component allows.
                let row = Lanes { values: std::array::from_fn(|l| l as u64), unknown: !(LANES as u64 - 1) };
                let thread = [row, Lanes::uniform(u64::MAX), Lanes::uniform(u64::MAX)];
                vec![WarpCase { thread, size: None, rows: true, active: u32::MAX }]
            }
            Self::Known(size) => known(size),
        }
    }
}

/// The number of threads of a block; `None` if no device launches it.
fn threads_of(size: [u32; 3]) -> Option<u32> {
    let threads = size.iter().try_fold(1u32, |all, n| all.checked_mul(*n))?;
    let most = ISA.multiprocessors.iter().map(|m| m.cta_threads).max()?;
    let limits = ISA.special_registers.iter().find(|r| r.grid == GridRole::CtaSize)?.at_most;
    let fits = (1..=most).contains(&threads) && size.iter().zip(limits).all(|(n, limit)| n <= limit);
    fits.then_some(threads)
}

fn known(size: [u32; 3]) -> Vec<WarpCase> {
    let Some(threads) = threads_of(size) else { return Vec::new() };
    let [x, y, _] = size;
    let rows = x.is_multiple_of(LANES as u32);
    let thread = |linear: u32| [linear % x, linear / x % y, linear / x / y];
    // Warps with the same pattern are one case if the place of the pattern lies in other bits than the pattern.
    let mut places: HashMap<([Vec<u32>; 3], u32), usize> = HashMap::new();
    let mut out: Vec<WarpCase> = Vec::new();
    for warp in 0..threads.div_ceil(LANES as u32) {
        let first = warp * LANES as u32;
        let count = (threads - first).min(LANES as u32);
        let active = u32::MAX >> (LANES as u32 - count);
        // Lanes that do not exist count as the first one.
        let all: Vec<[u32; 3]> = (0..LANES as u32).map(|l| thread(first + if l < count { l } else { 0 })).collect();
        let base: [u32; 3] = std::array::from_fn(|c| all.iter().map(|t| t[c]).min().unwrap_or(0));
        let pattern: [Vec<u32>; 3] = std::array::from_fn(|c| all.iter().map(|t| t[c] - base[c]).collect());
        let lies_apart = |c: usize, unknown: u64| pattern[c].iter().all(|p| u64::from(*p) & unknown == 0);
        let key = (pattern.clone(), active);
        if let Some(case) = places.get(&key).and_then(|at| out.get_mut(*at)) {
            let merged: [u64; 3] = std::array::from_fn(|c| case.thread[c].unknown | u64::from(base[c]));
            if (0..3).all(|c| lies_apart(c, merged[c])) {
                (0..3).for_each(|c| case.thread[c].unknown = merged[c]);
                continue;
            }
        }
        let fits = (0..3).all(|c| lies_apart(c, base[c].into()));
        let lanes: [Lanes; 3] = std::array::from_fn(|c| {
            if fits {
                let values = std::array::from_fn(|l| pattern[c][l].into());
                Lanes { values, unknown: base[c].into() }
            } else {
                Lanes { values: std::array::from_fn(|l| all[l][c].into()), unknown: 0 }
            }
        });
        if fits {
            places.insert(key, out.len());
        }
        out.push(WarpCase { thread: lanes, size: Some(size), rows, active });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{BlockShape, LANES};

    #[test]
    fn every_thread_is_a_lane_of_some_case() {
        for size in [[128, 1, 1], [16, 16, 1], [8, 8, 4], [24, 5, 1], [48, 1, 1], [1, 64, 1], [7, 1, 3], [1024, 1, 1]] {
            let cases = BlockShape::Known(size).cases();
            let [x, y, z] = size;
            for warp in 0..(x * y * z).div_ceil(32) {
                let found = cases.iter().any(|case| {
                    // One unknown number for each component must explain all lanes.
                    let lanes = (0..LANES as u32).filter(|l| warp * 32 + l < x * y * z);
                    let count = lanes.clone().count() as u32;
                    let threads: Vec<[u64; 3]> = lanes
                        .map(|l| warp * 32 + l)
                        .map(|n| [(n % x).into(), (n / x % y).into(), (n / x / y).into()])
                        .collect();
                    case.active == u32::MAX >> (32 - count)
                        && (0..3).all(|c| {
                            let of = |l: usize| threads[l][c].wrapping_sub(case.thread[c].values[l]);
                            let first = of(0);
                            first & !case.thread[c].unknown == 0 && (0..threads.len()).all(|l| of(l) == first)
                        })
                });
                assert!(found, "warp {warp} of {size:?}");
            }
        }
        assert_eq!(BlockShape::Known([16, 16, 1]).cases().len(), 1);
        assert_eq!(BlockShape::Known([256, 4, 1]).cases().len(), 1);
        assert!(BlockShape::Known([0, 1, 1]).cases().is_empty());
        assert!(BlockShape::Known([2048, 1, 1]).cases().is_empty());
        assert!(BlockShape::Known([1, 1, 65]).cases().is_empty() && !BlockShape::Known([1, 1, 64]).cases().is_empty());
    }
}
