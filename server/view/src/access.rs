//! Memory accesses of a step: what they cost, by bank or by sector.

use ptx_interp::inspect::{self, Banks, LINE, SECTOR, Sectors, Transaction};
use ptx_interp::lanes::{LaneMask, lanes};
use ptx_interp::machine::{Machine, MemoryAccess};
use ptx_launch::words;
use serde::Serialize;
use std::collections::BTreeMap;

/// Number of sectors of a cache line.
const SECTORS: usize = (LINE / SECTOR) as usize;

/// Maximum number of lines that are listed.
const MAX_LINES: usize = 64;

/// A request of one instruction to memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Access {
    /// What it does: `load`, `store`, `update`.
    pub kind: &'static str,
    /// The state space: `global`, `shared`, `local`, `const`, `param`.
    pub space: &'static str,
    /// Number of bytes for each lane.
    pub bytes: u32,
    /// Mask of the lanes.
    pub lanes: LaneMask,
    /// For each lane the offset in the state space in hexadecimal digits, in global memory the address; `null` for other lanes.
    pub addresses: Vec<Option<String>>,
    /// For each lane what lies there: `x+16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<Option<String>>>,
    /// Of shared memory: number of passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wavefronts: Option<u32>,
    /// Number of passes without bank conflicts, or the fewest sectors for as many bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ideal: Option<u64>,
    /// For shared memory: the largest number of different words in one bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<u32>,
    /// For shared memory: the lanes by bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub banks: Option<Vec<Vec<usize>>>,
    /// For global memory: number of 32-byte sectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sectors: Option<u64>,
    /// For global memory: number of 128-byte lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// For global memory: `ideal` divided by `sectors`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<f64>,
    /// What it is, to stand above its picture: `Load of 4 bytes from shared memory in 32 lanes`.
    pub title: String,
    /// What it costs, in a line: `2 passes, 2 words in one bank`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// The same, one fact after another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// For global memory: the lines that it touches, in order; the first of them if there are many.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<TouchedLine>,
}

/// A figure with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fact {
    /// The name.
    pub name: &'static str,
    /// The figure.
    pub value: String,
    /// Whether it says that something could be better.
    pub bad: bool,
}

/// A cache line that an access touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TouchedLine {
    /// The address of its first byte in hexadecimal digits.
    pub address: String,
    /// What lies at the first touched byte: `x+16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its four sectors.
    pub sectors: Vec<TouchedSector>,
}

/// A sector of a cache line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TouchedSector {
    /// The touched bytes as ranges within the sector; the ends are exclusive.
    pub bytes: Vec<[u64; 2]>,
    /// Mask of the lanes that touch it.
    pub lanes: LaneMask,
}

/// Describes a request.
pub fn access(machine: &Machine, request: &Transaction) -> Access {
    let name = |access: &Option<MemoryAccess>| inspect::name_of_access(machine, access.as_ref()?);
    let names: Vec<Option<String>> = request.accesses.iter().map(name).collect();
    let space = inspect::space(request.region);
    let verb = match request.kind.name() {
        "load" => "Load of",
        "store" => "Store of",
        _ => "Update of",
    };
    let preposition = match request.kind.name() {
        "load" => "from",
        "store" => "to",
        _ => "in",
    };
    let count = request.lanes.count_ones();
    let title = format!(
        "{verb} {} byte{} {preposition} {space} memory in {}",
        request.bytes,
        if request.bytes == 1 { "" } else { "s" },
        if count == 32 { "all lanes".to_owned() } else { words::lanes(request.lanes) },
    );
    let (banks, sectors) = (request.banks.as_ref(), request.sectors.as_ref());
    Access {
        kind: request.kind.name(),
        space,
        bytes: request.bytes,
        lanes: request.lanes,
        addresses: request.accesses.iter().map(|a| a.map(|a| format!("{:x}", a.offset))).collect(),
        names: names.iter().any(Option::is_some).then_some(names),
        wavefronts: banks.map(|banks| banks.wavefronts),
        ideal: banks.map(|banks| u64::from(banks.ideal)).or_else(|| sectors.map(|sectors| sectors.ideal)),
        conflict: banks.map(|banks| banks.conflict),
        banks: banks.map(|banks| banks.lanes.iter().map(|mask| lanes(*mask).collect()).collect()),
        sectors: sectors.map(|sectors| sectors.touched),
        lines: sectors.map(|sectors| sectors.lines),
        efficiency: sectors.map(|sectors| sectors.efficiency),
        title,
        cost: banks.map(bank_cost).or_else(|| sectors.map(sector_cost)),
        facts: banks.map(bank_facts).or_else(|| sectors.map(sector_facts)).unwrap_or_default(),
        touched: if sectors.is_some() { touched_lines(machine, request) } else { Vec::new() },
    }
}

fn plural(count: u64, one: &str) -> String {
    let ending = match (count, one) {
        (1, _) => "",
        (_, "pass") => "es",
        _ => "s",
    };
    format!("{} {one}{ending}", words::grouped(count))
}

fn bank_cost(banks: &Banks) -> String {
    let conflict = match banks.conflict {
        0 | 1 => "no bank conflict".to_owned(),
        words => format!("{words} words in one bank"),
    };
    format!("{}, {conflict}", plural(banks.wavefronts.into(), "pass"))
}

fn bank_facts(banks: &Banks) -> Vec<Fact> {
    let conflict = match banks.conflict {
        0 | 1 => "none".to_owned(),
        words => format!("{words}-way"),
    };
    vec![
        Fact { name: "Wavefronts", value: banks.wavefronts.to_string(), bad: false },
        Fact { name: "Bank conflicts", value: conflict, bad: banks.conflict > 1 },
    ]
}

fn sector_cost(sectors: &Sectors) -> String {
    let ideal = match sectors.ideal {
        ideal if sectors.touched > ideal => format!("{ideal} would be enough"),
        _ => "as few as possible".to_owned(),
    };
    format!("{} of 32 bytes, {ideal}", plural(sectors.touched, "sector"))
}

fn sector_facts(sectors: &Sectors) -> Vec<Fact> {
    let efficiency = format!("{:.0} %", sectors.efficiency * 100.0);
    vec![
        Fact { name: "Sectors", value: format!("{} ({} would be enough)", sectors.touched, sectors.ideal), bad: false },
        Fact { name: "128-byte lines", value: sectors.lines.to_string(), bad: false },
        Fact { name: "Efficiency", value: efficiency, bad: sectors.efficiency < 0.5 },
    ]
}

/// The bytes of a sector that are touched, and the lanes that touch it.
type SectorMarks = ([bool; SECTOR as usize], LaneMask);

/// The lines that a request touches, each with its sectors.
fn touched_lines(machine: &Machine, request: &Transaction) -> Vec<TouchedLine> {
    let mut lines: BTreeMap<u64, (Option<String>, [SectorMarks; SECTORS])> = BTreeMap::new();
    for access in request.accesses.iter().flatten() {
        let end = access.address.saturating_add(access.bytes.into());
        for byte in access.address..end {
            let base = byte - byte % LINE;
            if lines.len() == MAX_LINES && !lines.contains_key(&base) {
                continue;
            }
            let (_, sectors) = lines.entry(base).or_insert_with(|| {
                (inspect::name_of_access(machine, access), [([false; SECTOR as usize], 0); SECTORS])
            });
            let (bytes, mask) = &mut sectors[((byte - base) / SECTOR) as usize];
            bytes[(byte % SECTOR) as usize] = true;
            *mask |= 1 << access.lane;
        }
    }
    let sector = |(bytes, lanes): &SectorMarks| {
        let mut ranges: Vec<[u64; 2]> = Vec::new();
        for at in (0..SECTOR).filter(|at| bytes[*at as usize]) {
            match ranges.last_mut() {
                Some(last) if last[1] == at => last[1] += 1,
                _ => ranges.push([at, at + 1]),
            }
        }
        TouchedSector { bytes: ranges, lanes: *lanes }
    };
    let line = |(address, (name, sectors)): (u64, (Option<String>, [_; 4]))| TouchedLine {
        address: format!("{address:x}"),
        name,
        sectors: sectors.iter().map(sector).collect(),
    };
    lines.into_iter().map(line).collect()
}
