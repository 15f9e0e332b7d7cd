//! How deep brackets nest.
//!
//! Whoever walks a tree recurses into it, so a tree must not be deeper than a stack is large. Brackets make it deep, and here is the one place
//! that bounds them: those that stand deeper than [`LIMIT`] are hidden from the parser, which takes them for blanks.

use crate::forest::slice;
use ropey::Rope;
use std::ops::Range;

/// The deepest place, in units of [`Bracket::weight`]. It is the assembler's own: its parser gives up ("memory exhausted") in a function with
/// 1,664 blocks in one another, and at 9,979 parentheses (ptxas 12.9).
const LIMIT: usize = 9_980;

/// A kind of brackets.
#[derive(Debug, Clone, Copy)]
enum Bracket {
    Brace,
    Square,
    Round,
}

impl Bracket {
    /// What one of them takes of the assembler's stack, relative to a parenthesis.
    fn weight(self) -> usize {
        match self {
            Self::Brace => 6,
            Self::Square | Self::Round => 1,
        }
    }
}

/// What is left of a comment or a string at the end of some text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Code,
    LineComment,
    BlockComment,
    Text,
}

/// Whether brackets nest too deep in a range of a text: the offset of the first bracket beyond the limit.
pub fn too_deep(rope: &Rope, range: Range<usize>) -> Option<usize> {
    let mut scanner = Scanner::new();
    let mut at = range.start;
    for chunk in rope.byte_slice(range).chunks() {
        let mut first = None;
        scanner.read(chunk.as_bytes(), |index| {
            first.get_or_insert(index);
        });
        if let Some(index) = first {
            return Some(at + index);
        }
        at += chunk.len();
    }
    None
}

/// The bytes of a range in which every bracket beyond the limit is a blank.
pub fn hidden(rope: &Rope, range: Range<usize>) -> Vec<u8> {
    let text = slice(rope, range).into_owned();
    let mut out = text.clone();
    Scanner::new().read(&text, |index| out[index] = b' ');
    out
}

/// The bytes of code that mean something here.
const SAYS: [bool; 256] = {
    let mut out = [false; 256];
    let mut bytes: &[u8] = b"{}[]()\"/";
    while let [byte, rest @ ..] = bytes {
        out[*byte as usize] = true;
        bytes = rest;
    }
    out
};

struct Scanner {
    within: Within,
    /// The byte before, where it decides what the next one means: a slash of code, a star of a comment.
    last: u8,
    /// How many brackets of each kind are open, and how many beyond the limit.
    open: [usize; 3],
    hidden: [usize; 3],
    /// What the open ones weigh.
    depth: usize,
}

impl Scanner {
    fn new() -> Self {
        Self { within: Within::Code, last: 0, open: [0; 3], hidden: [0; 3], depth: 0 }
    }

    /// Reads on, and reports each bracket beyond the limit, by its place in the bytes.
    fn read(&mut self, bytes: &[u8], mut report: impl FnMut(usize)) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let rest = &bytes[at..];
            match self.within {
                Within::Code if self.last == b'/' && byte == b'/' => self.enter(Within::LineComment),
                Within::Code if self.last == b'/' && byte == b'*' => self.enter(Within::BlockComment),
                Within::Code => {
                    // Most bytes say nothing.
                    let Some(length) = rest.iter().position(|byte| SAYS[usize::from(*byte)]) else {
                        self.last = 0;
                        return;
                    };
                    at += length;
                    self.last = rest[length];
                    let beyond = match self.last {
                        b'{' | b'[' | b'(' => !self.opens(kind(self.last)),
                        b'}' | b']' | b')' => self.closes(kind(self.last)),
                        b'"' => {
                            self.enter(Within::Text);
                            false
                        }
                        _ => false,
                    };
                    if beyond {
                        report(at);
                    }
                }
                Within::LineComment => match memchr::memchr2(b'\n', b'\r', rest) {
                    Some(length) => {
                        at += length;
                        self.enter(Within::Code);
                    }
                    None => return,
                },
                Within::BlockComment => {
                    if byte == b'/' && self.last == b'*' {
                        self.enter(Within::Code);
                    } else if byte == b'*' {
                        self.last = byte;
                    } else {
                        self.last = 0;
                        at += memchr::memchr(b'*', rest).unwrap_or(rest.len()) - 1;
                    }
                }
                // It ends with its line, if nothing else ends it.
                Within::Text => match memchr::memchr3(b'"', b'\n', b'\r', rest) {
                    Some(length) => {
                        at += length;
                        self.enter(Within::Code);
                    }
                    None => return,
                },
            }
            at += 1;
        }
    }

    fn enter(&mut self, within: Within) {
        (self.within, self.last) = (within, 0);
    }

    /// Opens a bracket; false if that is beyond the limit.
    fn opens(&mut self, kind: Bracket) -> bool {
        let fits = self.depth + kind.weight() <= LIMIT;
        let counts = if fits { &mut self.open } else { &mut self.hidden };
        counts[kind as usize] += 1;
        self.depth += if fits { kind.weight() } else { 0 };
        fits
    }

    /// Closes a bracket; true if it is the end of one beyond the limit.
    fn closes(&mut self, kind: Bracket) -> bool {
        let hidden = &mut self.hidden[kind as usize];
        if *hidden > 0 {
            *hidden -= 1;
            return true;
        }
        let open = &mut self.open[kind as usize];
        if *open > 0 {
            *open -= 1;
            self.depth -= kind.weight();
        }
        false
    }
}

fn kind(byte: u8) -> Bracket {
    match byte {
        b'{' | b'}' => Bracket::Brace,
        b'[' | b']' => Bracket::Square,
        _ => Bracket::Round,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places at which a text opens or closes brackets beyond the limit.
    fn beyond(text: &str) -> Vec<usize> {
        let rope = Rope::from_str(text);
        let hidden = hidden(&rope, 0..rope.len_bytes());
        assert_eq!(hidden.len(), text.len());
        let places: Vec<usize> = (0..text.len()).filter(|i| hidden[*i] != text.as_bytes()[*i]).collect();
        assert_eq!(too_deep(&rope, 0..rope.len_bytes()), places.first().copied());
        places
    }

    #[test]
    fn the_limit_is_that_of_the_assembler() {
        // The body of a function, and 1,663 blocks in it.
        let blocks = |n: usize| format!("{}{}", "{".repeat(n), "}".repeat(n));
        assert_eq!(beyond(&blocks(1_663)), []);
        assert_eq!(beyond(&blocks(1_665)), [1_663, 1_664, 1_665, 1_666]);
        let parentheses = |n: usize| format!("{{ mov.u32 %r1, {}1{}; }}", "(".repeat(n), ")".repeat(n));
        assert_eq!(beyond(&parentheses(9_974)), []);
        assert_eq!(beyond(&parentheses(9_975)).len(), 2);
    }

    #[test]
    fn comments_and_strings_have_no_brackets() {
        let many = "{[(".repeat(9_000);
        for text in [format!("// {many}\n{{}}"), format!("/* *{many}**/{{}}"), format!(".file 1 \"{many}\"\n{{}}")] {
            assert_eq!(beyond(&text), [], "{}", &text[..12]);
        }
        // What closes them there closes nothing.
        for close in ["// }\n", "/* } */", "\"}\"", "\"}\n"] {
            assert!(!beyond(&format!("{{{close}").repeat(2_000)).is_empty(), "{close}");
        }
        // A slash of its own begins no comment, and a comment's end needs both characters.
        assert!(!beyond(&"/{*".repeat(2_000)).is_empty());
        assert_eq!(beyond(&format!("/*/{many}*/")), []);
    }
}
