//! `ptx-analyzer sass`.

use super::architecture::Architecture;
use super::files::{self, complain};
use super::source::{self, InputContent, InputLimits, InputOrigin};
use super::status::CliStatus;
use super::terminal;
use clap::ValueEnum;
use ptx_isa::tables::TargetInfo;
use ptx_nvidia::{MachineCodeTools, ModuleCode};
use serde_json::json;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

/// What the text shows.
const TEXT_HELP: &str = "\
Each line of the output has the address of an instruction, its PTX line, the live registers (R), uniform registers (UR) and predicates
(P, UP), marks, and the instruction. Marks: ↑ earlier than in the PTX, ↓ later; S stores or loads a spilled register,
L local memory.

The programs are NVIDIA's, and part of CUDA. They are never searched for: give their absolute paths.

Exit status: 0 success; 1 ptxas refuses a module; 2 wrong usage, or a file or program that cannot be read or run";

/// What to assemble, and how to report it.
#[derive(Debug, clap::Args)]
#[command(after_help = TEXT_HELP)]
pub struct SassArguments {
    /// Files, folders (their .ptx files, at any depth), or - for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    limits: InputLimits,
    /// The absolute path of NVIDIA's assembler
    #[arg(long, value_name = "PATH")]
    ptxas: String,
    /// The absolute path of NVIDIA's disassembler
    #[arg(long, value_name = "PATH")]
    nvdisasm: String,
    /// Only this kernel
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Assemble for this architecture (`sm_90a`) instead of the one that `.target` names
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = Architecture)]
    target: Option<&'static TargetInfo>,
    /// A further option of ptxas, such as `--ptxas-option=-O1`; options that name files are refused
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    ptxas_option: Vec<String>,
    /// The time limit for one file
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    timeout: NonZero<u32>,
    /// Omit the numbers of live registers: for a kernel of 20,000 instructions, nvdisasm needs ten seconds to compute them
    #[arg(long)]
    no_live: bool,
    /// How to report
    #[arg(long, value_enum, default_value = "human")]
    format: SassFormat,
    /// Number of files read at a time [default: the number of processors]
    #[arg(short, value_name = "N")]
    jobs: Option<NonZero<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SassFormat {
    /// For people
    Human,
    /// One JSON object a line, one for each file
    Json,
}

/// The result of one file.
enum SassOutcome {
    Done(ModuleCode),
    /// It is an XML document.
    Markup,
    Failed(String),
}

/// Assembles and disassembles the files, and writes the report.
pub fn run(arguments: &SassArguments) -> CliStatus {
    let limit = Duration::from_secs(arguments.timeout.get().into());
    let tools = match MachineCodeTools::new(&arguments.ptxas, &arguments.nvdisasm, &arguments.ptxas_option, limit) {
        Ok(tools) => tools,
        Err(why) => {
            complain(&why);
            return CliStatus::Trouble;
        }
    };
    let (origins, problems) = source::find(&arguments.paths, &source::PTX_FILES, arguments.limits);
    let mut status = CliStatus::Fine;
    for problem in problems {
        complain(&format!("{}: {}", problem.place, problem.reason));
        status = CliStatus::Trouble;
    }
    let written = files::all(
        &origins,
        arguments.jobs,
        "assembled",
        |origin, threads| look_at(origin, arguments, &tools, threads),
        |origin, outcome| {
            let name = origin.name();
            match outcome {
                SassOutcome::Failed(reason) => {
                    complain(&format!("{name}: {reason}"));
                    status = CliStatus::Trouble;
                }
                // In a folder, an XML file is not unusual. If the user named it, report it.
                SassOutcome::Markup if matches!(origin, InputOrigin::Found { .. }) => {}
                SassOutcome::Markup => complain(&format!("{name}: this is XML (PreTeXt), not PTX")),
                SassOutcome::Done(code) => {
                    for (line, message) in &code.errors {
                        let line = line.map_or_else(String::new, |line| format!(":{line}"));
                        complain(&format!("{name}{line}: ptxas refuses the module: {message}"));
                        status = status.max(CliStatus::Findings);
                    }
                    match arguments.format {
                        SassFormat::Human => terminal::print(&code.text.unwrap_or_default())?,
                        SassFormat::Json => {
                            let mut out = code.json;
                            out["file"] = json!(name);
                            terminal::print_json(&format!("{out}\n"))?;
                        }
                    }
                }
            }
            Ok(())
        },
    );
    if files::is_written(written) { status } else { CliStatus::Trouble }
}

fn look_at(origin: &InputOrigin, arguments: &SassArguments, tools: &MachineCodeTools, threads: usize) -> SassOutcome {
    let snapshot = match origin.open_in_pieces(arguments.limits, threads) {
        InputContent::Text(snapshot, _) => snapshot,
        InputContent::Markup => return SassOutcome::Markup,
        InputContent::Unreadable(why) => return SassOutcome::Failed(why),
    };
    let target = arguments.target.map(|t| t.name);
    match tools.run(&snapshot, target, arguments.kernel.as_deref(), !arguments.no_live) {
        Ok(code) => SassOutcome::Done(code),
        Err(why) => SassOutcome::Failed(why),
    }
}
