//! Weak accesses of all lanes of a warp at once. Only accesses that are ordered after all earlier ones are noted here; a lane with any other
//! one is left to the functions for one lane.

use super::{AccessProbe, lockstep, own, wanted};
use crate::lanes::{LANES, LaneMask};
use crate::machine::ExecContext;
use crate::machine::warp_access::WarpAccess;
use crate::memory::shadow::{BLOCK, ShadowCell, Stamp};
use crate::memory::{LaneBytes, PAGE, Region};
use crate::simd::LaneMarks;

/// Whether accesses to a region are checked for races.
pub(in crate::machine) fn watches(context: &ExecContext<'_>, region: Region) -> bool {
    matches!(region, Region::Global | Region::Shared(_)) && wanted(context)
}

/// What an access does with the bytes of a lane.
#[derive(Clone, Copy)]
enum LaneEffect<'b> {
    /// It reads them. If set, no thread of the kernel may have written them.
    Read(bool),
    /// It writes these bytes of all lanes, with these marks.
    Write(&'b LaneBytes, LaneMarks),
}

/// Stores the reads of the lanes `left` in the shadow. Returns the lanes that are left: the first of them must be handled alone.
pub(in crate::machine) fn observe_reads(
    context: &mut ExecContext<'_>,
    access: &WarpAccess,
    left: LaneMask,
    fixed: bool,
) -> LaneMask {
    observe(context, access, left, LaneEffect::Read(fixed))
}

/// Stores the writes of the lanes `left` in the shadow, and writes their bytes. Returns the lanes that are left, as [`observe_reads`].
pub(in crate::machine) fn observe_writes(
    context: &mut ExecContext<'_>,
    access: &WarpAccess,
    left: LaneMask,
    from: &LaneBytes,
) -> LaneMask {
    let sources = context.sources;
    observe(context, access, left, LaneEffect::Write(from, sources))
}

fn observe(context: &mut ExecContext<'_>, access: &WarpAccess, mut left: LaneMask, effect: LaneEffect<'_>) -> LaneMask {
    let (cta, warp, warps) = own(context);
    let (lockstep, shape) = (lockstep(context), context.machine.shape);
    let number = (cta as u32).wrapping_mul(warps).wrapping_add(warp);
    let clock = &context.lanes.clock;
    let me = Stamp::new(number, clock.time, context.site, 0, context.lanes.steps, 0);
    let mut probe = AccessProbe::new(me, lockstep, &shape, clock);
    let mut blocks = context.machine.races.left;
    let place = (context.cluster, context.rank);
    if let Some(storage) = access.storage(context.machine, place) {
        let (at, bytes) = (&access.offsets.at, access.offsets.bytes);
        let offset = |left: LaneMask| at[left.trailing_zeros() as usize % LANES] as usize;
        while left != 0 {
            let index = offset(left) / PAGE;
            let Some(page) = storage.made_page(index) else { break };
            let shadow = page.shadow.get_or_insert_default();
            let block = offset(left) / BLOCK;
            let (cells, grain) = match shadow.block(offset(left) % PAGE, &mut blocks) {
                Some(block) => block.all(bytes.is_multiple_of(4)),
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
                probe.me = me.of_lane(lane);
                let first = from % BLOCK / grain;
                // Without a block nothing is checked.
                let cells = cells.get_mut(first..first + per_lane).unwrap_or_default();
                match effect {
                    LaneEffect::Read(fixed) => {
                        if !probe.read(cells, fixed) {
                            stopped = true;
                            break;
                        }
                        left &= left - 1;
                        if left != 0 && offset(left) == from {
                            left = probe.read_again(cells, left, |lane| at[lane % LANES] as usize == from);
                        }
                    }
                    LaneEffect::Write(all, marks) => {
                        if !probe.write(cells) {
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
    context.machine.races.left = blocks;
    left
}

impl AccessProbe<'_> {
    /// Notes a read of these cells, unless it conflicts with a write. Returns whether it has done so.
    #[inline]
    fn read(&self, cells: &mut [ShadowCell], fixed: bool) -> bool {
        let ordered = |cell: &ShadowCell| (!fixed || cell.write.time == 0) && self.knows(cell.write);
        if let [cell] = cells {
            let ordered = ordered(cell);
            if ordered {
                self.remember(cell);
            }
            return ordered;
        }
        if !cells.iter().all(ordered) {
            return false;
        }
        cells.iter_mut().for_each(|cell| self.remember(cell));
        true
    }

    /// Notes a write of these cells, unless it conflicts with another access. Returns whether it has done so.
    #[inline]
    fn write(&self, cells: &mut [ShadowCell]) -> bool {
        let ordered =
            |cell: &ShadowCell| self.knows(cell.write) && self.knows(cell.reads[0]) && self.knows(cell.reads[1]);
        if !cells.iter().all(ordered) {
            return false;
        }
        cells.iter_mut().for_each(|cell| *cell = ShadowCell { write: self.me, reads: [Stamp::default(); 2] });
        true
    }

    /// Notes that the next of the lanes `left` read the same cells as the lane before, as long as `same`. Returns the other lanes.
    #[inline]
    fn read_again(&mut self, cells: &mut [ShadowCell], left: LaneMask, same: impl Fn(usize) -> bool) -> LaneMask {
        if !cells.iter().all(|cell| self.all_know(cell.write)) {
            return left;
        }
        let (mut rest, mut last) = (left, 0);
        while rest != 0 && same(rest.trailing_zeros() as usize) {
            last = rest.trailing_zeros() as usize;
            rest &= rest - 1;
        }
        // Several lanes leave the same as the first and the last of them.
        self.me = self.me.of_lane(last);
        cells.iter_mut().for_each(|cell| self.remember(cell));
        rest
    }
}
