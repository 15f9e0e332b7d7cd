//! When an estimate is far enough from a bound that something can be said of the two.

/// Whether a function is expected to spill that wants so many registers, as estimated, and is held to so many.
pub fn spills_are_likely(wanted: u32, limit: u32) -> bool {
    u64::from(wanted) * 10 >= u64::from(limit) * 15 && wanted >= limit + 16
}

/// Whether a bound is of no consequence to a function that wants so many registers, as estimated.
pub fn never_binds(wanted: u32, limit: u32) -> bool {
    u64::from(wanted) * 3 <= u64::from(limit) * 2 && wanted + 16 <= limit
}
