//! The parts of directives: arguments, and the entries of lists.

use crate::hir::ast::SourceWord;
use crate::hir::literal;
use crate::hir::lower::{ItemSource, named_children};
use crate::hir::symbols::TargetListKind;
use ptx_syntax::{Node, fields, kinds};

/// An argument of a directive, as written.
#[derive(Debug, Clone)]
pub struct ArgumentNode<'t> {
    /// The text and its position.
    pub word: SourceWord<'t>,
    /// Whether it is a string.
    pub string: bool,
}

/// The numbers and strings that are children of a node.
pub fn arguments<'t>(source: ItemSource<'t>, node: Node<'_>) -> Vec<ArgumentNode<'t>> {
    let k = kinds();
    named_children(node)
        .filter(|n| n.kind_id() == k.integer || n.kind_id() == k.string)
        .map(|n| ArgumentNode { word: source.word(n), string: n.kind_id() == k.string })
        .collect()
}

/// The number of a `.file` directive with the word that holds it, if it is valid.
pub fn file_number<'t>(source: ItemSource<'t>, node: Node<'_>) -> Option<(u32, SourceWord<'t>)> {
    let word = named_children(node).find(|n| n.kind_id() == kinds().integer).map(|n| source.word(n))?;
    Some((u32::try_from(literal::number(word.text)?).ok()?, word))
}

/// The two names of an `.alias` directive: the alias, and the function for which it stands.
pub fn alias_names<'t>(source: ItemSource<'t>, node: Node<'_>) -> Option<(SourceWord<'t>, SourceWord<'t>)> {
    let word = |field| node.child_by_field_id(field).map(|n| source.word(n));
    Some((word(fields().name)?, word(fields().aliasee)?))
}

/// The kind of target list of a directive's node kind; `None` for other nodes.
pub fn list_kind(kind: u16) -> Option<TargetListKind> {
    let k = kinds();
    if kind == k.branch_targets_directive {
        Some(TargetListKind::Branches)
    } else if kind == k.call_targets_directive {
        Some(TargetListKind::Calls)
    } else if kind == k.call_prototype_directive {
        Some(TargetListKind::Prototype)
    } else {
        None
    }
}

/// The entries of a target list with the source word of each; `N<5>` is expanded to its five names.
pub fn list_entries<'t>(source: ItemSource<'t>, node: Node<'_>) -> Vec<(SourceWord<'t>, String)> {
    // A limit above the number of labels of any real function.
    const MAX_ENTRIES: u32 = 1 << 16;
    let (k, f) = (kinds(), fields());
    let targets = named_children(node).filter(|n| n.kind_id() == k.identifier || n.kind_id() == k.register);
    let mut out = Vec::new();
    for target in targets {
        let word = source.word(target);
        let range = target.next_sibling().filter(|n| n.kind_id() == k.register_range);
        match range {
            None => out.push((word, word.text.to_owned())),
            Some(range) => {
                let count = range.child_by_field_id(f.count).and_then(|n| literal::integer(source.word(n).text));
                let count = count.and_then(|n| u32::try_from(n).ok()).map_or(0, |n| n.min(MAX_ENTRIES));
                out.extend((0..count).map(|i| (word, format!("{}{i}", word.text))));
            }
        }
    }
    out
}
