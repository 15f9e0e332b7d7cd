//! External text on a terminal: file names, arguments, output of kernels.
//!
//! A terminal obeys control characters: a file name can contain a sequence that clears the screen or changes the window
//! title. They are shown as pictures (`␛`), as in excerpts of sources. Files and pipes get every byte unchanged.

use annotate_snippets::normalize_untrusted_str;
use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
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

/// Replaces the control characters of a part of a line by pictures, including line breaks.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => out.push('␉'),
            '\n' => out.push('␊'),
            '\r' => out.push('␍'),
            // C1 control characters: some terminals interpret them as control sequences.
            '\u{80}'..='\u{9f}' => out.push('\u{fffd}'),
            _ if is_unsafe(letter) => out.push_str(&normalize_untrusted_str(letter.encode_utf8(&mut [0; 4]))),
            _ => out.push(letter),
        }
    }
    Cow::Owned(out)
}

/// Like `visible`, for text of several lines: line breaks and tabs stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| is_unsafe(c) && !matches!(c, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        out.push_str(if number > 0 { "\n" } else { "" });
        for (number, piece) in line.split('\t').enumerate() {
            out.push_str(if number > 0 { "\t" } else { "" });
            out.push_str(&visible(piece));
        }
    }
    Cow::Owned(out)
}

/// Whether a terminal interprets a character as a control character, or as a change of the text direction.
fn is_unsafe(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_seen() {
        for (text, one, lines) in [
            ("plain é 😀", "plain é 😀", "plain é 😀"),
            ("n\u{1b}]0;T\u{7}.ptx", "n␛]0;T␇.ptx", "n␛]0;T␇.ptx"),
            ("a\tb\nc\r\n", "a␉b␊c␍␊", "a\tb\nc␍\n"),
            ("\u{7f}\0\u{9b}31m", "␡␀\u{fffd}31m", "␡␀\u{fffd}31m"),
            ("a\u{202e}b\u{2066}", "a\u{fffd}b\u{fffd}", "a\u{fffd}b\u{fffd}"),
        ] {
            assert_eq!((&*visible(text), &*visible_lines(text)), (one, lines), "{text:?}");
        }
    }
}
