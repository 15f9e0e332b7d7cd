//! What leaves through standard output and standard error.
//!
//! Reports quote text from outside: file names, arguments, sources, output of kernels. A terminal obeys control characters, a build service
//! lines such as `::error::`, and assistants read logs. So every report passes [`ptx_gate::words`] here, whether a terminal or a
//! pipe reads it. Only data that a program asked for goes out as it is: JSON with escapes ([`print_json`]), and PTX ([`print_data`]).

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use ptx_gate::words;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write, stderr, stdout};

/// Writes a report to standard output, without its escape sequences if standard output does not support them.
///
/// # Errors
/// If it cannot be written.
pub fn print(text: &str) -> io::Result<()> {
    let text = words::report(text);
    if AutoStream::choice(&stdout()) == ColorChoice::Never {
        // At once, because the writer of `anstream` calls the system for each line.
        stdout().lock().write_all(strip_str(&text).to_string().as_bytes())
    } else {
        anstream::stdout().lock().write_all(text.as_bytes())
    }
}

/// Writes JSON to standard output.
///
/// # Errors
/// If it cannot be written.
pub fn print_json(text: &str) -> io::Result<()> {
    stdout().lock().write_all(words::json(text).as_bytes())
}

/// Writes a text that is data, such as PTX, to standard output: unchanged, unless a terminal would show it.
///
/// # Errors
/// If it cannot be written.
pub fn print_data(text: &str) -> io::Result<()> {
    let shown = if stdout().is_terminal() { words::visible_lines(text) } else { Cow::Borrowed(text) };
    stdout().lock().write_all(shown.as_bytes())
}

/// Writes a line to standard error. Errors are ignored, because standard error may be closed.
pub fn complain(line: &str) {
    let _ = writeln!(stderr().lock(), "{}", words::report(&words::visible(line)));
}
