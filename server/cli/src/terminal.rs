//! Text from elsewhere on a terminal: names of files, arguments, what kernels print.
//!
//! A terminal obeys control characters: a name can hold a sequence that clears the screen, or changes the title of the window.
//! They are shown as pictures (`␛`), as those in excerpts of sources are. Files and pipes get every byte as it is.

use annotate_snippets::normalize_untrusted_str;
use std::borrow::Cow;
use std::io::{IsTerminal, stderr, stdout};

/// A piece of a line with its control characters as pictures, those that end lines too.
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
            // Control sequences of one character, which some terminals obey.
            '\u{80}'..='\u{9f}' => out.push('\u{fffd}'),
            _ if is_unsafe(letter) => out.push_str(&normalize_untrusted_str(letter.encode_utf8(&mut [0; 4]))),
            _ => out.push(letter),
        }
    }
    Cow::Owned(out)
}

/// The same for text of several lines: line breaks and tabs stay.
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

/// What a terminal obeys, and what makes it show a line in another order than it is in.
fn is_unsafe(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A piece of a line for standard output.
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
