//! The line of a directive: its end, its words, its condition.

use super::lex::{block_comment, quoted, spliced};
use crate::targets::{Condition, defined, parse_condition};
use std::sync::Arc;

/// The condition of a directive: what follows `if` or `elif` in its name (nothing, `def` or `ndef`), and the rest of its line.
pub(super) fn condition(kind: &[u8], rest: &str) -> Arc<Condition> {
    match kind {
        b"def" => Arc::new(defined(first_word(rest))),
        b"ndef" => Condition::negated(&Arc::new(defined(first_word(rest)))),
        _ => Arc::new(parse_condition(rest)),
    }
}

/// The offset after blanks and splices.
pub(super) fn blanks(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\t' | b'\\' | b'\r' | b'\n')) {
        at += 1;
    }
    at
}

pub(super) fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The offset of the line break that ends a directive.
pub(super) fn directive_end(text: &[u8], mut at: usize) -> usize {
    while at < text.len() {
        // Nothing else hides a line break.
        let Some(newline) = memchr::memchr(b'\n', &text[at..]) else { return text.len() };
        let line_end = at + newline;
        let mut here = at;
        while let Some(i) = memchr::memchr3(b'/', b'"', b'\'', &text[here..line_end]) {
            here += i;
            if text[here] != b'/' {
                // A digit separator is not a quote.
                let separator = text[here] == b'\'' && here > 0 && text[here - 1].is_ascii_alphanumeric();
                here = if separator { here + 1 } else { quoted(text, here).0 };
                if here > line_end {
                    break;
                }
            } else if text.get(here + 1) == Some(&b'*') {
                here = block_comment(text, here);
                if here > line_end {
                    break;
                }
            } else if text.get(here + 1) == Some(&b'/') {
                break;
            } else {
                here += 1;
            }
        }
        if here > line_end {
            at = here;
            continue;
        }
        if !spliced(text, line_end) {
            return line_end;
        }
        at = line_end + 1;
    }
    text.len()
}
