//! Accesses, and why two of them race.

use crate::machine::Order;
use crate::memory::shadow::Stamp;

/// The kind of an access, and its memory ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceAccess {
    /// A read.
    Read(Order),
    /// A write.
    Write(Order),
    /// A read and a write in one atomic operation.
    Atomic(Order),
}

impl RaceAccess {
    pub(super) fn order(self) -> Order {
        match self {
            Self::Read(order) | Self::Write(order) | Self::Atomic(order) => order,
        }
    }

    pub(super) fn writes(self) -> bool {
        !matches!(self, Self::Read(_))
    }
}

/// Why two accesses race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RaceCause {
    /// Nothing orders them.
    Unordered,
    /// Both are strong, but a scope does not include the other thread.
    AccessScope,
    /// They would be ordered if every scope were wide enough.
    SyncScope,
}

/// The earlier access of a race.
#[derive(Debug, Clone, Copy)]
pub(super) struct RaceConflict {
    /// The earlier access.
    pub(super) other: Stamp,
    /// The earlier access was a write.
    pub(super) other_writes: bool,
    /// Why they race.
    pub(super) cause: RaceCause,
    /// Where the conflict is: bytes from the beginning of the later access.
    pub(super) at: usize,
}
