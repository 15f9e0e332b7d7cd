//! Which statements of a function are checked together.

use super::walk::{Context, Found};
use crate::chunks::{Chunk, Made};
use crate::words::{Outline, names};
use std::collections::HashMap;

/// The statements of a function with what was made of them.
pub(super) struct View<'a> {
    pub chunks: &'a [Chunk],
    pub contexts: &'a [Context],
    pub found: &'a [Found],
}

impl View<'_> {
    fn made(&self, index: usize) -> &Made {
        let (chunk, item) = self.found[index].place;
        &self.chunks[chunk].made[item]
    }

    fn outline(&self, index: usize) -> Option<&Outline> {
        self.made(index).outline.as_ref()
    }

    fn ptx(&self, index: usize) -> &str {
        self.made(index).part.as_ref().map_or("", |(_, part)| &part.ptx.text)
    }

    /// Whether two statements stand in different branches of one condition.
    fn exclude(&self, one: usize, other: usize) -> bool {
        let branches = |index: usize| self.contexts[self.found[index].context].branches.iter();
        branches(one).zip(branches(other)).any(|(a, b)| a.0 == b.0 && a.1 != b.1)
    }
}

/// Statements that are checked together.
pub(super) struct Unit {
    /// The first.
    pub first: usize,
    /// All, if there are several.
    pub members: Vec<usize>,
}

/// How many earlier members of a group are asked whether they exclude a statement.
const MAX_COMPARED: usize = 16;

/// Divides the statements of one function into units. `base` is added to each index.
pub(super) fn divide(view: &View<'_>, base: usize, out: &mut Vec<Unit>) {
    let found = view.found;
    let is_closed = |index: usize| view.outline(index).is_none_or(Outline::is_closed);
    // Statements outside functions have nothing in common.
    if found.first().is_none_or(|f| f.function == 0) || (0..found.len()).all(is_closed) {
        out.extend((base..base + found.len()).map(|first| Unit { first, members: Vec::new() }));
        return;
    }
    let nothing = Outline::default();
    let mut units: Vec<Vec<usize>> = Vec::new();
    // The unit whose braces are open, and the balance.
    let mut open: Option<(usize, i64)> = None;
    let mut declared: HashMap<&str, usize> = HashMap::new();
    for index in 0..found.len() {
        let outline = view.outline(index).unwrap_or(&nothing);
        let excluded = |unit: usize| {
            let members: &[usize] = units.get(unit).map_or(&[], Vec::as_slice);
            members.iter().rev().take(MAX_COMPARED).any(|member| view.exclude(*member, index))
        };
        let by_brace = open.map(|(unit, _)| unit).filter(|unit| !excluded(*unit));
        let unit = by_brace.or_else(|| {
            let uses = |name: &str| declared.get(name).or_else(|| declared.get(family(name).as_str())).copied();
            if declared.is_empty() { None } else { names(view.ptx(index)).find_map(uses).filter(|u| !excluded(*u)) }
        });
        let unit = unit.unwrap_or_else(|| {
            units.push(Vec::new());
            units.len() - 1
        });
        units[unit].push(index);
        let before = open.filter(|(open, _)| *open == unit).map_or(0, |(_, balance)| balance);
        for (name, depth) in &outline.declared {
            if depth + before == 0 {
                declared.entry(name).or_insert(unit);
            }
        }
        let balance = before + outline.balance;
        if balance > 0 {
            open = Some((unit, balance));
        } else if open.is_some_and(|(open, _)| open == unit) {
            open = None;
        }
    }
    out.extend(units.into_iter().map(|members| {
        let members: Vec<usize> = members.into_iter().map(|m| m + base).collect();
        let first = members[0];
        Unit { first, members: if members.len() > 1 { members } else { Vec::new() } }
    }));
}

/// The family of a name: `r<` for `r12`.
fn family(name: &str) -> String {
    format!("{}<", name.trim_end_matches(|c: char| c.is_ascii_digit()))
}
