//! Checks the contents of one item.

use super::lints::{self, CachedLints, LintContext};
use super::list::ItemDiagnostics;
use super::record::{Record, context};
use crate::body::{Body, Checked, EarlierStatements};
use crate::diagnostic::Diagnostic;
use crate::memo::Statements;
use crate::recovery;
use ptx_flow::flow::LoweredBody;
use ptx_sema::forms::mnemonics::MnemonicCache;
use ptx_sema::hir::lower::{self, ItemSource};
use ptx_sema::hir::module::{Header, ModuleItem, is_function};
use ptx_syntax::{Node, PlainStatement, Snapshot, fields, kinds};

/// The inputs that the checks of all items share.
pub(super) struct CheckContext<'a> {
    pub snapshot: &'a Snapshot,
    /// The statements of the snapshot that were read without the parser.
    pub plain: &'a [PlainStatement],
    pub header: &'a Header,
    /// The fingerprint of the header.
    pub environment: u64,
    /// Runs the flow lints of a function directly after its check; `None` if they run later.
    pub lints: Option<LintContext<'a>>,
}

/// An item that has to be checked.
pub(super) struct ItemTask {
    pub index: usize,
    /// The hash of its text.
    pub text: u64,
    pub name: String,
    /// The record of an earlier check, whose statements may be reused.
    pub earlier: Option<Box<Record>>,
    pub statements: Statements,
}

/// Checks an item, and also runs its flow lints if the context has them.
pub(super) fn check_item(
    all: &CheckContext<'_>,
    last: Option<&Snapshot>,
    item: &ModuleItem<'_>,
    mnemonics: &mut MnemonicCache,
    ItemTask { index, text, name, earlier, mut statements }: ItemTask,
) -> Box<Record> {
    let CheckContext { snapshot, header, environment, .. } = *all;
    let mut before = None;
    if let Some(mut earlier) = earlier {
        before = last.and_then(|last| earlier.before(snapshot, last, item));
        statements = earlier.statements;
    }
    let (checked, lints) = check_contents(all, item, index, mnemonics, &mut statements, before);
    let Checked { found, dependencies, statements: layout, around, aliases, needs_nodes, .. } = checked;
    Box::new(Record {
        name: name.into(),
        text,
        environment: context(environment, header),
        dependencies,
        seen: header.names_seen_by(index),
        first: header.first_body == Some(index),
        followed: is_followed(snapshot, item),
        has_errors: has_errors(&found),
        needs_nodes,
        found: ItemDiagnostics::new(found),
        statements,
        lints,
        aliases,
        layout: if item.unclosed { Vec::new() } else { layout },
        around,
        place: (snapshot.id(), item.range.clone()),
        unused: 0,
    })
}

/// Checks the contents of an item, reusing earlier results of its statements. Also returns the flow lints of a function without
/// errors, if the context has them.
pub(super) fn check_contents<'a>(
    all: &CheckContext<'a>,
    item: &ModuleItem<'_>,
    index: usize,
    mnemonics: &mut MnemonicCache,
    statements: &mut Statements,
    before: Option<EarlierStatements<'a>>,
) -> (Checked, Option<CachedLints>) {
    let CheckContext { snapshot, header, environment, .. } = *all;
    let contents = snapshot.text(item.range.clone());
    let source = ItemSource { text: &contents, base: item.range.start };
    let lints = all.lints.as_ref().filter(|_| lints::has_body(item.node));
    let (mut instructions, mut statements_of_body) = (Vec::new(), Vec::new());
    let mut check = |before| {
        let mut body = Body::new(source, header, index, environment, mnemonics, statements, before);
        body = body.without_nodes(all.plain);
        if lints.is_some() {
            body = body.keep_instructions(&mut instructions);
        }
        if is_function(item.node) {
            body.function(item.node, &mut statements_of_body)
        } else if item.node.kind_id() == kinds().section_directive {
            body.section(item.node)
        } else {
            body.variable(item.node)
        }
    };
    // The earlier structure of the function may turn out to be outdated; then the function is checked from scratch, which
    // cannot fail.
    let mut checked = check(before).or_else(|| check(None)).unwrap_or_default();
    recovery::close(source, item, is_followed(snapshot, item), &mut checked.found);
    let lowered = LoweredBody { statements: statements_of_body, instructions, plain: all.plain };
    let sound = !has_errors(&checked.found) && !checked.needs_nodes;
    let found = lints.filter(|_| sound).and_then(|l| (l.run)(l, item, index, mnemonics, &contents, lowered));
    (checked, found)
}

fn has_errors(found: &[Diagnostic]) -> bool {
    found.iter().any(Diagnostic::is_parse_error)
}

/// Whether an item has a syntax error: in its tree, or at its end, which the check of a closed body does not visit.
pub(super) fn is_broken(item: &ModuleItem<'_>) -> bool {
    let open = |node: Node<'_>| node.child_by_field_id(fields().body).is_none() && lower::ends_unclosed(node);
    item.node.has_error() || open(item.node)
}

/// Whether an item with an error is followed by another chunk of the text. A missing brace is then not missing at the end of
/// the file.
pub(super) fn is_followed(snapshot: &Snapshot, item: &ModuleItem<'_>) -> bool {
    item.node.has_error() && snapshot.roots().next_back().is_some_and(|last| item.range.end < last.start_byte())
}
