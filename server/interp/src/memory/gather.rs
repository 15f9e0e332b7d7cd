//! Accesses of all lanes of a warp to one storage.

use super::shadow::PAGE;
use super::storage::{Storage, StoragePage, unshared};
use crate::lanes::{LANES, LaneMask, lanes};
use crate::simd::{BoxedLoop, LaneMarks, LaneOperation, compiled};
use ptx_num::values::Marks;
use std::sync::OnceLock;

/// Maximum number of bytes per lane.
pub(crate) const MAX_LANE_BYTES: usize = 16;

/// How the bytes of the lanes lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LanePattern {
    /// All lanes are active, and their bytes follow each other.
    Contiguous,
    /// All active lanes use the same bytes.
    Uniform,
    /// Any other way.
    Scattered,
}

/// The offsets of the active lanes in a storage. Each lane uses the same number of bytes, a power of two; offsets are multiples of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LaneOffsets {
    /// The active lanes; at least one.
    pub mask: LaneMask,
    /// Number of bytes of each lane.
    pub bytes: usize,
    /// The offset of each lane; that of an active one for lanes that are not active.
    pub at: [u32; LANES],
    /// The lowest of them.
    pub low: u32,
    /// The highest of them.
    pub high: u32,
    /// How they lie.
    pub pattern: LanePattern,
}

/// The values from which the offsets of lanes are computed.
struct LaneBases {
    mask: LaneMask,
    bytes: u32,
    /// The offset of an active lane.
    first: u32,
    /// The number to add to the value of each lane.
    add: u64,
    values: [u64; LANES],
}

/// The offsets of lanes, and what is true of some of them.
#[derive(Default)]
struct LaneSums {
    at: [u32; LANES],
    /// The highest offset, and the highest complement of an offset.
    ends: [u32; 2],
    /// The bits of all offsets above the lowest 32.
    over: u32,
    /// All offsets.
    any: u32,
    /// Bits in which an offset differs from that of contiguous lanes.
    unlike: u32,
}

/// Computes the offsets of lanes.
struct AddBases;

impl AddBases {
    #[inline(always)]
    fn sum(bases: &LaneBases, lane: usize) -> u64 {
        let sum = bases.values[lane].wrapping_add(bases.add);
        if bases.mask >> lane & 1 != 0 { sum } else { bases.first.into() }
    }
}

impl LaneOperation<LaneBases, LaneSums> for AddBases {
    fn lane(&self, lane: usize, bases: &LaneBases, out: &mut LaneSums) {
        let sum = Self::sum(bases, lane);
        let at = sum as u32;
        out.at[lane] = at;
        out.ends = [out.ends[0].max(at), out.ends[1].max(!at)];
        out.over |= (sum >> 32) as u32;
        out.any |= at;
        out.unlike |= at ^ bases.first.wrapping_add(lane as u32 * bases.bytes);
    }

    #[inline(always)]
    fn all(&self, bases: &LaneBases) -> LaneSums {
        let (mut at, mut over) = ([0; LANES], 0);
        for (lane, at) in at.iter_mut().enumerate() {
            let sum = Self::sum(bases, lane);
            *at = sum as u32;
            over |= sum;
        }
        let (mut high, mut below, mut any, mut unlike) = (0, 0, 0, 0);
        for (lane, &at) in at.iter().enumerate() {
            high = at.max(high);
            below = (!at).max(below);
            any |= at;
            unlike |= at ^ bases.first.wrapping_add(lane as u32 * bases.bytes);
        }
        LaneSums { at, ends: [high, below], over: (over >> 32) as u32, any, unlike }
    }
}

/// The offsets of all lanes.
fn sums(bases: &LaneBases) -> LaneSums {
    static LOOP: OnceLock<BoxedLoop<LaneBases, LaneSums>> = OnceLock::new();
    LOOP.get_or_init(|| compiled(AddBases)).run(bases)
}

/// The values of all lanes of a register with addresses.
#[derive(Clone, Copy)]
pub(crate) enum AddressRow<'r> {
    /// Addresses of 64 bits.
    Long(&'r [u64; LANES]),
    /// Addresses of 32 bits.
    Short(&'r [u32; LANES]),
}

/// Whether each of the values is the one before it plus `step`.
#[inline(always)]
fn rises_by<const STEP: u64, T: Copy>(values: &[T; LANES], number: impl Fn(T) -> u64) -> bool {
    // Four numbers at a time become vector instructions without a multiplication.
    let first = number(values[0]);
    let (mut expected, mut unlike): ([u64; 4], _) = (std::array::from_fn(|lane| first + STEP * lane as u64), [0; 4]);
    for four in values.chunks_exact(4) {
        for (lane, value) in four.iter().enumerate() {
            unlike[lane] |= number(*value) ^ expected[lane];
            expected[lane] += 4 * STEP;
        }
    }
    unlike == [0; 4]
}

#[inline(always)]
fn pattern_of<T: Copy>(values: &[T; LANES], bytes: usize, number: impl Fn(T) -> u64 + Copy) -> LanePattern {
    let (first, last) = (number(values[0]), number(values[LANES - 1]));
    // The sums in `rises_by` must not overflow.
    if first > u64::MAX / 2 {
        return LanePattern::Scattered;
    }
    let contiguous = || match bytes {
        1 => rises_by::<1, T>(values, number),
        2 => rises_by::<2, T>(values, number),
        4 => rises_by::<4, T>(values, number),
        8 => rises_by::<8, T>(values, number),
        16 => rises_by::<16, T>(values, number),
        _ => false,
    };
    match last.wrapping_sub(first) {
        0 if rises_by::<0, T>(values, number) => LanePattern::Uniform,
        distance if distance == (LANES as u64 - 1) * bytes as u64 && contiguous() => LanePattern::Contiguous,
        _ => LanePattern::Scattered,
    }
}

impl AddressRow<'_> {
    /// How accesses of all lanes to `bytes` bytes at these addresses lie.
    #[inline]
    fn pattern(self, bytes: usize) -> LanePattern {
        match self {
            Self::Long(values) => pattern_of(values, bytes, |value| value),
            Self::Short(values) => pattern_of(values, bytes, u64::from),
        }
    }

    fn values(self) -> [u64; LANES] {
        match self {
            Self::Long(values) => *values,
            Self::Short(values) => values.map(u64::from),
        }
    }
}

impl Default for LaneOffsets {
    fn default() -> Self {
        Self { mask: 0, bytes: 1, at: [0; LANES], low: 0, high: 0, pattern: LanePattern::Uniform }
    }
}

impl LaneOffsets {
    /// Sets them to the offsets `values + add` of active lanes, of which `first` is that of the first one. Returns false if some of them are
    /// not below 2^32 or not multiples of `bytes`, which must be a power of two.
    #[inline]
    pub(crate) fn set(&mut self, mask: LaneMask, bytes: usize, first: u32, values: AddressRow<'_>, add: u64) -> bool {
        let pattern = if mask == LaneMask::MAX { values.pattern(bytes) } else { LanePattern::Scattered };
        let step = match pattern {
            LanePattern::Contiguous => bytes as u32,
            LanePattern::Uniform => 0,
            LanePattern::Scattered => return self.set_each(mask, bytes, first, (values.values(), add)),
        };
        let Some(high) = first.checked_add((LANES as u32 - 1) * step) else { return false };
        self.at = [first; LANES];
        if step != 0 {
            let shift = step.trailing_zeros();
            for (lane, at) in self.at.iter_mut().enumerate() {
                *at = at.wrapping_add((lane as u32) << shift);
            }
        }
        (self.mask, self.bytes, self.low, self.high, self.pattern) = (mask, bytes, first, high, pattern);
        first as usize & (bytes - 1) == 0
    }

    #[inline(never)]
    fn set_each(&mut self, mask: LaneMask, bytes: usize, first: u32, (values, add): ([u64; LANES], u64)) -> bool {
        let LaneSums { at, ends: [high, below], over, any, unlike } =
            sums(&LaneBases { mask, bytes: bytes as u32, first, add, values });
        let low = !below;
        let pattern = match unlike {
            _ if low == high => LanePattern::Uniform,
            0 if mask == LaneMask::MAX => LanePattern::Contiguous,
            _ => LanePattern::Scattered,
        };
        *self = Self { mask, bytes, at, low, high, pattern };
        over == 0 && any as usize & (bytes - 1) == 0
    }

    /// Whether no two active lanes use the same bytes.
    pub(crate) fn are_apart(&self) -> bool {
        if self.pattern == LanePattern::Contiguous {
            return true;
        }
        let (mut all, count) = ([0; LANES], self.mask.count_ones() as usize);
        all.iter_mut().zip(lanes(self.mask)).for_each(|(to, lane)| *to = self.at[lane]);
        let all = all.get_mut(..count).unwrap_or_default();
        all.sort_unstable();
        all.is_sorted_by(|a, b| a < b)
    }

    /// Number of bytes from the lowest to the highest.
    pub(crate) fn span(&self) -> usize {
        (self.high - self.low) as usize + self.bytes
    }
}

/// The bytes of all lanes, lane after lane.
pub(crate) type LaneBytes = [u8; LANES * MAX_LANE_BYTES];

impl Storage {
    /// Reads the bytes of all lanes. Returns their marks, or `None` if some lane reads bytes that were never written.
    #[inline]
    pub(crate) fn gather(&self, offsets: &LaneOffsets, to: &mut LaneBytes) -> Option<LaneMarks> {
        let bytes = offsets.bytes;
        match offsets.pattern {
            LanePattern::Contiguous => {
                let read = self.read(offsets.low.into(), &mut to[..LANES * bytes]);
                if read.uninitialized {
                    return None;
                }
                if read.marks.is_none() {
                    return Some(LaneMarks::default());
                }
            }
            LanePattern::Uniform => {
                let mut one = [0; MAX_LANE_BYTES];
                let read = self.read(offsets.low.into(), &mut one[..bytes]);
                to[..LANES * bytes].chunks_exact_mut(bytes).for_each(|to| to.copy_from_slice(&one[..bytes]));
                return (!read.uninitialized).then(|| LaneMarks::all(offsets.mask, read.marks));
            }
            LanePattern::Scattered => {}
        }
        match bytes {
            1 => self.gather_each::<1>(offsets, to),
            2 => self.gather_each::<2>(offsets, to),
            4 => self.gather_each::<4>(offsets, to),
            8 => self.gather_each::<8>(offsets, to),
            _ => self.gather_each::<16>(offsets, to),
        }
    }

    /// Reads `N` bytes at a multiple of `N` for each lane, if they were written and their page has no marks. Returns whether it has done so.
    pub(crate) fn read_for_all<const N: usize>(&self, offset: u32, to: &mut [u8]) -> bool {
        let at = offset as usize;
        let Some(page) = self.page(at / PAGE).filter(|page| page.bytes.is_exact()) else { return false };
        let (bytes, known) = page.bytes.get::<N>(at);
        if known {
            to.as_chunks_mut().0.fill(bytes);
        }
        known && !to.is_empty()
    }

    fn gather_each<const N: usize>(&self, offsets: &LaneOffsets, to: &mut LaneBytes) -> Option<LaneMarks> {
        let mut index = offsets.at[0] as usize / PAGE;
        let mut page = &self.page(index)?.bytes;
        let (mut known, mut exact) = (true, page.is_exact());
        for (at, to) in offsets.at.iter().zip(to.chunks_exact_mut(N)) {
            let at = *at as usize;
            if at / PAGE != index {
                index = at / PAGE;
                page = &self.page(index)?.bytes;
                exact &= page.is_exact();
            }
            let (bytes, all) = page.get::<N>(at);
            to.copy_from_slice(&bytes);
            known &= all;
        }
        if !known {
            return None;
        }
        let mut marks = LaneMarks::default();
        if !exact {
            for lane in lanes(offsets.mask) {
                marks.add(lane, self.read(offsets.at[lane].into(), &mut [0; N]).marks);
            }
        }
        Some(marks)
    }

    /// Writes the bytes of lanes, one lane after the other, until one of them lies in a page that does not exist. Returns the lanes that are
    /// left. `mask`: those of the active lanes whose bytes are written. `sources`: the marks of the bytes.
    pub(crate) fn scatter(
        &mut self,
        offsets: &LaneOffsets,
        mask: LaneMask,
        from: &[u8],
        sources: LaneMarks,
    ) -> LaneMask {
        let bytes = offsets.bytes;
        if offsets.pattern == LanePattern::Contiguous
            && mask == LaneMask::MAX
            && sources == LaneMarks::default()
            && self.is_made(offsets.low.into(), LANES * bytes)
        {
            self.write(offsets.low.into(), &from[..LANES * bytes], Marks::NONE);
            return 0;
        }
        let mut pages = self.made_pages(offsets);
        match bytes {
            1 => pages.scatter_each::<1>(offsets, mask, from, sources),
            2 => pages.scatter_each::<2>(offsets, mask, from, sources),
            4 => pages.scatter_each::<4>(offsets, mask, from, sources),
            8 => pages.scatter_each::<8>(offsets, mask, from, sources),
            _ => pages.scatter_each::<16>(offsets, mask, from, sources),
        }
    }
}

/// Maximum number of pages that [`MadePages`] holds.
const HELD: usize = 16;

/// The pages of an access to which it may write, each by its index.
pub(crate) enum MadePages<'s> {
    /// Each page is looked up when it is needed: lanes that follow each other use few, or all of them too many.
    OneByOne(&'s mut Storage),
    /// The pages from this index on, if lanes use them. To make a shared page writable takes longer than the rest of a look-up.
    Held(usize, [Option<&'s mut StoragePage>; HELD]),
}

impl MadePages<'_> {
    /// Writes `N` bytes of each lane: see [`Storage::scatter`].
    fn scatter_each<const N: usize>(
        &mut self,
        offsets: &LaneOffsets,
        mask: LaneMask,
        from: &[u8],
        sources: LaneMarks,
    ) -> LaneMask {
        let (mut left, from, plain) = (mask, from.as_chunks::<N>().0, sources == LaneMarks::default());
        if let Self::Held(first, pages) = self {
            while left != 0 {
                let lane = left.trailing_zeros() as usize % LANES;
                let (at, from) = (offsets.at[lane] as usize, from.get(lane).copied().unwrap_or([0; N]));
                let page = pages.get_mut((at / PAGE).wrapping_sub(*first)).and_then(Option::as_mut);
                let Some(page) = page else { return left };
                match plain && page.bytes.is_exact() {
                    true => page.bytes.put_exact(at, &from),
                    false => page.bytes.put(at, &from, sources.of(lane)),
                }
                left &= left - 1;
            }
            return 0;
        }
        while left != 0 {
            let index = offsets.at[left.trailing_zeros() as usize % LANES] as usize / PAGE;
            let Some(page) = self.get(index) else { return left };
            let exact = plain && page.bytes.is_exact();
            while left != 0 {
                let lane = left.trailing_zeros() as usize % LANES;
                let (at, from) = (offsets.at[lane] as usize, from.get(lane).copied().unwrap_or([0; N]));
                if at / PAGE != index {
                    break;
                }
                match exact {
                    true => page.bytes.put_exact(at, &from),
                    false => page.bytes.put(at, &from, sources.of(lane)),
                }
                left &= left - 1;
            }
        }
        0
    }

    /// The page with this index, if it exists.
    #[inline(always)]
    pub(crate) fn get(&mut self, index: usize) -> Option<&mut StoragePage> {
        match self {
            Self::OneByOne(storage) => storage.made_page(index),
            Self::Held(first, pages) => pages.get_mut(index.wrapping_sub(*first))?.as_deref_mut(),
        }
    }
}

impl Storage {
    /// The pages of an access.
    #[inline]
    pub(crate) fn made_pages(&mut self, offsets: &LaneOffsets) -> MadePages<'_> {
        let (first, last) = (offsets.low as usize / PAGE, offsets.high as usize / PAGE);
        let scattered = offsets.pattern == LanePattern::Scattered && first != last;
        if scattered && last - first < HELD { self.held_pages(offsets, first) } else { MadePages::OneByOne(self) }
    }

    #[inline(never)]
    fn held_pages(&mut self, offsets: &LaneOffsets, first: usize) -> MadePages<'_> {
        let used =
            offsets.at.iter().fold(0_u32, |used, at| used | 1 << ((*at as usize / PAGE).wrapping_sub(first) % HELD));
        let mut held = [const { None }; HELD];
        for (at, (to, page)) in held.iter_mut().zip(self.pages_from(first)).enumerate() {
            if used >> at & 1 != 0 {
                *to = page.as_mut().map(unshared);
            }
        }
        MadePages::Held(first, held)
    }

    /// Whether the pages of some lanes exist.
    pub(crate) fn is_made_for(&self, offsets: &LaneOffsets, mask: LaneMask) -> bool {
        let (mut last, mut made) = (usize::MAX, true);
        for lane in lanes(mask) {
            let index = offsets.at[lane] as usize / PAGE;
            if index != last {
                made &= self.has_page(index);
                last = index;
            }
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::{AddressRow, LaneOffsets, LanePattern};

    #[test]
    fn patterns_are_those_of_active_lanes() {
        let row = |by: u64| std::array::from_fn(|lane| lane as u64 * by);
        let new = |mask: u32, by| {
            let first = 8 + mask.trailing_zeros() * by as u32;
            let mut out = LaneOffsets::default();
            out.set(mask, 4, first, AddressRow::Long(&row(by)), 8).then_some(out)
        };
        let pattern = |mask, by| new(mask, by).map(|o| o.pattern);
        assert_eq!(pattern(u32::MAX, 4), Some(LanePattern::Contiguous));
        assert_eq!(pattern(u32::MAX, 8), Some(LanePattern::Scattered));
        assert_eq!(pattern(u32::MAX >> 1, 4), Some(LanePattern::Scattered));
        assert_eq!(pattern(u32::MAX, 0), Some(LanePattern::Uniform));
        assert_eq!(pattern(1 << 5, 4), Some(LanePattern::Uniform));
        assert_eq!((pattern(0b11, 1 << 32), pattern(0b10, 2), pattern(1, 2)), (None, None, Some(LanePattern::Uniform)));
        let apart = |mask, by| new(mask, by).map(|o| o.are_apart());
        assert_eq!(
            [apart(u32::MAX, 4), apart(0b101, 8), apart(1, 0), apart(0b11, 0)],
            [true, true, true, false].map(Some)
        );
        let some = new(0b1010, 4).unwrap();
        assert_eq!((some.low, some.high, some.span(), some.at[0], some.at[31]), (12, 20, 12, 12, 12));
    }
}
