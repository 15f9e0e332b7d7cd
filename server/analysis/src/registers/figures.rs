//! What was last found out about the functions of a module, kept in place while its text is edited.
//!
//! Flow lints run when the document is idle, and say nothing of a function with an error. Until it comes, and as long as the error
//! is there, what was known before is still the best that is known: an edit moves it, and it is looked up by where a function begins,
//! or by its name where that is lost.

use super::report::{RegisterReport, report};
use crate::hir::module::{ModuleItem, is_function, items};
use crate::registers::facts::ModuleFacts;
use ptx_isa::tables::TargetInfo;
use ptx_syntax::{Node, Snapshot, SourceEdit, fields, kinds};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Edits of one function after which the places of its instructions are no longer tracked.
const MOST_EDITS: usize = 256;

/// What is known of a function.
#[derive(Debug, Clone)]
pub struct Figure {
    name: Arc<str>,
    /// Nothing where the second pass did not understand the function and never has.
    kernel: Option<Arc<RegisterReport>>,
    /// Where the function is in the text as it is now; nothing where that is lost.
    place: Option<Range<usize>>,
    /// The edits inside of it since its text was looked at, from its start.
    edits: Vec<SourceEdit>,
    /// The last pass over the text could say nothing of the function: this is from an earlier one.
    stale: bool,
}

impl Figure {
    /// The name of the function, when it was last looked at.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was found.
    pub fn kernel(&self) -> Option<&Arc<RegisterReport>> {
        self.kernel.as_ref()
    }

    /// The last pass could say nothing of the function, since it has an error: this was found before.
    pub fn stale(&self) -> bool {
        self.stale
    }

    /// The function has the very text that was looked at.
    pub fn exact(&self) -> bool {
        !self.stale && self.edits.is_empty() && self.place.is_some()
    }

    /// Where the function is now, unless that is lost.
    pub fn place(&self) -> Option<&Range<usize>> {
        self.place.as_ref()
    }

    /// Where the function begins now, unless that is lost.
    pub fn start(&self) -> Option<usize> {
        self.place.as_ref().map(|p| p.start)
    }

    /// Where something is now that was at an offset from the start of the function; nothing where it is gone.
    pub fn follow(&self, offset: usize) -> Option<usize> {
        let start = self.start()?;
        let follow = |at: usize, edit: &SourceEdit| match () {
            () if edit.old_end <= at => Some(at + edit.new_end - edit.old_end),
            () if edit.start > at => Some(at),
            () => None,
        };
        Some(start + self.edits.iter().try_fold(offset, follow)?)
    }

    /// Where an instruction begins now.
    pub fn instruction(&self, index: usize) -> Option<usize> {
        self.follow(self.kernel.as_ref()?.facts.start(index)?)
    }

    fn apply(&mut self, edit: &SourceEdit) {
        let Some(place) = &mut self.place else { return };
        if edit.old_end <= place.start {
            place.start = place.start + edit.new_end - edit.old_end;
            place.end = place.end + edit.new_end - edit.old_end;
        } else if edit.start >= place.end {
            // Behind it.
        } else if edit.start >= place.start && edit.old_end <= place.end && self.edits.len() < MOST_EDITS {
            if edit.old_end - edit.start == place.len() {
                // All of it is gone, or is something else.
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
                (k.registers, k.unlimited, k.limit.registers, k.shared, k.dynamic_shared, k.occupancy)
            };
            shown(a) == shown(b)
                && (Arc::ptr_eq(&a.facts, &b.facts) || a.facts.usage().pressure == b.facts.usage().pressure)
        };
        let count = |f: &Self| f.kernel.as_ref().map_or(0, |k| k.facts.count());
        // An instruction that was replaced has the same numbers, perhaps, but nothing was shown of it meanwhile.
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

/// What is known of the functions of a module.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// In the order of the text, those whose place is lost behind the others.
    all: Vec<Figure>,
    by_name: Arc<HashMap<Arc<str>, usize>>,
}

impl Figures {
    /// After the second pass over a snapshot: what it found out, and what was known before of the functions that it could not understand.
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
                    // Where its instructions are is known if it is known where the function is.
                    let place = before.map_or(Some(item.range), |b| b.place.clone());
                    Figure { name, kernel, place, edits, stale: true }
                }
            };
            all.push(figure);
        }
        Self::of_all(all)
    }

    /// The same in a text that was edited; without the edits, places are lost.
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
        // This is done at each keystroke: what is in place stays in order.
        if lost { Self::of_all(all) } else { Self { all, by_name: Arc::clone(&self.by_name) } }
    }

    fn of_all(mut all: Vec<Figure>) -> Self {
        all.sort_by_key(|f| f.start().unwrap_or(usize::MAX));
        let by_name = all.iter().enumerate().rev().map(|(index, f)| (Arc::clone(&f.name), index)).collect();
        Self { all, by_name: Arc::new(by_name) }
    }

    /// All of them, in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Figure> {
        self.all.iter()
    }

    /// What is known of a function with a body; nothing if no pass has met it yet.
    pub fn of(&self, snapshot: &Snapshot, function: Node<'_>) -> Option<&Figure> {
        if function.kind_id() != kinds().function {
            return None;
        }
        let name = function.child_by_field_id(fields().name)?;
        self.find(function.start_byte(), &snapshot.text(name.byte_range()))
    }

    /// The functions of a name; of what the pass was over all must be different.
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
