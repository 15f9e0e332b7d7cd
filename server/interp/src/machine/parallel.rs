//! A grid on several threads of the host.
//!
//! CTAs that do not communicate give the same result in any order. Whether they communicate is known only after they have run, so several
//! machines execute parts of the grid at the same time, each from the same state, and note the words of global memory that they read and
//! write. If no part uses a word that another one writes, and nothing else has made a difference, the written words are put together.
//! Otherwise all of it is dropped, and one thread executes the grid. That is also what happens as soon as a part has a finding, so messages
//! and their order always come from one thread.

use super::limits::{MAX_IDLE_STEPS, MAX_RESIDENT_CTAS};
use super::state::part::GridPart;
use super::{Machine, Progress, RunStatus, Settings};
use crate::memory::{TouchedMemory, ledger};
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Minimum number of warp instructions of a grid that are worth several threads: some milliseconds. It is estimated from the first CTA.
const MIN_STEPS: u64 = 50_000;

/// Maximum size in bytes of global memory. Each machine has a list of its pages.
const MAX_BYTES: u64 = 1 << 28;

/// Maximum number of CTAs that a thread takes at a time.
const MAX_CTAS: u64 = 64;

/// Time between two polls for a cancellation while a thread waits for the others.
const CANCEL_INTERVAL: Duration = Duration::from_millis(1);

/// Whether the threads of a grid go on.
#[derive(Default)]
struct StopFlag(AtomicU8);

impl StopFlag {
    const CANCELLED: u8 = 1;
    const DROPPED: u8 = 2;

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// The caller has cancelled the run. What was reached is kept.
    fn cancel(&self) {
        self.0.fetch_max(Self::CANCELLED, Ordering::Relaxed);
    }

    /// One thread must execute the grid.
    fn drop_all(&self) {
        self.0.fetch_max(Self::DROPPED, Ordering::Relaxed);
    }

    fn is_dropped(&self) -> bool {
        self.0.load(Ordering::Relaxed) == Self::DROPPED
    }
}

/// How a part of a grid ended.
enum PartEnd {
    /// All its clusters have finished.
    Finished(Box<GridPart>),
    /// The run was cancelled meanwhile.
    Cancelled(Box<GridPart>),
    /// Its result may depend on other clusters, or was not reached.
    Dropped,
}

/// State that all threads of a grid share.
struct CommonState {
    /// The next CTA that no thread has taken.
    next: u64,
    /// How many times threads have taken CTAs.
    taken: u32,
    /// The words that all completed parts have used.
    touched: TouchedMemory,
    /// Number of blocks of shadow memory that contain these words.
    blocks: usize,
    /// Number of warp instructions of all completed parts.
    steps: u64,
    /// Their effort besides these.
    effort: u64,
    /// One thread would have executed some clusters beside others.
    overlaps: bool,
}

/// The machine of a thread when all is done or the run was cancelled, and the words that its parts have used.
type ThreadResult = (Machine, TouchedMemory);

impl Machine {
    /// Executes the grid on several threads, if it can be seen that this gives the same result as one thread. Otherwise the machine stands
    /// where one thread continues: at the beginning or after the first CTA.
    pub(crate) fn run_on_threads(&mut self, cancelled: &dyn Fn() -> bool) -> Option<RunStatus> {
        if !self.may_use_threads() {
            return None;
        }
        let begin = self.clone();
        let first = match self.run_part(0..1, cancelled) {
            PartEnd::Finished(first) => Some(first),
            PartEnd::Cancelled(_) => return Some(RunStatus::Cancelled),
            PartEnd::Dropped => None,
        };
        // One thread would have started the next cluster beside a first one that takes long.
        let is_exact = first.as_ref().is_some_and(|first| !first.overlaps);
        let rest = self.steps.saturating_mul(self.cluster_count() - 1);
        let worthwhile = first.filter(|first| rest >= MIN_STEPS && self.shadow_suffices(&first.touched));
        let done = worthwhile.and_then(|first| self.run_rest(first, cancelled));
        if done.is_none() && !is_exact {
            *self = begin;
        }
        done
    }

    /// Whether this machine is at the beginning of a grid of independent clusters with one CTA each, of a program that cannot see what
    /// happens elsewhere in the grid other than by global memory.
    fn may_use_threads(&self) -> bool {
        let executable = &self.executable;
        let sees_time = executable.codes.iter().flatten().any(|code| !code.clocks.is_empty());
        let fresh = self.steps == 0 && self.next_cluster == 0 && self.clusters.is_empty() && self.part.is_none();
        let plain = !executable.scoped && !executable.engine_global && !executable.textures && !sees_time;
        let bytes = self.memory.global.next_base(1).saturating_sub(executable.map.global);
        self.settings.threads > 1
            && fresh
            && plain
            && self.shape.cluster_ctas() == 1
            && self.cluster_count() > 1
            && bytes <= MAX_BYTES
            && self.is_unremarkable()
    }

    /// Whether the machine has no finding, no output, no image and no operation in flight.
    fn is_unremarkable(&self) -> bool {
        self.findings.faults.is_empty()
            && self.printed.is_empty()
            && self.flights.is_empty()
            && self.images.is_empty()
            && self.taken_over == 0
    }

    /// Whether the blocks of shadow memory are probably enough for the grid, by the words that the first CTA has used.
    fn shadow_suffices(&self, first: &TouchedMemory) -> bool {
        let all = self.memory.global.allocations().iter().map(|a| a.storage.len()).sum::<u64>();
        let all = (all / crate::memory::shadow::BLOCK as u64) as usize;
        let own = first.written_blocks().saturating_mul(self.cluster_count() as usize);
        self.races.stays_within_limits(&self.shape, std::iter::empty(), all.min(own) + self.shared_blocks())
    }

    /// Maximum number of blocks of shadow memory for the shared memory of a CTA.
    fn shared_blocks(&self) -> usize {
        let bytes = self.executable.shared_bytes + u64::from(self.shape.shared);
        bytes.div_ceil(crate::memory::shadow::BLOCK as u64) as usize
    }

    /// Executes some clusters.
    fn run_part(&mut self, clusters: Range<u64>, cancelled: &dyn Fn() -> bool) -> PartEnd {
        let heap = self.memory.global.next_base(1);
        let touched = TouchedMemory::new(self.executable.map.global);
        self.next_cluster = clusters.start;
        self.part = Some(Box::new(GridPart { end: clusters.end, touched, depends: false, overlaps: false }));
        let progress = self.advance(u64::MAX, None, cancelled);
        let Some(part) = self.part.take() else { return PartEnd::Dropped };
        let alone = !part.depends && self.is_unremarkable() && self.memory.global.next_base(1) == heap;
        match progress {
            Progress::Ended(RunStatus::Finished) if alone => PartEnd::Finished(part),
            Progress::Ended(RunStatus::Cancelled) if alone => PartEnd::Cancelled(part),
            _ => PartEnd::Dropped,
        }
    }

    /// Executes all clusters but the first on several threads. `None` if one thread must do it.
    fn run_rest(&mut self, first: Box<GridPart>, cancelled: &dyn Fn() -> bool) -> Option<RunStatus> {
        let count = self.cluster_count();
        let threads = self.settings.threads.min(usize::try_from(count - 1).unwrap_or(usize::MAX));
        let touched = TouchedMemory::new(self.executable.map.global);
        let mut common = CommonState { next: 1, taken: 0, touched, blocks: 0, steps: 0, effort: 0, overlaps: false };
        common.add(&first, (self.steps, self.effort), &self.settings);
        let (common, stop) = (Mutex::new(common), StopFlag::default());
        let base = &*self;
        let results: Option<Vec<ThreadResult>> = std::thread::scope(|scope| {
            let work = |cancelled: &dyn Fn() -> bool| base.run_parts(&common, &stop, threads as u64, cancelled);
            let start = |_| std::thread::Builder::new().spawn_scoped(scope, move || work(&|| false)).ok();
            let helpers: Vec<_> = (1..threads).filter_map(start).collect();
            let own = work(cancelled);
            while !helpers.iter().all(|helper| helper.is_finished()) {
                if cancelled() {
                    stop.cancel();
                }
                std::thread::sleep(CANCEL_INTERVAL);
            }
            // A thread that panics has no result.
            let others = helpers.into_iter().map(|helper| helper.join().ok().flatten());
            std::iter::once(own).chain(others).collect()
        });
        let mut results = results?;
        let common = common.into_inner().unwrap_or_else(PoisonError::into_inner);
        if stop.is_dropped() || !self.stays_within_limits(&mut results, &common) {
            return None;
        }
        if !results.iter().all(|(machine, touched)| self.has_changed_only(machine, touched)) {
            debug_assert!(false, "an access to global memory was not noted");
            return None;
        }
        let (steps, effort, progress) = (self.steps, self.effort, self.progress);
        for (machine, touched) in results {
            for range in touched.written() {
                self.memory.global.adopt(&machine.memory.global, range);
            }
            self.steps += machine.steps - steps;
            self.effort += machine.effort - effort;
            self.progress += machine.progress - progress;
            // Those that a cancelled run leaves behind.
            self.clusters.extend(machine.clusters);
        }
        let grown = self.memory.count() + ledger::collect();
        self.hold(grown);
        self.next_cluster = common.next;
        Some(if stop.is_set() { RunStatus::Cancelled } else { RunStatus::Finished })
    }

    /// Executes parts of the grid on a copy of the machine, as long as there are any. `None` if the parts depend on each other.
    fn run_parts(
        &self,
        common: &Mutex<CommonState>,
        stop: &StopFlag,
        threads: u64,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<ThreadResult> {
        let (mut machine, count) = (self.clone(), self.cluster_count());
        // Together the threads may hold no more than one run.
        let room = self.settings.memory.saturating_sub(self.kept) / threads.max(1);
        machine.settings.memory = self.kept.saturating_add(room);
        let mut all = TouchedMemory::new(self.executable.map.global);
        let stops = || {
            if cancelled() {
                stop.cancel();
            }
            stop.is_set()
        };
        while !stop.is_set() {
            let clusters = lock(common).take(count, threads);
            if clusters.is_empty() {
                break;
            }
            let before = (machine.steps, machine.effort);
            let (PartEnd::Finished(part) | PartEnd::Cancelled(part)) = machine.run_part(clusters, &stops) else {
                stop.drop_all();
                return None;
            };
            all.join(&part.touched);
            let mut common = lock(common);
            let fits = common.add(&part, (machine.steps - before.0, machine.effort - before.1), &self.settings)
                && self.races.stays_within_limits(
                    &self.shape,
                    std::iter::empty(),
                    common.blocks + self.shared_blocks(),
                );
            if !fits {
                stop.drop_all();
                return None;
            }
        }
        Some((machine, all))
    }

    /// Whether one run would have stayed within all limits.
    fn stays_within_limits(&self, results: &mut [ThreadResult], common: &CommonState) -> bool {
        // Maximum number of clusters that one thread would have executed beside each other.
        let resident = if common.overlaps {
            (1 + common.steps / MAX_IDLE_STEPS).min(self.cluster_count()).min(MAX_RESIDENT_CTAS as u64)
        } else {
            1
        };
        let (mut kept, mut most) = (self.kept, 0);
        for (machine, _) in results.iter_mut() {
            let uncounted = machine.memory.count();
            let grown = machine.most_kept.saturating_add(uncounted).saturating_sub(self.kept);
            kept = kept.saturating_add(grown);
            most = most.max(grown);
        }
        kept = kept.saturating_add(most.saturating_mul(resident - 1));
        let shared = self.shared_blocks().saturating_mul(resident as usize);
        let races = results.iter().map(|(machine, _)| &machine.races);
        kept <= self.settings.memory
            && self.races.stays_within_limits(&self.shape, races, common.blocks.saturating_add(shared))
    }

    /// Whether all bytes of global memory in which a machine differs from this one lie in the written words.
    fn has_changed_only(&self, machine: &Self, touched: &TouchedMemory) -> bool {
        let mut noted = true;
        let before = self.memory.global.allocations();
        for (now, before) in machine.memory.global.allocations().iter().zip(before) {
            now.storage.differences(&before.storage, 0..u64::MAX, &mut |at, bytes| {
                noted &= (0..bytes.len() as u64).all(|byte| touched.has_written(now.base + at + byte));
            });
        }
        noted
    }
}

impl CommonState {
    /// The next clusters for a thread. The first parts are short, so that threads soon know whether parts use the same words.
    fn take(&mut self, count: u64, threads: u64) -> Range<u64> {
        let left = count.saturating_sub(self.next);
        let most = 1 << (u64::from(self.taken) / threads.max(1)).min(16);
        let size = (left / (4 * threads.max(1))).clamp(1, MAX_CTAS).min(most).min(left);
        let start = self.next;
        self.next += size;
        self.taken = self.taken.saturating_add(1);
        start..self.next
    }

    /// Adds a part with its steps and its effort. Returns false if it uses words of other parts, or the run reaches one of its limits.
    fn add(&mut self, part: &GridPart, (steps, effort): (u64, u64), settings: &Settings) -> bool {
        let apart = !self.touched.conflicts(&part.touched);
        self.blocks += self.touched.join(&part.touched);
        self.steps = self.steps.saturating_add(steps);
        self.effort = self.effort.saturating_add(effort);
        self.overlaps |= part.overlaps;
        apart && self.steps <= settings.limit && self.effort < settings.effort()
    }
}

fn lock(common: &Mutex<CommonState>) -> MutexGuard<'_, CommonState> {
    common.lock().unwrap_or_else(PoisonError::into_inner)
}
