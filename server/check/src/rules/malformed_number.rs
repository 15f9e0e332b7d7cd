//! `malformed-number`: a word that begins like a number but is not one.

use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_sema::hir::literal::{Malformed, malformed, unsuffixed};
use std::ops::Range;

/// A word that begins like a number but is not one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct MalformedNumber {
    /// The word.
    pub word: Box<str>,
    /// What is wrong with it.
    pub problem: Malformed,
    /// The number that was most likely intended.
    pub near: Option<Box<str>>,
}

impl DiagnosticMessage for MalformedNumber {
    fn message(&self) -> String {
        let why = match self.problem {
            Malformed::NoDigits => "there are no digits".to_owned(),
            Malformed::Octal => "numbers that begin with 0 are octal, with digits up to 7".to_owned(),
            Malformed::Binary => "binary digits are 0 and 1".to_owned(),
            Malformed::Bits(actual, expected) => {
                let plural = if actual == 1 { "" } else { "s" };
                format!("it has {actual} hexadecimal digit{plural}, but needs exactly {expected}")
            }
            Malformed::Exponent => "the exponent has no digits".to_owned(),
            Malformed::Suffix => "the only suffix is `U`, for integers".to_owned(),
            Malformed::Separator => "its digits cannot be grouped".to_owned(),
            Malformed::Hexadecimal => "a hexadecimal number begins with `0x`".to_owned(),
            Malformed::Other => match foreign_digit(&self.word) {
                Some(digit) => format!("`{digit}` is not a hexadecimal digit"),
                None => "it is followed by other characters".to_owned(),
            },
        };
        format!("`{}` is not a number: {why}", self.word)
    }

    fn help(&self) -> Option<String> {
        self.near.as_ref().map(|near| format!("write `{near}`")).or_else(|| match self.problem {
            Malformed::NoDigits => Some("write its digits".to_owned()),
            Malformed::Bits(_, 8) => Some("`0f` is followed by the bits of an `.f32`: 1.0 is `0f3F800000`".to_owned()),
            Malformed::Bits(..) => {
                Some("`0d` is followed by the bits of an `.f64`: 1.0 is `0d3FF0000000000000`".to_owned())
            }
            Malformed::Other if foreign_digit(&self.word).is_some() => {
                Some("hexadecimal digits are 0 to 9 and A to F, in upper or lower case".to_owned())
            }
            _ => None,
        })
    }
}

/// The first character of a hexadecimal number that is not a digit of one.
fn foreign_digit(word: &str) -> Option<char> {
    let digits = ["0x", "0X", "0f", "0F", "0d", "0D"].into_iter().find_map(|prefix| word.strip_prefix(prefix))?;
    digits.chars().find(|c| !c.is_ascii_hexdigit()).filter(char::is_ascii_alphabetic)
}

/// The report on the word at the start of `range`, where the parser met an error, if that word is a malformed number. The word may
/// begin before `range`.
pub(crate) fn around(text: &str, range: &Range<usize>) -> Option<Diagnostic> {
    let bytes = text.as_bytes();
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let part = |at: usize| {
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.' | b'%');
        // `0xFFFF'FFFF`
        let separates = || bytes.get(at) == Some(&b'\'') && at > 0 && letter(at - 1) && letter(at + 1);
        bytes.get(at).is_some_and(is_word) || separates()
    };
    let mut start = range.start;
    if !part(start) {
        return None;
    }
    while start > 0 && part(start - 1) {
        start -= 1;
    }
    let mut end = start;
    while part(end) {
        end += 1;
    }
    let word = text.get(start..end)?;
    Some(report(start..end, word, malformed(word)?))
}

fn report(range: Range<usize>, word: &str, problem: Malformed) -> Diagnostic {
    let near = near(word, problem);
    let fix = near.as_deref().map(|near| Fix::replace(format!("Write `{near}`"), range.clone(), near));
    Diagnostic::new(range, MalformedNumber { word: word.into(), problem, near }).fixes(fix)
}

/// The number that was most likely intended, if it can be derived.
fn near(word: &str, problem: Malformed) -> Option<Box<str>> {
    let near: Box<str> = match problem {
        Malformed::Octal => word.trim_start_matches('0').into(),
        Malformed::Suffix => unsuffixed(word).into(),
        Malformed::Separator => word.replace(['_', '\''], "").into(),
        Malformed::Hexadecimal => format!("0x{}", word.trim_end_matches(['h', 'H'])).into(),
        _ => return None,
    };
    (malformed(&near).is_none() && near.starts_with(|c: char| c.is_ascii_digit())).then_some(near)
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, mended, messages};

    #[test]
    fn words_that_begin_like_numbers() {
        let found = in_kernel(Code::MalformedNumber, "mov.b32 %r1, 019;");
        assert_eq!(found[0].help().as_deref(), Some("write `19`"));
        let octal = "`019` is not a number: numbers that begin with 0 are octal, with digits up to 7";
        assert_eq!(messages(&found), [octal]);
        let short = "`0f3F8` is not a number: it has 3 hexadecimal digits, but needs exactly 8";
        assert_eq!(messages(&in_kernel(Code::MalformedNumber, "mov.f32 %f1, 0f3F8;")), [short]);
        assert!(in_kernel(Code::MalformedNumber, "mov.b32 %r1, 17U; mov.f32 %f1, 0f3F800000;").is_empty());
    }

    #[test]
    fn numbers_of_other_languages() {
        let module = |number: &str| {
            format!(".version 9.0\n.target sm_90a\n.entry k() {{ .reg .b32 %r1; mov.b32 %r1, {number}; ret; }}\n")
        };
        for (number, fixed) in [
            ("1_000", "1000"),
            ("1'000'000", "1000000"),
            ("0xFFFF'FFFF", "0xFFFFFFFF"),
            ("0FFh", "0x0FF"),
            ("1C", "0x1C"),
        ] {
            assert_eq!(mended(Code::MalformedNumber, &module(number)), module(fixed), "{number}");
        }
    }

    #[test]
    fn the_number_without_its_suffix() {
        let text = ".version 9.0\n.target sm_90a\n.entry k() { .reg .b32 %r1; mov.b32 %r1, 12u; ret; }\n";
        assert_eq!(mended(Code::MalformedNumber, text), text.replace("12u", "12"));
    }
}
