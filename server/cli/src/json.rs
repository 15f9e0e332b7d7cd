//! Diagnostics as JSON, one object per line.

use super::source::{LineColumn, place};
use ptx_analysis::Diagnostic;
use ptx_syntax::Rope;
use serde::Serialize;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct DiagnosticJsonLine<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    severity: &'static str,
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<RelatedJson<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RelatedJson<'a> {
    line: usize,
    column: usize,
    message: &'a str,
}

/// A diagnostic as an object.
pub fn object<'a>(file: &'a str, text: &Rope, d: &'a Diagnostic) -> impl Serialize + use<'a> {
    let LineColumn { line, column } = place(text, d.range.start);
    let end = place(text, d.range.end.max(d.range.start));
    let related = d.related.iter().map(|r| {
        let LineColumn { line, column } = place(text, r.range.start);
        RelatedJson { line, column, message: r.message() }
    });
    DiagnosticJsonLine {
        file,
        line,
        column,
        end_line: end.line,
        end_column: end.column,
        severity: d.severity.name(),
        code: d.code().name(),
        message: d.message(),
        help: d.help(),
        related: related.collect(),
    }
}

/// The diagnostics of a file, each followed by a line break.
pub fn render(file: &str, text: &Rope, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for d in diagnostics {
        match serde_json::to_string(&object(file, text, d)) {
            Ok(line) => out.extend([line.as_str(), "\n"]),
            Err(error) => tracing::error!("{file}: a finding cannot be written as JSON: {error}"),
        }
    }
    out
}
