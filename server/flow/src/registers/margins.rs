//! Decides whether an estimate is far enough from a bound for a statement about the two.

/// Whether a function is expected to spill: `wanted` is its estimated number of registers per thread, `limit` its register
/// limit.
///
/// Measured on 50 compiled kernels with a limit below their unlimited number (`-maxrregcount`, ptxas 13): 78 % spilled at
/// 1/1.1 of that number, 88 % at 1/1.5. The others had loads that could be executed one after the other. So the assembler has
/// little room, but the estimate has its own error.
pub fn spills_are_likely(wanted: u32, limit: u32) -> bool {
    u64::from(wanted) * 5 >= u64::from(limit) * 7 && wanted >= limit + 12
}

/// Whether the limit is expected to have no effect on a function: `wanted` is its estimated number of registers per thread.
pub fn never_binds(wanted: u32, limit: u32) -> bool {
    u64::from(wanted) * 3 <= u64::from(limit) * 2 && wanted + 16 <= limit
}
