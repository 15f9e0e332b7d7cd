//! Maps positions through the edits of a text.
//!
//! A request names a position in the text that the client had when it sent the request. The tree that answers it may already
//! contain later edits, so the position is mapped through the same edits. If it was deleted with the text around it, the answer
//! is the error "content modified".

use std::collections::VecDeque;
use std::ops::Range;

/// Maximum number of recorded edits; more than occur while a request waits.
const MAX_EDITS: usize = 256;

#[derive(Debug)]
struct TrackedEdit {
    revision: u64,
    range: Range<usize>,
    length: usize,
}

/// The last edits of a document.
#[derive(Debug)]
pub struct Edits {
    edits: VecDeque<TrackedEdit>,
    /// All edits since this revision are recorded.
    known_since: u64,
}

impl Edits {
    /// Creates an empty record that begins at a revision.
    pub fn new(revision: u64) -> Self {
        Self { edits: VecDeque::new(), known_since: revision }
    }

    /// Records that an edit replaced a range of bytes by `length` bytes.
    pub fn push(&mut self, revision: u64, range: Range<usize>, length: usize) {
        if self.edits.len() == MAX_EDITS
            && let Some(oldest) = self.edits.pop_front()
        {
            self.known_since = oldest.revision;
        }
        self.edits.push_back(TrackedEdit { revision, range, length });
    }

    /// Records that the whole text was replaced.
    pub fn replaced(&mut self, revision: u64) {
        self.edits.clear();
        self.known_since = revision;
    }

    /// Maps a range of one revision to another one. A range inside of replaced text is gone, unless a part of it is left.
    pub fn follow(&self, range: Range<usize>, from: u64, to: u64) -> Option<Range<usize>> {
        if from >= to {
            return Some(range);
        }
        if from < self.known_since {
            return None;
        }
        let (mut start, mut end) = (range.start, range.end);
        for edit in self.edits.iter().filter(|e| e.revision > from && e.revision <= to) {
            let after = edit.range.start + edit.length;
            let shift = |offset: usize| offset - edit.range.end + after;
            let is_inside = |offset: usize| edit.range.start < offset && offset < edit.range.end;
            if is_inside(start) && (is_inside(end) || start == end) {
                return None;
            }
            let empty = start == end;
            // Text inserted at the start of a range moves the range; text inserted at its end is not part of it.
            start = match start {
                s if s >= edit.range.end => shift(s),
                s if s > edit.range.start => after,
                s => s,
            };
            end = match end {
                _ if empty => start,
                e if e > edit.range.end || (e == edit.range.end && !edit.range.is_empty()) => shift(e),
                e if e > edit.range.start => edit.range.start,
                e => e,
            };
            end = end.max(start);
        }
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies edits to a text whose range is marked by brackets; the brackets of the result mark the mapped range.
    fn follow(marked: &str, edits: &[(Range<usize>, &str)]) -> Option<String> {
        let start = marked.find('[').unwrap();
        let end = marked.find(']').unwrap() - 1;
        let mut text = marked.replace(['[', ']'], "");
        let mut log = Edits::new(0);
        for (i, (range, new)) in edits.iter().enumerate() {
            text.replace_range(range.clone(), new);
            log.push(i as u64 + 1, range.clone(), new.len());
        }
        let range = log.follow(start..end, 0, edits.len() as u64)?;
        text.insert(range.end, ']');
        text.insert(range.start, '[');
        Some(text)
    }

    #[test]
    fn places() {
        for (marked, edit, expected) in [
            ("ab[]cd", (0..0, "x"), Some("xab[]cd")),
            ("ab[]cd", (2..2, "x"), Some("abx[]cd")),
            ("ab[]cd", (3..3, "x"), Some("ab[]cxd")),
            ("ab[]cd", (0..2, ""), Some("[]cd")),
            ("ab[]cd", (2..4, "x"), Some("ab[]x")),
            ("ab[]cd", (1..3, "x"), None),
            ("a[bc]d", (1..1, "x"), Some("ax[bc]d")),
            ("a[bc]d", (3..3, "x"), Some("a[bc]xd")),
            ("a[bc]d", (2..2, "x"), Some("a[bxc]d")),
            ("a[bc]d", (0..2, "x"), Some("x[c]d")),
            ("a[bc]d", (2..4, "x"), Some("a[b]x")),
            ("a[bc]d", (0..4, "x"), None),
            ("a[bc]d", (1..3, "xyz"), Some("a[xyz]d")),
            ("a[]", (0..0, "xyz"), Some("xyza[]")),
        ] {
            assert_eq!(follow(marked, std::slice::from_ref(&edit)).as_deref(), expected, "{marked} {edit:?}");
        }
        assert_eq!(follow("ab[]cd", &[(0..1, ""), (1..1, "xy")]).as_deref(), Some("bxy[]cd"));
    }

    #[test]
    fn only_what_came_between() {
        let mut log = Edits::new(5);
        log.push(6, 0..0, 10);
        log.push(7, 0..0, 100);
        assert_eq!(log.follow(1..1, 5, 6), Some(11..11));
        assert_eq!(log.follow(1..1, 6, 7), Some(101..101));
        assert_eq!(log.follow(1..1, 7, 7), Some(1..1));
        assert_eq!(log.follow(1..1, 4, 7), None);
        for revision in 8..8 + MAX_EDITS as u64 {
            log.push(revision, 0..0, 1);
        }
        assert_eq!(log.follow(1..1, 6, 300), None);
        assert_eq!(log.follow(1..1, 7, 7 + MAX_EDITS as u64), Some(1 + MAX_EDITS..1 + MAX_EDITS));
        log.replaced(400);
        assert_eq!(log.follow(1..1, 399, 401), None);
        assert_eq!(log.follow(1..1, 400, 401), Some(1..1));
    }
}
