//! Statements inside which the preprocessor decides: each of their texts is a group of its own, and all have one start.

use crate::result::GroupResult;
use ptx_analysis::{Diagnostic, Severity};
use ptx_embed::{Placed, Variant};
use std::ops::Range;

fn variant(placed: &Placed) -> Option<&Variant> {
    placed.group.variant.as_deref()
}

/// The groups that are texts of the same statement as the group at an index; it alone, if there is one text.
fn texts(groups: &[Placed], index: usize) -> Range<usize> {
    let Some(placed) = groups.get(index).filter(|placed| variant(placed).is_some()) else { return index..index + 1 };
    let same = |other: &&Placed| other.start == placed.start && variant(other).is_some();
    let before = groups[..index].iter().rev().take_while(same).count();
    let after = groups[index..].iter().take_while(same).count();
    index - before..index + after
}

/// The first text, of those of the statement of a group, that contains a range of host bytes, which is relative to the group's
/// start; else the group itself.
pub(crate) fn with(groups: &[Placed], index: usize, range: &Range<usize>) -> usize {
    let contains = |other: &usize| groups.get(*other).and_then(variant).is_some_and(|v| v.contains(range));
    texts(groups, index).find(contains).unwrap_or(index)
}

/// Whether an earlier text of the same statement contains a place too, which is relative to the group's start. What is shown
/// once for each place is shown for that text.
pub fn repeats(groups: &[Placed], index: usize, offset: usize) -> bool {
    with(groups, index, &(offset..offset)) < index
}

/// Drops the findings that not enough texts of a statement have.
///
/// Which conditions hold together is not known. So an error is reported if every text that contains its place has it, or if every text
/// with one particular branch has it: somebody wrote that branch so that it is compiled. Two kinds of texts give no error of their own,
/// because they may never be built: the one without any branch of an `#if` that has no `#else`, and one with branches of two different
/// conditions. Other findings are reported if all texts have them.
pub(crate) fn settle(groups: &[Placed], results: &mut [GroupResult]) {
    let mut next = 0;
    while next < groups.len() {
        let all = texts(groups, next);
        next = all.end;
        if all.len() > 1 && all.end <= results.len() {
            let reported: Vec<_> = all.clone().map(|index| reported(groups, results, &all, index)).collect();
            for (index, reported) in all.zip(reported) {
                results[index].diagnostics = reported.into();
            }
        }
    }
}

/// The findings of one text, at an index, that are reported. `all` are the texts of the statement.
fn reported(groups: &[Placed], results: &[GroupResult], all: &Range<usize>, index: usize) -> Vec<Diagnostic> {
    let found = || results[index].diagnostics.iter();
    let compiled = |other: &usize| results[*other].target.is_some();
    if !all.clone().any(|other| compiled(&other)) {
        return found().cloned().collect();
    }
    let Some(own) = variant(&groups[index]).filter(|_| compiled(&index)) else { return Vec::new() };
    let out = found().filter_map(|diagnostic| {
        let is_error = diagnostic.severity == Severity::Error;
        let has = |other: usize| {
            results[other].diagnostics.iter().any(|d| {
                d.range == diagnostic.range
                    && if is_error { d.severity == Severity::Error } else { d.code() == diagnostic.code() }
            })
        };
        let with = |branch: Option<&Range<usize>>| {
            let mut those = all.clone().filter(compiled).filter(|other| {
                variant(&groups[*other]).is_some_and(|v| {
                    v.contains(&diagnostic.range) && branch.is_none_or(|branch| v.branches.contains(branch))
                })
            });
            those.all(has)
        };
        if with(None) {
            return Some(diagnostic.clone());
        }
        let branch = own.branches.iter().find(|branch| is_error && with(Some(branch)))?;
        Some(diagnostic.clone().related(branch.clone(), BRANCH))
    });
    out.collect()
}

/// The note at a branch, for an error that stands elsewhere and occurs in all texts with this branch.
const BRANCH: &str = "only with this branch";

/// Whether an earlier text of the same statement has the same finding.
pub(crate) fn is_known(groups: &[Placed], results: &[GroupResult], index: usize, diagnostic: &Diagnostic) -> bool {
    let first = texts(groups, index).start;
    let earlier = results.get(first..index).unwrap_or_default().iter().flat_map(|result| result.diagnostics.iter());
    earlier.into_iter().any(|d| d.range == diagnostic.range && d.code() == diagnostic.code())
}
