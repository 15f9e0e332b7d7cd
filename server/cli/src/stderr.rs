//! Standard error of a process that must never block on it: if an editor does not read the pipe, it fills up.

use ptx_gate::words::indented;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::time::{Duration, Instant};

/// The maximum number of lines that wait to be written; further lines are dropped.
const WAITING: usize = 1024;

/// How long the process waits at its end for queued lines.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(50);

/// A queue that accepts lines without blocking; a thread writes them.
#[derive(Debug, Clone)]
pub struct Queue {
    lines: SyncSender<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
}

impl Queue {
    /// Starts the writing thread.
    ///
    /// # Errors If the process cannot start a thread.
    pub fn start(mut writer: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, queued) = mpsc::sync_channel::<Vec<u8>>(WAITING);
        let waiting = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&waiting);
        std::thread::Builder::new().name("log".into()).spawn(move || {
            for line in queued {
                // The disk is full or the pipe is closed: the error cannot be reported.
                let _ = writer.write_all(&line);
                written.fetch_sub(1, Ordering::AcqRel);
            }
        })?;
        Ok(Self { lines, waiting })
    }

    /// Waits until all lines are written, at most `FLUSH_TIMEOUT`.
    pub fn flush_soon(&self) {
        let deadline = Instant::now() + FLUSH_TIMEOUT;
        while self.waiting.load(Ordering::Acquire) > 0 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Write for Queue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if self.lines.try_send(line.to_vec()).is_err() {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer of the log. Each message is written at once. It may quote names from outside: their unsafe characters become visible, and a
/// message of several lines does not look like several.
pub struct SafeLog<W>(pub W);

impl<W: Write> Write for SafeLog<W> {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        self.0.write_all((indented(&String::from_utf8_lossy(lines)) + "\n").as_bytes())?;
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Reports panics in the log, which also reaches the client. Writing to standard error directly could block.
pub fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let trace = std::backtrace::Backtrace::capture();
        let trace = match trace.status() {
            std::backtrace::BacktraceStatus::Captured => format!("\n{trace}"),
            _ => String::new(),
        };
        let payload = panic.payload();
        let words =
            payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let words = words.unwrap_or("a panic without a message");
        tracing::error!("panic at {place}: {words}{trace}");
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_does_not_wait_for_a_reader() {
        let (reader, writer) = io::pipe().unwrap();
        let mut queue = Queue::start(writer).unwrap();
        let begin = Instant::now();
        for _ in 0..10 * WAITING {
            queue.write_all(&[b'x'; 1000]).unwrap();
        }
        queue.flush_soon();
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
        drop(reader);
    }

    #[test]
    fn the_log_has_no_escape_sequences() {
        let mut out = SafeLog(Vec::new());
        out.write_all("WARN a\x1b]0;T\x07\u{202e}: b\nERROR c\n".as_bytes()).unwrap();
        assert_eq!(String::from_utf8(out.0).unwrap(), "WARN a␛]0;T␇\u{fffd}: b\n  ERROR c\n");
    }

    #[test]
    fn lines_are_written_in_order() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut queue = Queue::start(writer).unwrap();
        queue.write_all(b"one\n").unwrap();
        queue.write_all(b"two\n").unwrap();
        drop(queue);
        let mut text = String::new();
        io::Read::read_to_string(&mut reader, &mut text).unwrap();
        assert_eq!(text, "one\ntwo\n");
    }
}
