//! Sorts modifiers into canonical order, that of the forms in the manual. The assembler accepts most of them in any order.

use super::assist::Assist;
use crate::TextEdit;
use crate::walk::roots_in;
use ptx_analysis::{Candidate, mnemonic};
use ptx_isa::ISA;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, Snapshot, kinds};
use std::collections::HashMap;
use std::ops::Range;

/// Maximum size in bytes of a selection for which this is offered as an assist.
const MAX_SELECTION: usize = 20_000;

/// Offers the assist for the instructions in a range.
pub fn at(snapshot: &Snapshot, range: &Range<usize>, out: &mut Vec<Assist>) {
    if range.len() > MAX_SELECTION {
        return;
    }
    let edits = canonical_order(snapshot, Some(range.clone()));
    let title = match edits.as_slice() {
        [] => return,
        [edit] => format!("Write `{}`", edit.text),
        several => format!("Write the modifiers of {} instructions in canonical order", several.len()),
    };
    out.push(Assist::new("canonical-order", title, edits));
}

/// The edits that sort modifiers into canonical order, in the whole text or in the instructions that touch `range`.
pub fn canonical_order(snapshot: &Snapshot, range: Option<Range<usize>>) -> Vec<TextEdit> {
    let mut out = Vec::new();
    let range = range.unwrap_or(0..usize::MAX);
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    for root in roots_in(snapshot, range.clone()) {
        of_piece(snapshot, root, &range, &mut known, &mut out);
    }
    out
}

fn of_piece(
    snapshot: &Snapshot,
    root: Node<'_>,
    range: &Range<usize>,
    known: &mut HashMap<String, Option<String>>,
    out: &mut Vec<TextEdit>,
) {
    let k = kinds();
    let mut cursor = root.walk();
    if cursor.goto_first_child_for_byte(range.start).is_none() {
        return;
    }
    loop {
        let node = cursor.node();
        if node.start_byte() > range.end {
            return;
        }
        let kind = node.kind_id();
        if kind == k.instruction && !node.has_error() && node.end_byte() >= range.start {
            let words: Vec<_> =
                named_children(node).filter(|n| n.kind_id() == k.opcode || n.kind_id() == k.modifier).collect();
            // A modifier after an operand stays there.
            let opcode = words.iter().position(|n| n.kind_id() == k.opcode);
            let head: Vec<_> = opcode
                .and_then(|at| words.get(at..))
                .unwrap_or(&[])
                .iter()
                .scan(None, |end, n| {
                    let joined = end.is_none_or(|end| end == n.start_byte());
                    *end = Some(n.end_byte());
                    joined.then_some(*n)
                })
                .collect();
            if let (Some(first), Some(last)) = (head.first(), head.last()) {
                let range = first.start_byte()..last.end_byte();
                let written = snapshot.text(range.clone()).into_owned();
                let wanted = known.entry(written).or_insert_with_key(|written| canonical(written));
                out.extend(wanted.clone().map(|text| TextEdit { range, text }));
            }
        }
        let inner = kind == k.function || kind == k.block;
        if inner && node.end_byte() >= range.start && cursor.goto_first_child_for_byte(range.start).is_some() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// A mnemonic with its modifiers in canonical order, or `None` if they are already in order or the result would mean
/// something else.
fn canonical(written: &str) -> Option<String> {
    let (name, rest) = written.split_at(written.find('.')?);
    let modifiers = split(rest);
    let opcode = ISA.opcode(name)?;
    let head = mnemonic::resolve(opcode, &modifiers)?;
    if head.mismatch.is_some() || !head.ignored.is_empty() {
        return None;
    }
    let candidate = head.candidates.first()?;
    let slots = candidate.form.slots.iter().zip(&candidate.values).filter(|(slot, _)| slot.after_operand == 0);
    let ordered: Vec<&str> = slots.filter_map(|(_, value)| *value).collect();
    let sorted = |list: &[&str]| {
        let mut list: Vec<String> = list.iter().map(|s| (*s).to_owned()).collect();
        list.sort_unstable();
        list
    };
    // Repeated and unknown modifiers stay as they are.
    if ordered == modifiers || sorted(&ordered) != sorted(&modifiers) {
        return None;
    }
    let again = mnemonic::resolve(opcode, &ordered)?;
    let same = |other: &Candidate| std::ptr::eq(other.form, candidate.form) && other.values == candidate.values;
    again.candidates.first().is_some_and(same).then(|| format!("{name}{}", ordered.concat()))
}

/// Splits `.a.b::c` into its modifiers.
fn split(text: &str) -> Vec<&str> {
    let starts: Vec<usize> = text.match_indices('.').map(|(at, _)| at).chain([text.len()]).collect();
    starts.windows(2).filter_map(|w| text.get(w[0]..w[1])).collect()
}
