//! The threads for which the ordering of an access holds (manual 8.5).

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
