//! Which statement is at a place: at an offset, or in a line.
//!
//! A statement owns the lines that it extends over. Where the last of them is also the first line of another statement, it belongs to that
//! one: a line in which statements begin belongs to the first of them, every other line to the statement around it.

use crate::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// The byte range of the statement around an offset. The header of a function counts as one statement.
pub fn statement_at(snapshot: &Snapshot, offset: usize) -> Option<Range<usize>> {
    let k = kinds();
    let offset = offset.min(snapshot.rope().len_bytes());
    let mut node = snapshot.leaf(offset..offset)?;
    loop {
        let parent = node.parent()?;
        let kind = parent.kind_id();
        if kind == k.function && node.kind_id() != k.block {
            let body = parent.child_by_field_id(fields().body);
            return Some(parent.start_byte()..body.map_or(parent.end_byte(), |b| b.start_byte() + 1));
        }
        if (kind == k.block || kind == k.source_file) && node.kind_id() != k.function && node.kind_id() != k.block {
            return Some(node.byte_range());
        }
        node = parent;
    }
}

/// The instructions that overlap a byte range, in order.
pub fn instructions_in(snapshot: &Snapshot, range: Range<usize>) -> Vec<Node<'_>> {
    let overlaps = |node: &Node<'_>| node.start_byte() < range.end && node.end_byte() > range.start;
    let mut out = Vec::new();
    for root in snapshot.roots().filter(overlaps) {
        let mut cursor = root.walk();
        'chunk: loop {
            let node = cursor.node();
            if overlaps(&node) {
                if node.kind_id() == kinds().instruction {
                    out.push(node);
                } else if cursor.goto_first_child() {
                    continue;
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'chunk;
                }
            }
        }
    }
    out
}

/// The instructions that the lines of a byte range belong to.
pub fn instructions_of_lines(snapshot: &Snapshot, range: Range<usize>) -> Vec<Node<'_>> {
    let mut out = instructions_in(snapshot, range.clone());
    // The statement around the beginning does not own a line in which another one begins.
    let rope = snapshot.rope();
    let line = |offset: usize| rope.byte_to_line(offset.min(rope.len_bytes()));
    if let [first, second, ..] = &out[..]
        && first.start_byte() < range.start
        && line(second.start_byte()) == line(range.start)
    {
        out.remove(0);
    }
    out
}

/// The lines of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineSpan {
    /// The line in which it begins.
    pub first: usize,
    /// The last line that it owns.
    pub last: usize,
}

impl LineSpan {
    /// The lines that the statement with a byte range owns. `next` is the beginning of the statement after it, and `line` returns the line of
    /// an offset.
    pub fn new(range: &Range<usize>, next: Option<usize>, line: impl Fn(usize) -> usize) -> Self {
        let first = line(range.start);
        let end = line(range.end.saturating_sub(1).max(range.start));
        let shared = end > first && next.is_some_and(|next| line(next) == end);
        Self { first, last: if shared { end - 1 } else { end } }
    }
}

/// The statements of a text, by line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementLines(Vec<LineSpan>);

impl StatementLines {
    /// Creates the table of statements with these byte ranges, in order. `line` returns the line of an offset.
    pub fn new(ranges: &[Range<usize>], line: impl Fn(usize) -> usize) -> Self {
        let next = ranges.iter().skip(1).map(|range| Some(range.start)).chain([None]);
        Self(ranges.iter().zip(next).map(|(range, next)| LineSpan::new(range, next, &line)).collect())
    }

    /// The lines of a statement.
    pub fn get(&self, index: usize) -> Option<LineSpan> {
        self.0.get(index).copied()
    }

    /// The lines of the statement that a line belongs to.
    pub fn at(&self, line: usize) -> Option<LineSpan> {
        let after = self.0.partition_point(|span| span.first <= line);
        let last = after.checked_sub(1).and_then(|at| self.get(at)).filter(|span| line <= span.last)?;
        let begins = self.0.partition_point(|span| span.first < last.first);
        self.get(begins).filter(|_| last.first == line).or(Some(last))
    }
}

#[cfg(test)]
mod tests {
    use super::{LineSpan, StatementLines, instructions_in, instructions_of_lines, statement_at};
    use crate::Snapshot;

    const TEXT: &str = ".func f()\n{\n    add.u32\n        %r1, %r2,\n        1; // one\n\n    mov.u32 %r1, 2; mov.u32 %r2,\n        \
                        3; mov.u32 %r3,\n        4;\nl: @%p1 bra l; ret;\n}\n";

    fn lines() -> (Snapshot, StatementLines) {
        let snapshot = Snapshot::new(TEXT);
        let ranges: Vec<_> = instructions_in(&snapshot, 0..TEXT.len()).iter().map(|n| n.byte_range()).collect();
        let lines = StatementLines::new(&ranges, |offset| snapshot.rope().byte_to_line(offset) + 1);
        (snapshot, lines)
    }

    #[test]
    fn a_line_belongs_to_one_statement() {
        let (_, lines) = lines();
        let spans: Vec<_> = (0..7).map_while(|at| lines.get(at)).map(|s| (s.first, s.last)).collect();
        assert_eq!(spans, [(3, 5), (7, 7), (7, 7), (8, 9), (10, 10), (10, 10)]);
        let found: Vec<_> = (1..=11).map(|line| lines.at(line).map(|s| (s.first, s.last))).collect();
        let (add, third) = (Some((3, 5)), Some((8, 9)));
        let (one, last) = (Some((7, 7)), Some((10, 10)));
        assert_eq!(found, [None, None, add, add, add, None, one, third, third, last, None]);
        assert_eq!(LineSpan::new(&(0..0), None, |_| 4), LineSpan { first: 4, last: 4 });
    }

    #[test]
    fn instructions_of_a_line() {
        let (snapshot, lines) = lines();
        let mut start = 0;
        for (index, text) in TEXT.split_inclusive('\n').enumerate() {
            let found = instructions_of_lines(&snapshot, start..start + text.len());
            let first = found.first().map(|n| snapshot.rope().byte_to_line(n.start_byte()) + 1);
            assert_eq!(first, lines.at(index + 1).map(|s| s.first), "line {}", index + 1);
            start += text.len();
        }
    }

    #[test]
    fn the_statement_around_an_offset() {
        let (snapshot, _) = lines();
        let text = |place: &str| statement_at(&snapshot, TEXT.find(place).unwrap() + 1).map(|r| &TEXT[r]);
        assert_eq!(text("%r2"), Some("add.u32\n        %r1, %r2,\n        1;"));
        assert_eq!(text("unc f"), Some(".func f()\n{"));
    }
}
