//! Declarations of registers and variables, and parameters.

use super::{Source, constant, named_children};
use crate::ast::{Alignment, Attribute, Constant, Declaration, Declarator, Pointer};
use crate::literal;
use ptx_syntax::{Node, fields, kinds};

/// Lowers a `variable_declaration` or a `parameter`.
pub fn declaration<'t>(source: Source<'t>, node: Node<'_>) -> Declaration<'t> {
    let k = kinds();
    let mut out = Declaration { range: source.range(node), ..Declaration::default() };
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
    if node.kind_id() == k.parameter {
        out.declarators.extend(declarator(source, node));
    }
    out
}

/// The attributes of an `attribute_list`.
pub fn attributes<'t>(source: Source<'t>, node: Node<'_>) -> Vec<Attribute<'t>> {
    let (k, f) = (kinds(), fields());
    let one = |node: Node<'_>| {
        let name = node.child_by_field_id(f.name)?;
        let arguments = named_children(node).filter(|n| n.kind_id() != k.attribute_name);
        let arguments = arguments.map(|n| (source.range(n), constant(source, n))).collect();
        Some(Attribute { range: source.range(node), name: source.word(name), arguments })
    };
    named_children(node).filter(|n| n.kind_id() == k.attribute).filter_map(one).collect()
}

fn alignment(source: Source<'_>, node: Node<'_>) -> Alignment {
    let value = node.child_by_field_id(fields().value);
    Alignment {
        range: source.range(node),
        place: value.map_or_else(|| source.range(node), |n| source.range(n)),
        value: value.and_then(|n| literal::integer(source.word(n).text)),
    }
}

fn pointer<'t>(source: Source<'t>, node: Node<'_>) -> Pointer<'t> {
    let alignments = named_children(node).find(|n| n.kind_id() == kinds().alignment);
    Pointer {
        range: source.range(node),
        space: node.child_by_field_id(fields().space).map(|n| source.word(n)),
        alignment: alignments.map(|n| alignment(source, n)),
    }
}

fn declarator<'t>(source: Source<'t>, node: Node<'_>) -> Option<Declarator<'t>> {
    let (k, f) = (kinds(), fields());
    let name = source.word(node.child_by_field_id(f.name)?);
    let mut out = Declarator {
        range: source.range(node),
        name,
        count: None,
        dimensions: Vec::new(),
        initializer: node.child_by_field_id(f.value).map(|n| source.range(n)),
    };
    for child in named_children(node) {
        let kind = child.kind_id();
        if kind == k.register_range {
            let count = child.child_by_field_id(f.count);
            let place = count.map_or_else(|| source.range(child), |n| source.range(n));
            out.count = Some((place, count.and_then(|n| literal::integer(source.word(n).text))));
        } else if kind == k.array_suffix {
            let size: Option<Constant> = child.child_by_field_id(f.size).map(|n| constant(source, n));
            out.dimensions.push((source.range(child), size));
        }
    }
    Some(out)
}
