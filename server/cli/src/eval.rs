//! `ptx-analyzer eval`.

mod human;
mod steps;

pub use human::guessed;

use super::files::{self, FileProgress, complain};
use super::inline;
use super::source::{self, InputContent, InputLimits, InputOrigin, place};
use super::status::CliStatus;
use super::terminal;
use clap::ValueEnum;
use ptx_analysis::{Diagnostic, Finding, Severity, Text};
use ptx_interp::findings::{Checks, FaultKind};
use ptx_interp::machine::{Settings, WarpId};
use ptx_launch::evaluate::{EvaluationError, LaunchModule, LaunchRun};
use ptx_launch::file::{self, Language};
use ptx_launch::inside::folder_of;
use ptx_launch::limit;
use ptx_launch::refusal::{self, LaunchRefusal};
use ptx_launch::report::{BUFFER_ROOM, LaunchReport, TraceWindow, report};
use ptx_launch::words::LimitAdvice;
use ptx_launch_syntax::{Launch, LaunchMistake};
use ptx_syntax::Snapshot;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What to run, and how to report it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 success; 1 a kernel that cannot run, and with --check a fault or a failed expectation; 2 wrong usage, or a file that cannot be read"
)]
pub struct EvalArguments {
    /// Files, folders (their .ptx files, at any depth), or - for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    limits: InputLimits,
    /// Read the launch from this file (.toml or .json), not from the `//! launch:` lines above kernels
    #[arg(long, value_name = "FILE")]
    launch: Option<PathBuf>,
    /// The kernel to run [default: the first with a launch, else the first]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Run the PTX in a string at this line of a file of another language (C++, Python …): its operands become parameters
    #[arg(long, value_name = "LINE", conflicts_with_all = ["launch", "entry"])]
    inline: Option<usize>,
    /// With --inline: print the kernel, do not run it
    #[arg(long, requires = "inline")]
    kernel: bool,
    /// The warp that --trace shows, counted through the grid
    #[arg(long, value_name = "N", default_value_t = 0)]
    warp: u64,
    /// Show what a warp does, step by step
    #[arg(long)]
    trace: bool,
    /// Run every launch and test its expectations
    #[arg(long)]
    check: bool,
    /// How to report
    #[arg(long, value_enum, default_value = "human")]
    format: EvalFormat,
    /// Stop a run after this number of warp instructions, or after the work of four times as many plain instructions
    #[arg(long, value_name = "STEPS", default_value_t = Settings::default().limit, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Stop a run after this time, and report its results up to then [default: none]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    seconds: Option<Duration>,
    /// Look for this as well: `nan`
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = FaultKind::optional_named)]
    find: Vec<FaultKind>,
    /// Do not look for this: `race`, `uninitialized-memory` …
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = FaultKind::optional_named)]
    without: Vec<FaultKind>,
}

/// Parses a time limit.
fn seconds(text: &str) -> Result<Duration, &'static str> {
    limit::seconds(text.parse().unwrap_or(f64::NAN))
}

impl EvalArguments {
    /// The kinds of findings to look for.
    fn checks(&self) -> Checks {
        let more = self.find.iter().fold(Checks::default(), |checks, kind| checks.with(*kind, true));
        self.without.iter().fold(more, |checks, kind| checks.with(*kind, false))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EvalFormat {
    /// For people
    Human,
    /// One JSON object a line
    Json,
}

/// How limits are raised on the command line.
const LIMITS: LimitAdvice = LimitAdvice { steps: "`--limit`", seconds: "`--seconds`" };

/// Maximum number of printed steps of a warp.
const STEPS: usize = 100_000;

/// The result of evaluating one file.
struct EvalOutcome<'a> {
    /// For standard output.
    report: String,
    /// Lines for standard error.
    remarks: Vec<String>,
    status: Option<CliStatus>,
    passed: usize,
    failed: usize,
    /// True if the file has nothing to run.
    empty: bool,
    /// Warp instructions executed in all files, counted while they run.
    steps: &'a AtomicU64,
    /// Maximum number of threads for the CTAs of a launch.
    threads: usize,
    /// Bytes of buffers that the report has room for.
    room: u64,
}

impl<'a> EvalOutcome<'a> {
    fn new(steps: &'a AtomicU64, threads: usize) -> Self {
        let (report, remarks) = (String::new(), Vec::new());
        Self { report, remarks, status: None, passed: 0, failed: 0, empty: false, steps, threads, room: BUFFER_ROOM }
    }

    fn raise(&mut self, status: CliStatus) {
        self.status = self.status.max(Some(status));
    }
}

/// A text with the name that messages show for it.
struct NamedSnapshot<'a> {
    name: &'a str,
    snapshot: &'a Snapshot,
}

/// Runs the kernels and writes the report.
pub fn run(arguments: &EvalArguments) -> CliStatus {
    let wanted = if arguments.inline.is_some() { &inline::HOST_FILES } else { &source::PTX_FILES };
    let (origins, problems) = source::find(&arguments.paths, wanted, arguments.limits);
    let mut status = CliStatus::Fine;
    for problem in problems {
        complain(&format!("{}: {}", problem.place, problem.reason));
        status = CliStatus::Trouble;
    }
    let (mut passed, mut failed, mut files, mut empty) = (0, 0, 0, 0);
    let steps = AtomicU64::new(0);
    let work = |origin: &InputOrigin, threads| look_at(origin, arguments, origins.len() > 1, threads, &steps);
    let progress = FileProgress { verb: "evaluated", steps: Some(&steps) };
    let written = files::all(&origins, None, progress, work, |_, outcome| {
        files += 1;
        status = status.max(outcome.status.unwrap_or(CliStatus::Fine));
        passed += outcome.passed;
        failed += outcome.failed;
        empty += usize::from(outcome.empty);
        match arguments.format {
            _ if arguments.kernel => terminal::print_data(&outcome.report)?,
            EvalFormat::Human => terminal::print(&outcome.report)?,
            EvalFormat::Json => terminal::print_json(&outcome.report)?,
        }
        outcome.remarks.iter().for_each(|line| complain(line));
        Ok(())
    });
    if !files::is_written(written) {
        return CliStatus::Trouble;
    }
    if arguments.check {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "es" });
        let failures = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        complain(&format!("{}{failures}", count(passed + failed, "launch")));
        if passed + failed == 0 && status == CliStatus::Fine {
            complain("nothing was checked: no kernel has a `//! launch:` line above it, and no `--launch` is given");
            return CliStatus::Trouble;
        }
    } else if files == empty && files > 0 && status == CliStatus::Fine {
        complain("there is no kernel to run");
        return CliStatus::Trouble;
    }
    status
}

fn look_at<'a>(
    origin: &InputOrigin,
    arguments: &EvalArguments,
    several: bool,
    threads: usize,
    steps: &'a AtomicU64,
) -> EvalOutcome<'a> {
    let mut out = EvalOutcome::new(steps, threads);
    let mut name = origin.name();
    if let Some(line) = arguments.inline {
        // The lines of a report are those of the kernel.
        name = format!("{name}:{line}.ptx").into();
    }
    let input = match arguments.inline.map(|line| inline::kernel(origin, line, arguments.limits)) {
        None => origin.open(arguments.limits),
        Some(Ok(text)) if arguments.kernel => {
            out.report = text;
            return out;
        }
        Some(Ok(text)) => InputContent::Text(Snapshot::new(&text), false),
        Some(Err(why)) => InputContent::Unreadable(why),
    };
    let (snapshot, lossy) = match input {
        InputContent::Text(snapshot, lossy) => (snapshot, lossy),
        // In a folder, an XML file is not unusual. If the user named it, report it.
        InputContent::Markup => {
            out.empty = true;
            if !matches!(origin, InputOrigin::Found { .. }) {
                out.remarks.push(format!("{name}: this is XML (PreTeXt), not PTX"));
            }
            return out;
        }
        InputContent::Unreadable(why) => {
            out.remarks.push(format!("{name}: {why}"));
            out.raise(CliStatus::Trouble);
            return out;
        }
    };
    if lossy {
        out.remarks.push(format!("{name}: some bytes are not UTF-8 text"));
    }
    let module = LaunchModule::new(&snapshot);
    let shown = NamedSnapshot { name: &name, snapshot: &snapshot };
    if let Some(entry) = &arguments.entry
        && !module.kernels().any(|k| k == entry)
    {
        if several {
            out.empty = true;
            return out;
        }
        let names: Vec<String> = module.kernels().map(|k| format!("`{k}`")).collect();
        let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        out.remarks.push(format!("{name}: there is no kernel `{entry}`; it has {has}"));
        out.raise(CliStatus::Trouble);
        return out;
    }
    match &arguments.launch {
        Some(path) => from_file(path, &module, &shown, arguments, &mut out),
        None => from_lines(origin, &module, &shown, arguments, &mut out),
    }
    out
}

/// Runs the launches that are written above the kernels.
fn from_lines(
    origin: &InputOrigin,
    module: &LaunchModule,
    shown: &NamedSnapshot<'_>,
    arguments: &EvalArguments,
    out: &mut EvalOutcome<'_>,
) {
    let (launches, mistakes) = module.launches();
    let wanted = |name: &str| arguments.entry.as_deref().is_none_or(|entry| entry == name);
    // Ignore mistakes in the launches of other kernels.
    let around =
        |m: &LaunchMistake| launches.iter().find(|l| l.range.start <= m.range.start && m.range.start <= l.range.end);
    let mine: Vec<LaunchMistake> =
        mistakes.into_iter().filter(|m| around(m).is_none_or(|l| wanted(&l.entry))).collect();
    let broken = |launch: &Launch| mine.iter().any(|m| around(m).is_some_and(|l| l.range == launch.range));
    if !mine.is_empty() {
        tell(&mine, shown, arguments, out);
        out.failed += launches.iter().filter(|l| wanted(&l.entry) && broken(l)).count();
    }
    let mut chosen: Vec<Launch> = launches.iter().filter(|l| wanted(&l.entry) && !broken(l)).cloned().collect();
    if !arguments.check {
        if !mine.is_empty() {
            return;
        }
        let first = module.kernels().find(|k| wanted(k)).map(|k| Launch { entry: k.into(), ..Launch::default() });
        let others = chosen.len().saturating_sub(1);
        chosen.truncate(1);
        if chosen.is_empty() {
            chosen.extend(first);
        }
        let kernels = module.kernels().count();
        match chosen.first() {
            None => out.empty = true,
            Some(_) if others > 0 => {
                out.remarks.push(format!(
                    "{}: this is the first of {} launches; `--check` runs all",
                    shown.name,
                    others + 1
                ));
            }
            Some(launch) if kernels > 1 && arguments.entry.is_none() => {
                let words = format!("`{}` is one of {kernels} kernels; `--entry` chooses another", launch.entry);
                out.remarks.push(format!("{}: {words}", shown.name));
            }
            Some(_) => {}
        }
    }
    let folder = origin.path().map(folder_of);
    for launch in chosen {
        evaluate(module, launch, folder, shown, shown, arguments, out);
    }
}

/// Runs the launches of a launch file.
fn from_file(
    path: &Path,
    module: &LaunchModule,
    shown: &NamedSnapshot<'_>,
    arguments: &EvalArguments,
    out: &mut EvalOutcome<'_>,
) {
    let name = path.display().to_string();
    let bytes = InputOrigin::Named(path.to_owned()).read(arguments.limits);
    let text = match bytes.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string())) {
        Ok(text) => text,
        Err(reason) => {
            out.remarks.push(format!("{name}: {reason}"));
            return out.raise(CliStatus::Trouble);
        }
    };
    // The snapshot serves only to look up lines.
    let snapshot = Snapshot::new(&text);
    let written = NamedSnapshot { name: &name, snapshot: &snapshot };
    let (mut launches, mistakes) = file::launches(&text, Language::of(path));
    if !mistakes.is_empty() {
        out.failed += launches.len().max(1);
        return tell(&mistakes, &written, arguments, out);
    }
    for launch in &mut launches {
        if launch.entry.is_empty() {
            let mut kernels = module.kernels();
            match (&arguments.entry, kernels.next(), kernels.next()) {
                (Some(entry), ..) => launch.entry = entry.as_str().into(),
                (None, Some(only), None) => launch.entry = only.into(),
                _ => {
                    out.remarks
                        .push(format!("{name}: `entry` is missing, and the module does not have exactly one kernel"));
                    return out.raise(CliStatus::Trouble);
                }
            }
        }
    }
    launches.retain(|l| arguments.entry.as_deref().is_none_or(|entry| *entry == *l.entry));
    if launches.is_empty() {
        out.remarks.push(format!("{name}: it has no launch of that kernel"));
        return out.raise(CliStatus::Trouble);
    }
    if !arguments.check && launches.len() > 1 {
        out.remarks.push(format!("{name}: this is the first of {} launches; `--check` runs all", launches.len()));
        launches.truncate(1);
    }
    for launch in launches {
        evaluate(module, launch, Some(folder_of(path)), shown, &written, arguments, out);
    }
}

/// Says what is wrong with launches.
fn tell(mistakes: &[LaunchMistake], written: &NamedSnapshot<'_>, arguments: &EvalArguments, out: &mut EvalOutcome<'_>) {
    out.raise(CliStatus::Findings);
    for mistake in mistakes {
        if mistake.range.is_empty() || arguments.format == EvalFormat::Json {
            let at = if mistake.range.is_empty() {
                String::new()
            } else {
                format!(":{}", place(written.snapshot.rope(), mistake.range.start).line)
            };
            out.remarks.push(format!("{}{at}: {}", written.name, refusal::mistake(mistake)));
            continue;
        }
        let text = Text { message: mistake.message.clone(), help: mistake.help.clone() };
        let diagnostic = Diagnostic::new(mistake.range.clone(), Finding::run("launch", text));
        let diagnostic = diagnostic.severity(Severity::Error);
        out.report.push_str(&super::human::render(written.name, written.snapshot.rope(), &[diagnostic]));
    }
}

/// One line of the JSON output.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct EvalJsonLine<'a> {
    file: &'a str,
    #[serde(flatten)]
    report: LaunchReport,
}

fn evaluate(
    module: &LaunchModule,
    launch: Launch,
    folder: Option<&Path>,
    shown: &NamedSnapshot<'_>,
    written: &NamedSnapshot<'_>,
    arguments: &EvalArguments,
    out: &mut EvalOutcome<'_>,
) {
    // A trace is read from the history of the run, which only one thread keeps.
    let threads = if arguments.trace { 1 } else { out.threads };
    let settings = Settings { limit: arguments.limit, checks: arguments.checks(), threads, ..Settings::default() };
    let entry = launch.entry.clone();
    let range = launch.range.clone();
    let mut counted = 0;
    let mut count = |steps: u64| {
        out.steps.fetch_add(steps - counted, Ordering::Relaxed);
        counted = steps;
    };
    let done = match module.evaluate_in_turn(launch, settings, arguments.seconds, folder, &|| false, &mut count) {
        Ok(done) => done,
        Err(refused) => {
            out.failed += 1;
            out.raise(CliStatus::Findings);
            if let EvaluationError::Launch(mistakes) = &refused {
                return tell(mistakes, written, arguments, out);
            }
            if let EvaluationError::Errors(errors) = &refused
                && arguments.format == EvalFormat::Human
            {
                out.report.push_str(&super::human::render(shown.name, shown.snapshot.rope(), errors));
            }
            let why = LaunchRefusal::refused(refused, &entry, true);
            out.remarks.push(why.located(shown.name, &|at| place(shown.snapshot.rope(), at).line));
            return;
        }
    };
    let passed = done.passed();
    if passed {
        out.passed += 1
    } else {
        out.failed += 1
    }
    if arguments.check && !passed {
        out.raise(CliStatus::Findings);
    }
    let target = arguments.trace.then(|| target(&done, arguments.warp));
    if let Some(None) = target {
        let shape = done.run.machine.shape;
        let warps = u64::from(shape.warps()) * shape.ctas();
        out.remarks.push(format!("{}: there is no warp {} in a grid of {warps}", shown.name, arguments.warp));
        out.raise(CliStatus::Trouble);
    }
    let target = target.flatten();
    match arguments.format {
        EvalFormat::Json => {
            let places = |offset: usize| {
                let place = place(shown.snapshot.rope(), offset);
                (place.line, place.column)
            };
            let report =
                report(&done, &places, target.map(|warp| TraceWindow { warp, first: 0, count: STEPS }), &mut out.room);
            match serde_json::to_string(&EvalJsonLine { file: shown.name, report }) {
                Ok(line) => out.report.extend([line.as_str(), "\n"]),
                Err(error) => tracing::error!("{}: the report cannot be written as JSON: {error}", shown.name),
            }
        }
        EvalFormat::Human => {
            let line = place(written.snapshot.rope(), range.start).line;
            let at = if range.is_empty() { None } else { Some(line) };
            out.report.push_str(&human::render(&done, shown, at, arguments.check));
            if let Some(target) = target {
                out.report.push_str(&steps::render(&done, shown, target));
            }
        }
    }
}

/// The warp with this number, counted through the grid; `None` if the grid is smaller.
fn target(done: &LaunchRun, warp: u64) -> Option<WarpId> {
    let shape = done.run.machine.shape;
    let warps = u64::from(shape.warps()).max(1);
    let target = WarpId { cta: warp / warps, warp: u32::try_from(warp % warps).ok()? };
    (target.cta < shape.ctas()).then_some(target)
}
