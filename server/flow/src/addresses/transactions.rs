//! Model of how the memory system serves an instruction of a warp: passes through the banks of shared memory, sectors of global memory.
//!
//! The model follows NVIDIA's documents for every architecture from sm_50 on (CUDA C++ Programming Guide, "Shared Memory" under the compute
//! capabilities; Best Practices Guide, "Coalesced Access to Global Memory"; Nsight Compute's guide, "wavefronts" and "sectors"):
//!
//! - Shared memory has 32 banks. Consecutive words of 4 bytes lie in consecutive banks. In one pass, a bank delivers one word to all lanes
//!   that read it. Lanes that store to the same word do not conflict either.
//! - A pass moves at most 128 bytes. Accesses of 8 bytes are served by half warps and those of 16 bytes by quarter warps, one after the
//!   other. Only lanes of the same part can conflict (NVIDIA at GTC 2019, talk S9593, on phases of wide accesses).
//! - Updates of one word by several lanes are serialized.
//! - Global memory is moved in sectors of 32 bytes, four to a cache line of 128.
//!
//! Not modelled: if pairs of lanes read the same wide value, some chips (sm_70 to sm_75) need only half as many passes.

use super::lanes::LANES;

/// Number of banks of shared memory.
pub const BANKS: usize = 32;

/// Size of a bank's word in bytes.
pub(crate) const WORD: u64 = 4;

/// Maximum number of bytes that a pass through the banks moves.
const PASS: u64 = BANKS as u64 * WORD;

/// Size of a sector of global memory in bytes.
pub const SECTOR: u64 = 32;

/// Size of a cache line in bytes.
pub const LINE: u64 = 128;

/// The bytes that a lane accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneAccess {
    /// The lane.
    pub lane: u8,
    /// The first byte: an address, or an offset in shared memory.
    pub at: u64,
    /// The number of bytes.
    pub bytes: u32,
}

/// How the banks of shared memory serve an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Banks {
    /// Number of passes.
    pub wavefronts: u32,
    /// Number of passes that would suffice without bank conflicts.
    pub ideal: u32,
    /// Maximum number of different words that one bank must deliver at the same time: 1 means no conflict.
    pub conflict: u32,
    /// The lanes that use each bank, one bit for each lane.
    pub lanes: [u32; BANKS],
    /// The lanes that use the bank with the most words, in the part of the warp where that is so.
    pub conflicting: u32,
}

/// The traffic of a request to global memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sectors {
    /// Number of different sectors (32 bytes) touched.
    pub touched: u64,
    /// The minimum number of sectors for as many different bytes.
    pub ideal: u64,
    /// Number of different cache lines (128 bytes) touched.
    pub lines: u64,
    /// `ideal` divided by `touched`: 1 if no sector is moved unnecessarily.
    pub efficiency: f64,
}

/// How the banks of shared memory serve these accesses, at most one for each lane, in the order of the lanes. `update`: they read, change
/// and write as one access. `None` for copies by an engine.
pub fn banks(accesses: &[LaneAccess], update: bool) -> Option<Banks> {
    let bytes = u64::from(accesses.iter().map(|a| a.bytes).max()?);
    // No load or store has more bytes per lane than a pass: such an access is a copy by an engine.
    if bytes == 0 || bytes > PASS {
        return None;
    }
    // Number of lanes that one pass can serve.
    let part = usize::try_from(PASS / bytes.next_power_of_two().max(WORD)).unwrap_or(1).clamp(1, LANES);
    let mut out = Banks { wavefronts: 0, ideal: 0, conflict: 0, lanes: [0; BANKS], conflicting: 0 };
    for served in accesses.chunk_by(|a, b| usize::from(a.lane) / part == usize::from(b.lane) / part) {
        let mut by_bank: [Vec<u64>; BANKS] = Default::default();
        let mut users = [0u32; BANKS];
        for access in served {
            let last = access.at.saturating_add(u64::from(access.bytes).saturating_sub(1));
            for word in access.at / WORD..=last / WORD {
                let bank = (word % BANKS as u64) as usize;
                if update || !by_bank[bank].contains(&word) {
                    by_bank[bank].push(word);
                }
                users[bank] |= 1 << (usize::from(access.lane) % LANES);
            }
        }
        let worst = (0..BANKS).rev().max_by_key(|bank| by_bank[*bank].len()).unwrap_or(0);
        let most = by_bank[worst].len() as u32;
        out.wavefronts += most;
        out.ideal += u32::from(most > 0);
        if most > out.conflict {
            (out.conflict, out.conflicting) = (most, users[worst]);
        }
        out.lanes.iter_mut().zip(users).for_each(|(all, users)| *all |= users);
    }
    Some(out)
}

/// The traffic of these accesses to global memory; `None` if they touch no byte.
pub fn sectors(accesses: &[LaneAccess]) -> Option<Sectors> {
    let range = |a: &LaneAccess| (a.at, a.at.saturating_add(u64::from(a.bytes)));
    let mut ranges: Vec<(u64, u64)> = accesses.iter().map(range).filter(|(a, b)| a < b).collect();
    if ranges.is_empty() {
        return None;
    }
    ranges.sort_unstable();
    let count = |size: u64| {
        let (mut count, mut next) = (0, 0);
        for (from, to) in &ranges {
            let (first, last) = ((from / size).max(next), (to - 1) / size);
            if last >= first {
                count += last - first + 1;
                next = last + 1;
            }
        }
        count
    };
    let (touched, lines, bytes) = (count(SECTOR), count(LINE), count(1));
    let ideal = bytes.div_ceil(SECTOR);
    Some(Sectors { touched, ideal, lines, efficiency: ideal as f64 / touched as f64 })
}
