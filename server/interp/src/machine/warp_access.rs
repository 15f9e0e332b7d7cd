//! Accesses of all lanes of a warp at once: one look for the memory, one check of bounds and alignment, one pass over the bytes.
//!
//! An access that needs more than that is left to the functions for one lane ([`super::access`]), before anything has changed: one outside of
//! the memory or in several memories, one that reads unwritten bytes, and one that meets an operation in flight. A lane whose access races
//! is passed to the function for one lane alone. So findings come from there only, in the order of the lanes.

use super::layout::{Address, AddressSpace};
use super::races::{self, LaneUpdate, RaceAccess};
use super::warp_location::WarpAccess;
use super::{AccessKind, ExecContext, Order, copies, proxies};
use crate::lanes::{LANES, LaneMask, lanes};
use crate::memory::{
    AddressRow, LaneBytes, LaneOffsets, LanePattern, MAX_LANE_BYTES, Region, SHARED_STRIDE, STACK_PARAMETERS,
};
use crate::registers::{RegisterLocation, WarpRegisters};
use crate::simd::LaneMarks;

/// Effort of a lane whose access is looked at alone.
const LONE_LANE: usize = 3;

impl ExecContext<'_> {
    /// Finds the access of the lanes of a mask to `bytes` bytes each at their addresses. Returns false if it must be made lane by lane.
    fn warp_access(
        &mut self,
        address: &Address,
        mask: LaneMask,
        bytes: usize,
        write: bool,
        access: &mut WarpAccess,
    ) -> bool {
        self.find_warp_access(address, mask, bytes, write, access).is_some()
    }

    #[inline]
    fn find_warp_access(
        &mut self,
        address: &Address,
        mask: LaneMask,
        bytes: usize,
        write: bool,
        access: &mut WarpAccess,
    ) -> Option<()> {
        if !bytes.is_power_of_two() || bytes > MAX_LANE_BYTES || mask == 0 || self.machine.lane_by_lane() {
            return None;
        }
        let first = mask.trailing_zeros() as usize % LANES;
        let (values, value) = match address.base.width {
            8 => {
                let values = self.registers.array::<u64>(address.base)?;
                (AddressRow::Long(values), values[first])
            }
            // The sum of the register and the offset of the address has 32 bits. If it wraps in some lanes, their offsets do not fit.
            4 => {
                let values = self.registers.array::<u32>(address.base)?;
                (AddressRow::Short(values), values[first].into())
            }
            _ => return None,
        };
        let raw = address.sum(value);
        let map = &self.machine.executable.map;
        let generic = address.generic(map, raw)?;
        let (region, offset) = map.region(generic);
        if address.space == AddressSpace::Global && region != Region::Global {
            return None;
        }
        let (len, at, allocation) = match region {
            Region::Global => {
                let (index, allocation) = self.machine.memory.global.locate(offset, bytes)?;
                if write && allocation.read_only {
                    return None;
                }
                (allocation.storage.len(), offset - allocation.base, index)
            }
            Region::Shared(None) => {
                let shared = &self.machine.clusters.get(self.cluster)?.ctas.get(self.rank)?.shared;
                (shared.len().min(SHARED_STRIDE), offset, 0)
            }
            Region::Local => (super::LOCAL_BYTES, offset, 0),
            Region::Constant if !write => (self.machine.memory.constant.len(), offset, 0),
            Region::Parameter if !write => (self.machine.memory.parameters.len().min(STACK_PARAMETERS), offset, 0),
            _ => return None,
        };
        let base = generic.wrapping_sub(at);
        if len > u64::from(u32::MAX) || !base.is_multiple_of(bytes as u64) {
            return None;
        }
        // The storage is contiguous in the address space, so that an offset inside of it is one of the same storage.
        let distance = at.wrapping_sub(raw).wrapping_add(address.offset as u64);
        (access.region, access.base, access.allocation) = (region, base, allocation);
        if !access.offsets.set(mask, bytes, at as u32, values, distance)
            || u64::from(access.offsets.high) + bytes as u64 > len
        {
            return None;
        }
        (self.fits_origins(address, access) && self.meets_nothing(access, write)).then_some(())
    }

    /// Whether all bytes lie in one of the variables and buffers from which the address comes.
    #[inline]
    fn fits_origins(&self, address: &Address, access: &WarpAccess) -> bool {
        let bounds = address.origins.and_then(|origins| self.machine.bounds.get(origins as usize));
        let ranges = match (bounds, access.region) {
            (Some(bounds), Region::Global) => &bounds.global,
            (Some(bounds), Region::Shared(_)) => &bounds.shared,
            _ => return true,
        };
        let start = access.start();
        let end = start + access.offsets.span() as u64;
        ranges.is_empty() || ranges.iter().any(|range| range.start <= start && end <= range.end)
    }

    /// Whether the bytes belong to no operation in flight and no mbarrier, and no CTA but this one uses its shared memory.
    #[inline]
    fn meets_nothing(&mut self, access: &WarpAccess, write: bool) -> bool {
        let (start, span) = (access.start(), access.offsets.span());
        let shared = matches!(access.region, Region::Shared(_));
        if shared {
            let cta = self.cta();
            if write && cta.mbarriers.touches(start, span as u64) || !write && !cta.peers.is_empty() {
                return false;
            }
        }
        self.machine.flights.is_empty() || self.meets_no_flight(access, write)
    }

    #[inline(never)]
    fn meets_no_flight(&mut self, access: &WarpAccess, write: bool) -> bool {
        let (start, span) = (access.start(), access.offsets.span());
        let scattered = matches!(access.region, Region::Shared(_)) && span > 4 * LANES * access.offsets.bytes;
        if !scattered {
            return copies::is_quiet(self, access.region, start, span as u64, write);
        }
        let bytes = access.offsets.bytes as u64;
        lanes(access.offsets.mask)
            .all(|lane| copies::is_quiet(self, access.region, access.offsets.at[lane].into(), bytes, write))
    }

    /// Notes the bytes of all lanes if they are in global memory and the machine executes a part of a grid.
    #[inline]
    fn touch_lanes(&mut self, access: &WarpAccess, write: bool) {
        if access.region == Region::Global && self.machine.part.is_some() {
            self.touch_each(access, write);
        }
    }

    #[inline(never)]
    fn touch_each(&mut self, access: &WarpAccess, write: bool) {
        if let Some(part) = &mut self.machine.part {
            if access.offsets.pattern == LanePattern::Scattered {
                for lane in lanes(access.offsets.mask) {
                    part.touched.add(access.location(lane).offset, access.offsets.bytes, write);
                }
            } else {
                part.touched.add(access.start(), access.offsets.span(), write);
            }
        }
    }

    /// Notes the effort of an access of the lanes of a mask: that of moving a row of words is in the step.
    #[inline]
    fn spend_lanes(&mut self, access: &WarpAccess, mask: LaneMask) {
        let LaneOffsets { bytes, pattern, .. } = access.offsets;
        self.spend(match pattern {
            LanePattern::Scattered if access.region == Region::Global => {
                mask.count_ones() as usize * usize::from(self.machine.lone_access)
            }
            LanePattern::Scattered => mask.count_ones() as usize,
            LanePattern::Contiguous => bytes / 4,
            LanePattern::Uniform => 0,
        });
    }

    #[inline]
    fn note_lanes(&mut self, kind: AccessKind, access: &WarpAccess, mask: LaneMask) {
        if self.noted.is_some() {
            for lane in lanes(mask) {
                self.note_access(kind, access.location(lane), lane, access.offsets.bytes);
            }
        }
    }

    /// Finds the access of a load of the lanes of a mask. Returns false if it must be made lane by lane.
    #[inline]
    pub(crate) fn load_access(
        &mut self,
        address: &Address,
        mask: LaneMask,
        bytes: usize,
        order: Order,
        access: &mut WarpAccess,
    ) -> bool {
        races::orders_nothing(self, order) && self.warp_access(address, mask, bytes, false, access)
    }

    /// Reads the bytes of the lanes of an access, and returns their marks. `None` if it must be made lane by lane. `fixed`: no thread of the
    /// kernel may write them.
    pub(crate) fn load_lanes(
        &mut self,
        access: &WarpAccess,
        order: Order,
        fixed: bool,
        to: &mut LaneBytes,
    ) -> Option<LaneMarks> {
        let place = (self.cluster, self.rank);
        let marks = match access.region {
            Region::Local => self.load_local(access, to)?,
            _ => access.storage(self.machine, place)?.gather(&access.offsets, to)?,
        };
        self.note_load(access, order, fixed);
        Some(marks)
    }

    /// Reads the bytes of all lanes into a register with lanes of this size, if they follow each other or are the same, and have no marks.
    /// Returns whether it has done so.
    #[inline]
    pub(crate) fn load_row(&mut self, access: &WarpAccess, order: Order, fixed: bool, to: RegisterLocation) -> bool {
        let LaneOffsets { mask, bytes, low, pattern, .. } = access.offsets;
        if pattern == LanePattern::Scattered || mask != LaneMask::MAX || usize::from(to.width) != bytes {
            return false;
        }
        let (place, to) = ((self.cluster, self.rank), self.registers.bytes_mut(to));
        let Some(storage) = access.storage(self.machine, place) else { return false };
        let done = match pattern {
            LanePattern::Contiguous => !to.is_empty() && storage.read_exact(low.into(), to),
            _ => match bytes {
                1 => storage.read_for_all::<1>(low, to),
                2 => storage.read_for_all::<2>(low, to),
                4 => storage.read_for_all::<4>(low, to),
                8 => storage.read_for_all::<8>(low, to),
                _ => false,
            },
        };
        if done {
            self.note_load(access, order, fixed);
        }
        done
    }

    /// Notes that the lanes of an access have read their bytes.
    #[inline]
    fn note_load(&mut self, access: &WarpAccess, order: Order, fixed: bool) {
        self.spend_lanes(access, access.offsets.mask);
        self.note_lanes(AccessKind::Load, access, access.offsets.mask);
        self.touch_lanes(access, false);
        if races::watches(self, access.region) {
            self.observe_load(access, order, fixed);
        }
    }

    #[inline(never)]
    fn observe_load(&mut self, access: &WarpAccess, order: Order, fixed: bool) {
        let (mut left, bytes) = (access.offsets.mask, access.offsets.bytes);
        while left != 0 {
            left = races::observe_reads(self, access, left, order, fixed);
            if left != 0 {
                let lane = left.trailing_zeros() as usize;
                self.spend(LONE_LANE);
                let location = access.location(lane);
                if fixed {
                    races::read_fixed(self, location, lane, bytes);
                }
                races::observe(self, location, lane, bytes, RaceAccess::Read(order));
                left &= left - 1;
            }
        }
    }

    fn load_local(&mut self, access: &WarpAccess, to: &mut LaneBytes) -> Option<LaneMarks> {
        let (mut marks, bytes) = (LaneMarks::default(), access.offsets.bytes);
        for lane in lanes(access.offsets.mask) {
            let storage = self.lanes.local.get(lane)?;
            let read = storage.read(access.offsets.at[lane].into(), &mut to[lane * bytes..][..bytes]);
            if read.uninitialized {
                return None;
            }
            marks.add(lane, read.marks);
        }
        Some(marks)
    }

    /// Writes the bytes of all active lanes. Returns whether it has done so; otherwise it must be made lane by lane.
    /// `from`: the bytes of all lanes, lane after lane.
    pub(crate) fn store_lanes(&mut self, address: &Address, bytes: usize, order: Order, from: &[u8]) -> bool {
        let mut access = WarpAccess::default();
        if !races::orders_nothing(self, order)
            || from.len() < LANES * bytes
            || !self.warp_access(address, self.mask, bytes, true, &mut access)
        {
            return false;
        }
        if access.region == Region::Local {
            return self.store_local(&access, from);
        }
        let place = (self.cluster, self.rank);
        let Some(storage) = access.storage(self.machine, place) else { return false };
        // A new page may be one too many. Accesses of later lanes must not be recorded then.
        if !storage.is_counted() || self.noted.is_some() && !storage.is_made_for(&access.offsets, self.mask) {
            return false;
        }
        self.spend_lanes(&access, self.mask);
        self.note_lanes(AccessKind::Store, &access, self.mask);
        self.touch_lanes(&access, true);
        self.note_generic_writes(&access, self.mask);
        self.machine.progress += u64::from(self.mask.count_ones());
        let row = access.offsets.pattern == LanePattern::Contiguous && self.sources == LaneMarks::default();
        if row
            && !races::watches(self, access.region)
            && let Some(storage) = access.storage(self.machine, place)
            && storage.write_exact(access.offsets.low.into(), &from[..LANES * bytes])
        {
            return true;
        }
        self.write_lanes(&access, self.mask, order, from);
        true
    }

    /// Records writes of the lanes of a mask for the copy engine, which may not see them.
    #[inline]
    fn note_generic_writes(&mut self, access: &WarpAccess, mask: LaneMask) {
        let (engine, engine_global) = (self.executable().engine, self.executable().engine_global);
        if !engine && !engine_global {
            return;
        }
        for lane in lanes(mask) {
            match access.region {
                Region::Global if engine_global => proxies::written(self, access.location(lane), access.offsets.bytes),
                Region::Shared(_) if engine => copies::written(self, access.location(lane), access.offsets.bytes),
                _ => break,
            }
        }
    }

    /// The location of an atomic operation of all active lanes on global or shared memory; `None` if it must be executed lane by lane.
    pub(crate) fn update_access(&mut self, address: &Address, bytes: usize) -> Option<WarpAccess> {
        if self.sources != LaneMarks::default() {
            return None;
        }
        let mut access = WarpAccess::default();
        if !self.warp_access(address, self.mask, bytes, true, &mut access) {
            return None;
        }
        matches!(access.region, Region::Global | Region::Shared(_)).then_some(access)
    }

    /// Executes an atomic operation of the lanes `left`, one lane after the other. `f` computes the new value of a lane from the old one, and
    /// stores the old one; it may return `None` before it does so. Returns the lanes that are left: the first of them must be executed alone.
    pub(crate) fn update_lanes(
        &mut self,
        access: &WarpAccess,
        left: LaneMask,
        order: Order,
        f: impl FnMut(&mut WarpRegisters, usize, u128) -> Option<u128>,
    ) -> LaneMask {
        if self.stopped || !races::orders_nothing(self, order) {
            return left;
        }
        self.touch_lanes(access, true);
        let update = LaneUpdate { order, f };
        let rest = match access.offsets.bytes {
            4 => races::update::<4>(self, access, left, update),
            8 => races::update::<8>(self, access, left, update),
            _ => left,
        };
        let done = left & !rest;
        let lone = access.region == Region::Global && access.offsets.pattern == LanePattern::Scattered;
        self.spend(done.count_ones() as usize * if lone { usize::from(self.machine.lone_access) } else { 1 });
        self.note_lanes(AccessKind::Update, access, done);
        self.note_generic_writes(access, done);
        self.machine.progress += u64::from(done.count_ones());
        rest
    }

    /// Copies `bytes` bytes of each active lane from global memory to other bytes of the CTA's shared memory. Returns both accesses; `None` if
    /// the copies must be made lane by lane.
    pub(crate) fn copy_lanes(&mut self, from: &Address, to: &Address, bytes: usize) -> Option<[WarpAccess; 2]> {
        if self.sources != LaneMarks::default() {
            return None;
        }
        let (mut source, mut target) = (WarpAccess::default(), WarpAccess::default());
        if !self.warp_access(from, self.mask, bytes, false, &mut source)
            || source.region != Region::Global
            || !self.warp_access(to, self.mask, bytes, true, &mut target)
            || target.region != Region::Shared(None)
        {
            return None;
        }
        let shared = &self.cta().shared;
        let made = |lane: usize| shared.is_made(target.offsets.at[lane].into(), bytes);
        // A new page may be one too many.
        if !target.offsets.are_apart() || !shared.is_counted() || !lanes(target.offsets.mask).all(made) {
            return None;
        }
        let (place, mut all) = ((self.cluster, self.rank), [0; LANES * MAX_LANE_BYTES]);
        let marks = source.storage(self.machine, place)?.gather(&source.offsets, &mut all)?;
        if marks != LaneMarks::default() {
            return None;
        }
        for lane in lanes(self.mask) {
            self.note_copy(source.location(lane), target.location(lane), lane, bytes, u16::MAX);
        }
        self.spend_lanes(&source, self.mask);
        self.spend_lanes(&target, self.mask);
        self.touch_lanes(&source, false);
        self.note_generic_writes(&target, self.mask);
        self.machine.progress += u64::from(self.mask.count_ones());
        let watched = races::watches(self, target.region);
        let mut left = self.mask;
        while left != 0 && !self.stopped {
            let unread = if watched { races::observe_reads(self, &source, left, Order::Weak, false) } else { 0 };
            // A lane reads before it writes, and later lanes follow.
            self.write_lanes(&target, left & !unread, Order::Weak, &all);
            left = unread;
            if left != 0 {
                let lane = left.trailing_zeros() as usize;
                races::observe(self, source.location(lane), lane, bytes, RaceAccess::Read(Order::Weak));
                self.write_lanes(&target, 1 << lane, Order::Weak, &all);
                left &= left - 1;
            }
        }
        Some([source, target])
    }

    /// Writes the bytes of the lanes `left`, and notes them for the race detector.
    fn write_lanes(&mut self, access: &WarpAccess, mut left: LaneMask, order: Order, from: &[u8]) {
        let (watched, sources) = (races::watches(self, access.region), self.sources);
        let (place, bytes) = ((self.cluster, self.rank), access.offsets.bytes);
        while left != 0 && !self.stopped {
            left = match watched {
                true => races::observe_writes(self, access, left, order, from),
                false => {
                    let Some(storage) = access.storage(self.machine, place) else { return };
                    storage.scatter(&access.offsets, left, from, sources)
                }
            };
            if left != 0 {
                let lane = left.trailing_zeros() as usize;
                self.spend(LONE_LANE);
                let from = &from[lane * bytes..][..bytes];
                let location = access.location(lane);
                races::observe_write(self, location, lane, from, order);
                self.put_at(location, lane, from, sources.of(lane));
                left &= left - 1;
            }
        }
    }

    fn store_local(&mut self, access: &WarpAccess, from: &[u8]) -> bool {
        let (bytes, at) = (access.offsets.bytes, &access.offsets.at);
        if lanes(self.mask).any(|lane| !self.lanes.local.get(lane).is_some_and(|s| s.is_made(at[lane].into(), bytes))) {
            return false;
        }
        self.note_lanes(AccessKind::Store, access, self.mask);
        for lane in lanes(self.mask) {
            if let Some(storage) = self.lanes.local.get_mut(lane) {
                storage.write(at[lane].into(), &from[lane * bytes..][..bytes], self.sources.of(lane));
            }
        }
        true
    }
}

/// Copies the elements of `bytes` bytes of all lanes from registers, element after element of each lane. Returns false if a register is too
/// narrow.
pub(crate) fn from_registers(
    registers: &WarpRegisters,
    places: &[RegisterLocation],
    bytes: usize,
    to: &mut LaneBytes,
) -> bool {
    match bytes {
        1 => collect::<1>(registers, places, to),
        2 => collect::<2>(registers, places, to),
        4 => collect::<4>(registers, places, to),
        8 => collect::<8>(registers, places, to),
        16 => collect::<16>(registers, places, to),
        _ => false,
    }
}

fn collect<const N: usize>(registers: &WarpRegisters, places: &[RegisterLocation], to: &mut LaneBytes) -> bool {
    let count = places.len();
    for (element, place) in places.iter().enumerate() {
        let (from, width) = (registers.bytes(*place), usize::from(place.width));
        if width < N || from.is_empty() {
            return false;
        }
        let to = &mut to[..LANES * N * count];
        if width == N {
            let (to, from) = (to.as_chunks_mut::<N>().0, from.as_chunks::<N>().0);
            match count {
                1 => to.copy_from_slice(from),
                2 => to.iter_mut().skip(element).step_by(2).zip(from).for_each(|(to, from)| *to = *from),
                4 => to.iter_mut().skip(element).step_by(4).zip(from).for_each(|(to, from)| *to = *from),
                _ => to.iter_mut().skip(element).step_by(count).zip(from).for_each(|(to, from)| *to = *from),
            }
            continue;
        }
        for (to, from) in to.chunks_exact_mut(N * count).zip(from.chunks_exact(width)) {
            to[element * N..][..N].copy_from_slice(&from[..N]);
        }
    }
    true
}

/// Copies the elements of `bytes` bytes of the active lanes to registers, and extends them to the width of these, with their sign if `signed`.
pub(crate) fn to_registers(
    context: &mut ExecContext<'_>,
    places: &[RegisterLocation],
    bytes: usize,
    signed: bool,
    from: &LaneBytes,
) {
    match bytes {
        1 => spread::<1>(context, places, signed, from),
        2 => spread::<2>(context, places, signed, from),
        4 => spread::<4>(context, places, signed, from),
        8 => spread::<8>(context, places, signed, from),
        _ => spread::<16>(context, places, signed, from),
    }
}

fn spread<const N: usize>(context: &mut ExecContext<'_>, places: &[RegisterLocation], signed: bool, from: &LaneBytes) {
    let (count, mask) = (places.len(), context.mask);
    for (element, place) in places.iter().enumerate() {
        let width = usize::from(place.width);
        let to = context.registers.bytes_mut(*place);
        if width == N && mask == LaneMask::MAX {
            let (to, from) = (to.as_chunks_mut::<N>().0, from[..LANES * N * count].as_chunks::<N>().0);
            match count {
                1 if to.len() == from.len() => to.copy_from_slice(from),
                2 => to.iter_mut().zip(from.iter().skip(element).step_by(2)).for_each(|(to, from)| *to = *from),
                4 => to.iter_mut().zip(from.iter().skip(element).step_by(4)).for_each(|(to, from)| *to = *from),
                _ => to.iter_mut().zip(from.iter().skip(element).step_by(count)).for_each(|(to, from)| *to = *from),
            }
            continue;
        }
        let all = from[..LANES * N * count].chunks_exact(N * count);
        for (lane, (to, from)) in to.chunks_exact_mut(width.max(1)).zip(all).enumerate() {
            if mask >> lane & 1 == 0 {
                continue;
            }
            let from = &from[element * N..][..N];
            if width <= N {
                to.copy_from_slice(&from[..width]);
            } else {
                let sign = if signed && from[N - 1] >> 7 != 0 { 0xff } else { 0 };
                to[..N].copy_from_slice(from);
                to[N..].fill(sign);
            }
        }
    }
}
