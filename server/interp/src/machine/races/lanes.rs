//! Accesses of all lanes of a warp at once. Only accesses that are ordered after all earlier ones are noted here; a lane with any other
//! one is left to the functions for one lane.

use super::detector::{lockstep, own, wanted};
use super::probe::{AccessProbe, KnownWarp};
use crate::lanes::{LANES, LaneMask};
use crate::machine::state::ClockOwner;
use crate::machine::warp_location::WarpAccess;
use crate::machine::{ExecContext, Order};
use crate::memory::shadow::{BLOCK, ROW, ShadowCell, ShadowRow, Stamp};
use crate::memory::{LaneOffsets, LanePattern, PAGE, PageBytes, Region, made_shadow};
use crate::simd::LaneMarks;
use ptx_num::values::Marks;
use std::slice;

/// Whether accesses to a region are checked for races.
pub(in crate::machine) fn watches(context: &ExecContext<'_>, region: Region) -> bool {
    matches!(region, Region::Global | Region::Shared(_)) && wanted(context)
}

/// Whether an access with this ordering neither gains nor publishes knowledge, so that it is compared with earlier accesses and nothing else.
/// False in doubt.
pub(in crate::machine) fn orders_nothing(context: &ExecContext<'_>, order: Order) -> bool {
    match order {
        Order::Weak => true,
        _ if !wanted(context) => true,
        Order::Relaxed(_) => {
            let (races, clock) = (&context.machine.races, &context.lanes.clock);
            let fenced = clock.synced().is_some_and(|sync| !sync.fenced[0].is_empty());
            !fenced && races.has_no_releases() && clock.known.fenced_part().is_empty()
        }
        _ => false,
    }
}

/// The flags of an access with this ordering.
fn flags(order: Order) -> u32 {
    order.scope().map_or(0, Stamp::strong)
}

/// What an access does with the bytes of a lane.
#[derive(Clone, Copy)]
enum LaneEffect<'b> {
    /// It reads them. If set, no thread of the kernel may have written them.
    Read(bool),
    /// It writes these bytes of all lanes, with these marks.
    Write(&'b [u8], LaneMarks),
}

/// Stores the reads of the lanes `left` in the shadow. Returns the lanes that are left: the first of them must be handled alone.
pub(in crate::machine) fn observe_reads(
    context: &mut ExecContext<'_>,
    access: &WarpAccess,
    left: LaneMask,
    order: Order,
    fixed: bool,
) -> LaneMask {
    observe(context, access, left, flags(order), LaneEffect::Read(fixed))
}

/// Stores the writes of the lanes `left` in the shadow, and writes their bytes. Returns the lanes that are left, as [`observe_reads`].
pub(in crate::machine) fn observe_writes(
    context: &mut ExecContext<'_>,
    access: &WarpAccess,
    left: LaneMask,
    order: Order,
    from: &[u8],
) -> LaneMask {
    let sources = context.sources;
    observe(context, access, left, flags(order), LaneEffect::Write(from, sources))
}

fn observe(
    context: &mut ExecContext<'_>,
    access: &WarpAccess,
    mut left: LaneMask,
    flags: u32,
    effect: LaneEffect<'_>,
) -> LaneMask {
    let ClockOwner { cta, warp, warps } = own(context);
    let (lockstep, shape) = (lockstep(context), context.machine.shape);
    let number = (cta as u32).wrapping_mul(warps).wrapping_add(warp);
    let clock = &context.lanes.clock;
    let me = Stamp::new(number, clock.time, context.site, 0, context.lanes.steps, flags);
    let probe = AccessProbe::new(me, lockstep, &shape, clock);
    // Writes and reads of a row of words are often those of one warp.
    let mut known = [probe.nothing_known(); 2];
    let mut blocks = context.machine.races.left;
    let place = (context.cluster, context.rank);
    if let Some(storage) = access.storage(context.machine, place) {
        let (at, bytes) = (&access.offsets.at, access.offsets.bytes);
        let offset = |left: LaneMask| at[left.trailing_zeros() as usize % LANES] as usize;
        let mut pages = storage.made_pages(&access.offsets);
        while left != 0 {
            let Some(page) = pages.get(offset(left) / PAGE) else { break };
            let shadow = made_shadow(&mut page.shadow);
            let block = offset(left) / BLOCK;
            let block_shadow = shadow.block(offset(left) % PAGE, bytes.is_multiple_of(4), &mut blocks);
            let (cells, grain) = match block_shadow {
                Some(block) => {
                    if let Some(count) = lanes_of_row(access, left)
                        && let Some(row) = block.row(offset(left) % BLOCK)
                    {
                        let lane = left.trailing_zeros() as usize;
                        let (me, shift) = (me.of_lane(lane), bytes.trailing_zeros() as u8 - 2);
                        let known = &mut known;
                        let done = row.admits(me, shift, clock.met).then(|| match effect {
                            LaneEffect::Read(fixed) => probe.read_whole_row(row, me, shift, fixed, known),
                            LaneEffect::Write(..) => probe.write_whole_row(row, me, shift, known),
                        });
                        if done == Some(true) {
                            if let LaneEffect::Write(all, marks) = effect {
                                write_run(&mut page.bytes, access, (lane, count), all, marks);
                            }
                            left &= !lanes_from(lane, count);
                            continue;
                        }
                        if done == Some(false) {
                            break;
                        }
                    }
                    block.all(bytes.is_multiple_of(4))
                }
                None => (&mut [][..], 4),
            };
            let per_lane = bytes / grain;
            let mut stopped = false;
            // Lanes in this block.
            while left != 0 {
                let lane = left.trailing_zeros() as usize % LANES;
                let from = at[lane] as usize;
                if from / BLOCK != block {
                    break;
                }
                let me = me.of_lane(lane);
                let first = from % BLOCK / grain;
                let run = run(access, left, lane);
                if run > 1 {
                    let cells = cells.get_mut(first..first + run * per_lane).unwrap_or_default();
                    // Without a block nothing is checked.
                    let done = match effect {
                        _ if cells.is_empty() => run,
                        LaneEffect::Read(fixed) => probe.read_row(cells, per_lane, me, fixed, &mut known),
                        LaneEffect::Write(..) => probe.write_row(cells, per_lane, me, &mut known),
                    };
                    match effect {
                        LaneEffect::Write(all, marks) => write_run(&mut page.bytes, access, (lane, done), all, marks),
                        LaneEffect::Read(_) => {}
                    }
                    left &= !lanes_from(lane, done);
                    if done < run {
                        stopped = true;
                        break;
                    }
                    continue;
                }
                // Without a block nothing is checked.
                let cells = cells.get_mut(first..first + per_lane).unwrap_or_default();
                match effect {
                    LaneEffect::Read(fixed) => {
                        if !probe.read(cells, me, fixed, &mut known) {
                            stopped = true;
                            break;
                        }
                        left &= left - 1;
                        if left != 0 && offset(left) == from {
                            left = probe.read_again(cells, left, &mut known, |lane| at[lane % LANES] as usize == from);
                        }
                    }
                    LaneEffect::Write(all, marks) => {
                        let [writers, readers] = &mut known;
                        if !probe.write(cells, me, writers, readers) {
                            stopped = true;
                            break;
                        }
                        left &= left - 1;
                        page.bytes.put(from, &all[lane * bytes..][..bytes], marks.of(lane));
                    }
                }
            }
            if stopped {
                break;
            }
        }
    }
    context.machine.races.set_left(blocks);
    left
}

/// The mask of `count` lanes from `lane` on.
fn lanes_from(lane: usize, count: usize) -> LaneMask {
    let ones = if count >= LANES { LaneMask::MAX } else { (1 << count) - 1 };
    ones << lane
}

/// Writes the bytes of `count` successive lanes from `lane` on, which follow each other in one page.
#[inline]
fn write_run(page: &mut PageBytes, access: &WarpAccess, (lane, count): (usize, usize), all: &[u8], marks: LaneMarks) {
    let LaneOffsets { at, bytes, .. } = &access.offsets;
    if marks == LaneMarks::default() {
        let (at, from) = (at[lane % LANES] as usize % PAGE, &all[lane * bytes..][..count * bytes]);
        if !page.write_exact(at, from) {
            page.write(at, from, Marks::NONE);
        }
        return;
    }
    for lane in lane..lane + count {
        page.put(at[lane % LANES] as usize, &all[lane * bytes..][..*bytes], marks.of(lane));
    }
}

/// The number of lanes that access one row of words, if the lanes `left` begin with all words of such a row.
#[inline]
fn lanes_of_row(access: &WarpAccess, left: LaneMask) -> Option<usize> {
    let LaneOffsets { at, bytes, pattern, .. } = &access.offsets;
    let lane = left.trailing_zeros() as usize % LANES;
    let words = *pattern == LanePattern::Contiguous && matches!(bytes, 4 | 8 | 16);
    let count = if words { ROW / bytes } else { return None };
    ((at[lane] as usize).is_multiple_of(ROW) && (left >> lane).trailing_ones() as usize >= count).then_some(count)
}

/// The number of successive lanes from `lane` on, all of them in `left`, whose bytes follow each other in one block.
#[inline]
fn run(access: &WarpAccess, left: LaneMask, lane: usize) -> usize {
    let LaneOffsets { at, bytes, pattern, .. } = &access.offsets;
    let from = at[lane] as usize;
    // Scattered lanes have no neighbours.
    if at[(lane + 1) % LANES] as usize != from + bytes {
        return 1;
    }
    let most = (BLOCK - from % BLOCK) >> bytes.trailing_zeros();
    let most = most.min((left >> lane).trailing_ones() as usize);
    if *pattern == LanePattern::Contiguous {
        return most;
    }
    let mut run = 1;
    while run < most && at[(lane + run) % LANES] as usize == from + run * bytes {
        run += 1;
    }
    run
}

/// Whether an earlier access is one of the known ones, or was made by the lane that makes the access `me`.
#[inline(always)]
fn is_within(stamp: Stamp, me: Stamp, known: KnownWarp) -> bool {
    known.includes(stamp) || stamp.warp == me.warp && stamp.is_of_lane(me)
}

impl AccessProbe<'_> {
    /// Notes the reads of all words of a row, unless they conflict with a write. `me`: the read of the first word. Returns whether it has done
    /// so.
    #[inline]
    fn read_whole_row(
        &self,
        row: &mut ShadowRow,
        me: Stamp,
        shift: u8,
        fixed: bool,
        known: &mut [KnownWarp; 2],
    ) -> bool {
        let done = self.read(slice::from_mut(&mut row.first), me, fixed, known);
        if done {
            row.note_read(me, shift);
        }
        done
    }

    /// Notes the writes of all words of a row, as [`read_whole_row`](Self::read_whole_row).
    #[inline]
    fn write_whole_row(&self, row: &mut ShadowRow, me: Stamp, shift: u8, known: &mut [KnownWarp; 2]) -> bool {
        let [writers, readers] = known;
        let done = self.write(slice::from_mut(&mut row.first), me, writers, readers);
        if done {
            row.write(me, shift);
        }
        done
    }

    /// Notes the reads of lanes whose cells follow each other, `per_lane` of each, as long as they do not conflict with a write. `me`: the
    /// read of the first lane. Returns the number of lanes.
    #[inline(never)]
    fn read_row(
        &self,
        cells: &mut [ShadowCell],
        per_lane: usize,
        me: Stamp,
        fixed: bool,
        [writers, readers]: &mut [KnownWarp; 2],
    ) -> usize {
        let (shift, mut writer, mut reader) = (per_lane.trailing_zeros(), *writers, *readers);
        let of = |at: usize| me.of_lane(me.lane() + (at >> shift));
        let limit = self.known_time(cells.first().map(|cell| cell.write), &mut writer);
        if per_lane == 1 {
            let (mut me, mut done) = (me, 0);
            for cell in cells {
                let write = cell.write;
                if write.time != 0
                    && (fixed || !is_within(write, me, limit) && !self.knows_after_all(write, me, &mut writer))
                {
                    break;
                }
                self.add_read(cell, me, &mut reader);
                done += 1;
                me = me.of_next_lane();
            }
            (*writers, *readers) = (writer, reader);
            return done;
        }
        let mut fits = 0;
        while let Some(cell) = cells.get(fits) {
            let (write, me) = (cell.write, of(fits));
            let known = write.time == 0
                || !fixed && (is_within(write, me, limit) || self.knows_after_all(write, me, &mut writer));
            if !known {
                break;
            }
            fits += 1;
        }
        let done = fits >> shift;
        for (at, cell) in cells.iter_mut().take(done << shift).enumerate() {
            self.add_read(cell, of(at), &mut reader);
        }
        (*writers, *readers) = (writer, reader);
        done
    }

    /// Notes the writes of lanes, as [`read_row`](Self::read_row).
    #[inline(never)]
    fn write_row(
        &self,
        cells: &mut [ShadowCell],
        per_lane: usize,
        me: Stamp,
        [writers, readers]: &mut [KnownWarp; 2],
    ) -> usize {
        let (shift, mut writer, mut reader) = (per_lane.trailing_zeros(), *writers, *readers);
        let of = |at: usize| me.of_lane(me.lane() + (at >> shift));
        let ShadowCell { write, reads: [first, second] } = cells.first().copied().unwrap_or_default();
        let limits = [
            self.known_time(Some(write), &mut writer),
            self.known_time(Some(first), &mut reader),
            self.known_time(Some(second), &mut reader),
        ];
        if per_lane == 1 {
            let (mut me, mut done) = (me, 0);
            for cell in cells {
                if !self.may_write(cell, me, &limits, &mut writer, &mut reader) {
                    break;
                }
                cell.write(me);
                done += 1;
                me = me.of_next_lane();
            }
            (*writers, *readers) = (writer, reader);
            return done;
        }
        let mut fits = 0;
        while let Some(cell) = cells.get(fits) {
            if !self.may_write(cell, of(fits), &limits, &mut writer, &mut reader) {
                break;
            }
            fits += 1;
        }
        let done = fits >> shift;
        for (at, cell) in cells.iter_mut().take(done << shift).enumerate() {
            cell.write(of(at));
        }
        (*writers, *readers) = (writer, reader);
        done
    }

    /// The warp of an earlier access, and the time up to which all accesses of this warp are known; those of the own warp if there is no such
    /// access.
    #[inline(always)]
    fn known_time(&self, stamp: Option<Stamp>, known: &mut KnownWarp) -> KnownWarp {
        match stamp.filter(|stamp| stamp.time != 0 && stamp.warp != self.me.warp) {
            None => self.own_known(),
            Some(stamp) => {
                self.knows(stamp, self.me, known);
                *known
            }
        }
    }

    /// As [`knows`](Self::knows), for accesses that [`is_within`] does not answer for.
    #[inline(never)]
    fn knows_after_all(&self, stamp: Stamp, me: Stamp, known: &mut KnownWarp) -> bool {
        self.knows(stamp, me, known)
    }

    /// Whether a write of a cell conflicts with no access before. `limits`: what is known of the warps of the first cell's accesses.
    #[inline(always)]
    fn may_write(
        &self,
        cell: &ShadowCell,
        me: Stamp,
        limits: &[KnownWarp; 3],
        writer: &mut KnownWarp,
        reader: &mut KnownWarp,
    ) -> bool {
        let ShadowCell { write, reads: [first, second] } = *cell;
        (write.time == 0 || is_within(write, me, limits[0]) || self.knows_after_all(write, me, writer))
            && (first.time == 0 || is_within(first, me, limits[1]) || self.knows_after_all(first, me, reader))
            && (second.time == 0 || is_within(second, me, limits[2]) || self.knows_after_all(second, me, reader))
    }

    /// As [`remember`](Self::remember), and quick for words that one warp reads.
    #[inline(always)]
    fn add_read(&self, cell: &mut ShadowCell, me: Stamp, known: &mut KnownWarp) {
        let [first, second] = &mut cell.reads;
        let replaces = match first.time {
            0 => second.time == 0,
            _ if first.warp != me.warp => false,
            time => time != me.time || first.is_of_lane(me) && first.strength() == me.strength(),
        };
        if replaces {
            *first = me;
        } else {
            self.remember(cell, me, known);
        }
    }

    /// Notes a read of these cells, unless it conflicts with a write. Returns whether it has done so.
    #[inline(always)]
    fn read(&self, cells: &mut [ShadowCell], me: Stamp, fixed: bool, [writers, readers]: &mut [KnownWarp; 2]) -> bool {
        let mut ordered = |cell: &ShadowCell| (!fixed || cell.write.time == 0) && self.knows(cell.write, me, writers);
        if let [cell] = cells {
            let ordered = ordered(cell);
            if ordered {
                self.remember(cell, me, readers);
            }
            return ordered;
        }
        if !cells.iter().all(ordered) {
            return false;
        }
        cells.iter_mut().for_each(|cell| self.remember(cell, me, readers));
        true
    }

    /// Notes a write of these cells, unless it conflicts with another access. Returns whether it has done so.
    #[inline(always)]
    fn write(&self, cells: &mut [ShadowCell], me: Stamp, writers: &mut KnownWarp, readers: &mut KnownWarp) -> bool {
        let mut ordered = |cell: &ShadowCell| {
            self.knows(cell.write, me, writers)
                && self.knows(cell.reads[0], me, readers)
                && self.knows(cell.reads[1], me, readers)
        };
        if let [cell] = cells {
            let ordered = ordered(cell);
            if ordered {
                cell.write(me);
            }
            return ordered;
        }
        if !cells.iter().all(ordered) {
            return false;
        }
        cells.iter_mut().for_each(|cell| cell.write(me));
        true
    }

    /// Notes that the next of the lanes `left` read the same cells as the lane before, as long as `same`. Returns the other lanes.
    #[inline(always)]
    fn read_again(
        &self,
        cells: &mut [ShadowCell],
        left: LaneMask,
        [writers, readers]: &mut [KnownWarp; 2],
        same: impl Fn(usize) -> bool,
    ) -> LaneMask {
        if !cells.iter().all(|cell| self.all_know(cell.write, writers)) {
            return left;
        }
        let (mut rest, mut last) = (left, 0);
        while rest != 0 && same(rest.trailing_zeros() as usize) {
            last = rest.trailing_zeros() as usize;
            rest &= rest - 1;
        }
        // Several lanes leave the same as the first and the last of them.
        let me = self.me.of_lane(last);
        cells.iter_mut().for_each(|cell| self.remember(cell, me, readers));
        rest
    }
}
