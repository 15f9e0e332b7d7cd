//! Withholds the diagnostics of a statement while the user types in it: what is half written is wrong for a moment.

use crate::group_at;
use ptx_analysis::Diagnostic;
use ptx_embed::Placed;
use ptx_ide::holding::PAUSE;
use std::ops::Range;
use std::time::Duration;

/// An edit that inserts or removes more bytes than this is not typing.
const MAX_TYPED: usize = 64;

/// The state of the policy for one document.
#[derive(Debug, Default)]
pub struct HostHolding {
    /// The end of the last edit, if it was typing.
    typed: Option<usize>,
    /// The statement in which the user types, and the diagnostics in it that the client shows.
    shown: Option<(usize, Vec<Diagnostic>)>,
    /// The diagnostics of the last publication, without those that were held back.
    last: Vec<Diagnostic>,
}

impl HostHolding {
    /// Ends the typing: the document was opened, replaced or saved. No diagnostic waits until the next edit.
    pub fn stop(&mut self) {
        self.typed = None;
        self.shown = None;
    }

    /// Records an edit.
    pub fn edit(&mut self, range: &Range<usize>, new: &str) {
        let is_typing = range.len() <= MAX_TYPED && new.len() <= MAX_TYPED;
        self.typed = is_typing.then_some(range.start + new.len());
        // The places of diagnostics behind the edit move with it.
        let moved = |at: usize| if at >= range.end { at - range.len() + new.len() } else { at };
        for diagnostic in &mut self.last {
            diagnostic.range = moved(diagnostic.range.start)..moved(diagnostic.range.end);
        }
    }

    /// Whether each diagnostic is held back, and the time since the last edit at which the next of them is due.
    pub fn split(&mut self, groups: &[Placed], found: &[Diagnostic], quiet: Duration) -> (Vec<bool>, Option<Duration>) {
        let none = (vec![false; found.len()], None);
        let Some((start, span)) = self.typed.and_then(|at| statement_at(groups, at)) else {
            self.shown = None;
            return none;
        };
        let inside = |d: &Diagnostic| span.start <= d.range.start && d.range.start < span.end;
        // What the client showed when the typing began may stay.
        if self.shown.as_ref().is_none_or(|(shown, _)| *shown != start) {
            self.shown = Some((start, self.last.iter().filter(|d| inside(d)).cloned().collect()));
        }
        if quiet >= PAUSE {
            return none;
        }
        let shown = self.shown.as_ref().map_or(&[][..], |(_, shown)| shown);
        let held: Vec<bool> =
            found.iter().map(|d| inside(d) && !shown.iter().any(|s| s.finding.is_same(&d.finding))).collect();
        let due = held.contains(&true).then_some(PAUSE);
        (held, due)
    }

    /// Records what was published.
    pub fn published(&mut self, found: &[Diagnostic], held: &[bool]) {
        self.last = found.iter().zip(held).filter(|(_, held)| !**held).map(|(d, _)| d.clone()).collect();
    }
}

/// The start of the group at a byte offset, and the bytes of its statement there.
fn statement_at(groups: &[Placed], offset: usize) -> Option<(usize, Range<usize>)> {
    let (group, statement) = group_at(groups, offset)?;
    let placed = groups.get(group)?;
    let span = placed.group.statements.get(statement)?.span.clone();
    Some((placed.start + span.start, placed.start + span.start..placed.start + span.end))
}
