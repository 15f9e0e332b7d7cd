//! C++ in a literal of Python: its groups, with places in the Python text.

use super::{Host, Language};
use crate::literal::decode_python;
use crate::map::{Decoded, SegmentKind};
use crate::model::{Group, HostEdit, Placed};
use crate::raw::{Flaw, Literal};
use std::ops::Range;
use std::sync::Arc;

/// The groups in a literal at the start of `source`. Their offsets count from there.
pub(super) fn groups(source: &str, literal: &Literal) -> Vec<Placed> {
    let mut text = Decoded::default();
    decode_python(&mut text, source, literal);
    let inner = Host::new(Language::Cpp, &text.text);
    // A literal in which the statement does not end is a piece of code: a pattern to search for, or one of several literals.
    let is_whole = |placed: &&Placed| !placed.group.statements.iter().any(|s| s.flaws.contains(&Flaw::Unclosed));
    // `asm("…", ["=r"], [x])` is a call of another language that a comment shows, and has its operands elsewhere.
    let is_call = |placed: &&Placed| {
        let mut literals = placed.group.statements.iter().flat_map(|statement| &statement.literals);
        let behind = |range: &Range<usize>| text.text.get(placed.start + range.end..).unwrap_or_default();
        literals.any(|range| behind(range).trim_start_matches('"').trim_start().starts_with(','))
    };
    let mut groups: Vec<&Placed> = inner.groups().iter().filter(is_whole).collect();
    groups.retain(|placed| !is_call(placed));
    groups.into_iter().map(|placed| moved(placed, &text, literal)).collect()
}

/// The place of a range of C++ in the Python text.
fn place(text: &Decoded, range: Range<usize>) -> Range<usize> {
    let parts = text.map.to_host(range);
    parts.first().map_or(0..0, |first| first.start..parts.last().unwrap_or(first).end)
}

fn moved(placed: &Placed, text: &Decoded, literal: &Literal) -> Placed {
    let start = placed.start;
    let old = &placed.group;
    let new_start = place(text, start..start + old.span().end).start;
    let at = |range: &Range<usize>| {
        let place = place(text, range.start + start..range.end + start);
        place.start.saturating_sub(new_start)..place.end.saturating_sub(new_start)
    };
    let mut map = Decoded::default();
    let mut cursor = 0;
    for segment in old.map.segments() {
        let host = segment.host.start + start..segment.host.end + start;
        let part = &old.ptx[segment.ptx.clone()];
        if segment.kind == SegmentKind::Verbatim && !part.is_empty() {
            // The next segment may lie before this one only inside the text of a macro, which is never verbatim.
            map.copy(text, host, &mut cursor);
        } else {
            map.push(place(text, host), part, segment.kind);
        }
    }
    map.map.unshift_host(new_start);
    let mut group: Group = (**old).clone();
    group.map = map.map;
    for statement in &mut group.statements {
        statement.span = at(&statement.span);
        statement.keyword = at(&statement.keyword);
        for range in statement.clobbers.iter_mut().chain(&mut statement.literals) {
            *range = at(range);
        }
        for operand in &mut statement.operands {
            operand.span = at(&operand.span);
            operand.constraint.span = at(&operand.constraint.span);
            operand.expression = at(&operand.expression);
        }
        for writing in &mut statement.writing {
            writing.levels = if literal.writing.raw { writing.levels } else { writing.levels + u8::from(!writing.raw) };
            writing.raw &= literal.writing.raw;
            writing.lines = false;
        }
        statement.add_memory = statement.add_memory.take().and_then(|(offset, new)| {
            let edit = written(&HostEdit { span: at(&(offset..offset)), text: new }, literal)?;
            Some((edit.span.start, edit.text))
        });
    }
    if let Some(variant) = &mut group.variant {
        let variant = Arc::make_mut(variant);
        for range in variant.branches.iter_mut().chain(&mut variant.without) {
            *range = at(range);
        }
    }
    for problem in &mut group.problems {
        problem.span = at(&problem.span);
        for fix in &mut problem.fixes {
            let edits: Option<Vec<HostEdit>> = fix
                .edits
                .iter()
                .map(|e| written(&HostEdit { span: at(&e.span), text: e.text.clone() }, literal))
                .collect();
            fix.edits = edits.unwrap_or_default();
        }
        problem.fixes.retain(|fix| !fix.edits.is_empty());
    }
    let function = placed.function.map(|start| place(text, start..start + 1).start);
    Placed { start: new_start, function, group: Arc::new(group.seal()) }
}

/// An edit whose text is written as the literal needs it. `None` if a raw literal cannot hold it.
fn written(edit: &HostEdit, literal: &Literal) -> Option<HostEdit> {
    let writing = literal.writing;
    let has_quote = edit.text.contains(writing.quote);
    if has_quote && !writing.lines && writing.raw {
        return None;
    }
    let mut text = edit.text.clone();
    if !writing.raw {
        text = text.replace('\\', "\\\\");
    }
    if has_quote && !writing.lines {
        text = text.replace(writing.quote, &format!("\\{}", writing.quote));
    }
    Some(HostEdit { span: edit.span.clone(), text })
}
