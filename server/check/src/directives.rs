//! Checks directives other than declarations: their place, their arguments, and the directives that they require or exclude.

mod common;
pub(crate) mod debug;
pub(crate) mod header;
pub(crate) mod pragma;

use crate::diagnostic::Diagnostic;
use crate::rules::{misplaced_directive, syntax_error, unknown_directive};
pub(crate) use common::{first_word, gates, stands};
use ptx_isa::ISA;
use ptx_sema::hir::directive_parts::list_kind;
use ptx_sema::hir::lower::ItemSource;
use ptx_sema::target::Environment;
use ptx_syntax::{Node, fields, kinds};

/// The report on a directive that the grammar does not know at this place: it is unknown or misplaced.
pub(crate) fn unknown(source: ItemSource<'_>, node: Node<'_>) -> Option<Diagnostic> {
    let name = source.word(node.child_by_field_id(fields().name).unwrap_or(node));
    if let Some(label) = syntax_error::dotted_label(source.text, name.range()) {
        return Some(label);
    }
    Some(match ISA.directive(name.text) {
        Some(directive) => misplaced_directive::report(name, directive),
        None => unknown_directive::report(name),
    })
}

/// Checks a directive that is a statement. `place` is `module`, `entry-body` (the body of a kernel) or `body`.
pub(crate) fn statement(
    source: ItemSource<'_>,
    node: Node<'_>,
    place: &str,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) {
    let k = kinds();
    let kind = node.kind_id();
    if kind == k.pragma_directive {
        return pragma::check(source, node, place, environment, out);
    }
    let listed = list_kind(kind).is_some();
    let others =
        [k.file_directive, k.loc_directive, k.loc_intermediate_directive, k.section_directive, k.dwarf_directive];
    if !listed && !others.contains(&kind) && kind != k.alias_directive {
        return;
    }
    let word = first_word(source, node);
    let general = if place == "entry-body" { "body" } else { place };
    let Some(directive) = ISA.directive(word.text) else {
        if kind == k.dwarf_directive {
            out.push(unknown_directive::report(word));
        }
        return;
    };
    if !stands(word, directive, general, out) {
        return;
    }
    if listed {
        if kind == k.call_prototype_directive {
            header::prototype(source, node, environment, out);
        }
        return;
    }
    if !gates(word.range(), directive.name, directive.gates, environment, out) {
        return;
    }
    if kind == k.loc_directive || kind == k.loc_intermediate_directive {
        debug::position(source, node, directive, environment, out);
    } else if kind == k.file_directive {
        debug::file(source, node, environment, out);
    } else if kind == k.dwarf_directive {
        debug::dwarf(source, node, directive, out);
    }
}
