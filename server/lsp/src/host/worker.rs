//! The worker that follows the PTX in the strings of a document and checks it.

use crate::compile_commands::LookupBoundary;
use crate::convert::{self, ConversionContext};
use crate::document::{CheckedText, DocumentChange, DocumentWork, HostText, OpenDocument, Publisher, Timings, Wait};
use crate::encoder::publication;
use crate::platform::worker_task;
use crate::refresh;
use crate::server::Server;
use crate::settings::Settings;
use crate::spelling::file_name;
use crate::worker::{report, threads};
use futures::FutureExt;
use ptx_analysis::{Report, TargetSet};
use ptx_clock::Instant;
use ptx_host::{Edit, GroupResult, Host, HostChecker, HostTargets, Language, Placed, in_text};
use ptx_syntax::Rope;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// Follows a document.
pub struct HostWorker {
    shared: Arc<Server>,
    document: Arc<OpenDocument>,
    publisher: Publisher,
    /// `None`: there is no PTX in files of this language.
    language: Option<Language>,
    text: String,
    host: Option<Host>,
    checker: HostChecker,
}

impl HostWorker {
    /// Starts a worker for a document. `language` is the client's name of its language.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(
        shared: Arc<Server>,
        document: Arc<OpenDocument>,
        publisher: Publisher,
        language: &str,
    ) -> std::io::Result<()> {
        let language = Language::of_language_id(language).or_else(|| {
            let path = document.uri.path().as_str();
            Language::of_file_name(path.rsplit('/').next().unwrap_or(path))
        });
        let (platform, uri) = (Arc::clone(&shared.platform), document.uri.clone());
        let worker =
            Self { shared, document, publisher, language, text: String::new(), host: None, checker: checker() };
        let demand = Arc::clone(&worker.document.demand);
        platform.start_worker(uri.as_str(), demand, worker_task(|| worker.run()))
    }

    async fn run(mut self) {
        let _ = self.document.history.built.set(self.built());
        while let Some(mut work) = self.document.take().await {
            let changes = std::mem::take(&mut work.changes);
            if self.document.history.takes_spared() {
                self.forget();
                self.nothing(&work).await;
                continue;
            }
            if AssertUnwindSafe(self.step(&work, changes)).catch_unwind().await.is_ok() {
                continue;
            }
            // The edit may be half applied; start again from the text.
            self.shared.failed(self.document.uri.as_str());
            self.forget();
            let again = self.step(&work, vec![DocumentChange::Replace]);
            if AssertUnwindSafe(again).catch_unwind().await.is_err() {
                self.forget();
                self.nothing(&work).await;
            }
        }
    }

    /// The targets for which the build compiles the document.
    fn built(&self) -> Option<TargetSet> {
        let path = file_name(&self.document.uri).path()?;
        let folders = self.shared.state.folders();
        let folder = folders.of(&self.document.uri).and_then(|folder| folder.name.path());
        let boundary =
            folder.as_deref().map_or(LookupBoundary::Repository { otherwise: None }, LookupBoundary::Workspace);
        self.shared.commands.targets(&path, boundary)
    }

    fn forget(&mut self) {
        self.host = None;
        self.checker = checker();
        self.document.history.forget_text();
    }

    /// Publishes that a text has no PTX, so that requests do not wait.
    async fn nothing(&self, work: &DocumentWork) {
        self.hand_over(work, Arc::default(), Some(Arc::default()));
        let checked = CheckedText::nothing(work.revision, work.version, Timings::default());
        report(&self.shared, (&self.document, &self.publisher), work, checked, |checked| {
            publication(&self.document.uri, Some(work.version), &checked.published())
        })
        .await;
    }

    fn hand_over(&self, work: &DocumentWork, groups: Arc<[Placed]>, results: Option<Arc<[GroupResult]>>) {
        let text = HostText {
            revision: work.revision,
            version: work.version,
            rope: work.rope.clone(),
            groups,
            results,
            targets: self.checker.targets().clone(),
        };
        self.publisher.host.send_replace(Some(Arc::new(text)));
    }

    async fn step(&mut self, work: &DocumentWork, changes: Vec<DocumentChange>) {
        let revision = work.revision;
        let begin = Instant::now();
        let Some(language) = self.language.filter(|_| !work.lost) else {
            self.forget();
            return self.nothing(work).await;
        };
        let groups: Arc<[Placed]> = self.follow(language, &work.rope, changes).groups().into();
        if work.saved {
            self.document.history.host_holding().stop();
        }
        let settings = self.shared.state.settings_of(&self.document.uri);
        self.checker.set_targets(self.targets(&settings));
        let parse = begin.elapsed();
        self.hand_over(work, Arc::clone(&groups), None);
        if self.document.is_stale(revision) {
            return;
        }
        let begin = Instant::now();
        let document = Arc::clone(&self.document);
        let results = if settings.diagnostics.enable {
            let (platform, checker) = (Arc::clone(&self.shared.platform), &mut self.checker);
            let is_stale = || document.is_stale(revision);
            let check = platform.in_slices(&is_stale, |stop| checker.check_until(&groups, stop, &is_stale));
            let Some(results) = check.await else { return };
            results
        } else {
            Vec::new()
        };
        let results: Arc<[GroupResult]> = results.into();
        self.hand_over(work, Arc::clone(&groups), Some(Arc::clone(&results)));
        let timings = Timings { parse, check: begin.elapsed(), ..Timings::default() };
        let mut due = self.publish(work, (&groups, &results), &settings, timings).await;
        while let Some(next) = due {
            match self.document.wait(&*self.shared.platform, revision, work.edited + next, true).await {
                Wait::Stale => return,
                Wait::Saved => self.document.history.host_holding().stop(),
                Wait::Over => {}
            }
            due = self.publish(work, (&groups, &results), &settings, timings).await;
            refresh::diagnostics(&self.shared);
        }
    }

    /// Applies the changes, and returns the PTX of the current text.
    fn follow(&mut self, language: Language, rope: &Rope, changes: Vec<DocumentChange>) -> &Host {
        if self.host.is_none() || changes.contains(&DocumentChange::Replace) {
            // The rope already contains the edits before and after a replacement.
            self.document.history.host_holding().stop();
            self.text = String::from(rope);
            return self.host.insert(Host::new(language, &self.text));
        }
        let host = self.host.get_or_insert_with(|| Host::new(language, ""));
        for change in changes {
            if let DocumentChange::Edit(range, new) = change {
                self.document.history.host_holding().edit(&range, &new);
                self.text.replace_range(range.clone(), &new);
                let edit = Edit { start: range.start, old_end: range.end, new_end: range.start + new.len() };
                host.edit(&self.text, edit);
            }
        }
        host
    }

    fn targets(&self, settings: &Settings) -> HostTargets {
        let named = settings.inline.targets.iter().map(|target| target.name);
        // The settings contain only names that the tables have.
        let named = TargetSet::named(named, None).ok().filter(|set| !set.is_empty());
        HostTargets {
            targets: named.or_else(|| self.document.history.built.get().cloned().flatten()).unwrap_or_default(),
            forced: false,
        }
    }

    /// Publishes the diagnostics that are not held back; returns the time since the last edit at which others are due.
    async fn publish(
        &mut self,
        work: &DocumentWork,
        (groups, results): (&[Placed], &[GroupResult]),
        settings: &Settings,
        timings: Timings,
    ) -> Option<Duration> {
        self.shared.platform.until_edits_are_handled().await;
        if self.document.is_stale(work.revision) {
            return None;
        }
        let begin = Instant::now();
        let document = Arc::clone(&self.document);
        let session = self.shared.state.session();
        let context = ConversionContext { uri: &document.uri, rope: &work.rope, session };
        let mut levels = settings.diagnostics.levels.clone();
        super::host_levels(&mut levels);
        let found = levels.apply(in_text(groups, results));
        let holds = settings.diagnostics.hold_back && (!session.pulls_diagnostics || session.refreshes_diagnostics);
        let (held, due) = if holds {
            self.document.history.host_holding().split(groups, &found, work.edited.elapsed())
        } else {
            (vec![false; found.len()], None)
        };
        self.document.history.host_holding().published(&found, &held);
        let (found, held) = convert::limited(&document.uri, settings.diagnostics.limit, found, held);
        let diagnostics = convert::diagnostics(&context, &found);
        let before = self.document.last_checked().filter(|c| c.revision == work.revision);
        let checked = CheckedText {
            revision: work.revision,
            stage: before.map_or(0, |c| c.stage + 1),
            version: work.version,
            snapshot: None,
            report: Report { diagnostics: found, ..Report::default() },
            converted: diagnostics.into(),
            held,
            unfiltered: None,
            timings: Timings { convert: begin.elapsed(), ..timings },
        };
        report(&self.shared, (&self.document, &self.publisher), work, checked, |checked| {
            publication(&self.document.uri, Some(work.version), &checked.published())
        })
        .await;
        due
    }
}

fn checker() -> HostChecker {
    let mut out = HostChecker::default();
    out.set_threads(threads());
    out
}
