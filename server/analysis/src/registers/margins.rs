//! When an estimate is far enough from a bound that something can be said of the two.

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
