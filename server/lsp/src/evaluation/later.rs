//! Evaluations for the worker of a document. In a browser these functions are loaded late (`crate::embedded`).

use super::super::document::{CheckedText, OpenDocument};
use super::super::platform::Pool;
use super::super::refresh;
use super::super::runs::{EvaluationGoal, EvaluationLimits};
use super::super::server::Server;
use super::{again, evaluate, module, refusal_data, tell};
use futures::FutureExt;
use ptx_launch::refusal::LaunchRefusal;
use ptx_syntax::Snapshot;
use serde_json::json;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// Time limit of a run that no request started.
const UNREQUESTED_TIMEOUT: Duration = Duration::from_millis(250);

/// Starts a run of a checked text that no request started.
#[inline(never)]
pub(super) fn run_again(
    shared: &Arc<Server>,
    document: &Arc<OpenDocument>,
    checked: &Arc<CheckedText>,
    snapshot: Snapshot,
    wanted: EvaluationGoal,
    limits: EvaluationLimits,
) {
    let (shared, document, checked) = (Arc::clone(shared), Arc::clone(document), Arc::clone(checked));
    let platform = Arc::clone(&shared.platform);
    let run_again = move || {
        async move {
            let stale = || document.is_stale(checked.revision);
            let run = AssertUnwindSafe(async {
                let module = module(&snapshot, checked.unfiltered().as_deref());
                let (question, limit) = (&wanted.question, Some(UNREQUESTED_TIMEOUT));
                evaluate((&shared, &document), &snapshot, module, question, &limits, limit, &stale).await
            });
            let outcome = run.catch_unwind().await;
            let end = document.history.evaluation.end_repeat(&snapshot);
            if stale() || !end.is_followed {
                if let Some(newest) = document.last_checked().filter(|_| end.newer) {
                    again(&shared, &document, &newest);
                }
                return;
            }
            let outcome = match outcome {
                Ok(outcome) => outcome,
                Err(_) => {
                    shared.failed(document.uri.as_str());
                    Err(LaunchRefusal::new("kernel", "the interpreter has failed; please report this kernel"))
                }
            };
            let said = match outcome {
                Ok(evaluation) => {
                    let evaluation = Arc::new(evaluation);
                    shared.evaluations.keep(&document.history.evaluation, Arc::clone(&evaluation));
                    document.recheck();
                    refresh::diagnostics(&shared);
                    evaluation.summary()
                }
                Err(refusal) => json!({
                    "entry": wanted.question.entry, "faults": 0,
                    "refused": { "message": refusal.message, "data": refusal_data(&refusal, snapshot.rope()) },
                }),
            };
            refresh::values(&shared);
            tell(&shared, &document.uri, checked.version, said);
        }
        .boxed_local()
    };
    platform.compute(Pool::Evaluations, Box::new(run_again));
}
