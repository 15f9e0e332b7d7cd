//! The command `ptx-analyzer.compareRegisters`: measurements of NVIDIA's assembler for a document, beside the estimates.

use super::snapshot;
use crate::assembler::compare::{AssemblerComparison, compare, estimates};
use crate::assembler::{AssemblerFailure, Configuration, ExecutableStamp, Task};
use crate::cancel::UntilDropped;
use crate::document::OpenDocument;
use crate::progress::WorkProgress;
use crate::ptxas::{Key, hash};
use crate::refresh;
use crate::shared::Shared;
use ptx_analysis::target::find_architecture;
use ptx_clock::Instant;
use ptx_syntax::Snapshot;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{MessageType, ProgressToken, Uri};

/// The protocol's `RequestFailed`: a valid request that cannot be fulfilled.
const REFUSED: ErrorCode = ErrorCode::ServerError(-32803);

/// The arguments of a comparison, and of other commands that run the assembler.
pub struct CompareRequest {
    /// The document.
    pub uri: Uri,
    /// The only function; `None` for all.
    pub entry: Option<String>,
    /// The architecture; `None` for the module's own.
    pub target: Option<&'static str>,
}

/// Runs the assembler on the client's text and returns its complete output. Only one assembler runs at a time.
///
/// # Errors
/// If there is no assembler, or it fails. A rejected module is an answer, not an error.
pub async fn compare_registers(shared: &Arc<Shared>, argument: &Value, token: Option<ProgressToken>) -> Result<Value> {
    // Without an argument the user chose the command from a list; clients do not show the answers of such commands.
    let show = argument.is_null() || argument.get("show") == Some(&Value::Bool(true));
    let answer = match CompareRequest::read(shared, argument) {
        Ok(question) => answer(shared, question, token).await,
        Err(error) => Err(error),
    };
    let said = match &answer {
        Ok((_, summary)) => Some((MessageType::INFO, summary.clone())),
        Err(error) if error.code == ErrorCode::RequestCancelled => None,
        Err(error) => Some((MessageType::WARNING, format!("ptx-analyzer: {}", error.message))),
    };
    if let Some((kind, text)) = said.filter(|_| show) {
        let (runner, shared) = (shared, Arc::clone(shared));
        runner.spawn(async move { shared.client().await.show_message(kind, text).await });
    }
    answer.map(|(answer, _)| answer)
}

/// Returns the answer as JSON, and a summary of one line.
async fn answer(
    shared: &Arc<Shared>,
    question: CompareRequest,
    token: Option<ProgressToken>,
) -> Result<(Value, String)> {
    let found = snapshot(shared, &question.uri).await;
    let wanted = UntilDropped::default();
    let cancelled = wanted.token();
    let (server, (uri, entry)) = (Arc::clone(shared), (question.uri.clone(), question.entry.clone()));
    let (job, known) = shared
        .off_thread(move || {
            let job = CompareJob::new(server, question, found)?;
            // A stored result needs no turn.
            let known = job.key().and_then(|key| job.shared.ptxas.known(&key));
            Ok::<_, Error>((job, known))
        })
        .await??;
    let (comparison, remembered) = match known {
        Some(known) => (known, true),
        None => {
            let mut progress = WorkProgress::new(shared, token, "Running ptxas", &cancelled);
            let turn = Arc::clone(&shared.ptxas.turn).lock_owned().await;
            let (begin, server) = (Instant::now(), Arc::clone(shared));
            let limit = job.configuration.limit.as_secs().max(1);
            shared
                .off_thread(move || {
                    // The turn ends only with the program, even if the request was cancelled.
                    let _turn = turn;
                    job.run(&mut || {
                        let seconds = begin.elapsed().as_secs();
                        let percent = u32::try_from(seconds * 100 / limit).unwrap_or(100).min(100);
                        progress.tell(|| (format!("{seconds} s"), percent));
                        cancelled.is_set() || server.shut_down.load(Ordering::Relaxed)
                    })
                })
                .await??
        }
    };
    let entry = entry.as_deref();
    if let Some(name) = entry.filter(|name| comparison.rows.iter().all(|r| r.name != *name)) {
        return Err(no_function(name));
    }
    if !remembered {
        refresh::lenses(shared);
    }
    let mut out = comparison.json(entry);
    out["uri"] = json!(uri);
    out["remembered"] = json!(remembered);
    Ok((out, comparison.summary(entry)))
}

/// A comparison that is ready to run; everything here may read files or block.
struct CompareJob {
    shared: Arc<Shared>,
    configuration: Configuration,
    question: CompareRequest,
    document: Arc<OpenDocument>,
    snapshot: Snapshot,
    text: String,
    hash: u64,
    target: &'static str,
}

impl CompareJob {
    fn new(
        shared: Arc<Shared>,
        question: CompareRequest,
        found: Option<(Arc<OpenDocument>, Snapshot)>,
    ) -> Result<Self> {
        let configuration = shared.ptxas.configuration(&shared.folders()).map_err(refused)?.clone();
        let Some((document, snapshot)) = found else {
            return Err(refused(format!("{} is not open, or is not PTX", question.uri.as_str())));
        };
        let module = ptx_ide::environment(&snapshot).target.map(|t| t.name);
        let Some(target) = question.target.or(module) else {
            return Err(refused("the module names no architecture (`.target`) to assemble it for".to_owned()));
        };
        let text = snapshot.rope().to_string();
        let hash = hash(&text);
        Ok(Self { shared, configuration, question, document, snapshot, text, hash, target })
    }

    /// Returns the inputs of the comparison, if the assembler's version is known.
    fn key(&self) -> Option<Key> {
        Some(self.key_with(self.shared.ptxas.stamp(&self.configuration)?))
    }

    fn key_with(&self, stamp: ExecutableStamp) -> Key {
        let (configuration, entry) = (self.configuration.clone(), self.question.entry.clone());
        Key { hash: self.hash, stamp, configuration, target: self.target.to_owned(), entry }
    }

    /// Returns the comparison, and whether it was stored before.
    fn run(&self, stop: &mut (dyn FnMut() -> bool + Send)) -> Result<(Arc<AssemblerComparison>, bool)> {
        let ptxas = &self.shared.ptxas;
        let (stamp, assembler) = ptxas.assembler(&self.configuration, stop).map_err(failed)?;
        let key = self.key_with(stamp);
        // The same comparison may have been made while this one waited.
        if let Some(known) = ptxas.known(&key) {
            return Ok((known, true));
        }
        let rows = {
            let stop = Mutex::new(&mut *stop);
            let stopped = || (stop.lock().unwrap_or_else(PoisonError::into_inner))();
            estimates(&self.snapshot, &self.document.facts(), self.target, &stopped)
                .ok_or_else(Error::request_cancelled)?
        };
        let entry = match self.question.entry.as_deref() {
            Some(name) => match rows.iter().find(|r| r.name == name) {
                // The assembler's option accepts only names of kernels; for other functions the whole module is assembled.
                Some(row) => Some(name).filter(|_| row.kernel),
                None => return Err(no_function(name)),
            },
            None => None,
        };
        let task = Task { text: &self.text, target: self.target, entry };
        let comparison = compare((&assembler, &self.configuration), task, rows, &ptxas.runner, stop).map_err(failed)?;
        let comparison = Arc::new(comparison);
        ptxas.remember(key, Arc::clone(&comparison));
        if self.question.target.is_none() {
            ptxas.note(&self.question.uri, &self.snapshot, &comparison.assembler, &comparison.assembled);
        }
        Ok((comparison, false))
    }
}

/// Returns the error for a function that the module does not have.
pub fn no_function(name: &str) -> Error {
    Error::invalid_params(format!("the module has no function `{name}` with a body"))
}

/// Returns the error for a failed run.
pub fn failed(failure: AssemblerFailure) -> Error {
    match failure {
        AssemblerFailure::Cancelled => Error::request_cancelled(),
        failure => refused(failure.to_string()),
    }
}

/// Returns the error for a request that cannot be fulfilled.
pub fn refused(message: String) -> Error {
    Error { code: REFUSED, message: message.into(), data: None }
}

impl CompareRequest {
    /// Reads the argument of the command: an object, a URI, or nothing if only one document is open.
    ///
    /// # Errors
    /// If the argument is invalid.
    pub fn read(shared: &Shared, argument: &Value) -> Result<Self> {
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
