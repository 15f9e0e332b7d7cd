//! `ptx-analyzer fmt`.

use super::files::{self, complain};
use super::source::{self, InputLimits, InputOrigin, place};
use super::status::CliStatus;
use super::terminal;
use clap::ValueEnum;
use ptx_analysis::Analyzer;
use ptx_gate::files::{BoundedFolder, real_named};
use ptx_gate::words::visible;
use ptx_ide::{FormatOptions, OperandColumns, TextEdit, format};
use ptx_syntax::Snapshot;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write, stdout};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What to format, and how.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 success; 1 with --check, a file that is not formatted; 1 a syntax error (statements with errors are not changed); 2 wrong usage, or a file that cannot be read or written"
)]
pub struct FmtArguments {
    /// Files, folders (their .ptx files, at any depth), or - for standard input, which is formatted to standard output
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    limits: InputLimits,
    /// Write nothing; list the files that are not formatted, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Columns of one level of indentation
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=16))]
    indent: u8,
    /// Indent with tabs
    #[arg(long)]
    tabs: bool,
    /// The line width, in columns, up to which a list stays on one line
    #[arg(long, value_name = "N", default_value_t = 100)]
    width: u16,
    /// Where operands begin
    #[arg(long, value_enum, default_value = "column")]
    operands: OperandAlignment,
    /// The width reserved for an opcode with its modifiers
    #[arg(long, value_name = "N", default_value_t = 20)]
    operand_column: u8,
    /// Indent guard predicates like opcodes, instead of giving them their own column
    #[arg(long)]
    indent_guards: bool,
    /// Indent labels like instructions, instead of one level less
    #[arg(long)]
    indent_labels: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OperandAlignment {
    /// In one column for the whole file
    Column,
    /// In one column for each run of consecutive instructions
    Run,
    /// One blank after the opcode
    Off,
}

impl FmtArguments {
    fn options(&self) -> FormatOptions {
        FormatOptions {
            indent: self.indent.into(),
            tabs: self.tabs,
            width: self.width.into(),
            operands: match self.operands {
                OperandAlignment::Column => OperandColumns::Column,
                OperandAlignment::Run => OperandColumns::Run,
                OperandAlignment::Off => OperandColumns::Off,
            },
            operand_column: self.operand_column.into(),
            outdent_guards: !self.indent_guards,
            outdent_labels: !self.indent_labels,
            ..FormatOptions::default()
        }
    }
}

/// The result of formatting one file.
struct FormattedFile {
    outcome: FmtOutcome,
    /// The first syntax error and how many there are, as a line: statements with errors stay as they are.
    left_alone: Option<String>,
}

/// What became of one file.
enum FmtOutcome {
    /// It is formatted already.
    Same,
    /// The formatted file was written.
    Written,
    /// It is not formatted: the position of the first change, and the change.
    Differs(String),
    /// Standard input, formatted.
    Output(Vec<u8>),
    /// It is an XML document; standard input is copied unchanged.
    Markup,
    /// It could not be read or written.
    Trouble(String),
}

/// Formats files or, with `--check`, lists the unformatted ones.
pub fn run(arguments: &FmtArguments) -> CliStatus {
    let (origins, problems) = source::find(&arguments.paths, &source::PTX_FILES, arguments.limits);
    let options = arguments.options();
    for problem in &problems {
        complain(&format!("{}: {}", problem.place, problem.reason));
    }
    let (mut changed, mut troubles) = (0, problems.len());
    let work = |origin: &InputOrigin, _| file(origin, &options, arguments);
    let verb = if arguments.check { "looked at" } else { "formatted" };
    let mut incomplete = 0;
    let written = files::all(&origins, None, verb, work, |origin, FormattedFile { outcome, left_alone }| {
        let name = origin.name();
        match outcome {
            FmtOutcome::Same => {}
            FmtOutcome::Written => changed += 1,
            FmtOutcome::Differs(hint) => {
                changed += 1;
                terminal::print(&format!("{}:{hint}", visible(&name)))?;
            }
            FmtOutcome::Output(bytes) => stdout().lock().write_all(&bytes)?,
            // In a folder, an XML file is not unusual. If the user named it, report it.
            FmtOutcome::Markup if matches!(origin, InputOrigin::Found { .. }) => {}
            FmtOutcome::Markup => complain(&format!("{name}: this is XML (PreTeXt), not PTX")),
            FmtOutcome::Trouble(reason) => {
                troubles += 1;
                complain(&format!("{name}: {reason}"));
            }
        }
        if let Some(errors) = left_alone {
            incomplete += 1;
            complain(&format!("{name}:{errors}"));
        }
        Ok(())
    });
    if let Err(error) = written.and_then(|()| stdout().flush())
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        complain(&format!("the result cannot be written: {error}"));
        return CliStatus::Trouble;
    }
    let files = |n: usize| format!("{n} file{}", if n == 1 { "" } else { "s" });
    if arguments.check && changed > 0 {
        complain(&format!("{} of {} not formatted", changed, files(origins.len())));
    } else if changed > 0 {
        complain(&format!("{} of {} formatted", changed, files(origins.len())));
    }
    match (troubles, incomplete > 0 || (arguments.check && changed > 0)) {
        (0, false) => CliStatus::Fine,
        (0, true) => CliStatus::Findings,
        _ => CliStatus::Trouble,
    }
}

fn file(origin: &InputOrigin, options: &FormatOptions, arguments: &FmtArguments) -> FormattedFile {
    let bytes = match origin.read(arguments.limits) {
        Ok(bytes) => bytes,
        Err(reason) => return FormattedFile { outcome: FmtOutcome::Trouble(reason), left_alone: None },
    };
    // Invalid UTF-8 stays as it is, byte for byte: offsets refer to the bytes of the file.
    let (text, _) = ptx_launch::files::decode(bytes.clone());
    if ptx_launch::files::is_markup(text.chars()) {
        return FormattedFile { outcome: FmtOutcome::Markup, left_alone: None };
    }
    let snapshot = Snapshot::new(&text);
    let edits = format(&snapshot, options);
    let outcome = if arguments.check {
        edits.first().map_or(FmtOutcome::Same, |first| FmtOutcome::Differs(hint(&text, &edits, first)))
    } else {
        write(origin, &bytes, &edits)
    };
    FormattedFile { outcome, left_alone: syntax_errors(&snapshot) }
}

/// The place and message of the first syntax error, and that the statements with errors stay as they are.
fn syntax_errors(snapshot: &Snapshot) -> Option<String> {
    if !snapshot.has_error() {
        return None;
    }
    let mut errors = Analyzer::for_one_check().analyze(snapshot).diagnostics;
    errors.retain(|d| d.finding.name() == "syntax-error");
    let first = errors.iter().min_by_key(|d| d.range.start)?;
    let at = place(snapshot.rope(), first.range.start);
    let count = match errors.len() {
        1 => "the statement with this error is left as it is".to_owned(),
        2 => "the statements with this and 1 more syntax error are left as they are".to_owned(),
        all => format!("the statements with this and {} more syntax errors are left as they are", all - 1),
    };
    Some(format!("{}:{}: {}; {count}", at.line, at.column, first.message()))
}

/// Writes the formatted text to where it belongs.
fn write(origin: &InputOrigin, bytes: &[u8], edits: &[TextEdit]) -> FmtOutcome {
    match origin {
        InputOrigin::StandardInput => FmtOutcome::Output(applied(bytes, edits, 0..bytes.len())),
        _ if edits.is_empty() => FmtOutcome::Same,
        InputOrigin::Found { path, folder } if !lies_in(path, folder) => FmtOutcome::Trouble(
            "it is left unchanged: a link leads to it from the folder, but it lies outside".to_owned(),
        ),
        InputOrigin::Named(path) | InputOrigin::Found { path, .. } => {
            match replace(path, &applied(bytes, edits, 0..bytes.len())) {
                Ok(()) => FmtOutcome::Written,
                Err(error) => FmtOutcome::Trouble(format!("it cannot be written: {error}")),
            }
        }
    }
}

/// Whether a file lies in the folder in which it was found. With `--follow`, links may lead to files outside, which the user did not ask to
/// change.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let inside = || BoundedFolder::new(folder).ok()?.resolve(&std::path::absolute(path).ok()?).ok();
    inside().is_some()
}

/// A part of a text after its edits.
fn applied(bytes: &[u8], edits: &[TextEdit], part: Range<usize>) -> Vec<u8> {
    let mut out = Vec::with_capacity(part.len() + part.len() / 4);
    let mut done = part.start;
    for edit in edits.iter().filter(|e| part.start <= e.range.start && e.range.end <= part.end) {
        out.extend_from_slice(bytes.get(done..edit.range.start).unwrap_or(&[]));
        out.extend_from_slice(edit.text.as_bytes());
        done = edit.range.end;
    }
    out.extend_from_slice(bytes.get(done..part.end).unwrap_or(&[]));
    out
}

/// Maximum number of lines in a hint.
const MAX_LINES: usize = 6;
/// Maximum length of a line in a hint.
const MAX_LINE_LENGTH: usize = 160;

/// The first lines that change, before and after.
fn hint(text: &str, edits: &[TextEdit], first: &TextEdit) -> String {
    let line_start = |at: usize| text.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1);
    let line_end = |at: usize| text.get(at..).and_then(|t| t.find('\n')).map_or(text.len(), |n| at + n);
    let start = line_start(first.range.start);
    let mut end = line_end(first.range.end);
    // Collect the edits of the same line, and the lines that these edits reach.
    for edit in edits {
        if edit.range.start > end || text.get(start..end).is_some_and(|t| t.lines().count() >= MAX_LINES) {
            break;
        }
        end = end.max(line_end(edit.range.end));
    }
    let new = applied(text.as_bytes(), edits, start..end);
    let new = String::from_utf8_lossy(&new);
    let number = text.get(..start).unwrap_or("").matches('\n').count() + 1;
    let mut out = format!("{number}:\n");
    let old = text.get(start..end).unwrap_or("");
    // A joined edit may begin and end with unchanged lines: leave them out.
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    for (sign, lines) in [('-', old), ('+', new)] {
        for line in lines.iter().skip(same).take(MAX_LINES) {
            let cut: String = line.trim_end_matches('\r').chars().take(MAX_LINE_LENGTH).collect();
            let more = if cut.len() < line.trim_end_matches('\r').len() { "…" } else { "" };
            out.push_str(&format!("{sign} {cut}{more}\n"));
        }
    }
    out
}

/// Replaces the content of a file atomically and keeps its permissions. If the path is a link, it replaces the target
/// of the link.
#[expect(
    clippy::disallowed_methods,
    reason = "writes a file that the user named, or that lies in a folder that the user named"
)]
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = real_named(path)?;
    let metadata = fs::metadata(&path)?;
    if metadata.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = OpenOptions::new().write(true).create_new(true).open(&beside).and_then(|mut file: File| {
        file.set_permissions(metadata.permissions())?;
        file.write_all(bytes)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&beside, &path));
    if replaced.is_err() {
        // A remaining temporary file does no harm; the first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    replaced
}
