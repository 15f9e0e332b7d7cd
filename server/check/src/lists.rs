//! Checks the directives that follow a label: `.branchtargets`, `.calltargets` and `.callprototype`.

use crate::diagnostic::Diagnostic;
use crate::rules::parameter_list::ParameterOwner;
use crate::rules::{branch_target, call_target, parameter_list, syntax_error, undeclared_name};
use ptx_sema::forms::operands::NameLookup;
use ptx_sema::hir::directive_parts;
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::hir::signature::{Callee, ContentId, Signature};
use ptx_sema::hir::symbols::{Symbol, TargetListKind};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, fields, kinds};
use std::sync::Arc;

/// The content of a target list or prototype: its hash, and the functions in it.
pub(crate) struct Content {
    /// Hash of the entries.
    pub id: ContentId,
    /// The functions that a call through it can reach.
    pub callees: Vec<Callee>,
}

/// Checks such a directive and returns its content. `label` is the label before it, by which branches and calls name it.
pub(crate) fn check(
    source: ItemSource<'_>,
    node: Node<'_>,
    list: TargetListKind,
    label: &str,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) -> Content {
    match list {
        TargetListKind::Branches => branches(source, node, label, names, out),
        TargetListKind::Calls => calls(source, node, names, out),
        TargetListKind::Prototype => prototype(source, node, label, out),
    }
}

fn branches(
    source: ItemSource<'_>,
    node: Node<'_>,
    label: &str,
    names: &dyn NameLookup,
    out: &mut Vec<Diagnostic>,
) -> Content {
    for (word, name) in directive_parts::list_entries(source, node) {
        match names.look_up(&name) {
            None => {
                out.push(undeclared_name::label(word.range(), &name));
                // For a range such as `N<5>`, one report of a missing label is enough.
                if name != word.text {
                    break;
                }
            }
            Some(Symbol::Label | Symbol::Unknown) => {}
            // ptxas: a list may contain its own label.
            Some(_) if name == label => {}
            Some(symbol) => out.push(branch_target::not_a_label(word.range(), &name, symbol)),
        }
    }
    Content { id: ContentId::of(&source.word(node).text), callees: Vec::new() }
}

fn calls(source: ItemSource<'_>, node: Node<'_>, names: &dyn NameLookup, out: &mut Vec<Diagnostic>) -> Content {
    let mut callees = Vec::new();
    let mut content = Vec::new();
    for (word, name) in directive_parts::list_entries(source, node) {
        match names.look_up(&name) {
            None => {
                out.push(undeclared_name::function(word.range(), &name));
                if name != word.text {
                    break;
                }
            }
            Some(Symbol::Function { signature, .. }) => {
                content.push((name.clone(), signature));
                callees.extend(names.callees(&name));
            }
            Some(Symbol::Unknown) => {}
            Some(symbol) => out.push(call_target::not_in_list(word.range(), &name, symbol)),
        }
    }
    Content { id: ContentId::of(&content), callees }
}

fn prototype(source: ItemSource<'_>, node: Node<'_>, label: &str, out: &mut Vec<Diagnostic>) -> Content {
    let (k, f) = (kinds(), fields());
    if let Some(name) = node.child_by_field_id(f.name).filter(|n| n.kind_id() != k.sink) {
        out.push(syntax_error::named_prototype(source.word(name)));
    }
    check_lists(source, node, ParameterOwner::Prototype, out);
    let signature = Signature::of(source, node);
    let id = ContentId::of(&(label, source.word(node).text));
    Content { id, callees: vec![Callee { name: label.into(), prototype: true, signature: signature.map(Arc::new) }] }
}

/// Checks the lists of parameters and results in the header of a function or in a prototype.
pub(crate) fn check_lists(source: ItemSource<'_>, node: Node<'_>, owner: ParameterOwner, out: &mut Vec<Diagnostic>) {
    let (k, f) = (kinds(), fields());
    let is_nameless = node.child_by_field_id(f.name).is_none() && !node.has_error();
    if let Some(kind) = node.child_by_field_id(f.kind).filter(|_| is_nameless) {
        out.push(syntax_error::nameless_function(source.word(kind)));
    }
    if owner == ParameterOwner::Kernel
        && let Some(results) = node.child_by_field_id(f.returns)
    {
        // Without a name the parameters look like results.
        if is_nameless && node.child_by_field_id(f.parameters).is_none() {
            return;
        }
        return out.push(parameter_list::kernel_results(source.range(results)));
    }
    for (field, results) in [(f.returns, true), (f.parameters, false)] {
        let Some(list) = node.child_by_field_id(field) else { continue };
        let parameters = named_children(list).filter(|n| n.kind_id() == k.parameter);
        let parameters: Vec<_> = parameters.map(|n| lower::declaration(source, n)).collect();
        if !list.has_error() {
            parameter_list::check(&parameters, results, owner, out);
        }
    }
}
