//! Memory accesses: where an address lies, whether the access is permitted, and reading and writing the bytes.

use super::copies;
use super::layout::{Address, AddressSpace, VariableLocation};
use super::races::RaceAccess;
use super::{AccessKind, ExecContext, Machine, Order};
use crate::findings::FaultKind;
use crate::lanes::LaneMask;
use crate::memory::{AccessLocation, ReadStatus, Region, Storage, Window};
use ptx_num::values::Marks;

/// Effort of the look for the memory of a lane, with its checks.
const LANE: usize = 1;

/// Effort of an access of a lane alone to this number of bytes.
fn moving(bytes: usize) -> usize {
    2 + bytes / 16
}

impl ExecContext<'_> {
    /// The address that a lane accesses, in the state space of the operand.
    pub fn raw_address(&self, address: &Address, lane: usize) -> u64 {
        address.sum(self.registers.lane_bits(address.base, lane) as u64)
    }

    /// The generic address that a lane accesses; `None` if it lies outside the window of its state space.
    pub fn generic_address(&self, address: &Address, lane: usize) -> Option<u64> {
        address.generic(&self.executable().map, self.raw_address(address, lane))
    }

    /// The location of an access of `bytes` bytes, aligned to `align`, by a lane. If the access is not permitted, reports a fault and
    /// returns `None`.
    pub fn locate(
        &mut self,
        address: &Address,
        lane: usize,
        bytes: usize,
        align: usize,
        write: bool,
    ) -> Option<AccessLocation> {
        let Some(generic) = self.generic_address(address, lane) else {
            let raw = self.raw_address(address, lane);
            let AddressSpace::Window(window) = address.space else { return None };
            let name = window_name(window);
            let other = self.executable().map.window(raw).map(|(w, _)| w);
            self.fault(FaultKind::OutOfBounds, 1 << lane, || match other {
                Some(w) if w == window => format!(
                    "{raw:#x} is a generic address, but a `{name}` address is expected here: convert it with `cvta.to{name}`, or leave `{name}` out"
                ),
                _ => format!("{raw:#x} is not a `{name}` address"),
            });
            return None;
        };
        let location = self.locate_generic(generic, lane, bytes, align, write)?;
        if address.space == AddressSpace::Global && location.region != Region::Global {
            let region = location.region;
            self.fault(FaultKind::OutOfBounds, 1 << lane, || {
                format!(
                    "{generic:#x} is an address in {}, but one in global memory is expected here",
                    region_name(region)
                )
            });
            return None;
        }
        if let Some(origins) = address.origins {
            super::bounds::check(self, origins, location, lane, bytes, write);
        }
        Some(location)
    }

    /// As [`locate`](Self::locate), for a generic address.
    pub fn locate_generic(
        &mut self,
        address: u64,
        lane: usize,
        bytes: usize,
        align: usize,
        write: bool,
    ) -> Option<AccessLocation> {
        let lanes: LaneMask = 1 << lane;
        self.spend(LANE);
        if align > 1 && !address.is_multiple_of(align as u64) {
            self.fault(FaultKind::Misaligned, lanes, || {
                format!(
                    "address {address:#x} is not a multiple of {align}: this access of {bytes} bytes must be aligned"
                )
            });
            return None;
        }
        let (region, offset) = self.executable().map.region(address);
        let location = AccessLocation { address, region, offset };
        if write && matches!(region, Region::Constant | Region::Parameter | Region::Code) {
            self.fault(FaultKind::ReadOnly, lanes, || format!("{} cannot be written", region_name(region)));
            return None;
        }
        if write
            && region == Region::Global
            && let Some(allocation) = self.machine.memory.global.find(address, bytes).filter(|a| a.read_only)
        {
            let (name, by) = (allocation.name.clone(), address - allocation.base);
            self.fault(FaultKind::ReadOnly, lanes, || {
                format!("writes {bytes} bytes at `{name}`+{by}, and `{name}` is read-only")
            });
            return None;
        }
        let inside = match self.storage(location, lane, bytes) {
            Some((storage, at)) => storage.contains(at, bytes),
            None => false,
        };
        if inside {
            super::peers::touch(self, location, lane, bytes, write);
            return Some(location);
        }
        let words = self.outside(location, lane, bytes, write);
        self.fault(FaultKind::OutOfBounds, lanes, || words);
        None
    }

    /// The message for an access that lies outside.
    fn outside(&mut self, location: AccessLocation, lane: usize, bytes: usize, write: bool) -> String {
        let AccessLocation { address, region, offset } = location;
        let verb = if write { "writes" } else { "reads" };
        match region {
            Region::Global => {
                let place = self.machine.memory.global.describe(address);
                format!("{verb} {bytes} bytes at {address:#x}, {place}")
            }
            Region::Shared(Some(rank)) if self.cta_of(rank).is_none() => {
                format!(
                    "{verb} shared memory of CTA {rank} of the cluster, which has only {}",
                    self.cluster().ctas.len()
                )
            }
            _ => {
                let size = self.storage(location, lane, bytes).map_or(0, |(s, _)| s.len());
                format!("{verb} {bytes} bytes at {offset:#x} of {}, which has {size:#x} bytes", region_name(region))
            }
        }
    }

    /// The storage that contains a location, and the offset in it.
    pub(crate) fn storage(
        &mut self,
        location: AccessLocation,
        lane: usize,
        bytes: usize,
    ) -> Option<(&mut Storage, u64)> {
        let at = location.offset;
        match location.region {
            Region::Global => {
                let allocation = self.machine.memory.global.find_mut(at, bytes)?;
                let at = at - allocation.base;
                Some((&mut allocation.storage, at))
            }
            Region::Shared(None) => Some((&mut self.cta().shared, at)),
            Region::Shared(Some(rank)) => Some((&mut self.cta_of(rank)?.shared, at)),
            Region::Local => Some((self.lanes.local.get_mut(lane)?, at)),
            Region::Constant => Some((&mut self.machine.memory.constant, at)),
            Region::Parameter => Some((&mut self.machine.memory.parameters, at)),
            Region::Code => None,
        }
    }

    /// Notes an access to global memory if the machine executes a part of a grid.
    #[inline]
    pub(super) fn touch(&mut self, location: AccessLocation, bytes: usize, write: bool) {
        if location.region == Region::Global
            && let Some(part) = &mut self.machine.part
        {
            part.touched.add(location.offset, bytes, write);
        }
    }

    /// Reads bytes from a location. Returns their combined marks.
    pub fn read_at(&mut self, location: AccessLocation, lane: usize, to: &mut [u8], order: Order) -> Marks {
        if !self.machine.flights.is_empty() {
            copies::meet(self, location, lane, to.len(), copies::AccessEffect::Read);
        }
        self.spend(moving(to.len()));
        self.note_access(AccessKind::Load, location, lane, to.len());
        self.touch(location, to.len(), false);
        let Some((storage, at)) = self.storage(location, lane, to.len()) else { return Marks::NONE };
        let read = storage.read(at, to);
        if read.uninitialized {
            let bytes = to.len();
            let name = self.name_of(location);
            self.fault(FaultKind::UninitializedMemory, 1 << lane, || {
                format!("reads {bytes} bytes at {name}, of which some were never written")
            });
        }
        super::peers::read(self, location, to.len());
        super::races::observe(self, location, lane, to.len(), RaceAccess::Read(order));
        read.marks
    }

    /// Writes bytes to a location.
    pub fn write_at(&mut self, location: AccessLocation, lane: usize, from: &[u8], marks: Marks, order: Order) {
        if self.stopped {
            return;
        }
        self.spend(moving(from.len()));
        self.note_access(AccessKind::Store, location, lane, from.len());
        super::races::observe_write(self, location, lane, from, order);
        self.before_write(location, lane, from.len(), copies::AccessEffect::Write);
        self.put_at(location, lane, from, marks);
        self.machine.progress += u64::from(location.region != Region::Local);
    }

    /// Changes bytes without any check but that of the memory that the run holds.
    pub(super) fn put_at(&mut self, location: AccessLocation, lane: usize, from: &[u8], marks: Marks) {
        self.touch(location, from.len(), true);
        if let Some((storage, at)) = self.storage(location, lane, from.len()) {
            storage.write(at, from, marks);
            let grown = storage.count();
            self.grow(grown, lane);
        }
    }

    /// Accounts for newly created memory; exceeding the limit of the run is a fault.
    #[inline]
    fn grow(&mut self, bytes: usize, lane: usize) {
        if bytes == 0 {
            return;
        }
        self.spend(bytes / super::effort::TAKEN_BYTES as usize);
        self.hold(bytes as u64, lane);
    }

    /// Checks, before bytes are written, whether they are part of an mbarrier or used by an operation in flight.
    #[inline]
    fn before_write(&mut self, location: AccessLocation, lane: usize, bytes: usize, kind: copies::AccessEffect) {
        if location.region == Region::Global && self.executable().engine_global {
            super::proxies::written(self, location, bytes);
        }
        if let Region::Shared(rank) = location.region {
            copies::written(self, location, bytes);
            let rank = rank.unwrap_or(self.rank as u32);
            if self.cta_of(rank).is_some_and(|c| c.mbarriers.touches(location.offset, bytes as u64)) {
                super::mbarriers::overwritten(self, location, lane, bytes);
            }
        }
        if !self.machine.flights.is_empty() {
            copies::meet(self, location, lane, bytes, kind);
        }
    }

    /// Reads the 8 bytes of an mbarrier, for an instruction on it. The checks for races and operations in flight do not see this access.
    pub(crate) fn object_at(&mut self, location: AccessLocation, lane: usize) -> u64 {
        let mut bytes = [0; 8];
        self.note_access(AccessKind::Load, location, lane, 8);
        self.touch(location, 8, false);
        if let Some((storage, at)) = self.storage(location, lane, 8) {
            storage.read(at, &mut bytes);
        }
        u64::from_le_bytes(bytes)
    }

    /// Writes the 8 bytes of an mbarrier, without those checks; `None` makes the bytes unwritten.
    pub(crate) fn put_object_at(&mut self, location: AccessLocation, lane: usize, bits: Option<u64>) {
        if self.stopped {
            return;
        }
        self.note_change(location, lane, 8);
        self.touch(location, 8, true);
        if let Some((storage, at)) = self.storage(location, lane, 8) {
            match bits {
                Some(bits) => storage.write(at, &bits.to_le_bytes(), Marks::UNSPECIFIED),
                None => storage.forget(at, 8),
            }
        }
        self.note_growth(location, lane, 8);
        self.changed();
    }

    /// Copies bytes from one location to another, with the status of each byte. Of every 16 bytes only those with a bit in `mask` are
    /// copied. Unwritten bytes remain unwritten.
    pub(crate) fn copy_at(&mut self, from: AccessLocation, to: AccessLocation, lane: usize, bytes: usize, mask: u16) {
        if self.stopped || bytes == 0 {
            return;
        }
        if !self.machine.flights.is_empty() {
            copies::meet(self, from, lane, bytes, copies::AccessEffect::Read);
        }
        self.before_write(to, lane, bytes, copies::AccessEffect::Write);
        self.spend(2 * moving(bytes));
        self.note_copy(from, to, lane, bytes, mask);
        self.touch(from, bytes, false);
        self.touch(to, bytes, true);
        // Most copies are short.
        let (mut short, mut long) = ([0; 16], Vec::new());
        let buffer = if bytes <= short.len() {
            &mut short[..bytes]
        } else {
            long.resize(bytes, 0);
            &mut long[..]
        };
        let Some((storage, at)) = self.storage(from, lane, bytes) else { return };
        let read = storage.read(at, buffer);
        super::races::observe(self, from, lane, bytes, RaceAccess::Read(Order::Weak));
        self.observe_copy(to, lane, buffer, mask);
        if mask == u16::MAX && !read.uninitialized && read.marks.is_none() {
            if let Some((storage, at)) = self.storage(to, lane, bytes) {
                storage.write(at, buffer, Marks::NONE);
            }
        } else {
            self.spend(bytes / 2);
            for (i, byte) in buffer.iter().enumerate() {
                if mask >> (i % 16) & 1 == 0 {
                    continue;
                }
                let Some((storage, at)) = self.storage(from, lane, bytes) else { return };
                let (known, marks) = (storage.known(at + i as u64), storage.read(at + i as u64, &mut [0]).marks);
                let Some((storage, at)) = self.storage(to, lane, bytes) else { return };
                if known {
                    storage.write(at + i as u64, &[*byte], marks);
                } else {
                    storage.forget(at + i as u64, 1);
                }
            }
        }
        self.note_growth(to, lane, bytes);
        self.changed();
    }

    /// Accounts for pages that a write has created.
    fn note_growth(&mut self, location: AccessLocation, lane: usize, bytes: usize) {
        let grown = self.storage(location, lane, bytes).map_or(0, |(storage, _)| storage.count());
        self.grow(grown, lane);
    }

    /// Passes the writes of a copy to the race detector: of every 16 bytes those with a bit in `mask`.
    fn observe_copy(&mut self, to: AccessLocation, lane: usize, bytes: &[u8], mask: u16) {
        if mask == u16::MAX {
            super::races::observe_write(self, to, lane, bytes, Order::Weak);
            return;
        }
        for (i, byte) in bytes.iter().enumerate().filter(|(i, _)| mask >> (i % 16) & 1 != 0) {
            let place = AccessLocation { address: to.address + i as u64, offset: to.offset + i as u64, ..to };
            super::races::observe_write(self, place, lane, &[*byte], Order::Weak);
        }
    }

    /// Reads bytes of a location to copy them, with what is known of each.
    pub(crate) fn peek_at(&mut self, location: AccessLocation, lane: usize, to: &mut [u8]) -> Option<ReadStatus> {
        if !self.machine.flights.is_empty() {
            copies::meet(self, location, lane, to.len(), copies::AccessEffect::Read);
        }
        self.spend(moving(to.len()));
        self.note_access(AccessKind::Load, location, lane, to.len());
        self.touch(location, to.len(), false);
        let (storage, at) = self.storage(location, lane, to.len())?;
        let read = storage.read(at, to);
        super::races::observe(self, location, lane, to.len(), RaceAccess::Read(Order::Weak));
        Some(read)
    }

    /// Makes bytes of a location unwritten.
    pub fn forget_at(&mut self, location: AccessLocation, lane: usize, bytes: u64) {
        self.touch(location, bytes as usize, true);
        if !self.stopped
            && let Some((storage, at)) = self.storage(location, lane, bytes as usize)
        {
            storage.forget(at, bytes);
            self.note_growth(location, lane, bytes as usize);
        }
    }

    /// Reads up to 16 bytes of a location, replaces them by `f` of their value in one atomic access, and returns the old value.
    pub fn update_at(
        &mut self,
        location: AccessLocation,
        lane: usize,
        bytes: usize,
        order: Order,
        f: impl FnOnce(u128) -> u128,
    ) -> u128 {
        let bytes = bytes.min(16);
        let mut old = [0; 16];
        self.spend(moving(bytes));
        self.note_access(AccessKind::Update, location, lane, bytes);
        self.touch(location, bytes, true);
        self.before_write(location, lane, bytes, copies::AccessEffect::Atomic);
        let Some((storage, at)) = self.storage(location, lane, bytes) else { return 0 };
        let read = storage.read(at, &mut old[..bytes]);
        let old = u128::from_le_bytes(old);
        let new = f(old);
        if !self.stopped
            && let Some((storage, at)) = self.storage(location, lane, bytes)
        {
            storage.write(at, &new.to_le_bytes()[..bytes], read.marks);
            let grown = storage.count();
            self.grow(grown, lane);
        }
        if read.uninitialized {
            let name = self.name_of(location);
            self.fault(FaultKind::UninitializedMemory, 1 << lane, || {
                format!("changes {bytes} bytes at {name} that were never written")
            });
        }
        self.mark(lane, read.marks);
        self.changed();
        super::races::observe(self, location, lane, bytes, RaceAccess::Atomic(order));
        old
    }

    /// Marks up to 16 bytes of a location. With `keep`, they also keep their old marks.
    pub fn mark_at(&mut self, location: AccessLocation, lane: usize, bytes: usize, marks: Marks, keep: bool) {
        let mut there = [0; 16];
        let Some(there) = there.get_mut(..bytes) else { return };
        self.touch(location, bytes, true);
        if !self.stopped
            && let Some((storage, at)) = self.storage(location, lane, bytes)
        {
            let read = storage.read(at, there);
            storage.write(at, there, if keep { read.marks | marks } else { marks });
        }
    }

    /// Reads the bytes at the address of a lane and returns their combined marks; `None` if the access is a fault.
    pub fn load(&mut self, address: &Address, lane: usize, to: &mut [u8], order: Order) -> Option<Marks> {
        let at = self.locate(address, lane, to.len(), to.len(), false)?;
        Some(self.read_at(at, lane, to, order))
    }

    /// Writes bytes to the address of a lane; `None` if the access is a fault.
    pub fn store(&mut self, address: &Address, lane: usize, from: &[u8], marks: Marks, order: Order) -> Option<()> {
        let at = self.locate(address, lane, from.len(), from.len(), true)?;
        self.write_at(at, lane, from, marks, order);
        Some(())
    }

    /// A location as text: `x+12`, `shared 0x40`.
    pub fn name_of(&self, location: AccessLocation) -> String {
        let AccessLocation { address, region, offset } = location;
        match self.machine.named(region, offset) {
            Some((name, by)) => format!("`{name}`+{by}"),
            None if region == Region::Global => format!("{address:#x}"),
            None => format!("{offset:#x} of {}", region_name(region)),
        }
    }
}

impl Machine {
    /// The name of the variable, buffer or parameter at an offset of a region, and the distance in bytes from its beginning.
    pub(crate) fn named(&self, region: Region, offset: u64) -> Option<(&str, u64)> {
        let window = match region {
            Region::Global => {
                let found = self.memory.global.find(offset, 1)?;
                return Some((&found.name, offset - found.base));
            }
            Region::Parameter => {
                let callable = self.executable.program.functions.get(self.executable.entry as usize)?;
                let mut all = callable.parameters.iter().zip(&self.executable.parameters);
                let inside =
                    |(at, bytes): (u32, u32)| (u64::from(at)..u64::from(at) + u64::from(bytes)).contains(&offset);
                let (parameter, (at, _)) = all.find(|(_, place)| inside(**place))?;
                return Some((&parameter.name, offset - u64::from(*at)));
            }
            Region::Shared(_) => Window::Shared,
            Region::Local => Window::Local,
            Region::Constant => Window::Constant,
            Region::Code => Window::Code,
        };
        // Dynamic shared memory has the size 0 here: it extends to the end.
        let end = |l: &VariableLocation| if l.bytes == 0 { u64::MAX } else { l.address.saturating_add(l.bytes) };
        let inside = |l: &VariableLocation| l.window == Some(window) && (l.address..end(l)).contains(&offset);
        let variables = self.executable.variables.iter();
        let (key, located) = variables.filter(|(_, l)| inside(l)).max_by_key(|(name, l)| (l.address, *name))?;
        Some((self.executable.variable_name(key), offset - located.address))
    }
}

fn window_name(window: Window) -> &'static str {
    match window {
        Window::Shared => ".shared",
        Window::Local => ".local",
        Window::Constant => ".const",
        Window::Parameter => ".param",
        Window::Code => "code",
    }
}

pub(crate) fn region_name(region: Region) -> &'static str {
    match region {
        Region::Global => "global memory",
        Region::Shared(_) => "shared memory",
        Region::Local => "local memory",
        Region::Constant => "constant memory",
        Region::Parameter => "the parameters of the kernel",
        Region::Code => "code",
    }
}
