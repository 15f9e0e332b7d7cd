//! The memory ordering of accesses, and the threads for which it holds (manual 8.5).

/// The threads with which a strong operation interacts directly. `.sys` counts as `.gpu`, since the machine has one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The threads of the CTA.
    Cta,
    /// The threads of the cluster.
    Cluster,
    /// All threads.
    Gpu,
}

impl Scope {
    /// All scopes, the narrowest first.
    pub const ALL: [Self; 3] = [Self::Cta, Self::Cluster, Self::Gpu];

    /// The modifier that names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cta => ".cta",
            Self::Cluster => ".cluster",
            Self::Gpu => ".gpu",
        }
    }
}

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
