//! Conversion between positions of the protocol and byte offsets.

use ptx_syntax::Rope;
use std::ops::Range;
use tower_lsp_server::ls_types::{self, Position, PositionEncodingKind};

/// The unit that a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnEncoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units: the default of the protocol.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl ColumnEncoding {
    /// Chooses the best encoding that a client offers: bytes, which need no conversion, otherwise UTF-16, which every client
    /// supports.
    pub fn choose(offered: Option<&[PositionEncodingKind]>) -> Self {
        let offered = offered.unwrap_or_default();
        if offered.contains(&PositionEncodingKind::UTF8) {
            Self::Utf8
        } else if offered.contains(&PositionEncodingKind::UTF32) && !offered.contains(&PositionEncodingKind::UTF16) {
            Self::Utf32
        } else {
            Self::Utf16
        }
    }

    /// Returns the name in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// Returns the byte offset of a position, always between two characters. A column beyond the end of a line is the end of
    /// that line (before its line break); a line beyond the last one is the end of the text.
    pub fn offset(self, rope: &Rope, position: Position) -> usize {
        let line = position.line as usize;
        if line >= rope.len_lines() {
            return rope.len_bytes();
        }
        let column = position.character as usize;
        let first = rope.line_to_char(line);
        let last = line_end(rope, line);
        let char = match self {
            Self::Utf8 => {
                let byte = rope.line_to_byte(line).saturating_add(column);
                rope.byte_to_char(byte.min(rope.len_bytes()))
            }
            Self::Utf16 => {
                let unit = rope.char_to_utf16_cu(first).saturating_add(column);
                rope.utf16_cu_to_char(unit.min(rope.len_utf16_cu()))
            }
            Self::Utf32 => first.saturating_add(column),
        };
        rope.char_to_byte(char.min(last))
    }

    /// Returns the position of a byte offset; an offset beyond the end is the end.
    pub fn position(self, rope: &Rope, offset: usize) -> Position {
        let offset = offset.min(rope.len_bytes());
        // To find a chunk of the rope takes as long as to find a line, and the line nearly always begins in the same chunk.
        let (chunk, base, _, line) = rope.chunk_at_byte(offset);
        if let Some(position) = chunk.get(..offset - base).and_then(|before| self.position_in(before, line)) {
            return position;
        }
        let line = rope.byte_to_line(offset);
        let column = match self {
            Self::Utf8 => offset - rope.line_to_byte(line),
            Self::Utf16 => {
                let start = rope.char_to_utf16_cu(rope.line_to_char(line));
                rope.char_to_utf16_cu(rope.byte_to_char(offset)) - start
            }
            Self::Utf32 => rope.byte_to_char(offset) - rope.line_to_char(line),
        };
        Position::new(cut(line), cut(column))
    }

    /// Returns the position behind a text that begins on a line with this number. `None` if no line begins in the text, or if it may end within
    /// a line break.
    fn position_in(self, text: &str, first_line: usize) -> Option<Position> {
        let bytes = text.as_bytes();
        let column = text.get(memchr::memrchr2(b'\n', b'\r', bytes)? + 1..)?;
        if bytes.last() == Some(&b'\r') {
            return None;
        }
        let lone = |at: &usize| bytes.get(at + 1) != Some(&b'\n');
        let breaks = memchr::memchr_iter(b'\n', bytes).count() + memchr::memchr_iter(b'\r', bytes).filter(lone).count();
        let column = match self {
            Self::Utf8 => column.len(),
            Self::Utf16 => column.chars().map(char::len_utf16).sum(),
            Self::Utf32 => column.chars().count(),
        };
        Some(Position::new(cut(first_line + breaks), cut(column)))
    }

    /// Returns the positions of a range of bytes.
    pub fn range(self, rope: &Rope, range: &Range<usize>) -> ls_types::Range {
        // Most ranges are words. To read their text takes less time than to find the line in which they end.
        let (chunk, base, _, line) = rope.chunk_at_byte(range.start.min(rope.len_bytes()));
        let before = chunk.get(..range.start - base).and_then(|before| self.position_in(before, line));
        let start = before.unwrap_or_else(|| self.position(rope, range.start));
        let word = chunk.get(range.start - base..range.end.saturating_sub(base));
        // A rope knows more line breaks than `str` does, but none of them is a printable ASCII character.
        if let Some(word) = word.filter(|word| word.bytes().all(|b| b.is_ascii_graphic() || b == b' ')) {
            let end = start.character.saturating_add(cut(word.len()));
            return ls_types::Range::new(start, Position::new(start.line, end));
        }
        ls_types::Range::new(start, self.position(rope, range.end.max(range.start)))
    }

    /// Returns the byte offsets of a range; a range that ends before its start is empty.
    pub fn offsets(self, rope: &Rope, range: ls_types::Range) -> Range<usize> {
        let start = self.offset(rope, range.start);
        start..self.offset(rope, range.end).max(start)
    }
}

/// Returns the index of the character at which a line ends, before its line break.
fn line_end(rope: &Rope, line: usize) -> usize {
    let first = rope.line_to_char(line);
    let mut end = first + rope.line(line).len_chars();
    if end > first && rope.char(end - 1) == '\n' {
        end -= 1;
    }
    // A carriage return is a line break with and without a line feed.
    if end > first && rope.char(end - 1) == '\r' {
        end -= 1;
    }
    end
}

fn cut(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [ColumnEncoding; 3] = [ColumnEncoding::Utf8, ColumnEncoding::Utf16, ColumnEncoding::Utf32];

    #[test]
    fn columns_in_each_encoding() {
        let rope = Rope::from_str("a😀é\r\nx\ry\u{2028}z\n");
        for (encoding, column) in [(ColumnEncoding::Utf8, 7), (ColumnEncoding::Utf16, 4), (ColumnEncoding::Utf32, 3)] {
            assert_eq!(encoding.offset(&rope, Position::new(0, column)), 7);
            assert_eq!(encoding.position(&rope, 7), Position::new(0, column));
        }
        for encoding in ALL {
            assert_eq!(encoding.position(&rope, 9), Position::new(1, 0));
            assert_eq!(encoding.position(&rope, 11), Position::new(2, 0));
            assert_eq!(encoding.position(&rope, 99), Position::new(3, 0));
        }
    }

    #[test]
    fn beyond_a_line_is_its_end() {
        let rope = Rope::from_str("ab\r\ncd\rß\nlast");
        for encoding in ALL {
            assert_eq!(encoding.offset(&rope, Position::new(0, 99)), 2);
            assert_eq!(encoding.offset(&rope, Position::new(1, u32::MAX)), 6);
            assert_eq!(encoding.offset(&rope, Position::new(2, 9)), 9);
            assert_eq!(encoding.offset(&rope, Position::new(3, 9)), 14);
            assert_eq!(encoding.offset(&rope, Position::new(u32::MAX, 0)), 14);
        }
    }

    #[test]
    fn inside_of_a_character_is_its_start() {
        let rope = Rope::from_str("😀b");
        assert_eq!(ColumnEncoding::Utf8.offset(&rope, Position::new(0, 2)), 0);
        assert_eq!(ColumnEncoding::Utf16.offset(&rope, Position::new(0, 1)), 0);
        assert_eq!(ColumnEncoding::Utf16.offset(&rope, Position::new(0, 2)), 4);
    }

    #[test]
    fn positions_in_a_large_text() {
        // Lines that cross the chunks of a rope, with each kind of line break.
        let long = "x".repeat(700);
        let text: String = (0..400).map(|n| ["ab\n", "é😀\r\n", "\r", &long][n % 4]).collect();
        let rope = Rope::from_str(&text);
        assert!(rope.chunks().count() > 20);
        let (mut line, mut start) = (0, 0);
        for (offset, c) in text.char_indices() {
            let columns = &text[start..offset];
            let units = [columns.len(), columns.encode_utf16().count(), columns.chars().count()];
            for (encoding, column) in ALL.into_iter().zip(units) {
                let expected = Position::new(line, u32::try_from(column).expect("small"));
                assert!(c == '\n' || encoding.position(&rope, offset) == expected, "{encoding:?} {offset}");
            }
            if c == '\n' || (c == '\r' && text.as_bytes().get(offset + 1) != Some(&b'\n')) {
                (line, start) = (line + 1, offset + 1);
            }
        }
    }

    #[test]
    fn every_offset_and_back() {
        let text = "a😀é\r\n\rx\ny\u{2028}z\n\n";
        let rope = Rope::from_str(text);
        for encoding in ALL {
            for (offset, c) in text.char_indices() {
                // There is no position between the two characters of a line break.
                if c == '\n' && offset > 0 && text.as_bytes()[offset - 1] == b'\r' {
                    continue;
                }
                assert_eq!(encoding.offset(&rope, encoding.position(&rope, offset)), offset, "{encoding:?} {offset}");
            }
        }
    }

    #[test]
    fn the_end_of_a_range_is_a_position() {
        let text = format!("a😀é\r\n\rx word\ty\u{2028}z\u{b}.\n{}\nlast", "a long line ".repeat(200));
        let rope = Rope::from_str(&text);
        let offsets: Vec<usize> = (0..=text.len() + 2).filter(|at| *at < 64 || at % 97 == 0).collect();
        for encoding in ALL {
            for start in offsets.iter().filter(|at| text.is_char_boundary(**at)) {
                for end in offsets.iter().filter(|at| text.is_char_boundary(**at)) {
                    let (from, to) = (encoding.position(&rope, *start), encoding.position(&rope, *end.max(start)));
                    assert_eq!(encoding.range(&rope, &(*start..*end)), ls_types::Range::new(from, to));
                }
            }
        }
    }

    #[test]
    fn negotiation() {
        let kinds = |names: &[&'static str]| names.iter().map(|n| PositionEncodingKind::new(n)).collect::<Vec<_>>();
        assert_eq!(ColumnEncoding::choose(None), ColumnEncoding::Utf16);
        assert_eq!(ColumnEncoding::choose(Some(&kinds(&["utf-16", "utf-8"]))), ColumnEncoding::Utf8);
        assert_eq!(ColumnEncoding::choose(Some(&kinds(&["utf-32"]))), ColumnEncoding::Utf32);
        assert_eq!(ColumnEncoding::choose(Some(&kinds(&["utf-32", "utf-16"]))), ColumnEncoding::Utf16);
        assert_eq!(ColumnEncoding::choose(Some(&kinds(&["utf-7"]))), ColumnEncoding::Utf16);
    }
}
