//! What has arrived from the client and is not handled yet.

use crate::platform::WaitingInput;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Counts the edits between the thread that reads messages and their handlers.
#[derive(Debug, Default)]
pub struct Arrivals {
    edits: AtomicUsize,
    /// Whether the thread that reads messages has bytes of the next one.
    is_buffered: AtomicBool,
    /// Whether the messages come from standard input, which can be asked for bytes that nobody has read.
    standard_input: bool,
}

impl Arrivals {
    /// For a server on standard input.
    pub fn on_standard_input() -> Self {
        Self { standard_input: true, ..Self::default() }
    }

    /// Records that an edit was read.
    pub fn read_edit(&self) {
        self.edits.fetch_add(1, Ordering::Relaxed);
    }

    /// Records that an edit was handled.
    pub fn handled_edit(&self) {
        self.edits.fetch_sub(1, Ordering::Relaxed);
    }

    /// Records whether bytes of the next message were read.
    pub fn set_buffered(&self, is_buffered: bool) {
        self.is_buffered.store(is_buffered, Ordering::Relaxed);
    }

    /// What waits.
    pub fn waiting(&self) -> WaitingInput {
        if self.edits.load(Ordering::Relaxed) > 0 {
            WaitingInput::Edits
        } else if self.is_buffered.load(Ordering::Relaxed) || (self.standard_input && has_bytes()) {
            WaitingInput::Unread
        } else {
            WaitingInput::Nothing
        }
    }
}

/// Whether standard input has bytes that nobody has read.
#[cfg(unix)]
fn has_bytes() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let input = std::io::stdin();
    let mut polled = [PollFd::new(&input, PollFlags::IN)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut polled, Some(&at_once)).is_ok_and(|ready| ready > 0) && polled[0].revents().contains(PollFlags::IN)
}

/// Elsewhere only messages that were read count.
#[cfg(not(unix))]
fn has_bytes() -> bool {
    false
}
