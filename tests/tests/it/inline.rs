//! PTX in strings of CUDA C++: our verdicts on the probes in `tests/inline`, compared with recorded ones of NVIDIA's
//! compilers. `tests/inline/README.md` describes probes, marks and records.

use ptx_check::Severity;
use ptx_check::inline::TargetSet;
use ptx_host::{Host, HostChecker, HostTargets, Language};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn inline() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("inline")
}

/// A mark in a probe: where the first error is, and which one of ours.
struct Mark {
    /// Whether the compilers accept the statement and we refuse it (`?`), rather than refuse it (`!`).
    accepted: bool,
    code: String,
    /// Empty: all targets.
    targets: Vec<String>,
    /// Why our verdict is another one; empty where it is the same.
    reason: String,
}

impl Mark {
    /// The marks of a line: `//! CODE TARGET… : REASON`, several of them, or in `/* */`.
    fn all(line: &str) -> Vec<Self> {
        let begins: Vec<usize> =
            ["//!", "//?", "/*!", "/*?"].iter().flat_map(|m| line.match_indices(m)).map(|(at, _)| at).collect();
        let mut out = Vec::new();
        for at in begins {
            let text = line[at + 3..].split(['/', '*']).next().unwrap_or("");
            let (what, reason) = text.split_once(':').unwrap_or((text, ""));
            let mut words = what.split_whitespace().map(str::to_owned);
            out.push(Self {
                accepted: line.as_bytes()[at + 2] == b'?',
                code: words.next().expect("a code in a mark"),
                targets: words.collect(),
                reason: reason.trim().to_owned(),
            });
        }
        out
    }

    fn is_for(&self, target: &str) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|t| t == target)
    }
}

struct Probe {
    text: String,
    marks: Vec<Mark>,
}

/// All probes by name.
fn probes() -> BTreeMap<String, Probe> {
    let mut out: BTreeMap<String, Probe> = BTreeMap::new();
    for entry in fs::read_dir(inline().join("probes")).expect("the probes").flatten() {
        let text = fs::read_to_string(entry.path()).expect("a file of probes");
        // The text before the first probe describes the file.
        for part in text.split("// probe: ").skip(1) {
            let (name, text) = part.split_once('\n').expect("a probe has a name");
            let marks = text.lines().flat_map(Mark::all).collect();
            let probe = Probe { text: text.to_owned(), marks };
            assert!(out.insert(name.to_owned(), probe).is_none(), "two probes have the name {name}");
        }
    }
    out
}

/// A recorded verdict: whether both compilers accept the probe, and where the first error is.
struct Verdict<'a> {
    name: &'a str,
    target: &'a str,
    accepted: bool,
    line: Option<usize>,
}

fn verdicts(text: &str) -> Vec<Verdict<'_>> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let parsed = rows.map(|row| {
        let fields: Vec<&str> = row.split('\t').collect();
        let [name, target, nvrtc, ptxas, line] = fields[..] else { panic!("a verdict has five fields: {row}") };
        Verdict { name, target, accepted: (nvrtc, ptxas) == ("ok", "ok"), line: line.parse().ok() }
    });
    parsed.collect()
}

/// Our errors on a probe for one target, in order: the line (1-based) and the code.
fn errors(checker: &mut HostChecker, text: &str) -> Vec<(usize, String)> {
    let host = Host::new(Language::Cpp, text);
    let mut found = checker.diagnostics(host.groups());
    found.retain(|d| d.severity == Severity::Error);
    found.sort_by_key(|d| d.range.start);
    found.iter().map(|d| (text[..d.range.start].matches('\n').count() + 1, d.code().name().to_owned())).collect()
}

/// What is wrong with our verdict, if anything.
fn difference(verdict: &Verdict<'_>, probe: &Probe, ours: &[(usize, String)]) -> Option<String> {
    let has = |code: &str| ours.iter().any(|(_, c)| c == code);
    let mark = |accepted: bool| probe.marks.iter().find(|m| m.accepted == accepted && m.is_for(verdict.target));
    if verdict.accepted {
        return match (mark(true), ours.first()) {
            (Some(mark), None) => Some(format!("agrees now: remove the mark `?{}`", mark.code)),
            (Some(mark), Some(_)) if !has(&mark.code) => {
                Some(format!("we refuse it as {ours:?}, not as {}", mark.code))
            }
            (None, Some(_)) => Some(format!("the compilers accept it; we refuse it: {ours:?}")),
            _ => None,
        };
    }
    let mark = mark(false)?;
    match ours.first() {
        None if mark.reason.is_empty() => Some("the compilers refuse it; we accept it".to_owned()),
        None => None,
        Some(_) if !mark.reason.is_empty() => {
            Some(format!("agrees now: remove the reason of the mark `!{}`", mark.code))
        }
        Some((line, _)) if Some(*line) != verdict.line => {
            Some(format!("the error is in line {:?}; ours: {ours:?}", verdict.line))
        }
        // A host rule has its own code; `ptx` is any error in the PTX.
        Some(_) if mark.code == "ptx" && ours.iter().any(|(_, c)| c.starts_with("asm-")) => {
            Some(format!("not a host rule: {ours:?}"))
        }
        Some(_) if mark.code != "ptx" && !has(&mark.code) => Some(format!("{} is not among {ours:?}", mark.code)),
        Some(_) => None,
    }
}

#[test]
fn recorded_verdicts_on_ptx_in_strings_are_ours() {
    let recorded = fs::read_to_string(inline().join("verdicts.tsv")).expect("the verdicts");
    let verdicts = verdicts(&recorded);
    let probes = probes();
    let names: BTreeSet<&str> = verdicts.iter().map(|v| v.name).collect();
    assert_eq!(names, probes.keys().map(String::as_str).collect(), "probes and verdicts: record again");
    assert!(verdicts.len() > 1500, "only {} verdicts", verdicts.len());

    let mut problems = Vec::new();
    let targets: BTreeSet<&str> = verdicts.iter().map(|v| v.target).collect();
    for target in targets {
        let set = TargetSet::named([target], None).expect("a recorded target is known");
        let mut checker = HostChecker::new(HostTargets::forced(set));
        for verdict in verdicts.iter().filter(|v| v.target == target) {
            let probe = &probes[verdict.name];
            let ours = errors(&mut checker, &probe.text);
            if let Some(difference) = difference(verdict, probe, &ours) {
                problems.push(format!("{} {target}: {difference}", verdict.name));
            }
        }
    }
    assert!(problems.is_empty(), "{} differences:\n{}", problems.len(), problems.join("\n"));
}

/// A refused probe without a mark would be compared with nothing.
#[test]
fn every_refused_probe_has_a_mark() {
    let recorded = fs::read_to_string(inline().join("verdicts.tsv")).expect("the verdicts");
    let probes = probes();
    for verdict in verdicts(&recorded) {
        let marks = &probes[verdict.name].marks;
        let marked = marks.iter().any(|m| !m.accepted && m.is_for(verdict.target));
        assert_eq!(marked, !verdict.accepted, "{} {}", verdict.name, verdict.target);
    }
}
