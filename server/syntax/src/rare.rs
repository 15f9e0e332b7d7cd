//! Rare bytes of a text, which a few checks look for. Each chunk remembers whether it has any, so that a keystroke in a large text
//! does not search all of it.

use memchr::memmem;
use ropey::Rope;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Which rare bytes a part of a text has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RareBytes {
    /// One that the parser takes for white space or allows in a string, but the assembler does not: see [`is_foreign`].
    pub foreign: bool,
    /// A number sign, with which lines for a preprocessor begin.
    pub number_sign: bool,
}

/// Whether a character that begins with this byte is white space for the parser or allowed in a string, but not for the assembler.
pub fn is_foreign(byte: u8) -> bool {
    byte >= 0x7f || byte == 0x0b || byte == 0
}

/// Whether a text has such a character.
pub fn has_foreign(text: &str) -> bool {
    // Looks at every byte, which the compiler makes vector instructions of.
    text.bytes().fold(false, |found, byte| found | is_foreign(byte))
}

impl RareBytes {
    /// Those in a byte range of a text.
    pub(crate) fn of(rope: &Rope, range: Range<usize>) -> Self {
        let mut out = Self::default();
        for chunk in rope.byte_slice(range).chunks() {
            out.foreign |= has_foreign(chunk);
            out.number_sign |= memchr::memchr(b'#', chunk.as_bytes()).is_some();
        }
        out
    }
}

/// The directive that names a source file.
const SOURCE_FILE: &str = ".file";

/// Whether a line of a chunk begins with the directive that names a source file. The chunk is searched when that is first asked; copies share the
/// answer.
#[derive(Debug, Clone, Default)]
pub struct SourceFiles(Arc<OnceLock<bool>>);

impl SourceFiles {
    /// The answer for a chunk with this byte range. A chunk begins at the beginning of a line.
    pub(crate) fn named(&self, rope: &Rope, range: Range<usize>) -> bool {
        *self.0.get_or_init(|| names_source_files(rope, range))
    }
}

/// Reads the parts of the rope one by one: a copy of a large chunk would cost more than the search.
fn names_source_files(rope: &Rope, range: Range<usize>) -> bool {
    let finder = memmem::Finder::new(SOURCE_FILE);
    let begins_line = |at: usize| {
        let mut before = rope.bytes_at(at);
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let before = std::iter::from_fn(|| before.prev()).take(at - range.start).find(|byte| !blank(byte));
        before.is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
    };
    let ends_word = |at: usize| rope.get_byte(at).is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
    let is_directive = |at: usize| begins_line(at) && ends_word(at + SOURCE_FILE.len());
    const SEAM: usize = SOURCE_FILE.len() - 1;
    // The last bytes before the current part, in which a word may begin that ends in it.
    let (mut start, mut tail) = (range.start, Vec::with_capacity(SEAM));
    for part in rope.byte_slice(range.clone()).chunks() {
        let part = part.as_bytes();
        if tail.contains(&b'.') {
            let seam: Vec<u8> = tail.iter().chain(part.iter().take(SEAM)).copied().collect();
            if finder.find_iter(&seam).any(|at| is_directive(start - tail.len() + at)) {
                return true;
            }
        }
        if finder.find_iter(part).any(|at| is_directive(start + at)) {
            return true;
        }
        start += part.len();
        tail.drain(..tail.len().saturating_sub(SEAM.saturating_sub(part.len())));
        tail.extend(&part[part.len().saturating_sub(SEAM)..]);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_names_a_source_file_is_found_at_every_place() {
        let named = |text: &str, start: usize| names_source_files(&Rope::from_str(text), start..text.len());
        for line in [".file 1 \"a.cu\"", " \t.file\t1", ".file", ".file\n"] {
            assert!(named(line, 0), "{line}");
            for length in (0..40).chain(900..1100).chain([5_000, 100_000]) {
                let before = "/".repeat(length) + "\n";
                assert!(named(&format!("{before}{line}"), 0), "{line} behind {length}");
                assert!(named(&format!("{}\r{line}\n// more", "é".repeat(length)), 0), "{line} behind {length}");
                assert!(named(&format!("{before}{line}"), before.len()), "{line} alone behind {length}");
                assert!(!named(&format!("{line}\n{before}"), line.len() + 1), "{line} before {length}");
            }
        }
        for text in ["", "// .file 1", "x.file", ".files", ".file_1", ".fil\n e", "\n.fil", "\"\n\" .file"] {
            for length in [0, 1, 1_000, 2_000] {
                let text = format!("{}{text}", "\t".repeat(length));
                assert!(!named(&text, 0), "{text:?}");
            }
        }
    }
}
