//! Diagnostics as SARIF 2.1.0, the format that code scanning services read.

use super::source::place;
use ptx_analysis::{Diagnostic, Severity};
use ptx_gate::names::relative_uri;
use ptx_lsp::page_address;
use ptx_syntax::Rope;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

/// The results for one file.
#[derive(Debug)]
pub struct SarifResults {
    results: Vec<Value>,
    codes: BTreeSet<&'static str>,
}

/// The results for all files, which SARIF keeps in one document.
#[derive(Debug, Default)]
pub struct SarifReport {
    results: Vec<Value>,
    codes: BTreeSet<&'static str>,
    unreadable: Vec<Value>,
}

/// The diagnostics of a file as SARIF results.
pub fn results(file: &str, text: &Rope, diagnostics: &[Diagnostic]) -> SarifResults {
    let result = |d: &Diagnostic| {
        let mut result = json!({
            "ruleId": d.code().name(),
            "level": level(d.severity),
            "message": { "text": d.text() },
            "locations": [{ "physicalLocation": location(file, text, &d.range) }],
        });
        if !d.related.is_empty() {
            let related = d.related.iter().map(|r| {
                let location = location(file, text, &r.range);
                json!({ "physicalLocation": location, "message": { "text": r.message() } })
            });
            result["relatedLocations"] = related.collect();
        }
        result
    };
    SarifResults {
        results: diagnostics.iter().map(result).collect(),
        codes: diagnostics.iter().map(|d| d.code().name()).collect(),
    }
}

impl SarifReport {
    /// Adds the results of a file.
    pub fn add(&mut self, file: SarifResults) {
        self.results.extend(file.results);
        self.codes.extend(file.codes);
    }

    /// Adds a file that could not be read.
    pub fn unreadable(&mut self, file: &str, reason: &str) {
        self.unreadable.push(json!({
            "level": "error",
            "message": { "text": format!("{file}: {reason}") },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } }],
        }));
    }

    /// The document.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn text(self) -> serde_json::Result<String> {
        let rules: Vec<Value> =
            self.codes.iter().map(|code| json!({ "id": code, "helpUri": page_address(code) })).collect();
        let document = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "ptx-analyzer",
                    "version": env!("CARGO_PKG_VERSION"),
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "rules": rules,
                } },
                "invocations": [{
                    "executionSuccessful": self.unreadable.is_empty(),
                    "toolExecutionNotifications": self.unreadable,
                }],
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        });
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}

fn location(file: &str, text: &Rope, range: &Range<usize>) -> Value {
    let rope = text;
    // SARIF counts columns in characters or in UTF-16 units, not in bytes.
    let column = |offset: usize| {
        let offset = offset.min(rope.len_bytes());
        rope.byte_to_char(offset) - rope.line_to_char(rope.byte_to_line(offset)) + 1
    };
    let end = range.end.max(range.start);
    json!({
        "artifactLocation": { "uri": uri(file) },
        "region": {
            "startLine": place(text, range.start).line,
            "startColumn": column(range.start),
            "endLine": place(text, end).line,
            "endColumn": column(end),
        },
    })
}

/// A file name as a URI. Relative names stay relative, as the format requires.
fn uri(file: &str) -> String {
    relative_uri(Path::new(file))
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn names_as_uris() {
        assert_eq!(uri("a b/ü.ptx"), "a%20b/%C3%BC.ptx");
        if cfg!(windows) {
            assert_eq!(uri(r"..\a b\k.ptx"), "../a%20b/k.ptx");
            assert_eq!(uri(r"C:\a b\k.ptx"), "file:///C:/a%20b/k.ptx");
            assert_eq!(uri(r"\\server\share\k.ptx"), "file://server/share/k.ptx");
        } else {
            assert_eq!(uri("/tmp/a.ptx"), "file:///tmp/a.ptx");
        }
    }
}
