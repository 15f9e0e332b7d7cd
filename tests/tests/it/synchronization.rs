//! The kernels of `tests/synchronization`: the interpreter finds nothing in correct ones and computes what an independent
//! model expects; it finds each planted mistake at its line. The exceptions are listed in `missed.txt`, exactly.

use ptx_interp::findings::FaultKind;
use ptx_interp::machine::Settings;
use ptx_launch::evaluate::LaunchModule;
use ptx_syntax::Snapshot;
use ptx_tests::annotations;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Maximum number of warp instructions of a launch.
const LIMIT: u64 = 1_000_000;

/// Minimum number of kernels of each kind.
const MIN_KERNELS: usize = 60;

/// A place where a finding may be reported.
struct Annotation {
    /// The line, from 1.
    line: usize,
    /// The kinds of findings that fit.
    kinds: Vec<String>,
    /// `//~`: the mistake itself. `//~?`: a consequence, which need not be reported.
    primary: bool,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("synchronization")
}

/// The kernels of a subfolder: the name, such as `planted/lock_relaxed`, and the text. Sorted by name.
fn kernels(part: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder().join(part)).expect("a readable folder");
    let paths = entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "ptx"));
    let mut out: Vec<(String, String)> = paths
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (format!("{part}/{name}"), fs::read_to_string(&path).expect("a readable kernel"))
        })
        .collect();
    out.sort();
    out
}

/// The annotations of a text: `//~ KIND`, `//~ KIND|KIND` or `//~? KIND` at the end of a line.
fn annotations_of(text: &str) -> Vec<Annotation> {
    let mut out = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some((_, rest)) = line.split_once("//~") else { continue };
        let primary = !rest.starts_with('?');
        let kinds = rest.trim_start_matches('?').split_whitespace().next().unwrap_or("");
        let kinds: Vec<String> = kinds.split('|').map(str::to_owned).collect();
        for kind in &kinds {
            assert!(FaultKind::named(kind).is_some(), "line {}: there is no kind `{kind}`", index + 1);
        }
        out.push(Annotation { line: index + 1, kinds, primary });
    }
    out
}

/// The result of all launches of a text: findings as (line, kind, message), and failed expectations.
struct KernelResult {
    found: Vec<(usize, &'static str, String)>,
    failed: Vec<String>,
    launches: usize,
    expectations: usize,
}

fn run(text: &str) -> KernelResult {
    let snapshot = Snapshot::new(text);
    let module = LaunchModule::new(&snapshot);
    let (launches, mistakes) = module.launches();
    let mut out = KernelResult { found: Vec::new(), failed: Vec::new(), launches: launches.len(), expectations: 0 };
    out.failed.extend(mistakes.iter().map(|m| format!("the launch has a mistake: {}", m.message)));
    let settings = Settings { limit: LIMIT, ..Settings::default() };
    for launch in launches {
        let run = match module.evaluate(launch, settings.clone(), None, None, &|| false) {
            Ok(run) => run,
            Err(error) => {
                out.failed.push(format!("the launch cannot run: {error:?}"));
                continue;
            }
        };
        for fault in run.faults() {
            let start = run.run.machine.executable.range(fault.site).start;
            let line = snapshot.rope().byte_to_line(start.min(text.len())) + 1;
            out.found.push((line, fault.kind.name(), fault.message.clone()));
        }
        out.expectations += run.verdicts.len();
        let failed = run.verdicts.iter().filter(|v| !v.ok);
        out.failed.extend(failed.map(|v| format!("`{}` does not hold: {:?}", v.name, v.message)));
        if run.run.status == ptx_interp::machine::RunStatus::Limit {
            out.failed.push(format!("the run did not end within {LIMIT} warp instructions"));
        }
    }
    out
}

/// The differences between the annotations of a planted mistake and what was found. Empty if it was found as it should be.
fn differences(text: &str, result: &KernelResult) -> Vec<String> {
    let annotations = annotations_of(text);
    let fits =
        |a: &Annotation, (line, kind, _): &(usize, &str, String)| a.line == *line && a.kinds.iter().any(|k| k == kind);
    let mut out = Vec::new();
    let primary: Vec<&Annotation> = annotations.iter().filter(|a| a.primary).collect();
    if !result.found.iter().any(|found| primary.iter().any(|a| fits(a, found))) {
        let places: Vec<String> =
            primary.iter().map(|a| format!("line {}: {}", a.line, a.kinds.join(" or "))).collect();
        out.push(format!("missing: {}", places.join("; ")));
    }
    for found in &result.found {
        if !annotations.iter().any(|a| fits(a, found)) {
            out.push(format!("unexpected: line {}: {}: {}", found.0, found.1, found.2));
        }
    }
    out
}

/// The listed exceptions: kernel and reason.
fn missed() -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("missed.txt")).expect("the list of exceptions");
    let lines = text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#'));
    lines
        .map(|line| {
            let (name, reason) = line.split_once(':').unwrap_or_else(|| panic!("`{line}` has no reason"));
            (name.trim().to_owned(), reason.trim().to_owned())
        })
        .collect()
}

/// Compares the kernels that failed, with their messages, with the listed exceptions of the same subfolder.
fn compare(part: &str, failed: &BTreeMap<String, Vec<String>>) {
    let missed = missed();
    let listed: BTreeSet<&String> = missed.keys().filter(|name| name.starts_with(part)).collect();
    let mut wrong = Vec::new();
    for (name, messages) in failed {
        if !listed.contains(name) {
            wrong.push(format!("{name}:\n    {}", messages.join("\n    ")));
        }
    }
    for name in listed {
        if !failed.contains_key(name) {
            wrong.push(format!("{name}: it is judged right now, or does not exist: remove it from missed.txt"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn correct_kernels_have_no_finding_and_the_results_of_the_model() {
    let mut failed = BTreeMap::new();
    let kernels = kernels("correct");
    assert!(kernels.len() >= MIN_KERNELS, "{}", kernels.len());
    for (name, text) in kernels {
        let result = run(&text);
        let mut messages = differences_from_nothing(&result);
        if result.launches == 0 || result.expectations == 0 {
            messages.push("it has no launch or no expectation".to_owned());
        }
        if !messages.is_empty() {
            failed.insert(name, messages);
        }
    }
    compare("correct/", &failed);
}

/// Everything that is wrong with the run of a correct kernel.
fn differences_from_nothing(result: &KernelResult) -> Vec<String> {
    let found = result.found.iter().map(|(line, kind, message)| format!("line {line}: {kind}: {message}"));
    found.chain(result.failed.iter().cloned()).collect()
}

#[test]
fn planted_mistakes_are_found_at_their_lines() {
    let mut failed = BTreeMap::new();
    let kernels = kernels("planted");
    assert!(kernels.len() >= MIN_KERNELS, "{}", kernels.len());
    for (name, text) in kernels {
        let annotations = annotations_of(&text);
        assert!(annotations.iter().any(|a| a.primary), "{name}: no line is annotated");
        let result = run(&text);
        assert_eq!(result.launches, 1, "{name}");
        assert_eq!(result.failed, Vec::<String>::new(), "{name}");
        let messages = differences(&text, &result);
        if !messages.is_empty() {
            failed.insert(name, messages);
        }
    }
    compare("planted/", &failed);
}

/// The assembler accepts every kernel, so a check must report no error. In correct kernels the lints must find nothing to
/// warn about.
#[test]
fn all_kernels_are_valid() {
    let correct = kernels("correct").into_iter().map(|kernel| (kernel, &["error", "warning"][..]));
    for ((name, text), severities) in
        correct.chain(kernels("planted").into_iter().map(|kernel| (kernel, &["error"][..])))
    {
        let found = annotations::found(&format!("{text}{}", annotations::LINTS));
        let wrong: Vec<_> = found.into_iter().filter(|f| severities.contains(&f.severity.as_str())).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        assert!(text.lines().count() <= 100, "{name}: it is not small");
    }
}

/// The expectations in the files are those that the model computes.
#[test]
fn expectations_are_those_of_the_model() {
    let run = Command::new("python3").arg("-B").arg(folder().join("model.py")).output().expect("python3 is installed");
    let text = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{text}");
}

#[test]
fn differences_are_found() {
    let text = "a;\nb; //~ race\nc; //~? race|deadlock\n";
    let with = |found: &[(usize, &'static str)]| {
        let found = found.iter().map(|(line, kind)| (*line, *kind, String::new())).collect();
        differences(text, &KernelResult { found, failed: Vec::new(), launches: 1, expectations: 0 }).len()
    };
    assert_eq!([with(&[]), with(&[(2, "race")]), with(&[(2, "race"), (3, "deadlock")])], [1, 0, 0]);
    assert_eq!([with(&[(3, "race")]), with(&[(2, "race"), (1, "race")]), with(&[(2, "mbarrier")])], [1, 1, 2]);
}
