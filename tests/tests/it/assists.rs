//! Assists keep the meaning: the kernels of `tests/kernels` compute the same after each.

use ptx_ide::{Assist, apply, assists};
use ptx_interp::machine::Settings;
use ptx_launch::evaluate::LaunchModule;
use ptx_syntax::Snapshot;
use std::collections::BTreeMap;
use std::path::Path;

/// Each kind of assist is tried at about so many places of a kernel.
const PLACES: usize = 6;

/// Kernels with more text take too long.
const MAX_TEXT: usize = 12_000;

/// What a module computes: for each launch, whether each expectation holds, and its faults.
fn results(text: &str) -> Vec<String> {
    let snapshot = Snapshot::new(text);
    let module = LaunchModule::new(&snapshot);
    let (launches, mistakes) = module.launches();
    assert!(mistakes.is_empty(), "{}", mistakes[0].message);
    let run = |launch| match module.evaluate(launch, Settings::default(), None, None, &|| false) {
        Err(error) => format!("{error:?}"),
        Ok(run) => {
            let verdicts: Vec<String> =
                run.verdicts.iter().map(|v| format!("{} {} {:?}", v.name, v.ok, v.message)).collect();
            format!("{verdicts:?}, {} faults", run.faults().len())
        }
    };
    launches.into_iter().map(run).collect()
}

/// The assists of a text by kind: at the beginning of each line and at each register in it.
fn offered(text: &str) -> BTreeMap<&'static str, Vec<Assist>> {
    let snapshot = Snapshot::new(text);
    let mut out: BTreeMap<&'static str, Vec<Assist>> = BTreeMap::new();
    let mut before = '\n';
    for (at, character) in text.char_indices() {
        let begins_word = !character.is_whitespace() && (before.is_whitespace() || "[{(-".contains(before));
        before = character;
        if !begins_word || character == '/' {
            continue;
        }
        for assist in assists(&snapshot, at..at).into_iter().filter(|assist| assist.disabled.is_none()) {
            let known = out.entry(assist.id).or_default();
            if known.iter().all(|other| other.edits != assist.edits) {
                known.push(assist);
            }
        }
    }
    out
}

#[test]
fn kernels_compute_the_same_after_each_assist() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("kernels").map(|e| e.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "ptx"));
    files.sort();
    let mut tried: BTreeMap<&'static str, usize> = BTreeMap::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a kernel");
        if text.len() > MAX_TEXT || !text.contains("//! expect:") {
            continue;
        }
        let before = results(&text);
        for (id, all) in offered(&text) {
            let step = all.len().div_ceil(PLACES);
            for assist in all.iter().step_by(step) {
                let after = apply(&text, &assist.edits);
                assert_eq!(results(&after), before, "{}: {}\n{after}", path.display(), assist.title);
                *tried.entry(id).or_default() += 1;
            }
        }
    }
    for id in ["convert-immediate", "swap-operands", "name-register"] {
        assert!(tried.get(id).is_some_and(|number| *number >= 20), "{id}: {tried:?}");
    }
}
