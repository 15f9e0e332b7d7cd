//! Starts the runs of open documents: on request, and again after edits.
//!
//! A document is evaluated on request. From then on it is evaluated again whenever it is idle, until the request is withdrawn.
//! A run works on a copy of the module, away from the threads of the protocol and of the document. `runs` keeps the results.

mod later;

use super::document::{CheckedText, OpenDocument};
use super::refresh;
use super::runs::{Evaluation, EvaluationLimits, EvaluationViews};
use super::server::Server;
use super::spelling::file_name;
use ptx_analysis::Diagnostic;
use ptx_interp::machine;
use ptx_launch::choose::{LaunchOrigin, LaunchQuery};
use ptx_launch::evaluate::LaunchModule;
use ptx_launch::refusal::LaunchRefusal;
use ptx_syntax::{Rope, Snapshot};
use ptx_wire::outgoing;
use serde_json::{Value, json};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp_server::ls_types::Uri;

/// Evaluates a text, or returns the stored run. From now on the text is evaluated again after edits.
///
/// # Errors
/// If it cannot be run.
pub async fn ask(
    shared: &Arc<Server>,
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
    shared.evaluations.keep(&document.history.evaluation, evaluation.clone());
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
    shared: &Arc<Server>,
    document: &Arc<OpenDocument>,
    checked: &CheckedText,
    question: &LaunchQuery,
    cancelled: &dyn Fn() -> bool,
) -> Result<Arc<Evaluation>, LaunchRefusal> {
    stored_or_run(shared, document, checked, question, cancelled).await.map(|(evaluation, _)| evaluation)
}

/// Returns the stored run of a text, or a new one, and whether it was stored.
async fn stored_or_run(
    shared: &Server,
    document: &OpenDocument,
    checked: &CheckedText,
    question: &LaunchQuery,
    cancelled: &dyn Fn() -> bool,
) -> Result<(Arc<Evaluation>, bool), LaunchRefusal> {
    let Some(snapshot) = &checked.snapshot else {
        return Err(LaunchRefusal::new("not-open", "this is not PTX"));
    };
    let settings = shared.state.settings_of(&document.uri).evaluation.clone();
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
    shared: &Server,
    document: &OpenDocument,
    snapshot: &Snapshot,
    question: &LaunchQuery,
) -> Option<Arc<Evaluation>> {
    let settings = shared.state.settings_of(&document.uri).evaluation.clone();
    let limits = EvaluationLimits::new(&settings);
    let last = document.history.evaluation.fresh(snapshot).filter(|e| e.limits == limits && !e.is_cut_short())?;
    same(&last.question, &last.entry, question, &last.module).then_some(last)
}

/// Whether two queries about a module select the same launch.
fn same(old: &LaunchQuery, entry: &str, new: &LaunchQuery, module: &LaunchModule) -> bool {
    let kernel = module.kernel(new.entry.as_deref(), new.at).map(|k| k.name.to_string());
    kernel.as_deref() == Ok(entry) && (&old.launch, old.number) == (&new.launch, new.number)
}

/// Lowers a text; uses the errors of the check if it was checked.
pub fn module(snapshot: &Snapshot, errors: Option<&[Diagnostic]>) -> LaunchModule {
    match errors {
        Some(errors) => LaunchModule::checked(snapshot, errors),
        None => LaunchModule::new(snapshot),
    }
}

async fn evaluate(
    (shared, document): (&Server, &OpenDocument),
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
        views: EvaluationViews::default(),
    })
}

/// Evaluates a document again, if it is followed; called when it was checked and is idle. Returns at once.
pub fn again(shared: &Arc<Server>, document: &Arc<OpenDocument>, checked: &Arc<CheckedText>) {
    let Some(snapshot) = checked.snapshot.clone() else { return };
    let settings = shared.state.settings_of(&document.uri).evaluation.clone();
    if !settings.enable || !settings.live {
        return;
    }
    let Some(wanted) = document.history.evaluation.begin_repeat(&snapshot) else { return };
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
fn tell(shared: &Server, uri: &Uri, version: i32, mut said: Value) {
    if shared.state.session().shows_warps {
        said["uri"] = json!(uri);
        said["version"] = json!(version);
        shared.outgoing.encoded(outgoing::notification("ptx-analyzer/evaluated", said));
    }
}
