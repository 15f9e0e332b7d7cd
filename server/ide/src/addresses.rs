//! Words about the addresses of loads and stores: hints at the ends of lines, and passages of hovers.

use crate::describe::MarkdownPage;
use crate::launches::launched_block;
use ptx_analysis::{Access, AccessEffect, AddressFacts, BankTraffic, BlockShape, SectorTraffic, Traffic, active_lanes};
use ptx_syntax::Snapshot;
use std::ops::RangeInclusive;

/// The condition for the traffic if no directive and no launch defines the shape of the block.
pub(crate) const ASSUMPTION: &str = "if blockDim.x is a multiple of 32";

/// The accesses of a function, and the shape of the block.
pub(crate) struct AccessView<'a> {
    facts: &'a AddressFacts,
    /// The block of the launch above the kernel, unless a directive requires a shape.
    launched: Option<[u32; 3]>,
}

impl<'a> AccessView<'a> {
    /// The accesses of the function that begins at an offset.
    pub fn new(snapshot: &Snapshot, start: usize, facts: &'a AddressFacts) -> Self {
        let launched = if facts.shape == BlockShape::Rows { launched_block(snapshot, start) } else { None };
        Self { facts, launched }
    }

    /// The traffic of an access, and whether it holds only under [`ASSUMPTION`].
    fn traffic(&self, index: usize, access: &Access) -> Option<(Traffic, bool)> {
        match self.launched {
            Some(block) => Some((self.facts.traffic_of(access, BlockShape::Known(block))?, false)),
            None => {
                let traffic = self.facts.traffic.get(index)?.clone()?;
                Some((traffic, self.facts.is_assumed(access)))
            }
        }
    }

    /// The traffic of the accesses of an instruction in a few words, and whether it holds only under [`ASSUMPTION`]. `all` includes
    /// accesses that are not costly.
    pub fn hint(&self, instruction: usize, all: bool) -> (String, bool) {
        let (mut parts, mut assumed) = (Vec::new(), false);
        for (index, access) in self.facts.of_instruction(instruction) {
            let Some((traffic, condition)) = self.traffic(index, access) else { continue };
            if all || traffic.is_costly() {
                parts.push(short(access, &traffic));
                assumed |= condition;
            }
        }
        (parts.join("; "), assumed)
    }

    /// A passage about the accesses of an instruction; only of the operand with this index, if it is given. An address that is `known` to
    /// the reader is not repeated.
    pub fn page(&self, instruction: usize, operand: Option<u8>, known: Option<&str>) -> MarkdownPage {
        let mut page = MarkdownPage::default();
        for (index, access) in self.facts.of_instruction(instruction) {
            if operand.is_some_and(|o| o != access.operand) {
                continue;
            }
            let address = self.facts.address(access);
            let traffic = self.traffic(index, access);
            if address.is_none() && traffic.is_none() {
                continue;
            }
            if let Some(address) = address.filter(|a| known != Some(a)) {
                page.text(format!("Address: `{address}`"));
            }
            if let Some((traffic, assumed)) = traffic {
                page.text(self.sentence(access, &traffic, assumed));
            }
        }
        page
    }

    fn sentence(&self, access: &Access, traffic: &Traffic, assumed: bool) -> String {
        let mut out = match traffic {
            Traffic::Sectors(sectors) => self.sectors(access, sectors),
            Traffic::Banks(banks) => conflicts(access, banks),
        };
        if access.guarded {
            out.push_str(" With fewer active lanes it is an upper bound.");
        }
        if let Some([x, y, z]) = self.launched {
            out.push_str(&format!(" This is for a block of {x}×{y}×{z} threads, as in the launch above the kernel."));
        } else if assumed {
            out.push_str(&format!(" This holds {ASSUMPTION}."));
        }
        out
    }

    fn sectors(&self, access: &Access, sectors: &SectorTraffic) -> String {
        let SectorTraffic { sectors: all, aligned, ideal, stride } = sectors;
        let mut out = format!("A warp accesses {} each lane", bytes(access.bytes));
        match stride {
            Some(0) => out.push_str(", all at the same address"),
            Some(stride) if stride.unsigned_abs() != u64::from(access.bytes) => {
                out.push_str(&format!(", {stride} bytes apart"));
            }
            _ => {}
        }
        out.push_str(&format!(", in {} of 32 bytes", counted(all, "sector")));
        if let Some(aligned) = aligned.as_ref().filter(|a| *a != all) {
            let base = self.facts.base(access).unwrap_or("the pointer");
            out.push_str(&format!(" ({} if `{base}` is aligned to 32 bytes)", range(aligned)));
        }
        if *sectors.usual().start() > *ideal {
            out.push_str(&format!("; {ideal} would be enough for these bytes"));
        }
        out.push('.');
        out
    }
}

fn conflicts(access: &Access, banks: &BankTraffic) -> String {
    let BankTraffic { conflict, wavefronts, ideal, lanes, .. } = banks;
    let mut out = format!("A warp accesses {} each lane in shared memory", bytes(access.bytes));
    if *conflict.end() <= 1 {
        out.push_str(&format!(" without a bank conflict, in {}.", counted(wavefronts, "pass")));
        return out;
    }
    out.push_str(&format!(" with a {}-way bank conflict ({}): ", range(conflict), lane_list(*lanes)));
    out.push_str(&format!("{}; without conflicts {ideal} would be enough.", counted(wavefronts, "pass")));
    out
}

/// The traffic in a few words.
fn short(access: &Access, traffic: &Traffic) -> String {
    match traffic {
        Traffic::Sectors(sectors) => {
            let count = counted(&sectors.sectors, "sector");
            match sectors.stride {
                Some(0) => format!("same address: {count}"),
                _ if sectors.is_coalesced() => format!("coalesced: {count}"),
                Some(stride) if stride.unsigned_abs() == u64::from(access.bytes) => format!("contiguous: {count}"),
                Some(stride) => format!("stride {stride} B: {count}"),
                None => format!("uncoalesced: {count}"),
            }
        }
        Traffic::Banks(banks) if *banks.conflict.end() <= 1 => "shared: no bank conflict".to_owned(),
        Traffic::Banks(banks) if access.effect == AccessEffect::Update && banks.stride == Some(0) => {
            format!("shared: {} lanes update one word", range(&banks.conflict))
        }
        Traffic::Banks(banks) => {
            format!("shared: {}-way bank conflict ({})", range(&banks.conflict), lane_list(banks.lanes))
        }
    }
}

/// The first lanes of a mask: `lanes 0, 4, 8 …`.
fn lane_list(lanes: u32) -> String {
    let all: Vec<String> = active_lanes(lanes).map(|l| l.to_string()).collect();
    let more = if all.len() > 3 { " …" } else { "" };
    format!("lanes {}{more}", all[..all.len().min(3)].join(", "))
}

fn range(range: &RangeInclusive<u32>) -> String {
    match (range.start(), range.end()) {
        (a, b) if a == b => a.to_string(),
        (a, b) => format!("{a}–{b}"),
    }
}

fn counted(count: &RangeInclusive<u32>, what: &str) -> String {
    let plural = match (*count.end(), what) {
        (1, _) => "",
        (_, "pass") => "es",
        _ => "s",
    };
    format!("{} {what}{plural}", range(count))
}

fn bytes(count: u32) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

#[cfg(test)]
mod tests {
    use super::lane_list;

    #[test]
    fn few_lanes_are_named() {
        assert_eq!(lane_list(0b1_0001), "lanes 0, 4");
        assert_eq!(lane_list(0x1111_1111), "lanes 0, 4, 8 …");
    }
}
