//! What hovers on modifiers claim about edits of accepted statements, judged by our checks and the recorded verdicts of the suite.
//!
//! `cargo run --release -p ptx-tests --example hover_claims [STEP [SAMPLE]]` hovers every STEP-th accepted statement and prints the
//! counts, then the claims that are refused. With SAMPLE it prints that many of the claims whose verdict is not recorded, half of
//! each kind, as lines for `tests/oracle/ask.py`, which asks the assembler about them: `VERSION TARGET STATEMENT`.

use ptx_tests::claims::{ClaimKind, judged};
use ptx_tests::snippets::{Judged, parse};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let step: usize = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(1);
    let sample: Option<usize> = arguments.next().and_then(|s| s.parse().ok());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/verdicts");
    let mut recorded: Vec<Judged> = Vec::new();
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("the verdicts").flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        let mut text = String::new();
        let file = std::fs::File::open(path).expect("a file");
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("text");
        recorded.extend(parse(&text));
    }
    let (statements, claims) = judged(&recorded, step);
    eprintln!("{statements} statements, {} claims", claims.len());
    for kind in [ClaimKind::LeftOut, ClaimKind::Alternative] {
        let of_kind = || claims.iter().filter(|c| c.claim.kind == kind);
        let refused = of_kind().filter(|c| c.refusal.is_some()).count();
        let mut counts: BTreeMap<Option<bool>, usize> = BTreeMap::new();
        of_kind().for_each(|c| *counts.entry(c.recorded).or_default() += 1);
        let count = |verdict| counts.get(&verdict).copied().unwrap_or(0);
        eprintln!(
            "{kind:?}: {} claims; {refused} refused by the checks; recorded: {} accepted, {} refused, {} not recorded",
            of_kind().count(),
            count(Some(true)),
            count(Some(false)),
            count(None)
        );
    }
    for c in claims.iter().filter(|c| c.refusal.is_some() || c.recorded == Some(false)).take(200) {
        eprintln!(
            "  {:?} `{}` {} {} {}: {:?}",
            c.claim.kind, c.claim.modifier, c.version, c.target, c.claim.edited, c.refusal
        );
    }
    if let Some(sample) = sample {
        let kinds = [ClaimKind::LeftOut, ClaimKind::Alternative];
        for kind in kinds {
            let mut of_kind: Vec<_> = claims.iter().filter(|c| c.claim.kind == kind && c.recorded.is_none()).collect();
            of_kind.sort_by_key(|c| &c.claim.edited);
            let every = (of_kind.len() * kinds.len()).div_ceil(sample.max(1)).max(1);
            for c in of_kind.into_iter().step_by(every) {
                println!("{} {} {}", c.version, c.target, c.claim.edited);
            }
        }
    }
}
