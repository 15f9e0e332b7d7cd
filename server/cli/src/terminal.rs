//! External text on a terminal: file names, arguments, output of kernels.
//!
//! A terminal obeys control characters: a file name can contain a sequence that clears the screen or changes the window
//! title. They are shown as pictures (`␛`), as in excerpts of sources. Files and pipes get every byte unchanged.

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use ptx_gate::words::{visible, visible_lines};
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write, stderr, stdout};

/// Writes a report to standard output, without its escape sequences if standard output does not support them.
///
/// # Errors
/// If it cannot be written.
pub fn print(text: &str) -> io::Result<()> {
    if AutoStream::choice(&stdout()) == ColorChoice::Never {
        // At once, because the writer of `anstream` calls the system for each line.
        stdout().lock().write_all(strip_str(text).to_string().as_bytes())
    } else {
        anstream::stdout().lock().write_all(text.as_bytes())
    }
}

/// A part of a line for standard output.
pub fn for_stdout(text: &str) -> Cow<'_, str> {
    if stdout().is_terminal() { visible(text) } else { Cow::Borrowed(text) }
}

/// Lines for standard output.
pub fn lines_for_stdout(text: &str) -> Cow<'_, str> {
    if stdout().is_terminal() { visible_lines(text) } else { Cow::Borrowed(text) }
}

/// A line for standard error.
pub fn for_stderr(text: &str) -> Cow<'_, str> {
    if stderr().is_terminal() { visible(text) } else { Cow::Borrowed(text) }
}
