//! Finds the bodies of functions in a text without parsing it.

use crate::boundaries::FUNCTIONS;
use crate::trivia::{Extent, is_endless_comment, is_word, opaque};
use memchr::{memchr2, memchr3};
use std::ops::Range;

/// The byte ranges between the braces of all function bodies of a text, in order, without the braces. The text begins outside of a
/// function. `None` if a brace is missing, or a comment has no end: then only a parser can tell what belongs to which function.
pub fn bodies(text: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut scanner = BodyScanner { text, at: 0, brace: None, opening: None };
    let mut out = Vec::new();
    let mut function = false;
    while let Some(byte) = text.get(scanner.at) {
        match byte {
            b'/' | b'"' | b'#' => scanner.skip()?,
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
    /// The positions of the first brace or slash, and of the first quotation mark or number sign, or the length of the text. Each is valid
    /// until it lies before `at`: a line of quotation marks must not be searched for a brace from each of them.
    brace: Option<usize>,
    opening: Option<usize>,
}

impl BodyScanner<'_> {
    /// Skips a comment, a line for a preprocessor or a string, or the one sign here if it begins none. `None` if a comment has no end.
    fn skip(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        self.at += match opaque(rest) {
            Some(Extent::Open(_)) if is_endless_comment(rest) => return None,
            Some(extent) => extent.exact(),
            None => 1,
        };
        Some(())
    }

    /// Goes behind the closing brace of the block that begins here; returns the position of that brace.
    fn end_of_block(&mut self) -> Option<usize> {
        let mut depth = 1;
        loop {
            let (at, rest) = (self.at, self.text.get(self.at..)?);
            let next = |known: &mut Option<usize>, search: &dyn Fn(&[u8]) -> Option<usize>| {
                let unknown = || search(rest).map_or(self.text.len(), |n| at + n);
                *known.insert(known.filter(|known| *known >= at).unwrap_or_else(unknown))
            };
            let brace = next(&mut self.brace, &|rest| memchr3(b'{', b'}', b'/', rest));
            let opening = next(&mut self.opening, &|rest| memchr2(b'"', b'#', rest));
            self.at = brace.min(opening);
            match self.text.get(self.at)? {
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
