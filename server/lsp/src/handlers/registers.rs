//! `ptx-analyzer.registerPressure`: the registers of functions, line by line.

use super::arguments::{line_number, string};
use crate::server::Server;
use ptx_analysis::{RegisterCount, RegisterReport};
use ptx_ide::{FunctionPressure, HeldValue};
use ptx_syntax::Snapshot;
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{MessageType, Uri};

/// Time limit for the flow lints in a request for registers.
const LINTS_TIMEOUT: Duration = Duration::from_secs(5);

/// The arguments of a request for registers.
#[derive(Debug)]
struct RegistersRequest {
    entry: Option<String>,
    line: Option<usize>,
    lines: RangeInclusive<usize>,
    show: bool,
}

impl RegistersRequest {
    fn read(argument: &Value) -> Result<Self> {
        let number = |name: &str| line_number(argument, name);
        let entry = match argument.get("entry") {
            None | Some(Value::Null) => None,
            Some(_) => Some(string(&argument["entry"], "entry")?.to_owned()),
        };
        let lines = number("first")?.unwrap_or(1)..=number("last")?.unwrap_or(usize::MAX);
        Ok(Self { entry, line: number("line")?, lines, show: argument.get("show") == Some(&Value::Bool(true)) })
    }
}

/// Answers the command; `null` if the document is not open or not PTX.
pub async fn pressure(shared: &Arc<Server>, uri: Uri, argument: &Value) -> Result<Option<Value>> {
    let asked = RegistersRequest::read(argument)?;
    let Some(document) = shared.state.document(&uri) else { return Ok(None) };
    let revision = document.revision();
    let wait = argument.get("wait") == Some(&Value::Bool(true));
    let parsed = if wait {
        document.passed(&*shared.platform, revision, LINTS_TIMEOUT).await
    } else {
        document.parsed(revision).await
    };
    let show = asked.show;
    let server = Arc::clone(shared);
    let answer = shared
        .platform
        .off_thread(move || {
            let parsed = parsed?;
            let snapshot = parsed.snapshot.as_ref()?;
            let figures = server.ptxas.figures(&uri, snapshot, &parsed.figures);
            let rope = snapshot.rope();
            let start_of = |line: usize| rope.line_to_byte(line.saturating_sub(1).min(rope.len_lines()));
            let range = start_of(*asked.lines.start())..start_of(asked.lines.end().saturating_add(1));
            let found = ptx_ide::function_pressure(snapshot, &figures, asked.entry.as_deref(), range);
            let functions: Vec<Value> = found.iter().map(|f| function(snapshot, f)).collect();
            let mut out = json!({ "complete": parsed.complete, "functions": functions });
            if let Some(entry) = &asked.entry
                && let Some(said) = ptx_ide::function_registers(snapshot, &figures, entry)
            {
                out["markdown"] = json!(format!("# {}\n\n{said}\n", ptx_ide::both_names(entry)));
            }
            if let Some(number) = asked.line {
                let end = start_of(number.saturating_add(1)).max(start_of(number) + 1) - 1;
                let held = ptx_ide::held_values(snapshot, &figures, end).unwrap_or_default();
                out["live"] = held.iter().map(|v| value(snapshot, v)).collect();
            }
            Some(out)
        })
        .await?;
    if let Some(markdown) = answer.as_ref().filter(|_| show).and_then(|a| a["markdown"].as_str()) {
        let message = plain(markdown);
        let server = Arc::clone(shared);
        shared.spawn(async move { server.client().await.show_message(MessageType::INFO, message).await });
    }
    Ok(answer)
}

fn line(snapshot: &Snapshot, offset: usize) -> usize {
    snapshot.rope().byte_to_line(offset.min(snapshot.rope().len_bytes())) + 1
}

fn function(snapshot: &Snapshot, found: &FunctionPressure) -> Value {
    let kernel: &RegisterReport = &found.kernel;
    let most = kernel.facts.usage().pressure.most;
    let bound = found.bound.map(|at| line(snapshot, at));
    let limit = json!({ "registers": kernel.limit.registers, "line": bound });
    let shown = found.lines.iter();
    let shown: Vec<Value> = shown.map(|l| json!([line(snapshot, l.offset), l.live.b32, l.live.predicates])).collect();
    let occupancy = kernel.occupancy.as_ref().map(|o| {
        json!({
            "warps_per_sm": o.warps, "most_warps": o.most_warps, "percent": o.percent(),
            "limited_by": o.limited_by.name(), "ctas_per_sm": o.ctas, "threads": o.threads, "threads_assumed": o.assumed,
            "fewer": o.fewer.map(|(registers, warps)| json!({ "registers": registers, "warps": warps })),
        })
    });
    let measured = kernel.measured.as_ref();
    let measured = measured.map(|m| json!({ "registers": m.registers, "spilled": m.spilled, "by": m.by }));
    let mut out = json!({
        "name": found.name, "entry": kernel.kernel, "line": line(snapshot, found.start), "stale": found.stale,
        "registers": kernel.registers, "measured": measured, "unlimited": kernel.unlimited, "limit": limit,
        "likely": { "low": kernel.likely.start(), "high": kernel.likely.end() },
        "spill_likely": kernel.spills(),
        "max_live": live(most, &[("peak_line", found.peak.map(|at| line(snapshot, at)))]),
        "shared": kernel.shared, "dynamic_shared": kernel.dynamic_shared, "occupancy": occupancy, "lines": shown,
    });
    if let Some(demangled) = ptx_ide::demangle(&found.name) {
        out["demangled"] = json!(demangled.short);
    }
    out
}

fn live(live: RegisterCount, more: &[(&str, Option<usize>)]) -> Value {
    let mut out = json!({ "b32": live.b32, "pred": live.predicates });
    more.iter().for_each(|(name, value)| out[*name] = json!(value));
    out
}

fn value(snapshot: &Snapshot, value: &HeldValue) -> Value {
    let at = |offset: Option<usize>| offset.map(|at| line(snapshot, at));
    let places = [("line", at(value.since)), ("next_line", at(value.next)), ("instructions", Some(value.instructions))];
    let mut out = live(value.takes, &places);
    out["name"] = json!(value.name);
    out
}

/// Returns the first paragraphs for a message, without Markdown signs.
fn plain(markdown: &str) -> String {
    let lines = markdown.lines().map(|l| l.trim_start_matches('#').trim()).take_while(|l| !l.starts_with("Live there"));
    lines.filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n").replace("**", "")
}
