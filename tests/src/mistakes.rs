//! Mistakes that people make: the list behind `docs/dev/messages.md`, and what ptx-analyzer reports on each.

use ptx_analysis::{Analyzer, Diagnostic, Severity};
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
