//! Ranges of memory.

use crate::report::hex;
use ptx_interp::inspect::{self, Area, Marks};
use ptx_interp::machine::{Machine, WarpId};
use serde_json::{Value, json};

/// A range of memory to show.
#[derive(Debug, Clone)]
pub struct MemoryQuery {
    /// Start of the range.
    pub place: MemoryStart,
    /// The lane whose view is shown: local memory belongs to a lane.
    pub lane: u32,
    /// Number of bytes.
    pub length: u64,
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

/// Returns the contents of a range of memory, or the reason why they cannot be shown.
pub fn piece(machine: &Machine, target: WarpId, asked: &MemoryQuery) -> Value {
    let place = match &asked.place {
        MemoryStart::Address(address) => inspect::MemoryPlace::Address(*address),
        MemoryStart::Named(name, offset) => inspect::MemoryPlace::Named(name, *offset),
        MemoryStart::Space(name, offset) => match Area::named(name) {
            Some(area) => inspect::MemoryPlace::Offset(area, *offset),
            None => {
                let words = format!("`{name}` is no state space; there are global, shared, local, const and param");
                return json!({ "error": words });
            }
        },
    };
    let length = usize::try_from(asked.length).unwrap_or(usize::MAX);
    match inspect::peek(machine, target, Some(asked.lane as usize), place, length) {
        Ok(found) => {
            let known: Vec<[usize; 2]> = found.known.iter().map(|r| [r.start, r.end]).collect();
            json!({
                "name": found.name, "space": found.space(), "address": format!("{:x}", found.address),
                "offset": found.offset, "bytes": hex(&found.bytes), "known": known,
                "unspecified": found.marks.contains(Marks::UNSPECIFIED),
                "approximate": found.marks.contains(Marks::APPROXIMATE),
            })
        }
        Err(why) => json!({ "error": why }),
    }
}
