//! Barriers of CTAs and clusters: which threads have arrived, and what they know (for the race detector).
//!
//! Arrivals count per warp. A warp has arrived when all its threads that have not exited have arrived. A barrier with a thread count
//! completes when the arrived warps have that many threads; a partial warp counts as a whole one. A barrier without a count completes when
//! all threads of the CTA have arrived or exited.

use super::knowledge::Knowledge;
use crate::findings::InstructionSite;
use crate::lanes::LaneMask;

/// Number of barriers per CTA.
pub(crate) const BARRIERS: usize = 16;

/// The barriers of a CTA.
#[derive(Debug, Clone, Default)]
pub struct Barriers {
    /// The barriers, by number.
    pub(crate) all: [Barrier; BARRIERS],
    /// The combined knowledge of threads of the CTA when they exited.
    pub(crate) exited: Knowledge,
}

/// One barrier of a CTA.
#[derive(Debug, Clone, Default)]
pub(crate) struct Barrier {
    /// How often it has completed.
    pub(crate) phase: u64,
    /// The lanes that have arrived, per warp.
    pub(crate) arrived: Vec<LaneMask>,
    /// Number of threads that have arrived and wait.
    pub(crate) waiting: u32,
    /// Number of threads in warps that have arrived again before the barrier completed.
    pub(crate) extra: u32,
    /// The first arrival of the phase; `None` before it.
    pub(crate) first: Option<FirstArrival>,
    /// For `.red`: number of threads that voted, and number of those with a true predicate.
    pub(crate) voted: (u32, u32),
    /// The combined knowledge of the arrived threads.
    pub(crate) knowledge: Knowledge,
    /// Completed phases for which threads still wait.
    pub(crate) done: Vec<CompletedPhase>,
}

/// The first arrival of a phase, which the others must match.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstArrival {
    /// Its instruction.
    pub(crate) site: InstructionSite,
    /// Number of threads that must arrive; `None` for all.
    pub(crate) count: Option<u32>,
    /// It is a `.red` instruction.
    pub(crate) reduces: bool,
}

/// A completed phase that threads still wait for.
#[derive(Debug, Clone)]
pub(crate) struct CompletedPhase {
    /// Its number.
    pub(crate) phase: u64,
    /// Number of threads that have not continued yet.
    pub(crate) waiting: u32,
    /// As in [`Barrier`].
    pub(crate) voted: (u32, u32),
    /// The combined knowledge of the threads that arrived.
    pub(crate) knowledge: Knowledge,
}

impl Barrier {
    /// Completes the current phase and begins the next one.
    pub(crate) fn complete(&mut self) {
        let done = CompletedPhase {
            phase: self.phase,
            waiting: std::mem::take(&mut self.waiting),
            voted: std::mem::take(&mut self.voted),
            knowledge: std::mem::take(&mut self.knowledge),
        };
        if done.waiting > 0 {
            self.done.push(done);
        }
        self.phase += 1;
        self.arrived.fill(0);
        (self.extra, self.first) = (0, None);
    }

    /// Whether all required threads have arrived. `gone`: for each warp, the lanes that have exited or never existed. `hopeless`: no other
    /// thread will arrive, so a warp that exited without arriving counts as arrived.
    pub(crate) fn is_complete(&self, gone: &[LaneMask], hopeless: bool) -> bool {
        let Some(first) = self.first else { return false };
        let arrived = |w: usize| self.arrived.get(w).copied().unwrap_or(0);
        let full = |w: usize| arrived(w) | gone.get(w).copied().unwrap_or(LaneMask::MAX) == LaneMask::MAX;
        match first.count {
            None => (0..gone.len()).all(full),
            Some(count) => {
                let counts = |w: &usize| full(*w) && (arrived(*w) != 0 || hopeless);
                let threads = 32 * (0..gone.len()).filter(counts).count() as u32;
                threads + self.extra >= count
            }
        }
    }
}

/// The barrier of a cluster.
#[derive(Debug, Clone, Default)]
pub struct ClusterBarrier {
    /// The lanes that have arrived since the barrier last completed, by CTA and warp.
    pub(crate) arrived: Vec<Vec<LaneMask>>,
    /// The lanes that have arrived and not yet waited, by CTA and warp.
    pub(crate) pending: Vec<Vec<LaneMask>>,
    /// The combined knowledge of the threads that have arrived in this phase.
    pub(crate) coming: Knowledge,
    /// The combined knowledge of the threads that had arrived when the barrier last completed.
    pub(crate) known: Knowledge,
}

#[cfg(test)]
mod tests {
    use super::Barrier;

    #[test]
    fn a_phase_for_which_nobody_waits_is_not_kept() {
        let mut barrier = Barrier { waiting: 0, ..Default::default() };
        barrier.complete();
        barrier.waiting = 3;
        barrier.complete();
        assert_eq!((barrier.done.len(), barrier.done[0].phase, barrier.phase), (1, 1, 2));
    }
}
