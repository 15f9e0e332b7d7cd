//! What an instruction did to memory, lane by lane: for views, only while steps are recorded.

use super::access::AccessLocation;
use super::context::ExecContext;
use crate::memory::Region;

/// Accesses of one step that are kept at most; of a step that makes more it is said that there were more.
pub const MAX_ACCESSES: usize = 1024;

/// What is done to bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// They are read.
    Load,
    /// They are written.
    Store,
    /// They are read, changed and written as one.
    Update,
}

impl AccessKind {
    /// As views name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Update => "update",
        }
    }
}

/// An access of a lane to bytes that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryAccess {
    /// The lane that makes it.
    pub lane: u8,
    /// What it does.
    pub kind: AccessKind,
    /// What the bytes lie in.
    pub region: Region,
    /// The generic address of the first.
    pub address: u64,
    /// The offset in its state space; in global memory the address.
    pub offset: u64,
    /// How many.
    pub bytes: u32,
}

/// The accesses of the steps that are recorded, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct AccessLog {
    pub(super) all: Vec<MemoryAccess>,
    /// Where those of the step at hand begin.
    pub(super) first: usize,
    /// It made more than are kept.
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

    /// The step at hand did not happen.
    pub(super) fn abandon(&mut self) {
        self.all.truncate(self.first);
        self.more = false;
    }

    /// The step at hand is done: the next begins. Says whether it made more accesses than are kept.
    pub(super) fn close(&mut self) -> bool {
        self.first = self.all.len();
        std::mem::take(&mut self.more)
    }

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

    /// Notes that bytes are written which the same instruction has just read: one access that changes them.
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

    /// Notes a copy: what is read, and of every 16 bytes those of the mask that are written.
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
