//! The diagnostics of a module as shared lists: a keystroke copies none of the items that it does not touch.
//!
//! The check of an item caches its diagnostics, with ranges that count from the start of the item. A report refers to these lists
//! and adds the offset of each item. Ranges and the places of declarations are computed when a diagnostic is read, so the cost of a
//! report depends on the number of items and on how many diagnostics are read, not on how many there are.

use super::module_header::PlacedHeader;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::header::is_about_header;
use crate::locations::{self, EarlierLocations};
use crate::recovery;
use crate::recovery::Pruning;
use ptx_sema::hir::module::{ModuleItem, items};
use ptx_sema::target::Environment;
use ptx_syntax::Snapshot;
use std::ops::Range;
use std::sync::Arc;

/// The cached diagnostics of an item, in text order. Ranges count from the start of the item.
#[derive(Debug, Clone, Default)]
pub(super) struct ItemDiagnostics {
    found: Arc<Vec<Diagnostic>>,
    /// See [`codes_of`].
    codes: u128,
    /// Whether one of them depends on the locations in earlier items ([`EarlierLocations`]).
    unsettled: bool,
    /// Whether one of them says that an opening bracket is missing, which hides diagnostics of other items.
    lacks_bracket: bool,
}

impl ItemDiagnostics {
    pub(super) fn new(mut found: Vec<Diagnostic>) -> Self {
        found.sort_by_key(key);
        let codes = codes_of(found.iter().map(Diagnostic::code));
        let unsettled = found.iter().any(locations::is_unsettled);
        let lacks_bracket = found.iter().any(recovery::lacks_bracket);
        Self { found: Arc::new(found), codes, unsettled, lacks_bracket }
    }

    /// The diagnostics with ranges in the file, for an item that starts at `base`. Nothing is copied if this is the only owner.
    pub(super) fn into_placed(self, base: usize) -> impl Iterator<Item = Diagnostic> {
        Arc::unwrap_or_clone(self.found).into_iter().map(move |d| d.shifted(base))
    }
}

fn key(diagnostic: &Diagnostic) -> (usize, usize) {
    (diagnostic.range.start, diagnostic.range.end)
}

/// The result of the check of a module.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The diagnostics, in text order.
    pub diagnostics: Vec<Diagnostic>,
    /// Version, target and address size of the module.
    pub environment: Environment,
}

impl Report {
    /// Adapts the report for an editor: an empty text, or one with comments only, gets no diagnostic for a missing header,
    /// although the assembler refuses such a file.
    #[must_use]
    pub fn in_editor(mut self, snapshot: &Snapshot) -> Self {
        if self.diagnostics.iter().any(is_about_header) && items(snapshot).is_empty() {
            self.diagnostics.retain(|d| !is_about_header(d));
        }
        self
    }
}

/// The result of the check of a module, with diagnostics that are shared with the analyzer. See [`Report`].
#[derive(Debug, Clone, Default)]
pub struct SharedReport {
    /// The diagnostics, in text order.
    pub diagnostics: DiagnosticList,
    /// Version, target and address size of the module.
    pub environment: Environment,
}

impl SharedReport {
    /// See [`Report::in_editor`].
    #[must_use]
    pub fn in_editor(mut self, snapshot: &Snapshot) -> Self {
        // The check of the header reports these, in the first sequence.
        let Some(first) = self.diagnostics.sequences.first_mut() else { return self };
        if first.iter().any(|segment| segment.of.found.iter().any(is_about_header)) && items(snapshot).is_empty() {
            for segment in &mut *first {
                Arc::make_mut(&mut segment.of.found).retain(|d| !is_about_header(d));
            }
            first.retain(|segment| !segment.of.found.is_empty());
        }
        self
    }

    /// The same report with diagnostics of its own.
    pub(crate) fn into_report(self) -> Report {
        Report { diagnostics: self.diagnostics.into_vec(), environment: self.environment }
    }
}

/// Diagnostics in text order. To clone the list costs no copy of a diagnostic.
#[derive(Debug, Clone, Default)]
pub struct DiagnosticList {
    /// Each sequence is in text order. The iterator merges them; of diagnostics with the same range, those of the first sequence
    /// come first.
    sequences: Vec<Vec<Segment>>,
    /// The number of sequences in which the iterator skips repeated diagnostics.
    distinct: usize,
    /// The names of the module, for [`crate::Related::declares`].
    header: PlacedHeader,
}

/// Successive diagnostics of a list, at least one.
#[derive(Debug, Clone)]
struct Segment {
    /// The byte offset from which their ranges count.
    base: usize,
    of: ItemDiagnostics,
}

/// A set of codes. It may seem to have a code that it does not have.
fn codes_of(codes: impl Iterator<Item = Code>) -> u128 {
    codes.fold(0, |all, code| all | 1 << (code as u32 % u128::BITS))
}

impl Segment {
    fn first(&self) -> Option<(usize, usize)> {
        self.of.found.first().map(|d| self.key(d))
    }

    fn last(&self) -> Option<(usize, usize)> {
        self.of.found.last().map(|d| self.key(d))
    }

    fn key(&self, diagnostic: &Diagnostic) -> (usize, usize) {
        (diagnostic.range.start + self.base, diagnostic.range.end + self.base)
    }
}

impl From<Vec<Diagnostic>> for DiagnosticList {
    /// A list of diagnostics with ranges in the file.
    fn from(found: Vec<Diagnostic>) -> Self {
        Self { sequences: vec![sequence(found)], ..Self::default() }
    }
}

fn sequence(found: Vec<Diagnostic>) -> Vec<Segment> {
    if found.is_empty() {
        return Vec::new();
    }
    vec![Segment { base: 0, of: ItemDiagnostics::new(found) }]
}

impl DiagnosticList {
    /// Adds the diagnostics of another list. Of diagnostics with the same range, those of this list come first.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.sequences.extend(other.sequences.into_iter().filter(|s| !s.is_empty()));
        self
    }

    /// Whether there is no diagnostic.
    pub fn is_empty(&self) -> bool {
        self.sequences.iter().all(Vec::is_empty)
    }

    /// The diagnostics, in text order.
    pub fn iter(&self) -> impl Iterator<Item = PlacedDiagnostic<'_>> {
        let heads = self.sequences.iter().map(|segments| Head::new(segments)).collect();
        Merged { list: self, heads, last: None }
    }

    /// The diagnostics with one of these codes, in text order.
    pub fn of_codes(&self, codes: &[Code]) -> Vec<PlacedDiagnostic<'_>> {
        let wanted = codes_of(codes.iter().copied());
        let segments = self.sequences.iter().flatten().filter(|segment| segment.of.codes & wanted != 0);
        let all = segments.flat_map(|segment| {
            let place = |diagnostic| PlacedDiagnostic { list: self, base: segment.base, diagnostic };
            segment.of.found.iter().filter(|d| codes.contains(&d.code())).map(place)
        });
        let mut out: Vec<_> = all.collect();
        out.sort_by_key(|d| (d.range().start, d.range().end));
        out
    }

    /// Copies all diagnostics.
    pub fn to_vec(&self) -> Vec<Diagnostic> {
        self.iter().map(|d| d.to_diagnostic()).collect()
    }

    /// Turns the list into a vector of its own. Copies only diagnostics that another list refers to as well.
    pub(super) fn into_vec(self) -> Vec<Diagnostic> {
        let Self { sequences, header, .. } = self;
        let mut out: Vec<Diagnostic> = sequences.into_iter().flatten().flat_map(|s| s.of.into_placed(s.base)).collect();
        for diagnostic in out.iter_mut().filter(|d| !d.related.is_empty()) {
            diagnostic.resolve(|name| header.place(name));
        }
        out.sort_by_key(key);
        out.dedup();
        out
    }
}

/// A diagnostic of a [`DiagnosticList`].
#[derive(Debug, Clone, Copy)]
pub struct PlacedDiagnostic<'a> {
    list: &'a DiagnosticList,
    base: usize,
    diagnostic: &'a Diagnostic,
}

impl PlacedDiagnostic<'_> {
    /// The byte range of the token at fault.
    pub fn range(&self) -> Range<usize> {
        let range = &self.diagnostic.range;
        range.start + self.base..range.end + self.base
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.diagnostic.code()
    }

    /// The severity.
    pub fn severity(&self) -> Severity {
        self.diagnostic.severity
    }

    /// Copies the diagnostic, with its ranges in the file.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut out = self.diagnostic.clone().shifted(self.base);
        out.resolve(|name| self.list.header.place(name));
        out
    }

    fn is_same(&self, other: &Self) -> bool {
        self.range() == other.range()
            && match self.base == other.base {
                true => self.diagnostic == other.diagnostic,
                false => self.to_diagnostic() == other.to_diagnostic(),
            }
    }
}

/// The position in a sequence.
struct Head<'a> {
    segments: &'a [Segment],
    /// The index in the first segment.
    next: usize,
    /// Start and end of the next diagnostic; `None` at the end.
    key: Option<(usize, usize)>,
}

impl<'a> Head<'a> {
    fn new(segments: &'a [Segment]) -> Self {
        Self { segments, next: 0, key: segments.first().and_then(Segment::first) }
    }

    fn take(&mut self) -> Option<(usize, &'a Diagnostic)> {
        let segment = self.segments.first()?;
        let diagnostic = segment.of.found.get(self.next)?;
        self.next += 1;
        if self.next == segment.of.found.len() {
            *self = Self::new(self.segments.get(1..).unwrap_or_default());
        } else {
            self.key = segment.of.found.get(self.next).map(|d| segment.key(d));
        }
        Some((segment.base, diagnostic))
    }
}

struct Merged<'a> {
    list: &'a DiagnosticList,
    heads: Vec<Head<'a>>,
    /// The last diagnostic of a distinct sequence.
    last: Option<PlacedDiagnostic<'a>>,
}

impl<'a> Iterator for Merged<'a> {
    type Item = PlacedDiagnostic<'a>;

    fn next(&mut self) -> Option<PlacedDiagnostic<'a>> {
        loop {
            let heads = self.heads.iter_mut().enumerate();
            let (index, head) = heads.filter(|(_, head)| head.key.is_some()).min_by_key(|(_, head)| head.key)?;
            let (base, diagnostic) = head.take()?;
            let found = PlacedDiagnostic { list: self.list, base, diagnostic };
            if index < self.list.distinct {
                if self.last.is_some_and(|last| last.is_same(&found)) {
                    continue;
                }
                self.last = Some(found);
            }
            return Some(found);
        }
    }
}

/// Makes the list of the diagnostics of a module.
#[derive(Default)]
pub(super) struct ListBuilder {
    items: Vec<Segment>,
    /// Where the last diagnostic of the items starts and ends.
    last: Option<(usize, usize)>,
    /// Whether a diagnostic of an item stands before one of an earlier item.
    disordered: bool,
    /// See [`ItemDiagnostics::lacks_bracket`].
    lacks_bracket: bool,
    earlier: EarlierLocations,
}

impl ListBuilder {
    /// Adds the diagnostics of an item. `before` are the items before it.
    pub(super) fn item(&mut self, snapshot: &Snapshot, before: &[ModuleItem<'_>], base: usize, of: ItemDiagnostics) {
        self.lacks_bracket |= of.lacks_bracket;
        if !of.unsettled {
            return self.segment(base, of);
        }
        let mut found = of.into_placed(base).collect();
        self.earlier.settle(snapshot, before, &mut found, 0);
        self.segment(0, ItemDiagnostics::new(found));
    }

    /// Adds diagnostics whose ranges count from `base`.
    pub(super) fn lints(&mut self, base: usize, of: &ItemDiagnostics) {
        self.segment(base, of.clone());
    }

    fn segment(&mut self, base: usize, of: ItemDiagnostics) {
        let segment = Segment { base, of };
        let Some(first) = segment.first() else { return };
        self.disordered |= self.last.is_some_and(|last| first < last);
        self.last = segment.last();
        self.items.push(segment);
    }

    fn items(self) -> Vec<Segment> {
        match self.disordered {
            true => sequence(self.items.into_iter().flat_map(|s| s.of.into_placed(s.base)).collect()),
            false => self.items,
        }
    }

    /// The list of what was added.
    pub(super) fn finish(self) -> DiagnosticList {
        DiagnosticList { sequences: vec![self.items()], ..DiagnosticList::default() }
    }

    /// The list of a module: besides the diagnostics of its items those of its header and those about several items.
    pub(super) fn finish_module(
        self,
        snapshot: &Snapshot,
        items: &[ModuleItem<'_>],
        header: Vec<Diagnostic>,
        about_several: Vec<Diagnostic>,
        names: PlacedHeader,
    ) -> DiagnosticList {
        let lacks_bracket = self.lacks_bracket || header.iter().any(recovery::lacks_bracket);
        let sequences = vec![sequence(header), self.items(), sequence(about_several)];
        let out = DiagnosticList { distinct: sequences.len(), sequences, header: names };
        let is_bracket = |d: &PlacedDiagnostic<'_>| recovery::lacks_bracket(d.diagnostic);
        let brackets: Vec<usize> = match lacks_bracket {
            true => out.iter().filter(is_bracket).map(|d| d.range().start).collect(),
            false => Vec::new(),
        };
        let pruning = Pruning::new(snapshot, items, brackets.into_iter());
        if pruning.is_empty() {
            return out;
        }
        let mut found = out.into_vec();
        pruning.apply(&mut found);
        found.sort_by_key(key);
        found.dedup();
        found.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Analyzer;
    use ptx_syntax::Document;

    fn text(functions: usize) -> String {
        let function =
            |i: usize| format!(".func f{i}()\n{{\n    add.u32 %r1, nothing, late;\n    mov.bogus %r{i}, f0;\n}}\n");
        let functions: String = (0..functions).map(function).collect();
        format!(".version 8.0\n.target sm_80\n.address_size 64\n{functions}.global .u32 late;\n")
    }

    /// The lists of the items, as addresses.
    fn lists(list: &DiagnosticList) -> Vec<*const Vec<Diagnostic>> {
        list.sequences.iter().flatten().map(|segment| Arc::as_ptr(&segment.of.found)).collect()
    }

    #[test]
    fn a_keystroke_copies_no_diagnostic_of_other_functions() {
        let mut document = Document::new(&text(9));
        let mut analyzer = Analyzer::default();
        let before = analyzer.check_until(&document.snapshot(), &|| false).expect("not stopped").diagnostics;
        let at = document.rope().to_string().find("nothing").expect("the name");
        document.edit(at..at, "x");
        let after = analyzer.check_until(&document.snapshot(), &|| false).expect("not stopped").diagnostics;
        let (one, two) = (lists(&before), lists(&after));
        assert_eq!((one.len(), two.len()), (9, 9));
        assert_eq!(one.iter().filter(|list| two.contains(list)).count(), 8);
        // What is read has its place in the text.
        assert_eq!(after.to_vec(), Analyzer::default().analyze(&document.snapshot()).diagnostics);
        let codes: Vec<Code> = after.of_codes(&[Code::UndeclaredName]).iter().map(PlacedDiagnostic::code).collect();
        assert_eq!(codes.len(), after.iter().filter(|d| d.code() == Code::UndeclaredName).count());
        assert!(codes.len() >= 18 && after.of_codes(&[Code::SyntaxError]).is_empty(), "{codes:?}");
    }

    #[test]
    fn lists_are_merged_in_text_order() {
        let at = |start: usize, width: usize| {
            crate::rules::syntax_error::outside_of_function(start..start + width, "a label")
        };
        let one = DiagnosticList::from(vec![at(7, 1), at(3, 2), at(3, 1)]);
        let two = DiagnosticList::from(vec![at(3, 1).severity(Severity::Hint), at(5, 1)]);
        let all = one.with(DiagnosticList::default()).with(two);
        let found: Vec<_> = all.iter().map(|d| (d.range(), d.severity())).collect();
        let (e, h) = (Severity::Error, Severity::Hint);
        assert_eq!(found, [(3..4, e), (3..4, h), (3..5, e), (5..6, e), (7..8, e)]);
        assert!(!all.is_empty() && DiagnosticList::default().is_empty() && DiagnosticList::from(vec![]).is_empty());
    }
}
