//! Which statements of a function are checked together.

use super::Found;
use crate::words::names;
use std::collections::HashMap;

/// How many earlier members of a group are asked whether they exclude a statement.
const MAX_COMPARED: usize = 16;

/// Divides the statements of one function into groups, each with its first statement. `base` is added to each index.
pub(super) fn divide(found: &[Found], base: usize, out: &mut Vec<(usize, Vec<usize>)>) {
    // Statements outside functions have nothing in common.
    let alone = found.first().is_none_or(|f| f.function == 0) || found.iter().all(|f| f.outline.is_closed());
    if alone {
        out.extend((base..base + found.len()).map(|i| (i, vec![i])));
        return;
    }
    let mut units: Vec<Vec<usize>> = Vec::new();
    // The unit whose braces are open, and the balance.
    let mut open: Option<(usize, i64)> = None;
    let mut declared: HashMap<&str, usize> = HashMap::new();
    for (index, this) in found.iter().enumerate() {
        let excluded = |unit: usize| {
            let members: &[usize] = units.get(unit).map_or(&[], Vec::as_slice);
            members.iter().rev().take(MAX_COMPARED).any(|m| exclude(&found[*m], this))
        };
        let by_brace = open.map(|(unit, _)| unit).filter(|unit| !excluded(*unit));
        let unit = by_brace.or_else(|| {
            let uses = |name: &str| declared.get(name).or_else(|| declared.get(family(name).as_str())).copied();
            if declared.is_empty() { None } else { names(&this.part.ptx.text).find_map(uses).filter(|u| !excluded(*u)) }
        });
        let unit = unit.unwrap_or_else(|| {
            units.push(Vec::new());
            units.len() - 1
        });
        units[unit].push(index);
        let before = open.filter(|(open, _)| *open == unit).map_or(0, |(_, balance)| balance);
        for (name, depth) in &this.outline.declared {
            if depth + before == 0 {
                declared.entry(name).or_insert(unit);
            }
        }
        let balance = before + this.outline.balance;
        if balance > 0 {
            open = Some((unit, balance));
        } else if open.is_some_and(|(open, _)| open == unit) {
            open = None;
        }
    }
    out.extend(units.into_iter().map(|members| {
        let members: Vec<usize> = members.into_iter().map(|m| m + base).collect();
        (members[0], members)
    }));
}

/// The family of a name: `r<` for `r12`.
fn family(name: &str) -> String {
    format!("{}<", name.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// Whether two statements stand in different branches of one condition.
fn exclude(one: &Found, other: &Found) -> bool {
    one.branches.iter().zip(other.branches.iter()).any(|(a, b)| a.0 == b.0 && a.1 != b.1)
}
