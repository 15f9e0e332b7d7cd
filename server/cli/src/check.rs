//! `ptx-analyzer check`.

use super::architecture::Architecture;
use super::files::{self, complain};
use super::findings::{self, CheckOptions};
use super::inline::CheckedHost;
use super::source::{self, InputContent, InputLimits, InputOrigin};
use super::status::CliStatus;
use super::terminal;
use super::{human, inline, json, repeats, sarif};
use clap::ValueEnum;
use ptx_analysis::target::version;
use ptx_analysis::{Code, Diagnostic, Project, Report, Severity};
use ptx_gate::words::visible;
use ptx_host::may_contain_ptx;
use ptx_isa::tables::{TargetInfo, Version};
use ptx_lsp::levels::{self, DiagnosticLevels};
use ptx_syntax::{Rope, Snapshot};
use std::fmt::Write as _;
use std::io::{self, Write, stdout};
use std::num::NonZero;
use std::path::PathBuf;

/// Maximum number of diagnostics rendered into one string.
const MAX_RENDERED: usize = 10_000;

/// What to check, and how to report it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 no errors; 1 errors, or warnings with --deny warnings; 2 wrong usage, or a file that cannot be read"
)]
pub struct CheckArguments {
    /// Files, folders (their .ptx files, at any depth), or - for standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub limits: InputLimits,
    /// Check the PTX in strings of CUDA C++, Python, Rust, LLVM IR and Julia, such as `asm` statements; folders: .cu, .h, .py, .rs, .ll, .jl … files
    #[arg(long)]
    pub inline: bool,
    /// Check PTX in strings for one of these architectures, regardless of comments and conditions in the file
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', hide_possible_values = true, value_parser = Architecture, requires = "inline")]
    pub inline_target: Vec<&'static TargetInfo>,
    /// Print the PTX in strings with its operands, one JSON object a line, and check nothing
    #[arg(long, conflicts_with_all = ["format", "target", "project_target", "project_version", "level", "parse_only", "deny"])]
    pub inline_list: bool,
    /// How to report
    #[arg(long, value_enum, default_value = "human")]
    format: CheckFormat,
    /// Check as if `.target` named this architecture (`sm_90a`), or each of several
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', hide_possible_values = true, value_parser = Architecture)]
    target: Vec<&'static TargetInfo>,
    /// Warn about features that one of these architectures lacks, even if `.target` allows them
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', hide_possible_values = true, value_parser = Architecture)]
    project_target: Vec<&'static TargetInfo>,
    /// Warn about features of a PTX version newer than this one (`7.8`), even if `.version` allows them
    #[arg(long, value_name = "VERSION", value_parser = newest)]
    project_version: Option<Version>,
    /// Set the level of a code: error, warning, information, hint or off
    #[arg(long, value_name = "CODE=LEVEL", value_parser = code_level)]
    pub level: Vec<(Code, Option<Severity>)>,
    /// Omit errors that ptxas reports only when it generates code, such as 32-bit addresses
    #[arg(long)]
    parse_only: bool,
    /// Exit with 1 for these as well as for errors
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Show every warning and hint; otherwise, in files that a compiler wrote, only the first five of each code
    #[arg(long)]
    all: bool,
    /// Number of files checked at a time [default: the number of processors]
    #[arg(short, value_name = "N")]
    jobs: Option<NonZero<usize>>,
}

impl CheckArguments {
    /// The levels of diagnostics.
    pub fn levels(&self) -> DiagnosticLevels {
        let mut levels = DiagnosticLevels::default().parse_only(self.parse_only);
        self.level.iter().for_each(|(code, level)| levels.set(*code, *level));
        levels
    }

    /// What to check for.
    fn options(&self) -> CheckOptions {
        let levels = self.levels();
        let project = Project {
            targets: self.project_target.clone(),
            version: self.project_version,
            portable: levels.want_portable(),
            costly: levels.want_costly(),
        };
        CheckOptions { targets: self.target.clone(), project, levels }
    }
}

fn newest(number: &str) -> Result<Version, String> {
    version(number).ok_or_else(|| format!("`{number}` is not a version such as `7.8`"))
}

/// Parses `deprecated=off`.
fn code_level(text: &str) -> Result<(Code, Option<Severity>), String> {
    let (code, name) = text.split_once('=').ok_or("expected a code and a level, such as `deprecated=off`")?;
    let code = Code::named(code).ok_or_else(|| format!("there is no diagnostic `{code}`"))?;
    let level = levels::level(name).ok_or_else(|| format!("`{name}` is not one of {}", levels::NAMES.join(", ")))?;
    Ok((code, level))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// For people
    Human,
    /// One JSON object a line
    Json,
    /// SARIF 2.1.0
    Sarif,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Deny {
    /// Warnings
    Warnings,
}

/// The result for one file.
#[derive(Debug)]
pub struct CheckedFile {
    /// The origin of the file.
    pub origin: InputOrigin,
    /// The result of checking it.
    pub outcome: CheckOutcome,
}

/// The result of checking one file.
#[derive(Debug)]
pub enum CheckOutcome {
    /// It was checked.
    Done(CheckedFindings),
    /// It is an XML document.
    Markup,
    /// It could not be read; the text is the reason.
    Unreadable(String),
}

/// The diagnostics of one file.
#[derive(Debug)]
pub struct CheckedFindings {
    /// The report on it. Trees take much more memory and are not kept.
    findings: FileDiagnostics,
    /// Lines about findings that the report leaves out; empty where it has all.
    repeats: String,
    totals: Totals,
    /// Some bytes are no text.
    lossy: bool,
}

/// All diagnostics of one file, with those that the report leaves out.
#[derive(Debug, Clone, Copy)]
struct Totals {
    counts: SeverityCounts,
    /// The code of the first error.
    first_error: Option<&'static str>,
}

impl Totals {
    fn of(diagnostics: &[Diagnostic]) -> Self {
        let first_error = diagnostics.iter().find(|d| d.severity == Severity::Error).map(|d| d.finding.name());
        Self { counts: SeverityCounts::of(diagnostics), first_error }
    }
}

/// The diagnostics of one file.
#[derive(Debug)]
pub enum FileDiagnostics {
    /// As text, which may have escape sequences for colours.
    Text(String),
    /// More than `MAX_RENDERED` diagnostics: their text would take more memory than everything else, so it is rendered
    /// in parts while it is written.
    Many(Rope, Vec<Diagnostic>),
    /// As SARIF results.
    Sarif(sarif::SarifResults),
}

/// Checks the files and writes the report.
pub fn run(arguments: &CheckArguments) -> CliStatus {
    if arguments.inline_list {
        return inline::list(&arguments.paths, arguments.limits);
    }
    let wanted = if arguments.inline { inline::HOST_FILES } else { source::PTX_FILES };
    let (origins, problems) = source::find(&arguments.paths, &wanted, arguments.limits);
    let checkers = inline::HostCheckers::new(&arguments.inline_target, arguments.levels());
    let mut summary = Summary::default();
    let mut report = CheckReport::new(arguments.format);
    for problem in problems {
        report.unreadable(&problem.place, &problem.reason);
        summary.unreadable += usize::from(!problem.is_empty);
        summary.empty_folders += usize::from(problem.is_empty);
    }
    let work = |origin: &InputOrigin, threads| match arguments.inline {
        true => host_outcome(arguments, origin, checkers.check(origin, arguments.limits)),
        false => check(origin, arguments, &checkers, threads),
    };
    let written = files::all(&origins, arguments.jobs, "checked", work, |origin, outcome| {
        let checked = CheckedFile { origin: origin.clone(), outcome };
        summary.add(&checked);
        report.add(checked)
    });
    let written = written.and_then(|()| report.finish());
    if !files::is_written(written) {
        return CliStatus::Trouble;
    }
    if !summary.has_no_input() {
        complain(&summary.text());
    }
    if let Some(code) = summary.first_error.filter(|_| arguments.format == CheckFormat::Human) {
        complain(&format!("explain a code: ptx-analyzer explain {code}"));
    }
    summary.status(arguments.deny == Some(Deny::Warnings))
}

fn check(
    origin: &InputOrigin,
    arguments: &CheckArguments,
    checkers: &inline::HostCheckers,
    threads: usize,
) -> CheckOutcome {
    let (text, lossy) = match origin.text(arguments.limits) {
        InputContent::Text(text, lossy) => (text, lossy),
        InputContent::Markup => return CheckOutcome::Markup,
        InputContent::Unreadable(why) => return CheckOutcome::Unreadable(why),
    };
    if let Some(language) = inline::host_language(origin, &text) {
        let name = language.name();
        let what = if may_contain_ptx(text.as_bytes()) {
            "the PTX in its strings is checked, as with --inline"
        } else {
            "it has no PTX in strings, so nothing is checked"
        };
        complain(&format!("{}: this is {name}, not PTX: {what}", origin.name()));
        return host_outcome(arguments, origin, Ok(checkers.check_text(origin, text, lossy, language)));
    }
    let checked = findings::of_text(&text, &arguments.options(), threads, &|| false);
    // Nothing cancels it.
    let Some((Report { diagnostics, .. }, snapshot)) = checked else {
        return CheckOutcome::Unreadable("the check was cancelled".to_owned());
    };
    let totals = Totals::of(&diagnostics);
    let asked = |code: Code| arguments.level.iter().any(|(asked, _)| *asked == code);
    let cap = arguments.format == CheckFormat::Human && !arguments.all;
    let (diagnostics, hidden) =
        if cap { repeats::cap(&snapshot, diagnostics, asked) } else { (diagnostics, Vec::new()) };
    let repeats = hidden.iter().map(|repeat| repeat.line(&visible(&origin.name()))).collect::<String>();
    let repeats = if repeats.is_empty() { repeats } else { repeats + "\n" };
    let findings = rendered(arguments.format, origin, snapshot.rope(), diagnostics);
    discard(snapshot);
    CheckOutcome::Done(CheckedFindings { totals, lossy, findings, repeats })
}

/// The report on the diagnostics of a text.
fn rendered(format: CheckFormat, origin: &InputOrigin, text: &Rope, diagnostics: Vec<Diagnostic>) -> FileDiagnostics {
    let name = origin.name();
    match format {
        CheckFormat::Sarif => FileDiagnostics::Sarif(sarif::results(&name, text, &diagnostics)),
        _ if diagnostics.len() > MAX_RENDERED => FileDiagnostics::Many(text.clone(), diagnostics),
        format => FileDiagnostics::Text(render(format, &name, text, &diagnostics)),
    }
}

/// The result for a file in another language.
fn host_outcome(
    arguments: &CheckArguments,
    origin: &InputOrigin,
    checked: Result<CheckedHost, String>,
) -> CheckOutcome {
    let CheckedHost { text, lossy, diagnostics } = match checked {
        Ok(checked) => checked,
        Err(why) => return CheckOutcome::Unreadable(why),
    };
    let totals = Totals::of(&diagnostics);
    let findings = rendered(arguments.format, origin, &text, diagnostics);
    CheckOutcome::Done(CheckedFindings { totals, lossy, findings, repeats: String::new() })
}

/// The diagnostics of a file as text.
fn render(format: CheckFormat, name: &str, text: &Rope, diagnostics: &[Diagnostic]) -> String {
    if format == CheckFormat::Json {
        json::render(name, text, diagnostics)
    } else {
        human::render(name, text, diagnostics)
    }
}

/// Drops a snapshot, a large one on another thread: dropping a tree of millions of nodes takes a tenth of the time of
/// building it.
fn discard(snapshot: Snapshot) {
    if snapshot.rope().len_bytes() > 1 << 20 {
        std::thread::spawn(move || drop(snapshot));
    }
}

/// The report that is written to standard output.
#[derive(Debug)]
struct CheckReport {
    format: CheckFormat,
    sarif: Option<sarif::SarifReport>,
}

impl CheckReport {
    fn new(format: CheckFormat) -> Self {
        Self { format, sarif: (format == CheckFormat::Sarif).then(sarif::SarifReport::default) }
    }

    fn unreadable(&mut self, name: &str, reason: &str) {
        complain(&format!("{name}: {reason}"));
        if let Some(sarif) = &mut self.sarif {
            sarif.unreadable(name, reason);
        }
    }

    fn add(&mut self, checked: CheckedFile) -> io::Result<()> {
        let name = checked.origin.name();
        match checked.outcome {
            CheckOutcome::Unreadable(reason) => self.unreadable(&name, &reason),
            // In a folder, an XML file is not unusual. If the user named it, report it.
            CheckOutcome::Markup if matches!(checked.origin, InputOrigin::Found { .. }) => {}
            CheckOutcome::Markup => complain(&format!("{name}: this is XML (PreTeXt), not PTX")),
            CheckOutcome::Done(CheckedFindings { findings, repeats, lossy, .. }) => {
                if lossy {
                    complain(&format!("{name}: some bytes are not UTF-8 text"));
                }
                match (findings, &mut self.sarif) {
                    (FileDiagnostics::Text(text), _) => self.print(&text)?,
                    (FileDiagnostics::Many(rope, diagnostics), _) => {
                        for some in diagnostics.chunks(MAX_RENDERED) {
                            let text = render(self.format, &name, &rope, some);
                            self.print(&text)?;
                        }
                    }
                    (FileDiagnostics::Sarif(results), Some(sarif)) => sarif.add(results),
                    (FileDiagnostics::Sarif(_), None) => {}
                }
                if !repeats.is_empty() {
                    terminal::print(&repeats)?;
                }
            }
        }
        Ok(())
    }

    fn print(&self, text: &str) -> io::Result<()> {
        if self.format == CheckFormat::Json { terminal::print_json(text) } else { terminal::print(text) }
    }

    fn finish(self) -> io::Result<()> {
        if let Some(sarif) = self.sarif {
            terminal::print_json(&sarif.text()?)?;
        }
        stdout().flush()
    }
}

/// The number of diagnostics by severity.
#[derive(Debug, Clone, Copy, Default)]
pub struct SeverityCounts {
    errors: usize,
    warnings: usize,
    others: usize,
}

impl SeverityCounts {
    fn of(diagnostics: &[Diagnostic]) -> Self {
        let mut out = Self::default();
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => out.errors += 1,
                Severity::Warning => out.warnings += 1,
                Severity::Information | Severity::Hint => out.others += 1,
            }
        }
        out
    }
}

#[derive(Debug, Default)]
struct Summary {
    files: usize,
    unreadable: usize,
    empty_folders: usize,
    counts: SeverityCounts,
    first_error: Option<&'static str>,
}

impl Summary {
    fn add(&mut self, checked: &CheckedFile) {
        match &checked.outcome {
            CheckOutcome::Unreadable(_) => self.unreadable += 1,
            CheckOutcome::Markup => {}
            CheckOutcome::Done(CheckedFindings { totals: Totals { counts, first_error }, .. }) => {
                self.files += 1;
                self.first_error = self.first_error.or(*first_error);
                self.counts.errors += counts.errors;
                self.counts.warnings += counts.warnings;
                self.counts.others += counts.others;
            }
        }
    }

    /// Nothing but folders without PTX files was named, which has been said.
    fn has_no_input(&self) -> bool {
        self.empty_folders > 0 && self.files == 0 && self.unreadable == 0
    }

    fn text(&self) -> String {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let mut out = format!("{} checked: ", count(self.files, "file"));
        let SeverityCounts { errors, warnings, others } = self.counts;
        let counts = [(errors, "error"), (warnings, "warning"), (others, "hint")];
        let counts: Vec<_> = counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| count(n, what)).collect();
        out.push_str(&if counts.is_empty() { "nothing found".to_owned() } else { counts.join(", ") });
        if self.unreadable > 0 {
            let _ = write!(out, "; {} could not be read", self.unreadable);
        }
        out
    }

    fn status(&self, deny_warnings: bool) -> CliStatus {
        if self.unreadable + self.empty_folders > 0 {
            CliStatus::Trouble
        } else if self.counts.errors > 0 || (deny_warnings && self.counts.warnings > 0) {
            CliStatus::Findings
        } else {
            CliStatus::Fine
        }
    }
}
