//! Macros and constants of a file, and the values of constant expressions.

use crate::raw::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Names that the file defines. A name with different definitions has no value.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Definitions {
    values: HashMap<Arc<str>, Value>,
}

impl Definitions {
    pub fn add(&mut self, name: &Arc<str>, value: &Value) {
        self.values
            .entry(name.clone())
            .and_modify(|old| {
                if old != value {
                    *old = Value::Other;
                }
            })
            .or_insert_with(|| value.clone());
    }

    /// Whether the file defines nothing.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether the file defines a name, with or without a value.
    pub fn contains(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The literal text of a macro.
    pub fn text(&self, name: &str) -> Option<&Arc<str>> {
        match self.values.get(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The value of a constant expression, where it is sure.
    pub fn evaluate(&self, expression: &str) -> Option<i128> {
        self.evaluate_nested(expression, 0)
    }

    fn evaluate_nested(&self, expression: &str, nesting: u32) -> Option<i128> {
        if expression.len() > 200 || nesting > 4 {
            return None;
        }
        let mut reader = Reader { text: expression.as_bytes(), at: 0, names: self, nesting, depth: 0 };
        let value = reader.binary(0)?;
        reader.blanks();
        (reader.at == reader.text.len()).then_some(value)
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    names: &'a Definitions,
    nesting: u32,
    depth: u32,
}

/// Binary operators, weakest first.
const LEVELS: [&[&[u8]]; 6] = [&[b"|"], &[b"^"], &[b"&"], &[b"<<", b">>"], &[b"+", b"-"], &[b"*", b"/", b"%"]];

impl Reader<'_> {
    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn binary(&mut self, level: usize) -> Option<i128> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            self.blanks();
            let rest = &self.text[self.at..];
            let Some(operator) = operators.iter().find(|o| rest.starts_with(o)) else { return Some(left) };
            // `&&` and `||` are not read, so they end the expression and refuse it.
            if matches!(rest, [b'&', b'&', ..] | [b'|', b'|', ..]) {
                return None;
            }
            self.at += operator.len();
            let right = self.binary(level + 1)?;
            let shift = || u32::try_from(right).ok().filter(|s| *s < 64);
            left = match *operator {
                b"|" => left | right,
                b"^" => left ^ right,
                b"&" => left & right,
                b"<<" => left.checked_mul(1i128 << shift()?)?,
                b">>" => left >> shift()?,
                b"+" => left.checked_add(right)?,
                b"-" => left.checked_sub(right)?,
                b"*" => left.checked_mul(right)?,
                b"/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
            // Values of more than 64 bits would wrap.
            if !(i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&left) {
                return None;
            }
        }
    }

    fn unary(&mut self) -> Option<i128> {
        self.depth += 1;
        if self.depth > 100 {
            return None;
        }
        self.blanks();
        match self.text.get(self.at)? {
            b'-' => {
                self.at += 1;
                self.unary()?.checked_neg()
            }
            b'+' => {
                self.at += 1;
                self.unary()
            }
            b'(' => {
                self.at += 1;
                if let Some(cast) = self.cast() {
                    let value = self.unary()?;
                    return cast.contains(&value).then_some(value);
                }
                let value = self.binary(0)?;
                self.close()?;
                Some(value)
            }
            b'0'..=b'9' => self.number(),
            b if b.is_ascii_alphabetic() || *b == b'_' => self.name(),
            _ => None,
        }
    }

    fn close(&mut self) -> Option<()> {
        self.blanks();
        (self.text.get(self.at) == Some(&b')')).then(|| self.at += 1)
    }

    /// `int)`, the rest of a cast: the values of the type.
    fn cast(&mut self) -> Option<std::ops::RangeInclusive<i128>> {
        let end = memchr::memchr(b')', &self.text[self.at..])?;
        let values = type_values(std::str::from_utf8(&self.text[self.at..self.at + end]).ok()?.trim())?;
        self.at += end + 1;
        Some(values)
    }

    fn number(&mut self) -> Option<i128> {
        let start = self.at;
        while self.text.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'\'' | b'.' | b'_')) {
            self.at += 1;
        }
        let token: String = std::str::from_utf8(&self.text[start..self.at]).ok()?.replace('\'', "");
        let digits = token.trim_end_matches(['u', 'U', 'l', 'L']);
        let (digits, radix) = match digits.as_bytes() {
            [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
            [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
            [b'0', _, ..] => (&digits[1..], 8),
            _ => (digits, 10),
        };
        i128::from(u64::from_str_radix(digits, radix).ok()?).into()
    }

    fn name(&mut self) -> Option<i128> {
        let start = self.at;
        while self.text.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            self.at += 1;
        }
        let name = std::str::from_utf8(&self.text[start..self.at]).ok()?;
        self.blanks();
        match (name, self.text.get(self.at)) {
            ("true", _) => Some(1),
            ("false", _) => Some(0),
            // `int(5)`
            (_, Some(b'(')) => {
                let values = type_values(name)?;
                self.at += 1;
                let value = self.binary(0)?;
                self.close()?;
                values.contains(&value).then_some(value)
            }
            // `static_cast<int>(5)`
            ("static_cast", Some(b'<')) => {
                let end = memchr::memchr(b'>', &self.text[self.at..])?;
                let name = std::str::from_utf8(&self.text[self.at + 1..self.at + end]).ok()?.trim();
                let values = type_values(name)?;
                self.at += end + 1;
                self.blanks();
                let value = if self.text.get(self.at) == Some(&b'(') { self.unary()? } else { return None };
                values.contains(&value).then_some(value)
            }
            _ => match self.names.values.get(name)? {
                Value::Expression(text) => self.names.evaluate_nested(text, self.nesting + 1),
                _ => None,
            },
        }
    }
}

/// The values of an integer type.
fn type_values(name: &str) -> Option<std::ops::RangeInclusive<i128>> {
    let name = name.strip_prefix("std::").unwrap_or(name);
    Some(match name {
        "int" | "int32_t" => i128::from(i32::MIN)..=i128::from(i32::MAX),
        "unsigned" | "unsigned int" | "uint32_t" => 0..=i128::from(u32::MAX),
        "int64_t" | "long long" => i128::from(i64::MIN)..=i128::from(i64::MAX),
        "uint64_t" | "unsigned long long" | "size_t" => 0..=i128::from(u64::MAX),
        "uint16_t" | "unsigned short" => 0..=i128::from(u16::MAX),
        "uint8_t" | "unsigned char" => 0..=i128::from(u8::MAX),
        "bool" => 0..=1,
        _ => return None,
    })
}
