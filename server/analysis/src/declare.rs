//! Declarations: registers, variables, parameters.

use crate::ast::Word;
use crate::checks::{duplicate_name, requires_version, syntax_error};
use crate::diagnostic::Diagnostic;
use crate::literal;
use crate::lower::{Source, named_children};
use crate::symbols::{Declared, Frame, Symbol};
use crate::target::Environment;
use crate::types::TypeId;
use ptx_isa::ISA;
use ptx_syntax::{Node, fields, kinds};

/// A declarator with what the declaration says of it.
#[derive(Debug, Clone)]
pub struct Declarator<'t> {
    /// The name.
    pub name: Word<'t>,
    /// `<10>`.
    pub count: Option<u32>,
    /// What it declares.
    pub symbol: Symbol,
}

/// The declarators of a `variable_declaration` or of a `parameter`.
pub fn declarators<'t>(source: Source<'t>, node: Node<'_>, kernel_parameter: bool) -> Vec<Declarator<'t>> {
    let (k, f) = (kinds(), fields());
    let space = node.child_by_field_id(f.space).map_or("", |n| source.word(n).text);
    let base = space.split("::").next().unwrap_or(space);
    let ty = node.child_by_field_id(f.ty).map(|n| source.word(n).text);
    let ty = ty.and_then(TypeId::of);
    let vector = named_children(node).find(|n| n.kind_id() == k.vector_type);
    let elements = vector.and_then(|n| source.word(n).text.get(2..)?.parse().ok()).unwrap_or(1);
    let symbol = match (base, ty) {
        (".reg", Some(ty)) => Symbol::Register { ty, elements },
        (".reg" | ".sreg" | "", _) => Symbol::Unknown,
        _ => match ISA.space(base) {
            Some(space) => Symbol::Variable { space: space.name, ty, kernel_parameter },
            None => Symbol::Unknown,
        },
    };
    let mut out = Vec::new();
    let mut add = |node: Node<'_>| {
        let Some(name) = node.child_by_field_id(f.name).filter(|n| n.kind_id() != k.sink) else { return };
        let range = named_children(node).find(|n| n.kind_id() == k.register_range);
        let count = range.and_then(|n| n.child_by_field_id(f.count));
        let count = count.map(|n| literal::integer(source.word(n).text).and_then(|n| n.try_into().ok()).unwrap_or(0));
        out.push(Declarator { name: source.word(name), count, symbol });
    };
    if node.kind_id() == k.parameter {
        add(node);
    } else {
        named_children(node).filter(|n| n.kind_id() == k.declarator).for_each(&mut add);
    }
    out
}

/// Declares them in a block.
pub fn declare<'t>(declarators: Vec<Declarator<'t>>, frame: &mut Frame<'t>, out: &mut Vec<Diagnostic>) {
    for Declarator { name, count, symbol } in declarators {
        let declared = Declared { symbol, range: name.range() };
        let earlier = match count {
            Some(count) => frame.declare_range(name.text, count, declared),
            None => frame.declare(name.text, declared),
        };
        if let Some(earlier) = earlier {
            out.push(duplicate_name::report(name.range(), name.text, earlier));
        }
    }
}

/// What can be said of a declaration by itself: its type exists, may be used there, and is not too new.
pub fn check(source: Source<'_>, node: Node<'_>, environment: &Environment, out: &mut Vec<Diagnostic>) {
    let f = fields();
    let space = node.child_by_field_id(f.space).map_or("", |n| source.word(n).text);
    shape(source, node, out);
    if let Some(node) = node.child_by_field_id(f.space)
        && let Some(known) = ISA.space(space)
        && let Some(gate) = environment.refused(known.gates, |_| true)
    {
        out.push(requires_version::report(source.range(node), space, gate, environment));
    }
    let Some(node) = node.child_by_field_id(f.ty) else { return };
    let word = source.word(node);
    match TypeId::of(word.text).map(TypeId::info) {
        None => out.push(syntax_error::not_a_type(word)),
        Some(ty) => {
            let allowed = if space.starts_with(".reg") { ty.registers } else { ty.variables || ty.registers };
            if !allowed {
                out.push(syntax_error::type_not_here(word, space));
            } else if let Some(gate) = environment.refused(ty.gates, |_| true) {
                out.push(requires_version::report(word.range(), word.text, gate, environment));
            }
        }
    }
}

/// One state space, one type, at most one vector length; the grammar takes any number, so that a half-typed line stays whole.
fn shape(source: Source<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
    let k = kinds();
    let mut seen =
        [(k.state_space, "state space", false), (k.ty, "type", false), (k.vector_type, "vector length", false)];
    let mut name = None;
    for child in named_children(node) {
        let kind = child.kind_id();
        if kind == k.declarator || kind == k.identifier || kind == k.register {
            name = name.or(Some(child));
        }
        for (wanted, what, before) in &mut seen {
            if kind == *wanted && std::mem::replace(before, true) {
                out.push(syntax_error::given_twice(source.range(child), what));
            }
        }
    }
    // `.global .f32;` is legal, `.reg %r;` is not; a list of nothing else was never finished.
    if let Some(name) = name.filter(|_| !seen[1].2) {
        let start = source.range(name).start;
        out.push(syntax_error::no_type(start..start + 1));
    }
}
