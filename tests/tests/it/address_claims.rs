//! Runs contradict no claim about addresses: runs of the kernels in `tests/kernels`, and of generated ones.

#[path = "address_claims/check.rs"]
mod check;
#[path = "address_claims/generate.rs"]
mod generate;

use check::{Tally, all_addresses, module};
use std::path::Path;

/// The maximum number of warp instructions of a run.
const LIMIT: u64 = 3_000_000;

#[test]
fn runs_of_kernels_contradict_no_claim() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let mut tally = Tally::default();
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the kernels").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "ptx")) {
        let text = std::fs::read_to_string(path).expect("a kernel");
        let module = module(&text);
        let facts = all_addresses(&module);
        tally.count(&facts);
        let name = path.file_name().expect("a name").to_string_lossy();
        for launch in module.launches().0 {
            tally.run(&name, &module, &facts, launch, LIMIT);
        }
    }
    assert!(tally.contradictions.is_empty(), "{}", tally.contradictions.join("\n"));
    println!("{}", tally.summary());
    assert!(tally.runs >= 20 && tally.checked > 1_000 && tally.reached.len() > 50, "{}", tally.summary());
}

/// The seeds of generated kernels.
const SEEDS: std::ops::Range<u64> = 1000..1800;

#[test]
fn runs_of_generated_kernels_contradict_no_claim() {
    let mut tally = Tally::default();
    for seed in SEEDS {
        let text = generate::kernel(seed);
        let module = module(&text);
        let errors: Vec<String> = module.errors.iter().map(|e| e.message()).collect();
        assert!(errors.is_empty(), "seed {seed}: {errors:?}\n{text}");
        let facts = all_addresses(&module);
        tally.count(&facts);
        let (launches, mistakes) = module.launches();
        assert!(mistakes.is_empty() && launches.len() == 1, "seed {seed}: {mistakes:?}");
        let before = tally.runs;
        for launch in launches {
            tally.run(&format!("seed {seed}"), &module, &facts, launch, LIMIT);
        }
        assert!(tally.runs > before, "seed {seed} does not run");
    }
    assert!(tally.contradictions.is_empty(), "{}", tally.contradictions.join("\n"));
    println!("{}", tally.summary());
    assert!(tally.with_traffic > 2_000 && tally.checked > 20_000 && tally.full > 5_000, "{}", tally.summary());
}
