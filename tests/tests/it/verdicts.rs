//! Our verdicts, compared with recorded ones of NVIDIA's assembler (`tests/oracle/`); the assembler itself is not
//! needed.

use flate2::read::GzDecoder;
use ptx_tests::floors;
use ptx_tests::snippets::{Judged, judge, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

fn oracle() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle")
}

/// The recorded files of a folder.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let folder = oracle().join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut out: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    out.sort();
    out
}

/// The text of a compressed file.
pub fn unpacked(path: &Path) -> String {
    let file = fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text
}

/// Lines on which we and the assembler disagree, with our verdict first: `OK 9.1 sm_90 text`.
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

/// The number of statements of a part: some tenths of a second of work.
const PART: usize = 2000;
/// The same for availability, of which each statement is asked at dozens of versions and targets.
const FLOORS_PART: usize = 50;

/// What the files in `folder` record, in parts.
fn parts<T: Clone>(folder: &str, read: impl Fn(&Path) -> Vec<T>, size: usize) -> Vec<Vec<T>> {
    files(folder).iter().flat_map(|path| read(path).chunks(size).map(<[T]>::to_vec).collect::<Vec<_>>()).collect()
}

/// All current disagreements on statements and availability, computed on all cores, and the number of records.
fn now() -> (usize, BTreeSet<String>) {
    let statements = ["verdicts", "variants"].map(|folder| parts(folder, |path| parse(&unpacked(path)), PART)).concat();
    let read_floors = |path: &Path| floors::parse(&fs::read_to_string(path).expect("recorded floors"));
    let availability = parts("floors", read_floors, FLOORS_PART);
    let count = statements.iter().map(Vec::len).sum::<usize>() + availability.iter().map(Vec::len).sum::<usize>();
    // All threads take parts from one queue, so that none is idle while another has a long file left.
    let next = AtomicUsize::new(0);
    let lane = || {
        let mut found = BTreeSet::new();
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if let Some(part) = statements.get(part) {
                found.extend(disagreements(part));
            } else if let Some(part) = availability.get(part - statements.len()) {
                found.extend(floors::differences(part));
            } else {
                return found;
            }
        }
    };
    let lanes = thread::available_parallelism().map_or(1, usize::from);
    let all = thread::scope(|scope| {
        let threads: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a lane ends")).collect()
    });
    (count, all)
}

#[test]
fn recorded_verdicts_and_floors_are_ours() {
    let (count, now) = now();
    assert!(count > 100_000, "only {count} statements are recorded");
    let list = fs::read_to_string(oracle().join("known-disagreements.txt")).expect("the list of disagreements");
    let mut known = BTreeSet::new();
    for line in list.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let (statement, reason) = line.split_once('\t').unwrap_or((line, ""));
        assert!(!reason.trim_matches('?').is_empty(), "a disagreement without a reason: {line}");
        known.insert(statement.to_owned());
    }
    let new: Vec<&String> = now.difference(&known).collect();
    assert!(new.is_empty(), "{} new disagreements with the assembler, ours first:\n{}", new.len(), join(&new));
    let gone: Vec<&String> = known.difference(&now).collect();
    assert!(gone.is_empty(), "these agree now: take them out of known-disagreements.txt\n{}", join(&gone));
}

fn join(lines: &[&String]) -> String {
    lines.iter().take(40).map(|s| s.as_str()).collect::<Vec<_>>().join("\n")
}
