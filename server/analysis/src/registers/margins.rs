//! When an estimate is far enough from a bound that something can be said of the two.

use super::report::Limit;
use super::usage::Bounds;
use ptx_isa::tables::Target;

/// What the header and the target leave to a thread.
pub fn limit(bounds: &Bounds, start: usize, _target: Option<&'static Target>) -> Limit {
    let mut out = Limit { registers: 255, directive: None };
    let mut lower = |registers: u64, range: &std::ops::Range<u32>| {
        if registers < u64::from(out.registers) {
            let directive = Some(start + range.start as usize..start + range.end as usize);
            out = Limit { registers: registers as u32, directive };
        }
    };
    if let Some((registers, range)) = &bounds.registers {
        lower(*registers, range);
    }
    if let Some((threads, _, range)) = &bounds.threads {
        let ctas = bounds.ctas.as_ref().map_or(1, |(n, _)| *n);
        let warps = threads.div_ceil(32).saturating_mul(ctas).max(1);
        lower((65536 / 32 / warps) / 8 * 8, bounds.ctas.as_ref().map_or(range, |(_, range)| range));
    }
    out
}

/// Whether a function is expected to spill that wants so many registers, as estimated, and is held to so many.
///
/// Of 50 kernels of compilers that the assembler was told to hold to less than they get by themselves (`-maxrregcount`, ptxas 13), 78 %
/// spilled at 1/1.1 of that, 88 % at 1/1.5; the others had loads that could be done one after the other. So the assembler
/// has little room, but the estimate has its error besides.
pub fn spills_are_likely(wanted: u32, limit: u32) -> bool {
    u64::from(wanted) * 5 >= u64::from(limit) * 7 && wanted >= limit + 12
}

/// Whether a bound is of no consequence to a function that wants so many registers, as estimated.
pub fn never_binds(wanted: u32, limit: u32) -> bool {
    u64::from(wanted) * 3 <= u64::from(limit) * 2 && wanted + 16 <= limit
}
