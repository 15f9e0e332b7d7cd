//! An open document: its text as of the last message, and what its worker made of it.
//!
//! The text is changed by the handlers of notifications, at once and in the order of the wire. Each change gives the document
//! a new *revision*, and the worker brings tree and diagnostics up to the newest one. A reader that needs a tree notes the revision
//! first, and then waits until the worker has published that one or a later one.

use super::evaluation::EvaluationSlot;
use super::handlers::semantic_tokens::SentTokens;
use super::moved::Edits;
use super::position::ColumnEncoding;
use super::shared::lock;
use ptx_analysis::registers::Figures;
use ptx_analysis::{ModuleFacts, Report};
use ptx_syntax::{Rope, Snapshot};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tower_lsp_server::ls_types::{self, TextDocumentContentChangeEvent, Uri};

/// A change of a document; ranges are in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentChange {
    /// A range is replaced.
    Edit(Range<usize>, String),
    /// All is new; the text is that of the rope.
    Replace,
}

/// A text with its syntax tree.
#[derive(Debug)]
pub struct ParsedText {
    /// Of this revision.
    pub revision: u64,
    /// Nothing for a text that is not PTX.
    pub snapshot: Option<Snapshot>,
    /// What the last second pass found out about its functions, in place in this text.
    pub figures: Arc<Figures>,
    /// That pass was over this very text.
    pub complete: bool,
}

impl ParsedText {
    /// Nothing is known of a revision, and nothing will be.
    pub fn nothing(revision: u64) -> Self {
        Self { revision, snapshot: None, figures: Arc::default(), complete: true }
    }
}

/// A text with its diagnostics.
#[derive(Debug)]
pub struct CheckedText {
    /// Of this revision.
    pub revision: u64,
    /// How many publications of the same revision came before.
    pub stage: u32,
    /// The client's number for it.
    pub version: i32,
    /// The text and its tree; nothing for what is not PTX.
    pub snapshot: Option<Snapshot>,
    /// What was found and is reported.
    pub report: Report,
    /// The same, one for one, as the client gets it.
    pub diagnostics: Vec<ls_types::Diagnostic>,
    /// Which of them wait: they are not published yet.
    pub held: Vec<bool>,
    /// The errors, at any configured level; `None` where no check has run.
    pub errors: Option<Vec<ptx_analysis::Diagnostic>>,
    /// How long it took.
    pub timings: Timings,
}

/// How long the parts of the last check took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timings {
    /// Applying the edits and parsing.
    pub parse: Duration,
    /// Checking.
    pub check: Duration,
    /// The second pass, where there was one.
    pub lints: Duration,
    /// Making diagnostics of the protocol.
    pub convert: Duration,
}

impl CheckedText {
    /// Nothing to say about a revision.
    pub fn nothing(revision: u64, version: i32, timings: Timings) -> Self {
        Self {
            revision,
            stage: 0,
            version,
            snapshot: None,
            report: Report::default(),
            diagnostics: Vec::new(),
            held: Vec::new(),
            errors: None,
            timings,
        }
    }
}

impl CheckedText {
    /// The diagnostics that the client is to show now.
    pub fn published(&self) -> Cow<'_, [ls_types::Diagnostic]> {
        if !self.held.contains(&true) {
            return Cow::Borrowed(&self.diagnostics);
        }
        let mut held = self.held.iter();
        Cow::Owned(self.diagnostics.iter().filter(|_| held.next() != Some(&true)).cloned().collect())
    }
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The document has changed, or is closed.
    Stale,
    /// It was saved.
    Saved,
    /// The time is over.
    Over,
}

/// Changes of a document that the worker takes over.
#[derive(Debug)]
pub struct DocumentWork {
    /// What happened since the last time.
    pub changes: Vec<DocumentChange>,
    /// The text that comes of it.
    pub rope: Rope,
    /// Its revision.
    pub revision: u64,
    /// The client's number for it.
    pub version: i32,
    /// When the last of the changes came.
    pub edited: Instant,
    /// The document was saved since.
    pub saved: bool,
    /// The text is not known: a message about it could not be understood.
    pub lost: bool,
}

#[derive(Debug)]
struct Inbox {
    rope: Rope,
    revision: u64,
    version: i32,
    changes: Vec<DocumentChange>,
    moved: Edits,
    edited: Instant,
    saved: bool,
    waiting: bool,
    closed: bool,
    lost: bool,
}

/// An open document.
#[derive(Debug)]
pub struct OpenDocument {
    /// Its name.
    pub uri: Uri,
    /// The semantic tokens that the client has got last, for those that it gets next.
    pub tokens: Mutex<Option<SentTokens>>,
    /// What its kernels are evaluated for, and what came of it.
    pub evaluation: EvaluationSlot,
    inbox: Mutex<Inbox>,
    wake: Condvar,
    parsed: watch::Receiver<Option<Arc<ParsedText>>>,
    checked: watch::Receiver<Option<Arc<CheckedText>>>,
    facts: watch::Receiver<Arc<ModuleFacts>>,
}

/// The worker's end of a document.
#[derive(Debug)]
pub struct Publisher {
    /// For those who wait for a tree.
    pub parsed: watch::Sender<Option<Arc<ParsedText>>>,
    /// For those who wait for diagnostics.
    pub checked: watch::Sender<Option<Arc<CheckedText>>>,
    /// Flow facts of the last idle-time analysis; read without waiting.
    pub facts: watch::Sender<Arc<ModuleFacts>>,
}

/// Unique among all documents, so that a document opened again does not meet results of its former self.
fn next_revision() -> u64 {
    static REVISION: AtomicU64 = AtomicU64::new(1);
    REVISION.fetch_add(1, Ordering::Relaxed)
}

impl OpenDocument {
    /// A document as it was opened.
    pub fn new(uri: Uri, text: &str, version: i32) -> (Self, Publisher) {
        let (parsed_sender, parsed) = watch::channel(None);
        let (checked_sender, checked) = watch::channel(None);
        let (facts_sender, facts) = watch::channel(Arc::default());
        let revision = next_revision();
        let inbox = Inbox {
            rope: Rope::from_str(text),
            revision,
            version,
            changes: vec![DocumentChange::Replace],
            moved: Edits::new(revision),
            edited: Instant::now(),
            saved: false,
            waiting: true,
            closed: false,
            lost: false,
        };
        let (inbox, wake, tokens) = (Mutex::new(inbox), Condvar::new(), Mutex::default());
        let evaluation = EvaluationSlot::default();
        let document = Self { uri, tokens, evaluation, inbox, wake, parsed, checked, facts };
        (document, Publisher { parsed: parsed_sender, checked: checked_sender, facts: facts_sender })
    }

    /// Applies the changes of one notification; tells whether the text is known afterwards.
    ///
    /// Of a text that is not known, ranges mean nothing: only a whole text counts, and what follows it.
    pub fn change(&self, encoding: ColumnEncoding, version: i32, changes: Vec<TextDocumentContentChangeEvent>) -> bool {
        let mut inbox = lock(&self.inbox);
        let whole = changes.iter().position(|c| c.range.is_none());
        let known = match (inbox.lost, whole) {
            (true, None) => return false,
            (true, Some(first)) => first,
            (false, _) => 0,
        };
        inbox.lost = false;
        inbox.touch(&self.wake);
        inbox.edited = Instant::now();
        inbox.saved = false;
        for change in changes.into_iter().skip(known) {
            match change.range {
                Some(range) => {
                    let range = encoding.offsets(&inbox.rope, range);
                    inbox.edit(range, change.text);
                }
                None => inbox.replace(&change.text),
            }
        }
        inbox.version = version;
        true
    }

    /// Forgets the text: a message about it could not be understood.
    pub fn lose(&self) {
        let mut inbox = lock(&self.inbox);
        inbox.lost = true;
        inbox.replace("");
        inbox.touch(&self.wake);
    }

    /// Has the same text checked again.
    pub fn recheck(&self) {
        lock(&self.inbox).touch(&self.wake);
    }

    /// Notes that the text was saved: nothing waits any more.
    pub fn saved(&self) {
        lock(&self.inbox).saved = true;
        self.wake.notify_all();
    }

    /// Ends the worker. `last` is called when it is certain that nothing is published any more.
    pub fn close(&self, last: impl FnOnce()) {
        let mut inbox = lock(&self.inbox);
        inbox.closed = true;
        self.wake.notify_all();
        last();
    }

    /// The newest revision.
    pub fn revision(&self) -> u64 {
        lock(&self.inbox).revision
    }

    /// The newest revision, and a range of its text as a request names it. To be called before anything is waited for.
    pub fn note(&self, encoding: ColumnEncoding, range: ls_types::Range) -> (u64, Range<usize>) {
        let inbox = lock(&self.inbox);
        (inbox.revision, encoding.offsets(&inbox.rope, range))
    }

    /// Where a range of one revision is in a later one; nothing where it is gone.
    pub fn follow(&self, range: Range<usize>, from: u64, to: u64) -> Option<Range<usize>> {
        lock(&self.inbox).moved.follow(range, from, to)
    }

    /// Version and text as of now.
    pub fn current(&self) -> (i32, Rope) {
        let inbox = lock(&self.inbox);
        (inbox.version, inbox.rope.clone())
    }

    /// Waits for something to do; nothing once the document is closed.
    pub fn take(&self) -> Option<DocumentWork> {
        let mut inbox = lock(&self.inbox);
        while !inbox.waiting && !inbox.closed {
            inbox = self.wake.wait(inbox).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        if inbox.closed {
            return None;
        }
        inbox.waiting = false;
        let changes = std::mem::take(&mut inbox.changes);
        Some(DocumentWork {
            changes,
            rope: inbox.rope.clone(),
            revision: inbox.revision,
            version: inbox.version,
            edited: inbox.edited,
            saved: inbox.saved,
            lost: inbox.lost,
        })
    }

    /// Whether a result for a revision is of no use any more.
    pub fn is_stale(&self, revision: u64) -> bool {
        let inbox = lock(&self.inbox);
        inbox.closed || inbox.revision != revision
    }

    /// Waits until a time, a change since a revision, or, if `save` is wanted, a save.
    pub fn wait(&self, revision: u64, until: Instant, save: bool) -> Wait {
        let mut inbox = lock(&self.inbox);
        while !inbox.closed && inbox.revision == revision {
            let left = until.saturating_duration_since(Instant::now());
            if save && inbox.saved {
                return Wait::Saved;
            }
            if left.is_zero() {
                return Wait::Over;
            }
            inbox = self.wake.wait_timeout(inbox, left).unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
        Wait::Stale
    }

    /// Calls `publish` unless the document has changed since a revision; it cannot change meanwhile.
    pub fn if_current(&self, revision: u64, publish: impl FnOnce()) {
        let inbox = lock(&self.inbox);
        if !inbox.closed && inbox.revision == revision {
            publish();
        }
    }

    /// Shares the memory of a text that is equal to the current one, if the revision is still current.
    pub fn share(&self, revision: u64, rope: &Rope) {
        let mut inbox = lock(&self.inbox);
        if inbox.revision == revision {
            inbox.rope = rope.clone();
        }
    }

    /// The tree of a revision or of a later one; nothing if the document is closed first.
    pub async fn parsed(&self, revision: u64) -> Option<Arc<ParsedText>> {
        let mut receiver = self.parsed.clone();
        let found = receiver.wait_for(|p| p.as_ref().is_some_and(|p| p.revision >= revision)).await.ok()?;
        found.clone()
    }

    /// The last tree, of whatever revision.
    pub fn last_parsed(&self) -> Option<Arc<ParsedText>> {
        self.parsed.borrow().clone()
    }

    /// The diagnostics of a revision or of a later one; nothing if the document is closed first.
    pub async fn checked(&self, revision: u64) -> Option<Arc<CheckedText>> {
        let mut receiver = self.checked.clone();
        let found = receiver.wait_for(|c| c.as_ref().is_some_and(|c| c.revision >= revision)).await.ok()?;
        found.clone()
    }

    /// The tree of a revision or of a later one with what the second pass found out about that, if this comes in time; else the last tree.
    pub async fn passed(&self, revision: u64, patience: Duration) -> Option<Arc<ParsedText>> {
        let mut receiver = self.parsed.clone();
        let done = |p: &Option<Arc<ParsedText>>| p.as_ref().is_some_and(|p| p.revision >= revision && p.complete);
        if let Ok(found) = tokio::time::timeout(patience, receiver.wait_for(done)).await {
            return found.ok()?.clone();
        }
        self.parsed(revision).await
    }

    /// What the last second pass found out about the functions: it holds for those that still have the same text.
    pub fn facts(&self) -> Arc<ModuleFacts> {
        Arc::clone(&self.facts.borrow())
    }

    /// The last diagnostics, of whatever revision.
    pub fn last_checked(&self) -> Option<Arc<CheckedText>> {
        self.checked.borrow().clone()
    }
}

impl Inbox {
    fn touch(&mut self, wake: &Condvar) {
        self.revision = next_revision();
        self.waiting = true;
        wake.notify_all();
    }

    /// Takes over a whole text as an edit of what differs, so that a client that always sends all of it, or a file that was
    /// formatted, costs no fresh parse.
    fn replace(&mut self, text: &str) {
        let (start, same_end) = common(&self.rope, text);
        let (old, new) = (start..self.rope.len_bytes() - same_end, &text[start..text.len() - same_end]);
        if new.len() > text.len() / 2 && old.len() > self.rope.len_bytes() / 2 {
            self.rope = Rope::from_str(text);
            self.changes.clear();
            self.changes.push(DocumentChange::Replace);
            self.moved.replaced(self.revision);
        } else {
            let new = new.to_owned();
            self.edit(old, new);
        }
    }

    /// Changes the text, and notes it for the worker and for requests on their way.
    fn edit(&mut self, range: Range<usize>, new: String) {
        let start = self.rope.byte_to_char(range.start);
        let end = self.rope.byte_to_char(range.end);
        self.rope.remove(start..end);
        self.rope.insert(start, &new);
        self.moved.push(self.revision, range.clone(), new.len());
        self.changes.push(DocumentChange::Edit(range, new));
    }
}

/// How many bytes at the start and at the end of two texts are the same: disjoint, and between characters of both.
fn common(rope: &Rope, text: &str) -> (usize, usize) {
    let mut start = rope.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let most = rope.len_bytes().min(text.len()) - start;
    let end = rope.bytes_at(rope.len_bytes()).reversed().zip(text.bytes().rev()).take(most);
    let mut end = end.take_while(|(a, b)| a == b).count();
    while !text.is_char_boundary(text.len() - end) {
        end -= 1;
    }
    (start, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_texts_share() {
        for (old, new, expected) in [
            ("", "", (0, 0)),
            ("abc", "abc", (3, 0)),
            ("abc", "axc", (1, 1)),
            ("aa", "aaa", (2, 0)),
            // é and è share their first byte, é and ũ their last.
            ("aéb", "aèb", (1, 1)),
            ("aéb", "aũb", (1, 1)),
            ("aéb", "é", (0, 0)),
        ] {
            assert_eq!(common(&Rope::from_str(old), new), expected, "{old} {new}");
        }
    }

    #[test]
    fn whole_texts_become_edits() {
        let (document, _publisher) = OpenDocument::new("file:///a.ptx".parse().unwrap(), "one two three four", 1);
        document.take();
        let whole = |text: &str| TextDocumentContentChangeEvent { range: None, range_length: None, text: text.into() };
        document.change(ColumnEncoding::Utf16, 2, vec![whole("one 2 three four")]);
        let work = document.take().unwrap();
        assert_eq!(work.changes, [DocumentChange::Edit(4..7, "2".into())]);
        assert_eq!((work.rope.to_string().as_str(), work.version), ("one 2 three four", 2));
        document.change(ColumnEncoding::Utf16, 3, vec![whole("something else")]);
        let work = document.take().unwrap();
        assert_eq!(work.changes, [DocumentChange::Replace]);
        assert_eq!(work.rope.to_string(), "something else");
    }
}
