//! An open document: its text as of the last message, and the results of its worker.
//!
//! The handlers of notifications change the text at once, in the order of arrival. Each change gives the document a new
//! *revision*, and the worker brings the tree and the diagnostics up to the newest one. A reader that needs a tree first
//! records the revision, then waits until the worker has published that revision or a later one.

mod texts;

use super::history::History;
use super::moved::Edits;
use super::platform::{Demand, Platform};
use super::position::ColumnEncoding;
use super::sync::lock;
use ptx_analysis::ModuleFacts;
use ptx_clock::Instant;
use ptx_syntax::Rope;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
pub use texts::{CheckedText, Converted, HostText, ParsedText, Timings};
use tokio::sync::{Notify, watch};
use tower_lsp_server::ls_types::{self, TextDocumentContentChangeEvent, Uri};

/// A change of a document; ranges are in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentChange {
    /// A range is replaced.
    Edit(Range<usize>, String),
    /// The whole text is replaced by the text of the rope.
    Replace,
}

/// Reason why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The document has changed, or is closed.
    Stale,
    /// The document was saved.
    Saved,
    /// The time limit was reached.
    Over,
}

/// Changes of a document for its worker.
#[derive(Debug)]
pub struct DocumentWork {
    /// The changes since the last call.
    pub changes: Vec<DocumentChange>,
    /// The resulting text.
    pub rope: Rope,
    /// The revision of the text.
    pub revision: u64,
    /// The client's version of the text.
    pub version: i32,
    /// Time of the last change.
    pub edited: Instant,
    /// Whether the document was saved since the last change.
    pub saved: bool,
    /// Whether the text is unknown, because a message about it could not be understood.
    pub lost: bool,
}

#[derive(Debug)]
struct Inbox {
    rope: Rope,
    revision: u64,
    /// The revision of the last change of the text; a check of the same text gets a later one.
    text_revision: u64,
    version: i32,
    changes: Vec<DocumentChange>,
    moved: Edits,
    edited: Instant,
    saved: bool,
    waiting: bool,
    closed: bool,
}

/// An open document.
#[derive(Debug)]
pub struct OpenDocument {
    /// The document's URI.
    pub uri: Uri,
    /// The client's name of its language.
    pub language: String,
    /// What does not follow from its text.
    pub history: History,
    /// The urgency of the worker's work.
    pub demand: Arc<Demand>,
    inbox: Mutex<Inbox>,
    /// Signals each change of the inbox to the worker.
    wake: Notify,
    parsed: watch::Receiver<Option<Arc<ParsedText>>>,
    checked: watch::Receiver<Option<Arc<CheckedText>>>,
    facts: watch::Receiver<Arc<ModuleFacts>>,
    host: watch::Receiver<Option<Arc<HostText>>>,
}

/// The worker's end of a document.
#[derive(Debug)]
pub struct Publisher {
    /// Publishes trees.
    pub parsed: watch::Sender<Option<Arc<ParsedText>>>,
    /// Publishes diagnostics.
    pub checked: watch::Sender<Option<Arc<CheckedText>>>,
    /// Flow facts of the last idle-time analysis; read without waiting.
    pub facts: watch::Sender<Arc<ModuleFacts>>,
    /// Publishes the PTX in the strings of a text in another language.
    pub host: watch::Sender<Option<Arc<HostText>>>,
}

/// Returns a revision that is unique among all documents, so that a reopened document never matches results of its earlier
/// life.
fn next_revision() -> u64 {
    static REVISION: AtomicU64 = AtomicU64::new(1);
    REVISION.fetch_add(1, Ordering::Relaxed)
}

impl OpenDocument {
    /// Creates a document with its first text, and the publisher for its worker.
    pub fn new(uri: Uri, language: &str, text: &str, version: i32) -> (Self, Publisher) {
        let (parsed_sender, parsed) = watch::channel(None);
        let (checked_sender, checked) = watch::channel(None);
        let (facts_sender, facts) = watch::channel(Arc::default());
        let (host_sender, host) = watch::channel(None);
        let revision = next_revision();
        let inbox = Inbox {
            rope: Rope::from_str(text),
            revision,
            text_revision: revision,
            version,
            changes: vec![DocumentChange::Replace],
            moved: Edits::new(revision),
            edited: Instant::now(),
            saved: false,
            waiting: true,
            closed: false,
        };
        let (inbox, wake) = (Mutex::new(inbox), Notify::new());
        let (history, demand): (History, Arc<Demand>) = Default::default();
        demand.change(false);
        let language = language.to_owned();
        let document = Self { uri, language, history, demand, inbox, wake, parsed, checked, facts, host };
        (document, Publisher { parsed: parsed_sender, checked: checked_sender, facts: facts_sender, host: host_sender })
    }

    /// Applies the changes of one notification; returns whether the text is known afterwards.
    ///
    /// If the text is unknown, ranges are meaningless: only a whole text and the changes after it count.
    pub fn change(&self, encoding: ColumnEncoding, version: i32, changes: Vec<TextDocumentContentChangeEvent>) -> bool {
        let mut inbox = lock(&self.inbox);
        let whole = changes.iter().position(|c| c.range.is_none());
        // Changes only while the inbox is locked.
        let lost = &self.history.lost;
        let first_valid = match (lost.load(Ordering::Relaxed), whole) {
            (true, None) => return false,
            (true, Some(first)) => first,
            (false, _) => 0,
        };
        lost.store(false, Ordering::Relaxed);
        inbox.touch();
        inbox.text_revision = inbox.revision;
        inbox.edited = Instant::now();
        inbox.saved = false;
        for change in changes.into_iter().skip(first_valid) {
            match change.range {
                Some(range) => {
                    let range = encoding.offsets(&inbox.rope, range);
                    inbox.edit(range, change.text);
                }
                None => inbox.replace(&change.text),
            }
        }
        inbox.version = version;
        self.demand.change(true);
        self.wake.notify_waiters();
        true
    }

    /// Discards the text, because a message about it could not be understood.
    pub fn lose(&self) {
        let mut inbox = lock(&self.inbox);
        self.history.lost.store(true, Ordering::Relaxed);
        inbox.replace("");
        inbox.touch();
        inbox.text_revision = inbox.revision;
        self.demand.change(false);
        self.wake.notify_waiters();
    }

    /// Makes the worker check the same text again.
    pub fn recheck(&self) {
        lock(&self.inbox).touch();
        self.demand.change(false);
        self.wake.notify_waiters();
    }

    /// Records that the text was saved: diagnostics are no longer held back.
    pub fn saved(&self) {
        lock(&self.inbox).saved = true;
        self.wake.notify_waiters();
    }

    /// Ends the worker. `last` is called as soon as nothing can be published any more.
    pub fn close(&self, last: impl FnOnce()) {
        let mut inbox = lock(&self.inbox);
        inbox.closed = true;
        self.wake.notify_waiters();
        last();
    }

    /// Returns the newest revision.
    pub fn revision(&self) -> u64 {
        lock(&self.inbox).revision
    }

    /// Returns the newest revision, and a range of a request as bytes of its text. A handler must call this before it waits for
    /// anything.
    pub fn note(&self, encoding: ColumnEncoding, range: ls_types::Range) -> (u64, Range<usize>) {
        let inbox = lock(&self.inbox);
        (inbox.revision, encoding.offsets(&inbox.rope, range))
    }

    /// Maps a range of one revision to a later one; `None` if the range is gone.
    pub fn follow(&self, range: Range<usize>, from: u64, to: u64) -> Option<Range<usize>> {
        lock(&self.inbox).moved.follow(range, from, to)
    }

    /// Returns the current version and text.
    pub fn current(&self) -> (i32, Rope) {
        let inbox = lock(&self.inbox);
        (inbox.version, inbox.rope.clone())
    }

    /// Waits for changes; `None` once the document is closed.
    pub async fn take(&self) -> Option<DocumentWork> {
        loop {
            // Created before the inbox is read, so that no change is missed.
            let changed = self.wake.notified();
            {
                let mut inbox = lock(&self.inbox);
                if inbox.closed {
                    return None;
                }
                if std::mem::take(&mut inbox.waiting) {
                    self.demand.take();
                    return Some(inbox.work(self.history.lost.load(Ordering::Relaxed)));
                }
            }
            changed.await;
        }
    }

    /// Whether a result for a revision is outdated.
    pub fn is_stale(&self, revision: u64) -> bool {
        let inbox = lock(&self.inbox);
        inbox.closed || inbox.revision != revision
    }

    /// Returns the revision of the newest text. Checks of the same text have later revisions.
    pub fn text_revision(&self) -> u64 {
        lock(&self.inbox).text_revision
    }

    /// Waits until a point in time, a change after a revision, or, if `save` is set, a save.
    pub async fn wait(&self, platform: &dyn Platform, revision: u64, until: Instant, save: bool) -> Wait {
        loop {
            let changed = self.wake.notified();
            {
                let inbox = lock(&self.inbox);
                if inbox.closed || inbox.revision != revision {
                    return Wait::Stale;
                }
                if save && inbox.saved {
                    return Wait::Saved;
                }
            }
            let patience = until.saturating_duration_since(Instant::now());
            if patience.is_zero() || platform.timeout(patience, changed).await.is_none() {
                return Wait::Over;
            }
        }
    }

    /// Calls `publish` unless the document has changed since a revision; it cannot change during the call.
    pub fn if_current(&self, revision: u64, publish: impl FnOnce()) {
        let inbox = lock(&self.inbox);
        if !inbox.closed && inbox.revision == revision {
            publish();
        }
    }

    /// Replaces the current text by the equal `rope` to share its memory, if the revision is still current.
    pub fn share(&self, revision: u64, rope: &Rope) {
        let mut inbox = lock(&self.inbox);
        if inbox.revision == revision {
            inbox.rope = rope.clone();
        }
    }

    /// Waits for the tree of a revision or of a later one; `None` if the document is closed first.
    pub async fn parsed(&self, revision: u64) -> Option<Arc<ParsedText>> {
        let _waits = self.demand.wait();
        let mut receiver = self.parsed.clone();
        let parsed = receiver.wait_for(|p| p.as_ref().is_some_and(|p| p.revision >= revision)).await.ok()?;
        parsed.clone()
    }

    /// Returns the last tree, of any revision.
    pub fn last_parsed(&self) -> Option<Arc<ParsedText>> {
        self.parsed.borrow().clone()
    }

    /// Waits for the diagnostics of a revision or of a later one; `None` if the document is closed first.
    pub async fn checked(&self, revision: u64) -> Option<Arc<CheckedText>> {
        let _waits = self.demand.wait();
        let mut receiver = self.checked.clone();
        let checked = receiver.wait_for(|c| c.as_ref().is_some_and(|c| c.revision >= revision)).await.ok()?;
        checked.clone()
    }

    /// Waits up to `patience` for the tree of a revision or of a later one with the results of its flow lints; afterwards
    /// returns the last tree.
    pub async fn passed(&self, platform: &dyn Platform, revision: u64, patience: Duration) -> Option<Arc<ParsedText>> {
        let _waits = self.demand.wait();
        let mut receiver = self.parsed.clone();
        let is_complete =
            |p: &Option<Arc<ParsedText>>| p.as_ref().is_some_and(|p| p.revision >= revision && p.complete);
        if let Some(parsed) = platform.timeout(patience, receiver.wait_for(is_complete)).await {
            return parsed.ok()?.clone();
        }
        self.parsed(revision).await
    }

    /// Waits for the PTX in the strings of a revision or of a later one, with the results of its check if `results`; `None` if the
    /// document is closed first.
    pub async fn host(&self, revision: u64, results: bool) -> Option<Arc<HostText>> {
        let _waits = self.demand.wait();
        let mut receiver = self.host.clone();
        let ready = |text: &HostText| text.revision >= revision && (!results || text.results.is_some());
        let parsed = receiver.wait_for(|text| text.as_deref().is_some_and(ready)).await.ok()?;
        parsed.clone()
    }

    /// Returns the flow facts of the last flow lints. They are valid for functions whose text is unchanged.
    pub fn facts(&self) -> Arc<ModuleFacts> {
        Arc::clone(&self.facts.borrow())
    }

    /// Returns the last diagnostics, of any revision.
    pub fn last_checked(&self) -> Option<Arc<CheckedText>> {
        self.checked.borrow().clone()
    }
}

impl Inbox {
    fn work(&mut self, lost: bool) -> DocumentWork {
        DocumentWork {
            changes: std::mem::take(&mut self.changes),
            rope: self.rope.clone(),
            revision: self.revision,
            version: self.version,
            edited: self.edited,
            saved: self.saved,
            lost,
        }
    }

    fn touch(&mut self) {
        self.revision = next_revision();
        self.waiting = true;
    }

    /// Replaces the text by an edit of the range that differs. A client that always sends the whole text, or a formatted file,
    /// therefore costs no full parse.
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

    /// Changes the text, and records the edit for the worker and for waiting requests.
    fn edit(&mut self, range: Range<usize>, new: String) {
        let start = self.rope.byte_to_char(range.start);
        let end = self.rope.byte_to_char(range.end);
        self.rope.remove(start..end);
        self.rope.insert(start, &new);
        self.moved.push(self.revision, range.clone(), new.len());
        self.changes.push(DocumentChange::Edit(range, new));
    }
}

/// Returns the number of equal bytes at the start and at the end of two texts; the two stretches are disjoint and end at
/// character boundaries of both texts.
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
    use futures::executor::block_on;

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
        let (document, _publisher) =
            OpenDocument::new("file:///a.ptx".parse().unwrap(), "ptx", "one two three four", 1);
        block_on(document.take());
        let whole = |text: &str| TextDocumentContentChangeEvent { range: None, range_length: None, text: text.into() };
        document.change(ColumnEncoding::Utf16, 2, vec![whole("one 2 three four")]);
        let work = block_on(document.take()).unwrap();
        assert_eq!(work.changes, [DocumentChange::Edit(4..7, "2".into())]);
        assert_eq!((work.rope.to_string().as_str(), work.version), ("one 2 three four", 2));
        document.change(ColumnEncoding::Utf16, 3, vec![whole("something else")]);
        let work = block_on(document.take()).unwrap();
        assert_eq!(work.changes, [DocumentChange::Replace]);
        assert_eq!(work.rope.to_string(), "something else");
    }
}
