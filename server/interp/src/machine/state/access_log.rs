//! Memory accesses of an instruction, lane by lane: recorded for views, and only while steps are recorded.

use crate::memory::Region;

/// Maximum number of accesses stored per step; the log notes whether there were more.
pub const MAX_ACCESSES: usize = 1024;

/// The effect of an access on memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// It reads the bytes.
    Load,
    /// It writes the bytes.
    Store,
    /// It reads, changes and writes the bytes, as one access.
    Update,
}

impl AccessKind {
    /// The name shown in views.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Update => "update",
        }
    }
}

/// An access of one lane to consecutive bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryAccess {
    /// The lane.
    pub lane: u8,
    /// The effect.
    pub kind: AccessKind,
    /// The memory that contains the bytes.
    pub region: Region,
    /// The generic address of the first byte.
    pub address: u64,
    /// The offset of the first byte in its state space; in global memory the address.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u32,
}

/// The accesses of the recorded steps, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct AccessLog {
    /// All accesses.
    pub(in crate::machine) all: Vec<MemoryAccess>,
    /// Index of the first access of the current step.
    pub(in crate::machine) first: usize,
    /// The current step made more accesses than are stored.
    pub(in crate::machine) more: bool,
}

impl AccessLog {
    pub(in crate::machine) fn add(&mut self, access: MemoryAccess) {
        if self.all.len() - self.first < MAX_ACCESSES {
            self.all.push(access);
        } else {
            self.more = true;
        }
    }

    /// Discards the accesses of the current step, which was not completed.
    pub(in crate::machine) fn abandon(&mut self) {
        self.all.truncate(self.first);
        self.more = false;
    }

    /// Ends the current step. Returns whether it made more accesses than are stored.
    pub(in crate::machine) fn close(&mut self) -> bool {
        self.first = self.all.len();
        std::mem::take(&mut self.more)
    }

    /// Discards all accesses.
    pub(in crate::machine) fn clear(&mut self) {
        self.all.clear();
        (self.first, self.more) = (0, false);
    }
}
