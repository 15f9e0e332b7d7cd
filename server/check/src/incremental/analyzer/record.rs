//! The cached check of an item.

use super::lints::CachedLints;
use super::list::ItemDiagnostics;
use crate::body::{ChangedRange, EarlierStatements, KnownStatement, NamesAround, Old};
use crate::declarations::initializer;
use crate::functions::AliasNames;
use crate::memo::Statements;
use ptx_sema::hir::hash::{hash_of, mix};
use ptx_sema::hir::module::{Dependencies, Header, ModuleItem, is_function};
use ptx_syntax::{Node, Snapshot, SnapshotId, SourceEdit, fields, kinds};
use std::ops::Range;

/// The cached check of a function (or of a section or initialized variable). Each keystroke moves all records of a module, so they are boxed.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) name: Box<str>,
    pub(super) text: u64,
    pub(super) environment: u64,
    pub(super) dependencies: Dependencies,
    /// The fingerprint of the module's names that it saw when the dependencies last held.
    pub(super) seen: u64,
    /// Whether it is the module's first function with a body.
    pub(super) first: bool,
    /// See [`super::contents::is_followed`].
    pub(super) followed: bool,
    pub(super) found: ItemDiagnostics,
    /// Whether one of the diagnostics is an error.
    pub(super) has_errors: bool,
    /// See [`crate::body::Checked::needs_nodes`].
    pub(super) needs_nodes: bool,
    pub(super) statements: Statements,
    /// The flow lints, if they ran right after the check.
    pub(super) lints: Option<CachedLints>,
    pub(super) aliases: Vec<AliasNames>,
    /// The statements of its outermost block, in order, at the snapshot in `place`.
    pub(super) layout: Vec<KnownStatement>,
    /// The names around these statements.
    pub(super) around: NamesAround,
    pub(super) place: (SnapshotId, Range<usize>),
    /// For how many checks no function has had this text.
    pub(super) unused: u8,
}

/// The record of an item with the index of the item.
pub(super) type IndexedRecord = (usize, Box<Record>);

impl Record {
    /// The record of a check after which no edit follows.
    pub(super) fn without_statements(mut self: Box<Self>) -> Box<Self> {
        (self.layout, self.around) = (Vec::new(), NamesAround::default());
        self
    }

    /// The statements of the item in the previous snapshot and the range that changed since, if both are known.
    pub(super) fn before<'l>(
        &mut self,
        snapshot: &Snapshot,
        last: &'l Snapshot,
        item: &ModuleItem<'_>,
    ) -> Option<EarlierStatements<'l>> {
        let (seen, old) = &self.place;
        let change = snapshot.change_since(*seen).filter(|_| *seen == last.id())?;
        if item.unclosed || self.layout.is_empty() {
            return None;
        }
        let (mut start, mut end, mut changed) = (old.start, old.end, None);
        if let Some(SourceEdit { start: from, old_end, new_end }) = change
            && from <= old.end
        {
            if old_end < old.start {
                (start, end) = (start + new_end - old_end, end + new_end - old_end);
            } else if from > old.start && old_end < old.end {
                end = end + new_end - old_end;
                let shift = |at| at - old.start;
                let function = last.leaf(old.clone())?;
                let block = function.child_by_field_id(fields().body)?;
                let old = Old { block, base: old.start };
                let window = ChangedRange { start: shift(from), old_end: shift(old_end), new_end: shift(new_end) };
                changed = Some((window, old));
            } else {
                return None;
            }
        }
        (item.range == (start..end)).then(|| EarlierStatements {
            known: std::mem::take(&mut self.layout),
            around: std::mem::take(&mut self.around),
            changed,
        })
    }
}

/// A hash of the state on which a function's diagnostics depend besides its text and names: the state on which its statements
/// depend, and the module's files.
pub(super) fn context(environment: u64, header: &Header) -> u64 {
    if header.files.is_empty() { environment } else { mix(environment, hash_of(&header.files)) }
}

/// Whether results for an item are cached: for functions, and for items that may be long (sections, and variables with an
/// initializer).
pub(super) fn is_remembered(node: Node<'_>) -> bool {
    is_function(node)
        || node.kind_id() == kinds().section_directive
        || (node.kind_id() == kinds().variable_declaration && initializer(node).is_some())
}

pub(super) fn name_of(snapshot: &Snapshot, node: Node<'_>) -> String {
    node.child_by_field_id(fields().name).map_or_else(String::new, |n| snapshot.text(n.byte_range()).into_owned())
}
