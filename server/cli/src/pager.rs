//! Long texts on a terminal: laid out, coloured, and shown by a pager.

use super::files::is_written;
use super::markdown::render;
use super::status::CliStatus;
use anstream::AutoStream;
use ptx_gate::words::visible_lines;
use std::env;
use std::io::{IsTerminal, Write, stdout};
use std::process::{Command, Stdio};

/// Columns where no terminal says how wide it is.
const DEFAULT_COLUMNS: usize = 80;

/// How a text is shown.
#[derive(Debug, clap::Args)]
pub struct DisplayArguments {
    /// Do not show a text longer than the screen with `$PAGER` (`less -R` by default)
    #[arg(long)]
    no_pager: bool,
}

impl DisplayArguments {
    /// Prints Markdown as it is.
    pub fn print(&self, text: &str) -> CliStatus {
        self.page(&visible_lines(text))
    }

    /// Prints Markdown laid out for a reader.
    pub fn print_laid_out(&self, markdown: &str) -> CliStatus {
        // Nothing of the text may be taken for an escape sequence.
        let columns = terminal_size::terminal_size_of(stdout()).map_or(DEFAULT_COLUMNS, |(w, _)| usize::from(w.0));
        let columns = if columns == 0 { DEFAULT_COLUMNS } else { columns };
        self.page(&render(&visible_lines(markdown), columns, is_coloured()))
    }

    /// Prints a text, with the pager where it does not fit on the screen.
    fn page(&self, text: &str) -> CliStatus {
        if self.wants_pager(text) && paged(text) {
            return CliStatus::Fine;
        }
        let mut out = stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        if is_written(written) { CliStatus::Fine } else { CliStatus::Trouble }
    }

    fn wants_pager(&self, text: &str) -> bool {
        if self.no_pager || !stdout().is_terminal() {
            return false;
        }
        let rows = terminal_size::terminal_size_of(stdout()).map_or(0, |(_, h)| usize::from(h.0));
        rows > 0 && text.lines().count() >= rows
    }
}

/// Shows a text with the user's pager. `false` if there is none.
fn paged(text: &str) -> bool {
    let asked = env::var("PAGER").unwrap_or_else(|_| "less -R".to_owned());
    let mut words = asked.split_whitespace();
    let Some(program) = words.next().filter(|p| *p != "cat") else { return false };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        // A `less` without options of the user's own shows colours.
        command.env("LESS", "R");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // The reader may stop before the end.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}

/// Whether `--color`, the environment and the terminal ask for colours.
fn is_coloured() -> bool {
    AutoStream::choice(&stdout()) != anstream::ColorChoice::Never
}
