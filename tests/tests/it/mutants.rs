//! Our verdicts on mutants of our own files and on generated declarations and headers, compared with the recorded ones of NVIDIA's assembler. The test also
//! measures how well our errors agree with the assembler's in number and position.

use ptx_tests::mutants::{Base, Figures, Judged, read};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// The mutants of unchanged files with our verdicts, computed on all cores, and the number of all mutants.
fn judged() -> (Vec<Judged>, usize) {
    let records = ["own.txt.gz", "modules.txt.gz"].map(|name| tests().join("oracle/mutants").join(name));
    let bases: Vec<Base> = records.iter().flat_map(|path| read(path)).collect();
    let all = bases.iter().map(|b| b.mutants.len()).sum();
    let lanes = thread::available_parallelism().map_or(1, usize::from);
    let replay = |base: &Base| base.text(&tests()).map_or_else(Vec::new, |text| base.replay(&text));
    let judged = thread::scope(|scope| {
        let lane = |lane: usize| {
            let mine: Vec<&Base> = bases.iter().skip(lane).step_by(lanes).collect();
            scope.spawn(move || mine.into_iter().flat_map(replay).collect::<Vec<_>>())
        };
        let threads: Vec<_> = (0..lanes).map(lane).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a lane ends")).collect()
    });
    (judged, all)
}

/// The known disagreements: the name of a mutant, with the reason.
fn known() -> BTreeMap<String, String> {
    let list = fs::read_to_string(tests().join("oracle/known-mutants.txt")).expect("the list of disagreements");
    let lines = list.lines().filter(|l| !l.starts_with('#') && !l.is_empty());
    lines
        .map(|line| {
            let (name, reason) = line.split_once('\t').unwrap_or((line, ""));
            assert!(!reason.trim_matches('?').is_empty(), "a disagreement without a reason: {line}");
            (name.to_owned(), reason.to_owned())
        })
        .collect()
}

#[test]
fn the_assembler_and_we_agree_on_mutants() {
    let (judged, all) = judged();
    assert!(judged.len() * 10 >= all * 8, "{} of {all} mutants are left: record again", judged.len());
    let figures = Figures::of(&judged);
    let now: BTreeSet<String> = judged.iter().filter(|j| !j.agrees()).map(Judged::name).collect();
    let known = known();
    let new: Vec<&str> = now.iter().filter(|n| !known.contains_key(*n)).map(String::as_str).collect();
    assert!(new.is_empty(), "{} new disagreements with the assembler, ours first:\n{}", new.len(), join(&new));
    // Verdicts on a changed file are outdated, so ignore its mutants.
    let there: BTreeSet<&str> = judged.iter().map(|j| j.path.as_str()).collect();
    let path =
        |name: &str| name.split(' ').nth(1).and_then(|place| place.rsplit_once(':')).map(|(path, _)| path.to_owned());
    let gone = |name: &&str| !now.contains(*name) && path(name).is_some_and(|p| there.contains(p.as_str()));
    let gone: Vec<&str> = known.keys().map(String::as_str).filter(gone).collect();
    assert!(gone.is_empty(), "these agree now: take them out of known-mutants.txt\n{}", join(&gone));
    assert!(figures.agreement() >= 99.5, "{figures}");
    assert!(figures.placement() >= 98.0, "{figures}");
    assert!(figures.errors_each() <= 1.2, "{figures}");
}

fn join(lines: &[&str]) -> String {
    lines.iter().take(40).copied().collect::<Vec<_>>().join("\n")
}
