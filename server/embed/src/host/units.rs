//! Which statements of a function are checked together.

use super::context::{Context, Found};
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

    /// The number of texts of the statement at an index, the first of which stands there.
    fn texts(&self, index: usize) -> usize {
        let made = self.made(index).part.as_ref();
        let count = made.and_then(|(_, part)| Some(part.raw.variant.as_ref()?.count));
        count.unwrap_or(1).clamp(1, self.found.len() - index)
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
    /// It needs a statement that stands in another branch of a condition.
    pub lacks: bool,
}

/// How many earlier members of a group are asked whether they exclude a statement.
const MAX_COMPARED: usize = 16;

/// Divides the statements of one function into units. `base` is added to each index.
pub(super) fn divide(view: &View<'_>, base: usize, out: &mut Vec<Unit>) {
    let found = view.found;
    let is_closed = |index: usize| view.outline(index).is_none_or(Outline::is_closed);
    // Statements outside functions have nothing in common.
    if found.first().is_none_or(|f| f.function == 0) || (0..found.len()).all(is_closed) {
        out.extend((base..base + found.len()).map(|first| Unit { first, members: Vec::new(), lacks: false }));
        return;
    }
    let nothing = Outline::default();
    let mut units: Vec<(Vec<usize>, bool)> = Vec::new();
    // The unit whose braces are open, and the balance.
    let mut open: Option<(usize, i64)> = None;
    let mut declared: HashMap<&str, usize> = HashMap::new();
    // Where some statement has a label: the units that use a name before it is declared.
    let has_labels =
        (0..found.len()).any(|index| view.outline(index).is_some_and(|outline| !outline.labels.is_empty()));
    let mut used: HashMap<&str, usize> = HashMap::new();
    let mut next = 0;
    while next < found.len() {
        let index = next;
        let texts = index..index + view.texts(index);
        next = texts.end;
        let mut outline = view.outline(index).unwrap_or(&nothing);
        if texts.len() > 1 {
            let is_whole = |index: usize| view.outline(index).is_none_or(Outline::is_balanced);
            let needs = |index: usize| names(view.ptx(index)).any(|name| declaring(&declared, name).is_some());
            // If the braces of one text balance and those of another do not, probably nobody builds the other.
            let alone = open.is_none() && texts.clone().any(is_whole) && !texts.clone().any(needs);
            if alone {
                for text in texts {
                    let outline = view.outline(text).unwrap_or(&nothing);
                    for (name, _) in outline.declared.iter().filter(|(_, depth)| *depth == 0) {
                        declared.entry(name).or_insert(units.len());
                    }
                    units.push((vec![text], false));
                }
                continue;
            }
            outline = texts.clone().find(|text| is_whole(*text)).and_then(|text| view.outline(text)).unwrap_or(outline);
        }
        let excluded = |unit: usize| {
            let members: &[usize] = units.get(unit).map_or(&[], |(members, _)| members.as_slice());
            members.iter().rev().take(MAX_COMPARED).any(|member| view.exclude(*member, index))
        };
        let by_brace = open.map(|(unit, _)| unit);
        let by_name = || {
            let by_label = || outline.labels.iter().find_map(|label| used.get(label.as_str()).copied());
            names(view.ptx(index)).find_map(|name| declaring(&declared, name)).or_else(by_label)
        };
        let included = by_brace.filter(|unit| !excluded(*unit)).or_else(|| by_name().filter(|unit| !excluded(*unit)));
        let unit = included.unwrap_or_else(|| {
            units.push((Vec::new(), by_brace.or_else(by_name).is_some()));
            units.len() - 1
        });
        units[unit].0.push(index);
        if texts.len() > 1 {
            // Of the texts, a unit of several statements has only the first.
            units[unit].1 = true;
        }
        let before = open.filter(|(open, _)| *open == unit).map_or(0, |(_, balance)| balance);
        for (name, depth) in &outline.declared {
            if depth + before == 0 {
                declared.entry(name).or_insert(unit);
            }
        }
        if before == 0 {
            for label in &outline.labels {
                declared.entry(label).or_insert(unit);
            }
        }
        if has_labels {
            for name in names(view.ptx(index)) {
                used.entry(name).or_insert(unit);
            }
        }
        let balance = before + outline.balance;
        if balance > 0 {
            open = Some((unit, balance));
        } else if open.is_some_and(|(open, _)| open == unit) {
            open = None;
        }
        units.extend(texts.skip(1).map(|text| (vec![text], true)));
    }
    out.extend(units.into_iter().map(|(members, lacks)| {
        let members: Vec<usize> = members.into_iter().map(|m| m + base).collect();
        let first = members[0];
        Unit { first, members: if members.len() > 1 { members } else { Vec::new() }, lacks }
    }));
}

/// The unit that declares a name.
fn declaring(declared: &HashMap<&str, usize>, name: &str) -> Option<usize> {
    if declared.is_empty() {
        return None;
    }
    declared.get(name).or_else(|| declared.get(family(name).as_str())).copied()
}

/// The family of a name: `r<` for `r12`.
fn family(name: &str) -> String {
    format!("{}<", name.trim_end_matches(|c: char| c.is_ascii_digit()))
}
