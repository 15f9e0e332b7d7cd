//! The threads of documents.
//!
//! A document's worker waits for edits most of the time. So a document has no thread of its own: a few threads run the workers that have
//! something to do, the most urgent first ([`Demand`]), and end when there is nothing to do. A check may take seconds; a worker that
//! has run for a while ([`LONG`]) does not count among the few any more, so that another thread goes on with the other documents.

use crate::platform::{Demand, DemandLevel};
use crate::sync::lock;
use futures::future::BoxFuture;
use std::io::Result;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

/// Stack size of a thread that checks texts in bytes: trees can nest deeply, and a check may recurse along them. This is address
/// space, not memory.
pub const WORKER_STACK: usize = 64 << 20;

/// A worker that runs longer than this without a pause keeps no other one waiting.
const LONG: Duration = Duration::from_millis(250);

/// Time without work after which a thread releases the memory of closed documents, and ends if there is none. The last one stays.
const KEEP_ALIVE: Duration = Duration::from_millis(200);

/// Releases memory that the current thread has kept for itself.
static RELEASE: OnceLock<fn()> = OnceLock::new();

/// Sets the function by which a thread gives the memory of closed documents back to the system. Without it the allocator decides when.
pub fn release_memory_by(release: fn()) {
    let _ = RELEASE.set(release);
}

/// The threads of documents, and the workers that wait for one.
#[derive(Clone)]
pub struct DocumentThreads(Arc<Threads>);

struct Threads {
    /// The number of workers that run at a time, without those that take long. As many again may run if somebody waits for them.
    places: usize,
    /// A worker that runs longer than this without a pause keeps no other one waiting.
    long: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Workers with something to do, the one that has waited longest first.
    ready: Vec<Arc<Task>>,
    /// When each of the threads that are busy began what it does.
    running: Vec<Instant>,
    /// Threads without work, the one that became idle last at the end: its caches are the warmest.
    idle: Vec<Arc<Condvar>>,
    /// The number of threads.
    threads: usize,
    /// Whether an idle thread waits for the moment in which a running worker counts as long.
    watched: bool,
    /// The number of workers that have ended: their memory may be in the hands of any thread that has run one.
    ended: u64,
    /// Whether threads end when there is no work.
    closed: bool,
}

/// The worker of a document.
struct Task {
    demand: Arc<Demand>,
    /// Nothing after its end.
    work: Mutex<Option<BoxFuture<'static, ()>>>,
    /// Changes only while the pool is locked.
    phase: Mutex<Phase>,
    threads: Arc<Threads>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Waits for something outside.
    Waiting,
    /// Waits for a thread.
    Ready,
    Running,
    /// Runs, and is to run again.
    Woken,
}

impl std::fmt::Debug for DocumentThreads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DocumentThreads").field("threads", &lock(&self.0.state).threads).finish_non_exhaustive()
    }
}

impl DocumentThreads {
    /// Creates the pool; threads start when they are needed.
    pub fn new() -> Self {
        Self::with_places(std::thread::available_parallelism().map_or(2, NonZero::get).clamp(2, 16), LONG)
    }

    fn with_places(places: usize, long: Duration) -> Self {
        Self(Arc::new(Threads { places, long, state: Mutex::default() }))
    }

    /// Starts a worker.
    ///
    /// # Errors
    /// If there is no thread, and the system starts none.
    pub fn start(&self, demand: Arc<Demand>, work: BoxFuture<'static, ()>) -> Result<()> {
        let (work, phase, threads) = (Mutex::new(Some(work)), Mutex::new(Phase::Ready), Arc::clone(&self.0));
        self.0.enqueue(&mut lock(&self.0.state), Arc::new(Task { demand, work, phase, threads }))
    }

    /// Lets the threads end once they have nothing to do.
    pub fn close(&self) {
        let mut state = lock(&self.0.state);
        state.closed = true;
        state.idle.iter().for_each(|thread| thread.notify_one());
    }
}

impl State {
    /// The most urgent worker, and of several the one that was woken last: the user has just turned to it.
    fn most_urgent(&self) -> Option<(usize, DemandLevel)> {
        let levels = self.ready.iter().map(|task| task.demand.level()).enumerate();
        levels.max_by_key(|(index, level)| (*level, *index))
    }

    /// Records that a thread is busy; returns since when.
    fn begin(&mut self) -> Instant {
        let begun = Instant::now();
        self.running.push(begun);
        begun
    }

    /// Records that a thread is no longer busy.
    fn end(&mut self, begun: Instant) {
        if let Some(place) = self.running.iter().position(|other| *other == begun) {
            self.running.swap_remove(place);
        }
    }

    /// Takes the next worker to run; otherwise returns how long the running ones hold the next one up, `None` if there is none.
    fn next(&mut self, places: usize, long: Duration) -> std::result::Result<Arc<Task>, Option<Duration>> {
        let Some((index, level)) = self.most_urgent() else { return Err(None) };
        let now = Instant::now();
        let left = |begun: &Instant| long.checked_sub(now.saturating_duration_since(*begun));
        let short = self.running.iter().filter_map(left);
        let places = if level == DemandLevel::Awaited { 2 * places } else { places };
        if short.clone().count() < places { Ok(self.ready.remove(index)) } else { Err(short.min()) }
    }
}

impl Threads {
    /// Lets a worker wait for a thread.
    fn enqueue(self: &Arc<Self>, state: &mut State, task: Arc<Task>) -> Result<()> {
        let is_awaited = task.demand.level() == DemandLevel::Awaited;
        state.ready.push(task);
        // A thread that watches the running workers looks at this one in time.
        if state.watched && !is_awaited {
            return Ok(());
        }
        let done = self.look_after(state);
        if done.is_err() && state.threads == 0 {
            state.ready.pop();
            return done;
        }
        Ok(())
    }

    /// Makes sure that a thread looks at the workers that wait: an idle one, else a new one. Without a new one the threads that run look
    /// after them later.
    fn look_after(self: &Arc<Self>, state: &mut State) -> Result<()> {
        if let Some(thread) = state.idle.pop() {
            thread.notify_one();
            return Ok(());
        }
        if state.threads > state.running.len() {
            // One has just been woken or started.
            return Ok(());
        }
        let threads = Arc::clone(self);
        let builder = std::thread::Builder::new().name("document".into()).stack_size(WORKER_STACK);
        builder.spawn(move || threads.serve())?;
        state.threads += 1;
        Ok(())
    }

    /// The work of a thread.
    fn serve(self: Arc<Self>) {
        let wake = Arc::new(Condvar::new());
        let mut state = lock(&self.state);
        let mut released = state.ended;
        loop {
            match state.next(self.places, self.long) {
                Ok(task) => {
                    let begun = state.begin();
                    *lock(&task.phase) = Phase::Running;
                    if !state.ready.is_empty() && !state.watched {
                        let _ = self.look_after(&mut state);
                    }
                    drop(state);
                    let ended = task.run();
                    state = lock(&self.state);
                    state.ended += u64::from(ended);
                    state.end(begun);
                    if task.settle() {
                        state.ready.push(Arc::clone(&task));
                    }
                    // If nothing can wake the worker any more, its end must not find the pool locked.
                    drop(state);
                    drop(task);
                    state = lock(&self.state);
                }
                Err(None) if state.closed => break,
                Err(held_up) => {
                    let is_last = state.threads == 1 && released == state.ended;
                    let time = held_up.or((!is_last).then_some(KEEP_ALIVE));
                    let over;
                    (state, over) = self.wait(state, &wake, held_up.is_some(), time);
                    if !over || !state.ready.is_empty() {
                        continue;
                    }
                    if released != state.ended {
                        released = state.ended;
                        // Another thread does what comes meanwhile.
                        let begun = state.begin();
                        drop(state);
                        RELEASE.get().iter().for_each(|release| release());
                        state = lock(&self.state);
                        state.end(begun);
                    } else if state.threads > 1 {
                        break;
                    }
                }
            }
        }
        state.threads -= 1;
    }

    /// Waits until this thread is woken, or for a time: that until a running worker counts as long, if this thread `watches`. The second result
    /// is true if the time is over.
    fn wait<'s>(
        &self,
        mut state: MutexGuard<'s, State>,
        wake: &Arc<Condvar>,
        watches: bool,
        time: Option<Duration>,
    ) -> (MutexGuard<'s, State>, bool) {
        state.watched |= watches;
        state.idle.push(Arc::clone(wake));
        let over;
        (state, over) = match time {
            Some(time) => {
                let (state, waited) = wake.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner);
                (state, waited.timed_out())
            }
            None => (wake.wait(state).unwrap_or_else(PoisonError::into_inner), false),
        };
        if watches {
            state.watched = false;
        }
        if let Some(place) = state.idle.iter().position(|thread| Arc::ptr_eq(thread, wake)) {
            state.idle.remove(place);
        }
        (state, over)
    }
}

impl Task {
    /// Runs the worker until it waits; returns whether it has ended.
    fn run(self: &Arc<Self>) -> bool {
        let waker = Waker::from(Arc::clone(self));
        let mut work = lock(&self.work);
        let Some(future) = work.as_mut() else { return true };
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Context::from_waker(&waker))));
        if matches!(polled, Ok(Poll::Pending)) {
            return false;
        }
        // Workers catch panics; one that did not is at its end.
        let done = work.take();
        if catch_unwind(AssertUnwindSafe(|| drop(done))).is_err() || polled.is_err() {
            tracing::error!("a panic has ended the worker of a document");
        }
        true
    }

    /// Notes the end of a run; returns whether the worker was woken meanwhile. The pool is locked.
    fn settle(&self) -> bool {
        let mut phase = lock(&self.phase);
        let woken = *phase == Phase::Woken;
        *phase = if woken { Phase::Ready } else { Phase::Waiting };
        woken
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let threads = Arc::clone(&self.threads);
        let mut state = lock(&threads.state);
        {
            let mut phase = lock(&self.phase);
            match *phase {
                Phase::Waiting => *phase = Phase::Ready,
                Phase::Running => return *phase = Phase::Woken,
                Phase::Ready | Phase::Woken => return,
            }
        }
        // There is a thread, since the last one never ends.
        let _ = threads.enqueue(&mut state, self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use tokio::sync::Notify;

    const TIMEOUT: Duration = Duration::from_secs(20);

    fn demand(level: DemandLevel) -> Arc<Demand> {
        let demand = Demand::default();
        match level {
            DemandLevel::Checked => {}
            DemandLevel::Unchecked => demand.change(false),
            DemandLevel::Awaited => demand.change(true),
        }
        assert_eq!(demand.level(), level);
        Arc::new(demand)
    }

    /// Starts a worker that runs until it is let go, without a pause.
    fn block(threads: &DocumentThreads, level: DemandLevel) -> Sender<()> {
        let (free, until) = channel::<()>();
        let (began, begun) = channel();
        let work = async move {
            began.send(()).unwrap();
            let _ = until.recv();
        };
        threads.start(demand(level), work.boxed()).unwrap();
        begun.recv_timeout(TIMEOUT).unwrap();
        free
    }

    /// Starts a worker that says its name.
    fn say(threads: &DocumentThreads, demand: Arc<Demand>, name: &'static str, said: &Sender<&'static str>) {
        let said = said.clone();
        threads.start(demand, async move { said.send(name).unwrap() }.boxed()).unwrap();
    }

    fn counts(threads: &DocumentThreads) -> (usize, usize) {
        let state = lock(&threads.0.state);
        (state.threads, state.ready.len())
    }

    fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
        let begin = Instant::now();
        while !holds() {
            assert!(begin.elapsed() < TIMEOUT, "{what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn all(heard: &Receiver<&'static str>, count: usize) -> Vec<&'static str> {
        (0..count).map(|_| heard.recv_timeout(TIMEOUT).unwrap()).collect()
    }

    #[test]
    fn workers_that_wait_need_no_thread() {
        let threads = DocumentThreads::with_places(2, LONG);
        let go = Arc::new(Notify::new());
        let (said, heard) = channel();
        for _ in 0..1_000 {
            let (go, said) = (Arc::clone(&go), said.clone());
            let work = async move {
                let change = go.notified();
                said.send("waits").unwrap();
                change.await;
                said.send("woken").unwrap();
            };
            threads.start(demand(DemandLevel::Unchecked), work.boxed()).unwrap();
        }
        all(&heard, 1_000);
        // Two run, and one watches.
        assert!(counts(&threads).0 <= 4, "{threads:?}");
        eventually("one thread stays", || counts(&threads) == (1, 0));
        go.notify_waiters();
        assert!(all(&heard, 1_000).iter().all(|word| *word == "woken"));
        threads.close();
        eventually("no thread stays", || counts(&threads) == (0, 0));
    }

    #[test]
    fn the_most_urgent_worker_runs_first() {
        let threads = DocumentThreads::with_places(1, TIMEOUT);
        let (said, heard) = channel();
        let (first, second) = (block(&threads, DemandLevel::Unchecked), block(&threads, DemandLevel::Awaited));
        // All places are taken, even those for what somebody waits for.
        say(&threads, demand(DemandLevel::Checked), "lints", &said);
        say(&threads, demand(DemandLevel::Unchecked), "opened", &said);
        say(&threads, demand(DemandLevel::Awaited), "edited", &said);
        say(&threads, demand(DemandLevel::Unchecked), "opened last", &said);
        let asked = demand(DemandLevel::Unchecked);
        say(&threads, Arc::clone(&asked), "asked", &said);
        let waits = asked.wait();
        assert_eq!(asked.level(), DemandLevel::Awaited);
        drop(first);
        assert_eq!(all(&heard, 2), ["asked", "edited"]);
        // The others wait for the place that is still taken.
        assert!(heard.try_recv().is_err());
        drop(second);
        assert_eq!(all(&heard, 3), ["opened last", "opened", "lints"]);
        drop(waits);
        assert_eq!(asked.level(), DemandLevel::Unchecked);
    }

    #[test]
    fn an_edit_waits_for_no_other_document() {
        let long = Duration::from_millis(100);
        let threads = DocumentThreads::with_places(1, long);
        let (said, heard) = channel();
        let begin = Instant::now();
        let busy = block(&threads, DemandLevel::Unchecked);
        say(&threads, demand(DemandLevel::Unchecked), "opened", &said);
        say(&threads, demand(DemandLevel::Awaited), "edited", &said);
        assert_eq!(all(&heard, 1), ["edited"]);
        // A worker that takes long holds nobody up.
        assert_eq!(all(&heard, 1), ["opened"]);
        assert!(begin.elapsed() >= long, "{:?}", begin.elapsed());
        drop(busy);
    }

    #[test]
    fn a_worker_that_is_woken_while_it_runs_runs_again() {
        let threads = DocumentThreads::with_places(1, LONG);
        let (said, heard) = channel();
        let mut left = 100;
        let work = std::future::poll_fn(move |context| {
            left -= 1;
            context.waker().wake_by_ref();
            said.send("again").unwrap();
            if left == 0 { Poll::Ready(()) } else { Poll::Pending }
        });
        threads.start(demand(DemandLevel::Checked), work.boxed()).unwrap();
        all(&heard, 100);
        assert!(heard.recv_timeout(TIMEOUT).is_err(), "it has ended");
    }

    #[test]
    fn a_panic_ends_no_thread() {
        let threads = DocumentThreads::with_places(1, LONG);
        let (said, heard) = channel();
        threads.start(demand(DemandLevel::Unchecked), async { panic!("on purpose") }.boxed()).unwrap();
        say(&threads, demand(DemandLevel::Unchecked), "goes on", &said);
        assert_eq!(all(&heard, 1), ["goes on"]);
    }
}
