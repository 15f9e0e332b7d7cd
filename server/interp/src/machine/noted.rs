//! Memory accesses of an instruction, lane by lane: recorded for views, and only while steps are recorded.

use super::AccessLocation;
use super::context::ExecContext;
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
    pub(super) all: Vec<MemoryAccess>,
    /// Index of the first access of the current step.
    pub(super) first: usize,
    /// The current step made more accesses than are stored.
    pub(super) more: bool,
}

impl AccessLog {
    fn add(&mut self, access: MemoryAccess) {
        if self.all.len() - self.first < MAX_ACCESSES {
            self.all.push(access);
        } else {
            self.more = true;
        }
    }

    /// Discards the accesses of the current step, which was not completed.
    pub(super) fn abandon(&mut self) {
        self.all.truncate(self.first);
        self.more = false;
    }

    /// Ends the current step. Returns whether it made more accesses than are stored.
    pub(super) fn close(&mut self) -> bool {
        self.first = self.all.len();
        std::mem::take(&mut self.more)
    }

    /// Discards all accesses.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        (self.first, self.more) = (0, false);
    }
}

impl ExecContext<'_> {
    /// Records an access of a lane, if accesses are recorded.
    #[inline]
    pub(crate) fn note_access(&mut self, kind: AccessKind, location: AccessLocation, lane: usize, bytes: usize) {
        let Some(noted) = self.noted.as_deref_mut() else { return };
        let AccessLocation { address, region, offset } = location;
        noted.add(MemoryAccess {
            lane: lane as u8,
            kind,
            region,
            address,
            offset,
            bytes: bytes.min(u32::MAX as usize) as u32,
        });
    }

    /// Records a write. If the same instruction has just read the same bytes, the two become one access that updates them.
    pub(crate) fn note_change(&mut self, location: AccessLocation, lane: usize, bytes: usize) {
        let Some(noted) = self.noted.as_deref_mut() else { return };
        let own = noted.all.get_mut(noted.first..).unwrap_or_default();
        let read = own.last_mut().filter(|last| {
            (last.lane as usize, last.address, last.bytes as usize) == (lane, location.address, bytes)
                && last.kind == AccessKind::Load
        });
        match read {
            Some(access) => access.kind = AccessKind::Update,
            None => self.note_access(AccessKind::Store, location, lane, bytes),
        }
    }

    /// Records a copy as a load and stores. Of every 16 bytes only those with a bit in `mask` are stored.
    pub(crate) fn note_copy(&mut self, from: AccessLocation, to: AccessLocation, lane: usize, bytes: usize, mask: u16) {
        if self.noted.is_none() {
            return;
        }
        self.note_access(AccessKind::Load, from, lane, bytes);
        if mask == u16::MAX {
            return self.note_access(AccessKind::Store, to, lane, bytes);
        }
        let wanted = |at: &usize| mask >> (at % 16) & 1 != 0;
        let mut at = 0;
        while let Some(start) = (at..bytes).find(wanted) {
            let end = (start..bytes).find(|b| !wanted(b)).unwrap_or(bytes);
            let by = start as u64;
            let place = AccessLocation { address: to.address + by, offset: to.offset + by, ..to };
            self.note_access(AccessKind::Store, place, lane, end - start);
            at = end;
        }
    }
}
