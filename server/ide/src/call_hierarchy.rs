//! The callers and callees of a function. Calls may use its name, an `.alias` of it, a list of targets or a table of
//! functions.

use crate::definition::{aliasee, listed};
use crate::references::{self, ReferenceKind, name_at, own_name};
use crate::walk::top;
use ptx_analysis::{DeclarationKind, DeclarationNode, names};
use ptx_isa::ISA;
use ptx_isa::tables::ControlTransfer;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum length of a displayed signature.
const MAX_SIGNATURE: usize = 200;

/// A function or a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callable {
    /// Its name.
    pub name: String,
    /// It is a kernel.
    pub kernel: bool,
    /// Its header on one line.
    pub signature: String,
    /// Byte range of the whole function.
    pub range: Range<usize>,
    /// Byte range of its name.
    pub selection: Range<usize>,
    /// It has no body in this module.
    pub elsewhere: bool,
}

/// The calls between a given function and another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// The other function.
    pub other: Callable,
    /// Ranges in the caller: the name of the callee in each call, or the list of targets of an indirect call.
    pub places: Vec<Range<usize>>,
}

/// The functions at an offset: the one whose name is there, or all functions that the `call` there can reach.
pub fn callables(snapshot: &Snapshot, offset: usize) -> Vec<Callable> {
    let k = kinds();
    if let Some(node) = name_at(snapshot, offset) {
        let name = snapshot.text(node.byte_range());
        let found = names::find(snapshot, node, &name);
        let function = found.is_some_and(|d| matches!(d.what, DeclarationKind::Function | DeclarationKind::Alias));
        return callable(snapshot, &name).filter(|_| function).into_iter().collect();
    }
    let before = offset.checked_sub(1);
    let opcode = [Some(offset), before].into_iter().flatten().find_map(|at| {
        let leaf = snapshot.leaf(at..at + 1)?;
        (leaf.kind_id() == k.opcode && leaf.byte_range().contains(&at)).then_some(leaf)
    });
    let Some(instruction) = opcode.filter(|o| calls(&snapshot.text(o.byte_range()))).and_then(|o| o.parent()) else {
        return Vec::new();
    };
    callees(snapshot, instruction).into_iter().filter_map(|(name, _)| callable(snapshot, &name)).collect()
}

/// The function with a name; its definition if the module has one.
pub fn callable(snapshot: &Snapshot, name: &str) -> Option<Callable> {
    let all = names::all_in_module(snapshot, name);
    let functions = || all.iter().filter(|d| d.what == DeclarationKind::Function);
    let body = |d: &&DeclarationNode<'_>| d.statement.child_by_field_id(fields().body).is_some();
    let found = functions().find(body).or_else(|| functions().next())?;
    described(snapshot, found.statement)
}

fn described(snapshot: &Snapshot, function: Node<'_>) -> Option<Callable> {
    let f = fields();
    let selection = function.child_by_field_id(f.name)?.byte_range();
    let body = function.child_by_field_id(f.body);
    let end = body.map_or(function.end_byte(), |b| b.start_byte());
    let kind = function.child_by_field_id(f.kind);
    let header = snapshot.text(function.start_byte()..end);
    let mut signature = header.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = signature.char_indices().nth(MAX_SIGNATURE) {
        signature.truncate(cut);
        signature.push('…');
    }
    Some(Callable {
        name: snapshot.text(selection.clone()).into_owned(),
        kernel: kind.is_some_and(|n| snapshot.text(n.byte_range()) == ".entry"),
        signature: signature.trim_end_matches(';').to_owned(),
        range: function.byte_range(),
        selection,
        elsewhere: body.is_none(),
    })
}

/// Whether an opcode calls functions.
fn calls(opcode: &str) -> bool {
    ISA.opcode(opcode).is_some_and(|o| o.entries.iter().any(|e| e.flow == ControlTransfer::Call))
}

/// The callers of a function, in the order of the text.
pub fn incoming_calls(snapshot: &Snapshot, name: &str) -> Vec<Calls> {
    let mut places: Vec<Range<usize>> = Vec::new();
    for name in std::iter::once(name.to_owned()).chain(aliases(snapshot, name)) {
        let Some(declaration) = names::all_in_module(snapshot, &name).into_iter().next() else { continue };
        references::visit(snapshot, &declaration, &name, |reference| {
            match reference.access {
                ReferenceKind::Call => places.push(reference.range),
                ReferenceKind::Mention => places.extend(through(snapshot, reference.range.start)),
                _ => {}
            }
            true
        });
    }
    let mut callers: BTreeMap<usize, Calls> = BTreeMap::new();
    places.sort_by_key(|p| p.start);
    places.dedup();
    for place in places {
        let function = snapshot.node_at(place.start).and_then(names::function_around);
        let Some(function) = function.filter(|n| n.kind_id() == kinds().function) else { continue };
        match callers.get_mut(&function.start_byte()) {
            Some(calls) => calls.places.push(place),
            None => {
                let Some(other) = described(snapshot, function) else { continue };
                callers.insert(function.start_byte(), Calls { other, places: vec![place] });
            }
        }
    }
    callers.into_values().collect()
}

/// The aliases that `.alias` gives a function.
fn aliases(snapshot: &Snapshot, name: &str) -> Vec<String> {
    let (k, f) = (kinds(), fields());
    let text =
        |node: Node<'_>, field: u16| node.child_by_field_id(field).map(|n| snapshot.text(n.byte_range()).into_owned());
    let mut out = Vec::new();
    for node in top(snapshot) {
        if node.kind_id() == k.alias_directive && text(node, f.aliasee).is_some_and(|t| t == name) {
            out.extend(text(node, f.name));
        }
    }
    out
}

/// The calls that reach a function through the list or the table that names it at an offset.
fn through(snapshot: &Snapshot, offset: usize) -> Vec<Range<usize>> {
    let k = kinds();
    let mut node = snapshot.node_at(offset);
    let list = loop {
        let Some(here) = node else { return Vec::new() };
        if here.kind_id() == k.call_targets_directive {
            break here.prev_named_sibling().filter(|n| n.kind_id() == k.label);
        }
        if here.kind_id() == k.declarator {
            break Some(here);
        }
        if here.kind_id() == k.instruction || here.kind_id() == k.block {
            return Vec::new();
        }
        node = here.parent();
    };
    let Some(name) = list.and_then(|l| l.child_by_field_id(fields().name)) else { return Vec::new() };
    let text = snapshot.text(name.byte_range());
    let Some(declaration) = names::find(snapshot, name, &text) else { return Vec::new() };
    let mut out = Vec::new();
    references::visit(snapshot, &declaration, &text, |reference| {
        let instruction = snapshot.node_at(reference.range.start).and_then(|n| n.parent());
        let opcode = instruction.and_then(|i| i.child_by_field_id(fields().opcode));
        if opcode.is_some_and(|o| calls(&snapshot.text(o.byte_range()))) {
            out.push(reference.range);
        }
        true
    });
    out
}

/// The functions that a function calls, in the order of the first calls.
pub fn outgoing_calls(snapshot: &Snapshot, name: &str) -> Vec<Calls> {
    let k = kinds();
    let name = aliasee(snapshot, name).unwrap_or_else(|| name.to_owned());
    let all = names::all_in_module(snapshot, &name);
    let Some(body) = all.iter().find_map(|d| d.statement.child_by_field_id(fields().body)) else { return Vec::new() };
    let mut instructions: Vec<Node<'_>> = Vec::new();
    for opcode in ISA.opcodes.iter().filter(|o| calls(o.name)) {
        names::occurrences(snapshot, body.byte_range(), opcode.name, |offset| {
            let opcode = snapshot.node_at(offset).filter(|n| n.kind_id() == k.opcode);
            instructions.extend(opcode.and_then(|o| o.parent()));
            true
        });
    }
    instructions.sort_by_key(Node::start_byte);
    let mut out: Vec<Calls> = Vec::new();
    for (name, place) in instructions.into_iter().flat_map(|i| callees(snapshot, i)) {
        match out.iter_mut().find(|c| c.other.name == name) {
            Some(calls) if calls.places.contains(&place) => {}
            Some(calls) => calls.places.push(place),
            None => out.extend(callable(snapshot, &name).map(|other| Calls { other, places: vec![place] })),
        }
    }
    out
}

/// The functions that a call can reach, as far as the module tells, with the ranges that name them there.
fn callees(snapshot: &Snapshot, instruction: Node<'_>) -> Vec<(String, Range<usize>)> {
    let (k, f) = (kinds(), fields());
    let mut out = Vec::new();
    for operand in named_children(instruction).filter(|n| n.kind_id() == k.identifier || n.kind_id() == k.register) {
        let (name, place) = (snapshot.text(operand.byte_range()), operand.byte_range());
        let Some(found) = names::find(snapshot, operand, &name) else { continue };
        match found.what {
            DeclarationKind::Function | DeclarationKind::Alias => {
                out.push((aliasee(snapshot, &name).unwrap_or(name.into_owned()), place));
            }
            DeclarationKind::Targets(_) => {
                let list = found.statement.next_named_sibling().filter(|n| n.kind_id() == k.call_targets_directive);
                let functions = list.map_or_else(Vec::new, |list| listed(snapshot, list));
                let names = functions.iter().filter_map(own_name).map(|n| snapshot.text(n).into_owned());
                out.extend(names.map(|name| (name, place.clone())));
            }
            DeclarationKind::Variable => {
                let table = found.declarator.child_by_field_id(f.value);
                let names = table.into_iter().flat_map(named_children).filter(|n| n.kind_id() == k.identifier);
                let names = names.map(|n| snapshot.text(n.byte_range()).into_owned());
                out.extend(names.map(|name| (name, place.clone())));
            }
            _ => {}
        }
    }
    out
}
