//! The runs of documents: what a run of a text is, what a document remembers of its runs, and how many are kept.
//!
//! It knows no server and starts no run: `evaluation` does. The results of a run, hints and findings, are shown only while the text is the
//! one that was run.

mod hints;
mod later;

use super::settings::EvaluationSettings;
use super::sync::lock;
pub use hints::hints;
use ptx_analysis::Diagnostic;
use ptx_gate::files::PrivateFolder;
use ptx_interp::machine::WarpId;
use ptx_launch::choose::{LaunchOrigin, LaunchQuery};
use ptx_launch::evaluate::{LaunchModule, LaunchRun};
use ptx_launch::limit::RunLimit;
use ptx_syntax::{Snapshot, SnapshotId};
use ptx_view::line_values::LastValues;
use ptx_view::{Course, document};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// Maximum number of stored runs, because each contains copies of its machine.
const MAX_RUNS: usize = 4;

/// Maximum size of the stored runs in bytes. The last one is stored whatever its size is.
const MAX_RUN_BYTES: u64 = 512 << 20;

/// The lane whose values are shown in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Focus {
    /// The warp.
    pub target: WarpId,
    /// The lane.
    pub lane: u32,
    /// The step of the warp after which the values are shown; `None` for the end of the run.
    pub step: Option<u64>,
}

/// The launch that a document is evaluated for, and the lane to show.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationGoal {
    /// The kernel and its launch.
    pub question: LaunchQuery,
    focus: Option<Focus>,
}

/// Checks and limits of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationLimits {
    /// The checks of a run.
    pub checks: ptx_interp::findings::Checks,
    /// Maximum number of steps.
    pub steps: usize,
    /// Maximum time.
    pub time: Duration,
}

impl EvaluationLimits {
    /// Returns the limits that the settings name.
    pub fn new(settings: &EvaluationSettings) -> Self {
        let time = Duration::from_secs(settings.seconds as u64);
        Self { checks: settings.checks, steps: settings.steps, time }
    }
}

/// Result of evaluating a text.
pub struct Evaluation {
    /// The text that was run.
    pub snapshot: Snapshot,
    /// The lowered module.
    pub module: LaunchModule,
    /// Name of the kernel.
    pub entry: String,
    /// Number of launches written above the kernel.
    pub launches: usize,
    /// The run.
    pub done: LaunchRun,
    /// The query that it answers.
    pub question: LaunchQuery,
    /// Its checks and limits.
    pub limits: EvaluationLimits,
    /// Its views, as far as they were asked for.
    pub views: EvaluationViews,
}

/// Views of a run, each made when it is first asked for.
#[derive(Debug, Default)]
pub struct EvaluationViews {
    values: Mutex<Option<Arc<LastValues>>>,
    course: Mutex<Option<Arc<Course>>>,
    /// The result document, with the warp that it describes.
    result: Mutex<Option<(WarpId, String)>>,
}

impl std::fmt::Debug for Evaluation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluation").field("entry", &self.entry).finish_non_exhaustive()
    }
}

impl Evaluation {
    /// Whether a text is the one that was run.
    pub fn is_of(&self, snapshot: &Snapshot) -> bool {
        let (run, current) = (self.snapshot.rope(), snapshot.rope());
        self.snapshot.id() == snapshot.id() || (run.len_bytes() == current.len_bytes() && run == current)
    }

    /// Whether the run had less time than the settings allow, and needed more.
    pub fn is_cut_short(&self) -> bool {
        matches!(self.done.limit, Some(RunLimit::Time(time)) if time < self.limits.time)
    }

    /// Whether the launch is written above the kernel.
    pub fn is_written(&self) -> bool {
        self.question.launch == LaunchOrigin::Above && self.launches > 0
    }

    /// Returns the notification for clients with their own view.
    pub fn summary(&self) -> Value {
        json!({
            "entry": self.entry,
            "status": self.done.run.status.name(),
            "faults": self.done.faults().len(),
            "steps": self.done.run.machine.steps,
        })
    }

    /// Returns the course of a warp (cached).
    pub fn course(&self, target: WarpId, cancelled: &dyn Fn() -> bool) -> Arc<Course> {
        let course = lock(&self.views.course).clone();
        if let Some(cached) = course.filter(|c| c.target == target) {
            return cached;
        }
        let new_course = Arc::new(Course::new(&self.done, target, cancelled));
        if !cancelled() {
            *lock(&self.views.course) = Some(Arc::clone(&new_course));
        }
        new_course
    }

    /// Returns the result document of a warp (cached).
    pub fn result(&self, course: &Course, cancelled: &dyn Fn() -> bool) -> String {
        let result = lock(&self.views.result).clone();
        if let Some((_, text)) = result.filter(|(target, _)| *target == course.target) {
            return text;
        }
        let rope = self.snapshot.rope();
        let line = |offset: usize| rope.byte_to_line(offset.min(rope.len_bytes())) + 1;
        let text = document::markdown(&self.done, course, &line, &|range| self.module.text.get(range), cancelled);
        if !cancelled() {
            *lock(&self.views.result) = Some((course.target, text.clone()));
        }
        text
    }

    /// Returns the values that instructions wrote last, up to a step of a warp (cached).
    fn values(&self, focus: &Focus, cancelled: &dyn Fn() -> bool) -> Arc<LastValues> {
        let last = self.course(focus.target, cancelled).steps.saturating_sub(1);
        let until = focus.step.map_or(last, |step| step.min(last));
        let values = lock(&self.views.values).clone();
        if let Some(cached) = values.filter(|v| v.target == focus.target && v.until == until) {
            return cached;
        }
        let last_values = Arc::new(LastValues::new(&self.done, focus.target, until, cancelled));
        if !cancelled() {
            *lock(&self.views.values) = Some(Arc::clone(&last_values));
        }
        last_values
    }
}

/// The evaluation of a document: its goal, and the last run.
#[derive(Debug, Default)]
pub struct EvaluationSlot(Mutex<EvaluationState>);

#[derive(Debug, Default)]
struct EvaluationState {
    wanted: Option<EvaluationGoal>,
    last: Option<Arc<Evaluation>>,
    /// Whether a run is in progress.
    running: bool,
    /// Whether a newer text was checked during the run.
    again: bool,
    /// The text of the last repeated run, whatever its result.
    tried: Option<SnapshotId>,
    /// The revision of the newest text that a request was about.
    asked: u64,
}

/// The files of result documents.
#[derive(Debug, Default)]
struct ResultFiles {
    folder: Option<PrivateFolder>,
    written: u64,
    /// The newest file of each kernel.
    newest: HashMap<String, PathBuf>,
}

/// All evaluations of the server: the documents with a run (the newest last), and the files of result documents.
#[derive(Debug, Default)]
pub struct Evaluations {
    recent: Mutex<VecDeque<Weak<EvaluationSlot>>>,
    results: Mutex<ResultFiles>,
}

impl EvaluationSlot {
    /// Returns the last run if it is of this text.
    pub fn fresh(&self, snapshot: &Snapshot) -> Option<Arc<Evaluation>> {
        lock(&self.0).last.clone().filter(|e| e.is_of(snapshot))
    }

    /// Whether a run of this text is still expected: the document is followed, and this text was neither run nor tried.
    pub fn is_pending(&self, snapshot: &Snapshot) -> bool {
        let inside = lock(&self.0);
        let is_current = inside.last.as_ref().is_some_and(|e| e.is_of(snapshot)) || inside.tried == Some(snapshot.id());
        inside.wanted.is_some() && !is_current
    }

    /// Returns the lane whose values are shown.
    pub fn focus(&self) -> Option<Focus> {
        lock(&self.0).wanted.as_ref().and_then(|w| w.focus)
    }

    /// Sets the lane whose values are shown, or none. Returns whether that is a change.
    pub fn set_focus(&self, focus: Option<Focus>) -> bool {
        let mut inside = lock(&self.0);
        let Some(goal) = &mut inside.wanted else { return false };
        let before = std::mem::replace(&mut goal.focus, focus);
        before != focus
    }

    /// Stops following the document. Returns whether it was followed.
    pub fn clear(&self) -> bool {
        let before = std::mem::take(&mut *lock(&self.0));
        before.wanted.is_some() || before.last.is_some()
    }

    /// Returns the state for `serverStatus`.
    pub fn status(&self) -> Value {
        let inside = lock(&self.0);
        let Some(goal) = &inside.wanted else { return Value::Null };
        let last = inside.last.as_ref().map(|e| {
            let run = &e.done.run;
            json!({
                "status": run.status.name(), "warp_instructions": run.machine.steps,
                "milliseconds": e.done.time.as_secs_f64() * 1e3, "snapshots": run.snapshots(),
            })
        });
        json!({ "entry": goal.question.entry, "running": inside.running, "last": last })
    }

    /// Returns the findings of the last run, if it is of this text.
    pub fn faults(&self, snapshot: &Snapshot) -> Vec<Diagnostic> {
        let Some(evaluation) = self.fresh(snapshot) else { return Vec::new() };
        later::faults(&evaluation)
    }
}

impl EvaluationSlot {
    /// Records that a request is about a text.
    pub fn asked(&self, revision: u64) {
        let mut inside = lock(&self.0);
        inside.asked = inside.asked.max(revision);
    }

    /// Whether a request was about the text of a revision, or a newer one. A run of an older text is then outdated.
    pub fn was_asked_about(&self, revision: u64) -> bool {
        lock(&self.0).asked >= revision
    }

    /// Stores the goal. Returns whether there was a goal before.
    pub fn want(&self, evaluation: &Evaluation, question: &LaunchQuery) -> bool {
        let mut inside = lock(&self.0);
        // The kernel is stored by name, which stays valid when lines move; the lane is kept only for the same kernel.
        let question = LaunchQuery { entry: Some(evaluation.entry.clone()), at: None, ..question.clone() };
        let focus = inside.wanted.as_ref().filter(|w| w.question.entry == question.entry).and_then(|w| w.focus);
        inside.wanted.replace(EvaluationGoal { question, focus }).is_some()
    }

    /// Begins a run that no request started: returns what the document is evaluated for, if it is followed, and no run of this text is known
    /// or in progress.
    pub fn begin_repeat(&self, snapshot: &Snapshot) -> Option<EvaluationGoal> {
        let mut inside = lock(&self.0);
        let fresh = inside.last.as_ref().is_some_and(|e| e.is_of(snapshot));
        let goal = inside.wanted.clone().filter(|_| !fresh)?;
        if std::mem::replace(&mut inside.running, true) {
            inside.again = true;
            return None;
        }
        Some(goal)
    }

    /// Ends it.
    pub fn end_repeat(&self, snapshot: &Snapshot) -> EndOfRepeat {
        let mut inside = lock(&self.0);
        inside.running = false;
        inside.tried = Some(snapshot.id());
        EndOfRepeat { is_followed: inside.wanted.is_some(), newer: std::mem::take(&mut inside.again) }
    }
}

/// The state of a document when a run ends that no request started.
#[derive(Debug, Clone, Copy)]
pub struct EndOfRepeat {
    /// Whether the document is still followed.
    pub is_followed: bool,
    /// Whether a newer text was checked during the run, which left its text to this run.
    pub newer: bool,
}

impl Evaluations {
    /// Stores a run of a document, and drops the oldest one if there are too many.
    pub fn keep(&self, slot: &Arc<EvaluationSlot>, evaluation: Arc<Evaluation>) {
        lock(&slot.0).last = Some(evaluation);
        let mut recent = lock(&self.recent);
        recent.retain(|other| other.upgrade().is_some_and(|other| !Arc::ptr_eq(&other, slot)));
        recent.push_back(Arc::downgrade(slot));
        let stored = |slot: &Weak<EvaluationSlot>| {
            let slot = slot.upgrade()?;
            lock(&slot.0).last.as_ref().map(|evaluation| evaluation.done.run.bytes())
        };
        while recent.len() > MAX_RUNS
            || recent.len() > 1 && recent.iter().filter_map(stored).fold(0, u64::saturating_add) > MAX_RUN_BYTES
        {
            if let Some(oldest) = recent.pop_front().and_then(|slot| slot.upgrade()) {
                lock(&oldest.0).last = None;
            }
        }
    }

    /// Writes a result document to a folder that is removed when the server ends.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, name: &str, extension: &str, text: &str) -> std::io::Result<PathBuf> {
        let mut results = lock(&self.results);
        let ResultFiles { folder, written, newest } = &mut *results;
        let folder = match folder {
            Some(folder) => folder,
            None => folder.insert(PrivateFolder::new()?),
        };
        *written += 1;
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
        // Helix does not reload an open file, so each result document gets a new file name.
        let file = format!("{}-{written}.{extension}", plain.chars().take(80).collect::<String>());
        let path = folder.write(&file, text.as_bytes())?;
        if let Some(older) = newest.insert(name.to_owned(), path.clone()) {
            let _ = std::fs::remove_file(older);
        }
        Ok(path)
    }

    /// Removes the result documents.
    pub fn end(&self) {
        lock(&self.results).folder.take();
    }
}
