//! Replays the recorded mutants: `mutants [--list] [--names] [--kinds] [--opcodes] [CORPUS]`.
//!
//! With a folder of real-world files, it replays `tests/oracle/mutants/corpus.txt.gz`; without one, the mutants of our
//! own files and the generated declarations and headers (`modules.txt.gz`). `--list` prints three groups: mutants with a different verdict of the assembler, mutants with errors on
//! other lines, and mutants with more errors than the assembler's. `--names` prints only the first group, by the names
//! that `known-mutants.txt` uses.

use ptx_tests::mutants::{Figures, Judged, read};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn main() {
    let (flags, folders): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let flag = |name: &str| flags.iter().any(|f| f == name);
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let record = |name: &str| tests.join("oracle/mutants").join(name);
    let (records, folder) = match folders.first() {
        Some(folder) => (vec![record("corpus.txt.gz")], PathBuf::from(folder)),
        None => (vec![record("own.txt.gz"), record("modules.txt.gz")], tests.to_path_buf()),
    };
    let (mut judged, mut stale) = (Vec::new(), 0);
    for base in records.iter().flat_map(|path| read(path)) {
        match base.text(&folder) {
            Some(text) => judged.extend(base.replay(&text)),
            None => stale += base.mutants.len(),
        }
    }
    if flag("--list") {
        judged.iter().for_each(print);
    }
    if flag("--names") {
        judged.iter().filter(|j| !j.agrees()).for_each(|j| println!("{}", j.name()));
        return;
    }
    if flag("--kinds") {
        table(&judged, |j| j.mutant.kind.as_str());
    }
    if flag("--opcodes") {
        table(&judged, Judged::subject);
    }
    println!("{}", Figures::of(&judged));
    if stale > 0 {
        println!("{stale} mutants left out: their files are gone or have changed");
    }
}

fn print(judged: &Judged) {
    let what = if !judged.agrees() {
        if judged.mutant.accepted { "FALSE" } else { "MISSED" }
    } else if judged.refused() && !judged.placed() {
        "ELSEWHERE"
    } else if judged.refused() && judged.surplus() > 0 {
        "SEVERAL"
    } else {
        return;
    };
    let errors: Vec<String> =
        judged.errors.iter().take(4).map(|(line, code, m)| format!("{line}: [{code}] {m}")).collect();
    let (mutant, text) = (&judged.mutant, judged.text.trim());
    let lines: Vec<String> = mutant.lines.iter().map(usize::to_string).collect();
    println!(
        "{what}\t{}:{}\t{}\t{text}\t{}\t{}: {}",
        judged.path,
        mutant.line,
        mutant.kind,
        lines.join(","),
        judged.surplus(),
        errors.join(" | ")
    );
}

fn table(judged: &[Judged], key: impl Fn(&Judged) -> &str) {
    let mut groups: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    for one in judged {
        groups.entry(key(one)).or_default().push(one);
    }
    for (name, group) in groups {
        println!("{name:<24} {}", Figures::of(group));
    }
    println!();
}
