//! Parts of a statement at the wrong place: an offset outside of its brackets, a guard before a block, `.align` behind a name.

use super::habit::Habit;
use super::habits::{habit, is_name, leading_name, rewritten};
use super::slips::guard_each;
use crate::diagnostic::{Diagnostic, Fix, FixEdit};
use ptx_isa::ISA;

/// The report on text that the parser could not fit into a statement, if it is at the wrong place alone. It begins at `start` of `text`.
pub(super) fn unexpected(text: &str, start: usize) -> Option<Diagnostic> {
    let (before, after) = (text.get(..start)?, text.get(start..)?);
    offset_before(text, start)
        .or_else(|| offset_behind(start, after))
        .or_else(|| guarded_block(text, start))
        .or_else(|| block_behind_guard(text, start))
        .or_else(|| guard_in_parentheses(before, start, after))
        .or_else(|| align_behind(before, start, after))
}

/// The report on `(%p1) bra L;`.
fn guard_in_parentheses(before: &str, start: usize, after: &str) -> Option<Diagnostic> {
    if before.ends_with(['@', '!']) {
        return None;
    }
    let (inner, rest) = after.strip_prefix('(')?.split_once(')')?;
    let name = inner.trim();
    let opcode = leading_name(rest.trim_start());
    let is_guard = name.trim_start_matches('!').starts_with('%')
        && is_name(name.trim_start_matches('!'))
        && ISA.opcode(opcode).is_some();
    is_guard.then(|| rewritten(start..start + inner.len() + 2, Habit::GuardInParentheses, format!("@{name}")))
}

/// The report on `4[%rd2]`. `start` is the offset of the bracket.
pub(super) fn offset_before(text: &str, start: usize) -> Option<Diagnostic> {
    let (before, after) = text.split_at_checked(start)?;
    let inner = after.strip_prefix('[')?.split_once(']')?.0;
    let number = before.len() - before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '-').len();
    let offset = before.get(before.len() - number..).filter(|n| is_offset(n))?;
    is_name(inner.trim()).then(|| {
        let address = format!("[{}+{offset}]", inner.trim());
        rewritten(start - number..start + inner.len() + 2, Habit::OffsetOutside(address.as_str().into()), address)
    })
}

/// The report on `[%rd2]+4`.
fn offset_behind(start: usize, after: &str) -> Option<Diagnostic> {
    let (inner, rest) = after.strip_prefix('[')?.split_once(']')?;
    let sum = rest.trim_start();
    let number = sum.strip_prefix('+').map_or(sum, str::trim_start);
    let end = number.find([',', ';', '\n']).unwrap_or(number.len());
    let offset = number.get(..end)?.trim_end();
    (sum.starts_with(['+', '-']) && is_offset(offset) && is_name(inner.trim())).then(|| {
        let address = format!("[{}+{offset}]", inner.trim());
        let length = after.len() - number.len() + offset.len();
        rewritten(start..start + length, Habit::OffsetOutside(address.as_str().into()), address)
    })
}

fn is_offset(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// The report on a `{` that the parser could not fit in, if a guard stands before it.
fn block_behind_guard(text: &str, brace: usize) -> Option<Diagnostic> {
    let before = text.get(..brace)?.trim_end();
    let start = before.rfind(|c: char| c.is_whitespace() || c == ';').map_or(0, |at| at + 1);
    text.get(brace..)?.starts_with('{').then(|| guarded_block(text, start)).flatten()
}

/// The report on a guard at an offset before a `{`.
pub(super) fn guarded_block(text: &str, start: usize) -> Option<Diagnostic> {
    let after = text.get(start..)?;
    let guard = after.strip_prefix('@')?.trim_start_matches('!');
    let name = leading_name(guard);
    let end = after.len() - guard.len() + name.len();
    let is_block = is_name(name) && guard.get(name.len()..)?.trim_start().starts_with('{');
    is_block.then(|| habit(start..start + end, Habit::GuardedBlock).fixes(guard_each(text, start..start + end)))
}

/// The report on `.shared .b8 buf[64] .align 16;`.
fn align_behind(before: &str, start: usize, after: &str) -> Option<Diagnostic> {
    let statement = before.rfind([';', '{', '}', '\n']).map_or(0, |at| at + 1);
    let whole_start = statement + (before.len() - statement - before[statement..].trim_start().len());
    let end = after.find(';')?;
    let text = format!("{}{}", before.get(whole_start..)?, after.get(..end)?);
    let at = text.rfind(".align")?;
    let align = text.get(at..)?.trim_end();
    let number = align.strip_prefix(".align")?.trim();
    let space = text.split_whitespace().next()?;
    ISA.space(space)?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    if !is_number || text.get(..at)?.contains(".align") || start > whole_start + at {
        return None;
    }
    let range = whole_start + at..whole_start + at + align.len();
    let blanks = text.get(..at)?.len() - text.get(..at)?.trim_end().len();
    let edits = vec![
        FixEdit::Replace(whole_start + space.len()..whole_start + space.len(), format!(" {align}")),
        FixEdit::Replace(range.start - blanks..range.end, String::new()),
    ];
    let title = format!("Write `{align}` after `{space}`");
    Some(habit(range, Habit::AlignBehind(align.into())).fix(Fix { title, edits, preferred: true }))
}
