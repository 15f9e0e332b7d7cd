//! Formatting of launches as text.

use super::{
    Argument, Buffer, BufferContents, Condition, ElementSelection, Expectation, ExpectationSubject, ExpectedElements,
    Field, Keyword, Launch, NamedArgument, SIZES, Tolerance,
};
use ptx_num::notation::Number;
use std::fmt::{self, Display, Write};

/// The text of a line of a launch, formatted without `//!`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineText {
    /// The word with which it begins.
    pub keyword: Keyword,
    /// The text after the keyword, without surrounding spaces.
    pub text: String,
}

impl LineText {
    fn new(keyword: Keyword, items: impl IntoIterator<Item = String>) -> Self {
        Self { keyword, text: items.into_iter().collect::<Vec<_>>().join(" ") }
    }
}

impl Display for LineText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.text.is_empty() { "" } else { " " };
        write!(f, "{}:{space}{}", self.keyword.name(), self.text)
    }
}

impl Launch {
    /// The lines that define the launch: a `launch:` line, then those that it needs beside. Expectations are not among them.
    pub fn definition(&self) -> Vec<LineText> {
        let sizes = [("grid", self.grid), ("block", self.block), ("cluster", self.cluster)];
        let size = |(name, size): (&str, Option<[u32; 3]>)| match size? {
            [x, 1, 1] => Some(format!("{name}={x}")),
            [x, y, 1] => Some(format!("{name}={x},{y}")),
            [x, y, z] => Some(format!("{name}={x},{y},{z}")),
        };
        let shared = self.shared.map(|bytes| format!("shared={bytes}"));
        let (odd, plain): (Vec<_>, Vec<_>) =
            self.parameters.iter().partition(|g| g.offset.is_none() && SIZES.contains(&&*g.name));
        let first = sizes.into_iter().filter_map(size).chain(shared);
        let first = LineText::new(Keyword::Launch, first.chain(plain.into_iter().map(NamedArgument::to_string)));
        let (globals, buffers) = (self.globals.iter().collect(), self.buffers.iter().collect());
        let more = [(Keyword::Parameters, odd), (Keyword::Globals, globals), (Keyword::Buffers, buffers)];
        let more = more.into_iter().filter(|(_, all)| !all.is_empty());
        let line = |(keyword, all): (_, Vec<_>)| LineText::new(keyword, all.into_iter().map(NamedArgument::to_string));
        std::iter::once(first).chain(more.map(line)).collect()
    }

    /// The launch as `//!` lines for a place above the kernel, each with its line break.
    pub fn text(&self) -> String {
        let mut lines = self.definition();
        if !self.expectations.is_empty() {
            lines.push(LineText::new(Keyword::Expect, self.expectations.iter().map(Expectation::to_string)));
        }
        lines.iter().map(|line| format!("//! {line}\n")).collect()
    }
}

impl Display for NamedArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.title(), self.argument)
    }
}

impl Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(None, number) => number.fmt(f),
            Self::Number(Some(element), number) => write!(f, "{element}:{number}"),
            Self::Buffer(buffer) => buffer.fmt(f),
            Self::Address(name, 0) => write!(f, "&{name}"),
            Self::Address(name, offset) => write!(f, "&{name}{offset:+}"),
            Self::Table(fields) => {
                f.write_str("{")?;
                for (index, (key, value)) in fields.iter().enumerate() {
                    write!(f, "{}{key}={}", if index > 0 { " " } else { "" }, FieldText(value))?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Formats a value of a table.
struct FieldText<'a>(&'a Field);

impl Display for FieldText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Field::Integer(value) => value.fmt(f),
            Field::Number(value) => Number::Float(*value).fmt(f),
            Field::Truth(value) => value.fmt(f),
            Field::Text(text) => {
                let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/');
                let ambiguous = Number::parse(text).is_some_and(|(_, n)| n == text.len());
                let word =
                    !text.is_empty() && text.chars().all(plain) && !ambiguous && text != "true" && text != "false";
                if word { f.write_str(text) } else { write_quoted(f, text) }
            }
            Field::List(all) => {
                f.write_str("[")?;
                for (index, value) in all.iter().enumerate() {
                    write!(f, "{}{}", if index > 0 { "," } else { "" }, FieldText(value))?;
                }
                f.write_str("]")
            }
        }
    }
}

fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '"' | '\\' => write!(f, "\\{c}")?,
            c => f.write_char(c)?,
        }
    }
    f.write_str("\"")
}

fn write_list<T: Display>(f: &mut fmt::Formatter<'_>, all: &[T]) -> fmt::Result {
    f.write_str("[")?;
    for (index, value) in all.iter().enumerate() {
        write!(f, "{}{value}", if index > 0 { "," } else { "" })?;
    }
    f.write_str("]")
}

impl Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.element)?;
        if let Some(length) = self.length {
            write!(f, "[{length}]")?;
        }
        f.write_str(":")?;
        match &self.contents {
            BufferContents::Fill(fill) => fill.fmt(f),
            BufferContents::Elements(all) => write_list(f, all),
            BufferContents::Bytes(bytes) => {
                f.write_str("hex(")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str(")")
            }
            BufferContents::File(path) => {
                f.write_str("file(")?;
                write_quoted(f, path)?;
                f.write_str(")")
            }
        }
    }
}

impl Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            ExpectationSubject::Memory(condition) => condition.fmt(f),
            ExpectationSubject::Fault(word) => write!(f, "fault={}", word.text),
            ExpectationSubject::Status(word) => write!(f, "status={}", word.text),
            ExpectationSubject::Printed(text) => {
                f.write_str("printed=")?;
                write_quoted(f, text)
            }
        }
    }
}

impl Condition {
    /// The left side as written: `out[3]`.
    pub fn title(&self) -> String {
        let mut out = self.name.to_string();
        if let Some(offset) = self.offset {
            let _ = write!(out, "+{offset}");
        }
        if let Some(element) = self.element {
            let _ = write!(out, ":{element}");
        }
        let _ = match self.part {
            ElementSelection::All => Ok(()),
            ElementSelection::At(index) => write!(out, "[{index}]"),
            ElementSelection::Range(from, to) => write!(out, "[{from}..{to}]"),
        };
        out
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=", self.title())?;
        match &self.expected {
            ExpectedElements::Value(value) => value.fmt(f)?,
            ExpectedElements::Between(low, high) => write!(f, "{low}..{high}")?,
            ExpectedElements::List(all) => write_list(f, all)?,
            ExpectedElements::Fill(fill) => fill.fmt(f)?,
            ExpectedElements::Like(name, 0) => f.write_str(name)?,
            ExpectedElements::Like(name, from) => write!(f, "{name}[{from}]")?,
        }
        self.tolerance.fmt(f)
    }
}

impl Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |value: f64| {
            let text = format!("{value:?}");
            text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
        };
        if let Some(absolute) = self.absolute {
            write!(f, "±{}", short(absolute))?;
        }
        if let Some(relative) = self.relative {
            write!(f, "±{}%", short(relative * 100.0))?;
        }
        if let Some(ulps) = self.ulps {
            write!(f, "±{ulps}ulp")?;
        }
        Ok(())
    }
}
