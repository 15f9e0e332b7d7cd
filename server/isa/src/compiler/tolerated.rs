//! Compiles `tolerated` lines: what the assembler takes although the manual does not have it.

use super::error::{Error, Result};
use super::leak::{leak, leak_str};
use super::lines::LogicalLine;
use super::names::FormContext;
use crate::tables::{FormOperand, ModifierSlot, without_sets};

/// What the `tolerated` lines of a form name.
#[derive(Default)]
pub(super) struct Tolerated {
    whole: bool,
    slots: Vec<usize>,
    /// Slots without which the assembler takes the instruction, although the manual always has them.
    missing: Vec<usize>,
    values: Vec<&'static str>,
    operands: Vec<&'static str>,
}

impl Tolerated {
    /// Parses the part of a line after `tolerated`: slots, values with their dots, operands, or nothing for the whole form. A
    /// slot after `not` may be missing.
    pub(super) fn line(&mut self, line: &LogicalLine, text: &str, context: &FormContext<'_>) -> Result<()> {
        if text.is_empty() {
            self.whole = true;
            return Ok(());
        }
        // A line under the opcode applies to the forms that have all that it names.
        let (mut slots, mut missing, mut values, mut operands) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            if word == "not" {
                let name = words.next().unwrap_or("");
                let slot = context.slots.iter().position(|s| s.name == name && s.optional && s.group == 0);
                let error =
                    || line.error(line.offset(word), format!("the form has no optional slot `{name}` of its own"));
                missing.push(slot.ok_or_else(error)?);
            } else if let Some(slot) = context.slots.iter().position(|s| s.name == word) {
                slots.push(slot);
            } else if context.slots.iter().any(|s| s.values.contains(&word)) {
                values.push(leak_str(word));
            } else if context.operands.contains(&word) {
                operands.push(leak_str(word));
            } else {
                return Err(line.error(line.offset(word), format!("the form has no slot, value or operand `{word}`")));
            }
        }
        self.slots.extend(slots);
        self.missing.extend(missing);
        self.values.extend(values);
        self.operands.extend(operands);
        Ok(())
    }

    /// Marks the slots and operands of a form. Returns the text of the form without them, and whether the form itself is
    /// tolerated.
    pub(super) fn mark(
        self,
        text: &str,
        slots: &mut [ModifierSlot],
        operands: &mut [FormOperand],
        error: impl Fn(String) -> Error,
    ) -> Result<(&'static str, bool)> {
        for (index, slot) in slots.iter_mut().enumerate() {
            let whole = self.slots.contains(&index);
            let tolerated = |value: &&&'static str| whole || self.values.contains(*value);
            slot.tolerated = leak(slot.values.iter().filter(tolerated).copied().collect());
        }
        let mut documented = text.to_owned();
        for index in self.missing {
            let Some(slot) = slots.get_mut(index) else { continue };
            slot.expected = true;
            let name = slot.name.trim_start_matches('.');
            let braces = format!("{{.{name}}}");
            if !documented.contains(&braces) {
                return Err(error(format!("`.{name}` may be missing, so it must stand in braces of its own")));
            }
            documented = documented.replacen(&braces, &format!(".{name}"), 1);
        }
        for slot in slots.iter().filter(|s| !s.is_documented()) {
            let name = slot.name.trim_start_matches('.');
            let ends = |end| matches!(end, '}' | ':' | '{');
            match without(&documented, &format!("{{.{name}"), ends) {
                Some(shorter) => documented = shorter,
                // It may stand in the group of another.
                None if !documented.contains(&format!(".{name}")) => {}
                None => {
                    return Err(error(format!("`.{name}` is tolerated, so it must be optional, in braces of its own")));
                }
            }
        }
        for operand in operands.iter_mut() {
            let names = operand.pattern.names();
            operand.tolerated = !names.is_empty() && names.iter().all(|name| self.operands.contains(name));
            if operand.tolerated {
                let name = names[0];
                documented = without(&documented, &format!("{{, {name}"), |end| end == '}').ok_or_else(|| {
                    error(format!("`{name}` is tolerated, so it must be optional, in braces of its own"))
                })?;
            }
        }
        Ok((leak_str(&without_sets(&documented)), self.whole))
    }
}

/// The text without the group that begins with `begin`, followed by a character that `ends` the name.
fn without(text: &str, begin: &str, ends: impl Fn(char) -> bool) -> Option<String> {
    let start = text.match_indices(begin).map(|(at, _)| at).find(|at| text[at + begin.len()..].starts_with(&ends))?;
    let mut depth = 0_usize;
    let closes = |c: char| {
        depth = if c == '{' {
            depth + 1
        } else if c == '}' {
            depth - 1
        } else {
            depth
        };
        depth == 0
    };
    let end = start + text[start..].find(closes)? + 1;
    Some(format!("{}{}", &text[..start], &text[end..]))
}
