//! Mistakes that people make: the list behind `docs/dev/messages.md`, and what ptx-analyzer reports on each.

use ptx_check::{Analyzer, Diagnostic, Severity};
use ptx_ide::{FixAction, apply, of_diagnostic};
use ptx_syntax::Snapshot;

/// The PTX version and target of a mistake that names none.
const HOME: (&str, &str) = ("9.0", "sm_90");

/// A mistake of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong, in a few words.
    pub title: String,
    /// The PTX version, `9.0`.
    pub version: String,
    /// The target, `sm_90`.
    pub target: String,
    /// The lines in the kernel; a whole module if they begin with `.version`.
    pub text: String,
}

impl Mistake {
    /// The lines as a module.
    pub fn module(&self) -> String {
        if self.text.starts_with(".version") {
            self.text.clone()
        } else {
            kernel(&self.version, &self.target, &self.text)
        }
    }
}

/// The kernel in which the lines of a mistake stand.
pub fn kernel(version: &str, target: &str, lines: &str) -> String {
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<8>, %q; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<16>; .reg .f64 %d<4>;\n\
         .shared .align 128 .b8 sm[1024];\n{lines}ret;\n}}\n"
    )
}

/// Reads the list: `## Title`, or `## Title @ 8.0 sm_80`, and below it the lines.
pub fn parse(list: &str) -> Vec<Mistake> {
    let section = |section: &str| {
        let (title, text) = section.split_once('\n').unwrap_or((section, ""));
        let (title, home) = title.split_once(" @ ").map_or((title, HOME), |(title, home)| {
            (title, home.split_once(' ').unwrap_or_else(|| panic!("{title}: a version and a target, not `{home}`")))
        });
        let text = format!("{}\n", text.trim());
        Mistake { title: title.trim().to_owned(), version: home.0.to_owned(), target: home.1.to_owned(), text }
    };
    format!("\n{list}").split("\n## ").skip(1).map(section).collect()
}

/// An error, and the text after each of its fixes.
#[derive(Debug)]
pub struct Reported {
    /// The error.
    pub diagnostic: Diagnostic,
    /// The fixes that are offered, the likeliest first, each with the module after it.
    pub fixes: Vec<(FixAction, String)>,
}

/// The errors of a module with their fixes.
pub fn report(module: &str) -> Vec<Reported> {
    let snapshot = Snapshot::new(module);
    let report = Analyzer::default().analyze(&snapshot);
    let errors = (0..report.diagnostics.len()).filter(|i| report.diagnostics[*i].severity == Severity::Error);
    let each = |index: usize| {
        let fixes = of_diagnostic(&snapshot, &report, index);
        let fixes = fixes.into_iter().map(|fix| {
            let fixed = apply(module, &fix.edits);
            (fix, fixed)
        });
        Reported { diagnostic: report.diagnostics[index].clone(), fixes: fixes.collect() }
    };
    errors.map(each).collect()
}

/// The lines of a module that a fix changes or adds, joined by ` ⏎ `.
pub fn changed_lines(before: &str, after: &str) -> String {
    let changed: Vec<&str> = after.lines().filter(|line| !before.lines().any(|old| old == *line)).collect();
    if changed.is_empty() { "(lines removed)".to_owned() } else { changed.join(" ⏎ ") }
}

/// What NVIDIA's assembler said of a mistake and of the fixes for it, as `tests/oracle/messages.py` recorded it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its messages; none if it accepts the module.
    pub messages: Vec<String>,
    /// For each fix the changed lines, and whether it accepts the module after it.
    pub fixes: Vec<(String, bool)>,
}

/// Reads the record of answers: the title, then `says`, `accepts` and `refuses` lines.
pub fn answers(record: &str) -> std::collections::BTreeMap<String, Answer> {
    let mut out = std::collections::BTreeMap::new();
    for section in format!("\n{record}").split("\n## ").skip(1) {
        let mut lines = section.lines();
        let title = lines.next().unwrap_or("").to_owned();
        let mut answer = Answer::default();
        for line in lines {
            match line.split_once(' ') {
                Some(("says", words)) => answer.messages.push(words.to_owned()),
                Some(("accepts", fix)) => answer.fixes.push((fix.to_owned(), true)),
                Some(("refuses", fix)) => answer.fixes.push((fix.to_owned(), false)),
                _ => {}
            }
        }
        out.insert(title, answer);
    }
    out
}

/// The page with all mistakes, made of the list and the recorded answers. The error names a mistake whose fixes were never asked.
pub fn page(list: &str, record: &str) -> Result<String, String> {
    use std::fmt::Write;
    let answers = answers(record);
    let mut out = format!(
        "# Mistakes: the assembler's messages and ours\n\nWhat NVIDIA's assembler says of typical mistakes, what ptx-analyzer says, and \
         whether the assembler accepts each fix that it offers. A test makes this page (`UPDATE=1 cargo test -p ptx-tests --test it \
         messages`) from `tests/oracle/mistakes.txt` and the recorded answers of the assembler (`tests/oracle/messages.py`). The lines \
         stand in this kernel:\n\n```ptx\n{}```\n",
        kernel(HOME.0, HOME.1, "// here\n")
    );
    for (number, mistake) in parse(list).iter().enumerate() {
        let answer = answers.get(&mistake.title).ok_or_else(|| format!("{}: never asked", mistake.title))?;
        let home = (mistake.version.as_str(), mistake.target.as_str());
        let on = if home == HOME { String::new() } else { format!(" (PTX {}, `{}`)", home.0, home.1) };
        let _ = write!(out, "\n## {}. {}{on}\n\n```ptx\n{}```\n", number + 1, mistake.title, mistake.text);
        if answer.messages.is_empty() {
            out.push_str("\nThe assembler accepts it.\n");
        }
        for words in &answer.messages {
            let _ = write!(out, "\nThe assembler: {words}\n");
        }
        let module = mistake.module();
        for found in report(&module) {
            let diagnostic = &found.diagnostic;
            let _ = write!(out, "\nptx-analyzer, `{}`: {}\n", diagnostic.code(), diagnostic.message());
            if let Some(help) = diagnostic.help() {
                let _ = write!(out, "\nHelp: {help}\n");
            }
            for (fix, after) in &found.fixes {
                let lines = changed_lines(&module, after);
                let verdict = answer.fixes.iter().find(|(fixed, _)| *fixed == lines);
                let (_, accepted) = verdict.ok_or_else(|| format!("{}: never asked of `{lines}`", mistake.title))?;
                let verdict = if *accepted { "accepted" } else { "**refused**" };
                let shown = lines.rsplit(" ⏎ ").next().unwrap_or(&lines);
                let _ = write!(out, "\nFix: {} – `{shown}` – {verdict}\n", fix.title);
            }
        }
    }
    Ok(out)
}
