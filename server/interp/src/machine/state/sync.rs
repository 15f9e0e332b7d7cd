//! Operations that synchronize, as the race detector remembers them.

use crate::findings::InstructionSite;
use crate::memory::Scope;

/// The kind of an operation that synchronizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncKind {
    /// A load, a store or an atomic operation.
    Access,
    /// `fence`.
    Fence,
    /// `membar`.
    Membar,
    /// An arrival at an mbarrier, or a wait for one.
    Mbarrier,
}

/// An operation that synchronizes, with its scope.
#[derive(Debug, Clone, Copy)]
pub struct SyncOperation {
    /// What it is.
    pub kind: SyncKind,
    /// Its scope.
    pub scope: Scope,
    /// Its instruction.
    pub site: InstructionSite,
    /// The linear number of the CTA that executed it.
    pub cta: u64,
}
