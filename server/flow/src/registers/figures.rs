//! The latest register reports of the functions of a module, with positions that follow the edits of the text.
//!
//! Flow lints run when the document is idle, and skip functions with an error. Until they run, and as long as there is an
//! error, the previous report is the best available: edits move its position. A report is looked up by the position of the
//! function, or by its name if the position is lost.

use super::report::{MeasuredRegisters, RegisterReport, report};
use crate::registers::facts::ModuleFacts;
use ptx_isa::tables::TargetInfo;
use ptx_sema::hir::module::{ModuleItem, is_function, items};
use ptx_syntax::{Node, Snapshot, SourceEdit, fields, kinds};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The maximum number of edits of one function; after more, the position of the function is lost.
const MAX_EDITS: usize = 256;

/// The latest register report of a function.
#[derive(Debug, Clone)]
pub struct Figure {
    name: Arc<str>,
    /// The report; `None` if no pass could analyse the function yet.
    kernel: Option<Arc<RegisterReport>>,
    /// The byte range of the function in the current text; `None` if it is lost.
    place: Option<Range<usize>>,
    /// The edits inside the function since its text was analysed; offsets count from its start.
    edits: Vec<SourceEdit>,
    /// Whether the last pass could not analyse the function, so that the report is from an earlier one.
    stale: bool,
}

impl Figure {
    /// The name of the function in the last pass.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The report, if there is one.
    pub fn kernel(&self) -> Option<&Arc<RegisterReport>> {
        self.kernel.as_ref()
    }

    /// Whether the last pass could not analyse the function because of an error, so that the report is from an earlier one.
    pub fn stale(&self) -> bool {
        self.stale
    }

    /// Whether the function still has exactly the analysed text.
    pub fn exact(&self) -> bool {
        !self.stale && self.edits.is_empty() && self.place.is_some()
    }

    /// The byte range of the function in the current text; `None` if it is lost.
    pub fn place(&self) -> Option<&Range<usize>> {
        self.place.as_ref()
    }

    /// The byte offset of the function in the current text; `None` if it is lost.
    pub fn start(&self) -> Option<usize> {
        self.place.as_ref().map(|p| p.start)
    }

    /// The byte offset in the current text of the position that was at `offset` from the start of the function; `None` if it
    /// was edited or is lost.
    pub fn follow(&self, offset: usize) -> Option<usize> {
        let start = self.start()?;
        let follow = |at: usize, edit: &SourceEdit| match () {
            () if edit.old_end <= at => Some(at + edit.new_end - edit.old_end),
            () if edit.start > at => Some(at),
            () => None,
        };
        Some(start + self.edits.iter().try_fold(offset, follow)?)
    }

    /// The byte offset of an instruction in the current text.
    pub fn instruction(&self, index: usize) -> Option<usize> {
        self.follow(self.kernel.as_ref()?.facts.start(index)?)
    }

    fn apply(&mut self, edit: &SourceEdit) {
        let Some(place) = &mut self.place else { return };
        if edit.old_end <= place.start {
            place.start = place.start + edit.new_end - edit.old_end;
            place.end = place.end + edit.new_end - edit.old_end;
        } else if edit.start >= place.end {
            // The edit is after the function.
        } else if edit.start >= place.start && edit.old_end <= place.end && self.edits.len() < MAX_EDITS {
            if edit.old_end - edit.start == place.len() {
                // The whole function was deleted or replaced.
                self.place = None;
                return;
            }
            let local = |at: usize| at - place.start;
            self.edits.push(SourceEdit {
                start: local(edit.start),
                old_end: local(edit.old_end),
                new_end: local(edit.new_end),
            });
            place.end = place.end + edit.new_end - edit.old_end;
        } else {
            self.place = None;
        }
    }

    /// Whether both are displayed in the same way.
    fn looks_like(&self, other: &Self) -> bool {
        let same = |a: &RegisterReport, b: &RegisterReport| {
            let shown = |k: &RegisterReport| {
                (k.registers, k.likely.clone(), k.unlimited, k.limit.registers, k.shared, k.dynamic_shared, k.occupancy)
            };
            shown(a) == shown(b)
                && (Arc::ptr_eq(&a.facts, &b.facts)
                    || a.facts.usage().pressure == b.facts.usage().pressure
                        && a.facts.addresses().map(|f| &f.traffic) == b.facts.addresses().map(|f| &f.traffic))
        };
        let count = |f: &Self| f.kernel.as_ref().map_or(0, |k| k.facts.count());
        // A replaced instruction may have the same numbers, but none were shown for it meanwhile.
        let moved =
            || self.edits != other.edits && (0..count(self)).any(|i| self.instruction(i) != other.instruction(i));
        self.name == other.name
            && self.stale == other.stale
            && self.start() == other.start()
            && !moved()
            && match (&self.kernel, &other.kernel) {
                (Some(a), Some(b)) => Arc::ptr_eq(a, b) || same(a, b),
                (None, None) => true,
                _ => false,
            }
    }
}

/// The latest register reports of the functions of a module.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// The reports in text order; those with a lost position come last.
    all: Vec<Figure>,
    by_name: Arc<HashMap<Arc<str>, usize>>,
}

impl Figures {
    /// Returns the reports after a flow-lint pass over a snapshot: its results, and the earlier reports of functions that it
    /// could not analyse.
    pub fn next(&self, snapshot: &Snapshot, facts: &ModuleFacts, target: Option<&'static TargetInfo>) -> Self {
        let mut found = report(snapshot, facts, target).into_iter().peekable();
        let mut all = Vec::new();
        for item in items(snapshot) {
            let Some(name) = name(snapshot, &item) else { continue };
            let figure = match found.next_if(|k| k.start == item.range.start) {
                Some(kernel) => Figure {
                    name,
                    kernel: Some(Arc::new(kernel)),
                    place: Some(item.range),
                    edits: Vec::new(),
                    stale: false,
                },
                None => {
                    let before = self.find(item.range.start, &name);
                    let (kernel, edits) = before.map_or_else(Default::default, |b| (b.kernel.clone(), b.edits.clone()));
                    // The positions of its instructions are known if that of the function is.
                    let place = before.map_or(Some(item.range), |b| b.place.clone());
                    Figure { name, kernel, place, edits, stale: true }
                }
            };
            all.push(figure);
        }
        Self::of_all(all)
    }

    /// Returns the reports after edits of the text. If `edits` is `None`, all positions are lost.
    pub fn moved(&self, edits: Option<&[SourceEdit]>) -> Self {
        let mut all = self.all.clone();
        let mut lost = false;
        for figure in &mut all {
            let placed = figure.place.is_some();
            match edits {
                Some(edits) => edits.iter().for_each(|edit| figure.apply(edit)),
                None => figure.place = None,
            }
            lost |= placed && figure.place.is_none();
        }
        // This runs at each keystroke; reports whose positions are kept stay in order.
        if lost { Self::of_all(all) } else { Self { all, by_name: Arc::clone(&self.by_name) } }
    }

    /// Returns the reports with the assembler's figures in place of estimates, for the functions that the map names.
    pub fn with_measured(&self, measured: &HashMap<String, MeasuredRegisters>) -> Self {
        let mut out = self.clone();
        for figure in &mut out.all {
            if let (Some(kernel), Some(measured)) = (&figure.kernel, measured.get(&*figure.name)) {
                figure.kernel = Some(Arc::new(kernel.with(measured.clone())));
            }
        }
        out
    }

    fn of_all(mut all: Vec<Figure>) -> Self {
        all.sort_by_key(|f| f.start().unwrap_or(usize::MAX));
        let by_name = all.iter().enumerate().rev().map(|(index, f)| (Arc::clone(&f.name), index)).collect();
        Self { all, by_name: Arc::new(by_name) }
    }

    /// All reports, in text order.
    pub fn iter(&self) -> impl Iterator<Item = &Figure> {
        self.all.iter()
    }

    /// The report of a function with a body; `None` if no pass has seen it yet.
    pub fn of(&self, snapshot: &Snapshot, function: Node<'_>) -> Option<&Figure> {
        if function.kind_id() != kinds().function {
            return None;
        }
        let name = function.child_by_field_id(fields().name)?;
        self.find(function.start_byte(), &snapshot.text(name.byte_range()))
    }

    /// The report of the first function with this name.
    pub fn named(&self, name: &str) -> Option<&Figure> {
        self.all.get(*self.by_name.get(name)?)
    }

    fn find(&self, start: usize, name: &str) -> Option<&Figure> {
        let at = self.all.binary_search_by_key(&start, |f| f.start().unwrap_or(usize::MAX)).ok();
        at.and_then(|at| self.all.get(at)).or_else(|| self.named(name))
    }

    /// Whether both are displayed in the same way.
    pub fn looks_like(&self, other: &Self) -> bool {
        self.all.len() == other.all.len() && self.all.iter().zip(&other.all).all(|(a, b)| a.looks_like(b))
    }
}

/// The name of a function with a body.
fn name(snapshot: &Snapshot, item: &ModuleItem<'_>) -> Option<Arc<str>> {
    let f = fields();
    if !is_function(item.node) || item.node.child_by_field_id(f.body).is_none() {
        return None;
    }
    Some(Arc::from(&*snapshot.text(item.node.child_by_field_id(f.name)?.byte_range())))
}
