//! Barriers of a CTA and of a cluster: who has arrived, and what those know.
//!
//! What counts as an arrival is the warp: it has arrived when all its threads that have not exited have. With a thread count the barrier
//! completes when as many warps have arrived as that count holds, a partial warp counting as a whole one; without, when all threads of the
//! CTA have arrived or exited.

use super::races::Knowledge;
use crate::findings::InstructionSite;
use crate::lanes::LaneMask;

/// The number of barriers of a CTA.
pub(crate) const BARRIERS: usize = 16;

/// Barriers of a CTA.
#[derive(Debug, Clone, Default)]
pub struct Barriers {
    /// By number.
    pub(crate) all: [Barrier; BARRIERS],
    /// What threads of the CTA knew when they exited.
    pub(crate) exited: Knowledge,
}

/// A barrier.
#[derive(Debug, Clone, Default)]
pub(crate) struct Barrier {
    /// How often it has completed.
    pub(crate) phase: u64,
    /// The lanes that have arrived, by warp.
    pub(crate) arrived: Vec<LaneMask>,
    /// Threads that have arrived and wait.
    pub(crate) waiting: u32,
    /// Threads of warps that have arrived once more before it completed.
    pub(crate) extra: u32,
    /// What the first arrival said; nothing before it.
    pub(crate) first: Option<FirstArrival>,
    /// Of `.red`: threads, and those of them whose predicate is true.
    pub(crate) voted: (u32, u32),
    /// What those know who have arrived.
    pub(crate) knowledge: Knowledge,
    /// Phases that have completed while threads of them still wait.
    pub(crate) done: Vec<CompletedPhase>,
}

/// The first arrival of a phase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstArrival {
    /// The instruction.
    pub(crate) site: InstructionSite,
    /// Threads that must arrive; nothing: all.
    pub(crate) count: Option<u32>,
    /// It is `.red`.
    pub(crate) reduces: bool,
}

/// A phase that has completed.
#[derive(Debug, Clone)]
pub(crate) struct CompletedPhase {
    /// Its number.
    pub(crate) phase: u64,
    /// Threads that have not gone on yet.
    pub(crate) waiting: u32,
    /// As in [`Barrier`].
    pub(crate) voted: (u32, u32),
    /// What those knew who had arrived.
    pub(crate) knowledge: Knowledge,
}

impl Barrier {
    /// Ends the phase.
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

    /// Whether all have arrived, by the lanes of each warp that have exited or never were. `hopeless`: no other thread will arrive, and those who
    /// have exited count for the others.
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
    /// The lanes that have arrived since it completed last, by CTA and warp.
    pub(crate) arrived: Vec<Vec<LaneMask>>,
    /// The lanes that have arrived and not waited yet.
    pub(crate) pending: Vec<Vec<LaneMask>>,
    /// What those know who have arrived.
    pub(crate) coming: Knowledge,
    /// What those know who had arrived when it completed.
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
