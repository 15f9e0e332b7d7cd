//! Text from outside on its way to a terminal, an editor or an assistant: file names, arguments, names of a module, output of kernels.
//!
//! A terminal obeys control characters, characters for the direction of text reorder what a person reads, and only programs see
//! invisible ones. All of them are shown as pictures (`␛`), or as U+FFFD where there is no picture. Letters of all languages, accents,
//! emoji and their joiners stay.
//!
//! Each door has one place that all its text passes: [`visible`] for a part of a line, [`visible_lines`] for a text, [`report`] for
//! standard output and standard error, [`json`] for JSON. What a kernel says stands behind a bar ([`quoted`]), in a code span
//! ([`code`]) or in a code block ([`fenced`]), so that it cannot be taken for a verdict of ours.

use std::borrow::Cow;
use std::fmt::Write;

/// Replaces the unsafe characters of a part of a line by pictures, including line breaks.
pub fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, |_| false)
}

/// Like [`visible`], for text of several lines: line feeds and tabs stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    replaced(text, |letter| matches!(letter, '\n' | '\t'))
}

/// Like [`visible_lines`], for a report of a command: colours stay too, and no line is a command of a build service.
///
/// Build services read commands from the logs of a build: GitHub in lines that begin with `::`, and anywhere behind `##[`; others
/// behind `##vso[` and `##teamcity[`. In these, a wide character replaces the `:` or `[`.
pub fn report(text: &str) -> Cow<'_, str> {
    let may_command = || text.contains("::") || text.contains("##");
    if !text.contains(|letter: char| is_suspect(letter) && !matches!(letter, '\n' | '\t')) && !may_command() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut before, mut at_start) = (text, None, true);
    while let Some(letter) = rest.chars().next() {
        let (taken, shown) = if let Some(colour) = colour(rest) {
            (colour, Shown::AsItIs)
        } else if at_start && rest.starts_with("::") {
            (1, Shown::Instead('：'))
        } else if let Some(command) = build_command(rest) {
            // Up to the bracket.
            out.push_str(rest.get(..command - 1).unwrap_or_default());
            rest = rest.get(command - 1..).unwrap_or_default();
            (1, Shown::Instead('［'))
        } else if is_unsafe(letter, before) && !matches!(letter, '\n' | '\t') {
            (letter.len_utf8(), Shown::Instead(picture(letter)))
        } else {
            (letter.len_utf8(), Shown::AsItIs)
        };
        match shown {
            Shown::AsItIs => out.push_str(rest.get(..taken).unwrap_or_default()),
            Shown::Instead(other) => out.push(other),
        }
        at_start = letter == '\n' || at_start && (letter.is_whitespace() || letter == '\u{1b}' && taken > 1);
        before = Some(letter);
        rest = rest.get(taken..).unwrap_or_default();
    }
    Cow::Owned(out)
}

enum Shown {
    AsItIs,
    Instead(char),
}

/// The length of the escape sequence for a colour at the beginning of a text.
fn colour(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\x1b[")?;
    let end = numbers.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    numbers[end..].starts_with('m').then_some("\x1b[".len() + end + 1)
}

/// The length of the beginning of a command of a build service, such as `##[`, with its bracket.
fn build_command(text: &str) -> Option<usize> {
    let word = text.strip_prefix("##")?;
    let end = word.find(|letter: char| !letter.is_ascii_alphabetic())?;
    word[end..].starts_with('[').then_some("##".len() + end + 1)
}

/// JSON with escapes (`\u202e`) in place of characters that a terminal or a person could misread. It has the same meaning.
pub fn json(text: &str) -> Cow<'_, str> {
    // Outside of strings JSON has only ASCII, and these three as white space.
    let stays = |letter: char| matches!(letter, '\n' | '\r' | '\t');
    if !text.contains(|letter| is_suspect(letter) && !stays(letter)) && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut before = None;
    for (at, letter) in text.char_indices() {
        if is_unsafe(letter, before) && !stays(letter) || letter == '#' && build_command(&text[at..]).is_some() {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(letter);
        }
        before = Some(letter);
    }
    Cow::Owned(out)
}

/// What a kernel printed: each line behind a bar, so that none can be taken for a line of ours.
pub fn quoted(text: &str) -> String {
    text.lines().fold(String::new(), |out, line| out + "| " + &visible_lines(line) + "\n")
}

/// A message whose further lines are indented, so that only its first line stands where messages of ours begin.
pub fn indented(text: &str) -> String {
    visible_lines(text).trim_end().replace('\n', "\n  ")
}

/// A Markdown code span, which nothing in the text can end.
pub fn code(text: &str) -> String {
    let text = visible(text);
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    // Backticks next to the fence would belong to it; Markdown takes one blank on each side away.
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// A Markdown code block, which nothing in the text can end.
pub fn fenced(language: &str, text: &str) -> String {
    let text = visible_lines(text.trim_end());
    let fence = "`".repeat((longest_run(&text, '`') + 1).max(3));
    format!("{fence}{language}\n{text}\n{fence}")
}

/// A message as Markdown: code spans stay, and everything else is plain text.
pub fn prose(message: &str) -> String {
    let message = visible(message);
    let parts: Vec<&str> = message.split('`').collect();
    let mut out = String::with_capacity(message.len());
    for (index, part) in parts.iter().enumerate() {
        // The last part is behind all spans, or a backtick without a partner precedes it.
        let is_code = index % 2 == 1 && index + 1 < parts.len();
        match (is_code, part.is_empty()) {
            (true, false) => out.push_str(&code(part)),
            (true, true) => out.push_str("\\`\\`"),
            (false, _) => {
                if index % 2 == 1 {
                    out.push_str("\\`");
                }
                escape(part, &mut out);
            }
        }
    }
    out
}

/// Escapes the characters that Markdown does not show. Underscores and stars inside of words mean nothing to it, and lines of tables are
/// the only ones with a bar.
fn escape(text: &str, out: &mut String) {
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '[' | ']' | '*' | '_' | '~' | '|' | '!' | '#' => out.extend(['\\', letter]),
            _ => out.push(letter),
        }
    }
}

fn longest_run(text: &str, of: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for letter in text.chars() {
        run = if letter == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn replaced(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(|letter| is_suspect(letter) && !stays(letter)) {
        return Cow::Borrowed(text);
    }
    let mut before = None;
    let shown = text.chars().map(|letter| {
        let is_safe = stays(letter) || !is_unsafe(letter, before);
        before = Some(letter);
        if is_safe { letter } else { picture(letter) }
    });
    Cow::Owned(shown.collect())
}

/// Whether a character is unsafe behind some character.
fn is_suspect(letter: char) -> bool {
    is_unsafe(letter, None)
}

/// Whether a reader obeys a character instead of showing it, or does not see it: control characters, those that change the direction of
/// text, separators of lines, and invisible ones. A selector of a variant is safe behind the letter that it selects.
fn is_unsafe(letter: char, before: Option<char>) -> bool {
    match letter {
        ' '..='~' | '\u{a0}'..='\u{ac}' => false,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
            before.is_none_or(|before| before.is_control() || before == ' ' || is_selector(before))
        }
        _ => {
            letter.is_control()
                || matches!(letter,
                    '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                    | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
                    | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        }
    }
}

fn is_selector(letter: char) -> bool {
    matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// What is shown in place of a character.
fn picture(letter: char) -> char {
    match letter {
        '\t' => '␉',
        '\n' => '␊',
        '\r' => '␍',
        '\u{7f}' => '␡',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(letter)).unwrap_or(char::REPLACEMENT_CHARACTER),
        _ => char::REPLACEMENT_CHARACTER,
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
            (
                "a\u{200b}\u{feff}\u{2063}b\u{ad}",
                "a\u{fffd}\u{fffd}\u{fffd}b\u{fffd}",
                "a\u{fffd}\u{fffd}\u{fffd}b\u{fffd}",
            ),
        ] {
            assert_eq!((&*visible(text), &*visible_lines(text)), (one, lines), "{text:?}");
        }
    }

    #[test]
    fn honest_text_stays() {
        for text in [
            "é è ñ ß Ω",
            "e\u{301}",
            "漢字 葛\u{e0100} かな 한글",
            "😀 ❤\u{fe0f} 👩\u{200d}💻 1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم",
            "עברית العربية",
            "a − b → c · ½ µs ␛",
        ] {
            assert_eq!(
                (&*visible(text), &*visible_lines(text), &*report(text), &*json(text)),
                (text, text, text, text)
            );
        }
        // Bytes are smuggled as selectors behind one another.
        assert_eq!(visible("a\u{fe01}\u{fe02}\u{e0121}"), "a\u{fe01}\u{fffd}\u{fffd}");
    }

    #[test]
    fn reports_have_colours_and_no_commands() {
        for (text, shown) in [
            ("\u{1b}[1;31merror\u{1b}[0m: a\n  b\tc\n", "\u{1b}[1;31merror\u{1b}[0m: a\n  b\tc\n"),
            ("\u{1b}[2J\u{1b}]0;T\u{7}\u{1b}", "␛[2J␛]0;T␇␛"),
            (
                "::error::x\n  ::set-output::\na::b\n\u{1b}[1m::stop",
                "：:error::x\n  ：:set-output::\na::b\n\u{1b}[1m：:stop",
            ),
            ("a ##[error]b ##vso[task]c ## [d] #[e]", "a ##［error]b ##vso［task]c ## [d] #[e]"),
            ("é\u{202e}\r\n", "é\u{fffd}␍\n"),
        ] {
            assert_eq!(report(text), shown, "{text:?}");
        }
    }

    #[test]
    fn json_keeps_its_meaning() {
        let text = "{\"a\": \"\u{7f}\u{9b}\u{202e}\u{2028}\u{e0041}é😀\",\n\t\"b\": \"##[error]x # ## y\"}\r\n";
        let expected =
            "{\"a\": \"\\u007f\\u009b\\u202e\\u2028\\udb40\\udc41é😀\",\n\t\"b\": \"\\u0023#[error]x # ## y\"}\r\n";
        assert_eq!(json(text), expected);
    }

    #[test]
    fn what_kernels_print_is_behind_a_bar() {
        assert_eq!(
            quoted("a\n8 of 8 expectations hold\r\n\n b\u{1b}\r"),
            "| a\n| 8 of 8 expectations hold\n| \n|  b␛␍\n"
        );
        assert_eq!(quoted(""), "");
        assert_eq!(indented("a\nb\n"), "a\n  b");
    }

    #[test]
    fn code_cannot_be_left() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b``c\nd"), "```a`b``c␊d```");
        assert_eq!(code("`a"), "`` `a ``");
        assert_eq!(fenced("text", "a\n"), "```text\na\n```");
        assert_eq!(fenced("", "a\n````\n</pre>"), "`````\na\n````\n</pre>\n`````");
    }

    #[test]
    fn messages_are_text_and_spans() {
        for (message, markdown) in [
            ("`a` is not `.f32`", "`a` is not `.f32`"),
            ("<img> [a](b) *c* &lt;", "&lt;img> \\[a\\](b) \\*c\\* &amp;lt;"),
            ("a `b` c` <d>", "a `b` c\\` &lt;d>"),
            ("``<b>``", "\\`\\`&lt;b>\\`\\`"),
            ("no `<b>` and `", "no `<b>` and \\`"),
            ("one\ntwo", "one␊two"),
        ] {
            assert_eq!(prose(message), markdown, "{message:?}");
        }
    }
}
