//! Runs the work of a server on one thread, in time slices.

use futures::FutureExt;
use futures::future::{BoxFuture, LocalBoxFuture};
use ptx_clock::Instant;
use ptx_lsp::platform::{Computation, Demand, Platform, Pool, WorkerTask};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::Result;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

/// The urgency of work, the most urgent first. Work that is less urgent runs only when no other work is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Urgency {
    /// Messages, and requests that wait for others.
    Message,
    /// Short requests that the user waits for.
    Instant,
    /// The other requests.
    Request,
    /// The worker of a document.
    Document,
    /// A run of a kernel.
    Evaluation,
    /// Files that are not open.
    File,
}

/// The number of urgencies.
const URGENCIES: usize = Urgency::File as usize + 1;

/// The number of files that are examined at a time: while one is read, the next one is checked.
const EXAMINERS: usize = 4;

/// Work that has not started.
enum NewWork {
    Future(BoxFuture<'static, ()>),
    Computation(Computation),
}

impl From<BoxFuture<'static, ()>> for NewWork {
    fn from(work: BoxFuture<'static, ()>) -> Self {
        Self::Future(work)
    }
}

impl From<Computation> for NewWork {
    fn from(work: Computation) -> Self {
        Self::Computation(work)
    }
}

/// Identifies a task.
type TaskId = u64;

#[derive(Default)]
struct Schedule {
    started: Vec<(Urgency, Option<Arc<str>>, NewWork)>,
    ready: [VecDeque<TaskId>; URGENCIES],
    /// Timers by time; several may have the same.
    timers: BTreeMap<(Instant, u64), Waker>,
    timer_count: u64,
    /// The end of the current time slice.
    slice_end: Option<Instant>,
    working: Option<Working>,
    /// What the current task works on, if it has said that since it was polled.
    named: Option<Arc<str>>,
}

/// The part of the executor that work sees: its platform.
#[derive(Clone, Default)]
pub struct OneThread(Arc<Mutex<Schedule>>);

impl std::fmt::Debug for OneThread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OneThread").finish_non_exhaustive()
    }
}

impl OneThread {
    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self, urgency: Urgency, label: Option<&str>, work: NewWork) {
        self.schedule().started.push((urgency, label.map(Arc::from), work));
    }
}

impl Platform for OneThread {
    fn spawn(&self, work: BoxFuture<'static, ()>) {
        self.start(Urgency::Message, None, NewWork::Future(work));
    }

    fn compute(&self, pool: Pool, work: Computation) {
        let urgency = match pool {
            Pool::Instant => Urgency::Instant,
            Pool::Requests => Urgency::Request,
            Pool::Evaluations => Urgency::Evaluation,
        };
        self.start(urgency, None, NewWork::Computation(work));
    }

    fn start_worker(&self, document: &str, _: Arc<Demand>, work: WorkerTask) -> Result<()> {
        self.start(Urgency::Document, Some(document), work.into());
        Ok(())
    }

    fn start_examiner(&self, work: Computation) -> Result<()> {
        self.start(Urgency::File, None, NewWork::Computation(work));
        Ok(())
    }

    fn examiners(&self) -> usize {
        EXAMINERS
    }

    fn works_on(&self, name: &str) {
        let working = {
            let mut schedule = self.schedule();
            schedule.named = Some(Arc::from(name));
            schedule.working
        };
        if let Some(working) = working {
            working(Some(name));
        }
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Sleep { platform: self.clone(), until: Instant::now() + time, registered: None }.boxed()
    }

    fn slice_is_over(&self) -> bool {
        let end = self.schedule().slice_end;
        end.is_some_and(|end| Instant::now() >= end)
    }

    fn next_slice(&self) -> BoxFuture<'static, ()> {
        NextSlice(false).boxed()
    }
}

/// Done after its first poll.
struct NextSlice(bool);

impl Future for NextSlice {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// A timer.
struct Sleep {
    platform: OneThread,
    until: Instant,
    registered: Option<(Instant, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.until {
            return Poll::Ready(());
        }
        let mut schedule = self.platform.schedule();
        let key = self.registered.unwrap_or_else(|| {
            schedule.timer_count += 1;
            (self.until, schedule.timer_count)
        });
        schedule.timers.insert(key, context.waker().clone());
        drop(schedule);
        self.registered = Some(key);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.registered {
            self.platform.schedule().timers.remove(&key);
        }
    }
}

/// Puts a task into the queue of its urgency.
struct TaskWaker {
    task: TaskId,
    urgency: Urgency,
    schedule: OneThread,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let queue = &mut self.schedule.schedule().ready[self.urgency as usize];
        if !queue.contains(&self.task) {
            queue.push_back(self.task);
        }
    }
}

struct Task {
    work: LocalBoxFuture<'static, ()>,
    waker: Waker,
    label: Option<Arc<str>>,
}

/// What is left to do after a time slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// Work is ready.
    Ready,
    /// The next work is ready after this time.
    In(Duration),
    /// All work waits for messages.
    Nothing,
}

/// Called before and after each part of the work on a document: its name, or `None`.
pub type Working = fn(Option<&str>);

/// Owner of the work.
pub struct Executor {
    platform: OneThread,
    tasks: HashMap<TaskId, Task>,
    last: TaskId,
    working: Working,
}

impl Executor {
    /// Creates an executor without work.
    pub fn new(working: Working) -> Self {
        let platform = OneThread::default();
        platform.schedule().working = Some(working);
        Self { platform, tasks: HashMap::new(), last: 0, working }
    }

    /// Returns the platform for the work.
    pub fn platform(&self) -> OneThread {
        self.platform.clone()
    }

    /// Runs work for about `slice`: no work starts later, and long work interrupts itself. Ends after any part of the work when
    /// `stop` returns true.
    pub fn run(&mut self, slice: Duration, stop: impl Fn() -> bool) -> Rest {
        let end = Instant::now() + slice;
        self.platform.schedule().slice_end = Some(end);
        loop {
            self.admit();
            let Some(task) = self.next() else { break };
            self.poll(task);
            if stop() || Instant::now() >= end {
                break;
            }
        }
        self.rest()
    }

    /// Accepts new work, and wakes work whose time has come.
    fn admit(&mut self) {
        let platform = self.platform.clone();
        let started = std::mem::take(&mut platform.schedule().started);
        for (urgency, label, work) in started {
            self.last += 1;
            let task = self.last;
            let waker = Waker::from(Arc::new(TaskWaker { task, urgency, schedule: platform.clone() }));
            let work = match work {
                NewWork::Future(work) => work,
                NewWork::Computation(start) => async move { start().await }.boxed_local(),
            };
            self.tasks.insert(task, Task { work, waker, label });
            platform.schedule().ready[urgency as usize].push_back(task);
        }
        let now = Instant::now();
        let due: Vec<Waker> = {
            let mut schedule = platform.schedule();
            let later = schedule.timers.split_off(&(now, u64::MAX));
            std::mem::replace(&mut schedule.timers, later).into_values().collect()
        };
        due.into_iter().for_each(Waker::wake);
    }

    fn next(&self) -> Option<TaskId> {
        self.platform.schedule().ready.iter_mut().find_map(VecDeque::pop_front)
    }

    fn poll(&mut self, id: TaskId) {
        // A task that is done may have been woken before.
        let Some(mut task) = self.tasks.remove(&id) else { return };
        let label = task.label.clone();
        if let Some(label) = &label {
            (self.working)(Some(label));
        }
        let done = task.work.poll_unpin(&mut Context::from_waker(&task.waker)).is_ready();
        let named = self.platform.schedule().named.take();
        let is_labelled = label.is_some() || named.is_some();
        task.label = named.or(label);
        if !done {
            self.tasks.insert(id, task);
        }
        if is_labelled {
            (self.working)(None);
        }
    }

    fn rest(&self) -> Rest {
        let schedule = self.platform.schedule();
        if !schedule.started.is_empty() || schedule.ready.iter().any(|queue| !queue.is_empty()) {
            return Rest::Ready;
        }
        let first = schedule.timers.first_key_value();
        first.map_or(Rest::Nothing, |((until, _), _)| Rest::In(until.saturating_duration_since(Instant::now())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    const SLICE: Duration = Duration::from_millis(5);

    fn executor() -> Executor {
        Executor::new(|_| {})
    }

    /// Work of several slices, of which each sends a word.
    fn long(platform: &OneThread, words: Sender<&'static str>, word: &'static str) -> BoxFuture<'static, ()> {
        let platform = platform.clone();
        let work = async move {
            for _ in 0..3 {
                words.send(word).unwrap();
                while !platform.slice_is_over() {
                    std::hint::spin_loop();
                }
                platform.next_slice().await;
            }
        };
        work.boxed()
    }

    #[test]
    fn urgent_work_overtakes_long_work() {
        let mut executor = executor();
        let platform = executor.platform();
        let (words, heard) = channel();
        let run = long(&platform, words.clone(), "run");
        platform.compute(Pool::Evaluations, Box::new(|| run.boxed_local()));
        platform.start_worker("a", Arc::default(), long(&platform, words.clone(), "check")).unwrap();
        assert_eq!(executor.run(SLICE, || false), Rest::Ready);
        let message = words.clone();
        platform.spawn(async move { message.send("edit").unwrap() }.boxed());
        drop(words);
        while executor.run(SLICE, || false) == Rest::Ready {}
        let all: Vec<_> = heard.iter().collect();
        assert_eq!(all, ["check", "edit", "check", "check", "run", "run", "run"]);
        assert_eq!(executor.run(SLICE, || false), Rest::Nothing);
        assert!(executor.tasks.is_empty());
    }

    #[test]
    fn timers_wake_their_work() {
        let mut executor = executor();
        let platform: Arc<dyn Platform> = Arc::new(executor.platform());
        let (words, heard) = channel();
        let sleeper = Arc::clone(&platform);
        platform.spawn(
            async move {
                assert_eq!(sleeper.timeout(Duration::from_secs(60), async { 1 }).await, Some(1));
                let never = std::future::pending::<()>();
                assert_eq!(sleeper.timeout(Duration::from_millis(20), never).await, None);
                words.send("later").unwrap();
            }
            .boxed(),
        );
        let Rest::In(left) = executor.run(SLICE, || false) else { panic!("a timer") };
        assert!(left <= Duration::from_millis(20), "{left:?}");
        std::thread::sleep(left);
        while executor.run(SLICE, || false) != Rest::Nothing {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(heard.recv(), Ok("later"));
    }

    #[test]
    fn work_on_a_document_has_its_name() {
        static NAMES: Mutex<Vec<Option<String>>> = Mutex::new(Vec::new());
        let mut executor = Executor::new(|name| NAMES.lock().unwrap().push(name.map(str::to_owned)));
        let platform = executor.platform();
        platform.spawn(async {}.boxed());
        platform.start_worker("file:///a.ptx", Arc::default(), async {}.boxed()).unwrap();
        assert_eq!(executor.run(SLICE, || false), Rest::Nothing);
        assert_eq!(*NAMES.lock().unwrap(), [Some("file:///a.ptx".to_owned()), None]);
    }
}
