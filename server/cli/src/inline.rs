//! `ptx-analyzer check --inline`: PTX in strings of other languages.

use super::files::complain;
use super::findings;
use super::source::{self, InputLimits, InputOrigin, LineColumn, WantedFiles, place};
use super::status::CliStatus;
use ptx_analysis::{Diagnostic, TargetSet};
use ptx_embed::{Kind, Placed};
use ptx_gate::names::strip;
use ptx_host::{GroupView, Host, HostChecker, HostTargets, Language, group_in, is_ptx, may_contain_ptx};
use ptx_isa::tables::TargetInfo;
use ptx_launch::files::binary_format;
use ptx_lsp::compile_commands::{CompileCommands, LookupBoundary};
use ptx_lsp::host::host_levels;
use ptx_lsp::levels::DiagnosticLevels;
use ptx_syntax::Rope;
use serde_json::{Value, json};
use std::io::{Write, stdout};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files that may have PTX in strings.
pub const HOST_FILES: WantedFiles =
    WantedFiles { name: "C++, Python, Rust, LLVM IR or Julia file", is_wanted: is_host };

fn is_host(path: &Path) -> bool {
    // Versions of a repository are no sources of it.
    language(path).is_some() && !path.components().any(|c| c.as_os_str() == ".git")
}

/// The language around PTX in a file: by the end of its name, else by its first lines. `None` for PTX.
pub fn host_language(origin: &InputOrigin, text: &str) -> Option<Language> {
    origin.path().and_then(language).or_else(|| Language::of_text(text))
}

fn language(path: &Path) -> Option<Language> {
    path.file_name().and_then(|name| Language::of_file_name(&name.to_string_lossy()))
}

/// A checked file.
#[derive(Debug, Default)]
pub struct CheckedHost {
    /// Its text.
    pub text: Rope,
    /// Some bytes are no text.
    pub lossy: bool,
    /// The diagnostics of the PTX in its strings.
    pub diagnostics: Vec<Diagnostic>,
}

/// The checkers of all threads.
pub struct HostCheckers {
    forced: Option<HostTargets>,
    commands: CompileCommands,
    levels: DiagnosticLevels,
    idle: Mutex<Vec<HostChecker>>,
}

impl HostCheckers {
    /// Prepares the checks that the arguments ask for.
    pub fn new(targets: &[&'static TargetInfo], mut levels: DiagnosticLevels) -> Self {
        // The argument parser accepts only names that the tables contain.
        let names = targets.iter().map(|t| t.name);
        let forced = (!targets.is_empty()).then(|| TargetSet::named(names, None).ok()).flatten();
        host_levels(&mut levels);
        Self {
            forced: forced.map(HostTargets::forced),
            commands: CompileCommands::default(),
            levels,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// Checks one file.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn check(&self, origin: &InputOrigin, limits: InputLimits) -> Result<CheckedHost, String> {
        let (text, lossy, language) = open(origin, limits)?;
        Ok(self.check_text(origin, text, lossy, language))
    }

    /// Checks the text of a file.
    pub fn check_text(&self, origin: &InputOrigin, text: String, lossy: bool, language: Language) -> CheckedHost {
        let lock = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut checker = lock().pop().unwrap_or_default();
        let targets = targets(self.forced.as_ref(), &self.commands, origin);
        let found = findings::of_host(&text, language, targets, &self.levels, &mut checker, &|| false);
        lock().push(checker);
        match found {
            Some(found) => CheckedHost { text: Rope::from_str(&text), lossy, diagnostics: found.diagnostics },
            None => CheckedHost::default(),
        }
    }
}

/// The targets for which a file is checked.
fn targets(forced: Option<&HostTargets>, commands: &CompileCommands, origin: &InputOrigin) -> HostTargets {
    if let Some(forced) = forced {
        return forced.clone();
    }
    HostTargets { targets: built(commands, origin).unwrap_or_default(), forced: false }
}

/// The targets for which the build compiles a file. Without a repository, the commands are looked for up to the folder that was named, or up
/// to the current folder, whichever is further out.
fn built(commands: &CompileCommands, origin: &InputOrigin) -> Option<TargetSet> {
    let path = std::path::absolute(origin.path()?).ok()?;
    let current = std::env::current_dir().ok().filter(|folder| strip(&path, folder).is_some());
    let found = match origin {
        InputOrigin::Found { folder, .. } => std::path::absolute(folder).ok(),
        _ => None,
    };
    let otherwise = [current, found].into_iter().flatten().min_by_key(|folder| folder.components().count());
    commands.targets(&path, LookupBoundary::Repository { otherwise: otherwise.as_deref() })
}

/// Reads a file. Each byte that is not UTF-8 becomes one character, so that positions stay.
fn open(origin: &InputOrigin, limits: InputLimits) -> Result<(String, bool, Language), String> {
    let bytes = origin.read(limits)?;
    if let Some(sentence) = binary_format(&bytes) {
        return Err(sentence.to_owned());
    }
    let (text, lossy) = match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (readable(error.as_bytes()), true),
    };
    let language = host_language(origin, &text).unwrap_or(Language::Cpp);
    Ok((text, lossy, language))
}

fn readable(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| '?'));
    }
    out
}

/// The statement at a line of a file as a kernel. Lines count from 1.
///
/// # Errors
/// Why there is none.
pub fn kernel(origin: &InputOrigin, line: usize, limits: InputLimits) -> Result<String, String> {
    let (text, _, language) = open(origin, limits)?;
    let (host, rope) = (Host::new(language, &text), Rope::from_str(&text));
    let index = line.checked_sub(1).filter(|line| *line < rope.len_lines());
    let index = index.ok_or_else(|| format!("there is no line {line}"))?;
    let range = rope.line_to_byte(index)..rope.line_to_byte(index + 1);
    let found = group_in(host.groups(), &range).and_then(|index| host.groups().get(index));
    let placed =
        found.filter(|placed| is_ptx(&placed.group)).ok_or_else(|| format!("line {line} has no PTX in a string"))?;
    let mut checker = HostChecker::new(targets(None, &CompileCommands::default(), origin));
    let results = checker.check(std::slice::from_ref(placed), &|| false).unwrap_or_default();
    let view = GroupView::new(&placed.group, results.first().and_then(|result| result.target));
    let part =
        |range: Range<usize>| text.get(range.start + placed.start..range.end + placed.start).unwrap_or("").to_owned();
    let first = place(&rope, placed.start).line;
    let kernel = ptx_host::kernel::kernel(&view, &format!("{}:{first}", origin.name()), &part);
    kernel.map(|kernel| kernel.text).map_err(|refusal| refusal.to_string())
}

/// Prints all PTX in strings, one JSON object a line.
pub fn list(paths: &[PathBuf], limits: InputLimits) -> CliStatus {
    let (origins, problems) = source::find(paths, &HOST_FILES, limits);
    let mut status = CliStatus::Fine;
    for problem in problems {
        complain(&format!("{}: {}", problem.place, problem.reason));
        status = CliStatus::Trouble;
    }
    let mut out = std::io::BufWriter::new(stdout().lock());
    for origin in &origins {
        let (text, _, language) = match open(origin, limits) {
            Ok(opened) => opened,
            Err(why) => {
                complain(&format!("{}: {why}", origin.name()));
                status = CliStatus::Trouble;
                continue;
            }
        };
        if !may_contain_ptx(text.as_bytes()) {
            continue;
        }
        let host = Host::new(language, &text);
        let rope = Rope::from_str(&text);
        let lines = host.groups().iter().map(|placed| entry(&origin.name(), &rope, placed));
        let written =
            lines.into_iter().try_for_each(|line| writeln!(out, "{}", ptx_gate::words::json(&line.to_string())));
        if !super::files::is_written(written) {
            return CliStatus::Trouble;
        }
    }
    if super::files::is_written(out.flush()) { status } else { CliStatus::Trouble }
}

fn entry(file: &str, text: &Rope, placed: &Placed) -> Value {
    let group = &placed.group;
    let at = |offset: usize| place(text, placed.start + offset);
    let span = group.span();
    let (LineColumn { line, column }, end) = (at(span.start), at(span.end));
    let registers = group.variables.iter().filter_map(|v| Some(json!([v.name, register(v.kind)?])));
    let constants = group.variables.iter().filter(|v| v.kind == Kind::Constant);
    let constants = constants.map(|v| json!([v.name, v.value.and_then(|value| i64::try_from(value).ok())]));
    let flaws =
        |flaws: &[ptx_embed::Flaw]| flaws.iter().map(|flaw| format!("{flaw:?}").to_lowercase()).collect::<Vec<_>>();
    let statements = group.statements.iter().map(|s| {
        json!({
            "line": at(s.span.start).line,
            "column": at(s.span.start).column,
            "form": s.form.name(),
            "volatile": s.volatile,
            "memory": s.memory_clobber,
            "constraints": s.operands.iter().map(|o| o.constraint.text.as_str()).collect::<Vec<_>>(),
            "unknown": flaws(&s.flaws),
        })
    });
    let mut out = json!({
        "file": file,
        "line": line,
        "column": column,
        "end_line": end.line,
        "end_column": end.column,
        "ptx": group.ptx,
        "registers": registers.collect::<Vec<_>>(),
        "constants": constants.collect::<Vec<_>>(),
        "opaque": group.opaque.iter().map(|r| [r.start, r.end]).collect::<Vec<_>>(),
        "statements": statements.collect::<Vec<_>>(),
        "key": format!("{:016x}", group.key),
        "foreign": !is_ptx(group),
    });
    if let Some(variant) = &group.variant {
        let without = variant.without.iter().map(|range| {
            let (from, to) = (at(range.start), at(range.end));
            [from.line, from.column, to.line, to.column]
        });
        out["variant"] = json!({
            "number": variant.number,
            "count": variant.count,
            "branches": variant.branches.iter().map(|branch| at(branch.start).line).collect::<Vec<_>>(),
            "without": without.collect::<Vec<_>>(),
        });
    }
    out
}

fn register(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::B16 => "b16",
        Kind::B32 => "b32",
        Kind::B64 => "b64",
        Kind::B128 => "b128",
        Kind::F32 => "f32",
        Kind::F64 => "f64",
        Kind::Pred => "pred",
        Kind::Constant => return None,
    })
}
