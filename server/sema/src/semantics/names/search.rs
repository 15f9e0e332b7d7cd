//! Searches the text for words. This is a thousand times faster than a walk of the tree and equally exact, since callers ask
//! the tree for the node of each word found.

use memchr::memmem;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// Calls `found` with the offset of each occurrence of a whole word, in order, until it returns false.
pub fn occurrences(snapshot: &Snapshot, range: Range<usize>, word: &str, mut found: impl FnMut(usize) -> bool) {
    search(snapshot, range, word, false, |range| found(range.start));
}

/// Calls `found` with the range of each word that consists of `base` and a number, such as `%r7` for `%r`, in order, until it
/// returns false.
pub fn numbers(snapshot: &Snapshot, range: Range<usize>, base: &str, found: impl FnMut(Range<usize>) -> bool) {
    search(snapshot, range, base, true, found);
}

/// The maximum number of digits of such a number.
const MAX_DIGITS: usize = 20;

/// Whether a byte may be part of a name.
fn part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}

/// The end of the word that begins with a match; `None` if the match is only a part of another word.
fn end_of_word(buffer: &[u8], after: usize, numbered: bool) -> Option<usize> {
    let rest = buffer.get(after..).unwrap_or_default();
    let digits = if numbered { rest.iter().take(MAX_DIGITS).take_while(|b| b.is_ascii_digit()).count() } else { 0 };
    let ends = rest.get(digits).is_none_or(|b| !part(*b));
    (ends && (digits > 0 || !numbered)).then_some(after + digits)
}

fn search(
    snapshot: &Snapshot,
    range: Range<usize>,
    word: &str,
    numbered: bool,
    mut found: impl FnMut(Range<usize>) -> bool,
) {
    let rope = snapshot.rope();
    let end = range.end.min(rope.len_bytes());
    let Some(slice) = rope.get_byte_slice(range.start.min(end)..end).filter(|_| !word.is_empty()) else { return };
    let finder = memmem::Finder::new(word);
    // Read the text in pieces, each with the end of the previous one, so that a word across two chunks of the rope is found.
    const PIECE: usize = 1 << 16;
    let ahead = if numbered { MAX_DIGITS + 1 } else { 1 };
    let keep = word.len() + ahead;
    let mut buffer: Vec<u8> = Vec::with_capacity(PIECE + keep + 4096);
    let mut base = range.start;
    let mut reported = range.start;
    let mut chunks = slice.chunks().peekable();
    while chunks.peek().is_some() {
        while buffer.len() < PIECE {
            let Some(chunk) = chunks.next() else { break };
            buffer.extend_from_slice(chunk.as_bytes());
        }
        let last = chunks.peek().is_none();
        for at in finder.find_iter(&buffer) {
            let (start, after) = (base + at, at + word.len());
            // A match at the end of a piece is found again with the text after it.
            if start < reported || (!last && after + ahead > buffer.len()) {
                continue;
            }
            let begins = if at == 0 { base == range.start } else { !part(buffer[at - 1]) };
            if begins && let Some(end) = end_of_word(&buffer, after, numbered) {
                reported = start + 1;
                if !found(start..base + end) {
                    return;
                }
            }
        }
        // Keep one more byte than a word has, to know whether the word begins there.
        let cut = buffer.len().saturating_sub(keep + 1);
        buffer.drain(..cut);
        base += cut;
    }
}

/// The name nodes before `<count>` in a range of the text that equal `base`: those of declarations, and those in lists of
/// targets. `<` is rare, which makes this fast even if many registers are used.
pub fn ranges<'t>(snapshot: &'t Snapshot, range: Range<usize>, base: &str) -> Vec<Node<'t>> {
    let rope = snapshot.rope();
    let end = range.end.min(rope.len_bytes());
    let start = range.start.min(end);
    let Some(slice) = rope.get_byte_slice(start..end) else { return Vec::new() };
    let mut out = Vec::new();
    let mut offset = start;
    for chunk in slice.chunks() {
        let bytes = chunk.as_bytes();
        for at in memchr::memchr_iter(b'<', bytes) {
            // Skip shifts and comparisons.
            if bytes.get(at + 1).is_some_and(|b| matches!(b, b'<' | b'=')) || (at > 0 && bytes[at - 1] == b'<') {
                continue;
            }
            out.extend(named(snapshot, offset + at, base));
        }
        offset += bytes.len();
    }
    out
}

/// The name before the `<` at an offset, if it is the given one.
fn named<'t>(snapshot: &'t Snapshot, offset: usize, base: &str) -> Option<Node<'t>> {
    let k = kinds();
    let range = snapshot.node_at(offset).filter(|n| n.kind_id() == k.register_range)?;
    let parent = range.parent()?;
    let name = if parent.kind_id() == k.declarator {
        parent.child_by_field_id(fields().name)?
    } else {
        range.prev_named_sibling().filter(|n| n.kind_id() == k.identifier || n.kind_id() == k.register)?
    };
    (name.byte_range().len() == base.len() && snapshot.text(name.byte_range()) == base).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{numbers, occurrences};
    use ptx_syntax::Snapshot;

    fn words(text: &str, word: &str) -> Vec<usize> {
        let mut out = Vec::new();
        occurrences(&Snapshot::new(text), 0..text.len(), word, |offset| {
            out.push(offset);
            true
        });
        out
    }

    #[test]
    fn whole_words_alone() {
        assert_eq!(words("ab xab ab1 ab", "ab"), [0, 11]);
        assert_eq!(words("%r1,%r1;%r12", "%r1"), [0, 4]);
        assert_eq!(words("", "a"), [] as [usize; 0]);
    }

    #[test]
    fn words_wherever_pieces_of_a_long_text_meet() {
        for filler in (1 << 16) - 40..(1 << 16) + 40 {
            let text = format!("{} %r7, %r, %rx, x%r8, %r12;", " ".repeat(filler));
            let mut found = Vec::new();
            numbers(&Snapshot::new(&text), 0..text.len(), "%r", |range| {
                found.push(text[range].to_owned());
                true
            });
            assert_eq!(found, ["%r7", "%r12"], "{filler}");
            assert_eq!(words(&text, "%r"), [filler + 6], "{filler}");
        }
    }
}
