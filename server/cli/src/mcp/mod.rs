//! `ptx-analyzer mcp`: the commands as tools for assistants. `ptx-mcp` speaks the protocol; here are the tools and their answers.

mod arguments;
mod call;
mod check;
mod complete;
mod cut;
mod evaluate;
mod explain;
mod input;
mod positions;
mod registers;
mod schema;
mod search;
#[cfg(test)]
mod tests;

use super::files::complain;
use crate::status::CliStatus;
use arguments::ToolArguments;
use call::CallContext;
use ptx_gate::files::BoundedFolder;
use ptx_gate::words::indented;
use ptx_isa::ISA;
use ptx_mcp::{ServerCard, ToolAnswer, ToolCall, ToolDescription, Toolbox};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which files may be read.
#[derive(Debug, clap::Args)]
pub struct McpArguments {
    /// Read files only in this folder; may be given several times [default: the folders that the client names; if it names none, no files]
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
}

/// What an assistant should know before it calls a tool.
fn instructions() -> String {
    format!(
        "\
Tools for NVIDIA PTX. They work without a GPU and without CUDA.
After you write or change PTX, or an asm statement in CUDA C++, Python, Rust, LLVM IR or Julia: call `check`. Its errors are those of ptxas {}.
To see what a kernel computes, or to find races and out-of-bounds accesses: `evaluate`.
To look something up, do not rely on memory: `explain` for a name, `search` for words, `complete` for what is legal at a place.
Positions are line:column from 1, ranges such as 15:37-40 or 15:37-16:2. Columns count bytes, and the end of a range is excluded. \
Pass PTX as `text`, or the `path` of a file.",
        ISA.assembler
    )
}

/// Maximum size of a message in bytes.
const MAX_ERROR: usize = 4000;

/// Serves the tools until the input ends.
pub fn run(arguments: &McpArguments) -> CliStatus {
    let mut roots = Vec::new();
    for root in &arguments.root {
        // The name that was given stays, because an assistant knows the folder by it.
        match BoundedFolder::new(root).and_then(|_| absolute(root)) {
            Ok(folder) => roots.push(folder),
            Err(error) => {
                complain(&format!("{}: {error}", root.display()));
                return CliStatus::Trouble;
            }
        }
    }
    let card = ServerCard {
        name: "ptx-analyzer",
        title: "PTX analyzer",
        version: env!("CARGO_PKG_VERSION"),
        instructions: instructions(),
    };
    match ptx_mcp::run(Arc::new(PtxTools), card, (!roots.is_empty()).then_some(roots)) {
        Ok(()) => CliStatus::Fine,
        Err(error) => {
            complain(&format!("the session ended: {error}"));
            CliStatus::Trouble
        }
    }
}

/// The absolute path of a folder, below the current folder as the shell calls it: that name may have links, and the system forgets it.
fn absolute(folder: &Path) -> io::Result<PathBuf> {
    let logical = std::env::var_os("PWD").map(PathBuf::from).filter(|name| {
        let is = |name: &Path| BoundedFolder::new(name).ok().map(|folder| folder.real().to_owned());
        folder.is_relative() && name.is_absolute() && is(name).is_some_and(|real| Some(real) == is(Path::new(".")))
    });
    std::path::absolute(logical.map_or_else(|| folder.to_owned(), |logical| logical.join(folder)))
}

/// The tools.
struct PtxTools;

impl Toolbox for PtxTools {
    fn tools(&self) -> Vec<ToolDescription> {
        schema::tools()
    }

    fn call(&self, call: ToolCall<'_>) -> ToolAnswer {
        let ToolCall { name, arguments, roots, cancelled } = call;
        let answer = ToolArguments::new(name, arguments).and_then(|arguments| {
            let context = CallContext { roots, cancelled };
            match name {
                "check" => check::answer(&arguments, &context),
                "explain" => explain::answer(&arguments),
                "complete" => complete::answer(&arguments, &context),
                "registers" => registers::answer(&arguments, &context),
                "evaluate" => evaluate::answer(&arguments, &context),
                "search" => search::answer(&arguments),
                // The server calls only the tools that it lists.
                _ => Err(format!("there is no tool `{name}`")),
            }
        });
        // A message may quote what was given, which may be long, or have lines that look like an answer.
        let refused = |why: String| ToolAnswer::error(cut::lines(&indented(&why), MAX_ERROR, "the message was longer"));
        answer.unwrap_or_else(refused)
    }
}
