//! Edits of PTX as edits of the host text.

use crate::map::SegmentKind;
use crate::model::{Group, HostEdit, HostFix, Statement};
use crate::raw::{Form, Writing};
use std::ops::Range;

/// An edit of PTX as an edit of the host literal, whose quotes and escapes stay. `None` where the literal cannot hold
/// it: it touches a hole or a macro, or reaches over two literals.
#[must_use]
pub fn host_edit(group: &Group, ptx: Range<usize>, new: &str) -> Option<HostEdit> {
    let span = match group.map.to_host(ptx.clone()).as_slice() {
        [one] => one.clone(),
        _ => return None,
    };
    let touched = group.map.segments().iter().filter(|s| {
        s.ptx.start < ptx.end && ptx.start < s.ptx.end
            || ptx.is_empty() && s.ptx.start <= ptx.start && ptx.start <= s.ptx.end
    });
    for segment in touched {
        // A line break between strings or statements is not in the host text.
        let is_between = segment.kind == SegmentKind::Glue && !segment.ptx.is_empty() && !ptx.is_empty();
        if segment.kind == SegmentKind::Hole || is_between {
            return None;
        }
    }
    let statement = group.statements.iter().find(|s| s.span.start <= span.start && span.end <= s.span.end)?;
    let literal = statement.literals.iter().position(|l| l.start <= span.start && span.end <= l.end)?;
    let writing = statement.writing.get(literal).copied()?;
    // The braces of `{x}` in Rust are not doubled, unlike those of PTX.
    let text = if statement.form == Form::RustAsm {
        spell_operands(group, write(writing, statement, new)?)
    } else {
        write(writing, statement, &spell_operands(group, new.to_owned()))?
    };
    Some(HostEdit { span, text })
}

/// Text with the operands' names of the host, which may differ from those in the PTX text of a group.
fn spell_operands(group: &Group, mut text: String) -> String {
    for variable in group.variables.iter().filter(|v| v.name != v.spelling) {
        if text.contains(&variable.name) {
            text = replace_name(&text, &variable.name, &variable.spelling);
        }
    }
    text
}

fn replace_name(text: &str, name: &str, by: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let after = &rest[at + name.len()..];
        out.push_str(&rest[..at]);
        let longer = after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        out.push_str(if longer { name } else { by });
        rest = after;
    }
    out + rest
}

/// Text as a literal of a statement writes it. `None` if a raw literal cannot hold it.
fn write(writing: Writing, statement: &Statement, text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let operands = !statement.operands.is_empty();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (statement.form, c) {
            // `%0` stays, all else is doubled.
            (Form::Asm, '%') if operands && !chars.peek().is_some_and(char::is_ascii_digit) => out.push_str("%%"),
            (Form::PtxAsm, '%') if !chars.peek().is_some_and(char::is_ascii_digit) => out.push_str("%%"),
            (Form::RustAsm, '{' | '}') if writing.format => {
                out.push(c);
                out.push(c);
            }
            (Form::Asm | Form::RustAsm | Form::PtxAsm, _) => out.push(c),
            (_, '$') if !chars.peek().is_some_and(|c| c.is_ascii_digit() || *c == '{') => out.push_str("$$"),
            _ => out.push(c),
        }
    }
    if statement.form == Form::LlvmIr {
        let mut escaped = String::with_capacity(out.len());
        for c in out.chars() {
            if c.is_ascii_control() || matches!(c, '"' | '\\') {
                escaped.push_str(&format!("\\{:02X}", u32::from(c)));
            } else {
                escaped.push(c);
            }
        }
        return Some(escaped);
    }
    if writing.raw {
        let ends = out.contains(writing.quote) || out.contains(")\"") || out.contains('\n') && !writing.lines;
        return (!ends).then_some(out);
    }
    for _ in 0..writing.levels.max(1) {
        let mut escaped = String::with_capacity(out.len());
        for c in out.chars() {
            match c {
                '\n' if writing.lines && writing.levels <= 1 => escaped.push(c),
                '\n' => escaped.push_str("\\n"),
                '\t' => escaped.push_str("\\t"),
                '\r' => escaped.push_str("\\r"),
                '\\' => escaped.push_str("\\\\"),
                '{' | '}' if writing.format && statement.form != Form::RustAsm => {
                    escaped.push(c);
                    escaped.push(c);
                }
                '$' if statement.form == Form::Julia => escaped.push_str("\\$"),
                c if c == writing.quote => {
                    escaped.push('\\');
                    escaped.push(c);
                }
                c => escaped.push(c),
            }
        }
        out = escaped;
    }
    Some(out)
}

impl Group {
    /// A fix that makes a statement `volatile`. `None` if it is, or where it cannot be inserted.
    #[must_use]
    pub fn add_volatile(&self, statement: usize) -> Option<HostFix> {
        let statement = self.statements.get(statement).filter(|s| !s.volatile && s.form == Form::Asm)?;
        let at = statement.keyword.end;
        Some(fix("Insert `volatile`", at..at, " volatile"))
    }

    /// A fix that adds `"memory"` to the clobbers of a statement. `None` if it is there, or where it cannot be inserted.
    #[must_use]
    pub fn add_memory_clobber(&self, statement: usize) -> Option<HostFix> {
        let (at, text) = self.statements.get(statement)?.add_memory.as_ref()?;
        Some(fix("Add the clobber `memory`", *at..*at, text))
    }

    /// A fix that makes an input or output operand, `=r` or `r`, one that is read and written: `+r`. In `asm` only an
    /// output can become one in place, so `None` for an input.
    #[must_use]
    pub fn read_and_write(&self, statement: usize, operand: usize) -> Option<HostFix> {
        let statement = self.statements.get(statement).filter(|s| s.form == Form::Asm)?;
        let constraint = &statement.operands.get(operand)?.constraint;
        let letters = constraint.text.strip_prefix('=')?;
        let plain = constraint.span.len() == constraint.text.len();
        plain.then(|| fix(&format!("Write `+{letters}`"), constraint.span.start..constraint.span.start + 1, "+"))
    }
}

fn fix(title: &str, span: Range<usize>, text: &str) -> HostFix {
    HostFix { title: title.to_owned(), edits: vec![HostEdit { span, text: text.to_owned() }] }
}
