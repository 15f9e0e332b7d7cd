//! Withholds diagnostics while the user is typing: decides which ones wait, and for how long.
//!
//! A half-typed statement has errors that the next key may remove: a syntax error, names that its declaration does not
//! declare yet, a label that is not written yet. [`Holding`] splits the diagnostics of each version into those to show now
//! and those that wait. It reads no clock: the caller passes the time since the last edit.
//!
//! The caller owns the state and calls [`Holding::edit`] before each edit, [`Holding::settle`] after the last edit of a
//! version, [`Holding::split`] for each publication, and [`Holding::published`] after it.

mod consequences;
mod open_end;
mod statement;

pub use open_end::soften;
use ptx_analysis::{Code, Diagnostic, Severity};
use ptx_syntax::{Rope, Snapshot};
use std::ops::Range;
use std::time::Duration;

/// After a pause of this length all diagnostics are shown. People stop to think within a statement for half a second and more; after two
/// seconds they look for what is missing.
pub const PAUSE: Duration = Duration::from_secs(2);

/// An edit that removes more bytes than this is not typing.
const MAX_REMOVED: usize = 4096;

/// Maximum number of diagnostics that are recorded as shown while the user types a statement.
const MAX_MARKS: usize = 4096;

/// What a diagnostic waits for, at most until [`PAUSE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DelayClass {
    /// Waits for the end of the statement that is being typed.
    Statement,
    /// Something is missing that is written further down, such as a label, the body of a function, or `.target`.
    Missing,
    /// A brace or a comment is not closed. The position of this diagnostic moves with the typed text.
    Unclosed,
    /// A lint about control flow.
    Flow,
}

fn class(diagnostic: &Diagnostic) -> DelayClass {
    if diagnostic.code().is_lint() {
        DelayClass::Flow
    } else if diagnostic.code() == Code::UndefinedFunction
        || diagnostic.is_undeclared_label()
        || diagnostic.is_missing_header()
    {
        DelayClass::Missing
    } else if diagnostic.is_unclosed() {
        DelayClass::Unclosed
    } else {
        DelayClass::Statement
    }
}

/// The start offset and the code of a diagnostic that was shown.
type Mark = (usize, Code);

/// The state of the policy for one document.
#[derive(Debug, Default)]
pub struct Holding {
    /// The statement that is being typed; `None` if the last edit was not typing.
    statement: Option<EditedStatement>,
    /// The edits since the last call of [`Holding::settle`].
    batch: EditBatch,
    /// Diagnostics shown since the user began this statement, without lints. Sorted by offset.
    shown: Vec<Mark>,
    /// Lints of the last complete publication, and those shown since. Sorted by offset.
    shown_lints: Vec<Mark>,
    /// Diagnostics that the last publication withheld until the end of the statement. Sorted by offset.
    waiting: Vec<Mark>,
    /// Whether an unclosed brace or comment was reported.
    shown_unclosed: bool,
    /// The last publication left out the diagnostics after this one. They count as shown, although the client has not received
    /// them: they are not new when a place becomes free.
    left_out_after: Option<LastShown>,
    /// There was a publication since the last [`Holding::stop`], so `shown` is valid.
    published: bool,
}

/// The last of the diagnostics of a publication that left others out: less severe ones, and those further down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LastShown {
    /// Its severity.
    pub severity: Severity,
    /// The byte offset of its start.
    pub start: usize,
}

/// The codes of diagnostics of which others may be mere consequences.
pub const BREAKING: [Code; 2] = [Code::SyntaxError, Code::UnknownDirective];

#[derive(Debug)]
struct EditedStatement {
    /// Byte range of the statement.
    range: Range<usize>,
    /// Offset of the last edit.
    at: usize,
    /// The last edit ended the statement.
    finished: bool,
    /// Text was removed and nothing typed since. Perhaps it was the whole statement, to be typed again next to the
    /// statement that is here now.
    removed: bool,
}

#[derive(Debug, Default)]
struct EditBatch {
    /// End of the last edit that changed more than blanks, in the text after it.
    at: Option<usize>,
    /// That edit only removed text.
    removal: bool,
    /// That edit inserted a line break and blanks.
    blanks: bool,
    /// There was an edit that is not typing: many lines, or several places.
    foreign: bool,
    /// There was an edit, perhaps of blanks only.
    any: bool,
}

/// The diagnostics of one version, split into those to show and those that wait.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Split {
    /// Whether each diagnostic is withheld.
    pub held: Vec<bool>,
    /// The time since the last edit at which the next of them is due; `None` if time changes nothing.
    pub due: Option<Duration>,
    /// The statement that is being typed is not finished.
    open: bool,
}

impl Split {
    /// A split that shows all diagnostics.
    pub fn everything(diagnostics: usize) -> Self {
        Self { held: vec![false; diagnostics], ..Self::default() }
    }
}

impl Holding {
    /// Ends the typing: the document was opened, replaced or saved. No diagnostic waits until the next edit.
    pub fn stop(&mut self) {
        self.statement = None;
        self.batch = EditBatch::default();
        self.waiting.clear();
        self.published = false;
    }

    /// Records an edit. `before` is the text without it.
    pub fn edit(&mut self, before: &Rope, range: &Range<usize>, new: &str) {
        let batch = &mut self.batch;
        batch.any = true;
        let removed = (range.len() <= MAX_REMOVED).then(|| before.byte_slice(range.clone()));
        let blank = |c: char| c.is_whitespace();
        let removed_blanks = removed.is_some_and(|r| r.chars().all(blank));
        let blanks = new.chars().all(blank);
        let lines = new.matches('\n').count();
        // The number of removed line breaks; removing a whole line counts as one.
        let removed_lines = removed.map_or(usize::MAX, |r| r.len_lines() - 1);
        // A formatter and automatic indentation change blanks in any number of lines.
        batch.foreign |= !((blanks || lines <= 1) && (removed_blanks || removed_lines <= 1));
        let end = range.start + new.len();
        // A line break is more than a blank: the user continues on another line.
        if !(blanks && removed_blanks) || (range.is_empty() && lines > 0) {
            let line = |offset: usize| before.byte_to_line(offset.min(before.len_bytes()));
            batch.foreign |= batch.at.is_some_and(|at| line(at).abs_diff(line(range.start)) > 1);
            batch.at = Some(end);
            batch.removal = new.is_empty();
            batch.blanks = blanks && !new.is_empty();
        } else if let Some(at) = &mut batch.at {
            *at = moved(*at, range, end);
        }
        for (place, _) in self.shown.iter_mut().chain(&mut self.shown_lints).chain(&mut self.waiting) {
            *place = moved(*place, range, end);
        }
        if let Some(last) = &mut self.left_out_after {
            last.start = moved(last.start, range, end);
        }
        if let Some(statement) = &mut self.statement {
            let (start, last) = (&mut statement.range.start, statement.range.end);
            // Text that is typed at the start of a statement belongs to it.
            *start = if range.start <= *start && *start < range.end { range.start } else { kept(*start, range, end) };
            statement.at = kept(statement.at, range, end);
            statement.range.end = moved(last, range, end).max(*start);
        }
    }

    /// Ends the edits of a version. `after` is the text after them.
    pub fn settle(&mut self, after: &Rope) {
        let batch = std::mem::take(&mut self.batch);
        if batch.foreign || !self.published {
            return self.stop();
        }
        let Some(at) = batch.at.map(|at| at.min(after.len_bytes())) else { return };
        let range = statement::around(after, at);
        let is_same = self.statement.as_ref().is_some_and(|s| {
            let start = s.range.start.min(after.len_bytes());
            let edited = s.at.min(after.len_bytes());
            let between = if edited < range.start { edited..range.start } else { range.end.min(edited)..edited };
            let beside = || s.removed && is_blank(after, between);
            (range.start <= start && start <= range.end) || beside()
        });
        if !is_same {
            // Diagnostics that waited for the end of the other statement wait no longer.
            merge(&mut self.shown, std::mem::take(&mut self.waiting));
        }
        let removed = batch.removal || (batch.blanks && is_same && self.statement.as_ref().is_some_and(|s| s.removed));
        let finished = !removed && statement::ends_before(after, at);
        self.statement = Some(EditedStatement { range, at, finished, removed });
    }

    /// Splits diagnostics of the current text, which are sorted by offset. `quiet` is the time since the last edit.
    pub fn split(&self, snapshot: &Snapshot, found: &[Diagnostic], quiet: Duration) -> Split {
        let broken = found.iter().filter(|d| BREAKING.contains(&d.code()));
        self.split_part(snapshot, found, &mut broken.map(|d| d.range.start), quiet)
    }

    /// Like [`Self::split`], for a part of the diagnostics. `broken` are the offsets of all diagnostics with a code of [`BREAKING`].
    pub fn split_part(
        &self,
        snapshot: &Snapshot,
        found: &[Diagnostic],
        broken: &mut dyn Iterator<Item = usize>,
        quiet: Duration,
    ) -> Split {
        let mut out = Split::everything(found.len());
        consequences::of_broken_declarations(snapshot, found, broken, &mut out.held);
        let Some(statement) = self.statement.as_ref().filter(|_| quiet < PAUSE) else { return out };
        out.open = !statement.finished;
        for (diagnostic, held) in found.iter().zip(&mut out.held).filter(|(_, held)| !**held) {
            *held = self.waits(statement, diagnostic);
            out.due = out.due.or(held.then_some(PAUSE));
        }
        out
    }

    /// Whether a diagnostic may not be shown before [`PAUSE`].
    fn waits(&self, statement: &EditedStatement, diagnostic: &Diagnostic) -> bool {
        let place = LastShown { severity: diagnostic.severity, start: diagnostic.range.start };
        if self.left_out_after.is_some_and(|last| place > last) {
            return false;
        }
        let within = diagnostic.range.start <= statement.range.end && statement.range.start <= diagnostic.range.end;
        match class(diagnostic) {
            DelayClass::Flow => within || !is_in(&self.shown_lints, diagnostic),
            DelayClass::Missing => !is_in(&self.shown, diagnostic),
            DelayClass::Unclosed => !self.shown_unclosed,
            DelayClass::Statement => !statement.finished && !self.was_shown(statement, within, diagnostic),
        }
    }

    fn was_shown(&self, statement: &EditedStatement, within: bool, diagnostic: &Diagnostic) -> bool {
        // Offsets within the statement shift with each key, so only the codes are compared.
        let of_statement = || {
            let first = self.shown.partition_point(|(place, _)| *place < statement.range.start);
            let marks = self.shown[first..].iter().take_while(|(place, _)| *place <= statement.range.end);
            marks.into_iter().any(|(_, code)| *code == diagnostic.code())
        };
        is_in(&self.shown, diagnostic) || (within && of_statement())
    }

    /// Records a publication. `complete`: the flow lints are those of the current text.
    pub fn published(&mut self, found: &[Diagnostic], split: &Split, complete: bool) {
        let mark = |d: &Diagnostic| (d.range.start, d.code());
        let (mut published, mut lints, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
        let mut unclosed = false;
        for (diagnostic, held) in found.iter().zip(&split.held) {
            match (class(diagnostic), held) {
                (DelayClass::Flow, false) => lints.push(mark(diagnostic)),
                (DelayClass::Unclosed, false) => unclosed = true,
                (_, false) => published.push(mark(diagnostic)),
                (DelayClass::Statement, true) => waiting.push(mark(diagnostic)),
                (_, true) => {}
            }
        }
        self.shown_unclosed = unclosed;
        if complete {
            self.shown_lints.clear();
        }
        merge(&mut self.shown_lints, lints);
        // A diagnostic that a half-typed statement hides for a moment is not new when it comes back.
        if !split.open {
            self.shown.clear();
        }
        merge(&mut self.shown, published);
        self.waiting = waiting;
        self.left_out_after = None;
        self.published = true;
    }

    /// Records that the publication contained only a part of the diagnostics. Call it after [`Self::published`].
    pub fn left_out_after(&mut self, last: Option<LastShown>) {
        self.left_out_after = last;
    }
}

/// The offset after an edit of `range` that ends at `end`. An offset after the edit or within it moves.
fn moved(place: usize, range: &Range<usize>, end: usize) -> usize {
    match place {
        place if place >= range.end => place - range.end + end,
        place if place > range.start => range.start,
        place => place,
    }
}

/// Like [`moved`], but text inserted at the offset does not move it.
fn kept(place: usize, range: &Range<usize>, end: usize) -> usize {
    if place == range.start { place } else { moved(place, range, end) }
}

fn is_blank(rope: &Rope, range: Range<usize>) -> bool {
    range.len() <= MAX_REMOVED && rope.byte_slice(range).chars().all(char::is_whitespace)
}

fn is_in(marks: &[Mark], diagnostic: &Diagnostic) -> bool {
    let place = diagnostic.range.start;
    let first = marks.partition_point(|(at, _)| *at < place);
    marks[first..].iter().take_while(|(at, _)| *at == place).any(|(_, code)| *code == diagnostic.code())
}

/// Adds marks to a list, each once.
fn merge(into: &mut Vec<Mark>, new: Vec<Mark>) {
    if into.len() + new.len() > MAX_MARKS {
        into.clear();
    }
    into.extend(new);
    into.sort_unstable();
    into.dedup();
}

#[cfg(test)]
mod tests;
