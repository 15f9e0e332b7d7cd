//! How many warps of a kernel run on a multiprocessor at a time.

/// What keeps more from running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedBy {
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
    /// Threads, or warps, that a multiprocessor holds.
    Threads,
    /// CTAs that a multiprocessor holds.
    Blocks,
}

/// How many warps of a kernel run on a multiprocessor at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Warps.
    pub warps: u32,
    /// As many as the multiprocessor holds at most.
    pub most_warps: u32,
    /// CTAs.
    pub ctas: u32,
    /// The threads of a CTA that were counted with: those of the header, else an assumption.
    pub threads: u32,
    /// The threads are an assumption.
    pub assumed: bool,
    /// What keeps more from running.
    pub limited_by: LimitedBy,
    /// So many registers fewer, and so many warps more would run; nothing where registers are not the limit.
    pub fewer: Option<(u32, u32)>,
}
