//! Goto: from a name to its definition, declaration or implementation.

use crate::references::{declaration_at, own_name};
use crate::walk::top;
use ptx_analysis::{DeclarationKind, DeclarationNode, literal, names};
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// The range to which a name leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionTarget {
    /// The whole declaration: the statement, the parameter, the function with its body.
    pub range: Range<usize>,
    /// The name within that range.
    pub selection: Range<usize>,
}

/// The targets of a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DefinitionTargets {
    /// Byte range of the name at the requested offset.
    pub origin: Range<usize>,
    /// The targets in this document.
    pub targets: Vec<DefinitionTarget>,
    /// The name, if its definition is in another module: `.extern`, or a function without a body.
    pub elsewhere: Option<String>,
}

/// The definitions of the name at an offset: functions with a body, variables that are not `.extern`. A name that is
/// defined in another module leads to its declaration here, and `elsewhere` is set.
pub fn definition(snapshot: &Snapshot, offset: usize) -> Option<DefinitionTargets> {
    let (found, node, name) = declaration_at(snapshot, offset)?;
    let all = declarations(snapshot, &found, &name);
    let defined: Vec<&DeclarationNode<'_>> = all.iter().filter(|d| is_definition(snapshot, d)).collect();
    let elsewhere = (defined.is_empty() && found.scope.is_none()).then_some(name);
    let targets = if defined.is_empty() { all.iter().map(target).collect() } else { targets(&defined) };
    Some(DefinitionTargets { origin: node.byte_range(), targets, elsewhere })
}

/// The declarations of the name at an offset. If it has separate declarations before its definition, those are the targets.
pub fn declaration(snapshot: &Snapshot, offset: usize) -> Option<DefinitionTargets> {
    let (found, node, name) = declaration_at(snapshot, offset)?;
    let all = declarations(snapshot, &found, &name);
    let declared: Vec<&DeclarationNode<'_>> = all.iter().filter(|d| !is_definition(snapshot, d)).collect();
    let targets = if declared.is_empty() { all.iter().map(target).collect() } else { targets(&declared) };
    Some(DefinitionTargets { origin: node.byte_range(), targets, elsewhere: None })
}

/// The implementation of the name at an offset. This is the body of a function, directly or through an `.alias`, or the
/// entries of a list of targets.
pub fn implementation(snapshot: &Snapshot, offset: usize) -> Option<DefinitionTargets> {
    let (found, node, name) = declaration_at(snapshot, offset)?;
    let origin = node.byte_range();
    let all = match found.what {
        DeclarationKind::Function | DeclarationKind::Alias => {
            let name = aliasee(snapshot, &name).unwrap_or(name);
            let targets: Vec<DefinitionTarget> =
                names::all_in_module(snapshot, &name).iter().filter(|d| is_body(d)).map(target).collect();
            let elsewhere = targets.is_empty().then_some(name);
            return Some(DefinitionTargets { origin, targets, elsewhere });
        }
        DeclarationKind::Targets(_) => listed(snapshot, found.statement.next_named_sibling()?),
        _ => return None,
    };
    Some(DefinitionTargets { origin, targets: all.iter().map(target).collect(), elsewhere: None })
}

/// The definitions of a module-level name that other modules can see. For modules that only declare the name.
pub fn exported(snapshot: &Snapshot, name: &str) -> Vec<DefinitionTarget> {
    let all = names::all_in_module(snapshot, name);
    all.iter().filter(|d| is_definition(snapshot, d) && is_visible(snapshot, d)).map(target).collect()
}

/// The declarations of the labels or functions in a list.
pub(crate) fn listed<'t>(snapshot: &'t Snapshot, list: Node<'t>) -> Vec<DeclarationNode<'t>> {
    let k = kinds();
    let mut out = Vec::new();
    for entry in named_children(list).filter(|n| n.kind_id() == k.identifier || n.kind_id() == k.register) {
        let base = snapshot.text(entry.byte_range());
        let range = entry.next_sibling().filter(|n| n.kind_id() == k.register_range);
        let count = range.and_then(|n| n.child_by_field_id(fields().count));
        let count = count.and_then(|n| literal::integer(&snapshot.text(n.byte_range())));
        let names = match count {
            None => vec![base.into_owned()],
            // Limits the length of very long lists.
            Some(count) => (0..count.clamp(0, 1000)).map(|n| format!("{base}{n}")).collect(),
        };
        for name in names {
            let Some(found) = names::find(snapshot, entry, &name) else { continue };
            let all = declarations(snapshot, &found, &name);
            out.push(all.iter().copied().find(is_body).unwrap_or(found));
        }
    }
    out
}

/// All declarations of the object to which a name refers.
pub(crate) fn declarations<'t>(
    snapshot: &'t Snapshot,
    found: &DeclarationNode<'t>,
    name: &str,
) -> Vec<DeclarationNode<'t>> {
    if found.scope.is_some() {
        return vec![*found];
    }
    let all = names::all_in_module(snapshot, name);
    // A label of a section is not a module item.
    if all.iter().any(|d| d.what == found.what) { all } else { vec![*found] }
}

/// The function of which a name is an alias.
pub(crate) fn aliasee(snapshot: &Snapshot, name: &str) -> Option<String> {
    let alias = names::all_in_module(snapshot, name).into_iter().find(|d| d.what == DeclarationKind::Alias)?;
    alias.statement.child_by_field_id(fields().aliasee).map(|n| snapshot.text(n.byte_range()).into_owned())
}

fn targets(declarations: &[&DeclarationNode<'_>]) -> Vec<DefinitionTarget> {
    declarations.iter().map(|d| target(d)).collect()
}

/// The target of a declaration.
pub(crate) fn target(declaration: &DeclarationNode<'_>) -> DefinitionTarget {
    let range = declaration.statement.byte_range();
    let selection = own_name(declaration).unwrap_or_else(|| declaration.declarator.byte_range());
    DefinitionTarget { range, selection }
}

fn is_body(declaration: &DeclarationNode<'_>) -> bool {
    declaration.what == DeclarationKind::Function && declaration.statement.child_by_field_id(fields().body).is_some()
}

/// The linking directive of a module-level declaration.
pub(crate) fn linkage(snapshot: &Snapshot, declaration: &DeclarationNode<'_>) -> Option<String> {
    let node = named_children(declaration.statement).find(|n| n.kind_id() == kinds().linkage)?;
    Some(snapshot.text(node.byte_range()).into_owned())
}

/// Whether a declaration is also a definition.
pub(crate) fn is_definition(snapshot: &Snapshot, declaration: &DeclarationNode<'_>) -> bool {
    match declaration.what {
        DeclarationKind::Function => is_body(declaration),
        DeclarationKind::Variable => linkage(snapshot, declaration).as_deref() != Some(".extern"),
        _ => true,
    }
}

/// Whether a declaration is visible in other modules.
pub(crate) fn is_visible(snapshot: &Snapshot, declaration: &DeclarationNode<'_>) -> bool {
    declaration.scope.is_none() && linkage(snapshot, declaration).is_some()
}

/// A position in the source from which a module was compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePosition {
    /// Byte range of the text that names it.
    pub origin: Range<usize>,
    /// The path in the `.file` directive.
    pub path: String,
    /// Line, from 1; 0 if there is none.
    pub line: u32,
    /// Column, from 1; 0 if there is none.
    pub column: u32,
}

/// The source position that a `.loc` or `.file` at an offset names.
pub fn source_position(snapshot: &Snapshot, offset: usize) -> Option<SourcePosition> {
    let (k, f) = (kinds(), fields());
    let leaf = snapshot.leaf(offset..offset)?;
    let mut node = leaf;
    loop {
        let kind = node.kind_id();
        if kind == k.file_directive {
            let path = path_of(snapshot, node)?;
            return Some(SourcePosition { origin: node.byte_range(), path, line: 0, column: 0 });
        }
        let position = node.parent().is_some_and(|p| p.child_by_field_id(f.inlined_at) == Some(node));
        if kind == k.loc_directive || kind == k.loc_intermediate_directive || position {
            break;
        }
        if kind == k.block || kind == k.function {
            return None;
        }
        node = node.parent()?;
    }
    let number = |n: Node<'_>| literal::number(&snapshot.text(n.byte_range())).and_then(|n| u32::try_from(n).ok());
    let numbers: Vec<Node<'_>> = named_children(node).filter(|n| n.kind_id() == k.integer).take(3).collect();
    let file = number(*numbers.first()?)?;
    let at = |index: usize| numbers.get(index).and_then(|n| number(*n)).unwrap_or(0);
    let end = numbers.last().map_or(node.end_byte(), Node::end_byte);
    let origin = node.start_byte()..end;
    // Text after the numbers names something else.
    if offset > end {
        return None;
    }
    Some(SourcePosition { origin, path: file_path(snapshot, file)?, line: at(1), column: at(2) })
}

/// Maximum number of lines above a line that are searched for its `.loc`.
const LINES_ABOVE: usize = 10_000;

/// The position in a source file that the last `.loc` at or above a line of the same function names. The line counts from 0.
pub fn source_of_line(snapshot: &Snapshot, line: usize) -> Option<SourcePosition> {
    let rope = snapshot.rope();
    let last = line.min(rope.len_lines().checked_sub(1)?);
    // A `.loc` of another function says nothing about this one.
    let start = rope.line_to_byte(last);
    let function = snapshot.roots().find_map(|root| {
        let mut cursor = root.walk();
        let around = |n: &Node<'_>| n.kind_id() == kinds().function && n.start_byte() <= start && start < n.end_byte();
        root.children(&mut cursor).find(around)
    })?;
    let first = rope.byte_to_line(function.start_byte()).max(last.saturating_sub(LINES_ABOVE));
    (first..=last).rev().find_map(|line| {
        let text = rope.line(line).to_string();
        let words = text.trim_start();
        let at = rope.line_to_byte(line) + text.len() - words.len();
        if words.starts_with(".loc") { source_position(snapshot, at) } else { None }
    })
}

/// The path of the `.file` directive with a number.
fn file_path(snapshot: &Snapshot, number: u32) -> Option<String> {
    let k = kinds();
    for node in top(snapshot) {
        if node.kind_id() == k.file_directive
            && let Some(index) = node.child_by_field_id(fields().index)
            && literal::integer(&snapshot.text(index.byte_range())) == Some(number.into())
        {
            return path_of(snapshot, node);
        }
    }
    None
}

/// The path in a `.file` directive, without its quotes; `None` if it is empty.
pub(crate) fn path_of(snapshot: &Snapshot, file: Node<'_>) -> Option<String> {
    let string = named_children(file).find(|n| n.kind_id() == kinds().string)?;
    let text = snapshot.text(string.byte_range());
    let path = text.trim_matches('"');
    (!path.is_empty()).then(|| path.to_owned())
}
