//! Errors that are mere consequences of a declaration with a syntax error.
//!
//! Once complete, such a declaration may declare any name. Until then, undeclared names in its scope are not errors of
//! their own. This depends on the text alone, so the result is the same for a document that was just opened.

use super::statement;
use ptx_analysis::names::function_around;
use ptx_analysis::{Code, Diagnostic};
use ptx_isa::ISA;
use ptx_syntax::{Snapshot, kinds};
use std::ops::Range;

/// Maximum number of syntax errors that are examined.
const MAX_ERRORS: usize = 64;

/// Sets `held` for diagnostics about names that a broken declaration may declare. `broken` are the offsets of syntax errors.
pub fn of_broken_declarations(
    snapshot: &Snapshot,
    found: &[Diagnostic],
    broken: &mut dyn Iterator<Item = usize>,
    held: &mut [bool],
) {
    if !found.iter().any(|d| d.code() == Code::UndeclaredName) {
        return;
    }
    let scopes: Vec<Range<usize>> = broken.take(MAX_ERRORS).filter_map(|at| scope(snapshot, at)).collect();
    if scopes.is_empty() {
        return;
    }
    for (diagnostic, held) in found.iter().zip(held) {
        let is_name = diagnostic.code() == Code::UndeclaredName && !diagnostic.is_undeclared_label();
        *held |= is_name && scopes.iter().any(|s| s.contains(&diagnostic.range.start));
    }
}

/// The scope of the declaration that contains an error; `None` if the statement is not a declaration.
fn scope(snapshot: &Snapshot, error: usize) -> Option<Range<usize>> {
    let rope = snapshot.rope();
    let end = rope.len_bytes();
    let range = statement::around(rope, error.min(end));
    if !declares(&statement::code(rope, rope.byte_to_line(range.start))) {
        return None;
    }
    let function = snapshot.leaf(range.start..range.start + 1).and_then(function_around);
    Some(function.filter(|f| f.kind_id() == kinds().function).map_or(range.start..end, |f| f.byte_range()))
}

/// Whether a statement is a declaration, or could become one when its first word is complete.
fn declares(statement: &str) -> bool {
    let Some(rest) = statement.strip_prefix('.') else { return false };
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let word = &statement[..'.'.len_utf8() + end];
    let names = |syntax: &str| {
        syntax.split(|c: char| !c.is_alphanumeric()).any(|w| ["name", "names", "declaration"].contains(&w))
    };
    let complete = ISA.directive(word);
    complete
        .map_or_else(|| ISA.directives.iter().any(|d| d.name.starts_with(word) && names(d.syntax)), |d| names(d.syntax))
}
