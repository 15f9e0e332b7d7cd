//! The notation can say the hard cases: instructions that the product's tables do not check yet are declared in
//! `server/isa/tests/hard-cases.isa`, and each line of `hard-cases.txt` gets the assembler's verdict (PTX 9.1, sm_100a).

use ptx_analysis::{Analyzer, Severity};
use ptx_isa::compiler::compile;
use ptx_isa::tables::{Entry, Isa, Opcode};
use ptx_syntax::Snapshot;
use ptx_tests::snippets::declarations;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn isa_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/isa")
}

fn read(path: &Path) -> (String, String) {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    (path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned()), text)
}

/// The product's tables with the fixture's instructions in place of those that are only known by name.
fn tables() -> &'static Isa {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(isa_folder().join("data")).expect("data files").flatten().map(|e| e.path()).collect();
    paths.sort();
    paths.push(isa_folder().join("tests/hard-cases.isa"));
    let files: Vec<(String, String)> = paths.iter().map(|p| read(p)).collect();
    let isa = compile(&files).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let checked: BTreeSet<&str> = entries(&isa).filter(|e| e.checked).map(|e| e.name).collect();
    let opcodes = isa.opcodes.iter().map(|opcode| {
        let kept: Vec<Entry> =
            opcode.entries.iter().filter(|e| e.checked || !checked.contains(e.name)).copied().collect();
        Opcode { name: opcode.name, entries: Box::leak(kept.into_boxed_slice()) }
    });
    let opcodes: Vec<Opcode> = opcodes.collect();
    Box::leak(Box::new(Isa { opcodes: Box::leak(opcodes.into_boxed_slice()), ..isa }))
}

fn entries(isa: &Isa) -> impl Iterator<Item = &'static Entry> {
    isa.opcodes.iter().flat_map(|o| o.entries)
}

#[test]
fn each_hard_case_gets_the_assemblers_verdict() {
    let (_, text) = read(&isa_folder().join("tests/hard-cases.txt"));
    let cases: Vec<(&str, &str)> =
        text.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once(' ')).collect();
    assert!(cases.len() > 80, "only {} cases", cases.len());
    let head = format!(".version 9.1\n.target sm_100a\n.address_size 64\n{}\n", declarations("9.1", "sm_100a"));
    let lines: String = cases.iter().map(|(_, snippet)| format!("{{ {} }}\n", snippet.trim())).collect();
    let module = format!("{head}{lines}ret;\n}}\n");
    let snapshot = Snapshot::new(&module);
    let report = Analyzer::with_instructions(tables()).analyze(&snapshot);
    let first = head.matches('\n').count();
    let mut wrong = Vec::new();
    for (index, (verdict, snippet)) in cases.iter().enumerate() {
        let line = first + index;
        let on_line = |d: &&ptx_analysis::Diagnostic| {
            d.severity == Severity::Error && snapshot.rope().byte_to_line(d.range.start) == line
        };
        let error = report.diagnostics.iter().find(on_line);
        if (*verdict == "ERR") != error.is_some() {
            let ours = error.map_or("no error".to_owned(), |d| format!("[{}] {}", d.code, d.message));
            wrong.push(format!("{verdict} {snippet}: {ours}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_fixture_declares_what_the_tables_do_not() {
    let tables = tables();
    for name in ["mma", "tcgen05.mma", "cp.async.bulk.tensor", "mbarrier.arrive", "tex", "vadd"] {
        assert!(entries(tables).any(|e| e.name == name && e.checked), "{name} is not declared");
    }
}
