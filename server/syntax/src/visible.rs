//! The text that the parser sees: all of it, except brackets that nest too deep and overlong runs of punctuation, which are
//! replaced by blanks.
//!
//! Functions that walk a tree recurse into it, so the depth of a tree must be bounded by the size of the stack. Brackets make
//! a tree deep, and this module limits their depth ([`MAX_DEPTH`]).

use crate::parser::slice;
use crate::trivia::Opaque;
use ropey::Rope;
use std::ops::Range;

/// The maximum depth of brackets, in units of [`BracketType::weight`]. It is the assembler's own limit: its parser gives up
/// ("memory exhausted") in a function with 1,664 nested blocks, and at 9,979 parentheses (ptxas 12.9).
const MAX_DEPTH: usize = 9_980;

/// A type of brackets.
#[derive(Debug, Clone, Copy)]
enum BracketType {
    Brace,
    Square,
    Round,
}

impl BracketType {
    /// The space that one bracket needs on the assembler's stack, relative to a parenthesis.
    const fn weight(self) -> usize {
        match self {
            Self::Brace => 6,
            Self::Square | Self::Round => 1,
        }
    }
}

/// The maximum number of consecutive signs (punctuation, possibly with white space between) that the parser sees; further
/// ones are hidden. Otherwise the tree of a file of `;` or noise would need two hundred times the size of the file. The
/// assembler gives up at half as many operators.
const MAX_RUN: usize = 10_000;

/// The size of a block in bytes: a run of [`MAX_RUN`] signs fills at least one whole block, wherever it begins.
const BLOCK: usize = MAX_RUN / 2;

/// A text with hidden parts, as the parser sees it.
#[derive(Debug)]
pub struct Visible {
    /// The bytes of the text, with blanks for the hidden ones.
    pub text: Vec<u8>,
    /// The offset in `text` of the first bracket beyond the limit.
    pub too_deep: Option<usize>,
}

/// The visible text of a range; `None` if nothing is hidden, which is nearly always the case.
pub fn visible(rope: &Rope, range: Range<usize>) -> Option<Visible> {
    let runs = has_block_of_signs(rope, range.clone());
    if !runs && !has_many_brackets(rope, range.clone()) {
        return None;
    }
    let mut scanner = BracketScanner::new(runs);
    let mut any = false;
    for chunk in rope.byte_slice(range.clone()).chunks() {
        scanner.read(chunk.as_bytes(), |_, _| any = true);
        if any {
            break;
        }
    }
    if !any {
        return None;
    }
    let text = slice(rope, range).into_owned();
    let mut out = Visible { text: text.clone(), too_deep: None };
    BracketScanner::new(runs).read(&text, |what, index| {
        out.text[index] = b' ';
        if what == Hidden::Bracket {
            out.too_deep.get_or_insert(index);
        }
    });
    Some(out)
}

/// Whether brackets could nest too deep if none were closed. Counting them is several times as fast as scanning the nesting.
fn has_many_brackets(rope: &Rope, range: Range<usize>) -> bool {
    let weight = |byte: u8| match byte {
        b'{' => BracketType::Brace.weight() as u8,
        b'[' => BracketType::Square.weight() as u8,
        b'(' => BracketType::Round.weight() as u8,
        _ => 0,
    };
    let mut all = 0;
    for chunk in rope.byte_slice(range).chunks() {
        // The sum over 32 bytes fits into a `u8`.
        all +=
            chunk.as_bytes().chunks(32).map(|b| usize::from(b.iter().map(|b| weight(*b)).sum::<u8>())).sum::<usize>();
        if all > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// Whether a run of signs may be long enough to be cut. In a block with words, only a byte or two are examined.
fn has_block_of_signs(rope: &Rope, range: Range<usize>) -> bool {
    let (mut left, mut word) = (BLOCK, false);
    for chunk in rope.byte_slice(range).chunks() {
        let mut rest = chunk.as_bytes();
        while !rest.is_empty() {
            let (block, behind) = rest.split_at(rest.len().min(left));
            word = word || block.iter().any(|byte| is_word(*byte));
            left -= block.len();
            rest = behind;
            if left == 0 {
                if !word {
                    return true;
                }
                (left, word) = (BLOCK, false);
            }
        }
    }
    false
}

/// Whether a byte ends a run of signs (as do brackets, strings and comments). Characters other than ASCII count as signs.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

/// The bytes of code that the scanner must handle: brackets, and what comments, lines for a preprocessor and strings begin with.
const SAYS: [bool; 256] = {
    let mut out = [false; 256];
    let mut bytes: &[u8] = b"{}[]()\"/#";
    while let [byte, rest @ ..] = bytes {
        out[*byte as usize] = true;
        bytes = rest;
    }
    out
};

/// The reason why a byte is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    Bracket,
    Sign,
}

struct BracketScanner {
    /// The comment, line for a preprocessor or string that the bytes so far end in.
    opaque: Option<Opaque>,
    /// Whether the last byte is a slash of code, which may begin a comment.
    slash: bool,
    /// The number of open brackets of each type, within and beyond (`hidden`) the limit.
    open: [usize; 3],
    hidden: [usize; 3],
    /// The total weight of the open brackets.
    depth: usize,
    /// The length of the current run of signs; `None` if they are not counted.
    run: Option<usize>,
}

impl BracketScanner {
    fn new(runs: bool) -> Self {
        Self { opaque: None, slash: false, open: [0; 3], hidden: [0; 3], depth: 0, run: runs.then_some(0) }
    }

    /// Reads the next bytes, and reports the index in `bytes` of each hidden one.
    fn read(&mut self, bytes: &[u8], mut report: impl FnMut(Hidden, usize)) {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if let Some(opaque) = &mut self.opaque {
                let Some(length) = opaque.end_in(rest) else { return };
                at += length;
                self.opaque = None;
                continue;
            }
            if std::mem::take(&mut self.slash)
                && let Some((comment, _)) = Opaque::beginning(&[b'/', rest[0]])
            {
                self.opaque = Some(comment);
                at += 1;
                continue;
            }
            // Most bytes have no meaning here.
            let length = rest.iter().position(|byte| SAYS[usize::from(*byte)]).unwrap_or(rest.len());
            self.signs(&rest[..length], |index| report(Hidden::Sign, at + index));
            at += length;
            let Some(&byte) = rest.get(length) else { return };
            let beyond = match byte {
                b'{' | b'[' | b'(' => !self.opens(kind(byte)),
                b'}' | b']' | b')' => self.closes(kind(byte)),
                b'/' => {
                    self.slash = true;
                    false
                }
                _ => {
                    self.opaque = Opaque::beginning(&[byte]).map(|(opaque, _)| opaque);
                    false
                }
            };
            if beyond {
                report(Hidden::Bracket, at);
            }
            self.run = self.run.map(|_| 0);
            at += 1;
        }
    }

    /// Counts signs in code without brackets, and reports those beyond the longest run.
    fn signs(&mut self, bytes: &[u8], mut report: impl FnMut(usize)) {
        let Some(run) = &mut self.run else { return };
        for (index, byte) in bytes.iter().enumerate() {
            if is_word(*byte) {
                *run = 0;
            } else if !byte.is_ascii_whitespace() {
                *run += 1;
                if *run > MAX_RUN {
                    report(index);
                }
            }
        }
    }

    /// Opens a bracket; returns false if it is beyond the limit.
    fn opens(&mut self, kind: BracketType) -> bool {
        let fits = self.depth + kind.weight() <= MAX_DEPTH;
        let counts = if fits { &mut self.open } else { &mut self.hidden };
        counts[kind as usize] += 1;
        self.depth += if fits { kind.weight() } else { 0 };
        fits
    }

    /// Closes a bracket; returns true if it closes one beyond the limit.
    fn closes(&mut self, kind: BracketType) -> bool {
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

fn kind(byte: u8) -> BracketType {
    match byte {
        b'{' | b'}' => BracketType::Brace,
        b'[' | b']' => BracketType::Square,
        _ => BracketType::Round,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: [usize; 0] = [];

    /// The byte offsets of the hidden bytes of a text.
    fn beyond(text: &str) -> Vec<usize> {
        let rope = Rope::from_str(text);
        let Some(visible) = visible(&rope, 0..rope.len_bytes()) else { return Vec::new() };
        assert_eq!(visible.text.len(), text.len());
        (0..text.len()).filter(|i| visible.text[*i] != text.as_bytes()[*i]).collect()
    }

    #[test]
    fn long_runs_of_signs_end() {
        assert_eq!(beyond(&";".repeat(MAX_RUN)), NOTHING);
        let many = ";\n".repeat(30_000);
        assert_eq!(beyond(&many).len(), 20_000);
        let rope = Rope::from_str(&many);
        assert_eq!(visible(&rope, 0..many.len()).unwrap().too_deep, None);
        // The start of the run does not matter.
        for (before, behind) in [("ret", "ret;"), (&*"add.u32 %r1, %r1, 1;\n".repeat(501), "// x")] {
            let text = format!("{before}{}{behind}", "?!~^".repeat(3_000));
            let found = beyond(&text);
            assert_eq!(found.len(), 2_000 + usize::from(before.ends_with('\n')), "{:?}", found.first());
        }
        // A word, a bracket or a comment begins another run; comments and strings have none.
        for text in [";;;;;;;;;a", ";;;;;;;;;{}", ";;;;;;;;;//\n", "// --------\n", "/* -------- */", "\"--------\""] {
            assert_eq!(beyond(&text.repeat(3_000)), NOTHING, "{text}");
        }
        assert_eq!(beyond(&format!("// {}\n/* {} */", "-".repeat(20_000), "-".repeat(20_000))), NOTHING);
    }

    #[test]
    fn the_limit_is_that_of_the_assembler() {
        // The body of a function, and 1,663 blocks in it.
        let blocks = |n: usize| format!("{}{}", "{".repeat(n), "}".repeat(n));
        assert_eq!(beyond(&blocks(1_663)), NOTHING);
        assert_eq!(beyond(&blocks(1_665)), [1_663, 1_664, 1_665, 1_666]);
        let parentheses = |n: usize| format!("{{ mov.u32 %r1, {}1{}; }}", "(".repeat(n), ")".repeat(n));
        assert_eq!(beyond(&parentheses(9_974)), NOTHING);
        assert_eq!(beyond(&parentheses(9_975)).len(), 2);
    }

    #[test]
    fn brackets_behind_odd_comments_count() {
        let many = "{[(".repeat(9_000);
        for before in ["# /*\n", "# \"\n", "// c\r/*\n", "// c\r\"\n", "/*/ */", "# c\\\n/*\n"] {
            assert!(!beyond(&format!("{before}{many}")).is_empty(), "{before:?}");
        }
        for before in ["// c\r", "# c\\\n", "# c\\\r\n", "/*/ "] {
            assert_eq!(beyond(&format!("{before}{many}")), NOTHING, "{before:?}");
        }
    }

    #[test]
    fn comments_and_strings_have_no_brackets() {
        let many = "{[(".repeat(9_000);
        for text in [format!("// {many}\n{{}}"), format!("/* *{many}**/{{}}"), format!(".file 1 \"{many}\"\n{{}}")] {
            assert_eq!(beyond(&text), NOTHING, "{}", &text[..12]);
        }
        // Closing brackets in comments and strings close nothing.
        for close in ["// }\n", "/* } */", "\"}\"", "\"}\n"] {
            assert!(!beyond(&format!("{{{close}").repeat(2_000)).is_empty(), "{close}");
        }
        // A single slash does not begin a comment, and the end of a comment needs both characters.
        assert!(!beyond(&"/{*".repeat(2_000)).is_empty());
        assert_eq!(beyond(&format!("/*/{many}*/")), NOTHING);
    }
}
