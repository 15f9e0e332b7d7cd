//! The part of a grid that a machine executes.

use crate::memory::TouchedMemory;

/// The part of a grid that a machine executes beside other machines.
#[derive(Debug, Clone)]
pub(crate) struct GridPart {
    /// The number of the last cluster of the part, plus one.
    pub(in crate::machine) end: u64,
    /// The words of global memory that the part has used.
    pub(in crate::machine) touched: TouchedMemory,
    /// A cluster of another part may matter: all groups of a cluster have waited at the same time, a cluster has taken over the work of
    /// another one, or it has executed [`crate::machine::limits::MAX_CTA_STEPS`] instructions.
    pub(crate) depends: bool,
    /// A cluster took so long that one thread would have started another one beside it.
    pub(in crate::machine) overlaps: bool,
}
