//! The command line. Without arguments it is the language server.

// Tests make the files that they read.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod architecture;
mod check;
mod eval;
mod explain;
mod files;
mod findings;
mod fmt;
mod human;
mod inline;
mod isa;
mod json;
mod markdown;
mod mcp;
mod pager;
mod regs;
mod repeats;
mod sarif;
mod sass;
#[cfg(test)]
mod schemas;
mod shell;
mod source;
mod status;
mod stderr;
mod terminal;

use anstream::ColorChoice;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use ptx_gate::words;
use ptx_lsp::ClientLog;
use std::io::{IsTerminal, stdin};
use std::process::ExitCode;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

/// The end of the help.
const AFTER_HELP: &str = "\
Exit status: 0 success; 1 findings (errors in PTX, a failed expectation, a file that is not formatted); 2 wrong usage, or a file that cannot be read

Log: set PTX_ANALYZER_LOG, for example to `debug`; it goes to standard error";

/// Language server and command line for NVIDIA PTX.
///
/// Without a command it speaks the language server protocol on standard input and output.
#[derive(Debug, Parser)]
#[command(name = "ptx-analyzer", version, after_help = AFTER_HELP)]
struct CliArguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Speak the language server protocol, as without any argument: some clients always pass this option.
    #[arg(long, hide = true)]
    stdio: bool,
    /// Speak the language server protocol for files of other languages, and handle only the PTX in their strings
    #[arg(long)]
    inline: bool,
    /// Whether to colour the output; `auto`: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    color: ColorWhen,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Also in files and pipes
    Always,
    /// Nowhere
    Never,
}

impl ColorWhen {
    /// Decides for all that the process prints from now on.
    fn apply(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Report what is wrong with PTX files
    Check(check::CheckArguments),
    /// Explain an instruction, modifier, register, directive, diagnostic, CUDA C++ name, message of ptxas or topic
    Explain(explain::ExplainArguments),
    /// Estimate the registers and the occupancy of kernels
    Regs(regs::RegsArguments),
    /// Show the machine code of kernels beside their PTX lines, by NVIDIA's ptxas and nvdisasm
    Sass(sass::SassArguments),
    /// Run kernels on the CPU and report results, races, out-of-bounds accesses and other faults
    Eval(eval::EvalArguments),
    /// Format PTX files: only white space changes
    Fmt(fmt::FmtArguments),
    /// Print the instruction set: a list, one opcode, JSON, or a reference site
    Isa(isa::IsaArguments),
    /// Debug kernels: speak the Debug Adapter Protocol on standard input and output
    Dap,
    /// Serve assistants: speak the Model Context Protocol on standard input and output
    Mcp(mcp::McpArguments),
    /// Print the completion script of a shell
    Completions(shell::ShellCompletions),
    /// Print the manual page, or write the pages of all commands
    Man(shell::Manual),
}

/// Executes the command that the arguments of the process name.
pub fn main() -> ExitCode {
    #[cfg(unix)]
    if let Some(status) = ptx_nvidia::supervise_or_enable() {
        return status;
    }
    let arguments = CliArguments::try_parse().unwrap_or_else(|error| refuse(error));
    let serves = matches!(arguments.command, None | Some(Command::Dap | Command::Mcp(_)));
    // A server must not wait for the reader of its log. Other commands may.
    let queue = if serves { stderr::Queue::start(std::io::stderr()).ok() } else { None };
    log_to_stderr(queue.clone());
    if serves {
        stderr::log_panics();
    }
    arguments.color.apply();
    let status = dispatch(arguments);
    if let Some(queue) = queue {
        queue.flush_soon();
    }
    status
}

/// Ends the process with the usage error or the requested help. The library quotes arguments unchanged, so arguments
/// with control characters are parsed again in their visible form.
fn refuse(error: clap::Error) -> ! {
    let shown = std::env::args_os().map(|a| words::report(&words::visible(&a.to_string_lossy())).into_owned());
    CliArguments::try_parse_from(shown).err().unwrap_or(error).exit()
}

fn dispatch(arguments: CliArguments) -> ExitCode {
    match arguments.command {
        Some(Command::Check(arguments)) => check::run(&arguments).into(),
        Some(Command::Explain(arguments)) => explain::run(&arguments).into(),
        Some(Command::Regs(arguments)) => regs::run(&arguments).into(),
        Some(Command::Sass(arguments)) => sass::run(&arguments).into(),
        Some(Command::Eval(arguments)) => eval::run(&arguments).into(),
        Some(Command::Fmt(arguments)) => fmt::run(&arguments).into(),
        Some(Command::Isa(arguments)) => isa::run(&arguments).into(),
        Some(Command::Dap) => debug(),
        Some(Command::Mcp(arguments)) => mcp::run(&arguments).into(),
        Some(Command::Completions(arguments)) => shell::completions(&arguments).into(),
        Some(Command::Man(arguments)) => shell::manual(&arguments).into(),
        None if stdin().is_terminal() && !arguments.stdio && !arguments.inline => {
            // If the pipe is closed, the text cannot be shown.
            let _ = CliArguments::command().print_help();
            ExitCode::SUCCESS
        }
        None => serve(arguments.inline),
    }
}

/// `inline`: about PTX in strings of other languages.
fn serve(inline: bool) -> ExitCode {
    match if inline { ptx_lsp::run_host() } else { ptx_lsp::run() } {
        // The thread that reads the input may still be waiting. It ends with the process when `main` returns.
        Ok(orderly) => ExitCode::from(u8::from(!orderly)),
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn debug() -> ExitCode {
    match ptx_dap::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Replaces `ptx_analyzer` in a log filter by all crates of this program.
fn of_all_crates(filter: &str) -> String {
    let crates = ["ptx_analyzer", "ptx_dap", "ptx_launch", "ptx_lsp", "ptx_mcp", "ptx_wire"];
    let all = filter.split(',').map(str::trim).map(|part| match part.strip_prefix("ptx_analyzer") {
        Some(level) if level.is_empty() || level.starts_with('=') => crates.map(|c| format!("{c}{level}")).join(","),
        _ => part.to_owned(),
    });
    all.collect::<Vec<_>>().join(",")
}

fn log_to_stderr(queue: Option<stderr::Queue>) {
    let asked = std::env::var("PTX_ANALYZER_LOG").ok();
    let filter =
        asked.and_then(|f| EnvFilter::try_new(of_all_crates(&f)).ok()).unwrap_or_else(|| EnvFilter::new("warn"));
    let writer = match queue {
        Some(queue) => BoxMakeWriter::new(move || stderr::SafeLog(queue.clone())),
        None => BoxMakeWriter::new(|| stderr::SafeLog(std::io::stderr())),
    };
    // A log line that cannot be written, as on a full disk, is dropped; the default is a panic.
    let to_stderr = tracing_subscriber::fmt::layer()
        .with_writer(writer)
        .with_ansi(false)
        .log_internal_errors(false)
        .with_filter(filter);
    let to_client = ClientLog.with_filter(filter_fn(ClientLog::wants));
    tracing_subscriber::registry().with(to_stderr).with(to_client).init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        CliArguments::command().debug_assert();
    }
}
