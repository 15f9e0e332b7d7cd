//! The kernels of a document, their launches, and the launch that would be guessed.

use super::request::{EvaluateArguments, object};
use super::{offset_of, place, read, refused};
use crate::evaluation::module;
use crate::server::Server;
use ptx_analysis::ModuleItem;
use ptx_analysis::module::{is_function, items};
use ptx_ide::launches_above;
use ptx_launch::evaluate::LaunchModule;
use ptx_launch::guess::{GuessReport, complete};
use ptx_launch::refusal::LaunchRefusal;
use ptx_launch_syntax::{Keyword, Launch};
use ptx_syntax::{Snapshot, fields};
use serde_json::{Value, json};
use std::sync::Arc;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{Range, TextEdit, Uri, WorkspaceEdit};

/// Returns the kernels of a document with their launches.
pub async fn launches(shared: &Arc<Server>, uri: Uri, argument: &Value) -> Result<Value> {
    let (entry, line) = match argument.as_object().map(EvaluateArguments) {
        Some(arguments) => (arguments.text("entry")?.map(str::to_owned), arguments.line()?),
        None => (None, None),
    };
    let (_, checked) = read(shared, &uri).await?;
    shared.platform.cancellable(move |_| {
        let Some(snapshot) = &checked.snapshot else { return Ok(json!({ "entries": [] })) };
        let module = module(snapshot, checked.unfiltered().as_deref());
        let only = match (entry, line) {
            (None, None) => None,
            (entry, line) => {
                let at = line.map(|line| offset_of(snapshot.rope(), line));
                let kernel = module.kernel(entry.as_deref(), at);
                let kernel = kernel.map_err(|why| refused(&LaunchRefusal::new("no-kernel", why), snapshot.rope()))?;
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
                    let rope = snapshot.rope();
                    let ((line, _), (end_line, _)) = (place(rope, launch.range.start), place(rope, launch.range.end));
                    let expects = launch.lines.iter().filter(|line| line.keyword == Keyword::Expect);
                    let expect: Vec<usize> = expects.map(|line| place(rope, line.range.start).0).collect();
                    let (text, lines) = (first(launch), lines(launch));
                    json!({ "line": line, "end_line": end_line, "text": text, "lines": lines, "expect": expect })
                };
                let (guess, guessed) = guess(&module, &kernel.name);
                let parameters = kernel.parameters.iter().zip(&kernel.pointees).map(|(p, pointee)| {
                    json!({ "name": p.name, "type": p.ty.map(|t| t.name()), "pointer": pointee.is_some() })
                });
                json!({
                    "name": kernel.name,
                    "line": place(snapshot.rope(), kernel.name_range.start).0,
                    "launches": mine.map(shown).collect::<Vec<_>>(),
                    "guess": { "text": first(&guess), "lines": lines(&guess), "guessed": guessed.parts, "lengths": guessed.lengths },
                    "parameters": parameters.collect::<Vec<_>>(),
                })
            })
            .collect();
        Ok(json!({ "entries": entries }))
    })
    .await?
}

/// Returns the launch that would be guessed, and which parts of it are guesses.
fn guess(module: &LaunchModule, entry: &str) -> (Launch, GuessReport) {
    let mut launch = Launch { entry: entry.into(), ..Launch::default() };
    let guessed = complete(&mut launch, &module.program, &module.text);
    (launch, guessed)
}

fn lines(launch: &Launch) -> Vec<String> {
    launch.text().lines().map(str::to_owned).collect()
}

/// Returns the text after `launch:`.
fn first(launch: &Launch) -> String {
    launch.definition().into_iter().next().map_or_else(String::new, |line| line.text)
}

/// Writes the guessed launch above a kernel with an edit, if the client applies edits. Returns its lines.
pub async fn write_launch(shared: &Arc<Server>, uri: Uri, argument: &Value) -> Result<Value> {
    let arguments = object(argument, "the argument")?;
    let (entry, line) = (arguments.text("entry")?.map(str::to_owned), arguments.line()?);
    let (document, checked) = read(shared, &uri).await?;
    let encoding = shared.state.session().encoding;
    let revision = checked.revision;
    let edit = shared
        .platform
        .cancellable(move |_| {
            let rope = checked.snapshot.as_ref().map(|s| s.rope().clone()).unwrap_or_default();
            let fail = |why: String| refused(&LaunchRefusal::new("no-kernel", why), &rope);
            let Some(snapshot) = &checked.snapshot else { return Err(fail("this is not PTX".to_owned())) };
            let module = module(snapshot, checked.unfiltered().as_deref());
            let at = line.map(|line| offset_of(&rope, line));
            let kernel = module.kernel(entry.as_deref(), at).map_err(fail)?;
            let (launch, _) = guess(&module, &kernel.name);
            // The launch is inserted above the whole declaration: linking directives may be on separate lines.
            let start = rope.line_to_byte(rope.byte_to_line(kernel.start.min(rope.len_bytes())));
            let newline = if rope.slice(..).chars().take(4096).any(|c| c == '\r') { "\r\n" } else { "\n" };
            let text = launch.text().replace('\n', newline);
            let at = encoding.position(&rope, start);
            Ok(TextEdit::new(Range::new(at, at), text))
        })
        .await??;
    if document.is_stale(revision) {
        return Err(Error::content_modified());
    }
    let applies = shared.state.session().applies_edits;
    let written = json!({ "text": edit.new_text, "applied": applies });
    if !applies {
        return Ok(written);
    }
    let edit = WorkspaceEdit::new(std::collections::HashMap::from([(uri, vec![edit])]));
    let server = Arc::clone(shared);
    shared.spawn(async move {
        if let Some(Err(error)) = server.answer(server.client().await.apply_edit(edit)).await {
            tracing::info!("the launch was not written: {error}");
        }
    });
    Ok(written)
}

/// Returns the kernel that contains a place, or below whose launch or comments the place stands.
pub fn kernel_at(snapshot: &Snapshot, at: usize) -> Option<KernelEntry> {
    let f = fields();
    let is_kernel = |item: &ModuleItem<'_>| {
        let kind = item.node.child_by_field_id(f.kind).filter(|_| is_function(item.node));
        kind.is_some_and(|kind| snapshot.text(kind.byte_range()) == ".entry")
    };
    let items = items(snapshot);
    let next = items.partition_point(|item| item.range.start <= at);
    let item = match items[..next].last().filter(|item| at <= item.range.end) {
        Some(around) => around,
        None => {
            // Between two items: the lines of a launch, and comments directly above a kernel, belong to it.
            let is_above = |item: &&ModuleItem<'_>| {
                let mut lines = launches_above(snapshot, item.range.start).into_iter().flat_map(|launch| launch.lines);
                lines.any(|line| line.range.start <= at && at <= line.range.end)
            };
            let launched = items[next..].iter().find(|item| is_kernel(item)).filter(is_above);
            launched.or_else(|| {
                let next = items.get(next)?;
                let rope = snapshot.rope();
                let between = rope.byte_slice(rope.line_to_byte(rope.byte_to_line(at))..next.range.start);
                let mut lines = between.lines().map(|line| line.to_string());
                lines.all(|line| line.trim_start().starts_with("//") || line.is_empty()).then_some(next)
            })?
        }
    };
    let name = item.node.child_by_field_id(f.name).filter(|_| is_kernel(item))?;
    let body = item.node.child_by_field_id(f.body)?;
    Some(KernelEntry {
        name: snapshot.text(name.byte_range()).into_owned(),
        headed: at <= body.start_byte(),
        launched: launches_above(snapshot, item.range.start).iter().any(Launch::is_written),
    })
}

/// A kernel at a place.
pub struct KernelEntry {
    /// Its name.
    pub name: String,
    /// Whether the place is in its header, not in its body.
    pub headed: bool,
    /// Whether a launch is written above it.
    pub launched: bool,
}
