//! Bytes that pages take besides those that their storage counts, noted where they are taken: deep inside of an access, where nothing knows
//! the machine. The machine collects them after each instruction ([`collect`]).
//!
//! A machine is executed by one thread at a time, so the notes are those of a thread.

use std::cell::Cell;

thread_local! {
    static TAKEN: Cell<u64> = const { Cell::new(0) };
    static COPIED: Cell<u64> = const { Cell::new(0) };
}

/// Notes bytes that the run takes: marks of a page, notes of the race detector, or a page whose initial contents are kept.
#[cold]
pub(crate) fn take(bytes: usize) {
    TAKEN.set(TAKEN.get() + bytes as u64);
}

/// Notes bytes that were copied because another machine shares them, such as a snapshot of a run.
#[cold]
pub(crate) fn copy(bytes: usize) {
    COPIED.set(COPIED.get() + bytes as u64);
}

/// Returns the bytes that the run has taken since the last call.
#[inline]
pub(crate) fn collect() -> u64 {
    match TAKEN.get() {
        0 => 0,
        bytes => {
            TAKEN.set(0);
            bytes
        }
    }
}

/// Returns the bytes that were copied since the last call.
pub(crate) fn collect_copied() -> u64 {
    COPIED.replace(0)
}
