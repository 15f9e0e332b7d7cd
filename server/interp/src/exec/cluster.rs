//! Barriers of a cluster.

/// Barriers of a cluster.
#[derive(Debug, Clone, Default)]
pub struct ClusterBarrier {}
