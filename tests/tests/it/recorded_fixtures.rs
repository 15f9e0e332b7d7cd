//! The annotations of the fixtures agree with the assembler: errors are expected exactly on the lines that it rejects.

use ptx_check::{Code, DiagnosticLevel};
use ptx_tests::annotations::{expected, revisions};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Whether the errors of a code come only when code is generated, which these verdicts were recorded without.
fn is_late(code: &str) -> bool {
    Code::named(code).is_some_and(|code| code.level() == DiagnosticLevel::Build)
}

#[test]
fn annotated_errors_are_the_assemblers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let recorded = fs::read_to_string(root.join("oracle/fixtures.txt")).expect("recorded verdicts");
    let mut wrong = Vec::new();
    let mut seen = 0;
    for line in recorded.lines().filter(|l| !l.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let [path, name, verdict, lines] = words[..] else { panic!("{line}") };
        seen += 1;
        let text = fs::read_to_string(root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        let revision = revisions(&text).into_iter().find(|r| r.name == name || name == "-");
        let revision = revision.unwrap_or_else(|| panic!("{path} has no revision {name}: record again"));
        let ours: BTreeSet<usize> =
            expected(&revision).iter().filter(|f| f.severity == "error" && !is_late(&f.code)).map(|f| f.line).collect();
        let theirs: BTreeSet<usize> = lines.split(',').filter_map(|l| l.parse().ok()).collect();
        // The assembler stops at a syntax error, so only its rejection counts. Every older assembler rejects a version
        // from the future.
        let fine = match verdict {
            // Some errors of the assembler have no line.
            "ERR" if theirs.is_empty() => !ours.is_empty(),
            "FATAL" => !ours.is_empty() || path.contains("future"),
            _ => ours == theirs,
        };
        if !fine {
            wrong.push(format!("{path} {name}: annotated {ours:?}, the assembler refuses {theirs:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen >= 20, "only {seen} verdicts");
}
