//! The diagnostics of a text, before any report on them.

use ptx_analysis::{Analyzer, Diagnostic, Project, Report};
use ptx_host::{Host, HostChecker, HostTargets, Language, may_contain_ptx};
use ptx_isa::tables::TargetInfo;
use ptx_lsp::levels::DiagnosticLevels;
use ptx_syntax::{Outline, Snapshot};
use std::collections::HashSet;

/// What the diagnostics of a text depend on besides the text.
#[derive(Debug, Default)]
pub struct CheckOptions {
    /// The targets to check for; without any, the module's own.
    pub targets: Vec<&'static TargetInfo>,
    /// The project for whose targets and version features are missed.
    pub project: Project,
    /// The levels of diagnostics.
    pub levels: DiagnosticLevels,
}

/// The diagnostics of a PTX text that is needed for nothing else, and the text with the trees that are left; `None` if `stop` returned true.
pub fn of_text(
    text: &str,
    options: &CheckOptions,
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<(Report, Snapshot)> {
    if options.targets.len() > 1 {
        // All checks share the trees.
        let snapshot = Snapshot::in_chunks(text, threads);
        return Some((of_ptx(&snapshot, options, threads, stop)?, snapshot));
    }
    let mut outline = Outline::new(text, threads);
    let report = collect(options, threads, |analyzer| analyzer.check_outline(&mut outline, stop))?;
    Some((report, outline.snapshot().clone()))
}

/// The diagnostics of a PTX text, in text order, and the version and target of the last check; `None` if `stop` returned true.
pub fn of_ptx(
    snapshot: &Snapshot,
    options: &CheckOptions,
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Report> {
    collect(options, threads, |analyzer| analyzer.check_with_lints(snapshot, stop))
}

/// Calls `check` for each target.
fn collect(
    options: &CheckOptions,
    threads: usize,
    mut check: impl FnMut(&mut Analyzer) -> Option<Report>,
) -> Option<Report> {
    let mut analyzer = Analyzer::for_one_check();
    analyzer.set_threads(threads);
    analyzer.set_project(options.project.clone());
    let own = options.targets.is_empty().then_some(None);
    let mut out = Report::default();
    for target in own.into_iter().chain(options.targets.iter().map(|t| Some(t.name))) {
        // The names are those of the tables.
        let _ = analyzer.set_target(target);
        let report = check(&mut analyzer)?;
        out.environment = report.environment;
        out.diagnostics.extend(report.diagnostics);
    }
    // Report each diagnostic that does not depend on the target only once.
    if options.targets.len() > 1 {
        let mut seen = HashSet::new();
        out.diagnostics.retain(|d| seen.insert((d.range.clone(), d.finding.clone())));
    }
    out.diagnostics.sort_by_key(|d| (d.range.start, d.range.end));
    out.diagnostics = options.levels.apply(out.diagnostics);
    Some(out)
}

/// The text of another language, and the diagnostics of the PTX in its strings.
pub struct HostFindings {
    /// The text with its groups of statements.
    pub host: Host,
    /// The diagnostics, in text order.
    pub diagnostics: Vec<Diagnostic>,
}

/// The diagnostics of PTX in a text of another language; `None` if it has none, or if `stop` returned true.
pub fn of_host(
    text: &str,
    language: Language,
    targets: HostTargets,
    levels: &DiagnosticLevels,
    checker: &mut HostChecker,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<HostFindings> {
    if !may_contain_ptx(text.as_bytes()) {
        return None;
    }
    let host = Host::new(language, text);
    if host.groups().is_empty() {
        return None;
    }
    checker.set_targets(targets);
    let results = checker.check(host.groups(), stop)?;
    let diagnostics = levels.apply(ptx_host::in_text(host.groups(), &results));
    Some(HostFindings { host, diagnostics })
}
