//! The command `ptx-analyzer.compareRegisters`: what NVIDIA's assembler makes of a document, beside the estimates.

use super::snapshot;
use crate::ptxas::compare::{Comparison, Row, compare, estimates};
use crate::ptxas::{Failure, Task};
use crate::server::cancel::UntilDropped;
use crate::server::document::Document;
use crate::server::progress::Progress;
use crate::server::ptxas::{Key, hash};
use crate::server::refresh;
use crate::server::shared::{Shared, off_thread};
use ptx_analysis::target::find_architecture;
use ptx_syntax::Snapshot;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{MessageType, ProgressToken, Uri};

/// `RequestFailed`: the request is sound, the answer is no.
const REFUSED: ErrorCode = ErrorCode::ServerError(-32803);

/// What is asked.
struct Question {
    uri: Uri,
    entry: Option<String>,
    target: Option<&'static str>,
}

/// Runs the assembler on the text that the client has, one at a time, and answers with all that it says.
///
/// # Errors
/// If there is no assembler, or it does not answer. That it refuses the module is an answer.
pub async fn compare_registers(shared: &Arc<Shared>, argument: &Value, token: Option<ProgressToken>) -> Result<Value> {
    // Without an argument it is chosen from a list of commands, and nobody reads answers of those.
    let show = argument.is_null() || argument.get("show") == Some(&Value::Bool(true));
    let answer = match Question::read(shared, argument) {
        Ok(question) => answer(shared, question, token).await,
        Err(error) => Err(error),
    };
    let said = match &answer {
        Ok((_, summary)) => Some((MessageType::INFO, summary.clone())),
        Err(error) if error.code == ErrorCode::RequestCancelled => None,
        Err(error) => Some((MessageType::WARNING, format!("ptx-analyzer: {}", error.message))),
    };
    if let Some((kind, text)) = said.filter(|_| show) {
        let shared = Arc::clone(shared);
        tokio::spawn(async move { shared.client.show_message(kind, text).await });
    }
    answer.map(|(answer, _)| answer)
}

/// The answer, and the same in a line.
async fn answer(shared: &Arc<Shared>, question: Question, token: Option<ProgressToken>) -> Result<(Value, String)> {
    let folders = shared.folders();
    let configuration = shared.ptxas.configuration(&folders).map_err(refused)?.clone();
    let Some((document, snapshot)) = snapshot(shared, &question.uri).await else {
        return Err(refused(format!("{} is not open, or is not PTX", question.uri.as_str())));
    };
    let module = ptx_ide::environment(&snapshot).target.map(|t| t.name);
    let Some(target) = question.target.or(module) else {
        return Err(refused("the module names no architecture (`.target`) to assemble it for".to_owned()));
    };
    let wanted = UntilDropped::default();
    let cancelled = wanted.token();
    let mut progress = Progress::new(shared, token, "Running ptxas", &cancelled);
    let (begin, limit) = (Instant::now(), configuration.limit.as_secs().max(1));
    let server = Arc::clone(shared);
    let mut stop = move || {
        let seconds = begin.elapsed().as_secs();
        progress.tell(|| (format!("{seconds} s"), u32::try_from(seconds * 100 / limit).unwrap_or(100).min(100)));
        cancelled.is_set() || server.shut_down.load(Ordering::Relaxed)
    };
    let turn = Arc::clone(&shared.ptxas.turn).lock_owned().await;
    let server = Arc::clone(shared);
    let answer = off_thread(move || {
        // Held until the program has ended, though nobody may wait for it any more.
        let _turn = turn;
        run(&server, &configuration, &question, (&document, &snapshot), target, &mut stop)
            .map(|(comparison, remembered)| (comparison, remembered, question))
    });
    let (comparison, remembered, question) = answer.await??;
    if !remembered {
        refresh::lenses(shared);
    }
    let entry = question.entry.as_deref();
    let mut out = comparison.json(entry);
    out["uri"] = json!(question.uri);
    out["remembered"] = json!(remembered);
    Ok((out, comparison.summary(entry)))
}

/// The comparison, and whether it was made before.
fn run(
    shared: &Shared,
    configuration: &crate::ptxas::Configuration,
    question: &Question,
    (document, snapshot): (&Document, &Snapshot),
    target: &str,
    stop: &mut dyn FnMut() -> bool,
) -> Result<(Arc<Comparison>, bool)> {
    let ptxas = &shared.ptxas;
    let (stamp, assembler) = ptxas.assembler(configuration, stop).map_err(failed)?;
    let text = snapshot.rope().to_string();
    let key = Key {
        hash: hash(&text),
        stamp,
        configuration: configuration.clone(),
        target: target.to_owned(),
        entry: question.entry.clone(),
    };
    let entry = question.entry.as_deref();
    let has = |rows: &[Row]| match entry.filter(|name| rows.iter().all(|r| r.name != *name)) {
        Some(name) => Err(Error::invalid_params(format!("the module has no function `{name}` with a body"))),
        None => Ok(()),
    };
    if let Some(known) = ptxas.known(&key) {
        return has(&known.rows).map(|()| (known, true));
    }
    let rows = {
        let stop = std::cell::RefCell::new(&mut *stop);
        estimates(snapshot, &document.facts(), target, &|| (stop.borrow_mut())())
            .ok_or_else(Error::request_cancelled)?
    };
    has(&rows)?;
    // The assembler refuses the names of others; the figures of a function come with all of them.
    let entry = entry.filter(|name| rows.iter().any(|r| r.name == *name && r.kernel));
    let task = Task { text: &text, target, entry };
    let comparison = compare((&assembler, configuration), task, rows, &ptxas.runner, stop).map_err(failed)?;
    let comparison = Arc::new(comparison);
    ptxas.remember(key, Arc::clone(&comparison));
    if question.target.is_none() {
        ptxas.note(&question.uri, snapshot, &comparison);
    }
    Ok((comparison, false))
}

fn failed(failure: Failure) -> Error {
    match failure {
        Failure::Cancelled => Error::request_cancelled(),
        failure => refused(failure.to_string()),
    }
}

fn refused(message: String) -> Error {
    Error { code: REFUSED, message: message.into(), data: None }
}

impl Question {
    /// Reads the argument of the command: an object, a URI, or nothing where only one document is open.
    fn read(shared: &Shared, argument: &Value) -> Result<Self> {
        let text = |name: &str| match argument.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(Error::invalid_params(format!("the argument `{name}` is a string"))),
        };
        let uri = match argument.as_str().map_or_else(|| text("uri"), |uri| Ok(Some(uri)))? {
            Some(uri) => uri.parse().map_err(|_| Error::invalid_params("the argument `uri` is not a URI"))?,
            None => match shared.documents().as_slice() {
                [only] => only.uri.clone(),
                _ => return Err(Error::invalid_params("the command takes an object with a string `uri`")),
            },
        };
        let target = match text("target")? {
            None | Some("") => None,
            Some(name) => {
                let found = find_architecture(name).map(|t| t.name);
                Some(found.ok_or_else(|| Error::invalid_params(format!("there is no architecture `{name}`")))?)
            }
        };
        let entry = text("entry")?.filter(|e| !e.is_empty()).map(str::to_owned);
        Ok(Self { uri, entry, target })
    }
}
