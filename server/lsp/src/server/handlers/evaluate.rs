//! `ptx-analyzer.evaluateWarp` and its companions: what every lane of a warp holds, step by step.

use super::snapshot;
use crate::launch::choose::{Question, Written};
use crate::launch::refusal::Refusal;
use crate::launch::result;
use crate::launch::view::{self, Asked, Memory, Timeline};
use crate::server::document::{Checked, Document};
use crate::server::evaluation::{self, Evaluation, Focus};
use crate::server::refresh;
use crate::server::shared::{Shared, cancellable, off_thread};
use ptx_analysis::program::Program;
use ptx_interp::launch::{Launch, complete};
use ptx_syntax::{Rope, Snapshot};
use serde_json::{Map, Value, json};
use std::ops::Range;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{MessageType, Range as Span, ShowDocumentParams, TextEdit, Uri, WorkspaceEdit};

/// `RequestFailed`: the request is sound, the answer is no.
const REFUSED: ErrorCode = ErrorCode::ServerError(-32803);

/// Steps of a window where nothing is said, and at most.
const STEPS: (usize, usize) = (256, 1 << 16);

/// Steps of a timeline, likewise.
const TIMELINE: (usize, usize) = (20_000, 1_000_000);

/// Pieces of memory, and bytes of all of them.
const MEMORY: (usize, u64) = (64, 16 << 20);

/// What is asked for, but for the document.
#[derive(Debug, Default)]
struct Request {
    question: Question,
    line: Option<usize>,
    cta: [u32; 3],
    warp: u32,
    asked: Asked,
    /// Nothing: as it is; nothing inside: no lane.
    focus: Option<Option<(u32, Option<u64>)>>,
    show: bool,
}

/// Reads arguments, and says what is wrong with them.
struct Arguments<'a>(&'a Map<String, Value>);

impl Arguments<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|v| !v.is_null())
    }

    fn number(&self, name: &str) -> Result<Option<u64>> {
        let wrong = || Error::invalid_params(format!("`{name}` is a whole number, 0 or more"));
        self.get(name).map(|v| v.as_u64().ok_or_else(wrong)).transpose()
    }

    fn small(&self, name: &str) -> Result<Option<u32>> {
        Ok(self.number(name)?.map(|n| u32::try_from(n).unwrap_or(u32::MAX)))
    }

    fn flag(&self, name: &str) -> Result<bool> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(value)) => Ok(*value),
            Some(_) => Err(Error::invalid_params(format!("`{name}` is true or false"))),
        }
    }

    fn text(&self, name: &str) -> Result<Option<&str>> {
        let wrong = || Error::invalid_params(format!("`{name}` is a string"));
        self.get(name).map(|v| v.as_str().ok_or_else(wrong)).transpose()
    }

    fn line(&self) -> Result<Option<usize>> {
        match self.number("line")? {
            Some(0) => Err(Error::invalid_params("`line` counts from 1")),
            line => Ok(line.map(|n| usize::try_from(n).unwrap_or(usize::MAX))),
        }
    }

    fn address(&self, name: &str) -> Result<Option<u64>> {
        let wrong = || Error::invalid_params(format!("`{name}` is an address in hexadecimal digits, a string"));
        let read = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).map_err(|_| wrong());
        self.text(name)?.map(read).transpose()
    }
}

fn object<'a>(value: &'a Value, name: &str) -> Result<Arguments<'a>> {
    value.as_object().map(Arguments).ok_or_else(|| Error::invalid_params(format!("{name} is an object")))
}

impl Request {
    fn read(argument: &Value) -> Result<Self> {
        let empty = Map::new();
        // A bare URI asks for everything as it is usual.
        let arguments = argument.as_object().map_or(Arguments(&empty), Arguments);
        let mut out = Self { line: arguments.line()?, ..Self::default() };
        out.question.entry = arguments.text("entry")?.map(str::to_owned);
        out.question.number = arguments.number("number")?.unwrap_or(0) as usize;
        out.question.launch = match arguments.get("launch") {
            None => Written::Above,
            Some(Value::String(text)) => Written::Lines(text.clone()),
            Some(Value::Bool(false)) => Written::Nowhere,
            Some(table @ Value::Object(_)) => Written::Table(table.clone()),
            Some(_) => {
                let words = "`launch` is a string as behind `launch:`, an object of the keys of a launch file, or false for a guess";
                return Err(Error::invalid_params(words));
            }
        };
        if let Some(cta) = arguments.get("cta") {
            let wrong = || Error::invalid_params("`cta` is one to three numbers, or the number of a CTA in the grid");
            let number = |v: &Value| v.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(wrong);
            match cta.as_array() {
                Some(all) if (1..=3).contains(&all.len()) => {
                    for (to, from) in out.cta.iter_mut().zip(all) {
                        *to = number(from)?;
                    }
                }
                _ => return Err(wrong()),
            }
        }
        out.warp = arguments.small("warp")?.unwrap_or(0);
        out.show = arguments.flag("show")?;
        out.asked.from = arguments.number("from")?.unwrap_or(0);
        let count = arguments.number("count")?.map_or(STEPS.0, |n| usize::try_from(n).unwrap_or(usize::MAX));
        out.asked.count = count.min(STEPS.1);
        out.asked.accesses = arguments.flag("accesses")?;
        out.asked.state = match arguments.get("state") {
            None | Some(Value::Bool(false)) => None,
            Some(Value::Bool(true)) => Some(out.asked.from),
            Some(_) => arguments.number("state")?,
        };
        out.asked.timeline = match arguments.get("timeline") {
            None | Some(Value::Bool(false)) => None,
            Some(Value::Bool(true)) => Some(Timeline { from: 0, count: TIMELINE.0 }),
            Some(value) => {
                let window = object(value, "`timeline`")?;
                let count = window.number("count")?.map_or(TIMELINE.0, |n| usize::try_from(n).unwrap_or(usize::MAX));
                Some(Timeline { from: window.number("from")?.unwrap_or(0), count: count.min(TIMELINE.1) })
            }
        };
        if let Some(memory) = arguments.get("memory") {
            let wrong = || Error::invalid_params(format!("`memory` is a list of at most {} pieces", MEMORY.0));
            let pieces = memory.as_array().filter(|all| all.len() <= MEMORY.0).ok_or_else(wrong)?;
            out.asked.memory = pieces.iter().map(piece).collect::<Result<_>>()?;
            let bytes = out.asked.memory.iter().fold(0u64, |all, m| all.saturating_add(m.length));
            if bytes > MEMORY.1 {
                return Err(Error::invalid_params(format!(
                    "{bytes} bytes of memory are asked for, {} are the most",
                    MEMORY.1
                )));
            }
        }
        out.focus = match arguments.0.get("focus") {
            None => None,
            Some(Value::Null) => Some(None),
            Some(value) => {
                let focus = object(value, "`focus`")?;
                let lane = focus.small("lane")?.unwrap_or(0);
                if lane > 31 {
                    return Err(Error::invalid_params("a lane is a number from 0 to 31"));
                }
                Some(Some((lane, focus.number("step")?)))
            }
        };
        Ok(out)
    }
}

fn piece(value: &Value) -> Result<Memory> {
    let piece = object(value, "a piece of `memory`")?;
    let length = piece.number("length")?.ok_or_else(|| Error::invalid_params("a piece of memory has a `length`"))?;
    let offset = piece.number("offset")?.unwrap_or(0);
    let lane = piece.small("lane")?.unwrap_or(0).min(31);
    let place = match (piece.address("address")?, piece.text("buffer")?, piece.text("space")?) {
        (Some(address), ..) => view::Place::Address(address),
        (None, Some(name), _) => view::Place::Named(name.to_owned(), offset),
        (None, None, Some(space)) => view::Place::Space(space.trim_start_matches('.').to_owned(), offset),
        _ => return Err(Error::invalid_params("a piece of memory has an `address`, a `buffer` or a `space`")),
    };
    Ok(Memory { place, lane, length })
}

/// Answers the command.
///
/// # Errors
/// If the kernel cannot be run; that it has faults is an answer.
pub async fn evaluate_warp(shared: &Arc<Shared>, uri: Uri, argument: &Value) -> Result<Value> {
    let request = Request::read(argument)?;
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

/// The answer, and the name of the kernel.
async fn answer(shared: &Arc<Shared>, uri: &Uri, mut request: Request) -> Result<(Value, String)> {
    let (document, checked) = read(shared, uri).await?;
    let server = Arc::clone(shared);
    cancellable(move |cancelled| {
        let stop = || cancelled.is_set();
        let rope = checked.snapshot.as_ref().map(|s| s.rope().clone()).unwrap_or_default();
        if request.question.entry.is_none() {
            request.question.at = request.line.map(|line| offset_of(&rope, line));
        }
        let evaluation = evaluation::ask(&server, &document, &checked, &request.question, &stop)
            .map_err(|refusal| refused(&refusal, &rope))?;
        cancelled.check()?;
        let shape = evaluation.done.run.machine.shape;
        let target = view::target(&shape, request.cta, request.warp).map_err(Error::invalid_params)?;
        if let Some(focus) = request.focus {
            let focus = focus.map(|(lane, step)| Focus { target, lane, step });
            if document.evaluation.set_focus(focus) {
                refresh::values(&server);
            }
        }
        let places = |offset: usize| place(&rope, offset);
        let mut out = view::answer(&evaluation.done, &places, target, &request.asked, &stop);
        cancelled.check()?;
        let line = |offset: usize| place(&rope, offset).0;
        let text = result::markdown(&evaluation.done, target, &line, &|range| evaluation.module.text.get(range), &stop);
        out["version"] = json!(checked.version);
        out["launches"] = json!(evaluation.launches);
        out["markdown"] = json!(text);
        limits(&mut out, &evaluation, &rope);
        Ok((out, evaluation.entry.clone()))
    })
    .await?
}

/// Why a run did not come to its end.
fn limits(out: &mut Value, evaluation: &Evaluation, rope: &Rope) {
    use ptx_interp::machine::Status;
    let status = evaluation.done.run.status;
    if status == Status::Limit {
        out["limited_by"] = json!(if evaluation.out_of_time { "time" } else { "steps" });
    }
    if let Some(site) = evaluation.done.stopped_at().filter(|_| [Status::Limit, Status::Deadlock].contains(&status)) {
        let (line, column) = place(rope, evaluation.done.run.machine.executable.range(site).start);
        out["stopped_at"] = json!({ "line": line, "column": column });
    }
}

async fn read(shared: &Shared, uri: &Uri) -> Result<(Arc<Document>, Arc<Checked>)> {
    let closed = || refused(&Refusal::new("not-open", format!("`{}` is not open", uri.as_str())), &Rope::new());
    let document = shared.document(uri).ok_or_else(closed)?;
    let revision = document.revision();
    let checked = document.checked(revision).await.ok_or_else(closed)?;
    Ok((document, checked))
}

/// Line and column from 1, the column in bytes.
fn place(rope: &Rope, offset: usize) -> (usize, usize) {
    let offset = offset.min(rope.len_bytes());
    let line = rope.byte_to_line(offset);
    (line + 1, offset - rope.line_to_byte(line) + 1)
}

/// Where a line begins, from 1.
fn offset_of(rope: &Rope, line: usize) -> usize {
    rope.line_to_byte(line.saturating_sub(1).min(rope.len_lines()))
}

fn refused(refusal: &Refusal, rope: &Rope) -> Error {
    if refusal.kind == "cancelled" {
        return Error::request_cancelled();
    }
    let shown = |(range, message): &(Range<usize>, String)| {
        let ((line, column), (end_line, end_column)) = (place(rope, range.start), place(rope, range.end));
        json!({ "line": line, "column": column, "end_line": end_line, "end_column": end_column, "message": message })
    };
    // Places in what was sent along are no lines of the document.
    let places: Vec<Value> = match refusal.in_module {
        true => refusal.places.iter().map(shown).collect(),
        false => refusal
            .places
            .iter()
            .map(|(range, message)| json!({ "start": range.start, "end": range.end, "message": message }))
            .collect(),
    };
    let data = json!({ "kind": refusal.kind, "places": places });
    Error { code: REFUSED, message: refusal.message.clone().into(), data: Some(data) }
}

/// Shows the result to a client without a view of its own: as a document if it opens those, else in a message.
fn present(shared: &Arc<Shared>, said: std::result::Result<(String, String), String>) {
    let shared = Arc::clone(shared);
    let runner = Arc::clone(&shared);
    runner.spawn(async move {
        let (title, text) = match said {
            Ok(said) => said,
            Err(message) => {
                shared.client.show_message(MessageType::WARNING, format!("ptx-analyzer: {message}")).await;
                return;
            }
        };
        if shared.session().shows_documents {
            let server = Arc::clone(&shared);
            let (name, body) = (title.clone(), text.clone());
            let written = off_thread(move || server.evaluations.write(&name, &body)).await;
            if let Some(uri) = written.ok().and_then(std::result::Result::ok).and_then(Uri::from_file_path) {
                let document =
                    ShowDocumentParams { uri, external: Some(false), take_focus: Some(true), selection: None };
                let shown = tokio::time::timeout(PATIENCE, shared.client.show_document(document)).await;
                if matches!(shown, Ok(Ok(true))) {
                    return;
                }
            }
        }
        let summary = text.lines().find(|l| l.starts_with("**")).unwrap_or_default().replace("**", "");
        shared.client.show_message(MessageType::INFO, format!("{title}: {summary}")).await;
    });
}

/// Clients may leave a request unanswered.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

/// Takes back what is shown of an evaluation, and evaluates no more.
pub fn clear(shared: &Arc<Shared>, uri: &Uri) -> Option<Value> {
    let document = shared.document(uri)?;
    if document.evaluation.clear() {
        document.recheck();
        refresh::values(shared);
        refresh::diagnostics(shared);
    }
    None
}

/// The matrices of the instruction in a line: which element each lane holds in which register.
pub async fn fragments(shared: &Shared, uri: Uri, argument: &Value) -> Result<Option<Value>> {
    let line = object(argument, "the argument")?.line()?.ok_or_else(|| Error::invalid_params("`line` is missing"))?;
    let Some((_, snapshot)) = snapshot(shared, &uri).await else { return Ok(None) };
    off_thread(move || {
        let start = offset_of(snapshot.rope(), line);
        let end = offset_of(snapshot.rope(), line.saturating_add(1));
        let found = ptx_ide::matrices_in(&snapshot, start..end)?;
        let operands: Vec<Value> = found
            .matrices
            .iter()
            .map(|m| {
                let elements: Vec<_> =
                    m.elements.iter().map(|e| json!([e.lane, e.register, e.part, e.row, e.column])).collect();
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

/// The kernels of a document with their launches.
pub async fn launches(shared: &Arc<Shared>, uri: Uri, argument: &Value) -> Result<Value> {
    let (entry, line) = match argument.as_object().map(Arguments) {
        Some(arguments) => (arguments.text("entry")?.map(str::to_owned), arguments.line()?),
        None => (None, None),
    };
    let (_, checked) = read(shared, &uri).await?;
    cancellable(move |_| {
        let Some(snapshot) = &checked.snapshot else { return Ok(json!({ "entries": [] })) };
        let module = module(snapshot, &checked);
        let only = match (entry, line) {
            (None, None) => None,
            (entry, line) => {
                let at = line.map(|line| offset_of(snapshot.rope(), line));
                let kernel = module.kernel(entry.as_deref(), at);
                let kernel = kernel.map_err(|why| refused(&Refusal::new("no-kernel", why), snapshot.rope()))?;
                Some(kernel.name.to_string())
            }
        };
        let (found, _) = module.launches();
        let kernels = module.program.functions.iter().filter(|c| c.kernel && c.body.is_some());
        let kernels = kernels.filter(|c| only.as_deref().is_none_or(|only| *only == *c.name));
        let entries: Vec<Value> = kernels
            .map(|kernel| {
                let mine = found.iter().filter(|l| l.entry == kernel.name);
                let shown = |launch: &Launch| {
                    let (line, _) = place(snapshot.rope(), launch.range.start);
                    json!({ "line": line, "text": first(launch), "lines": lines(launch) })
                };
                let (guess, guessed) = guess(&module, &kernel.name);
                let parameters = kernel.parameters.iter().zip(&kernel.pointees).map(|(p, pointee)| {
                    json!({ "name": p.name, "type": p.ty.map(|t| t.name()), "pointer": pointee.is_some() })
                });
                json!({
                    "name": kernel.name,
                    "line": place(snapshot.rope(), kernel.name_range.start).0,
                    "launches": mine.map(shown).collect::<Vec<_>>(),
                    "guess": { "text": first(&guess), "lines": lines(&guess), "guessed": guessed },
                    "parameters": parameters.collect::<Vec<_>>(),
                })
            })
            .collect();
        Ok(json!({ "entries": entries }))
    })
    .await?
}

fn module(snapshot: &Snapshot, checked: &Checked) -> crate::launch::evaluate::Module {
    let program = Arc::new(Program::of(snapshot, &checked.errors));
    crate::launch::evaluate::Module { program, text: snapshot.rope().to_string().into() }
}

/// The launch that would be guessed, and what of it is.
fn guess(module: &crate::launch::evaluate::Module, entry: &str) -> (Launch, Vec<String>) {
    let mut launch = Launch { entry: entry.into(), ..Launch::default() };
    let guessed = complete(&mut launch, &module.program, &module.text);
    (launch, guessed)
}

fn lines(launch: &Launch) -> Vec<String> {
    launch.lines().lines().map(str::to_owned).collect()
}

/// What follows `launch:`.
fn first(launch: &Launch) -> String {
    let lines = launch.lines();
    lines.lines().next().and_then(|l| l.strip_prefix("//! launch:")).unwrap_or_default().trim().to_owned()
}

/// Writes the launch that would be guessed above a kernel, by an edit that the client applies.
pub async fn write_launch(shared: &Arc<Shared>, uri: Uri, argument: &Value) -> Result<Option<Value>> {
    let arguments = object(argument, "the argument")?;
    let (entry, line) = (arguments.text("entry")?.map(str::to_owned), arguments.line()?);
    let (document, checked) = read(shared, &uri).await?;
    let encoding = shared.session().encoding;
    let revision = checked.revision;
    let edit = cancellable(move |_| {
        let rope = checked.snapshot.as_ref().map(|s| s.rope().clone()).unwrap_or_default();
        let fail = |why: String| refused(&Refusal::new("no-kernel", why), &rope);
        let Some(snapshot) = &checked.snapshot else { return Err(fail("this is no PTX".to_owned())) };
        let module = module(snapshot, &checked);
        let at = line.map(|line| offset_of(&rope, line));
        let kernel = module.kernel(entry.as_deref(), at).map_err(fail)?;
        let (launch, _) = guess(&module, &kernel.name);
        // Above all that belongs to it: linking directives may stand on lines of their own.
        let start = rope.line_to_byte(rope.byte_to_line(kernel.start.min(rope.len_bytes())));
        let newline = if rope.slice(..).chars().take(4096).any(|c| c == '\r') { "\r\n" } else { "\n" };
        let text = launch.lines().replace('\n', newline);
        let at = encoding.position(&rope, start);
        Ok(TextEdit::new(Span::new(at, at), text))
    })
    .await??;
    if document.is_stale(revision) {
        return Err(Error::content_modified());
    }
    let edit = WorkspaceEdit::new(std::collections::HashMap::from([(uri, vec![edit])]));
    let client = shared.client.clone();
    shared.spawn(async move {
        if let Ok(Err(error)) = tokio::time::timeout(PATIENCE, client.apply_edit(edit)).await {
            tracing::info!("the launch was not written: {error}");
        }
    });
    Ok(None)
}

/// The name of the kernel in which a place is, or above which.
pub fn kernel_at(snapshot: &Snapshot, at: usize) -> Option<Kernel> {
    use ptx_analysis::module::{is_function, items};
    use ptx_syntax::fields;
    let f = fields();
    let items = items(snapshot.root());
    let before = items.iter().rev().find(|i| i.range.start <= at);
    let item = match before.filter(|i| at <= i.range.end) {
        Some(around) => around,
        None => {
            // Between two items: comments that stand right above a kernel belong to it.
            let next = items.iter().find(|i| i.range.start > at)?;
            let rope = snapshot.rope();
            let between = rope.byte_slice(rope.line_to_byte(rope.byte_to_line(at))..next.range.start);
            let comments = between.lines().all(|l| l.to_string().trim_start().starts_with("//") || l.len_bytes() == 0);
            comments.then_some(next)?
        }
    };
    let name = item.node.child_by_field_id(f.name).filter(|_| is_function(item.node))?;
    let kind = item.node.child_by_field_id(f.kind)?;
    let body = item.node.child_by_field_id(f.body)?;
    (snapshot.text(kind.byte_range()) == ".entry").then(|| Kernel {
        name: snapshot.text(name.byte_range()).into_owned(),
        headed: at <= body.start_byte(),
        launched: launched(snapshot, item.range.start),
    })
}

/// A kernel.
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The place is in its head, and not in its body.
    pub headed: bool,
    /// A launch stands above it.
    pub launched: bool,
}

/// Whether a launch stands in the comments above a place.
fn launched(snapshot: &Snapshot, start: usize) -> bool {
    let rope = snapshot.rope();
    let mut line = rope.byte_to_line(start);
    while line > 0 {
        line -= 1;
        let text = rope.line(line).to_string();
        let text = text.trim();
        if text.strip_prefix("//!").is_some_and(|t| t.trim_start().starts_with("launch:")) {
            return true;
        }
        if !text.starts_with("//") && !text.is_empty() {
            return false;
        }
    }
    false
}
