//! Checks the header of a function: `.extern` before a body, and the directives between the parameters and the body.

use super::common::{first_word, gates, part, values};
use crate::diagnostic::Diagnostic;
use crate::rules::{
    directive_conflict, launch_limit, misplaced_directive, missing_directive, redundant_directive, unknown_directive,
};
use ptx_isa::ISA;
use ptx_isa::tables::Directive;
use ptx_sema::hir::ast::SourceWord;
use ptx_sema::hir::declared::linkage_named;
use ptx_sema::hir::directive_parts::{ArgumentNode, arguments};
use ptx_sema::hir::lower::ItemSource;
use ptx_sema::target::Environment;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, fields, kinds};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::ops::Range;

/// A directive in the header of a function.
struct HeaderDirective<'t> {
    name: SourceWord<'t>,
    range: Range<usize>,
    directive: &'static Directive,
    /// The values of its arguments; empty if one is wrong.
    values: Vec<u64>,
}

impl HeaderDirective<'_> {
    /// Whether the directive counts as present. An argument of 0 counts as absence; a wrong argument has been reported and counts.
    fn counts(&self) -> bool {
        self.values.first() != Some(&0)
    }
}

/// Checks the header of a function or kernel. Returns the names of the directives between its parameters and its body, except those
/// whose argument is 0.
pub(crate) fn function(
    source: ItemSource<'_>,
    node: Node<'_>,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) -> Vec<&'static str> {
    let (k, f) = (kinds(), fields());
    let Some(kind) = node.child_by_field_id(f.kind).map(|n| source.word(n)) else { return Vec::new() };
    let kernel = kind.text == ".entry";
    let body = node.child_by_field_id(f.body);
    let place = match (kernel, body.is_some()) {
        (_, false) => "declaration",
        (true, true) => "entry",
        (false, true) => "func",
    };
    if body.is_some() {
        linking(source, node, out);
    }
    if kernel && body.is_none() {
        part(kind.range(), ".entry", "declaration", environment, out);
    }
    let returns =
        node.child_by_field_id(f.returns).is_some_and(|r| named_children(r).any(|n| n.kind_id() == k.parameter));
    let given = directives(source, node, place, kernel, environment, out);
    check_together(&given, kernel, returns, out);
    given.iter().filter(|g| g.counts()).map(|g| g.directive.name).collect()
}

/// Checks the directives of a `.callprototype`.
pub(crate) fn prototype(source: ItemSource<'_>, node: Node<'_>, environment: &Environment, out: &mut Vec<Diagnostic>) {
    let returns = node
        .child_by_field_id(fields().returns)
        .is_some_and(|r| named_children(r).any(|n| n.kind_id() == kinds().parameter));
    let given = directives(source, node, "prototype", false, environment, out);
    check_together(&given, false, returns, out);
}

/// Reports `.extern` before a function that has a body. Other checks of linking directives are in `declare` and `functions`.
fn linking(source: ItemSource<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut linkages = named_children(node).filter(|n| n.kind_id() == kinds().linkage).map(|n| source.word(n));
    let (Some(word), None) = (linkages.next(), linkages.next()) else { return };
    if ISA.directive(word.text).is_some_and(|d| d.places.contains(&"declaration") && !d.places.contains(&"func")) {
        out.push(directive_conflict::body_of_extern(word));
    }
}

/// Whether a function is a declaration that a `;` ends.
fn ends_in_semicolon(node: Node<'_>) -> bool {
    node.child_count().checked_sub(1).and_then(|last| node.child(last)).is_some_and(|last| last.kind() == ";")
}

/// Checks each directive of a header by itself, and returns those that are allowed there.
fn directives<'t>(
    source: ItemSource<'t>,
    node: Node<'_>,
    place: &str,
    kernel: bool,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) -> Vec<HeaderDirective<'t>> {
    let k = kinds();
    let own = [k.performance_directive, k.noreturn_directive, k.abi_preserve_directive, k.language_directive];
    let mut given: Vec<HeaderDirective<'t>> = Vec::new();
    for child in named_children(node) {
        let kind = child.kind_id();
        if kind == k.pragma_directive {
            super::pragma::check(source, child, place, environment, out);
        }
        if !own.contains(&kind) {
            continue;
        }
        let name = first_word(source, child);
        let Some(directive) = ISA.directive(name.text) else {
            // `.maxntid(256)`: the parentheses are reported.
            if name.text.split_once('(').is_some_and(|(name, _)| ISA.directive(name).is_some()) {
                continue;
            }
            out.push(unknown_directive::in_header(name, place));
            continue;
        };
        // ptxas: behind a declaration without `;` they begin the next item.
        let behind = matches!(place, "entry" | "func") || place == "declaration" && !kernel && ends_in_semicolon(node);
        if linkage_named(name.text).is_some() && behind {
            out.push(misplaced_directive::linkage(name));
            continue;
        }
        // The declaration of a kernel cannot have any of them.
        let barred = kernel && place == "declaration";
        if barred || !directive.places.contains(&place) {
            out.push(misplaced_directive::in_header(name, directive, kernel, place));
            if barred {
                return given;
            }
            continue;
        }
        // The syntax check reports arguments that the parser could not read.
        let broken = child.has_error() || child.next_sibling().is_some_and(|n| n.is_error());
        let mut found = Vec::new();
        if gates(name.range(), directive.name, directive.gates, environment, &mut found) && !broken {
            let arguments: Vec<ArgumentNode<'_>> = arguments(source, child);
            let values = values(name, directive, &arguments, &mut found);
            let range = source.range(child);
            if let Some(values) = &values {
                let first = arguments.first().map_or(range.start, |a| a.word.range().start);
                found.extend(launch_limit::check(first..range.end, directive, values));
            }
            given.push(HeaderDirective { name, range, directive, values: values.unwrap_or_default() });
        } else {
            // It still counts as present when other directives require it.
            given.push(HeaderDirective { name, range: source.range(child), directive, values: Vec::new() });
        }
        out.append(&mut found);
    }
    given
}

/// Whether an error node is a predefined constant after a header directive that takes numbers. The assembler accepts the constant as
/// a number there, but the grammar does not have it.
pub(crate) fn is_constant_argument(source: ItemSource<'_>, error: Node<'_>) -> bool {
    let takes_numbers = |directive: Node<'_>| {
        directive.kind_id() == kinds().performance_directive
            && ISA.directive(first_word(source, directive).text).and_then(|d| d.takes).is_some_and(|t| t.least > 0)
    };
    error.is_error()
        && ISA.constant(source.word(error).text.trim_start_matches([',', ' ']).trim()).is_some()
        && error.prev_named_sibling().is_some_and(takes_numbers)
}

/// Checks the directives of a header against each other: exclusion, repetition, order, and missing or useless combinations.
fn check_together(given: &[HeaderDirective<'_>], kernel: bool, returns: bool, out: &mut Vec<Diagnostic>) {
    let mut next: Vec<Option<usize>> = vec![None; given.len()];
    let mut seen: HashMap<&str, usize> = HashMap::default();
    for (index, one) in given.iter().enumerate().rev() {
        next[index] = seen.insert(one.directive.name, index);
    }
    // Indexed by name: the first directive of this name before the current one, and the first that excludes it.
    let (mut first, mut excluding): (HashMap<&str, usize>, HashMap<&str, usize>) = Default::default();
    let counted: HashSet<&str> = given.iter().filter(|g| g.counts()).map(|g| g.directive.name).collect();
    for (index, one) in given.iter().enumerate() {
        let name = one.directive.name;
        if let Some(other) = excluding.get(name) {
            out.push(directive_conflict::excluded(one.name, given[*other].name));
        }
        if kernel {
            if let Some(later) = next[index] {
                out.push(redundant_directive::overridden(one.range.clone(), one.name, given[later].name));
            }
        } else if let Some(earlier) = first.get(name) {
            out.push(directive_conflict::repeated(one.name, given[*earlier].name));
        } else if let Some(later) = one.directive.before.iter().filter_map(|name| first.get(name)).min() {
            out.push(misplaced_directive::order(one.name, given[*later].name));
        }
        if returns && name == ".noreturn" {
            out.push(directive_conflict::returns(one.name));
        }
        let missing: Vec<&'static str> =
            one.directive.requires.iter().filter(|n| !counted.contains(**n)).copied().collect();
        if !missing.is_empty() {
            out.push(missing_directive::of_directive(one.name, &missing));
        }
        let idle = one.directive.idle_without;
        if kernel && !idle.is_empty() && !idle.iter().any(|n| counted.contains(n)) {
            out.push(redundant_directive::idle(one.range.clone(), one.name, idle));
        }
        first.entry(name).or_insert(index);
        for excluded in one.directive.excludes {
            excluding.entry(excluded).or_insert(index);
        }
    }
}
