//! The command `ptx-analyzer.compareRegisters`: measurements of NVIDIA's assembler for a document, beside the estimates.

use super::assembler::{AssemblerRequest, failed, in_turn, no_function, refused};
use crate::document::OpenDocument;
use crate::places::snapshot;
use crate::ptxas::{Key, hash};
use crate::refresh;
use crate::server::Server;
use ptx_nvidia::compare::{AssemblerComparison, compare, estimates};
use ptx_nvidia::{Configuration, ExecutableStamp, Task};
use ptx_syntax::Snapshot;
use serde_json::{Value, json};
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{MessageType, ProgressToken};

/// Runs the assembler on the client's text and returns its complete output. Only one assembler runs at a time.
///
/// # Errors
/// If there is no assembler, or it fails. A rejected module is an answer, not an error.
pub async fn compare_registers(shared: &Arc<Server>, argument: &Value, token: Option<ProgressToken>) -> Result<Value> {
    // Without an argument the user chose the command from a list; clients do not show the answers of such commands.
    let show = argument.is_null() || argument.get("show") == Some(&Value::Bool(true));
    let answer = match AssemblerRequest::read(shared, argument) {
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
    shared: &Arc<Server>,
    question: AssemblerRequest,
    token: Option<ProgressToken>,
) -> Result<(Value, String)> {
    let found = snapshot(shared, &question.uri).await;
    let (server, (uri, entry)) = (Arc::clone(shared), (question.uri.clone(), question.entry.clone()));
    let (job, known) = shared
        .platform
        .off_thread(move || {
            let job = CompareJob::new(server, question, found)?;
            // A stored result needs no turn.
            let known = job.key().and_then(|key| job.shared.ptxas.known(&key));
            if let Some(known) = &known {
                job.note(known);
            }
            Ok::<_, Error>((job, known))
        })
        .await??;
    let (comparison, remembered) = match known {
        Some(known) => (known, true),
        None => {
            let limit = job.configuration.limit;
            in_turn(shared, token, limit, move |stop| job.run(stop)).await??
        }
    };
    let entry = entry.as_deref();
    if let Some(name) = entry.filter(|name| comparison.rows.iter().all(|r| r.name != *name)) {
        return Err(no_function(name));
    }
    let mut out = comparison.json(entry);
    out["uri"] = json!(uri);
    out["remembered"] = json!(remembered);
    Ok((out, comparison.summary(entry)))
}

/// A comparison that is ready to run; everything here may read files or block.
struct CompareJob {
    shared: Arc<Server>,
    configuration: Configuration,
    question: AssemblerRequest,
    document: Arc<OpenDocument>,
    snapshot: Snapshot,
    text: String,
    hash: u64,
    target: &'static str,
}

impl CompareJob {
    fn new(
        shared: Arc<Server>,
        question: AssemblerRequest,
        found: Option<(Arc<OpenDocument>, Snapshot)>,
    ) -> Result<Self> {
        let configuration = shared.ptxas.program.configuration(&shared.state.folders()).map_err(refused)?.clone();
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
        Some(self.key_with(self.shared.ptxas.program.stamp(&self.configuration.path)?))
    }

    fn key_with(&self, stamp: ExecutableStamp) -> Key {
        let (configuration, entry) = (self.configuration.clone(), self.question.entry.clone());
        Key { hash: self.hash, stamp, configuration, target: self.target.to_owned(), entry }
    }

    /// Returns the comparison, and whether it was stored before.
    fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(Arc<AssemblerComparison>, bool)> {
        let ptxas = &self.shared.ptxas;
        let (stamp, assembler) = ptxas.assembler(&self.configuration, stop).map_err(failed)?;
        let key = self.key_with(stamp);
        // The same comparison may have been made while this one waited.
        if let Some(known) = ptxas.known(&key) {
            self.note(&known);
            return Ok((known, true));
        }
        let rows = estimates(&self.snapshot, &self.document.facts(), self.target, stop)
            .ok_or_else(Error::request_cancelled)?;
        let entry = match self.question.entry.as_deref() {
            Some(name) => match rows.iter().find(|r| r.name == name) {
                // The assembler's option accepts only names of kernels; for other functions the whole module is assembled.
                Some(row) => Some(name).filter(|_| row.kernel),
                None => return Err(no_function(name)),
            },
            None => None,
        };
        let task = Task { text: &self.text, target: self.target, entry };
        let comparison = compare(&assembler, &self.configuration, task, rows, &ptxas.runner, stop).map_err(failed)?;
        let comparison = Arc::new(comparison);
        ptxas.remember(key, Arc::clone(&comparison));
        self.note(&comparison);
        Ok((comparison, false))
    }

    /// Stores the measurements for code lens, hover and register view.
    fn note(&self, AssemblerComparison { assembler, assembled, .. }: &AssemblerComparison) {
        let AssemblerRequest { uri, target, .. } = &self.question;
        if target.is_none() && self.shared.ptxas.note(uri, &self.snapshot, assembler, assembled) {
            refresh::lenses(&self.shared);
        }
    }
}
