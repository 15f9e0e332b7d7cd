//! Parses the form line: `add{.rnd}{.ftz}{.sat}.f32 d, a, b`.

use super::error::{Error, Result};
use super::lines::LogicalLine;

/// A modifier as written in a form.
#[derive(Debug, Clone)]
pub(super) struct RawSlot {
    /// The name of the slot, without a dot.
    pub name: String,
    /// The name of the set, without a dot: that of the slot unless it is written `.name:set`.
    pub set: String,
    pub optional: bool,
    /// The number of the innermost optional group that contains it, from 1; 0 outside of groups.
    pub group: u8,
    pub at: usize,
    pub after_operand: u8,
}

/// An operand as written in a form.
#[derive(Debug, Clone)]
pub(super) struct RawOperand {
    pub shape: RawShape,
    pub optional: u8,
    pub at: usize,
}

#[derive(Debug, Clone)]
pub(super) enum RawShape {
    Value { name: String, negatable: bool, minus: bool },
    Address(Vec<String>),
    Pair { first: String, second: String, optional: bool },
    Arguments(String),
    Sink,
}

#[derive(Debug, Clone)]
pub(super) struct RawForm {
    pub slots: Vec<RawSlot>,
    pub operands: Vec<RawOperand>,
}

/// Parses the part of a form line after `form`.
pub(super) fn parse(line: &LogicalLine, text: &str, path: &str) -> Result<RawForm> {
    let start = line.offset(text);
    let mut p = FormParser { line, text, at: 0, start, groups: 0 };
    if !text.starts_with(path) {
        return Err(line.error(start, format!("a form of `{path}` must begin with `{path}`")));
    }
    // Skip the opcode itself; the other words of the path are ordinary slots.
    p.at = path.find('.').unwrap_or(path.len());
    let mut slots = Vec::new();
    p.modifiers(&mut slots, 0, 0)?;
    // A group of one slot needs no number, since no other slot belongs to it.
    for i in 0..slots.len() {
        let group = slots[i].group;
        if group != 0 && slots.iter().filter(|s| s.group == group).count() == 1 {
            slots[i].group = 0;
        }
    }
    let mut operands = Vec::new();
    p.operands(&mut operands, &mut slots)?;
    Ok(RawForm { slots, operands })
}

struct FormParser<'a> {
    line: &'a LogicalLine<'a>,
    text: &'a str,
    at: usize,
    start: usize,
    groups: u8,
}

impl<'a> FormParser<'a> {
    fn error(&self, message: impl Into<String>) -> Error {
        self.line.error(self.start + self.at, message)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn eat(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }

    fn expect(&mut self, what: &str) -> Result<()> {
        if self.eat(what) { Ok(()) } else { Err(self.error(format!("expected `{what}`"))) }
    }

    fn spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn word(&mut self) -> Result<&'a str> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let mut len = 0;
        while len < bytes.len() {
            let c = bytes[len];
            // `::` is part of a modifier's name. So is a single `:` before a digit, which occurs only in `.sp::2:4`: no set's
            // name begins with a digit.
            let part = c.is_ascii_alphanumeric()
                || c == b'_'
                || c == b'-'
                || (c == b':' && bytes.get(len + 1) == Some(&b':'))
                || (c == b':' && len > 0 && bytes[len - 1] == b':')
                || (c == b':' && bytes.get(len + 1).is_some_and(u8::is_ascii_digit));
            if !part {
                break;
            }
            len += 1;
        }
        if len == 0 {
            return Err(self.error("expected a name"));
        }
        self.at += len;
        Ok(&rest[..len])
    }

    /// Parses modifiers: `.a{.b}{.c.d}…`
    fn modifiers(&mut self, out: &mut Vec<RawSlot>, group: u8, after_operand: u8) -> Result<()> {
        loop {
            let at = self.start + self.at;
            if self.eat(".") {
                let name = self.word()?;
                let set = if self.eat(":") { self.word()? } else { name };
                out.push(RawSlot {
                    name: name.to_owned(),
                    set: set.to_owned(),
                    optional: group != 0,
                    group,
                    at,
                    after_operand,
                });
            } else if self.rest().starts_with("{.") {
                self.at += 1;
                self.groups += 1;
                let inner = self.groups;
                self.modifiers(out, inner, after_operand)?;
                self.expect("}")?;
            } else {
                return Ok(());
            }
        }
    }

    fn operands(&mut self, out: &mut Vec<RawOperand>, slots: &mut Vec<RawSlot>) -> Result<()> {
        self.spaces();
        let mut optional: Vec<u8> = Vec::new();
        let mut groups = 0u8;
        let mut separated = true;
        loop {
            self.spaces();
            if self.rest().is_empty() {
                return if optional.is_empty() { Ok(()) } else { Err(self.error("expected `}`")) };
            }
            if self.eat("}") {
                if optional.pop().is_none() {
                    return Err(self.error("a `}` without `{`"));
                }
                continue;
            }
            if self.rest().starts_with("{,") || self.rest().starts_with("{ ,") {
                self.at += 1;
                self.spaces();
                self.expect(",")?;
                groups += 1;
                optional.push(groups);
                separated = true;
                continue;
            }
            // An optional operand without a comma before it: `{a}`. (`{d, }a` has to be written as two forms.)
            if self.rest().starts_with('{') && !self.rest().starts_with("{!") && !self.rest().starts_with("{-") {
                self.at += 1;
                groups += 1;
                optional.push(groups);
                continue;
            }
            if self.eat(",") {
                separated = true;
                continue;
            }
            if !separated {
                return Err(self.error("expected `,`"));
            }
            separated = false;
            let at = self.start + self.at;
            let shape = self.operand()?;
            out.push(RawOperand { shape, optional: optional.last().copied().unwrap_or(0), at });
            let index = u8::try_from(out.len()).map_err(|_| self.error("too many operands"))?;
            self.modifiers(slots, 0, index)?;
        }
    }

    fn operand(&mut self) -> Result<RawShape> {
        if self.eat("[") {
            let mut parts = Vec::new();
            loop {
                self.spaces();
                parts.push(self.word()?.to_owned());
                self.spaces();
                if self.eat("]") {
                    return Ok(RawShape::Address(parts));
                }
                self.expect(",")?;
            }
        }
        if self.eat("(") {
            let name = self.word()?.to_owned();
            self.expect(")")?;
            return Ok(RawShape::Arguments(name));
        }
        if self.eat("{!}") {
            return Ok(RawShape::Value { name: self.word()?.to_owned(), negatable: true, minus: false });
        }
        if self.eat("{-}") {
            return Ok(RawShape::Value { name: self.word()?.to_owned(), negatable: false, minus: true });
        }
        let first = self.word()?.to_owned();
        if self.eat("{|") {
            let second = self.word()?.to_owned();
            self.expect("}")?;
            return Ok(RawShape::Pair { first, second, optional: true });
        }
        if self.eat("|") {
            let second = self.word()?.to_owned();
            return Ok(RawShape::Pair { first, second, optional: false });
        }
        if first == "_" {
            return Ok(RawShape::Sink);
        }
        Ok(RawShape::Value { name: first, negatable: false, minus: false })
    }
}
