//! Evaluations of open documents: the request, the last run, and repeated runs after edits.
//!
//! A document is evaluated on request. From then on it is evaluated again whenever it is idle, until the request is withdrawn.
//! A run works on a copy of the module, away from the threads of the protocol and of the document. Its results, hints and
//! findings, are shown only while the text is the one that was run.

mod hints;
mod later;

pub use hints::hints;

use super::document::{CheckedText, OpenDocument};
use super::refresh;
use super::settings::EvaluationSettings;
use super::shared::{Shared, lock};
use super::spelling::file_name;
use ptx_analysis::Diagnostic;
use ptx_analysis::program::ModuleProgram;
use ptx_gate::files::PrivateFolder;
use ptx_interp::machine::{self, WarpId};
use ptx_launch::choose::{LaunchOrigin, LaunchQuery};
use ptx_launch::evaluate::{LaunchModule, LaunchRun};
use ptx_launch::limit::RunLimit;
use ptx_launch::refusal::LaunchRefusal;
use ptx_syntax::{Rope, Snapshot, SnapshotId};
use ptx_view::line_values::LastValues;
use ptx_view::{Course, document};
use ptx_wire::outgoing;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tower_lsp_server::ls_types::Uri;

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
struct EvaluationGoal {
    question: LaunchQuery,
    focus: Option<Focus>,
}

/// Checks and limits of a run.
#[derive(Debug, Clone, PartialEq)]
struct EvaluationLimits {
    checks: ptx_interp::findings::Checks,
    steps: usize,
    time: Duration,
}

impl EvaluationLimits {
    fn new(settings: &EvaluationSettings) -> Self {
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
    question: LaunchQuery,
    limits: EvaluationLimits,
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
        let (own, other) = (self.snapshot.rope(), snapshot.rope());
        self.snapshot.id() == snapshot.id() || (own.len_bytes() == other.len_bytes() && own == other)
    }

    /// Whether the run had less time than the settings allow, and needed more.
    fn is_cut_short(&self) -> bool {
        matches!(self.done.limit, Some(RunLimit::Time(time)) if time < self.limits.time)
    }

    /// Whether the launch is written above the kernel.
    pub fn is_written(&self) -> bool {
        self.question.launch == LaunchOrigin::Above && self.launches > 0
    }

    /// Returns the notification for clients with their own view.
    fn summary(&self) -> Value {
        json!({
            "entry": self.entry,
            "status": ptx_interp::launch::status_name(self.done.run.status),
            "faults": self.done.faults().len(),
            "steps": self.done.run.machine.steps,
        })
    }

    /// Returns the course of a warp (cached).
    pub fn course(&self, target: WarpId, cancelled: &dyn Fn() -> bool) -> Arc<Course> {
        let known = lock(&self.course).clone();
        if let Some(known) = known.filter(|c| c.target == target) {
            return known;
        }
        let found = Arc::new(Course::new(&self.done, target, cancelled));
        if !cancelled() {
            *lock(&self.course) = Some(Arc::clone(&found));
        }
        found
    }

    /// Returns the result document of a warp (cached).
    pub fn result(&self, course: &Course, cancelled: &dyn Fn() -> bool) -> String {
        let known = lock(&self.result).clone();
        if let Some((_, text)) = known.filter(|(target, _)| *target == course.target) {
            return text;
        }
        let rope = self.snapshot.rope();
        let line = |offset: usize| rope.byte_to_line(offset.min(rope.len_bytes())) + 1;
        let text = document::markdown(&self.done, course, &line, &|range| self.module.text.get(range), cancelled);
        if !cancelled() {
            *lock(&self.result) = Some((course.target, text.clone()));
        }
        text
    }

    /// Returns the values that instructions wrote last, up to a step of a warp (cached).
    fn values(&self, focus: &Focus, cancelled: &dyn Fn() -> bool) -> Arc<LastValues> {
        let last = self.course(focus.target, cancelled).steps.saturating_sub(1);
        let until = focus.step.map_or(last, |step| step.min(last));
        let known = lock(&self.values).clone();
        if let Some(known) = known.filter(|v| v.target == focus.target && v.until == until) {
            return known;
        }
        let found = Arc::new(LastValues::new(&self.done, focus.target, until, cancelled));
        if !cancelled() {
            *lock(&self.values) = Some(Arc::clone(&found));
        }
        found
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
    recent: Mutex<VecDeque<Uri>>,
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
        let known = inside.last.as_ref().is_some_and(|e| e.is_of(snapshot)) || inside.tried == Some(snapshot.id());
        inside.wanted.is_some() && !known
    }

    /// Returns the lane whose values are shown.
    pub fn focus(&self) -> Option<Focus> {
        lock(&self.0).wanted.as_ref().and_then(|w| w.focus)
    }

    /// Sets the lane whose values are shown, or none. Returns whether that is a change.
    pub fn set_focus(&self, focus: Option<Focus>) -> bool {
        let mut inside = lock(&self.0);
        let Some(wanted) = &mut inside.wanted else { return false };
        let before = std::mem::replace(&mut wanted.focus, focus);
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
        let Some(wanted) = &inside.wanted else { return Value::Null };
        let last = inside.last.as_ref().map(|e| {
            let run = &e.done.run;
            json!({
                "status": ptx_interp::launch::status_name(run.status), "warp_instructions": run.machine.steps,
                "milliseconds": e.done.time.as_secs_f64() * 1e3, "snapshots": run.snapshots(),
            })
        });
        json!({ "entry": wanted.question.entry, "running": inside.running, "last": last })
    }

    /// Returns the findings of the last run, if it is of this text.
    pub fn faults(&self, snapshot: &Snapshot) -> Vec<Diagnostic> {
        let Some(evaluation) = self.fresh(snapshot) else { return Vec::new() };
        later::faults(&evaluation)
    }
}

/// Evaluates a text, or returns the stored run. From now on the text is evaluated again after edits.
///
/// # Errors
/// If it cannot be run.
pub async fn ask(
    shared: &Arc<Shared>,
    document: &Arc<OpenDocument>,
    checked: &CheckedText,
    question: &LaunchQuery,
    cancelled: &dyn Fn() -> bool,
) -> Result<Arc<Evaluation>, LaunchRefusal> {
    let (evaluation, stored) = stored_or_run(shared, document, checked, question, cancelled).await?;
    if stored {
        document.history.evaluation.want(&evaluation, question);
        return Ok(evaluation);
    }
    let again = document.history.evaluation.want(&evaluation, question);
    shared.evaluations.keep(shared, document, evaluation.clone());
    // The findings are shown with the other diagnostics.
    document.recheck();
    refresh::diagnostics(shared);
    if again {
        // Other views of the document did not send this request.
        tell(shared, &document.uri, checked.version, evaluation.summary());
    }
    Ok(evaluation)
}

/// Evaluates a text as [`ask`] does, but leaves the stored run and the launch that is evaluated again as they are.
///
/// # Errors
/// If it cannot be run.
pub async fn run_aside(
    shared: &Arc<Shared>,
    document: &Arc<OpenDocument>,
    checked: &CheckedText,
    question: &LaunchQuery,
    cancelled: &dyn Fn() -> bool,
) -> Result<Arc<Evaluation>, LaunchRefusal> {
    stored_or_run(shared, document, checked, question, cancelled).await.map(|(evaluation, _)| evaluation)
}

/// Returns the stored run of a text, or a new one, and whether it was stored.
async fn stored_or_run(
    shared: &Shared,
    document: &OpenDocument,
    checked: &CheckedText,
    question: &LaunchQuery,
    cancelled: &dyn Fn() -> bool,
) -> Result<(Arc<Evaluation>, bool), LaunchRefusal> {
    let Some(snapshot) = &checked.snapshot else {
        return Err(LaunchRefusal::new("not-open", "this is no PTX"));
    };
    let settings = shared.settings_of(&document.uri).evaluation.clone();
    if !settings.enable {
        return Err(LaunchRefusal::new("off", "kernels are not evaluated: `ptx-analyzer.evaluation.enable` is off"));
    }
    let limits = EvaluationLimits::new(&settings);
    if let Some(known) = known(shared, document, snapshot, question) {
        return Ok((known, true));
    }
    let module = module(snapshot, checked.unfiltered().as_deref());
    let running = evaluate((shared, document), snapshot, module, question, &limits, None, cancelled);
    let evaluation = Arc::new(running.await?);
    if cancelled() {
        return Err(LaunchRefusal::new("cancelled", "it was cancelled"));
    }
    Ok((evaluation, false))
}

/// Returns the stored run if it answers a query already; this takes no time.
pub fn known(
    shared: &Shared,
    document: &OpenDocument,
    snapshot: &Snapshot,
    question: &LaunchQuery,
) -> Option<Arc<Evaluation>> {
    let settings = shared.settings_of(&document.uri).evaluation.clone();
    let limits = EvaluationLimits::new(&settings);
    let last = document.history.evaluation.fresh(snapshot).filter(|e| e.limits == limits && !e.is_cut_short())?;
    same(&last.question, &last.entry, question, &last.module).then_some(last)
}

/// Whether two queries about a module select the same launch.
fn same(old: &LaunchQuery, entry: &str, new: &LaunchQuery, module: &LaunchModule) -> bool {
    let kernel = module.kernel(new.entry.as_deref(), new.at).map(|k| k.name.to_string());
    kernel.as_deref() == Ok(entry) && (&old.launch, old.number) == (&new.launch, new.number)
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
    fn want(&self, evaluation: &Evaluation, question: &LaunchQuery) -> bool {
        let mut inside = lock(&self.0);
        // The kernel is stored by name, which stays valid when lines move; the lane is kept only for the same kernel.
        let question = LaunchQuery { entry: Some(evaluation.entry.clone()), at: None, ..question.clone() };
        let focus = inside.wanted.as_ref().filter(|w| w.question.entry == question.entry).and_then(|w| w.focus);
        inside.wanted.replace(EvaluationGoal { question, focus }).is_some()
    }
}

impl Evaluations {
    /// Stores a run, and drops the oldest one if there are too many.
    fn keep(&self, shared: &Shared, document: &OpenDocument, evaluation: Arc<Evaluation>) {
        lock(&document.history.evaluation.0).last = Some(evaluation);
        let mut recent = lock(&self.recent);
        recent.retain(|uri| *uri != document.uri);
        recent.push_back(document.uri.clone());
        let stored = |uri: &Uri| {
            let document = shared.document(uri)?;
            lock(&document.history.evaluation.0).last.as_ref().map(|evaluation| evaluation.done.run.bytes())
        };
        while recent.len() > MAX_RUNS
            || recent.len() > 1 && recent.iter().filter_map(stored).fold(0, u64::saturating_add) > MAX_RUN_BYTES
        {
            let oldest = recent.pop_front().and_then(|uri| shared.document(&uri));
            if let Some(oldest) = oldest {
                lock(&oldest.history.evaluation.0).last = None;
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

/// Lowers a text; uses the errors of the check if it was checked.
pub fn module(snapshot: &Snapshot, errors: Option<&[Diagnostic]>) -> LaunchModule {
    let program = match errors {
        Some(errors) => ModuleProgram::of(snapshot, errors),
        None => ModuleProgram::new(snapshot),
    };
    LaunchModule { program: Arc::new(program), text: snapshot.rope().to_string().into() }
}

async fn evaluate(
    (shared, document): (&Shared, &OpenDocument),
    snapshot: &Snapshot,
    module: LaunchModule,
    question: &LaunchQuery,
    limits: &EvaluationLimits,
    time: Option<Duration>,
    cancelled: &dyn Fn() -> bool,
) -> Result<Evaluation, LaunchRefusal> {
    let above = question.launch == LaunchOrigin::Above;
    let chosen = module.choose(question).map_err(|why| LaunchRefusal::not_chosen(why, above))?;
    let entry = chosen.launch.entry.to_string();
    let settings =
        machine::Settings { checks: limits.checks, limit: limits.steps as u64, ..machine::Settings::default() };
    let platform = &*shared.platform;
    let path = file_name(&document.uri).path().filter(|_| platform.files().is_some());
    let folder = path.as_deref().and_then(|p| p.parent());
    let time = time.unwrap_or(limits.time).min(limits.time);
    let running = module.start(chosen.launch, settings, Some(time), folder);
    let mut running = running.map_err(|why| LaunchRefusal::refused(why, &entry, above))?;
    let status = loop {
        if let Some(status) = running.advance(cancelled) {
            break status;
        }
        platform.breathe().await;
    };
    let done = running.end(status);
    Ok(Evaluation {
        snapshot: snapshot.clone(),
        module,
        entry,
        launches: chosen.launches,
        done,
        question: question.clone(),
        limits: limits.clone(),
        values: Mutex::default(),
        course: Mutex::default(),
        result: Mutex::default(),
    })
}

/// Evaluates a document again, if it is followed; called when it was checked and is idle. Returns at once.
pub fn again(shared: &Arc<Shared>, document: &Arc<OpenDocument>, checked: &Arc<CheckedText>) {
    let Some(snapshot) = checked.snapshot.clone() else { return };
    let settings = shared.settings_of(&document.uri).evaluation.clone();
    let wanted = {
        let mut inside = lock(&document.history.evaluation.0);
        let fresh = inside.last.as_ref().is_some_and(|e| e.is_of(&snapshot));
        match inside.wanted.clone() {
            Some(wanted) if settings.enable && settings.live && !fresh => {
                if std::mem::replace(&mut inside.running, true) {
                    inside.again = true;
                    return;
                }
                wanted
            }
            _ => return,
        }
    };
    let limits = EvaluationLimits::new(&settings);
    later::run_again(shared, document, checked, snapshot, wanted, limits);
}

/// Returns line and column from 1, the column in bytes.
pub fn place(rope: &Rope, offset: usize) -> (usize, usize) {
    let offset = offset.min(rope.len_bytes());
    let line = rope.byte_to_line(offset);
    (line + 1, offset - rope.line_to_byte(line) + 1)
}

/// Returns the kind of a refusal and its places, as clients get them.
pub fn refusal_data(refusal: &LaunchRefusal, rope: &Rope) -> Value {
    let shown = |(range, message): &(Range<usize>, String)| {
        let ((line, column), (end_line, end_column)) = (place(rope, range.start), place(rope, range.end));
        json!({ "line": line, "column": column, "end_line": end_line, "end_column": end_column, "message": message })
    };
    // Places in a launch of the request are not lines of the document.
    let places: Vec<Value> = match refusal.in_module {
        true => refusal.places.iter().map(shown).collect(),
        false => refusal
            .places
            .iter()
            .map(|(range, message)| json!({ "start": range.start, "end": range.end, "message": message }))
            .collect(),
    };
    json!({ "kind": refusal.kind, "places": places })
}

/// Notifies clients with their own view.
fn tell(shared: &Shared, uri: &Uri, version: i32, mut said: Value) {
    if shared.session().shows_warps {
        said["uri"] = json!(uri);
        said["version"] = json!(version);
        shared.outgoing.encoded(outgoing::notification("ptx-analyzer/evaluated", said));
    }
}
