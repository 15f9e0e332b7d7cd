//! The memory ordering of accesses.

use crate::memory::Scope;

/// The memory ordering of an access, for the race detector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// A plain access (`.weak`).
    Weak,
    /// A strong access without further ordering (`.relaxed`, `.volatile`).
    Relaxed(Scope),
    /// Relaxed; later accesses also see everything before the release whose value it reads.
    Acquire(Scope),
    /// Relaxed; earlier accesses are also visible to threads that acquire the written value.
    Release(Scope),
    /// Both acquire and release.
    AcquireRelease(Scope),
}

impl Order {
    /// The scope of a strong access; `None` for a weak one.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::Weak => None,
            Self::Relaxed(scope) | Self::Acquire(scope) | Self::Release(scope) | Self::AcquireRelease(scope) => {
                Some(scope)
            }
        }
    }
}
