//! Places of PTX in the host text.

use ptx_embed::SegmentMap;
use std::ops::Range;

/// The host range of a range of PTX, with those in further literals.
pub(crate) fn host_ranges(map: &SegmentMap, ptx: &Range<usize>) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    let mut ranges = map.to_host(ptx.clone()).into_iter();
    Some((ranges.next()?, ranges.collect()))
}
