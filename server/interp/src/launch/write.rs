//! Formatting of launches as text.

use super::expectation::STATUSES;
use super::{
    Argument, Buffer, BufferContents, Condition, ElementSelection, Expectation, ExpectationSubject, ExpectedElements,
    Field, Launch, NamedArgument, SIZES, Tolerance,
};
use crate::notation::Number;
use std::fmt::{self, Display, Write};

impl Launch {
    /// The launch as `//!` lines for a place above the kernel, each with its line break.
    pub fn lines(&self) -> String {
        let mut out = "//! launch:".to_owned();
        for (name, size) in [("grid", self.grid), ("block", self.block), ("cluster", self.cluster)] {
            if let Some([x, y, z]) = size {
                let _ = match (y, z) {
                    (1, 1) => write!(out, " {name}={x}"),
                    (_, 1) => write!(out, " {name}={x},{y}"),
                    _ => write!(out, " {name}={x},{y},{z}"),
                };
            }
        }
        if let Some(shared) = self.shared {
            let _ = write!(out, " shared={shared}");
        }
        let (odd, plain): (Vec<_>, Vec<_>) =
            self.parameters.iter().partition(|g| g.offset.is_none() && SIZES.contains(&&*g.name));
        let (globals, buffers) = (self.globals.iter().collect(), self.buffers.iter().collect());
        for (keyword, all) in [("", plain), ("params", odd), ("globals", globals), ("buffers", buffers)] {
            if !keyword.is_empty() && !all.is_empty() {
                let _ = write!(out, "\n//! {keyword}:");
            }
            all.iter().for_each(|given| {
                let _ = write!(out, " {given}");
            });
        }
        out.push('\n');
        if !self.expectations.is_empty() {
            out.push_str("//! expect:");
            self.expectations.iter().for_each(|expectation| {
                let _ = write!(out, " {expectation}");
            });
            out.push('\n');
        }
        out
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
            ExpectationSubject::Fault(kind) => write!(f, "fault={}", kind.name()),
            ExpectationSubject::Status(status) => {
                let name = STATUSES.iter().find(|(_, s)| s == status).map_or("finished", |(name, _)| name);
                write!(f, "status={name}")
            }
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
