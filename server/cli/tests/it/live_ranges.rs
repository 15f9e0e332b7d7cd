//! Splitting the live ranges of reused registers, one after the other: the module gets no new diagnostics, and every
//! launch still meets its expectations.

use crate::cli::run_with;
use ptx_analysis::{Analyzer, Severity};
use ptx_ide::{apply, assists};
use ptx_syntax::Snapshot;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Maximum number of live ranges to split per file; each one requires a check of the whole file.
const MAX_SPLITS: usize = 40;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let mut out: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    out.retain(|p| p.extension().is_some_and(|e| e == "ptx"));
    out.sort();
    out
}

/// The codes of all diagnostics of a text, including flow lints, in order. An error has its message too.
fn codes(text: &str) -> Vec<String> {
    let snapshot = Snapshot::new(text);
    let mut analyzer = Analyzer::default();
    let mut found = analyzer.analyze(&snapshot).diagnostics;
    found.extend(analyzer.lints(&snapshot, &|| false).unwrap_or_default());
    let shown = |d: &ptx_analysis::Diagnostic| match d.severity {
        Severity::Error => format!("{}: {}", d.code(), d.message()),
        _ => d.code().to_string(),
    };
    let mut out: Vec<String> = found.iter().map(shown).collect();
    out.sort();
    out
}

/// The words of a line that may be names, with their offsets.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || "%_$".contains(c));
    let mut at = 0;
    line.split(is_end).filter_map(move |word| {
        let start = at;
        at += word.len() + 1;
        (!word.is_empty()).then_some((start, word))
    })
}

/// Offsets of names that are the first operand of at least two instructions, so that they may be written twice.
fn reused(text: &str) -> Vec<usize> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    for line in text.lines() {
        let statement = line.split("//").next().unwrap_or("").trim();
        let statement = match statement.strip_prefix('@') {
            Some(guarded) => guarded.split_once(' ').map_or("", |(_, rest)| rest.trim_start()),
            None => statement,
        };
        let operands = statement.split_once([' ', '\t']).map_or("", |(_, rest)| rest.trim_start());
        let end = if operands.starts_with('{') { operands.find('}') } else { operands.find(',') };
        for (_, word) in words(&operands[..end.unwrap_or(0)]) {
            *first.entry(word).or_default() += 1;
        }
    }
    let mut out = Vec::new();
    let mut base = 0;
    for line in text.split_inclusive('\n') {
        let known = words(line).filter(|(_, word)| first.get(word).is_some_and(|n| *n > 1));
        out.extend(known.map(|(at, _)| base + at));
        base += line.len();
    }
    out
}

/// Gives every live range of every reused register its own name, one after the other. Returns the text and the number
/// of splits.
fn split(name: &str, text: &str) -> (String, usize) {
    let before = codes(text);
    let mut text = text.to_owned();
    let mut count = 0;
    let mut from = 0;
    while count < MAX_SPLITS {
        let snapshot = Snapshot::new(&text);
        let places: Vec<usize> = reused(&text).into_iter().filter(|at| *at >= from).collect();
        let found = places.into_iter().find_map(|at| {
            let assist = assists(&snapshot, at..at).into_iter().find(|a| a.id == "name-live-range")?;
            Some((at, assist))
        });
        let Some((at, assist)) = found else { break };
        text = apply(&text, &assist.edits);
        let after = codes(&text);
        assert_eq!(after, before, "{name}: {}", assist.title);
        count += 1;
        from = at;
    }
    (text, count)
}

/// A kernel that reuses registers across branches, loops, guards and vectors.
const REUSED: &str = "\
.version 8.0
.target sm_80
.address_size 64
//! launch: grid=1 block=4 out=u32[12]:zero
//! expect: out[0]=10 out[1]=11 out[2]=13 out[3]=16 out[4]=7 out[5]=9 out[6]=7 out[7]=9 out[8]=3 out[11]=6
.visible .entry again(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    mov.u32 %r2, 10;
LOOP:
    add.u32 %r2, %r2, %r1;
    sub.u32 %r1, %r1, 1;
    setp.gt.s32 %p1, %r1, 0;
    @%p1 bra LOOP;
    st.global.u32 [%rd1], %r2;
    mov.u32 %r1, %tid.x;
    and.b32 %r1, %r1, 1;
    setp.eq.u32 %p1, %r1, 1;
    mov.u32 %r2, 7;
    @%p1 mov.u32 %r2, 9;
    st.global.u32 [%rd1+16], %r2;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra ZERO;
    add.u32 %r2, %r1, 3;
    bra DONE;
ZERO:
    mov.u32 %r2, 3;
DONE:
    st.global.u32 [%rd1+32], %r2;
    ret;
}
";

#[test]
fn splitting_keeps_programs() {
    let folder = tempfile::tempdir().unwrap();
    let mut names = vec!["eval".to_owned()];
    let mut all = 0;
    let kernels = files("kernels").into_iter().map(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    });
    for (name, text) in kernels.chain([("again.ptx".to_owned(), REUSED.to_owned())]) {
        let (text, count) = split(&name, &text);
        all += count;
        if name == "again.ptx" {
            assert!(count >= 6, "{text}");
        }
        if count > 0 && text.contains("//! launch:") {
            std::fs::write(folder.path().join(&name), text).unwrap();
            names.push(name);
        }
    }
    assert!(all >= 20, "only {all} lives were taken apart");
    let arguments: Vec<&str> = names.iter().map(String::as_str).collect();
    let output = run_with(folder.path(), &arguments, b"");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}\n{err}");
}
