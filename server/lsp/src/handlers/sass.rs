//! The commands `ptx-analyzer.sass`: the machine code of a document, tied to its lines; and `ptx-analyzer.sourceOf`: the source
//! line that a PTX line comes from.

use super::compare::{CompareRequest, failed, no_function, refused};
use super::definition::source_file;
use super::snapshot;
use crate::assembler::machine::{MachineCode, Toolchain};
use crate::assembler::output::{AssemblerFunction, AssemblerMessage, AssemblerSeverity};
use crate::assembler::text::CodeText;
use crate::assembler::ties::PtxFunction;
use crate::assembler::{Configuration, ExecutableStamp, Task};
use crate::cancel::UntilDropped;
use crate::document::OpenDocument;
use crate::nvdisasm::{CodeKey, TiedCode};
use crate::progress::WorkProgress;
use crate::ptxas::{Key, hash};
use crate::refresh;
use crate::shared::Shared;
use ptx_analysis::module::{Definition, definition, items};
use ptx_analysis::registers::{RegisterReport, report};
use ptx_analysis::target::find_architecture;
use ptx_analysis::{Analyzer, ModuleFacts};
use ptx_clock::Instant;
use ptx_syntax::Snapshot;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{MessageType, Position, ProgressToken, ShowDocumentParams, Uri};

/// Time limit for the client's answer; clients may leave a request unanswered.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(10);

/// The arguments of the command.
struct SassRequest {
    which: CompareRequest,
    /// The line whose function is requested if `which` names none; from 1.
    line: Option<usize>,
    /// Whether the answer lists the instructions as objects.
    instructions: bool,
    /// Whether to open the text in the editor.
    show: bool,
}

impl SassRequest {
    fn read(shared: &Shared, argument: &Value) -> Result<Self> {
        let which = CompareRequest::read(shared, argument)?;
        let line = match argument.get("line") {
            None | Some(Value::Null) => None,
            Some(line) => {
                let line = line.as_u64().filter(|n| *n > 0).and_then(|n| usize::try_from(n).ok());
                Some(line.ok_or_else(|| Error::invalid_params("`line` is a line, counted from 1"))?)
            }
        };
        let flag = |name: &str| argument.get(name) == Some(&Value::Bool(true));
        // Without an argument the user chose the command from a list; clients do not show the answers of such commands.
        Ok(Self { which, line, instructions: flag("instructions"), show: argument.is_null() || flag("show") })
    }
}

/// Assembles and disassembles the client's text, and returns the machine code tied to the lines of the text. Only one such
/// request runs at a time.
///
/// # Errors
/// If a program is not set, or fails. A rejected module is an answer, not an error.
pub async fn sass(shared: &Arc<Shared>, argument: &Value, token: Option<ProgressToken>) -> Result<Value> {
    let request = SassRequest::read(shared, argument)?;
    let show = request.show;
    let result = answer(shared, request, token).await;
    if show {
        present(shared, &result);
    }
    result
}

async fn answer(shared: &Arc<Shared>, request: SassRequest, token: Option<ProgressToken>) -> Result<Value> {
    let found = shared.document(&request.which.uri);
    let revision = found.as_ref().map(|d| d.revision());
    let version = found.as_ref().map(|d| d.current().0);
    let parsed = match (&found, revision) {
        (Some(document), Some(revision)) => document.parsed(revision).await,
        _ => None,
    };
    let text = found.zip(parsed).and_then(|(document, parsed)| {
        let version = version.filter(|_| Some(parsed.revision) == revision);
        Some(DocumentText { document, snapshot: parsed.snapshot.clone()?, revision: parsed.revision, version })
    });
    let wanted = UntilDropped::default();
    let cancelled = wanted.token();
    let (server, uri, instructions) = (Arc::clone(shared), request.which.uri.clone(), request.instructions);
    let (job, known) = shared
        .off_thread(move || {
            let job = SassJob::new(server, request, text)?;
            // A stored result needs no turn.
            let known = job.key().and_then(|key| job.shared.nvdisasm.known(&key));
            if let Some(known) = &known {
                job.note(known);
            }
            Ok::<_, Error>((job, known))
        })
        .await??;
    let version = job.text.version;
    let entry = job.entry.clone();
    let (code, remembered) = match known {
        Some(known) => (known, true),
        None => {
            let mut progress = WorkProgress::new(shared, token, "Running ptxas", &cancelled);
            let turn = Arc::clone(&shared.ptxas.turn).lock_owned().await;
            let (begin, server) = (Instant::now(), Arc::clone(shared));
            let limit = job.configuration.limit.as_secs().max(1);
            shared
                .off_thread(move || {
                    // The turn ends only with the programs, even if the request was cancelled.
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
    if !remembered {
        refresh::lenses(shared);
    }
    shared
        .off_thread(move || {
            let mut out = json(&code, instructions);
            out["uri"] = json!(uri);
            out["version"] = json!(version);
            out["entry"] = json!(entry);
            out["remembered"] = json!(remembered);
            out
        })
        .await
}

/// A text of a document.
struct DocumentText {
    document: Arc<OpenDocument>,
    snapshot: Snapshot,
    revision: u64,
    /// The client's version, if the text is still the client's.
    version: Option<i32>,
}

/// Work that is ready to run; everything here may read files or block.
struct SassJob {
    shared: Arc<Shared>,
    configuration: Configuration,
    disassembler: PathBuf,
    uri: Uri,
    text: DocumentText,
    module: String,
    hash: u64,
    target: &'static str,
    /// Whether the target is that of the module.
    own: bool,
    entry: Option<String>,
}

impl SassJob {
    fn new(shared: Arc<Shared>, request: SassRequest, text: Option<DocumentText>) -> Result<Self> {
        let configuration = shared.ptxas.configuration(&shared.folders()).map_err(refused)?.clone();
        let disassembler = shared.nvdisasm.path(&shared.folders()).map_err(refused)?.to_owned();
        let CompareRequest { uri, entry, target } = request.which;
        let Some(text) = text else {
            return Err(refused(format!("{} is not open, or is not PTX", uri.as_str())));
        };
        let own = ptx_ide::environment(&text.snapshot).target.map(|t| t.name);
        let Some(chosen) = target.or(own) else {
            return Err(refused("the module names no architecture (`.target`) to assemble it for".to_owned()));
        };
        let entry = function(&text.snapshot, entry, request.line)?;
        let module = text.snapshot.rope().to_string();
        let hash = hash(&module);
        let own = own == Some(chosen);
        Ok(Self { shared, configuration, disassembler, uri, text, module, hash, target: chosen, own, entry })
    }

    /// Returns the inputs, if the versions of the programs are known.
    fn key(&self) -> Option<CodeKey> {
        let assembler = self.shared.ptxas.stamp(&self.configuration)?;
        Some(self.key_with(assembler, self.shared.nvdisasm.stamp(&self.disassembler)?))
    }

    fn key_with(&self, stamp: ExecutableStamp, disassembler: ExecutableStamp) -> CodeKey {
        let (configuration, entry) = (self.configuration.clone(), self.entry.clone());
        let assembler = Key { hash: self.hash, stamp, configuration, target: self.target.to_owned(), entry };
        CodeKey { assembler, disassembler }
    }

    /// Returns the machine code, and whether it was stored before.
    fn run(&self, stop: &mut (dyn FnMut() -> bool + Send)) -> Result<(Arc<TiedCode>, bool)> {
        let (ptxas, nvdisasm) = (&self.shared.ptxas, &self.shared.nvdisasm);
        let (stamp, assembler) = ptxas.assembler(&self.configuration, stop).map_err(failed)?;
        let (other, disassembler) = nvdisasm.disassembler(&self.disassembler, &ptxas.runner, stop).map_err(failed)?;
        let key = self.key_with(stamp, other);
        // The same request may have been answered while this one waited.
        if let Some(known) = nvdisasm.known(&key) {
            self.note(&known);
            return Ok((known, true));
        }
        let reports = {
            let stop = Mutex::new(&mut *stop);
            let stopped = || (stop.lock().unwrap_or_else(PoisonError::into_inner))();
            reports(&self.text.snapshot, &self.text.document.facts(), &stopped).ok_or_else(Error::request_cancelled)?
        };
        let functions = PtxFunction::all(&self.text.snapshot, &reports);
        let tools =
            Toolchain { assembler: &assembler, disassembler: &disassembler, configuration: &self.configuration };
        let task = Task { text: &self.module, target: self.target, entry: self.entry.as_deref() };
        let code = MachineCode::new(tools, task, functions, &ptxas.runner, stop).map_err(failed)?;
        let text = CodeText::new(&code);
        let code = Arc::new(TiedCode { code, text });
        nvdisasm.remember(key, Arc::clone(&code));
        self.note(&code);
        Ok((code, false))
    }

    /// Stores what other features show: the figures, and the machine code of each line.
    fn note(&self, code: &Arc<TiedCode>) {
        if !self.own || code.code.code.functions.is_empty() {
            return;
        }
        let MachineCode { assembler, assembled, .. } = &code.code;
        self.shared.ptxas.note(&self.uri, &self.text.snapshot, assembler, assembled);
        self.shared.nvdisasm.note(&self.uri, self.text.revision, Arc::clone(code));
    }
}

/// Returns the kernel to assemble: the named one, or the one that contains a line. The assembler takes only names of kernels; for
/// other functions the whole module is assembled.
fn function(snapshot: &Snapshot, named: Option<String>, line: Option<usize>) -> Result<Option<String>> {
    let items = items(snapshot);
    let mut all = items.iter().filter_map(|item| Some((item, definition(snapshot, item)?)));
    if let Some(name) = named {
        let found = all.find(|(_, Definition { name: own, .. })| *own == name);
        let (_, Definition { kernel, .. }) = found.ok_or_else(|| no_function(&name))?;
        return Ok(Some(name).filter(|_| kernel));
    }
    let rope = snapshot.rope();
    let Some(line) = line.map(|line| (line - 1).min(rope.len_lines().saturating_sub(1))) else { return Ok(None) };
    let (start, end) = (rope.line_to_byte(line), rope.line_to_byte((line + 1).min(rope.len_lines())));
    let around = all.find(|(item, _)| item.range.start < end.max(start + 1) && start < item.range.end);
    Ok(around.and_then(|(_, Definition { name, kernel, .. })| Some(name).filter(|_| kernel)))
}

/// Returns the reports of the functions of a module. `known` are flow facts, possibly of an earlier text; if they are not
/// sufficient, the module is analysed again. Returns `None` if the work was cancelled.
fn reports(snapshot: &Snapshot, known: &ModuleFacts, stop: &(dyn Fn() -> bool + Sync)) -> Option<Vec<RegisterReport>> {
    let found = report(snapshot, known, None);
    let count = items(snapshot).iter().filter_map(|item| definition(snapshot, item)).count();
    if found.len() == count {
        return Some(found);
    }
    let mut analyzer = Analyzer::default();
    analyzer.keep_facts();
    analyzer.lints(snapshot, stop)?;
    Some(report(snapshot, &analyzer.facts(), None))
}

fn json(tied: &TiedCode, instructions: bool) -> Value {
    let TiedCode { code, text } = tied;
    let listing = &code.assembled.listing;
    let message = |m: &AssemblerMessage| json!({ "line": m.line, "severity": m.severity.name(), "message": m.text });
    let (errors, warnings): (Vec<_>, Vec<_>) =
        listing.messages.iter().partition(|m| m.severity >= AssemblerSeverity::Error);
    let functions = code.code.functions.iter().zip(&text.functions).map(|(function, (first, last))| {
        let measured = listing.functions.iter().find(|f| f.name == function.name);
        let number = |get: fn(&AssemblerFunction) -> Option<u64>| measured.and_then(get);
        let ptx = code.functions.iter().find(|f| f.name == function.name);
        json!({
            "name": function.name,
            "line": ptx.map(|f| f.line),
            "kernel": ptx.map(|f| f.kernel),
            "registers": measured.and_then(|m| m.registers),
            "spill_stores": number(|m| m.spill_stores),
            "spill_loads": number(|m| m.spill_loads),
            "stack": number(|m| m.stack),
            "shared": number(|m| m.shared),
            "barriers": measured.and_then(|m| m.barriers),
            "instructions": function.instructions.len(),
            "most_live": function.peak().map(|(most, _)| most),
            "first": first,
            "last": last,
        })
    });
    let lines = code.ties.lines.iter().map(|line| {
        json!({
            "line": line.line,
            "instructions": line.instructions,
            "fate": line.fate.name(),
            "words": line.words(),
        })
    });
    let tool = |tool: &crate::assembler::ToolInfo| json!({ "path": tool.path.to_string_lossy(), "release": tool.release, "version": tool.version });
    let seconds = |time: Duration| (time.as_secs_f64() * 1e3).round() / 1e3;
    let mut out = json!({
        "assembler": tool(&code.assembler),
        "disassembler": tool(&code.disassembler),
        "arguments": code.arguments,
        "target": code.assembled.target,
        "functions": functions.collect::<Vec<_>>(),
        "text": if code.code.functions.is_empty() { None } else { Some(&text.text) },
        "rows": text.rows,
        "lines": text.lines,
        "ptx": lines.collect::<Vec<_>>(),
        "errors": errors.into_iter().map(message).collect::<Vec<_>>(),
        "warnings": warnings.into_iter().map(message).collect::<Vec<_>>(),
        "notes": code.assembled.notes,
        "seconds": { "ptxas": seconds(code.assembled.time), "nvdisasm": seconds(code.disassembly) },
    });
    if instructions {
        out["instructions"] = code.code.json();
    }
    out
}

/// Shows the answer to a client without its own view: as a document if the client opens documents, otherwise in a message.
fn present(shared: &Arc<Shared>, result: &Result<Value>) {
    let (runner, shared) = (shared, Arc::clone(shared));
    let result = match result {
        Ok(answer) => Ok((answer["text"].as_str().map(str::to_owned), summary(answer))),
        Err(error) if error.code == ErrorCode::RequestCancelled => return,
        Err(error) => Err(format!("ptx-analyzer: {}", error.message)),
    };
    runner.spawn(async move {
        let (text, summary) = match result {
            Ok(shown) => shown,
            Err(message) => return shared.client().await.show_message(MessageType::WARNING, message).await,
        };
        if let Some(text) = text.filter(|_| shared.session().shows_documents) {
            let server = Arc::clone(&shared);
            let written = shared.off_thread(move || server.evaluations.write("sass", "ptxsass", &text)).await;
            if let Some(uri) = written.ok().and_then(std::result::Result::ok).and_then(Uri::from_file_path) {
                let document =
                    ShowDocumentParams { uri, external: Some(false), take_focus: Some(true), selection: None };
                let shown =
                    shared.platform.timeout(CLIENT_TIMEOUT, shared.client().await.show_document(document)).await;
                if !matches!(shown, Some(Ok(true))) {
                    tracing::info!("the client has not opened the machine code");
                }
            }
        }
        shared.client().await.show_message(MessageType::INFO, summary).await;
    });
}

/// Returns one line about an answer.
fn summary(answer: &Value) -> String {
    if let Some(error) = answer["errors"].as_array().and_then(|e| e.first()) {
        let line = error["line"].as_u64().map_or_else(String::new, |n| format!(" in line {n}"));
        return format!("ptxas refuses the module{line}: {}", error["message"].as_str().unwrap_or_default());
    }
    let one = |function: &Value| {
        let name = function["name"].as_str().unwrap_or_default();
        let registers = function["registers"].as_u64().map_or_else(String::new, |n| format!("{n} registers, "));
        format!("{name}: {registers}{} instructions", function["instructions"])
    };
    let all: Vec<String> = answer["functions"].as_array().into_iter().flatten().map(one).collect();
    let target = answer["target"].as_str().unwrap_or_default();
    format!("{} – ptxas {} for {target}", all.join("; "), answer["assembler"]["release"].as_str().unwrap_or_default())
}

/// Returns the source line that a PTX line comes from, if its file exists: `uri`, and `line` and `column` from 1.
///
/// # Errors
/// If the argument is invalid.
pub async fn source_of(shared: &Shared, uri: Uri, argument: &Value) -> Result<Option<Value>> {
    let line = argument.get("line").and_then(Value::as_u64).filter(|n| *n > 0).and_then(|n| usize::try_from(n).ok());
    let line =
        line.ok_or_else(|| Error::invalid_params("the command takes an object with a `line`, counted from 1"))?;
    let Some((_, snapshot)) = snapshot(shared, &uri).await else { return Ok(None) };
    shared
        .off_thread(move || {
            let found = ptx_ide::source_of_line(&snapshot, line - 1)?;
            let file = source_file(&uri, &found.path)?;
            let at = Position::new(found.line.max(1), found.column.max(1));
            Some(json!({ "uri": file, "line": at.line, "column": at.character }))
        })
        .await
}
