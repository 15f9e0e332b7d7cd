//! Examines one file: its outline and its diagnostics.

use crate::cancel::CancelFlag;
use crate::convert;
use crate::platform::FileSource;
use crate::server::Server;
use crate::workspace::{ExamineGoal, ExamineJob, FileReport, FileSummary, OutlineEntry};
use futures::FutureExt;
use ptx_analysis::Analyzer;
use ptx_launch::files::decode;
use ptx_launch::files::is_markup;
use ptx_syntax::GradualParse;
use std::panic::AssertUnwindSafe;
use tokio::sync::Mutex;
use tower_lsp_server::ls_types::DiagnosticSeverity;

/// Size in bytes from which files are examined one at a time: a tree takes more than twenty times the memory of its text.
const MIN_BIG_FILE: u64 = 2_000_000;

/// Lock of the one examiner that may have a big file in memory.
static BIG_ONE: Mutex<()> = Mutex::const_new(());

/// Examines a file; `None` if it cannot be read or the work is cancelled.
pub async fn examine(
    job: &ExamineJob,
    want: ExamineGoal,
    shared: &Server,
    files: &dyn FileSource,
    cancelled: &CancelFlag,
) -> Option<FileSummary> {
    let _alone = if job.stamp.length > MIN_BIG_FILE { Some(BIG_ONE.lock().await) } else { None };
    if cancelled.is_set() {
        return None;
    }
    let nothing =
        || FileSummary { report: (want == ExamineGoal::Report).then(FileReport::default), ..FileSummary::default() };
    if shared.state.is_given_up(&job.uri) {
        return Some(nothing());
    }
    let (text, _) = decode(files.read(&job.file, job.most(), cancelled).await?);
    let examined = AssertUnwindSafe(of_text(&text, job, want, shared, cancelled)).catch_unwind().await;
    Some(examined.unwrap_or_else(|_| {
        shared.failed(job.uri.as_str());
        nothing()
    }))
}

async fn of_text(
    text: &str,
    job: &ExamineJob,
    want: ExamineGoal,
    shared: &Server,
    cancelled: &CancelFlag,
) -> FileSummary {
    let (platform, session) = (&*shared.platform, shared.state.session());
    let empty = || (want == ExamineGoal::Report).then(FileReport::default);
    if is_markup(text.chars()) {
        return FileSummary { report: empty(), ..FileSummary::default() };
    }
    let is_cancelled = || cancelled.is_set();
    let mut parse = GradualParse::new(text);
    let parsed = platform.in_slices(&is_cancelled, |stop| {
        loop {
            let parsed = parse.step();
            if parsed.is_some() || stop() {
                return parsed;
            }
        }
    });
    let Some(snapshot) = parsed.await else { return FileSummary { report: empty(), ..FileSummary::default() } };
    let symbols = ptx_ide::module_symbols(&snapshot);
    let outlined = |symbol: ptx_ide::OutlineSymbol| OutlineEntry {
        selection: session.encoding.range(snapshot.rope(), &symbol.selection),
        name: symbol.name,
        mangled: symbol.mangled,
        detail: symbol.detail,
        kind: symbol.kind,
    };
    let outline = symbols.into_iter().map(outlined).collect();
    if want == ExamineGoal::Outline || !job.settings.diagnostics.enable || cancelled.is_set() {
        return FileSummary { outline, report: empty() };
    }
    let mut analyzer = Analyzer::default();
    // The settings contain only names that the tables have.
    let _ = analyzer.set_target(job.settings.target.as_deref());
    analyzer.set_project(job.settings.project.clone());
    let checked = platform.in_slices(&is_cancelled, |stop| analyzer.analyze_until(&snapshot, stop)).await;
    let mut found = checked.unwrap_or_default().in_editor(&snapshot).diagnostics;
    let lints = platform.in_slices(&is_cancelled, |stop| analyzer.lints_until(&snapshot, stop, &is_cancelled)).await;
    found.extend(lints.unwrap_or_default());
    found.sort_by_key(|d| (d.range.start, d.range.end));
    let context = convert::ConversionContext { uri: &job.uri, rope: snapshot.rope(), session };
    let settings = &job.settings.diagnostics;
    let found = settings.levels.apply(found);
    let held = vec![false; found.len()];
    let (found, _) = convert::limited(&job.uri, settings.limit, found, held);
    let mut diagnostics = convert::diagnostics(&context, &found);
    diagnostics.retain(|d| d.severity.is_some_and(|s| s <= DiagnosticSeverity::WARNING));
    FileSummary { outline, report: Some(FileReport { diagnostics, ..FileReport::default() }) }
}
