//! Records the memory accesses of an instruction in the log.

use super::state::access_log::{AccessKind, MemoryAccess};
use super::{AccessLocation, ExecContext};

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
