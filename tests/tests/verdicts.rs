//! Our verdicts against recorded ones of NVIDIA's assembler (`tests/oracle/`), and the notation's hard cases.

use ptx_tests::snippets::{Judged, judge, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle").join(name);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The lines on which we and the assembler disagree: `ours: OK 9.1 sm_90 text`.
fn disagreements(recorded: &[Judged]) -> BTreeSet<String> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Judged>> = BTreeMap::new();
    for judged in recorded {
        groups.entry((&judged.snippet.version, &judged.snippet.target)).or_default().push(judged);
    }
    let mut out = BTreeSet::new();
    for ((version, target), group) in groups {
        let texts: Vec<&str> = group.iter().map(|j| j.snippet.text.as_str()).collect();
        for (judged, ours) in group.iter().zip(judge(version, target, &texts)) {
            if judged.accepted == ours.is_some() {
                let word = if ours.is_some() { "ERR" } else { "OK" };
                out.insert(format!("{word} {version} {target} {}", judged.snippet.text));
            }
        }
    }
    out
}

#[test]
fn recorded_verdicts_are_ours() {
    let recorded = parse(&read("verdicts.txt"));
    assert!(recorded.len() > 10_000, "only {} verdicts are recorded", recorded.len());
    let known: BTreeSet<String> = read("known-disagreements.txt")
        .lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .map(str::to_owned)
        .collect();
    let now = disagreements(&recorded);
    let new: Vec<&String> = now.difference(&known).collect();
    assert!(new.is_empty(), "{} new disagreements with the assembler, ours first:\n{}", new.len(), join(&new));
    let gone: Vec<&String> = known.difference(&now).collect();
    assert!(gone.is_empty(), "these agree now: take them out of known-disagreements.txt\n{}", join(&gone));
}

fn join(lines: &[&String]) -> String {
    lines.iter().take(40).map(|s| s.as_str()).collect::<Vec<_>>().join("\n")
}
