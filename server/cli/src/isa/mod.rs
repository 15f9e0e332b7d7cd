//! `ptx-analyzer isa`: prints the tables as text, as JSON, or as a site.

mod json;
mod site;

use super::files::{complain, is_written};
use super::pager::DisplayArguments;
use crate::status::CliStatus;
use ptx_gate::words::{visible, visible_lines};
use std::io::{IsTerminal, Write, stdout};
use std::path::PathBuf;

/// What to print and how.
#[derive(Debug, clap::Args)]
pub struct IsaArguments {
    /// The output format: text, JSON, or HTML pages written to a folder
    #[arg(long, value_enum, default_value_t = IsaFormat::Human)]
    format: IsaFormat,
    /// An opcode (`fma`, `mbarrier.try_wait`; all without one); for `html` the folder to write to
    #[arg(value_name = "OPCODE|DIR")]
    what: Option<String>,
    #[command(flatten)]
    display: DisplayArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum IsaFormat {
    /// Text (the default); Markdown if standard output is not a terminal
    Human,
    /// Markdown
    Markdown,
    /// One JSON document
    Json,
    /// A reference site
    Html,
}

/// Prints the tables or writes the site.
pub fn run(arguments: &IsaArguments) -> CliStatus {
    let what = arguments.what.as_deref();
    match (arguments.format, what) {
        (IsaFormat::Html, None) => {
            complain("`--format html` needs a folder: ptx-analyzer isa --format html reference");
            CliStatus::Trouble
        }
        (IsaFormat::Html, Some(folder)) => match site::write(&PathBuf::from(folder)) {
            Ok(written) => {
                let megabytes = written.bytes as f64 / 1e6;
                print(&format!("{} pages, {megabytes:.1} MB: {}/index.html\n", written.pages, visible(folder)))
            }
            Err(error) => {
                complain(&format!("{folder}: {error}"));
                CliStatus::Trouble
            }
        },
        (IsaFormat::Human | IsaFormat::Markdown, None) => arguments.display.print(&list()),
        (IsaFormat::Json, None) => print(&json::all()),
        (IsaFormat::Human | IsaFormat::Markdown, Some(name)) => match opcode(name).and_then(|_| ptx_ide::explain(name))
        {
            Some(text) => {
                let text = format!("{}\n{}", text.trim_end(), executed(name));
                let laid_out = arguments.format == IsaFormat::Human && stdout().is_terminal();
                if laid_out { arguments.display.print_laid_out(&text) } else { arguments.display.print(&text) }
            }
            None => unknown(name),
        },
        (IsaFormat::Json, Some(name)) => match opcode(name) {
            Some(name) => print(&json::opcode(name)),
            None => unknown(name),
        },
    }
}

fn print(text: &str) -> CliStatus {
    let mut out = stdout().lock();
    let written = out.write_all(visible_lines(text).as_bytes()).and_then(|()| out.flush());
    if is_written(written) { CliStatus::Fine } else { CliStatus::Trouble }
}

fn unknown(name: &str) -> CliStatus {
    complain(&format!(
        "`{name}` is not an opcode; `ptx-analyzer isa` lists them all, `ptx-analyzer explain` knows other words too"
    ));
    CliStatus::Trouble
}

/// The opcode in a name, if the tables have an instruction with this opcode.
fn opcode(name: &str) -> Option<&str> {
    let word = name.split('.').next()?;
    let opcode = ptx_isa::ISA.opcode(word)?;
    opcode.entries.iter().any(|e| begins(e, name)).then_some(name)
}

/// How the interpreter executes the instructions whose name is `name` or begins with it, one line each.
fn executed(name: &str) -> String {
    let opcode = name.split('.').next().and_then(|word| ptx_isa::ISA.opcode(word));
    let mut lines: Vec<String> = Vec::new();
    for entry in opcode.into_iter().flat_map(|opcode| opcode.entries).filter(|e| begins(e, name)) {
        for said in entry.all_executed() {
            let what = if said.refused.is_empty() { format!("`{}`", said.key) } else { said.refused.to_owned() };
            let line = format!("- {}: {what}\n", entry.name);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    format!("\nThe interpreter's semantics:\n\n{}", lines.concat())
}

/// Whether the name of an instruction is `name` or begins with it.
fn begins(entry: &ptx_isa::tables::Entry, name: &str) -> bool {
    entry.name == name || entry.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
}

/// All instructions by chapter, one line each.
fn list() -> String {
    let mut out = String::new();
    for chapter in ptx_ide::reference() {
        out.push_str(&format!("{}\n", chapter.title));
        let width = chapter.articles.iter().map(|a| a.name.len()).max().unwrap_or(0).min(36);
        for article in chapter.articles {
            out.push_str(&format!("  {:width$}  {}\n", article.name, article.summary));
        }
        out.push('\n');
    }
    out
}
