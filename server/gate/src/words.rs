//! Text from outside on its way to a terminal, an editor or an assistant: file names, arguments, names of a module, output of kernels.
//!
//! A terminal obeys control characters, and characters for the direction of text reorder what a person reads. They are shown as pictures
//! (`␛`), or as U+FFFD where there is no picture.

use std::borrow::Cow;

/// Replaces the unsafe characters of a part of a line by pictures, including line breaks.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(picture).collect())
}

/// Like [`visible`], for text of several lines: line feeds and tabs stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    let stays = |letter: char| matches!(letter, '\n' | '\t');
    if !text.contains(|letter| is_unsafe(letter) && !stays(letter)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|letter| if stays(letter) { letter } else { picture(letter) }).collect())
}

/// Whether a reader obeys a character instead of showing it: control characters, those that change the direction of text, line separators,
/// and the invisible tag characters.
fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// What is shown in place of a character.
fn picture(letter: char) -> char {
    match letter {
        '\t' => '␉',
        '\n' => '␊',
        '\r' => '␍',
        '\u{7f}' => '␡',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(letter)).unwrap_or(char::REPLACEMENT_CHARACTER),
        _ if is_unsafe(letter) => char::REPLACEMENT_CHARACTER,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_characters_are_seen() {
        for (text, one, lines) in [
            ("plain é 😀", "plain é 😀", "plain é 😀"),
            ("n\u{1b}]0;T\u{7}.ptx", "n␛]0;T␇.ptx", "n␛]0;T␇.ptx"),
            ("a\tb\nc\r\n", "a␉b␊c␍␊", "a\tb\nc␍\n"),
            ("\u{7f}\0\u{9b}31m", "␡␀\u{fffd}31m", "␡␀\u{fffd}31m"),
            ("a\u{202e}b\u{2066}\u{200f}", "a\u{fffd}b\u{fffd}\u{fffd}", "a\u{fffd}b\u{fffd}\u{fffd}"),
            ("a\u{2028}b\u{e0041}", "a\u{fffd}b\u{fffd}", "a\u{fffd}b\u{fffd}"),
        ] {
            assert_eq!((&*visible(text), &*visible_lines(text)), (one, lines), "{text:?}");
        }
    }
}
