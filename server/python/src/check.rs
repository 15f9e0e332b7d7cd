//! `check` and `explain`.

use crate::guard::detached;
use crate::lines::Lines;
use ptx_analysis::target::find_architecture;
use ptx_analysis::{Analyzer, DiagnosticLevel, Report};
use ptx_isa::tables::TargetInfo;
use ptx_syntax::Snapshot;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A problem in a PTX text. Lines and columns count from 1, columns in bytes; the end is exclusive.
#[pyclass(frozen, get_all, module = "ptx_analyzer")]
#[derive(Debug, Clone)]
pub struct Diagnostic {
    code: &'static str,
    severity: &'static str,
    message: String,
    help: Option<String>,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    related: Vec<Related>,
    fixes: Vec<Fix>,
}

/// A further place that explains a diagnostic or a finding.
#[pyclass(frozen, get_all, module = "ptx_analyzer")]
#[derive(Debug, Clone)]
pub struct Related {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in bytes.
    pub column: usize,
    /// What stands there.
    pub message: String,
}

/// A way to fix a diagnostic.
#[pyclass(frozen, get_all, module = "ptx_analyzer")]
#[derive(Debug, Clone)]
pub struct Fix {
    title: String,
    preferred: bool,
    edits: Vec<Edit>,
}

/// A replacement of text.
#[pyclass(frozen, get_all, module = "ptx_analyzer")]
#[derive(Debug, Clone)]
pub struct Edit {
    start: usize,
    end: usize,
    text: String,
}

#[pymethods]
impl Diagnostic {
    fn __str__(&self) -> String {
        let help = self.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
        format!("{}:{}: {}[{}]: {}{help}", self.line, self.column, self.severity, self.code, self.message)
    }

    fn __repr__(&self) -> String {
        format!("<Diagnostic {}>", self.__str__())
    }
}

#[pymethods]
impl Related {
    fn __repr__(&self) -> String {
        format!("<Related {}:{}: {}>", self.line, self.column, self.message)
    }
}

#[pymethods]
impl Fix {
    fn __repr__(&self) -> String {
        format!("<Fix {}>", self.title)
    }
}

#[pymethods]
impl Edit {
    fn __repr__(&self) -> String {
        format!("<Edit {}..{}: {:?}>", self.start, self.end, self.text)
    }
}

impl Diagnostic {
    /// Converts a diagnostic of the checker. Its fixes are left out.
    pub fn new(found: &ptx_analysis::Diagnostic, lines: &Lines) -> Self {
        let (line, column) = lines.place(found.range.start);
        let (end_line, end_column) = lines.place(found.range.end.max(found.range.start));
        let related = found.related.iter().map(|related| {
            let (line, column) = lines.place(related.range.start);
            Related { line, column, message: related.message().to_owned() }
        });
        Self {
            code: found.finding.name(),
            severity: found.severity.name(),
            message: found.message(),
            help: found.help(),
            line,
            column,
            end_line,
            end_column,
            related: related.collect(),
            fixes: Vec::new(),
        }
    }
}

/// Finds an architecture by its name.
///
/// # Errors
/// If there is none.
pub fn architecture(name: Option<&str>) -> PyResult<Option<&'static TargetInfo>> {
    let Some(name) = name else { return Ok(None) };
    let found = find_architecture(name);
    found.map(Some).ok_or_else(|| {
        PyValueError::new_err(format!("`{name}` is not an architecture: `target` is a name such as \"sm_90a\""))
    })
}

/// Checks a text, for another architecture than its own if one is given. `parse_only` leaves out the errors that only code generation
/// gives.
#[pyfunction]
pub fn check(
    py: Python<'_>,
    text: &str,
    target: Option<&str>,
    fixes: bool,
    parse_only: bool,
) -> PyResult<Vec<Diagnostic>> {
    let target = architecture(target)?;
    detached(py, || {
        let snapshot = Snapshot::new(text);
        let mut analyzer = Analyzer::for_one_check();
        // The tables contain the name.
        let _ = analyzer.set_target(target.map(|t| t.name));
        let mut report: Report = analyzer.check_with_lints(&snapshot, &|| false).unwrap_or_default();
        report.diagnostics.retain(|d| !matches!(d.code().level(), DiagnosticLevel::Off(_)));
        report.diagnostics.retain(|d| !(parse_only && d.is_build_error()));
        let lines = Lines::new(text);
        let mut out: Vec<Diagnostic> = report.diagnostics.iter().map(|d| Diagnostic::new(d, &lines)).collect();
        if fixes {
            for (index, diagnostic) in out.iter_mut().enumerate() {
                let found = ptx_ide::of_diagnostic(&snapshot, &report, index).into_iter();
                diagnostic.fixes = found.map(|fix| self::fix(text, fix)).collect();
            }
        }
        out
    })
}

/// Converts a fix. Its edits count characters, as Python's strings do.
fn fix(text: &str, fix: ptx_ide::FixAction) -> Fix {
    let characters = |offset: usize| text.get(..offset).map_or(0, |before| before.chars().count());
    let edit =
        |e: ptx_ide::TextEdit| Edit { start: characters(e.range.start), end: characters(e.range.end), text: e.text };
    Fix { title: fix.title, preferred: fix.preferred, edits: fix.edits.into_iter().map(edit).collect() }
}

/// Explains a name as Markdown; `None` if it is unknown.
#[pyfunction]
pub fn explain(py: Python<'_>, query: &str, all: bool) -> PyResult<Option<String>> {
    detached(py, || if all { ptx_ide::explain(query) } else { ptx_ide::explain_overview(query) })
}

/// Returns a text that a kernel printed as it is shown to people: each line behind a bar, and without unsafe characters.
#[pyfunction]
pub fn quoted(text: &str) -> String {
    ptx_gate::words::quoted(text)
}

/// Returns the names that are similar to an unknown one.
#[pyfunction]
pub fn nearest(py: Python<'_>, query: &str) -> PyResult<Vec<String>> {
    detached(py, || ptx_ide::nearest(query))
}
