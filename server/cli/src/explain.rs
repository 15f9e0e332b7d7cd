//! `ptx-analyzer explain`.

use super::CliStatus;
use super::files::{complain, is_written};
use super::terminal::lines_for_stdout;
use std::io::{Write, stdout};

/// What to explain.
#[derive(Debug, clap::Args)]
pub struct ExplainArguments {
    /// Such as `fma.rn.f32`, `.ftz`, `%laneid`, `.maxntid`, the code of a diagnostic, or `__shfl_sync` of CUDA C++
    query: String,
}

/// Prints the explanation as Markdown.
pub fn run(arguments: &ExplainArguments) -> CliStatus {
    match ptx_ide::explain(&arguments.query) {
        Some(text) => {
            let mut out = stdout().lock();
            let written = writeln!(out, "{}", lines_for_stdout(text.trim_end())).and_then(|()| out.flush());
            if is_written(written) { CliStatus::Fine } else { CliStatus::Trouble }
        }
        None => {
            let near = ptx_ide::nearest(&arguments.query);
            if near.is_empty() {
                complain(&format!(
                    "nothing is known of `{}`; ask for an opcode (`fma.rn.f32`), a modifier (`.ftz`), a special register \
                     (`%laneid`), a directive (`.maxntid`), a diagnostic code (`operand-type`) or a name of CUDA C++ \
                     (`__shfl_sync`)",
                    arguments.query
                ));
            } else {
                let near: Vec<String> = near.iter().map(|n| format!("`{n}`")).collect();
                complain(&format!("nothing is known of `{}`; did you mean {}?", arguments.query, near.join(", ")));
            }
            CliStatus::Trouble
        }
    }
}
