//! The parts of directives: arguments, and the entries of lists.

use crate::hir::ast::SourceWord;
use crate::hir::literal;
use crate::hir::lower::ItemSource;
use crate::hir::symbols::TargetListKind;
use ptx_syntax::walk::named_children;
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

/// The location of a `.loc`, and the one after `inlined_at`. Each is `None` if it is absent or incomplete.
pub fn locations(source: ItemSource<'_>, node: Node<'_>) -> (Option<LocNumbers>, Option<LocNumbers>) {
    let k = kinds();
    let of = |node: Node<'_>| {
        let mut numbers = named_children(node).filter(|n| n.kind_id() == k.integer).map(|n| {
            let number = literal::number(source.word(n).text)?;
            u32::try_from(number).ok()
        });
        Some((numbers.next()??, numbers.next()??, numbers.next()??))
    };
    (of(node), node.child_by_field_id(fields().inlined_at).and_then(of))
}

/// A location: file number, line and column.
pub type LocNumbers = (u32, u32, u32);

/// Fast path of [`locations`] and of the check of `.loc`: the location of a `.loc`, and the one after `inlined_at`, read from its text. `None` if
/// the text is not in the usual form, which nearly all `.loc` have. A large function may have one for each instruction, so visiting
/// their nodes would take too long.
pub fn plain_location(text: &str) -> Option<(LocNumbers, Option<LocNumbers>)> {
    let mut words = text.split([' ', '\t', ',']).filter(|w| !w.is_empty());
    let number = |word: &str| {
        let plain = word.len() < 10 && !(word.len() > 1 && word.starts_with('0'));
        word.parse::<u32>().ok().filter(|_| plain)
    };
    let location = |words: &mut dyn Iterator<Item = &str>| {
        Some((number(words.next()?)?, number(words.next()?)?, number(words.next()?)?))
    };
    (words.next()? == ".loc").then_some(())?;
    // No comma stands before the word behind the numbers.
    let (numbers, rest) = text.split_once(',').map_or((text, None), |(numbers, rest)| (numbers, Some(rest)));
    (numbers.split([' ', '\t']).filter(|w| !w.is_empty()).count() == 4).then_some(())?;
    let own = location(&mut words)?;
    let Some(word) = words.next() else { return rest.is_none().then_some((own, None)) };
    let label = words.next()?;
    let fits = word == "function_name" && !label.contains('-') && !label.starts_with(|c: char| c.is_ascii_digit());
    (fits && text.matches(',').count() == 2 && words.next()? == "inlined_at").then_some(())?;
    let inlined = location(&mut words)?;
    let inlined_numbers = text.rsplit(',').next()?;
    (words.next().is_none() && inlined_numbers.contains("inlined_at")).then_some((own, Some(inlined)))
}
