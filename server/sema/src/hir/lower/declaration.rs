//! Lowers declarations of registers and variables, and parameters.

use super::{ItemSource, constant};
use crate::hir::ast::{Alignment, Attribute, ConstantValue, Declaration, Declarator, Pointer, SourceWord};
use crate::hir::literal;
use ptx_isa::ISA;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, fields, kinds};

/// Lowers a `variable_declaration` or a `parameter`.
pub fn declaration<'t>(source: ItemSource<'t>, node: Node<'_>) -> Declaration<'t> {
    let k = kinds();
    let mut out = Declaration { range: source.range(node), broken: node.has_error(), ..Declaration::default() };
    for child in named_children(node) {
        let kind = child.kind_id();
        if kind == k.linkage {
            out.linkages.push(source.word(child));
        } else if kind == k.attribute_list {
            out.attributes.extend(attributes(source, child));
        } else if kind == k.state_space {
            out.spaces.push(source.word(child));
        } else if kind == k.bank {
            out.bank = Some(source.word(child));
        } else if kind == k.alignment {
            out.alignments.push(alignment(source, child));
        } else if kind == k.vector_type {
            out.vectors.push(source.word(child));
        } else if kind == k.ty {
            out.types.push(source.word(child));
        } else if kind == k.pointer_attribute {
            out.pointers.push(pointer(source, child));
        } else if kind == k.declarator {
            out.declarators.extend(declarator(source, child));
        }
    }
    if out.declarators.is_empty() {
        let last = node.child_count().checked_sub(1).and_then(|i| node.child(i));
        out.semicolon = last.filter(|n| n.kind() == ";" && !n.is_missing()).map(|n| source.range(n));
    }
    if node.kind_id() == k.parameter {
        out.declarators.extend(declarator(source, node));
    }
    out
}

/// The attributes of an `attribute_list`.
pub fn attributes<'t>(source: ItemSource<'t>, node: Node<'_>) -> Vec<Attribute<'t>> {
    let (k, f) = (kinds(), fields());
    let one = |node: Node<'_>| {
        let name = node.child_by_field_id(f.name)?;
        let values = || named_children(node).filter(|n| n.kind_id() != k.attribute_name);
        let arguments = values().map(|n| (source.range(n), number(source, n))).collect();
        let computed = values().find(|n| !is_number(source, *n)).map(|n| source.range(n));
        Some(Attribute { range: source.range(node), name: source.word(name), arguments, computed })
    };
    let mut out: Vec<_> = named_children(node).filter(|n| n.kind_id() == k.attribute).filter_map(one).collect();
    if out.is_empty() && !node.has_error() {
        let range = source.range(node);
        let name = SourceWord { text: "", start: range.start as u32 };
        out.push(Attribute { range, name, arguments: Vec::new(), computed: None });
    }
    out
}

/// Whether a node is an integer, or a name that stands for one: declarations accept nothing else as a size.
fn is_number(source: ItemSource<'_>, node: Node<'_>) -> bool {
    node.kind_id() == kinds().integer || ISA.constant(source.word(node).text).is_some()
}

/// The value of a size.
fn number(source: ItemSource<'_>, node: Node<'_>) -> ConstantValue {
    match ISA.constant(source.word(node).text) {
        Some(named) => ConstantValue::Integer(Some(named.value.into())),
        None => constant(source, node),
    }
}

/// The value of a node that can only be an integer or a name for one.
fn integer(source: ItemSource<'_>, node: Node<'_>) -> Option<i128> {
    literal::number(source.word(node).text)
}

fn alignment(source: ItemSource<'_>, node: Node<'_>) -> Alignment {
    let value = node.child_by_field_id(fields().value);
    Alignment {
        range: source.range(node),
        place: value.map_or_else(|| source.range(node), |n| source.range(n)),
        value: value.and_then(|n| integer(source, n)),
    }
}

fn pointer<'t>(source: ItemSource<'t>, node: Node<'_>) -> Pointer<'t> {
    let alignments = named_children(node).find(|n| n.kind_id() == kinds().alignment);
    Pointer {
        range: source.range(node),
        space: node.child_by_field_id(fields().space).map(|n| source.word(n)),
        alignment: alignments.map(|n| alignment(source, n)),
    }
}

fn declarator<'t>(source: ItemSource<'t>, node: Node<'_>) -> Option<Declarator<'t>> {
    let (k, f) = (kinds(), fields());
    let name = source.word(node.child_by_field_id(f.name)?);
    let mut out = Declarator {
        range: source.range(node),
        name,
        count: None,
        dimensions: Vec::new(),
        computed: None,
        initializer: node.child_by_field_id(f.value).map(|n| source.range(n)),
    };
    for child in named_children(node) {
        let kind = child.kind_id();
        if kind == k.register_range {
            let count = child.child_by_field_id(f.count);
            let place = count.map_or_else(|| source.range(child), |n| source.range(n));
            if let Some(count) = count.filter(|n| !is_number(source, *n)) {
                out.computed = Some(source.range(count));
            }
            out.count = Some((place, count.and_then(|n| integer(source, n))));
        } else if kind == k.array_suffix {
            let size = child.child_by_field_id(f.size);
            if let Some(size) = size.filter(|n| !is_number(source, *n)) {
                out.computed = out.computed.or(Some(source.range(size)));
            }
            out.dimensions.push((source.range(child), size.map(|n| number(source, n))));
        }
    }
    Some(out)
}
