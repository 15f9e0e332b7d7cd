//! One-line snippets of PTX with verdicts: ours, and recorded ones of NVIDIA's assembler.
//!
//! Each snippet gets its own braces in the body of a kernel that declares registers and variables of every kind. So one
//! module can contain thousands of snippets.

use ptx_check::{Analyzer, Code, DiagnosticLevel, Severity};
use ptx_syntax::Snapshot;

/// The declarations of the body, in one line. `tests/oracle/record.py` uses exactly the same text for the assembler.
pub const DECLARATIONS: &str = include_str!("../oracle/declarations.ptx");

/// A snippet with its version and target.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Snippet {
    /// The PTX version, such as `9.1`.
    pub version: String,
    /// The target, such as `sm_90a`.
    pub target: String,
    /// The text: one or more statements.
    pub text: String,
}

/// A snippet with a verdict.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The snippet.
    pub snippet: Snippet,
    /// True if it assembles.
    pub accepted: bool,
}

/// Parses lines of the form `OK|ERR VERSION TARGET TEXT`; `#` begins a comment line.
pub fn parse(text: &str) -> Vec<Judged> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .map(|line| {
            let mut parts = line.splitn(4, ' ');
            let mut next = || parts.next().unwrap_or("").to_owned();
            let accepted = next() == "OK";
            Judged { accepted, snippet: Snippet { version: next(), target: next(), text: next() } }
        })
        .collect()
}

/// What becomes of a snippet when code is generated for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Built {
    /// The assembler builds it.
    Whole,
    /// It refuses it.
    Refused,
    /// It crashes.
    Crash,
}

impl Built {
    /// The word of the records, `tests/oracle/assembled`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Whole => "OK",
            Self::Refused => "ERR",
            Self::Crash => "DIE",
        }
    }
}

/// The number of snippets in one function for [`built`]: flow lints skip large functions.
pub const BUILT_TOGETHER: usize = 200;

/// Our verdicts on code generation for snippets of one version and target, which parse.
pub fn built(version: &str, target: &str, texts: &[&str]) -> Vec<Built> {
    let (snapshot, first) = module(version, target, texts);
    let mut out = vec![Built::Whole; texts.len()];
    let report = Analyzer::for_one_check().check_with_lints(&snapshot, &|| false).unwrap_or_default();
    for diagnostic in report.diagnostics {
        let verdict = match diagnostic.code() {
            // It is about several statements.
            Code::MixedCtaGroups => continue,
            Code::AssemblerCrash => Built::Crash,
            code if code.level() == DiagnosticLevel::Build && diagnostic.severity == Severity::Error => Built::Refused,
            _ => continue,
        };
        let line = snapshot.rope().byte_to_line(diagnostic.range.start);
        if let Some(slot) = line.checked_sub(first).and_then(|i| out.get_mut(i)) {
            *slot = verdict.max(*slot);
        }
    }
    out
}

/// Our verdicts on snippets of one version and target: for each, the message of the first error, or `None`.
pub fn judge(version: &str, target: &str, texts: &[&str]) -> Vec<Option<String>> {
    let (snapshot, first) = module(version, target, texts);
    let mut out = vec![None; texts.len()];
    for diagnostic in Analyzer::for_one_check().analyze(&snapshot).diagnostics {
        if !diagnostic.is_parse_error() {
            continue;
        }
        let line = snapshot.rope().byte_to_line(diagnostic.range.start);
        if let Some(slot) = line.checked_sub(first).and_then(|i| out.get_mut(i)) {
            slot.get_or_insert_with(|| format!("[{}] {}", diagnostic.code(), diagnostic.message()));
        }
    }
    out
}

/// The module with these snippets, one a line, and the index of the line of the first.
fn module(version: &str, target: &str, texts: &[&str]) -> (Snapshot, usize) {
    // The directive does not exist before PTX 2.3.
    let size = if numbers(version) >= (2, 3) { ".address_size 64" } else { "" };
    let mut module = format!(".version {version}\n.target {target}\n{size}\n{}\n", declarations(version, target));
    let first = module.matches('\n').count();
    for text in texts {
        module.push_str("{ ");
        module.push_str(text);
        module.push_str(" }\n");
    }
    module.push_str("L: ret;\n}\n");
    (Snapshot::new(&module), first)
}

/// A version such as `9.1` as two numbers.
fn numbers(version: &str) -> (u32, u32) {
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    (major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
}

/// The declarations that a version and target support.
pub fn declarations(version: &str, target: &str) -> String {
    let number: u32 = target
        .trim_start_matches("sm_")
        .chars()
        .take_while(char::is_ascii_digit)
        .collect::<String>()
        .parse()
        .unwrap_or(0);
    let version = numbers(version);
    DECLARATIONS
        .lines()
        .filter(|line| line.split_once("// in ").is_none_or(|(_, mode)| target.contains(mode.trim())))
        .filter(|line| match line.split_once("// from ") {
            None => true,
            Some((_, needs)) => {
                let mut words = needs.split_whitespace();
                let need = words
                    .next()
                    .and_then(|v| v.split_once('.'))
                    .map(|(a, b)| (a.parse().unwrap_or(0), b.parse().unwrap_or(0)));
                let target: u32 = words.next().and_then(|t| t.trim_start_matches("sm_").parse().ok()).unwrap_or(0);
                need.is_none_or(|n| version >= n) && number >= target
            }
        })
        .map(|line| line.split("//").next().unwrap_or(line).trim())
        .collect::<Vec<_>>()
        .join(" ")
}
