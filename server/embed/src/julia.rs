//! The scanner of Julia: finds `@asmcall`.

mod call;
mod lex;

use crate::raw::{Item, ItemKind};
use crate::targets::PtxComment;
use lex::{character, comment, is_word, string, word};
use std::sync::Arc;

/// What the scanner knows at the start of a line: nothing. Functions are not followed, so each statement is alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct JuliaState;

/// Scans from the start of a line to an offset that `stop` accepts, which is asked at starts of lines only, or to the end.
pub(crate) fn scan(
    text: &[u8],
    start: usize,
    state: &JuliaState,
    stop: &mut dyn FnMut(usize, &JuliaState) -> bool,
) -> (usize, Vec<Item>, JuliaState) {
    let mut items = Vec::new();
    let mut at = start;
    // The `ptx:` comment above the current line, and whether a token came after it.
    let mut above: Option<Arc<PtxComment>> = None;
    let mut line_empty = true;
    // The last byte that is no blank.
    let mut last = b'\n';
    while let Some(&b) = text.get(at) {
        match b {
            b'\n' => {
                at += 1;
                // `f() =` goes on in the next line.
                let goes_on = line_empty || matches!(last, b'=' | b'(' | b',');
                if !goes_on {
                    above = None;
                }
                line_empty = true;
                if above.is_none() && stop(at, state) {
                    break;
                }
                continue;
            }
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b'#' => {
                let end = comment(text, at);
                let body = &text[at..end];
                let blanks = body.iter().take_while(|b| matches!(b, b'#' | b'=' | b' ' | b'\t')).count();
                if line_empty && body[blanks..].starts_with(b"ptx:") {
                    let body = body.strip_suffix(b"=#").unwrap_or(body);
                    above = PtxComment::parse(&String::from_utf8_lossy(body.get(blanks..).unwrap_or_default()))
                        .map(Arc::new);
                }
                at = end;
                continue;
            }
            b'\'' => at = character(text, at, if at > start { text[at - 1] } else { b'\n' }),
            b'@' => {
                let end = word(text, at + 1);
                match (&text[at + 1..end], text.get(end)) {
                    (b"asmcall", Some(b'(')) => {
                        let (mut raw, after) = call::call(text, at, end);
                        raw.comment = above.take();
                        items.push(Item { at: at - start, kind: ItemKind::Statement(Arc::new(raw)) });
                        at = after;
                    }
                    _ => at = end.max(at + 1),
                }
            }
            _ => match string(text, at) {
                Some((literal, _)) => at = literal.span.end,
                None if is_word(b) => at = word(text, at),
                None => at += 1,
            },
        }
        line_empty = false;
        last = text[at - 1];
    }
    (at, items, *state)
}
