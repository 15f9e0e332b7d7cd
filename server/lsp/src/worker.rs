//! The worker that owns the tree of a document and checks it.

mod later;
mod window;

use super::convert;
use super::document::{
    CheckedText, Converted, DocumentChange, DocumentWork, OpenDocument, ParsedText, Publisher, Timings, Wait,
};
use super::encoder::{Encoder, publication};
use super::evaluation;
use super::platform::worker_task;
use super::refresh;
use super::server::Server;
use super::settings::DiagnosticsSettings;
use super::sync::lock;
use futures::FutureExt;
use ptx_analysis::{Analyzer, DiagnosticList, Figures, Report, SharedReport, generated};
use ptx_clock::Instant;
use ptx_ide::holding::{BREAKING, Split, soften};
use ptx_launch::files::is_markup;
use ptx_syntax::{Rope, Snapshot};
use std::num::NonZero;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use window::Window;

/// Time without an edit after which a document is idle and the flow lints run.
const IDLE_DELAY: Duration = Duration::from_millis(250);

/// The number of diagnostics that are read beyond those that may be sent, since some are held back.
const MAX_USUALLY_HELD: usize = 64;

/// Owns the tree of a document and the memory of its checks.
pub struct Worker {
    shared: Arc<Server>,
    document: Arc<OpenDocument>,
    publisher: Publisher,
    tree: Option<ptx_syntax::Document>,
    analyzer: Analyzer,
    encoder: Encoder,
}

/// The result of a publication.
struct PublicationResult {
    /// Time after the last edit at which held-back diagnostics become due.
    due: Option<Duration>,
    /// Whether the client has something new to show.
    new: bool,
}

/// The diagnostics of a text, with the context that publishes them.
struct TextDiagnostics<'a> {
    work: &'a DocumentWork,
    snapshot: &'a Snapshot,
    context: &'a convert::ConversionContext<'a>,
    settings: &'a DiagnosticsSettings,
    report: &'a Arc<SharedReport>,
    /// Whether the flow lints have run on this text.
    complete: bool,
}

impl TextDiagnostics<'_> {
    /// Whether diagnostics may be held back: it must be possible to send them to the client later.
    fn holds(&self) -> bool {
        let session = &self.context.session;
        self.settings.hold_back && (!session.pulls_diagnostics || session.refreshes_diagnostics)
    }
}

impl Worker {
    /// Starts a worker for a document.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(
        shared: Arc<Server>,
        document: Arc<OpenDocument>,
        publisher: Publisher,
        _: &str,
    ) -> std::io::Result<()> {
        let (platform, uri) = (Arc::clone(&shared.platform), document.uri.clone());
        let demand = Arc::clone(&document.demand);
        let worker =
            || Self { shared, document, publisher, tree: None, analyzer: analyzer(), encoder: Encoder::default() };
        platform.start_worker(uri.as_str(), demand, worker_task(|| worker().run()))
    }

    async fn run(mut self) {
        while let Some(mut work) = self.document.take().await {
            let changes = std::mem::take(&mut work.changes);
            if self.document.history.takes_spared() {
                self.give_up(&work).await;
                continue;
            }
            if AssertUnwindSafe(self.step(&work, changes)).catch_unwind().await.is_ok() {
                continue;
            }
            // The edit may be half applied; start again from the text.
            self.shared.failed(self.document.uri.as_str());
            self.tree = None;
            self.analyzer = analyzer();
            let again = self.step(&work, vec![DocumentChange::Replace]);
            if AssertUnwindSafe(again).catch_unwind().await.is_err() {
                self.give_up(&work).await;
            }
        }
    }

    /// Forgets all about the text: it is unknown, not PTX, or its check failed.
    fn forget(&mut self) {
        self.tree = None;
        self.analyzer = analyzer();
        self.document.history.forget_text();
        self.publisher.facts.send_replace(Arc::default());
    }

    /// Publishes an empty result after the check of this text failed, so that requests do not wait for it.
    async fn give_up(&mut self, work: &DocumentWork) {
        let revision = work.revision;
        self.forget();
        self.publisher.parsed.send_modify(|parsed| {
            if parsed.as_ref().is_none_or(|p| p.revision < revision) {
                *parsed = Some(Arc::new(ParsedText::nothing(revision)));
            }
        });
        self.report(work, CheckedText::nothing(revision, work.version, Timings::default())).await;
    }

    async fn step(&mut self, work: &DocumentWork, changes: Vec<DocumentChange>) {
        let revision = work.revision;
        let begin = Instant::now();
        #[cfg(test)]
        tests::trip(&work.rope, "FIRST");
        if work.lost || is_markup(work.rope.chars()) {
            self.forget();
            self.publisher.parsed.send_replace(Some(Arc::new(ParsedText::nothing(revision))));
            let timings = Timings { parse: begin.elapsed(), ..Timings::default() };
            return self.report(work, CheckedText::nothing(revision, work.version, timings)).await;
        }
        let snapshot = self.tree(&work.rope, changes).snapshot();
        if work.saved {
            self.document.history.holding().stop();
        }
        let parse = begin.elapsed();
        self.document.share(revision, snapshot.rope());
        let figures = {
            let (figures, of) = &mut *lock(&self.document.history.figures);
            let edits = of.and_then(|last| snapshot.edits_since(last));
            (*figures, *of) = (Arc::new(figures.moved(edits)), Some(snapshot.id()));
            Arc::clone(figures)
        };
        self.hand_over(revision, &snapshot, figures, false);
        if self.document.is_stale(revision) {
            return;
        }
        let settings = self.shared.state.settings_of(&self.document.uri);
        let begin = Instant::now();
        // The settings contain only names that the tables have.
        let _ = self.analyzer.set_target(settings.target.as_deref());
        self.analyzer.set_project(settings.project.clone());
        let enabled = settings.diagnostics.enable;
        let report = match enabled {
            true => {
                let Some(report) = self.check(&snapshot, revision).await else { return };
                report.in_editor(&snapshot)
            }
            false => Default::default(),
        };
        let report = Arc::new(report);
        let remembered_lints = if enabled { self.analyzer.remembered_lints() } else { DiagnosticList::default() };
        let check = begin.elapsed();
        if self.document.is_stale(revision) {
            return;
        }
        let document = Arc::clone(&self.document);
        let context = convert::ConversionContext {
            uri: &document.uri,
            rope: snapshot.rope(),
            session: self.shared.state.session(),
        };
        let timings = Timings { parse, check, ..Timings::default() };
        let mut text_diagnostics = TextDiagnostics {
            work,
            snapshot: &snapshot,
            context: &context,
            settings: &settings.diagnostics,
            report: &report,
            complete: !enabled,
        };
        let mut due = self.publish(&text_diagnostics, &remembered_lints, timings).await.due;
        let platform = Arc::clone(&self.shared.platform);
        match self.document.wait(&*platform, revision, Instant::now() + IDLE_DELAY, due.is_some()).await {
            Wait::Stale => return,
            Wait::Saved => self.document.history.holding().stop(),
            Wait::Over => {}
        }
        let begin = Instant::now();
        let target = match enabled {
            true => report.environment.target,
            false => {
                let Some(report) = self.check(&snapshot, revision).await else { return };
                report.environment.target
            }
        };
        // Before the server answers requests, the code of the lints is not there. Then all documents are checked again.
        let mut passed = self.shared.is_connected();
        let lints = AssertUnwindSafe(async {
            if !passed {
                return Some(Vec::new());
            }
            #[cfg(test)]
            tests::trip(&work.rope, "SECOND");
            self.lints(&snapshot, revision).await
        });
        let lints = lints.catch_unwind().await;
        let lints = match lints {
            Ok(Some(lints)) => lints,
            Ok(None) => return,
            Err(_) => {
                // The results of the checks stay valid.
                self.shared.failed(self.document.uri.as_str());
                self.analyzer = analyzer();
                passed = false;
                Vec::new()
            }
        };
        text_diagnostics.complete |= passed;
        let changed = passed && lints != remembered_lints.to_vec();
        let lints = DiagnosticList::from(lints);
        // A client that has pulled this revision need not pull again if nothing has changed.
        if enabled && changed {
            let timings = Timings { lints: begin.elapsed(), ..timings };
            let published = self.publish(&text_diagnostics, &lints, timings).await;
            due = published.due;
            // Clients that pull diagnostics are asked to pull again.
            if published.new {
                refresh::diagnostics(&self.shared);
            }
        }
        // A client that learns that the flow lints are complete may pull their diagnostics next.
        if passed {
            self.take_figures(&snapshot, revision, target);
        }
        if let Some(checked) = self.document.last_checked().filter(|c| passed && c.revision == revision) {
            evaluation::again(&self.shared, &self.document, &checked);
        }
        let lints = if passed { lints } else { remembered_lints };
        while let Some(next) = due {
            match self.document.wait(&*platform, revision, work.edited + next, true).await {
                Wait::Stale => return,
                Wait::Saved => self.document.history.holding().stop(),
                Wait::Over => {}
            }
            let published = self.publish(&text_diagnostics, &lints, timings).await;
            due = published.due;
            if published.new {
                refresh::diagnostics(&self.shared);
            }
        }
    }

    /// Checks a snapshot, in time slices if need be; `None` if the document has changed meanwhile.
    async fn check(&mut self, snapshot: &Snapshot, revision: u64) -> Option<SharedReport> {
        let (document, platform) = (Arc::clone(&self.document), Arc::clone(&self.shared.platform));
        let analyzer = &mut self.analyzer;
        platform.in_slices(&|| document.is_stale(revision), |stop| analyzer.check_until(snapshot, stop)).await
    }

    /// Runs the flow lints in the same way.
    async fn lints(&mut self, snapshot: &Snapshot, revision: u64) -> Option<Vec<ptx_analysis::Diagnostic>> {
        let (document, platform) = (Arc::clone(&self.document), Arc::clone(&self.shared.platform));
        loop {
            let stale = || document.is_stale(revision);
            let pass = later::lints(&mut self.analyzer, snapshot, &|| platform.slice_is_over(), &stale);
            if pass.is_some() {
                return pass;
            }
            platform.next_slice().await;
            if stale() {
                return None;
            }
        }
    }

    /// Stores the register report of the flow lints.
    fn take_figures(
        &mut self,
        snapshot: &Snapshot,
        revision: u64,
        target: Option<&'static ptx_isa::tables::TargetInfo>,
    ) {
        let before = Arc::clone(&lock(&self.document.history.figures).0);
        let (facts, figures) = later::figures(&self.analyzer, &before, snapshot, target);
        self.publisher.facts.send_replace(Arc::new(facts));
        let figures_changed = !figures.looks_like(&before);
        let figures = Arc::new(figures);
        lock(&self.document.history.figures).0 = Arc::clone(&figures);
        self.hand_over(revision, snapshot, figures, true);
        if figures_changed {
            refresh::registers(&self.shared, &self.shared.state.settings_of(&self.document.uri));
        }
    }

    /// Publishes a tree with the register report.
    fn hand_over(&self, revision: u64, snapshot: &Snapshot, figures: Arc<Figures>, complete: bool) {
        let snapshot = Some(snapshot.clone());
        self.publisher.parsed.send_replace(Some(Arc::new(ParsedText { revision, snapshot, figures, complete })));
    }

    /// Publishes the diagnostics that are not held back, unless the client has received exactly those for this revision.
    async fn publish(
        &mut self,
        found: &TextDiagnostics<'_>,
        lints: &DiagnosticList,
        timings: Timings,
    ) -> PublicationResult {
        self.shared.platform.until_edits_are_handled().await;
        if self.document.is_stale(found.work.revision) {
            return PublicationResult { due: None, new: false };
        }
        let begin = Instant::now();
        let (work, context, settings) = (found.work, found.context, found.settings);
        let enabled = settings.enable;
        let faults = if enabled { self.document.history.evaluation.faults(found.snapshot) } else { Vec::new() };
        let all_diagnostics = found.report.diagnostics.clone().with(lints.clone()).with(faults.into());
        let unfiltered = enabled.then(|| Arc::clone(found.report));
        let generated = generated::is_generated(found.snapshot);
        let (chosen, split) = self.choose(found, &all_diagnostics, generated);
        let (diagnostics, held) = convert::limited(context.uri, settings.limit, chosen, split.held);
        let converted = Converted::later(context.uri.clone(), context.session);
        let report = Report { diagnostics, environment: found.report.environment.clone() };
        let timings = Timings { convert: begin.elapsed(), ..timings };
        let (revision, version, snapshot) = (work.revision, work.version, Some(found.snapshot.clone()));
        let before = self.document.last_checked().filter(|c| c.revision == revision);
        let stage = before.as_ref().map_or(0, |c| c.stage);
        let mut checked =
            CheckedText { revision, stage, version, snapshot, report, converted, held, unfiltered, timings };
        let new = before.is_none_or(|before| before.published() != checked.published());
        if new {
            checked.stage += 1;
            self.report(work, checked).await;
        } else {
            // Code actions need the held-back diagnostics too.
            self.publisher.checked.send_replace(Some(Arc::new(checked)));
        }
        PublicationResult { due: split.due, new }
    }

    /// Chooses diagnostics to show, at least as many as the client may be sent or all, and decides which of them are held back.
    fn choose(
        &self,
        found: &TextDiagnostics<'_>,
        all: &DiagnosticList,
        generated: bool,
    ) -> (Vec<ptx_analysis::Diagnostic>, Split) {
        let (settings, holds) = (found.settings, found.holds());
        let mut holding = self.document.history.holding();
        let level = |code, severity| settings.levels.shown(code, severity, generated);
        let limit = settings.limit;
        // Those that are held back take no place from others. Mostly it is those of the statement that is being typed.
        let mut places = limit.saturating_add(MAX_USUALLY_HELD);
        loop {
            let Window { found: mut wanted, last } = Window::new(all, places, level);
            let split = if holds {
                let broken = all.of_codes(&BREAKING).into_iter().filter(|d| level(d.code(), d.severity()).is_some());
                let broken = &mut broken.map(|d| d.range().start);
                holding.split_part(found.snapshot, &wanted, broken, found.work.edited.elapsed())
            } else {
                Split::everything(wanted.len())
            };
            let visible_count = split.held.iter().filter(|held| !**held).count();
            if last.is_some() && visible_count < limit {
                places = places.saturating_mul(4);
                continue;
            }
            holding.published(&wanted, &split, found.complete);
            holding.left_out_after(last);
            soften(found.snapshot, &mut wanted);
            return (wanted, split);
        }
    }

    /// Applies the changes and returns the tree of the current text.
    fn tree(&mut self, rope: &Rope, changes: Vec<DocumentChange>) -> &mut ptx_syntax::Document {
        if self.tree.is_none() || changes.contains(&DocumentChange::Replace) {
            // The rope already contains the edits before and after a replacement.
            self.document.history.holding().stop();
            return self.tree.insert(ptx_syntax::Document::in_chunks(&String::from(rope), threads()));
        }
        let tree = self.tree.get_or_insert_with(|| ptx_syntax::Document::new(""));
        let mut holding = self.document.history.holding();
        for change in changes {
            if let DocumentChange::Edit(range, text) = change {
                holding.edit(tree.rope(), &range, &text);
                tree.edit(range, &text);
            }
        }
        holding.settle(tree.rope());
        tree
    }

    async fn report(&mut self, work: &DocumentWork, checked: CheckedText) {
        let (uri, session, encoder) = (&self.document.uri, self.shared.state.session(), &mut self.encoder);
        let encode = |checked: &CheckedText| match &checked.snapshot {
            Some(snapshot) => {
                let context = convert::ConversionContext { uri, rope: snapshot.rope(), session };
                encoder.publication(&context, work.version, checked.shown())
            }
            None => publication(uri, Some(work.version), &[]),
        };
        report(&self.shared, (&self.document, &self.publisher), work, checked, encode).await;
    }
}

/// Stores the diagnostics of a text for requests, and sends those that are not held back to a client that does not pull them. `encode` makes
/// the notification.
pub async fn report(
    shared: &Server,
    (document, publisher): (&OpenDocument, &Publisher),
    work: &DocumentWork,
    checked: CheckedText,
    encode: impl FnOnce(&CheckedText) -> Vec<u8>,
) {
    let timings = checked.timings;
    let checked = Arc::new(checked);
    // The previous result is dropped after the message is sent.
    let _previous = publisher.checked.send_replace(Some(Arc::clone(&checked)));
    if !shared.state.session().pulls_diagnostics {
        while shared.outgoing.is_congested() {
            if document.is_stale(work.revision) {
                return;
            }
            shared.platform.sleep(Duration::from_millis(10)).await;
        }
        let body = encode(&checked);
        document.if_current(work.revision, || shared.outgoing.encoded(body));
    }
    let diagnostics = checked.report.diagnostics.len();
    tracing::debug!(version = work.version, diagnostics, ?timings, "checked {}", document.uri.as_str());
}

/// Number of threads for a check of a long text: with more than two processors, one is left for requests.
pub fn threads() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    if processors > 2 { (processors - 1).min(8) } else { processors }
}

/// Creates an analyzer that keeps the flow facts and addresses for hovers and hints.
fn analyzer() -> Analyzer {
    let mut out = Analyzer::default();
    out.keep_addresses();
    out.set_threads(threads());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Backend;
    use crate::native::ThreadPools;
    use crate::position::ColumnEncoding;
    use crate::state::ServerMode;
    use ptx_wire::framing::read_message;
    use ptx_wire::outgoing::Outgoing;
    use serde_json::Value;
    use std::io::BufReader;
    use std::sync::OnceLock;
    use std::sync::mpsc::{Receiver, channel};
    use tower_lsp_server::LspService;
    use tower_lsp_server::ls_types::{TextDocumentContentChangeEvent, Uri};

    /// Panics if a text contains a word; no real text is known to cause a panic.
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
        let threads = ThreadPools::new().unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        let outgoing = Outgoing::start(writer).unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            while let Ok(Some(body)) = read_message(&mut reader) {
                let _ = sender.send(serde_json::from_slice(&body).unwrap());
            }
        });
        let state: OnceLock<Arc<Server>> = OnceLock::new();
        let (_service, _socket) = LspService::new(|client| {
            let shared =
                Server::new(outgoing.clone(), Arc::new(threads.pools(Arc::default())), ServerMode::Ptx, Worker::start);
            shared.connect(client);
            Backend::new(Arc::clone(state.get_or_init(|| Arc::new(shared))))
        });
        let shared = state.get().unwrap();
        let uri: Uri = "file:///a.ptx".parse().unwrap();
        shared.open(uri.clone(), &text("FIRST"), 1);
        // No request waits forever, and the failure is reported to the user.
        assert_eq!(next(&messages, 1), (0, 1));
        let document = shared.state.document(&uri).unwrap();
        let change = |version: i32, word: &str| {
            let all = TextDocumentContentChangeEvent { range: None, range_length: None, text: text(word) };
            document.change(ColumnEncoding::Utf16, version, vec![all]);
        };
        for version in 2..5 {
            change(version, "still FIRST");
            assert_eq!(next(&messages, version), (0, 0));
        }
        change(5, "fine");
        assert_eq!(next(&messages, 5), (1, 0));
        // The diagnostics of the checks stay valid if the flow lints fail; each document has its own message.
        let other: Uri = "file:///b.ptx".parse().unwrap();
        shared.open(other, &text("SECOND"), 6);
        assert_eq!(next(&messages, 6), (1, 0));
        let message = messages.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(message["method"], "window/showMessage");
        assert!(message["params"]["message"].as_str().unwrap().contains("file:///b.ptx"), "{message}");
    }
}
