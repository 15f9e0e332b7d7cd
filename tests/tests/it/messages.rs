//! docs/messages.md compares messages: for each mistake on the page, our part equals the current messages.

use ptx_analysis::{Analyzer, Severity};
use ptx_syntax::Snapshot;
use std::fs;
use std::path::Path;

/// Title, PTX and our messages of each section.
fn sections(page: &str) -> Vec<(&str, String, String)> {
    let kernel = code(page).expect("the kernel stands at the beginning");
    let sections = page.split("\n## ").skip(1);
    sections
        .map(|section| {
            let text = code(section).unwrap_or_else(|| panic!("no PTX: {section}"));
            let ours: Vec<&str> =
                section.lines().filter(|l| l.starts_with("ptx-analyzer, ") || l.starts_with("Help: ")).collect();
            (section.lines().next().unwrap_or(""), kernel.replace("// here\n", text), ours.join("\n"))
        })
        .collect()
}

fn code(text: &str) -> Option<&str> {
    text.split_once("```ptx\n")?.1.split_once("```").map(|(code, _)| code)
}

fn said(text: &str) -> String {
    let report = Analyzer::default().analyze(&Snapshot::new(text));
    let errors = report.diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
    let lines = errors.flat_map(|d| {
        let help = d.help().map(|help| format!("Help: {help}"));
        std::iter::once(format!("ptx-analyzer, `{}`: {}", d.code(), d.message())).chain(help)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn our_half_of_the_table_of_messages_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/messages.md");
    let page = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let sections = sections(&page);
    assert!(sections.len() >= 40, "only {} mistakes", sections.len());
    for (title, text, ours) in sections {
        assert_eq!(said(&text), ours, "{title}: make the page again (tests/oracle/messages.py)");
    }
}
