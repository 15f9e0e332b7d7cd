//! One-line snippets of PTX and what is said of them: by us, and (recorded) by NVIDIA's assembler.
//!
//! A snippet is put into braces of its own in the body of a kernel that declares registers and variables of every
//! kind, so that thousands of them make one module.

use ptx_analysis::{Analyzer, Severity};
use ptx_syntax::Snapshot;

/// The body's declarations, in one line; the assembler's side (`tests/oracle/record.py`) uses the very same text.
pub const DECLARATIONS: &str = include_str!("../oracle/declarations.ptx");

/// A snippet with the version and target that it is meant for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Snippet {
    /// `9.1`.
    pub version: String,
    /// `sm_90a`.
    pub target: String,
    /// The statement or statements.
    pub text: String,
}

/// A snippet with a verdict.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The snippet.
    pub snippet: Snippet,
    /// Whether it assembles.
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

/// Our verdict on snippets of one version and target: for each the first error's message, or `None`.
pub fn judge(version: &str, target: &str, texts: &[&str]) -> Vec<Option<String>> {
    // Before PTX 2.3 the directive does not exist.
    let size = if numbers(version) >= (2, 3) { ".address_size 64" } else { "" };
    let mut module = format!(".version {version}\n.target {target}\n{size}\n{}\n", declarations(version, target));
    let first = module.matches('\n').count();
    for text in texts {
        module.push_str("{ ");
        module.push_str(text);
        module.push_str(" }\n");
    }
    module.push_str("L: ret;\n}\n");
    let snapshot = Snapshot::new(&module);
    let mut out = vec![None; texts.len()];
    for diagnostic in Analyzer::default().analyze(&snapshot).diagnostics {
        if diagnostic.severity != Severity::Error {
            continue;
        }
        let line = snapshot.rope().byte_to_line(diagnostic.range.start);
        if let Some(slot) = line.checked_sub(first).and_then(|i| out.get_mut(i)) {
            slot.get_or_insert_with(|| format!("[{}] {}", diagnostic.code(), diagnostic.message()));
        }
    }
    out
}

/// `9.1` as two numbers.
fn numbers(version: &str) -> (u32, u32) {
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    (major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
}

/// The declarations without those that a version or target does not know.
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
