//! Ranges of memory.

use crate::reading::element_text;
use ptx_interp::inspect::{self, Area, Marks};
use ptx_interp::machine::{AccessKind, Machine, MemoryAccess, WarpId};
use ptx_interp::memory::Region;
use ptx_launch::report::hex;
use ptx_num::notation::{ElementFormat, ElementKind};
use serde::Serialize;

/// A range of memory to show.
#[derive(Debug, Clone)]
pub struct MemoryQuery {
    /// Start of the range.
    pub place: MemoryStart,
    /// The lane whose view is shown: local memory belongs to a lane.
    pub lane: u32,
    /// Number of bytes.
    pub length: u64,
    /// The format of the values whose texts are wanted.
    pub element: Option<ElementFormat>,
}

/// The start of a range of memory.
#[derive(Debug, Clone)]
pub enum MemoryStart {
    /// At a generic address.
    Address(u64),
    /// At an offset in bytes from the beginning of a buffer, a variable or a parameter.
    Named(String, u64),
    /// At an offset of a state space.
    Space(String, u64),
}

/// A range of memory, or the reason why there is none to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum MemoryPiece {
    /// Its contents.
    Block(MemoryBlock),
    /// There is no such memory at this step.
    Missing {
        /// A sentence for users.
        error: String,
    },
}

/// The contents of a range of memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryBlock {
    /// The name of what lies there, if it has one.
    pub name: Option<String>,
    /// The state space.
    pub space: &'static str,
    /// The generic address in hexadecimal digits.
    pub address: String,
    /// The offset of the first byte in the state space, or from the beginning of what was named.
    pub offset: u64,
    /// The bytes in hexadecimal digits.
    pub bytes: String,
    /// The ranges of written bytes; the ends are exclusive.
    pub known: Vec<[usize; 2]>,
    /// Whether any byte has a value that the manual leaves open.
    pub unspecified: bool,
    /// Whether any byte is part of an approximation.
    pub approximate: bool,
    /// If texts are asked for: the values, each of `size` bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texts: Option<MemoryTexts>,
    /// The ranges of bytes that the step before has read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<[u64; 2]>,
    /// The ranges of bytes that the step before has written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<[u64; 2]>,
}

/// Bytes of memory as values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryTexts {
    /// The format of the values: `f32`.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Number of bytes of a value.
    pub size: usize,
    /// The values; `null` where not all bytes were written.
    pub values: Vec<Option<String>>,
}

/// Returns the contents of a range of memory. `accesses` are those of the step before.
pub fn piece(machine: &Machine, target: WarpId, query: &MemoryQuery, accesses: &[MemoryAccess]) -> MemoryPiece {
    let place = match &query.place {
        MemoryStart::Address(address) => inspect::MemoryPlace::Address(*address),
        MemoryStart::Named(name, offset) => inspect::MemoryPlace::Named(name, *offset),
        MemoryStart::Space(name, offset) => match Area::named(name) {
            Some(area) => inspect::MemoryPlace::Offset(area, *offset),
            None => {
                let error = format!("`{name}` is not a state space; there are global, shared, local, const and param");
                return MemoryPiece::Missing { error };
            }
        },
    };
    let length = usize::try_from(query.length).unwrap_or(usize::MAX);
    let peek = match inspect::peek(machine, target, Some(query.lane as usize), place, length) {
        Ok(peek) => peek,
        Err(error) => return MemoryPiece::Missing { error },
    };
    let touched = |kinds: &[AccessKind]| {
        // Lanes have local memory of their own at the same addresses.
        let is_seen = |access: &&MemoryAccess| access.region != Region::Local || u32::from(access.lane) == query.lane;
        let own = accesses.iter().filter(|access| kinds.contains(&access.kind)).filter(is_seen);
        ranges(own.map(|access| (access.address, u64::from(access.bytes))), peek.address, peek.bytes.len() as u64)
    };
    MemoryPiece::Block(MemoryBlock {
        space: peek.space(),
        address: format!("{:x}", peek.address),
        offset: peek.offset,
        bytes: hex(&peek.bytes),
        known: peek.known.iter().map(|range| [range.start, range.end]).collect(),
        unspecified: peek.marks.contains(Marks::UNSPECIFIED),
        approximate: peek.marks.contains(Marks::APPROXIMATE),
        texts: query.element.map(|element| texts(element, &peek)),
        read: touched(&[AccessKind::Load, AccessKind::Update]),
        written: touched(&[AccessKind::Store, AccessKind::Update]),
        name: peek.name,
    })
}

fn texts(element: ElementFormat, peek: &inspect::Peek) -> MemoryTexts {
    let size = (element.bits() as usize / 8).max(1);
    let is_known = |from: usize| peek.known.iter().any(|range| range.start <= from && from + size <= range.end);
    let value = |index: u64| {
        let bits = element.get(&peek.bytes, index)?;
        is_known(index as usize * element.bits() as usize / 8).then(|| match element.kind() {
            ElementKind::Bits => element_text(element.name(), bits),
            _ => element.text(bits),
        })
    };
    let count = element.count(peek.bytes.len() as u64);
    MemoryTexts { ty: element.name(), size, values: (0..count).map(value).collect() }
}

/// The bytes of a block that accesses touch, as ranges relative to its beginning.
fn ranges(accesses: impl Iterator<Item = (u64, u64)>, start: u64, length: u64) -> Vec<[u64; 2]> {
    let within = |(address, bytes): (u64, u64)| {
        let from = address.max(start);
        let to = address.saturating_add(bytes).min(start.saturating_add(length));
        (from < to).then(|| [from - start, to - start])
    };
    let mut all: Vec<[u64; 2]> = accesses.filter_map(within).collect();
    all.sort_unstable();
    let mut merged: Vec<[u64; 2]> = Vec::new();
    for [from, to] in all {
        match merged.last_mut() {
            Some(last) if from <= last[1] => last[1] = last[1].max(to),
            _ => merged.push([from, to]),
        }
    }
    merged
}
