//! `ptx-analyzer explain`.

mod log;

use super::files::complain;
use super::pager::DisplayArguments;
use super::source::{InputLimits, InputOrigin};
use super::status::CliStatus;
use ptx_launch::files::decode;
use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};

/// What to explain.
#[derive(Debug, clap::Args)]
pub struct ExplainArguments {
    /// An instruction (`fma.rn.f32`), modifier, register, directive, diagnostic, literal, CUDA C++ name, CUDA release, message
    /// of ptxas or another tool, or any words (`bank conflict`); -: the query, or the log of a build, on standard input
    #[arg(required_unless_present = "log", allow_negative_numbers = true)]
    query: Vec<String>,
    /// Explain each message of this build log (-: standard input), at the lines of the PTX file that follows, if there is one
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Show show all instructions of an opcode, not only the most common one
    #[arg(long)]
    all: bool,
    /// The output format: laid out for reading (default on a terminal), or Markdown (default elsewhere)
    #[arg(long, value_enum)]
    format: Option<ExplainFormat>,
    #[command(flatten)]
    display: DisplayArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ExplainFormat {
    /// Laid out for reading
    Human,
    /// Markdown
    Markdown,
}

/// Prints the explanation.
pub fn run(arguments: &ExplainArguments) -> CliStatus {
    let text = match asked(arguments) {
        Ok(text) => text,
        Err(why) => {
            complain(&why);
            return CliStatus::Trouble;
        }
    };
    let usual = if stdout().is_terminal() { ExplainFormat::Human } else { ExplainFormat::Markdown };
    match arguments.format.unwrap_or(usual) {
        ExplainFormat::Human => arguments.display.print_laid_out(&text),
        ExplainFormat::Markdown => arguments.display.print(&format!("{}\n", text.trim_end())),
    }
}

/// The answer to what the arguments ask for.
fn asked(arguments: &ExplainArguments) -> Result<String, String> {
    let query = arguments.query.join(" ");
    if let Some(file) = &arguments.log {
        let ptx = match arguments.query.as_slice() {
            [] => None,
            [path] => Some(read(Path::new(path))?),
            _ => return Err("--log takes the log and one PTX file".to_owned()),
        };
        return log::explained(&read(file)?, ptx.as_deref());
    }
    if query == "-" {
        let text = read(Path::new("-"))?;
        let is_log = text.trim().lines().count() > 1;
        return if is_log { log::explained(&text, None) } else { answer(text.trim(), arguments.all) };
    }
    answer(&query, arguments.all)
}

/// The text of a file, or of standard input.
fn read(path: &Path) -> Result<String, String> {
    let is_stream = path.as_os_str() == "-";
    let origin = if is_stream { InputOrigin::StandardInput } else { InputOrigin::Named(path.to_owned()) };
    let bytes = origin.read(InputLimits::default()).map_err(|why| format!("{}: {why}", origin.name()))?;
    Ok(decode(bytes).0)
}

/// The explanation as Markdown. `all`: of all instructions of an opcode, not only of the most common one.
///
/// # Errors
/// If nothing is known: a sentence with similar names.
pub fn answer(query: &str, all: bool) -> Result<String, String> {
    if query.contains('\n')
        && let Ok(text) = log::explained(query, None)
    {
        return Ok(text);
    }
    let found = if all { ptx_ide::explain(query) } else { ptx_ide::explain_overview(query) };
    found.ok_or_else(|| unknown(query))
}

fn unknown(query: &str) -> String {
    let near = ptx_ide::nearest(query);
    if near.is_empty() {
        return format!(
            "nothing is known about `{query}`; ask for an opcode (`fma.rn.f32`), a modifier (`.ftz`), a special register \
             (`%laneid`), a directive (`.maxntid`), a diagnostic code (`operand-type`), a name of CUDA C++ \
             (`__shfl_sync`) or a topic (`bank conflict`)"
        );
    }
    let near: Vec<String> = near.iter().map(|n| format!("`{n}`")).collect();
    format!("nothing is known about `{query}`; did you mean {}?", near.join(", "))
}
