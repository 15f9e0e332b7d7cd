//! The commands `ptx-analyzer.sass`: the machine code of a document, tied to its lines; and `ptx-analyzer.sourceOf`: the source
//! line that a PTX line comes from.

use super::arguments::line_number;
use super::assembler::{AssemblerRequest, failed, in_turn, no_function, refused};
use super::definition::source_file;
use super::show::open_text;
use crate::document::OpenDocument;
use crate::nvdisasm::CodeKey;
use crate::places::snapshot;
use crate::ptxas::{Key, hash};
use crate::refresh;
use crate::server::Server;
use ptx_nvidia::answer::{TiedCode, kernel_of, summary};
use ptx_nvidia::machine::{MachineCode, Toolchain};
use ptx_nvidia::{Configuration, ExecutableStamp, Task};
use ptx_syntax::Snapshot;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{MessageType, Position, ProgressToken, Uri};

/// The arguments of the command.
struct SassRequest {
    which: AssemblerRequest,
    /// The line whose function is requested if `which` names none; from 1.
    line: Option<usize>,
    /// Whether the answer lists the instructions as objects.
    instructions: bool,
    /// Whether the answer has the numbers of live registers, which take longer.
    live: bool,
    /// Whether to open the text in the editor.
    show: bool,
}

impl SassRequest {
    fn read(shared: &Server, argument: &Value) -> Result<Self> {
        let which = AssemblerRequest::read(shared, argument)?;
        let line = line_number(argument, "line")?;
        let flag = |name: &str| argument.get(name) == Some(&Value::Bool(true));
        // Without an argument the user chose the command from a list; clients do not show the answers of such commands.
        let live = argument.get("live") != Some(&Value::Bool(false));
        Ok(Self { which, line, instructions: flag("instructions"), live, show: argument.is_null() || flag("show") })
    }
}

/// Assembles and disassembles the client's text, and returns the machine code tied to the lines of the text. Only one such
/// request runs at a time.
///
/// # Errors
/// If a program is not set, or fails. A rejected module is an answer, not an error.
pub async fn sass(shared: &Arc<Server>, argument: &Value, token: Option<ProgressToken>) -> Result<Value> {
    let request = SassRequest::read(shared, argument)?;
    let show = request.show;
    let result = answer(shared, request, token).await;
    if show {
        present(shared, &result);
    }
    result
}

async fn answer(shared: &Arc<Server>, request: SassRequest, token: Option<ProgressToken>) -> Result<Value> {
    let found = shared.state.document(&request.which.uri);
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
    let (server, uri, instructions) = (Arc::clone(shared), request.which.uri.clone(), request.instructions);
    let (job, known) = shared
        .platform
        .off_thread(move || {
            let job = SassJob::new(server, request, text)?;
            // A stored result needs no turn.
            let known = job.key().and_then(|key| job.shared.nvdisasm.known(&key));
            let known = known.filter(|known| known.is_complete() || !job.live);
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
            let limit = job.configuration.limit;
            in_turn(shared, token, limit, move |stop| job.run(stop)).await??
        }
    };
    shared
        .platform
        .off_thread(move || {
            let mut out = code.json(instructions);
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
    shared: Arc<Server>,
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
    live: bool,
}

impl SassJob {
    fn new(shared: Arc<Server>, request: SassRequest, text: Option<DocumentText>) -> Result<Self> {
        let configuration = shared.ptxas.program.configuration(&shared.state.folders()).map_err(refused)?.clone();
        let disassembler = shared.nvdisasm.program.configuration(&shared.state.folders()).map_err(refused)?.clone();
        let AssemblerRequest { uri, entry, target } = request.which;
        let Some(text) = text else {
            return Err(refused(format!("{} is not open, or is not PTX", uri.as_str())));
        };
        let own = ptx_ide::environment(&text.snapshot).target.map(|t| t.name);
        let Some(chosen) = target.or(own) else {
            return Err(refused("the module names no architecture (`.target`) to assemble it for".to_owned()));
        };
        let entry = kernel_of(&text.snapshot, entry, request.line).map_err(|name| no_function(&name))?;
        let module = text.snapshot.rope().to_string();
        let hash = hash(&module);
        let own = own == Some(chosen);
        Ok(Self {
            shared,
            configuration,
            disassembler,
            uri,
            text,
            module,
            hash,
            target: chosen,
            own,
            entry,
            live: request.live,
        })
    }

    /// Returns the inputs, if the versions of the programs are known.
    fn key(&self) -> Option<CodeKey> {
        let assembler = self.shared.ptxas.program.stamp(&self.configuration.path)?;
        Some(self.key_with(assembler, self.shared.nvdisasm.program.stamp(&self.disassembler)?))
    }

    fn key_with(&self, stamp: ExecutableStamp, disassembler: ExecutableStamp) -> CodeKey {
        let (configuration, entry) = (self.configuration.clone(), self.entry.clone());
        let assembler = Key { hash: self.hash, stamp, configuration, target: self.target.to_owned(), entry };
        CodeKey { assembler, disassembler }
    }

    /// Returns the machine code, and whether it was stored before.
    fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(Arc<TiedCode>, bool)> {
        let (ptxas, nvdisasm) = (&self.shared.ptxas, &self.shared.nvdisasm);
        let (stamp, assembler) = ptxas.assembler(&self.configuration, stop).map_err(failed)?;
        let (other, disassembler) =
            nvdisasm.program.identify(&self.disassembler, &ptxas.runner, stop).map_err(failed)?;
        let key = self.key_with(stamp, other);
        // The same request may have been answered while this one waited.
        let known = nvdisasm.known(&key);
        if let Some(known) = known.as_ref().filter(|known| known.is_complete() || !self.live) {
            self.note(known);
            return Ok((Arc::clone(known), true));
        }
        let more = known.map(|known| known.with_live(self.configuration.limit, &ptxas.runner, stop));
        if let Some(code) = more.transpose().map_err(failed)?.flatten() {
            let code = Arc::new(code);
            nvdisasm.remember(key, Arc::clone(&code));
            self.note(&code);
            return Ok((code, false));
        }
        let tools =
            Toolchain { assembler: &assembler, disassembler: &disassembler, configuration: &self.configuration };
        let task = Task { text: &self.module, target: self.target, entry: self.entry.as_deref() };
        let facts = self.text.document.facts();
        let code =
            TiedCode::new(tools, task, &self.text.snapshot, &facts, self.live, &ptxas.runner, stop).map_err(failed)?;
        let code = Arc::new(code);
        nvdisasm.remember(key, Arc::clone(&code));
        self.note(&code);
        Ok((code, false))
    }

    /// Stores the results that other features show: the registers of functions, and the machine code of each line.
    fn note(&self, code: &Arc<TiedCode>) {
        if !self.own || code.code.code.functions.is_empty() {
            return;
        }
        let MachineCode { assembler, assembled, .. } = &code.code;
        if self.shared.ptxas.note(&self.uri, &self.text.snapshot, assembler, assembled) {
            refresh::lenses(&self.shared);
        }
        self.shared.nvdisasm.note(&self.uri, self.text.revision, Arc::clone(code));
    }
}

/// Shows the answer to a client without its own view: as a document if the client opens documents, otherwise in a message.
fn present(shared: &Arc<Server>, result: &Result<Value>) {
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
        if let Some(text) = text {
            open_text(&shared, "sass".to_owned(), "ptxsass", text).await;
        }
        shared.client().await.show_message(MessageType::INFO, summary).await;
    });
}

/// Returns the source line that a PTX line comes from, if its file exists: `uri`, and `line` and `column` from 1.
///
/// # Errors
/// If the argument is invalid.
pub async fn source_of(shared: &Arc<Server>, uri: Uri, argument: &Value) -> Result<Option<Value>> {
    let line = line_number(argument, "line")?
        .ok_or_else(|| Error::invalid_params("the command takes an object with a `line`, counted from 1"))?;
    let Some((_, snapshot)) = snapshot(shared, &uri).await else { return Ok(None) };
    let server = Arc::clone(shared);
    shared
        .platform
        .off_thread(move || {
            let found = ptx_ide::source_of_line(&snapshot, line - 1)?;
            let file = source_file(&server, &uri, &found.path)?;
            let at = Position::new(found.line.max(1), found.column.max(1));
            Some(json!({ "uri": file, "line": at.line, "column": at.character }))
        })
        .await
}
