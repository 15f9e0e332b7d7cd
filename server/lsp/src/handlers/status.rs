//! Status of the server: its documents, memory and timings.

use crate::document::OpenDocument;
use crate::server::Server;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// Returns the status, for programs and as Markdown.
pub fn status(shared: &Server) -> Value {
    let mut documents = shared.state.documents();
    documents.sort_by(|a, b| a.uri.cmp(&b.uri));
    let documents: Vec<Value> = documents.iter().map(|d| document(shared, d)).collect();
    let (resident, peak) = memory();
    let mut out = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "seconds": shared.started.elapsed().as_secs(),
        "memory": { "resident_bytes": resident, "peak_bytes": peak },
        "documents": documents,
        "ptxas": shared.ptxas.program.status(&shared.state.folders()),
        "nvdisasm": shared.nvdisasm.program.status(&shared.state.folders()),
    });
    let markdown = markdown(&out);
    out["markdown"] = Value::String(markdown);
    out
}

fn document(shared: &Server, document: &OpenDocument) -> Value {
    let (version, rope) = document.current();
    let checked = document.last_checked();
    let timings = checked.as_ref().map(|c| c.timings).unwrap_or_default();
    let snapshot = document.last_parsed().and_then(|p| p.snapshot.clone());
    let measured = snapshot.map(|snapshot| shared.ptxas.measured(&document.uri, &snapshot).len());
    json!({
        "uri": document.uri.as_str(),
        "version": version,
        "bytes": rope.len_bytes(),
        "lines": rope.len_lines(),
        "diagnostics": checked.as_ref().map(|c| c.report.diagnostics.len()),
        "held": checked.map(|c| c.held.iter().filter(|held| **held).count()),
        "measured": measured,
        "evaluation": document.history.evaluation.status(),
        "milliseconds": {
            "parse": milliseconds(timings.parse),
            "check": milliseconds(timings.check),
            "lints": milliseconds(timings.lints),
            "convert": milliseconds(timings.convert),
        },
    })
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1e3
}

fn markdown(status: &Value) -> String {
    let mut out = format!("# ptx-analyzer {}\n\n", env!("CARGO_PKG_VERSION"));
    let mebibytes = |v: &Value| v.as_u64().map_or_else(|| "?".to_owned(), |n| format!("{} MiB", n >> 20));
    let memory = &status["memory"];
    let (resident, peak) = (mebibytes(&memory["resident_bytes"]), mebibytes(&memory["peak_bytes"]));
    let _ = writeln!(out, "Memory: {resident}, at most {peak}. Running for {} s.\n", status["seconds"]);
    out.push_str(
        "| document | version | lines | diagnostics | parse | check | lints | convert |\n|---|---|---|---|---|---|---|---|\n",
    );
    for d in status["documents"].as_array().into_iter().flatten() {
        let ms = &d["milliseconds"];
        let uri = d["uri"].as_str().unwrap_or_default();
        let _ = writeln!(
            out,
            "| {uri} | {} | {} | {} | {} ms | {} ms | {} ms | {} ms |",
            d["version"], d["lines"], d["diagnostics"], ms["parse"], ms["check"], ms["lints"], ms["convert"]
        );
    }
    out
}

/// Returns the current and the maximum resident memory in bytes, if the system reports them.
#[expect(clippy::disallowed_methods, reason = "a file of the system about this process")]
fn memory() -> (Option<u64>, Option<u64>) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(name))?;
        Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? * 1024)
    };
    (field("VmRSS:"), field("VmHWM:"))
}
