//! Chunk boundaries: the offsets at which a large text may be split, always before a function.
//!
//! A boundary is the beginning of a line after which only comments come before a function header. No function is inside
//! another one, so a text without errors parses to the same items, split or not. If there is an error, a boundary keeps it
//! within its function. The boundaries depend on the text alone, and a scan from any boundary finds the same later ones.

use crate::trivia::{Extent, Trivia, is_word, may_continue_line, opaque, trivia};
use memchr::{memchr, memchr3};

/// The words that may come before `.entry` and `.func`.
const LINKAGE: [&[u8]; 4] = [b"visible", b"extern", b"weak", b"common"];
/// The words of a function header, without their dot.
pub const FUNCTIONS: [&[u8]; 2] = [b"entry", b"func"];

/// The byte offsets of the chunk boundaries of a text, in order, without its beginning.
pub fn chunk_boundaries(text: &[u8]) -> Vec<usize> {
    let mut scanner = BoundaryScanner::new(text);
    let mut out: Vec<usize> = std::iter::from_fn(|| scanner.next_head()).collect();
    if out.first() == Some(&0) {
        out.remove(0);
    }
    out
}

/// Whether a text, which starts at the beginning of a line, begins with a function; `None` if more of the text is needed to
/// decide.
pub fn begins_function(text: &[u8]) -> Option<bool> {
    let mut scanner = BoundaryScanner::new(text);
    scanner.only_first = true;
    match scanner.next_head() {
        Some(_) => Some(true),
        // If it stopped before the end, it has seen another word.
        None => (scanner.at < text.len()).then_some(false),
    }
}

/// Whether a chunk may end here: after a newline, and neither inside a function header nor inside a line for a preprocessor.
pub fn may_end(text: &[u8]) -> bool {
    text.ends_with(b"\n") && !ends_with_linkage(text) && !may_continue_line(text)
}

fn ends_with_linkage(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    LINKAGE.iter().any(|word| text.strip_suffix(*word).is_some_and(|before| before.ends_with(b".")))
}

struct BoundaryScanner<'t> {
    text: &'t [u8],
    at: usize,
    /// The boundary if a function begins here: the beginning of the first line after the last word.
    line: Option<usize>,
    /// `Some` after linkage words: the boundary before them, if there is one.
    linkage: Option<Option<usize>>,
    /// Whether the scan ends at the first word that does not belong to a function header.
    only_first: bool,
}

impl<'t> BoundaryScanner<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0, line: Some(0), linkage: None, only_first: false }
    }

    /// The boundary before the next function header.
    fn next_head(&mut self) -> Option<usize> {
        loop {
            let rest = &self.text[self.at.min(self.text.len())..];
            if let Some((kind, extent)) = trivia(rest) {
                let length = self.known(extent);
                if kind == Trivia::White && self.line.is_none() {
                    self.line = memchr(b'\n', &rest[..length]).map(|line_feed| self.at + line_feed + 1);
                }
                self.at += length;
                continue;
            }
            match rest.first()? {
                b'.' if self.line.is_some() || self.linkage.is_some() => {
                    let length = rest[1..].iter().take_while(|b| is_word(**b)).count();
                    self.at += 1 + length;
                    let found = self.word(&rest[1..1 + length]);
                    if found.is_some() {
                        return found;
                    }
                    // A word at the end of the text may be incomplete.
                    if self.only_first && self.linkage.is_none() && self.at < self.text.len() {
                        self.at -= 1 + length;
                        return None;
                    }
                }
                _ => {
                    if self.only_first {
                        return None;
                    }
                    (self.line, self.linkage) = (None, None);
                    if let Some(extent) = opaque(rest) {
                        self.at += self.known(extent);
                        continue;
                    }
                    // In the rest of a line, only what trivia and strings begin with, and the last word matter.
                    let length = 1 + memchr3(b'\n', b'/', b'"', &rest[1..]).unwrap_or(rest.len() - 1);
                    let length = memchr(b'#', &rest[1..length]).map_or(length, |number_sign| 1 + number_sign);
                    self.at += length;
                    if ends_with_linkage(&rest[..length]) {
                        self.linkage = Some(None);
                    }
                }
            }
        }
    }

    /// The length of an extent, if the text is only a part. What is open takes the rest: only what follows decides where it ends.
    fn known(&self, extent: Extent) -> usize {
        match extent {
            Extent::Ended(length) => length,
            Extent::Open(_) => self.text.len() - self.at,
        }
    }

    /// Handles a directive at the beginning of a line, or after linkage words there. Returns the boundary if it begins a
    /// function.
    fn word(&mut self, word: &[u8]) -> Option<usize> {
        let line = self.line.take();
        if LINKAGE.contains(&word) {
            self.linkage = self.linkage.or(Some(line));
            return None;
        }
        let boundary = self.linkage.take().unwrap_or(line);
        boundary.filter(|_| FUNCTIONS.contains(&word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = ".visible .entry k()\n{\n// }\n/* } \n */ .pragma \"}\";\n{ ret; }\n}\n";

    fn split(text: &str) -> Vec<&str> {
        let mut ends = chunk_boundaries(text.as_bytes());
        ends.push(text.len());
        let mut start = 0;
        ends.into_iter().map(|end| &text[std::mem::replace(&mut start, end)..end]).collect()
    }

    #[test]
    fn texts_are_cut_in_front_of_functions() {
        assert_eq!(split(&KERNEL.repeat(3)), [KERNEL; 3]);
        let crlf = KERNEL.replace('\n', "\r\n");
        assert_eq!(split(&crlf.repeat(2)), [&crlf, &crlf]);
        for second in [
            ".func f()\n{\n}\n",
            "\n// what it does\n/* and\n how */\n.weak .func f()\n{\n}\n",
            ".visible\n.entry\nf()\n{\n}\n",
            "  .extern .func f();\n",
        ] {
            assert_eq!(split(&format!("{KERNEL}{second}")), [KERNEL, second]);
            let open = KERNEL.strip_suffix("}\n").unwrap();
            assert_eq!(split(&format!("{open}{second}")), [open, second], "a brace is missing");
            let global = format!("{KERNEL}.global .u32 x = 1; // .func\n");
            assert_eq!(split(&format!("{global}{second}")), [&global, second]);
        }
    }

    #[test]
    fn nothing_else_is_a_boundary() {
        for text in [
            "",
            KERNEL,
            ".func a() { ret; } .func b() { ret; }",
            ".func a()\n{\n}\n/*\n.func b()\n{\n}\n",
            ".func a()\n{\n}\n/* */ /*\n.func b()\n{\n}\n",
            ".func a()\n{\n}\n.visible .global .u32 a;\n",
            ".func a()\n{\n}\n.functional b;\n",
            ".func a()\n{\n}\n\".func\" .func b;\n",
            ".func a()\n{\n}\nlabel: .func b;\n",
            ".visible\n.func a()\n{\n}\n",
            ".global .u32 a; .weak\n.func a()\n{\n}\n",
            ".global .u32 a; .weak // why\n.visible .func a()\n{\n}\n",
        ] {
            assert!(chunk_boundaries(text.as_bytes()).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_string_ends_with_its_line() {
        let (first, second) = (".func a()\n{ // \"\n \" /* \n", ".func b()\n{\n}\n");
        assert_eq!(split(&format!("{first}{second}")), [first, second]);
    }

    #[test]
    fn a_beginning_is_known_by_its_first_words() {
        for (text, expected) in [
            (".visible .entry", Some(true)),
            ("// c\n\n /* .global */ .func", Some(true)),
            (".visible .global .u32", Some(false)),
            (".global ", Some(false)),
            (".global", None),
            ("add", Some(false)),
            ("} .func", Some(false)),
            ("  // c", None),
            (".visible", None),
            ("/* .func", None),
        ] {
            assert_eq!(begins_function(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn an_end_is_a_line_and_no_head() {
        for (text, expected) in
            [("}\n", true), ("}", false), ("", false), (".weak \n", false), (".weakly\n", true), ("weak\n", true)]
        {
            assert_eq!(may_end(text.as_bytes()), expected, "{text}");
        }
    }
}
