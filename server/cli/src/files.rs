//! Work on many files: in parallel, with results in order and a progress line.

use super::source::InputOrigin;
use std::io::{self, IsTerminal, Write, stderr};
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
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

pub use super::terminal::complain;

/// Does something with all files on several threads, and hands over the results in the order of the files. `work` is told how many threads
/// it may use itself, which is more than one where there are fewer files than jobs.
pub fn all<'a, T: Send>(
    origins: &[InputOrigin],
    jobs: Option<NonZero<usize>>,
    progress: impl Into<FileProgress<'a>>,
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
                tracing::warn!("one thread fewer: {error}");
            }
        }
        drop(sender);
        in_order(origins, ProgressLine::new(origins.len(), progress.into()), &results, &mut done)
    })
}

/// Receives results in any order, passes them on in the order of the files, and shows progress meanwhile.
fn in_order<T>(
    origins: &[InputOrigin],
    mut progress: ProgressLine<'_>,
    results: &mpsc::Receiver<(usize, T)>,
    done: &mut impl FnMut(&InputOrigin, T) -> io::Result<()>,
) -> io::Result<()> {
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

/// What the progress line counts.
#[derive(Debug, Clone, Copy)]
pub struct FileProgress<'a> {
    /// What has been done to a file: `checked`.
    pub verb: &'static str,
    /// Warp instructions that the work has executed in all files.
    pub steps: Option<&'a AtomicU64>,
}

impl From<&'static str> for FileProgress<'_> {
    fn from(verb: &'static str) -> Self {
        Self { verb, steps: None }
    }
}

/// A line on a terminal that shows progress once the work takes long.
struct ProgressLine<'a> {
    begin: Instant,
    all: usize,
    progress: FileProgress<'a>,
    done: usize,
    shown: Option<String>,
    terminal: bool,
}

impl<'a> ProgressLine<'a> {
    fn new(all: usize, progress: FileProgress<'a>) -> Self {
        Self { begin: Instant::now(), all, progress, done: 0, shown: None, terminal: stderr().is_terminal() }
    }

    fn text(&self) -> String {
        let FileProgress { verb, steps } = self.progress;
        let files = format!("{verb} {} of {} file{}", self.done, self.all, if self.all == 1 { "" } else { "s" });
        let Some(steps) = steps else { return files };
        let steps = ptx_launch::words::grouped(steps.load(Ordering::Relaxed));
        format!("{files}: {steps} warp instructions, {} s", self.begin.elapsed().as_secs())
    }

    fn show(&mut self) {
        if !self.terminal || self.begin.elapsed() <= Duration::from_secs(1) {
            return;
        }
        let text = self.text();
        if self.shown.as_ref() != Some(&text) {
            let _ = write!(stderr().lock(), "\r\x1b[K{text}");
            let _ = stderr().flush();
            self.shown = Some(text);
        }
    }

    fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(stderr().lock(), "\r\x1b[K");
        }
    }
}
