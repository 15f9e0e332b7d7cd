//! `ptx-analyzer.evaluateWarp` and related commands: the values of every lane of a warp, step by step.

mod kernels;
mod request;

pub use kernels::{kernel_at, launches, write_launch};

use super::show::open_text;
use crate::document::{CheckedText, OpenDocument};
use crate::evaluation::{self, place, refusal_data};
use crate::places::snapshot;
use crate::platform::Pool;
use crate::protocol::REQUEST_FAILED;
use crate::refresh;
use crate::runs::Focus;
use crate::server::Server;
use ptx_isa::fragment::{MatrixElement, OperandMatrix};
use ptx_launch::refusal::LaunchRefusal;
use ptx_syntax::{Rope, Snapshot};
use ptx_view::ViewContext;
use request::{EvaluateRequest, object};
use serde_json::{Value, json};
use std::ops::Range;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{MessageType, Uri};

/// Answers the command.
///
/// # Errors
/// If the kernel cannot be run. Faults are part of an answer, not an error.
pub async fn evaluate_warp(shared: &Arc<Server>, argument: &Value) -> Result<Value> {
    let mut request = EvaluateRequest::read(argument)?;
    let uri = document_of(shared, argument)?;
    if argument.is_null() {
        // The user chose the command from a list: behave like the lens.
        (request.show, request.focus) = (true, Some(Some((0, None))));
    }
    let show = request.show;
    let answer = answer(shared, &uri, request).await;
    if show {
        let said = match &answer {
            Ok((answer, title)) => Ok((title.clone(), answer["markdown"].as_str().unwrap_or_default().to_owned())),
            Err(error) => Err(error.message.to_string()),
        };
        let cancelled = matches!(&answer, Err(error) if error.code == ErrorCode::RequestCancelled);
        if !cancelled {
            present(shared, said);
        }
    }
    answer.map(|(answer, _)| answer)
}

/// Returns the answer and the name of the kernel.
async fn answer(shared: &Arc<Server>, uri: &Uri, mut request: EvaluateRequest) -> Result<(Value, String)> {
    let (document, checked) = read(shared, uri).await?;
    let server = Arc::clone(shared);
    if !request.aside {
        document.history.evaluation.asked(checked.revision);
    }
    let rope = checked.snapshot.as_ref().map(|s| s.rope().clone()).unwrap_or_default();
    if request.question.entry.is_none() {
        request.question.at = request.line.map(|line| offset_of(&rope, line));
    }
    // A stored run is shown at once, even if other kernels are running.
    let question = &request.question;
    let known = checked.snapshot.as_ref().and_then(|s| evaluation::known(shared, &document, s, question));
    let pool = if known.is_some() { Pool::Requests } else { Pool::Evaluations };
    shared
        .platform
        .sliced_in(pool, async move |cancelled| {
            // No later request replaces a run aside: its answer is about the text at the time of the request.
            let outdated = || {
                let newest = document.text_revision();
                !request.aside && newest > checked.revision && document.history.evaluation.was_asked_about(newest)
            };
            let stop = || cancelled.is_set() || outdated();
            let evaluation = match request.aside {
                true => evaluation::run_aside(&server, &document, &checked, &request.question, &stop).await,
                false => evaluation::ask(&server, &document, &checked, &request.question, &stop).await,
            };
            let evaluation = evaluation.map_err(|refusal| refused(&refusal, &rope))?;
            cancelled.check()?;
            let shape = evaluation.done.run.machine.shape;
            let target = ptx_view::target(&shape, request.cta, request.warp).map_err(Error::invalid_params)?;
            if let Some(focus) = request.focus.filter(|_| !request.aside) {
                let focus = focus.map(|(lane, step)| Focus { target, lane, step });
                if document.history.evaluation.set_focus(focus) {
                    refresh::values(&server);
                }
            }
            let places = |offset: usize| place(&rope, offset);
            let course = evaluation.course(target, &stop);
            let context = ViewContext {
                places: &places,
                is_written: evaluation.is_written(),
                version: checked.version,
                launches: evaluation.launches,
                matrices: &|range| matrices_in(&evaluation.snapshot, range),
                cancelled: &stop,
            };
            let mut out = ptx_view::answer(&evaluation.done, &course, &request.asked, &context);
            if !request.asked.brief || request.show {
                out.markdown = Some(evaluation.result(&course, &stop));
            }
            let out = serde_json::to_value(out).map_err(|_| Error::internal_error())?;
            // What was stopped halfway is not an answer.
            if stop() {
                return Err(Error::request_cancelled());
            }
            Ok((out, evaluation.entry.clone()))
        })
        .await?
}

/// The matrices of the instruction in a range.
fn matrices_in(snapshot: &Snapshot, range: Range<usize>) -> Vec<OperandMatrix> {
    ptx_ide::matrices_in(snapshot, range).map_or_else(Vec::new, |found| found.matrices)
}

async fn read(shared: &Server, uri: &Uri) -> Result<(Arc<OpenDocument>, Arc<CheckedText>)> {
    let closed = || refused(&LaunchRefusal::new("not-open", format!("`{}` is not open", uri.as_str())), &Rope::new());
    let document = shared.state.document(uri).ok_or_else(closed)?;
    let revision = document.revision();
    let checked = document.checked(revision).await.ok_or_else(closed)?;
    Ok((document, checked))
}

/// Returns the byte offset of a line; lines count from 1.
fn offset_of(rope: &Rope, line: usize) -> usize {
    rope.line_to_byte(line.saturating_sub(1).min(rope.len_lines()))
}

fn refused(refusal: &LaunchRefusal, rope: &Rope) -> Error {
    if refusal.kind == "cancelled" {
        return Error::request_cancelled();
    }
    let data = refusal_data(refusal, rope);
    Error { code: REQUEST_FAILED, message: refusal.message.clone().into(), data: Some(data) }
}

/// Shows the result to a client without its own view: as a document if the client opens documents, otherwise in a message.
fn present(shared: &Arc<Server>, said: std::result::Result<(String, String), String>) {
    let shared = Arc::clone(shared);
    let runner = Arc::clone(&shared);
    runner.spawn(async move {
        let (title, text) = match said {
            Ok(said) => said,
            Err(message) => {
                shared.client().await.show_message(MessageType::WARNING, format!("ptx-analyzer: {message}")).await;
                return;
            }
        };
        open_text(&shared, title.clone(), "md", text.clone()).await;
        let summary = text.lines().find(|l| l.starts_with("**")).unwrap_or_default().replace("**", "");
        shared.client().await.show_message(MessageType::INFO, format!("{title}: {summary}")).await;
    });
}

/// Returns the document that an argument names; without an argument the document that was worked on last.
fn document_of(shared: &Server, argument: &Value) -> Result<Uri> {
    match argument.as_str().or_else(|| argument.get("uri")?.as_str()) {
        Some(uri) => uri.parse().map_err(|_| Error::invalid_params("the argument `uri` is not a URI")),
        None => shared
            .state
            .touched()
            .ok_or_else(|| Error::invalid_params("no document is open, and the argument names none by `uri`")),
    }
}

/// Removes an evaluation and its results, and stops repeating it. Returns whether there was one.
///
/// # Errors
/// If the argument names no document and none was worked on.
pub fn clear(shared: &Arc<Server>, argument: &Value) -> Result<bool> {
    let uri = document_of(shared, argument)?;
    let Some(document) = shared.state.document(&uri) else { return Ok(false) };
    let any = document.history.evaluation.clear();
    if any {
        document.recheck();
        refresh::values(shared);
        refresh::diagnostics(shared);
    }
    Ok(any)
}

/// Returns the matrices of the instruction in a line: the lane and register of each element.
pub async fn fragments(shared: &Server, uri: Uri, argument: &Value) -> Result<Option<Value>> {
    let line = object(argument, "the argument")?.line()?.ok_or_else(|| Error::invalid_params("`line` is missing"))?;
    let Some((_, snapshot)) = snapshot(shared, &uri).await else { return Ok(None) };
    shared
        .platform
        .off_thread(move || {
            let start = offset_of(snapshot.rope(), line);
            let end = offset_of(snapshot.rope(), line.saturating_add(1));
            let found = ptx_ide::matrices_in(&snapshot, start..end)?;
            let operands: Vec<Value> = found
                .matrices
                .iter()
                .map(|m| {
                    let elements: Vec<[u32; 5]> = m.elements.iter().map(MatrixElement::numbers).collect();
                    json!({
                        "operand": m.operand, "matrix": m.name, "type": m.ty, "rows": m.rows, "columns": m.columns,
                        "registers": m.registers, "bits": m.bits, "threads": m.threads, "elements": elements,
                    })
                })
                .collect();
            (!operands.is_empty()).then(|| json!({ "instruction": found.instruction, "operands": operands }))
        })
        .await
}
