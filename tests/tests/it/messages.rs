//! docs/dev/messages.md shows what the checks say of typical mistakes beside what the assembler says. It is generated here.

use ptx_tests::mistakes::{answers, page, parse};
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn the_page_of_messages_is_up_to_date() {
    let (list, record) = (read("oracle/mistakes.txt"), read("oracle/mistakes-answers.txt"));
    let count = parse(&list).len();
    assert!(count >= 150, "only {count} mistakes");
    let made =
        page(&list, &record).unwrap_or_else(|e| panic!("{e}: ask the assembler again (tests/oracle/messages.py)"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/dev/messages.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &made).expect("the page can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, made, "make the page again: UPDATE=1 cargo test -p ptx-tests --test it messages");
}

/// Fixes are worth offering only if the assembler accepts them.
#[test]
fn the_assembler_accepts_the_fixes() {
    let record = answers(&read("oracle/mistakes-answers.txt"));
    let fixes: Vec<bool> = record.values().flat_map(|a| a.fixes.iter().map(|(_, accepted)| *accepted)).collect();
    let accepted = fixes.iter().filter(|a| **a).count();
    assert!(fixes.len() >= 200, "only {} fixes", fixes.len());
    assert!(accepted * 100 >= fixes.len() * 99, "{accepted} of {}", fixes.len());
}
