//! docs/diagnostics/README.md lists every diagnostic with its default level. It is generated from the registry and the
//! pages. `UPDATE=1 cargo test -p ptx-tests --test it diagnostics_table` writes it.

use ptx_check::Code;
use ptx_check::DiagnosticLevel;
use std::path::Path;

const HEAD: &str = "# Diagnostics

Every diagnostic has a code and a page. NVIDIA's assembler refuses what is an *error* here, and accepts the rest.
It parses what is an *error (build)*, and refuses it when it generates code: `check --parse-only` leaves that out. Some of these
codes also report, as warnings, what it builds.
Change a level with `diagnostics.severity` in the [settings](../settings.md), or with `check --level CODE=LEVEL`.
A code that is off is reported once you set a level for it. `ptx-analyzer explain CODE` prints a page.

| code | level | summary |
|---|---|---|
";

/// The first informative sentence of a page: short sentences such as "a warning" repeat the level and are skipped.
fn summary(code: &Code) -> String {
    let text = code.page().lines().skip_while(|l| l.is_empty() || l.starts_with('#')).take_while(|l| !l.is_empty());
    let text = text.collect::<Vec<_>>().join(" ");
    let mut rest = text.as_str();
    loop {
        let end =
            rest.match_indices(". ").find(|(at, _)| rest[at + 2..].starts_with(|c: char| c.is_uppercase() || c == '`'));
        let Some((end, _)) = end else { return rest.to_owned() };
        let (sentence, after) = rest.split_at(end + 1);
        if sentence.len() > 40 {
            return sentence.to_owned();
        }
        rest = after.trim_start();
    }
}

fn table() -> String {
    let row = |code: &Code| {
        let level = match code.level() {
            DiagnosticLevel::Assembler => "error".to_owned(),
            DiagnosticLevel::Build => "error (build)".to_owned(),
            DiagnosticLevel::Lint(level) => level.name().to_owned(),
            DiagnosticLevel::Off(level) => format!("off ({})", level.name()),
        };
        format!("| [{0}]({0}.md) | {level} | {1} |\n", code, summary(code).replace('|', "\\|"))
    };
    HEAD.to_owned() + &Code::ALL.iter().map(row).collect::<String>()
}

#[test]
fn every_diagnostic_is_in_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/diagnostics/README.md");
    let wanted = table();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &wanted).expect("a file that can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(found == wanted, "it is not up to date: UPDATE=1 cargo test -p ptx-tests --test it diagnostics_table");
}
