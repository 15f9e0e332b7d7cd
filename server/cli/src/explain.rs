//! `ptx-analyzer explain`.

use super::files::complain;
use super::pager::DisplayArguments;
use super::status::CliStatus;
use std::io::{IsTerminal, stdout};

/// What to explain.
#[derive(Debug, clap::Args)]
pub struct ExplainArguments {
    /// An instruction (`fma.rn.f32`), modifier, register, directive, diagnostic, literal, CUDA C++ name, message of ptxas, or
    /// any words (`bank conflict`)
    #[arg(required = true, allow_negative_numbers = true)]
    query: Vec<String>,
    /// All instructions of an opcode, not only the most common one
    #[arg(long)]
    all: bool,
    /// Laid out for reading (usual on a terminal), or Markdown (usual elsewhere)
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
    let query = arguments.query.join(" ");
    let text = match answer(&query, arguments.all) {
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

/// The explanation as Markdown. `all`: of all instructions of an opcode, not only of the most common one.
///
/// # Errors
/// If nothing is known: a sentence with similar names.
pub fn answer(query: &str, all: bool) -> Result<String, String> {
    let found = if all { ptx_ide::explain(query) } else { ptx_ide::explain_overview(query) };
    found.ok_or_else(|| unknown(query))
}

fn unknown(query: &str) -> String {
    let near = ptx_ide::nearest(query);
    if near.is_empty() {
        return format!(
            "nothing is known of `{query}`; ask for an opcode (`fma.rn.f32`), a modifier (`.ftz`), a special register \
             (`%laneid`), a directive (`.maxntid`), a diagnostic code (`operand-type`), a name of CUDA C++ \
             (`__shfl_sync`) or a topic (`bank conflict`)"
        );
    }
    let near: Vec<String> = near.iter().map(|n| format!("`{n}`")).collect();
    format!("nothing is known of `{query}`; did you mean {}?", near.join(", "))
}
