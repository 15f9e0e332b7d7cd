//! The hard cases of the notation: our verdict on each line of `oracle/hard-cases.txt` equals the assembler's (PTX 9.1,
//! sm_100a).

use ptx_tests::snippets::judge;
use std::fs;
use std::path::Path;

#[test]
fn each_hard_case_gets_the_assemblers_verdict() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/hard-cases.txt");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let cases: Vec<(&str, &str)> =
        text.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once(' ')).collect();
    assert!(cases.len() > 80, "only {} cases", cases.len());
    let snippets: Vec<&str> = cases.iter().map(|(_, snippet)| snippet.trim()).collect();
    let mut wrong = Vec::new();
    for ((verdict, snippet), ours) in cases.iter().zip(judge("9.1", "sm_100a", &snippets)) {
        if (*verdict == "ERR") != ours.is_some() {
            wrong.push(format!("{verdict} {}: {}", snippet.trim(), ours.unwrap_or_else(|| "no error".to_owned())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
