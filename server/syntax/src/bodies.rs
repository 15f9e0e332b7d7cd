//! Finds the bodies of functions in a text without parsing it.

use crate::boundaries::{FUNCTIONS, is_word, length_of_comment, length_of_string};
use memchr::{memchr, memchr3};
use std::ops::Range;

/// The byte ranges between the braces of all function bodies of a text, in order, without the braces. The text begins outside of a
/// function. `None` if a brace is missing, or a comment has no end: then only a parser can tell what belongs to which function.
pub fn bodies(text: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut scanner = BodyScanner { text, at: 0, quote: None };
    let mut out = Vec::new();
    let mut function = false;
    while let Some(byte) = text.get(scanner.at) {
        match byte {
            b'/' | b'"' => scanner.skip()?,
            b';' => {
                function = false;
                scanner.at += 1;
            }
            b'{' => {
                scanner.at += 1;
                let start = scanner.at;
                let end = scanner.end_of_block()?;
                if function {
                    out.push(start..end);
                }
                function = false;
            }
            b'}' => return None,
            b'.' => {
                let length = text[scanner.at + 1..].iter().take_while(|b| is_word(**b)).count();
                // The next block is the body of a function.
                function |= FUNCTIONS.contains(&&text[scanner.at + 1..scanner.at + 1 + length]);
                scanner.at += 1 + length;
            }
            _ => scanner.at += 1,
        }
    }
    Some(out)
}

struct BodyScanner<'t> {
    text: &'t [u8],
    at: usize,
    /// The position of the first quotation mark that is not behind `at`, or the length of the text; `None` if it is unknown.
    quote: Option<usize>,
}

impl BodyScanner<'_> {
    /// Skips a comment or a string, or the one sign here if it begins neither. `None` if a comment has no end.
    fn skip(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        self.at += match (rest.first()?, rest.get(1)) {
            (b'/', Some(b'*')) if memchr::memmem::find(&rest[2..], b"*/").is_none() => return None,
            (b'/', Some(b'/' | b'*')) => length_of_comment(rest),
            (b'"', _) => length_of_string(rest),
            _ => 1,
        };
        Some(())
    }

    /// Goes behind the closing brace of the block that begins here; returns the position of that brace.
    fn end_of_block(&mut self) -> Option<usize> {
        let mut depth = 1;
        loop {
            let next = self.at + memchr3(b'{', b'}', b'/', &self.text[self.at..])?;
            let quote = match self.quote.filter(|quote| *quote >= self.at) {
                Some(quote) => quote,
                None => memchr(b'"', &self.text[self.at..]).map_or(self.text.len(), |n| self.at + n),
            };
            self.quote = Some(quote);
            self.at = next.min(quote);
            match self.text[self.at] {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {
                    self.skip()?;
                    continue;
                }
            }
            self.at += 1;
            if depth == 0 {
                return Some(self.at - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<Vec<&str>> {
        Some(bodies(text.as_bytes())?.into_iter().map(|range| &text[range]).collect())
    }

    #[test]
    fn bodies_are_between_braces() {
        let text = ".version 8.0\n.global .b8 a[2] = {1, 2};\n.extern .func g(.param .b32 x);\n.visible .entry k(.param .u64 p)\n.maxntid 1\n{ ret; }\n\
                    .section .debug { .b8 1 }\n.func (.reg .b32 r) f() { { mov.b64 {%r1, %r2}, %rd1; } ret; }.func h(){}";
        assert_eq!(found(text).expect("all braces"), [" ret; ", " { mov.b64 {%r1, %r2}, %rd1; } ret; ", ""]);
    }

    #[test]
    fn braces_in_comments_and_strings_do_not_count() {
        let text = "// .func {\n.func a() // {\n{ // }\n/* } .func \n*/ .pragma \"}\"; x = a / b; .pragma \"{\n}\n/* { */\"{\";.func b() {\"\"}";
        assert_eq!(found(text).expect("all braces").len(), 2);
    }

    #[test]
    fn missing_braces() {
        for text in [".func a() {", ".func a() { { }", "}", ".func a() { /* }", "/* .func a() { }", ".func a() { } }"] {
            assert_eq!(found(text), None, "{text}");
        }
        assert_eq!(found(""), Some(Vec::new()));
        assert_eq!(found("{ }"), Some(Vec::new()));
    }
}
