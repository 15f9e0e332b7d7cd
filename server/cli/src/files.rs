//! Work on many files: in parallel, with results in order and a progress line.

use super::source::InputOrigin;
use super::terminal;
use std::io::{self, IsTerminal, Write, stderr};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Stack size of a worker in bytes, because checks recurse into deep trees. It reserves address space, not memory.
const STACK: usize = 64 << 20;

/// Whether a report was written, as far as its reader cares. Complains about a write error.
pub fn is_written(result: io::Result<()>) -> bool {
    match result {
        // A reader that closes the pipe early, as in `… | head`, is not an error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("the report cannot be written: {error}"));
            false
        }
        _ => true,
    }
}

/// Writes a line to standard error, safe for a terminal. Errors are ignored, because standard error may be closed.
pub fn complain(line: &str) {
    let _ = writeln!(stderr().lock(), "{}", terminal::for_stderr(line));
}

/// Applies `work` to all files on several threads and passes the results to a consumer in the order of the files. The
/// second argument of `work` is the number of threads that it may use itself: more than one if there are fewer files
/// than jobs. `verb` is the word for the work in the progress line.
pub fn all<T: Send>(
    origins: &[InputOrigin],
    jobs: Option<NonZero<usize>>,
    verb: &'static str,
    work: impl Fn(&InputOrigin, usize) -> T + Sync,
    mut done: impl FnMut(&InputOrigin, T) -> io::Result<()>,
) -> io::Result<()> {
    let processors = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let all = jobs.map_or_else(processors, NonZero::get);
    let jobs = all.min(origins.len());
    let threads = all / jobs.max(1);
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        let (next, work) = (&next, &work);
        for _ in 0..jobs {
            let sender = sender.clone();
            let work = move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(origin) = origins.get(index) else {
                        return;
                    };
                    // The receiver is gone after the report could not be written.
                    if sender.send((index, work(origin, threads))).is_err() {
                        return;
                    }
                }
            };
            let builder = std::thread::Builder::new().name("files".into()).stack_size(STACK);
            if let Err(error) = builder.spawn_scoped(scope, work) {
                tracing::warn!("one thread less: {error}");
            }
        }
        drop(sender);
        in_order(origins, verb, &results, &mut done)
    })
}

/// Receives results in any order, passes them on in the order of the files, and shows progress meanwhile.
fn in_order<T>(
    origins: &[InputOrigin],
    verb: &'static str,
    results: &mpsc::Receiver<(usize, T)>,
    done: &mut impl FnMut(&InputOrigin, T) -> io::Result<()>,
) -> io::Result<()> {
    let mut progress = ProgressLine::new(origins.len(), verb);
    let mut waiting: Vec<Option<T>> = origins.iter().map(|_| None).collect();
    let mut next = 0;
    loop {
        match results.recv_timeout(Duration::from_millis(100)) {
            Ok((index, outcome)) => {
                waiting[index] = Some(outcome);
                progress.done += 1;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                progress.clear();
                return Ok(());
            }
        }
        if waiting.get(next).is_some_and(Option::is_some) {
            progress.clear();
        }
        while let Some(outcome) = waiting.get_mut(next).and_then(Option::take) {
            done(&origins[next], outcome)?;
            next += 1;
        }
        progress.show();
    }
}

/// A progress line on the terminal, shown once the work takes long.
struct ProgressLine {
    begin: Instant,
    all: usize,
    verb: &'static str,
    done: usize,
    shown: Option<usize>,
    terminal: bool,
}

impl ProgressLine {
    fn new(all: usize, verb: &'static str) -> Self {
        Self { begin: Instant::now(), all, verb, done: 0, shown: None, terminal: stderr().is_terminal() }
    }

    fn show(&mut self) {
        if self.terminal && self.begin.elapsed() > Duration::from_secs(1) && self.shown != Some(self.done) {
            let _ = write!(stderr().lock(), "\r\x1b[K{} {} of {} files", self.verb, self.done, self.all);
            let _ = stderr().flush();
            self.shown = Some(self.done);
        }
    }

    fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(stderr().lock(), "\r\x1b[K");
        }
    }
}
