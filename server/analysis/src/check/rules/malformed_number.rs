//! `malformed-number`: a word that begins like a number and is none.

use crate::check::codes::Code;
use crate::check::diagnostic::{Diagnostic, Fix};
use crate::hir::literal::{Malformed, malformed, unsuffixed};
use std::ops::Range;

const CODE: Code = Code::MalformedNumber;

/// The report, if what the parser could not place at `range` is a part of such a word, or ends where it begins.
pub fn around(text: &str, range: &Range<usize>) -> Option<Diagnostic> {
    let bytes = text.as_bytes();
    let part =
        |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.' | b'%'));
    let mut start = range.start;
    if !part(start) {
        return None;
    }
    while start > 0 && part(start - 1) {
        start -= 1;
    }
    let mut end = start;
    while part(end) {
        end += 1;
    }
    let word = text.get(start..end)?;
    Some(report(start..end, word, malformed(word)?))
}

fn report(range: Range<usize>, word: &str, what: Malformed) -> Diagnostic {
    let s = |n: usize| if n == 1 { "" } else { "s" };
    let (why, help) = match what {
        Malformed::NoDigits => ("there are no digits".to_owned(), None),
        Malformed::Octal => {
            ("numbers that begin with 0 are octal, with digits up to 7".to_owned(), Some(word.trim_start_matches('0')))
        }
        Malformed::Binary => ("binary digits are 0 and 1".to_owned(), None),
        Malformed::Bits(found, wanted) => {
            (format!("it has {found} hexadecimal digit{}, and {wanted} must be", s(found)), None)
        }
        Malformed::Exponent => ("the exponent has no digits".to_owned(), None),
        Malformed::Suffix => {
            ("no suffix but `U` exists, and that only for integers".to_owned(), Some(unsuffixed(word)))
        }
        Malformed::Separator => ("its digits cannot be grouped".to_owned(), None),
        Malformed::Other => ("it goes on with something else".to_owned(), None),
    };
    let grouped = word.replace('_', "");
    let better = help.filter(|h| !h.is_empty()).or((what == Malformed::Separator).then_some(grouped.as_str()));
    let found = Diagnostic::error(CODE, range.clone(), format!("`{word}` is not a number: {why}"));
    match better.filter(|b| malformed(b).is_none() && b.starts_with(|c: char| c.is_ascii_digit())) {
        Some(better) => {
            found.with_help(format!("write `{better}`")).fix(Fix::replace(format!("Write `{better}`"), range, better))
        }
        None => found,
    }
}
