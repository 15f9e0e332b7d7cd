//! Memory by reference: `0x7f00000200` is a generic address as the warp in focus sees it; `cta3:0x…` one in the shared memory of a CTA,
//! `cta3.warp1.lane5:0x…` one in the local memory of a thread.

use ptx_interp::inspect::{self, MemoryPlace};
use ptx_interp::machine::{GridShape, Machine, WarpId};
use ptx_interp::memory::{Region, Window};
use serde::{Deserialize, Serialize};

/// Maximum number of bytes per read.
pub const MAX_READ: u64 = 16 << 20;

/// The memory that contains watched data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DataSpace {
    /// Global memory; its offsets are addresses.
    Global,
    /// Shared memory of the CTA with this number.
    Shared(u64),
    /// Local memory of a thread: CTA number, warp index, lane.
    Local(u64, u32, u8),
    /// Constant memory.
    Constant,
    /// Parameters of the kernel.
    Parameter,
}

/// The memory that a lane of a warp accesses in a region; `None` for code.
pub fn space(region: Region, target: WarpId, lane: usize, shape: &GridShape) -> Option<DataSpace> {
    Some(match region {
        Region::Global => DataSpace::Global,
        Region::Shared(None) => DataSpace::Shared(target.cta),
        Region::Shared(Some(rank)) => {
            let own = shape.cta_place(target.cta);
            let [cx, cy, _] = shape.cluster;
            let inside = [rank % cx, rank / cx % cy, rank / cx / cy];
            let at = std::array::from_fn(|i| own[i] / shape.cluster[i] * shape.cluster[i] + inside[i]);
            DataSpace::Shared(shape.cta_number(at))
        }
        Region::Local => DataSpace::Local(target.cta, target.warp, lane as u8),
        Region::Constant => DataSpace::Constant,
        Region::Parameter => DataSpace::Parameter,
        Region::Code => return None,
    })
}

/// A generic address, with the thread whose view of memory applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryReference {
    /// The warp.
    pub target: WarpId,
    /// The lane.
    pub lane: usize,
    /// The address.
    pub address: u64,
}

impl MemoryReference {
    /// Parses a reference. The warp and the lane in focus replace parts that it does not name.
    pub fn parse(text: &str, target: WarpId, lane: usize) -> Option<Self> {
        let (who, address) = text.trim().rsplit_once(':').unwrap_or(("", text.trim()));
        let mut out = Self { target, lane, address: number(address)? };
        for part in who.split('.').filter(|p| !p.is_empty()) {
            let at = part.find(|c: char| c.is_ascii_digit())?;
            let (name, digits) = part.split_at(at);
            match name {
                "cta" => out.target = WarpId { cta: digits.parse().ok()?, warp: 0 },
                "warp" => out.target.warp = digits.parse().ok()?,
                "lane" => out.lane = digits.parse().ok().filter(|l| *l < 32)?,
                _ => return None,
            }
        }
        Some(out)
    }

    /// The text of the reference for a client, with only as many parts as the address needs.
    pub fn text(&self, machine: &Machine) -> String {
        let Self { target, lane, address } = *self;
        match machine.executable.map.region(address).0 {
            Region::Shared(_) => format!("cta{}:{address:#x}", target.cta),
            Region::Local => format!("cta{}.warp{}.lane{lane}:{address:#x}", target.cta, target.warp),
            Region::Global | Region::Constant | Region::Parameter | Region::Code => format!("{address:#x}"),
        }
    }

    /// The reference moved by `offset` bytes.
    pub fn moved(self, offset: i64) -> Self {
        Self { address: self.address.wrapping_add_signed(offset), ..self }
    }

    /// The memory that contains the address, and the offset in that memory; `None` for code.
    pub fn space(&self, machine: &Machine) -> Option<(DataSpace, u64)> {
        let (region, offset) = machine.executable.map.region(self.address);
        Some((space(region, self.target, self.lane, &machine.shape)?, offset))
    }
}

/// Parses an address: decimal, or hexadecimal with `0x`.
pub fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Reads the accessible part of a range of memory. Returns the number of inaccessible bytes at its start and the bytes
/// read. If bytes at the start are inaccessible, no bytes are read.
pub fn peek(machine: &Machine, reference: MemoryReference, count: u64) -> (u64, Vec<u8>) {
    let count = count.min(MAX_READ);
    let lane = Some(reference.lane);
    let read = |at: MemoryReference, count: u64| {
        inspect::peek(machine, at.target, lane, MemoryPlace::Address(at.address), count as usize).map(|p| p.bytes)
    };
    match read(reference, count) {
        Ok(bytes) => (0, bytes),
        // Clients request bytes around an address: report where the next accessible memory begins.
        Err(_) => {
            let next = (1..=count / 16).map(|i| i * 16 - reference.address % 16).filter(|skip| *skip < count);
            let there = next
                .take(4096)
                .find(|skip| read(reference.moved(*skip as i64), 1).is_ok_and(|bytes| !bytes.is_empty()));
            (there.unwrap_or(count), Vec::new())
        }
    }
}

/// Reads `count` bytes of a memory; `None` if they do not exist at this time.
pub fn read(machine: &Machine, space: DataSpace, offset: u64, count: usize) -> Option<Vec<u8>> {
    let map = &machine.executable.map;
    let first = WarpId { cta: 0, warp: 0 };
    let (target, lane, address) = match space {
        DataSpace::Global => (first, 0, offset),
        DataSpace::Shared(cta) => (WarpId { cta, warp: 0 }, 0, map.generic(Window::Shared, offset)?),
        DataSpace::Local(cta, warp, lane) => (WarpId { cta, warp }, lane.into(), map.generic(Window::Local, offset)?),
        DataSpace::Constant => (first, 0, map.generic(Window::Constant, offset)?),
        DataSpace::Parameter => (first, 0, map.generic(Window::Parameter, offset)?),
    };
    let found = inspect::peek(machine, target, Some(lane), MemoryPlace::Address(address), count).ok()?;
    (found.bytes.len() == count).then_some(found.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        let target = WarpId { cta: 9, warp: 3 };
        let parse = |text| MemoryReference::parse(text, target, 7);
        assert_eq!(parse("0x10"), Some(MemoryReference { target, lane: 7, address: 16 }));
        assert_eq!(parse(" 16 "), parse("0x10"));
        let other = WarpId { cta: 3, warp: 0 };
        assert_eq!(parse("cta3:0x10"), Some(MemoryReference { target: other, lane: 7, address: 16 }));
        let third = WarpId { cta: 3, warp: 1 };
        assert_eq!(parse("cta3.warp1.lane5:0x10"), Some(MemoryReference { target: third, lane: 5, address: 16 }));
        for wrong in ["", "x", "cta:0x10", "cta3.lane32:0", "block3:0x10", "0x10000000000000000"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
