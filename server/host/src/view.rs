//! A group of statements as a PTX module, for answers that are about modules.

use crate::checker::with_text;
use crate::variants;
use ptx_analysis::{InlineModule, InlineTarget, TargetSet};
use ptx_embed::{Group, HostEdit, Operand, Placed, Variable, host_edit};
use ptx_ide::TextEdit;
use ptx_syntax::Snapshot;
use std::ops::Range;

/// The maximum number of groups before a place that may contain it: statements of other groups may lie between two of a group.
const MAX_INTERLEAVED: usize = 64;

/// The group whose statement contains a byte offset of the host text, and the index of the statement. Of several texts of the
/// statement it is the first that contains the offset. `groups` are in host order.
pub fn group_at(groups: &[Placed], offset: usize) -> Option<(usize, usize)> {
    let after = groups.partition_point(|placed| placed.start <= offset);
    let near = groups.iter().enumerate().take(after).rev().take(MAX_INTERLEAVED);
    near.into_iter().find_map(|(index, placed)| {
        let at = offset - placed.start;
        let contains = |span: &Range<usize>| span.start <= at && at < span.end;
        let statement = placed.group.statements.iter().position(|s| contains(&s.span))?;
        Some((variants::with(groups, index, &(at..at)), statement))
    })
}

/// The first group with a statement in a byte range of the host text. `groups` are in host order.
pub fn group_in(groups: &[Placed], range: &Range<usize>) -> Option<usize> {
    let touches = |placed: &Placed| {
        let spans = placed.group.statements.iter().map(|s| s.span.start + placed.start..s.span.end + placed.start);
        spans.into_iter().any(|span| span.start < range.end && range.start < span.end)
    };
    let found = groups.iter().position(touches)?;
    let placed = groups.get(found)?;
    let part = range.start.max(placed.start) - placed.start..range.end.saturating_sub(placed.start);
    Some(variants::with(groups, found, &(part.start..part.end.min(placed.group.span().end))))
}

/// A group as a module. Host offsets are relative to the start of the group.
#[derive(Debug)]
pub struct GroupView<'g> {
    /// The group.
    pub group: &'g Group,
    /// The module, with its tree.
    pub snapshot: Snapshot,
    module: InlineModule,
}

impl<'g> GroupView<'g> {
    /// Writes and parses the module. `target`: the one that accepts the text, if it was checked.
    pub fn new(group: &'g Group, target: Option<InlineTarget>) -> Self {
        let all = TargetSet::all();
        let module = with_text(group, &all, |text| {
            let first = || text.targets.targets().first().copied();
            target.or_else(first).map(|target| InlineModule::new(text, target))
        });
        let module = module.unwrap_or_default();
        Self { group, snapshot: Snapshot::new(&module.text), module }
    }

    /// The lines of the module that name version, target and address size.
    pub fn header(&self) -> &str {
        self.module.header()
    }

    /// The PTX with its constants written out and its braces closed.
    pub fn statements(&self) -> &str {
        self.module.statements()
    }

    /// The module's byte for a host byte; `None` outside of the literals.
    pub fn to_module(&self, host: usize) -> Option<usize> {
        self.group.map.to_ptx(host).map(|at| self.module.to_module(at))
    }

    /// The host range for a range of the module; `None` if it is not in the text.
    pub fn to_host(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let ptx = self.module.to_text(range)?;
        self.group.map.to_host(ptx).into_iter().next()
    }

    /// The range of PTX for a range of the module; `None` if it is not in the text.
    pub fn to_ptx(&self, range: &Range<usize>) -> Option<Range<usize>> {
        self.module.to_text(range)
    }

    /// The module's range for a range of PTX.
    pub fn of_ptx(&self, range: &Range<usize>) -> Range<usize> {
        self.module.to_module(range.start)..self.module.to_module(range.end)
    }

    /// An edit of the module as one of the host text; `None` if no literal can hold it. A declaration of a register that
    /// belongs before the text goes behind the opening brace of the text, if it begins with one.
    pub fn edit(&self, edit: &TextEdit) -> Option<HostEdit> {
        if let Some(ptx) = self.module.to_text(&edit.range) {
            return host_edit(self.group, ptx, &edit.text);
        }
        let brace = self.group.ptx.find(|c: char| !c.is_whitespace())?;
        let declares = edit.range.is_empty() && edit.text.trim_start().starts_with(".reg");
        let begins = self.group.ptx.get(brace..)?.starts_with('{');
        let text = format!(" {}", edit.text.trim());
        (declares && begins).then(|| host_edit(self.group, brace + 1..brace + 1, &text)).flatten()
    }

    /// The operand that the text names at a host byte, with the host range of its name.
    pub fn operand_named_at(&self, host: usize) -> Option<(&'g Variable, Range<usize>)> {
        let at = self.group.map.to_ptx(host)?;
        let name = word_at(&self.group.ptx, at)?;
        let text = self.group.ptx.get(name.clone())?;
        let variable = self.group.variables.iter().find(|v| v.name == text)?;
        Some((variable, self.group.map.to_host(name).into_iter().next()?))
    }

    /// The operand that is written at a host byte.
    pub fn operand_written_at(&self, host: usize) -> Option<&'g Variable> {
        self.group.variables.iter().find(|variable| {
            let span = self.operand(variable).map(|o| &o.span);
            span.is_some_and(|span| span.start <= host && host <= span.end)
        })
    }

    /// The operand as written in its statement.
    pub fn operand(&self, variable: &Variable) -> Option<&'g Operand> {
        self.group.statements.get(variable.operand.0)?.operands.get(variable.operand.1)
    }

    /// The host ranges of all names of an operand in the text, in order.
    pub fn uses(&self, variable: &Variable) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        for (at, _) in self.group.ptx.match_indices(variable.name.as_str()) {
            if word_at(&self.group.ptx, at).is_some_and(|word| word.start == at && word.len() == variable.name.len()) {
                out.extend(self.group.map.to_host(at..at + variable.name.len()).into_iter().next());
            }
        }
        out
    }
}

/// The range of the name at a byte offset, or right before it.
fn word_at(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$');
    let end = at + bytes.get(at..)?.iter().take_while(|b| part(b)).count();
    let mut start = at - bytes.get(..at)?.iter().rev().take_while(|b| part(b)).count();
    let mut end = end;
    if start.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'%') {
        start -= 1;
    } else if bytes.get(at) == Some(&b'%') && end == at {
        // The offset is before the sign.
        start = at;
        end = at + 1 + bytes.get(at + 1..)?.iter().take_while(|b| part(b)).count();
    }
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::word_at;

    #[test]
    fn names_at_places() {
        let text = "mov.u32 %12, $3;";
        let word = |at| word_at(text, at).map(|r| &text[r]);
        assert_eq!((word(8), word(9), word(11)), (Some("%12"), Some("%12"), Some("%12")));
        assert_eq!((word(13), word(14)), (Some("$3"), Some("$3")));
        assert_eq!((word(0), word(12), word(99)), (Some("mov"), None, None));
    }
}
