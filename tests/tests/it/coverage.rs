//! docs/dev/isa-coverage.md is generated from the tables and the recorded verdicts. `UPDATE_EXPECT=1 cargo test -p
//! ptx-tests --test it coverage` writes it.

use expect_test::expect_file;
use flate2::read::GzDecoder;
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, GateKind, Version};
use ptx_tests::floors;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::Path;

fn entries() -> impl Iterator<Item = &'static Entry> {
    ISA.opcodes.iter().flat_map(|o| o.entries)
}

/// Recorded cases of a family: `# legal` and `# near`, each a list of `OK|ERR VERSION TARGET STATEMENT`.
fn recorded(family: &str) -> [Vec<String>; 2] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/verdicts").join(format!("{family}.txt.gz"));
    let mut text = String::new();
    if let Ok(file) = fs::File::open(&path) {
        GzDecoder::new(file).read_to_string(&mut text).expect("a compressed text");
    }
    let (legal, near) = text.split_once("# near\n").unwrap_or((&text, ""));
    [legal, near].map(|part| part.lines().filter(|l| !l.starts_with('#')).map(str::to_owned).collect())
}

fn floors_of(family: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/floors").join(format!("{family}.txt"));
    floors::parse(&fs::read_to_string(path).unwrap_or_default()).into_iter().map(|f| f.0).collect()
}

/// The statements on which we and the assembler are known to differ, with the assembler's verdict first.
fn disagreements() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/known-disagreements.txt");
    let text = fs::read_to_string(path).expect("the list of disagreements");
    let theirs = |line: &str| match line.split_once(' ') {
        Some(("OK", rest)) => format!("ERR {rest}"),
        Some((_, rest)) => format!("OK {rest}"),
        None => line.to_owned(),
    };
    text.lines().filter(|l| !l.starts_with('#')).map(|l| theirs(l.split('\t').next().unwrap_or(l))).collect()
}

/// The lowest PTX version that supports a form of the entry.
fn since(entry: &Entry) -> Version {
    let first = |form: &ptx_isa::tables::Form| {
        let needs = form.gates.iter().filter(|g| g.kind == GateKind::Needs && g.when.is_empty());
        needs.filter_map(|g| g.alternatives.iter().filter_map(|a| a.ptx).min()).max()
    };
    let oldest = Version { major: 1, minor: 0 };
    entry.forms.iter().map(|f| first(f).unwrap_or(oldest)).min().unwrap_or(oldest)
}

fn agreement(good: usize, all: usize) -> String {
    if all == 0 { "–".to_owned() } else { format!("{:.2} %", 100.0 * good as f64 / all as f64) }
}

#[test]
fn the_coverage_page_is_true() {
    let mut families: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in entries() {
        families.entry(entry.family).or_default().push(entry);
    }
    let known = disagreements();
    let differs = |line: &String| known.contains(line);
    let mut rows = String::new();
    let mut total = [0usize; 6];
    for (family, entries) in &families {
        let [legal, near] = recorded(family);
        let floors = floors_of(family);
        let taken = legal.iter().filter(|l| l.starts_with("OK")).count();
        let agreeing = near.iter().filter(|l| !differs(l)).count();
        let forms: usize = entries.iter().map(|e| e.forms.len()).sum();
        for (sum, n) in total.iter_mut().zip([forms, legal.len(), taken, near.len(), agreeing, floors.len()]) {
            *sum += n;
        }
        let _ = writeln!(
            rows,
            "| {} | {} | {forms} | {} | {} | {} | {} | {} |",
            entries[0].family_title,
            entries.len(),
            legal.len(),
            agreement(taken, legal.len()),
            near.len(),
            agreement(agreeing, near.len()),
            floors.len(),
        );
    }
    let documented = entries().count()
        + ISA.modifiers.len()
        + ISA.types.len()
        + ISA.spaces.len()
        + ISA.special_registers.len()
        + ISA.directives.len()
        + ISA.constants.len()
        + ISA.targets.len()
        + ISA.versions.len()
        + entries().map(|e| e.modifiers.len() + e.operands.len()).sum::<usize>();
    let unchecked: Vec<&str> = entries().filter(|e| !e.checked).map(|e| e.name).collect();
    let mut out = format!(
        "# What of PTX is covered\n\n\
         Made from the tables and the recorded verdicts (`UPDATE_EXPECT=1 cargo test -p ptx-tests --test it coverage`); do not edit.\n\n\
         {} opcodes in {} instructions with {} forms; {} modifiers, {} types, {} state spaces, {} special registers, {} directives \
         and pragmas, {} targets, PTX {} to {}. {documented} items have documentation.\n\n\
         | | Instructions | Forms | Legal cases | accepted | Near misses | same verdict | Floors |\n|---|--:|--:|--:|--:|--:|--:|--:|\n{rows}\
         | **All** | {} | {} | {} | {} | {} | {} | {} |\n\n\
         *Legal cases*: every combination of modifiers that the tables call legal (where a form has more than 5,000: every pair of values), with each \
         variant of operands, asked of NVIDIA's assembler at a version and target that have it. *Near misses*: such a statement with something \
         dropped, added, exchanged, moved or of the wrong kind. *Floors*: statements whose lowest version (from PTX 1.4 on) was measured on every \
         target. Where we differ is listed with reasons in tests/oracle/known-disagreements.txt ({} lines, floors and older versions included).\n\n",
        ISA.opcodes.len(),
        entries().count(),
        total[0],
        ISA.modifiers.len(),
        ISA.types.len(),
        ISA.spaces.len(),
        ISA.special_registers.len(),
        ISA.directives.len(),
        ISA.targets.len(),
        ISA.versions[0].version,
        ISA.newest(),
        entries().count(),
        total[0],
        total[1],
        agreement(total[2], total[1]),
        total[3],
        agreement(total[4], total[3]),
        total[5],
        known.len(),
    );
    if !unchecked.is_empty() {
        let _ = writeln!(out, "Known by name and documented, but not checked: {}.\n", unchecked.join(", "));
    }
    out.push_str("## What could not be established\n\n");
    for entry in entries() {
        for text in entry.unsettled {
            let _ = writeln!(out, "- `{}`: {}", entry.name, text.replace('\n', " "));
        }
    }
    out.push_str("\n## Instructions\n");
    for entries in families.values() {
        let _ = write!(out, "\n### {}\n\n| | | Forms | Since PTX |\n|---|---|--:|--:|\n", entries[0].family_title);
        for entry in entries {
            let summary = entry.summary.replace('|', "\\|");
            let _ = writeln!(out, "| `{}` | {summary} | {} | {} |", entry.name, entry.forms.len(), since(entry));
        }
    }
    expect_file!["../../../docs/dev/isa-coverage.md"].assert_eq(&out);
}
