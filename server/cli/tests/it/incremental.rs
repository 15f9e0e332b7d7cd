//! Incremental analysis, tested below the protocol: cached results do not change the diagnostics.

use crate::ordering::Model;
use ptx_analysis::{Analyzer, Diagnostic};
use ptx_syntax::{Document, Snapshot};

/// A description of the first difference, if there is one.
fn difference(remembered: &[Diagnostic], fresh: &[Diagnostic]) -> Option<String> {
    let length = remembered.len().max(fresh.len());
    let at = (0..length).find(|i| remembered.get(*i) != fresh.get(*i))?;
    Some(format!("remembered {:#?}\nfresh {:#?}", remembered.get(at), fresh.get(at)))
}

/// Applies random edits. The error names the edit after which the diagnostics differ.
fn run(seed: u64, edits: usize) -> Result<(), String> {
    let mut model = Model::new(seed);
    let mut document = Document::new(&model.text);
    let mut analyzer = Analyzer::default();
    for number in 0..edits {
        let (range, new) = model.edit();
        let before = model.text.clone();
        model.text.replace_range(range.clone(), new);
        document.edit(range.clone(), new);
        let snapshot = document.snapshot();
        assert_eq!(snapshot.rope().to_string(), model.text);
        let remembered = analyzer.analyze(&snapshot).diagnostics;
        if let Some(d) = difference(&remembered, &Analyzer::default().analyze(&Snapshot::new(&model.text)).diagnostics)
        {
            let parsed = difference(&remembered, &Analyzer::default().analyze(&snapshot).diagnostics).is_none();
            let cause = if parsed { "the tree differs from a fresh one" } else { "the tree is the same" };
            return Err(format!("seed {seed}, edit {number}: {range:?} of\n{before:?}\nbecomes {new:?}\n{cause}: {d}"));
        }
    }
    Ok(())
}

#[test]
fn remembered_findings_equal_fresh_ones() {
    let failed: Vec<String> = (0..16).filter_map(|seed| run(seed, 300).err()).collect();
    for failure in failed.iter().take(5) {
        eprintln!("{failure}\n");
    }
    assert!(failed.is_empty(), "{} of 16 seeds", failed.len());
}
