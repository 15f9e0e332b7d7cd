//! What hovers on modifiers claim is true: the checks accept each edited statement, and so does the assembler wherever its verdict
//! is recorded. The example `hover_claims` does the same for all statements, and asks the assembler about the others.

use crate::verdicts::{files, unpacked};
use ptx_tests::claims::{ClaimKind, judged};
use ptx_tests::snippets::parse;

/// Every which accepted statement is hovered.
const STEP: usize = 71;

#[test]
fn claims_of_hovers_are_accepted() {
    let recorded: Vec<_> = files("verdicts").iter().flat_map(|path| parse(&unpacked(path))).collect();
    let (statements, claims) = judged(&recorded, STEP);
    assert!(statements > 1_500, "{statements}");
    let count = |kind| claims.iter().filter(|c| c.claim.kind == kind).count();
    assert!(count(ClaimKind::LeftOut) > 1_500, "{}", count(ClaimKind::LeftOut));
    assert!(count(ClaimKind::Alternative) > 4_000, "{}", count(ClaimKind::Alternative));
    let is_recorded = claims.iter().filter(|c| c.recorded.is_some()).count();
    assert!(is_recorded > 4_000, "{is_recorded}");
    let wrong: Vec<String> = claims
        .iter()
        .filter(|c| c.refusal.is_some() || c.recorded == Some(false))
        .map(|c| format!("{:?} `{}`: {} {} {}", c.claim.kind, c.claim.modifier, c.version, c.target, c.claim.edited))
        .collect();
    let shown: Vec<&str> = wrong.iter().map(String::as_str).take(40).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), claims.len(), shown.join("\n"));
}
