//! Breakpoints and filters in a form that a search can test millions of times.

use super::filters::FindingFilter;
use super::memory::{DataSpace, space};
use super::places::address;
use ptx_interp::findings::{Fault, InstructionSite};
use ptx_interp::lanes::LaneMask;
use ptx_interp::machine::{AccessKind, GridShape, MemoryAccess, WarpId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// The kind of a breakpoint, by the name that the protocol uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakpointKind {
    /// At a source line.
    Line,
    /// At the beginning of a function.
    Function,
    /// At an instruction.
    Instruction,
}

impl BreakpointKind {
    /// The reason of a stop, as the protocol names it.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Line => "breakpoint",
            Self::Function => "function breakpoint",
            Self::Instruction => "instruction breakpoint",
        }
    }
}

/// The hit numbers at which a breakpoint stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hits {
    /// From this hit number on.
    AtLeast(u64),
    /// At this hit number only.
    Exactly(u64),
    /// Up to this hit number.
    AtMost(u64),
    /// At every n-th hit.
    Every(u64),
}

impl Hits {
    /// Parses `5`, `==5`, `>5`, `>=5`, `<5`, `<=5` or `%5`.
    ///
    /// # Errors A message, if the text has another form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let operator = text[..text.len() - digits.len()].trim();
        let words = || format!("`{text}` is not a number of hits: write `5`, `>5`, `>=5`, `<5`, `<=5` or `%5`");
        let number: u64 = digits.parse().map_err(|_| words())?;
        match operator {
            "" | "=" | "==" => Ok(Self::Exactly(number)),
            ">" => Ok(Self::AtLeast(number.saturating_add(1))),
            ">=" => Ok(Self::AtLeast(number)),
            "<" => Ok(Self::AtMost(number.saturating_sub(1))),
            "<=" => Ok(Self::AtMost(number)),
            "%" if number > 0 => Ok(Self::Every(number)),
            _ => Err(words()),
        }
    }

    /// Whether the breakpoint stops at hit number `hit`, counted from 1.
    pub fn holds(self, hit: u64) -> bool {
        match self {
            Self::AtLeast(n) => hit >= n,
            Self::Exactly(n) => hit == n,
            Self::AtMost(n) => hit <= n,
            Self::Every(n) => hit.is_multiple_of(n),
        }
    }
}

/// The condition under which a breakpoint stops.
#[derive(Debug, Clone, Default)]
pub struct StopCondition {
    /// The expression that must be true in an active lane.
    pub condition: Option<Condition>,
    /// The hit numbers at which it stops.
    pub hits: Option<Hits>,
}

/// A parsed expression used as a condition.
pub use super::expressions::DebugExpression as Condition;

/// A breakpoint at instructions.
#[derive(Debug, Clone)]
pub struct Point {
    /// Its number, as the client knows it.
    pub id: i64,
    /// Its kind.
    pub kind: BreakpointKind,
    /// The instructions at which it stops.
    pub sites: Vec<InstructionSite>,
    /// The condition under which it stops.
    pub when: StopCondition,
    /// The message to print instead of stopping.
    pub log: Option<Arc<super::expressions::Template>>,
}

/// Data that a data breakpoint watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DataWatch {
    /// A register of a warp, in a set of lanes.
    Register {
        /// Number of the CTA.
        cta: u64,
        /// Index of the warp in its CTA.
        warp: u32,
        /// Index of the function.
        function: u32,
        /// Index of the register among those of the function.
        slot: u32,
        /// The lanes.
        lanes: LaneMask,
    },
    /// Bytes of memory.
    Memory {
        /// The memory that contains them.
        space: DataSpace,
        /// Offset of the first byte.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
    },
}

/// A breakpoint on data.
#[derive(Debug, Clone)]
pub struct Watch {
    /// Its number, as the client knows it.
    pub id: i64,
    /// The watched data.
    pub watched: DataWatch,
    /// The name of the data for the user.
    pub name: String,
    /// True if reads stop.
    pub reads: bool,
    /// True if writes stop.
    pub writes: bool,
    /// The condition under which it stops.
    pub when: StopCondition,
}

impl Watch {
    /// Whether an access of a warp touches the watched bytes.
    pub fn touches(&self, access: &MemoryAccess, target: WarpId, shape: &GridShape) -> bool {
        let DataWatch::Memory { space: watched, offset, bytes } = self.watched else { return false };
        let kind = match access.kind {
            AccessKind::Load => self.reads,
            AccessKind::Store => self.writes,
            AccessKind::Update => true,
        };
        let end = access.offset.saturating_add(access.bytes.into());
        kind && access.offset < offset.saturating_add(bytes)
            && offset < end
            && space(access.region, target, access.lane.into(), shape) == Some(watched)
    }
}

/// All breakpoints and filters that stop a run.
#[derive(Debug, Clone, Default)]
pub struct Stops {
    /// Breakpoints at instructions.
    pub points: Vec<Arc<Point>>,
    /// Breakpoints on data.
    pub watches: Vec<Arc<Watch>>,
    /// Enabled exception filters, each with an optional condition.
    pub filters: Vec<(&'static FindingFilter, Option<Condition>)>,
    /// Indices into `points`, by instruction.
    by_site: HashMap<InstructionSite, Vec<usize>>,
}

impl Stops {
    /// Collects all of them and indexes the points by instruction.
    pub fn new(
        points: Vec<Arc<Point>>,
        watches: Vec<Arc<Watch>>,
        filters: Vec<(&'static FindingFilter, Option<Condition>)>,
    ) -> Self {
        let mut by_site: HashMap<InstructionSite, Vec<usize>> = HashMap::new();
        for (index, point) in points.iter().enumerate() {
            for site in &point.sites {
                by_site.entry(*site).or_default().push(index);
            }
        }
        Self { points, watches, filters, by_site }
    }

    /// Whether an instruction has a breakpoint.
    pub fn is_at(&self, site: InstructionSite) -> bool {
        self.by_site.contains_key(&site)
    }

    /// The breakpoints at an instruction.
    pub fn at(&self, site: InstructionSite) -> impl Iterator<Item = &Arc<Point>> {
        self.by_site.get(&site).into_iter().flatten().filter_map(|i| self.points.get(*i))
    }

    /// The condition of the enabled filter that covers a finding: `None` if no filter stops at it, `Some(None)` if it
    /// always stops.
    pub fn filter(&self, fault: &Fault) -> Option<Option<&Condition>> {
        let found = self.filters.iter().find(|(f, _)| f.kinds.contains(&fault.kind));
        found.map(|(_, condition)| condition.as_ref())
    }
}

/// The address of an instruction as text for the client.
pub fn reference(site: InstructionSite) -> String {
    format!("{:#x}", address(site))
}

#[cfg(test)]
mod tests {
    use super::Hits;

    #[test]
    fn numbers_of_hits() {
        let stops = |text: &str| -> Vec<u64> {
            let hits = Hits::parse(text).unwrap();
            (1..=6).filter(|n| hits.holds(*n)).collect()
        };
        assert_eq!(stops("3"), [3]);
        assert_eq!(stops(" == 3"), [3]);
        assert_eq!(stops(">4"), [5, 6]);
        assert_eq!(stops(">=4"), [4, 5, 6]);
        assert_eq!(stops("< 3"), [1, 2]);
        assert_eq!(stops("<=3"), [1, 2, 3]);
        assert_eq!(stops("%2"), [2, 4, 6]);
        for wrong in ["", "x", "%0", "!3", "3x", "99999999999999999999999"] {
            assert!(Hits::parse(wrong).is_err(), "{wrong}");
        }
    }
}
