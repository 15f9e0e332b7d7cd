//! Atomic operations of all lanes of a warp. The lanes follow each other in ascending order; the memory, the warp's clock and the blocks of
//! the shadow are looked up once.

use super::conflict::RaceAccess;
use super::detector::{lockstep, own};
use super::lanes::watches;
use super::probe::{AccessProbe, KnownWarp};
use crate::lanes::{LANES, LaneMask};
use crate::machine::state::ClockOwner;
use crate::machine::warp_location::WarpAccess;
use crate::machine::{ExecContext, Order};
use crate::memory::shadow::{BLOCK, ShadowCell, Stamp};
use crate::memory::{PAGE, made_shadow};
use crate::registers::WarpRegisters;
use ptx_num::values::Marks;

/// An atomic operation of the lanes of a warp.
pub(in crate::machine) struct LaneUpdate<F> {
    /// Its memory ordering.
    pub order: Order,
    /// Computes the new value of a lane from the old one, and stores the old one. `None`: the lane must be executed alone, and nothing has
    /// changed.
    pub f: F,
}

/// Executes an atomic operation on `N` bytes of the lanes `left`, and stores it in the shadow. Stops at a lane whose bytes were not written,
/// have marks, or race with an earlier access. Returns the lanes that are left: the first of them must be executed alone.
pub(in crate::machine) fn update<const N: usize>(
    context: &mut ExecContext<'_>,
    access: &WarpAccess,
    mut left: LaneMask,
    update: LaneUpdate<impl FnMut(&mut WarpRegisters, usize, u128) -> Option<u128>>,
) -> LaneMask {
    let LaneUpdate { order, mut f } = update;
    let watched = watches(context, access.region);
    let ClockOwner { cta, warp, warps } = own(context);
    let (lockstep, shape) = (lockstep(context), context.machine.shape);
    let number = (cta as u32).wrapping_mul(warps).wrapping_add(warp);
    let clock = &context.lanes.clock;
    let flags = Stamp::ATOMIC | order.scope().map_or(0, Stamp::strong);
    let me = Stamp::new(number, clock.time, context.site, 0, context.lanes.steps, flags);
    let mut probe = AccessProbe::new(me, lockstep, &shape, clock);
    let mut known = [probe.nothing_known(); 2];
    let mut blocks = context.machine.races.left;
    let place = (context.cluster, context.rank);
    let Some(storage) = access.storage(context.machine, place).filter(|storage| storage.is_counted()) else {
        return left;
    };
    let at = &access.offsets.at;
    let offset = |left: LaneMask| at[left.trailing_zeros() as usize % LANES] as usize;
    'blocks: while left != 0 {
        let block = offset(left) / BLOCK;
        let Some(page) = storage.made_page(offset(left) / PAGE).filter(|page| page.bytes.is_exact()) else { break };
        let shadow = watched.then(|| made_shadow(&mut page.shadow));
        let (cells, grain) = match shadow.and_then(|shadow| shadow.block(offset(left) % PAGE, true, &mut blocks)) {
            Some(block) => block.all(true),
            // Without a block nothing is checked.
            None => (&mut [][..], 4),
        };
        while left != 0 && offset(left) / BLOCK == block {
            let lane = left.trailing_zeros() as usize % LANES;
            let from = at[lane] as usize;
            let first = from % BLOCK / grain;
            let cells = cells.get_mut(first..first + N / grain).unwrap_or_default();
            probe.me = me.of_lane(lane);
            let (bytes, written) = page.bytes.get::<N>(from);
            if !written || !cells.iter().all(|cell| probe.permits(cell, &mut known)) {
                break 'blocks;
            }
            let mut old = [0; 16];
            old[..N].copy_from_slice(&bytes);
            let Some(new) = f(context.registers, lane, u128::from_le_bytes(old)) else { break 'blocks };
            page.bytes.put(from, &new.to_le_bytes()[..N], Marks::NONE);
            for cell in cells {
                probe.touch(cell, RaceAccess::Atomic(order));
            }
            left &= left - 1;
        }
    }
    context.machine.races.set_left(blocks);
    left
}

impl AccessProbe<'_> {
    /// Whether an atomic operation on a cell races with no earlier access.
    #[inline(always)]
    fn permits(&self, cell: &ShadowCell, [writers, readers]: &mut [KnownWarp; 2]) -> bool {
        let permits =
            |stamp: Stamp, known: &mut KnownWarp| self.knows(stamp, self.me, known) || !self.races_with(stamp);
        permits(cell.write, writers) && permits(cell.reads[0], readers) && permits(cell.reads[1], readers)
    }
}
