//! Tokens of PTX text. The syntax tree of an incomplete statement is of little use, but its tokens are still valid.

use ptx_syntax::trivia::{Extent, opaque};
use std::ops::Range;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionTokenKind {
    /// A name without a sigil: an opcode, a label, a variable.
    Word,
    /// `.global`, or a dot alone.
    Dot,
    /// `%r1`, or a percent sign alone.
    Register,
    /// A number.
    Number,
    /// A string, perhaps unterminated.
    String,
    /// Any other character.
    Sign,
    /// A comment or preprocessor line that reaches the end of the text. Text typed after it is not PTX.
    Open,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionToken {
    /// Its kind.
    pub kind: CompletionTokenKind,
    /// Its byte range in the text.
    pub range: Range<usize>,
}

/// A text and its tokens.
#[derive(Debug, Clone, Default)]
pub struct Tokens {
    /// The text.
    pub text: String,
    /// The tokens, without comments.
    pub list: Vec<CompletionToken>,
}

impl Tokens {
    /// Splits a text into tokens.
    pub fn new(text: String) -> Self {
        let list = tokens(&text);
        Self { text, list }
    }

    /// The text of a token; empty if the index is out of range.
    pub fn at(&self, index: usize) -> &str {
        self.list.get(index).and_then(|t| self.text.get(t.range.clone())).unwrap_or("")
    }

    /// The kind of a token; `None` if the index is out of range.
    pub fn kind(&self, index: usize) -> Option<CompletionTokenKind> {
        self.list.get(index).map(|t| t.kind)
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The texts of all tokens from index `from` on.
    pub fn words(&self, from: usize) -> impl Iterator<Item = &str> {
        (from..self.len()).map(|i| self.at(i))
    }

    /// Whether a token begins exactly where the previous token ends.
    pub fn touches(&self, index: usize) -> bool {
        let end = index.checked_sub(1).and_then(|i| self.list.get(i)).map(|t| t.range.end);
        end.is_some() && end == self.list.get(index).map(|t| t.range.start)
    }
}

fn tokens(text: &str) -> Vec<CompletionToken> {
    let mut out: Vec<CompletionToken> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = text.get(at..).unwrap_or("");
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        match opaque(rest.as_bytes()).filter(|_| byte != b'"') {
            Some(Extent::Ended(length)) => {
                at += length;
                continue;
            }
            Some(Extent::Open(_)) => {
                out.push(CompletionToken { kind: CompletionTokenKind::Open, range: at..text.len() });
                break;
            }
            None => {}
        }
        let previous = out.last().is_some_and(|t| {
            t.range.end == at && matches!(t.kind, CompletionTokenKind::Word | CompletionTokenKind::Register)
        });
        let (kind, length) = token(rest, previous);
        out.push(CompletionToken { kind, range: at..at + length });
        at += length;
    }
    out
}

/// The kind and the length in bytes of the token with which a text begins. `named`: a name ends right before the text, so a
/// dot does not begin a number.
fn token(text: &str, named: bool) -> (CompletionTokenKind, usize) {
    let first = text.chars().next().unwrap_or(' ');
    let length =
        |from: usize| from + text.get(from..).unwrap_or("").find(|c: char| !is_part(c)).unwrap_or(text.len() - from);
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    match first {
        '.' if digit(text.chars().nth(1)) && !named && is_number(text) => (CompletionTokenKind::Number, length(1)),
        '.' => {
            // `.shared::cta`
            let mut end = length(1);
            while text.get(end..).unwrap_or("").starts_with("::") {
                end = length(end + 2);
            }
            // `.L2::cache_hint:1:2` is also one modifier.
            while text.get(..end).unwrap_or("").contains("::") && text.get(end..).unwrap_or("").starts_with(':') {
                let next = length(end + 1);
                if next == end + 1 {
                    break;
                }
                end = next;
            }
            (CompletionTokenKind::Dot, end)
        }
        '%' => (CompletionTokenKind::Register, length(1)),
        '"' => (CompletionTokenKind::String, opaque(text.as_bytes()).map_or(1, Extent::exact)),
        c if c.is_ascii_digit() => {
            let mut end = length(0);
            if text.get(end..).unwrap_or("").starts_with('.')
                && digit(text.get(end + 1..).and_then(|t| t.chars().next()))
            {
                end = length(end + 1);
            }
            // `1.5e-3`
            let exponent = text.get(..end).unwrap_or("").ends_with(['e', 'E']) && !text.starts_with("0x");
            if exponent && text.get(end..).unwrap_or("").starts_with(['+', '-']) {
                end = length(end + 1);
            }
            (CompletionTokenKind::Number, end)
        }
        c if is_part(c) => (CompletionTokenKind::Word, length(0)),
        c => (CompletionTokenKind::Sign, c.len_utf8()),
    }
}

/// `.5`, but not `.16x64b`.
fn is_number(text: &str) -> bool {
    let end = text.get(1..).and_then(|t| t.find(|c: char| !is_part(c))).map_or(text.len(), |n| n + 1);
    text.get(1..end).is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'e' | b'E')))
}

/// Whether a character may stand in a name.
pub fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::{CompletionTokenKind, Tokens};

    fn words(text: &str) -> Vec<String> {
        let tokens = Tokens::new(text.to_owned());
        tokens.words(0).map(str::to_owned).collect()
    }

    #[test]
    fn statements() {
        assert_eq!(words("@!%p1 ld.global.v4.f32 {%f1, _}, [a+-4];").len(), 20);
        assert_eq!(words("ld.shared::cluster.b32"), ["ld", ".shared::cluster", ".b32"]);
        assert_eq!(words("mov.b32 %r1, %tid.x"), ["mov", ".b32", "%r1", ",", "%tid", ".x"]);
        assert_eq!(
            words("add..f32 1.5e-3, .5, 0f3F800000"),
            ["add", ".", ".f32", "1.5e-3", ",", ".5", ",", "0f3F800000"]
        );
        assert_eq!(words("wgmma.16x64b % // c\n@ /* x */ \"a b\""), ["wgmma", ".16x64b", "%", "@", "\"a b\""]);
    }

    #[test]
    fn comments_at_the_end_are_open() {
        for text in ["a // b", "a /* b", "# b"] {
            assert_eq!(
                Tokens::new(text.to_owned()).list.last().map(|t| t.kind),
                Some(CompletionTokenKind::Open),
                "{text}"
            );
        }
        assert_eq!(words("a // b\nc /* d */"), ["a", "c"]);
        assert_eq!(words("\"open"), ["\"open"]);
    }
}
