//! How many CTAs run at a time, and how long one may run: limits that the schedule and the threads share.

/// In every eighth round of a cluster, each warp first runs the group that has waited longest. Without this, a lane that holds a lock might
/// never run while other lanes of its warp poll the lock.
pub(super) const FAIRNESS: u64 = 8;

/// Maximum number of CTAs that run at the same time.
pub(super) const MAX_RESIDENT_CTAS: usize = 1024;

/// If no cluster has started or finished for this many steps, another one starts: the running CTAs may wait for it in a loop.
pub(super) const MAX_IDLE_STEPS: u64 = 200_000;

/// Maximum number of warp instructions of a CTA in a part: some seconds. A CTA that executes more of them may poll for a write of another
/// part, which it cannot see.
pub(super) const MAX_CTA_STEPS: u64 = if cfg!(test) { 1 << 19 } else { 1 << 26 };
