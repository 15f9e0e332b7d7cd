//! The thread that owns the tree of a document and checks it.

use super::convert;
use super::document::{Change, Checked, Document, Parsed, Publisher, Timings, Work};
use super::evaluation;
use super::outgoing::{self, Outgoing};
use super::refresh;
use super::shared::Shared;
use crate::markup::is_markup;
use ptx_analysis::registers::Figures;
use ptx_analysis::{Analyzer, Report, Severity};
use ptx_syntax::{Rope, Snapshot, SnapshotId};
use serde::Serialize;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower_lsp_server::ls_types::{Diagnostic, Uri};

/// Trees can nest deeply, and a check may follow them. It is address space, not memory.
const STACK: usize = 64 << 20;

/// After so long without a change somebody reads, and the second pass may run.
const QUIET: Duration = Duration::from_millis(250);

/// Owns the tree and what the checks remember.
pub struct Worker {
    shared: Arc<Shared>,
    document: Arc<Document>,
    publisher: Publisher,
    tree: Option<ptx_syntax::Document>,
    analyzer: Analyzer,
    /// What the last second pass found out, and the text that it is in place in.
    figures: (Arc<Figures>, Option<SnapshotId>),
}

impl Worker {
    /// Starts a worker for a document.
    ///
    /// # Errors
    /// If there can be no thread.
    pub fn start(shared: Arc<Shared>, document: Arc<Document>, publisher: Publisher) -> std::io::Result<()> {
        let worker =
            Self { shared, document, publisher, tree: None, analyzer: analyzer(), figures: Default::default() };
        std::thread::Builder::new().name("document".into()).stack_size(STACK).spawn(|| worker.run())?;
        Ok(())
    }

    fn run(mut self) {
        while let Some(mut work) = self.document.take() {
            let changes = std::mem::take(&mut work.changes);
            if catch_unwind(AssertUnwindSafe(|| self.step(&work, changes))).is_ok() {
                continue;
            }
            // Half of an edit may be applied; begin again from the text.
            self.shared.failed(self.document.uri.as_str());
            self.tree = None;
            self.analyzer = analyzer();
            let again = catch_unwind(AssertUnwindSafe(|| self.step(&work, vec![Change::Replace])));
            if again.is_err() {
                self.give_up(&work);
            }
        }
    }

    /// Nothing can be said about this text; nobody must wait for it.
    fn give_up(&mut self, work: &Work) {
        let revision = work.revision;
        self.tree = None;
        self.analyzer = analyzer();
        self.publisher.parsed.send_modify(|parsed| {
            if parsed.as_ref().is_none_or(|p| p.revision < revision) {
                *parsed = Some(Arc::new(Parsed::nothing(revision)));
            }
        });
        self.report(work, Checked::nothing(revision, work.version, Timings::default()));
    }

    fn step(&mut self, work: &Work, changes: Vec<Change>) {
        let revision = work.revision;
        let begin = Instant::now();
        #[cfg(test)]
        tests::trip(&work.rope, "FIRST");
        if is_markup(work.rope.chars()) {
            self.tree = None;
            self.analyzer = analyzer();
            self.figures = Default::default();
            self.publisher.parsed.send_replace(Some(Arc::new(Parsed::nothing(revision))));
            let timings = Timings { parse: begin.elapsed(), ..Timings::default() };
            return self.report(work, Checked::nothing(revision, work.version, timings));
        }
        let snapshot = self.tree(&work.rope, changes).snapshot();
        let parse = begin.elapsed();
        self.document.share(revision, snapshot.rope());
        let edits = self.figures.1.and_then(|last| snapshot.edits_since(last));
        self.figures = (Arc::new(self.figures.0.moved(edits)), Some(snapshot.id()));
        self.hand_over(revision, &snapshot, false);
        if self.document.is_stale(revision) {
            return;
        }
        let settings = self.shared.settings_of(&self.document.uri);
        let begin = Instant::now();
        // The settings hold only names that the tables have.
        let _ = self.analyzer.set_target(settings.target.as_deref());
        self.analyzer.set_project(settings.project.clone());
        let enabled = settings.diagnostics.enable;
        let report = if enabled { self.analyzer.analyze(&snapshot).in_editor(&snapshot) } else { Default::default() };
        let known = if enabled { self.analyzer.remembered_lints() } else { Vec::new() };
        let check = begin.elapsed();
        if self.document.is_stale(revision) {
            return;
        }
        let context = convert::Context {
            uri: &self.document.uri,
            rope: snapshot.rope(),
            session: self.shared.session(),
            settings: &settings.diagnostics,
        };
        let timings = Timings { parse, check, ..Timings::default() };
        self.publish(work, (&snapshot, &context), (&report, &known), !enabled, timings);
        if !self.document.stays_quiet(revision, QUIET) {
            return;
        }
        let begin = Instant::now();
        let target =
            if enabled { report.environment.target } else { self.analyzer.analyze(&snapshot).environment.target };
        let lints = catch_unwind(AssertUnwindSafe(|| {
            #[cfg(test)]
            tests::trip(&work.rope, "SECOND");
            self.analyzer.lints(&snapshot, &|| self.document.is_stale(revision))
        }));
        let lints = match lints {
            Ok(Some(lints)) => lints,
            Ok(None) => return,
            Err(_) => {
                // What the first pass found holds all the same.
                self.shared.failed(self.document.uri.as_str());
                self.analyzer = analyzer();
                return;
            }
        };
        let facts = self.analyzer.facts();
        let figures = self.figures.0.next(&snapshot, &facts, target);
        self.publisher.facts.send_replace(Arc::new(facts));
        let others = !figures.looks_like(&self.figures.0);
        self.figures.0 = Arc::new(figures);
        self.hand_over(revision, &snapshot, true);
        if others {
            refresh::registers(&self.shared, &settings);
        }
        // Whoever has asked for this revision need not ask again if nothing is new.
        if enabled && lints != known {
            let timings = Timings { lints: begin.elapsed(), ..timings };
            self.publish(work, (&snapshot, &context), (&report, &lints), true, timings);
            // Clients that ask for diagnostics are told that there are more.
            refresh::diagnostics(&self.shared);
        }
        if let Some(checked) = self.document.last_checked().filter(|c| c.revision == revision) {
            evaluation::again(&self.shared, &self.document, &checked);
        }
    }

    /// Hands over a tree, and what is known of its functions.
    fn hand_over(&self, revision: u64, snapshot: &Snapshot, complete: bool) {
        let (snapshot, figures) = (Some(snapshot.clone()), Arc::clone(&self.figures.0));
        self.publisher.parsed.send_replace(Some(Arc::new(Parsed { revision, snapshot, figures, complete })));
    }

    /// Hands over findings of both passes.
    fn publish(
        &self,
        work: &Work,
        (snapshot, context): (&Snapshot, &convert::Context<'_>),
        (report, lints): (&Report, &[ptx_analysis::Diagnostic]),
        complete: bool,
        timings: Timings,
    ) {
        let begin = Instant::now();
        let mut found = report.diagnostics.clone();
        let enabled = context.settings.enable;
        let faults = if enabled { self.document.evaluation.faults(snapshot) } else { Vec::new() };
        if !lints.is_empty() || !faults.is_empty() {
            found.extend_from_slice(lints);
            found.extend(faults);
            found.sort_by_key(|d| (d.range.start, d.range.end));
        }
        let errors = report.diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let errors = enabled.then(|| errors.cloned().collect());
        let (wanted, diagnostics) = convert::diagnostics(context, found);
        let report = Report { diagnostics: wanted, environment: report.environment.clone() };
        let timings = Timings { convert: begin.elapsed(), ..timings };
        let (revision, version, snapshot) = (work.revision, work.version, Some(snapshot.clone()));
        self.report(work, Checked { revision, complete, version, snapshot, report, diagnostics, errors, timings });
    }

    /// The tree of the current text, edits applied.
    fn tree(&mut self, rope: &Rope, changes: Vec<Change>) -> &mut ptx_syntax::Document {
        if self.tree.is_none() || changes.contains(&Change::Replace) {
            // Edits around a replacement are in the rope already.
            return self.tree.insert(ptx_syntax::Document::in_pieces(&String::from(rope), threads()));
        }
        let tree = self.tree.get_or_insert_with(|| ptx_syntax::Document::new(""));
        for change in changes {
            if let Change::Edit(range, text) = change {
                tree.edit(range, &text);
            }
        }
        tree
    }

    fn report(&self, work: &Work, checked: Checked) {
        let timings = checked.timings;
        let checked = Arc::new(checked);
        self.publisher.checked.send_replace(Some(Arc::clone(&checked)));
        if !self.shared.session().pulls_diagnostics {
            while self.shared.outgoing.is_congested() {
                if self.document.is_stale(work.revision) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            let body = encode(&self.document.uri, Some(work.version), &checked.diagnostics);
            self.document.if_current(work.revision, || self.shared.outgoing.encoded(body));
        }
        tracing::debug!(
            version = work.version,
            diagnostics = checked.diagnostics.len(),
            ?timings,
            "checked {}",
            self.document.uri.as_str()
        );
    }
}

/// How many threads a check of much text may use: one is left to those who answer requests, where there are many.
fn threads() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    if processors > 2 { (processors - 1).min(8) } else { processors }
}

/// Checks a document and keeps what hover shows of the flow of its functions.
fn analyzer() -> Analyzer {
    let mut out = Analyzer::default();
    out.keep_facts();
    out.set_threads(threads());
    out
}

/// Sends diagnostics to the client.
pub fn publish(outgoing: &Outgoing, uri: &Uri, version: Option<i32>, diagnostics: &[Diagnostic]) {
    outgoing.encoded(encode(uri, version, diagnostics));
}

/// Straight to text: the framework would build every message as a tree of JSON values first.
fn encode(uri: &Uri, version: Option<i32>, diagnostics: &[Diagnostic]) -> Vec<u8> {
    #[derive(Serialize)]
    struct Params<'a> {
        uri: &'a Uri,
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<i32>,
        diagnostics: &'a [Diagnostic],
    }
    outgoing::notification("textDocument/publishDiagnostics", Params { uri, version, diagnostics })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::backend::Backend;
    use crate::server::framing::read_message;
    use crate::server::position::Encoding;
    use serde_json::Value;
    use std::io::BufReader;
    use std::sync::OnceLock;
    use std::sync::mpsc::{Receiver, channel};
    use tower_lsp_server::LspService;
    use tower_lsp_server::ls_types::TextDocumentContentChangeEvent;

    /// Panics over a text that asks for it: no text is known that does.
    pub fn trip(rope: &Rope, word: &str) {
        assert!(!rope.to_string().contains(word), "on purpose");
    }

    fn text(word: &str) -> String {
        format!(".version 8.0\n.target sm_80\n// {word}\n.entry k()\n{{\n    bad;\n}}\n")
    }

    fn next(messages: &Receiver<Value>, version: i32) -> (usize, usize) {
        let mut told = 0;
        loop {
            let message = messages.recv_timeout(Duration::from_secs(60)).unwrap();
            told += usize::from(message["method"] == "window/showMessage");
            if message["params"]["version"] == version {
                return (message["params"]["diagnostics"].as_array().unwrap().len(), told);
            }
        }
    }

    #[test]
    fn a_panic_is_told_once_and_the_next_text_is_checked() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        let outgoing = Outgoing::start(writer).unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            while let Ok(Some(body)) = read_message(&mut reader) {
                let _ = sender.send(serde_json::from_slice(&body).unwrap());
            }
        });
        let state: OnceLock<Arc<Shared>> = OnceLock::new();
        let (_service, _socket) = LspService::new(|client| {
            let shared = Shared::new(client, outgoing.clone(), runtime.handle().clone());
            Backend::new(Arc::clone(state.get_or_init(|| Arc::new(shared))))
        });
        let shared = state.get().unwrap();
        let uri: Uri = "file:///a.ptx".parse().unwrap();
        shared.open(uri.clone(), &text("FIRST"), 1);
        // Nobody waits for ever for what is not known, and the user is told of it.
        assert_eq!(next(&messages, 1), (0, 1));
        let document = shared.document(&uri).unwrap();
        let change = |version: i32, word: &str| {
            let all = TextDocumentContentChangeEvent { range: None, range_length: None, text: text(word) };
            document.change(Encoding::Utf16, version, vec![all]);
        };
        for version in 2..5 {
            change(version, "still FIRST");
            assert_eq!(next(&messages, version), (0, 0));
        }
        change(5, "fine");
        assert_eq!(next(&messages, 5), (1, 0));
        // The findings of the first pass hold if the second one fails; another document is another message.
        let other: Uri = "file:///b.ptx".parse().unwrap();
        shared.open(other, &text("SECOND"), 6);
        assert_eq!(next(&messages, 6), (1, 0));
        let message = messages.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(message["method"], "window/showMessage");
        assert!(message["params"]["message"].as_str().unwrap().contains("file:///b.ptx"), "{message}");
    }
}
