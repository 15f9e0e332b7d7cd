//! Model of how the memory system serves the accesses of one step: passes through the banks of shared memory, sectors of global memory.
//!
//! The model itself is in [`ptx_flow::addresses::transactions`].

use crate::lanes::{LANES, LaneMask};
use crate::machine::{AccessKind, MemoryAccess};
use crate::memory::Region;
use ptx_flow::addresses::transactions::{self as model, LaneAccess};

pub use model::{BANKS, Banks, LINE, SECTOR, Sectors};

/// A request of one instruction to memory: at most one access per lane.
#[derive(Debug, Clone, PartialEq)]
pub struct Transaction {
    /// The effect of the accesses.
    pub kind: AccessKind,
    /// The memory that contains the bytes.
    pub region: Region,
    /// Bytes per lane; the maximum if lanes differ.
    pub bytes: u32,
    /// The lanes that make an access.
    pub lanes: LaneMask,
    /// The access of each lane.
    pub accesses: [Option<MemoryAccess>; LANES],
    /// How the banks serve the request. `None` for other memory than shared memory, and for copies by a copy engine.
    pub banks: Option<Banks>,
    /// The traffic to global memory; `None` for other memory.
    pub sectors: Option<Sectors>,
}

/// Splits the accesses of one step into requests: each has accesses of one kind to one memory, at most one per lane.
pub fn transactions(accesses: &[MemoryAccess]) -> Vec<Transaction> {
    let mut out: Vec<Transaction> = Vec::new();
    for access in accesses {
        let lane = usize::from(access.lane) % LANES;
        let fits =
            |t: &&mut Transaction| t.kind == access.kind && t.region == access.region && t.lanes >> lane & 1 == 0;
        let found = match out.iter_mut().find(fits) {
            Some(found) => found,
            None => {
                out.push(Transaction {
                    kind: access.kind,
                    region: access.region,
                    bytes: 0,
                    lanes: 0,
                    accesses: [None; LANES],
                    banks: None,
                    sectors: None,
                });
                let Some(last) = out.last_mut() else { continue };
                last
            }
        };
        found.lanes |= 1 << lane;
        found.bytes = found.bytes.max(access.bytes);
        if let Some(place) = found.accesses.get_mut(lane) {
            *place = Some(*access);
        }
    }
    for transaction in &mut out {
        match transaction.region {
            Region::Shared(_) => transaction.banks = banks(transaction),
            Region::Global => transaction.sectors = sectors(transaction),
            Region::Local | Region::Constant | Region::Parameter | Region::Code => {}
        }
    }
    out
}

fn banks(transaction: &Transaction) -> Option<Banks> {
    let within = |a: &MemoryAccess| LaneAccess { lane: a.lane, at: a.offset, bytes: a.bytes };
    let accesses: Vec<LaneAccess> = transaction.accesses.iter().flatten().map(within).collect();
    model::banks(&accesses, transaction.kind == AccessKind::Update)
}

fn sectors(transaction: &Transaction) -> Option<Sectors> {
    let at = |a: &MemoryAccess| LaneAccess { lane: a.lane, at: a.address, bytes: a.bytes };
    let accesses: Vec<LaneAccess> = transaction.accesses.iter().flatten().map(at).collect();
    model::sectors(&accesses)
}

#[cfg(test)]
mod tests {
    use super::{Banks, Sectors, transactions};
    use crate::lanes::LaneMask;
    use crate::machine::{AccessKind, MemoryAccess};
    use crate::memory::Region;

    /// Accesses of the lanes in `mask`, of `bytes` bytes each, at an offset computed from the lane.
    fn step(
        region: Region,
        kind: AccessKind,
        bytes: u32,
        mask: LaneMask,
        offset: impl Fn(u64) -> u64,
    ) -> Vec<MemoryAccess> {
        let access = |lane: u8| {
            let offset = offset(u64::from(lane));
            MemoryAccess { lane, kind, region, address: offset, offset, bytes }
        };
        (0..32).filter(|lane| mask >> lane & 1 != 0).map(access).collect()
    }

    fn banks(kind: AccessKind, bytes: u32, mask: LaneMask, offset: impl Fn(u64) -> u64) -> Banks {
        let all = transactions(&step(Region::Shared(None), kind, bytes, mask, offset));
        assert_eq!(all.len(), 1);
        assert!(all[0].sectors.is_none());
        all[0].banks.expect("banks")
    }

    /// Number of passes and degree of the conflict. They are the same for loads and stores.
    fn passes(bytes: u32, mask: LaneMask, offset: impl Fn(u64) -> u64 + Copy) -> (u32, u32) {
        let load = banks(AccessKind::Load, bytes, mask, offset);
        assert_eq!(load, banks(AccessKind::Store, bytes, mask, offset));
        (load.wavefronts, load.conflict)
    }

    const ALL: LaneMask = LaneMask::MAX;

    #[test]
    fn strides_of_words() {
        for (stride, expected) in
            [(1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (32, 32), (33, 1), (31, 1), (64, 32)]
        {
            assert_eq!(passes(4, ALL, |lane| 4 * stride * lane), (expected, expected), "{stride}");
        }
        // A column of a tile of 32 × 32, and of one whose rows are padded by a word.
        assert_eq!(passes(4, ALL, |lane| 4 * (32 * lane + 5)), (32, 32));
        assert_eq!(passes(4, ALL, |lane| 4 * (33 * lane + 5)), (1, 1));
        // A permutation of the lanes within a row.
        assert_eq!(passes(4, ALL, |lane| 4 * (lane ^ 21)), (1, 1));
    }

    #[test]
    fn one_word_is_given_to_all_who_want_it() {
        assert_eq!(passes(4, ALL, |_| 64), (1, 1));
        assert_eq!(passes(4, ALL, |lane| 4 * (lane / 2)), (1, 1));
        // Two words of one bank.
        assert_eq!(passes(4, ALL, |lane| 128 * (lane % 2)), (2, 2));
        // Bytes and halves share words.
        assert_eq!(passes(1, ALL, |lane| lane), (1, 1));
        assert_eq!(passes(2, ALL, |lane| 2 * lane), (1, 1));
        assert_eq!(passes(2, ALL, |lane| 128 * lane), (32, 32));
        let all = banks(AccessKind::Load, 1, ALL, |lane| lane);
        assert_eq!((all.lanes[0], all.lanes[7], all.lanes[8]), (0xf, 0xf << 28, 0));
    }

    #[test]
    fn wide_accesses_are_served_in_parts() {
        assert_eq!(passes(8, ALL, |lane| 8 * lane), (2, 1));
        assert_eq!(passes(16, ALL, |lane| 16 * lane), (4, 1));
        // Half as many lanes need half as many passes.
        assert_eq!(passes(8, 0xffff, |lane| 8 * lane), (1, 1));
        assert_eq!(passes(16, 0xff00, |lane| 16 * lane), (1, 1));
        // A half warp with every second double word.
        assert_eq!(passes(8, ALL, |lane| 16 * lane), (4, 2));
        // Rows of 128 bytes: all lanes of a quarter warp access the same four banks.
        assert_eq!(passes(16, ALL, |lane| 128 * lane), (32, 8));
        // The same rows, swizzled: the 16-byte chunk depends on the row number, as in tiles for `ldmatrix`.
        assert_eq!(passes(16, ALL, |lane| 128 * lane + 16 * (lane % 8)), (4, 1));
        assert_eq!(banks(AccessKind::Load, 16, ALL, |lane| 16 * lane).ideal, 4);
        // All lanes read the same 16 bytes.
        assert_eq!(passes(16, ALL, |_| 32), (4, 1));
        assert_eq!(passes(32, ALL, |lane| 32 * lane), (8, 1));
    }

    #[test]
    fn updates_of_one_word_wait_for_each_other() {
        assert_eq!(banks(AccessKind::Update, 4, ALL, |_| 0).wavefronts, 32);
        assert_eq!(banks(AccessKind::Update, 4, ALL, |lane| 4 * lane).wavefronts, 1);
        assert_eq!(banks(AccessKind::Update, 4, ALL, |lane| 4 * (lane % 8)).conflict, 4);
    }

    fn moved(bytes: u32, mask: LaneMask, address: impl Fn(u64) -> u64) -> (u64, u64, u64) {
        let all = transactions(&step(Region::Global, AccessKind::Load, bytes, mask, address));
        assert!(all.len() == 1 && all[0].banks.is_none());
        let Sectors { touched, ideal, lines, efficiency } = all[0].sectors.expect("sectors");
        assert!((efficiency - ideal as f64 / touched as f64).abs() < 1e-12 && efficiency <= 1.0);
        (touched, ideal, lines)
    }

    #[test]
    fn sectors_of_global_memory() {
        const BASE: u64 = 0x7f_0000_0000;
        assert_eq!(moved(4, ALL, |lane| BASE + 4 * lane), (4, 4, 1));
        assert_eq!(moved(4, ALL, |lane| BASE + 4 * (31 - lane)), (4, 4, 1));
        // Shifted by one element: one more sector and one more line.
        assert_eq!(moved(4, ALL, |lane| BASE + 4 + 4 * lane), (5, 4, 2));
        assert_eq!(moved(4, ALL, |lane| BASE + 8 * lane), (8, 4, 2));
        assert_eq!(moved(4, ALL, |lane| BASE + 32 * lane), (32, 4, 8));
        assert_eq!(moved(4, ALL, |lane| BASE + 4096 * lane), (32, 4, 32));
        assert_eq!(moved(4, ALL, |_| BASE + 12), (1, 1, 1));
        assert_eq!(moved(16, ALL, |lane| BASE + 16 * lane), (16, 16, 4));
        assert_eq!(moved(8, ALL, |lane| BASE + 8 * lane), (8, 8, 2));
        assert_eq!(moved(1, ALL, |lane| BASE + lane), (1, 1, 1));
        assert_eq!(moved(4, 1, |_| BASE), (1, 1, 1));
        // An element that spans two sectors, as bytes of a copy may.
        assert_eq!(moved(16, 1, |_| BASE + 24), (2, 1, 1));
        // A copy of many bytes by one lane.
        assert_eq!(moved(4096, 1, |_| BASE), (128, 128, 32));
        assert_eq!(moved(4, 1, |_| u64::MAX - 2).0, 1);
    }

    #[test]
    fn accesses_are_taken_apart_by_what_they_are() {
        let mut all = step(Region::Global, AccessKind::Load, 8, 0xf, |lane| 8 * lane);
        all.extend(step(Region::Shared(None), AccessKind::Store, 8, 0xf, |lane| 8 * lane));
        all.extend(step(Region::Shared(None), AccessKind::Store, 8, 0x3, |lane| 64 + 8 * lane));
        let parts = transactions(&all);
        let seen: Vec<_> = parts.iter().map(|t| (t.kind, t.lanes, t.banks.is_some(), t.sectors.is_some())).collect();
        let (load, store) = (AccessKind::Load, AccessKind::Store);
        assert_eq!(seen, [(load, 0xf, false, true), (store, 0xf, true, false), (store, 0x3, true, false)]);
        assert_eq!(parts[2].accesses[1].map(|a| a.offset), Some(72));
        assert_eq!(transactions(&[]), []);
        // Copies by an engine have no bank statistics.
        let copy = transactions(&step(Region::Shared(None), AccessKind::Store, 2048, 1, |_| 0));
        assert_eq!((copy[0].banks, copy[0].sectors), (None, None));
    }
}
