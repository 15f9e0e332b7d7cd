//! `ptx-analyzer regs`.

mod human;
pub mod json;

pub use human::{bytes, notes};

use super::architecture::Architecture;
use super::files::{self, complain};
use super::source::{self, InputContent, InputLimits, InputOrigin, place};
use super::status::CliStatus;
use super::terminal;
use clap::ValueEnum;
use ptx_analysis::{Analyzer, RegisterReport, registers};
use ptx_isa::ISA;
use ptx_isa::tables::TargetInfo;
use ptx_syntax::{Outline, Snapshot};
use std::num::NonZero;
use std::path::PathBuf;

/// The columns of the table.
const COLUMNS_HELP: &str = "\
Columns:
  line        the line of the function's name
  registers   the estimated number of registers that `ptxas -v` prints for the target
  live        the largest number of 32-bit registers that are live at one instruction, counted in this text
  peak        the line of that instruction
  shared      static shared memory, with that of called functions; +: the launch adds dynamic shared memory
  threads     the threads of a CTA; 256?: the header does not say, so 256 are assumed
  warps       the warps that run on one multiprocessor at a time, and of how many
  limited by  what limits them: registers, shared memory, threads, or blocks (CTAs)

Exit status: 0 success; 1 a function has errors and is skipped; 2 wrong usage, or a file that cannot be read";

/// Whose registers to estimate, and how to report them.
#[derive(Debug, clap::Args)]
#[command(after_help = COLUMNS_HELP)]
pub struct RegsArguments {
    /// Files, folders (their .ptx files, at any depth), or - for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    limits: InputLimits,
    /// How to report
    #[arg(long, value_enum, default_value = "human")]
    format: RegsFormat,
    /// Estimate for this architecture (`sm_90a`) instead of the one that `.target` names
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = Architecture)]
    target: Option<&'static TargetInfo>,
    /// Number of files read at a time [default: the number of processors]
    #[arg(short, value_name = "N")]
    jobs: Option<NonZero<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RegsFormat {
    /// For people
    Human,
    /// One JSON object a line
    Json,
}

/// The result of estimating the registers of one file.
enum RegsOutcome {
    Done {
        report: String,
        functions: usize,
        /// The functions without an estimate, each with its position and the reason.
        left_out: Vec<String>,
        lossy: bool,
    },
    /// It is an XML document.
    Markup,
    Unreadable(String),
}

/// The input of the report on one file.
pub struct RegsFile<'a> {
    /// Its name in the report.
    pub name: &'a str,
    /// Its text.
    pub snapshot: &'a Snapshot,
    /// The target of the estimates.
    pub target: &'static TargetInfo,
    /// The target of the command line, otherwise that of the file.
    pub named: Option<&'static TargetInfo>,
    /// The functions with an estimate.
    pub kernels: &'a [RegisterReport],
}

impl RegsFile<'_> {
    /// The line of a byte offset.
    pub fn line(&self, offset: usize) -> usize {
        place(self.snapshot.rope(), offset).line
    }

    /// The line at which the most registers are live; without instructions, the line of the function.
    pub fn peak(&self, kernel: &RegisterReport) -> usize {
        let instruction = kernel.facts.usage().pressure.peak as usize;
        self.line(kernel.facts.start(instruction).map_or(kernel.range.start, |at| kernel.start + at))
    }
}

/// Estimates the registers and writes the report.
pub fn run(arguments: &RegsArguments) -> CliStatus {
    let (origins, problems) = source::find(&arguments.paths, &source::PTX_FILES, arguments.limits);
    let mut status = CliStatus::Fine;
    for problem in problems {
        complain(&format!("{}: {}", problem.place, problem.reason));
        status = CliStatus::Trouble;
    }
    let (mut files, mut functions, mut skipped) = (0, 0, 0);
    let written = files::all(
        &origins,
        arguments.jobs,
        "estimated",
        |origin, threads| look_at(origin, arguments, threads),
        |origin, outcome| {
            let name = origin.name();
            match outcome {
                RegsOutcome::Unreadable(reason) => {
                    complain(&format!("{name}: {reason}"));
                    status = CliStatus::Trouble;
                }
                // In a folder, an XML file is not unusual. If the user named it, report it.
                RegsOutcome::Markup if matches!(origin, InputOrigin::Found { .. }) => {}
                RegsOutcome::Markup => complain(&format!("{name}: this is XML (PreTeXt), not PTX")),
                RegsOutcome::Done { report, functions: found, left_out, lossy } => {
                    files += 1;
                    functions += found;
                    skipped += left_out.len();
                    if lossy {
                        complain(&format!("{name}: some bytes are not UTF-8 text"));
                    }
                    match arguments.format {
                        RegsFormat::Human => terminal::print(&report)?,
                        RegsFormat::Json => terminal::print_json(&report)?,
                    }
                    left_out.iter().for_each(|line| complain(line));
                }
            }
            Ok(())
        },
    );
    if !files::is_written(written) {
        return CliStatus::Trouble;
    }
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let left = if skipped > 0 { format!(", {skipped} left out") } else { String::new() };
    complain(&format!("{}: {}{left}", count(files, "file"), count(functions, "function")));
    if skipped > 0 { status.max(CliStatus::Findings) } else { status }
}

fn look_at(origin: &InputOrigin, arguments: &RegsArguments, threads: usize) -> RegsOutcome {
    let (text, lossy) = match origin.text(arguments.limits) {
        InputContent::Text(text, lossy) => (text, lossy),
        InputContent::Markup => return RegsOutcome::Markup,
        InputContent::Unreadable(why) => return RegsOutcome::Unreadable(why),
    };
    let name = origin.name();
    let (estimate, snapshot) = match estimate_all(&text, arguments.target, threads, &|| false) {
        Ok(estimate) => estimate,
        Err(why) => return RegsOutcome::Unreadable(why),
    };
    let left_out =
        estimate.left_out.iter().map(|(at, why)| format!("{name}:{}: {why}", place(snapshot.rope(), *at).line));
    let left_out = left_out.collect();
    let RegsEstimate { target, named, kernels, .. } = &estimate;
    let file = RegsFile { name: &name, snapshot: &snapshot, target, named: *named, kernels };
    let report = match arguments.format {
        RegsFormat::Human => human::render(&file),
        RegsFormat::Json => json::render(&file),
    };
    RegsOutcome::Done { report, functions: kernels.len(), left_out, lossy }
}

/// The register reports of a module.
pub struct RegsEstimate {
    /// The target of the estimates.
    pub target: &'static TargetInfo,
    /// The target of the arguments, otherwise that of the module.
    pub named: Option<&'static TargetInfo>,
    /// The functions with an estimate.
    pub kernels: Vec<RegisterReport>,
    /// The functions without one: the offset of the cause, and a sentence.
    pub left_out: Vec<(usize, String)>,
}

/// Estimates the registers of all functions of a module, for a target or for its own. Also returns the text with the trees that are left.
///
/// # Errors
/// If there is no model, or if `stop` returned true.
pub fn estimate_all(
    text: &str,
    target: Option<&'static TargetInfo>,
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(RegsEstimate, Snapshot), String> {
    let stopped = || "the estimate was stopped".to_owned();
    let mut analyzer = Analyzer::for_one_check();
    analyzer.keep_facts();
    analyzer.set_threads(threads);
    // The name is one of the tables.
    let _ = analyzer.set_target(target.map(|t| t.name));
    let mut outline = Outline::new(text, threads);
    let checked = analyzer.check_outline(&mut outline, stop).ok_or_else(stopped)?;
    let snapshot = outline.snapshot();
    let facts = analyzer.facts();
    let named = checked.environment.target;
    let is_old = |t: &&TargetInfo| registers::number(t).is_some_and(|n| n < registers::OLDEST);
    let oldest = format!("sm_{}", registers::OLDEST);
    let target = named.filter(|t| !is_old(t)).or_else(|| ISA.target(&oldest));
    let target = target.ok_or_else(|| format!("`{oldest}` is not in the tables"))?;
    let kernels = registers::report(snapshot, &facts, Some(target));
    let errors = || checked.diagnostics.iter().filter(|d| d.is_parse_error());
    let left_out = registers::left_out(snapshot, &facts).into_iter().map(|(function, range)| {
        let error = errors().find(|d| range.contains(&d.range.start));
        let at = error.map_or(range.start, |d| d.range.start);
        let why = error.map_or_else(|| "it could not be analysed".to_owned(), |d| d.message());
        (at, format!("`{}` is left out: {why}", ptx_ide::both_names(&function)))
    });
    let left_out = left_out.collect();
    Ok((RegsEstimate { target, named, kernels, left_out }, snapshot.clone()))
}
