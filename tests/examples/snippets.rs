//! The tool of the conformance suite. NAME is an entry (`cp.async`), an opcode or a family; without names the tool
//! takes all.
//!
//! - `snippets cases [NAME…]`: prints the suite's cases, `VERSION TARGET STATEMENT`. Cases that the tables call legal
//!   come first, after a line `# legal`; negative cases follow after `# near`.
//! - `snippets judge`: reads such lines and prints our verdict before each, and the message after it.
//! - `snippets built`: the same for code generation: `OK`, `ERR` (refused) or `DIE` (the assembler crashes).
//! - `snippets forms [NAME…]`: prints two statements for each operand variant of each form, after the data line of the form and a tab.
//! - `snippets representatives [NAME…]`: prints the statements whose availability is measured; `snippets targets`:
//!   prints the targets; `snippets families`: prints the names of the families.
//! - `snippets floors`: reads recorded availability and prints where ours differs.

use ptx_isa::ISA;
use ptx_isa::tables::Entry;
use ptx_tests::{floors, snippets, suite};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let names = arguments.get(1..).unwrap_or(&[]);
    match arguments.first().map(String::as_str) {
        Some("cases") => {
            let (mut legal, mut near) = (BTreeSet::new(), BTreeSet::new());
            for entry in entries(names) {
                let (good, mut missed) = suite::statements(entry);
                let (cases, homeless) = suite::at_home(&good);
                missed.extend(homeless);
                near.extend(suite::near_home(entry, &cases, missed));
                legal.extend(cases);
            }
            near.retain(|case| !legal.contains(case));
            for (heading, cases) in [("# legal", legal), ("# near", near)] {
                println!("{heading}");
                cases.iter().for_each(|(version, target, text)| println!("{version} {target} {text}"));
            }
        }
        Some("representatives") => {
            let all: BTreeSet<String> = entries(names).flat_map(suite::representatives).collect();
            all.iter().for_each(|s| println!("{s}"));
        }
        Some("forms") => forms(names),
        Some("families") => {
            let all: BTreeSet<&str> = entries(&[]).map(|e| e.family).collect();
            all.iter().for_each(|f| println!("{f}"));
        }
        Some("targets") => {
            floors::targets().iter().for_each(|t| println!("{t} {}", floors::versions(t).join(" ")));
        }
        Some("floors") => floors::differences(&floors::parse(&input())).iter().for_each(|l| println!("{l}")),
        Some("judge") => judge(&input()),
        Some("built") => built(&input()),
        _ => {
            eprintln!(
                "usage: snippets cases|representatives|forms [NAME…] | snippets judge|built|floors|targets|families"
            );
            std::process::exit(2);
        }
    }
}

fn forms(names: &[String]) {
    for entry in entries(names) {
        for (index, form) in entry.forms.iter().enumerate() {
            let (cases, _) = suite::at_home(&suite::statements_of(entry, form, index));
            let mut printed: BTreeMap<usize, usize> = BTreeMap::new();
            for (version, target, text) in cases {
                // Statements with the same number of commas have the same operands.
                let count = printed.entry(text.matches(", ").count()).or_default();
                *count += 1;
                if *count <= 2 {
                    println!("{}\t{version} {target} {text}", form.source);
                }
            }
        }
    }
}

fn entries(names: &[String]) -> impl Iterator<Item = &'static Entry> {
    let named = |e: &&Entry| {
        names.is_empty()
            || names.iter().any(|w| e.name == w || e.name.starts_with(&format!("{w}.")) || e.family == w.as_str())
    };
    ISA.opcodes.iter().flat_map(|o| o.entries).filter(|e| e.checked).filter(named)
}

fn input() -> String {
    let mut text = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut text) {
        eprintln!("standard input: {error}");
        std::process::exit(2);
    }
    text
}

/// The lines `VERSION TARGET TEXT` of a text by version and target: of each the index of its line, and the snippet.
fn by_target(text: &str) -> BTreeMap<(&str, &str), Vec<(usize, &str)>> {
    let mut groups: BTreeMap<(&str, &str), Vec<(usize, &str)>> = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let mut parts = line.splitn(3, ' ');
        let key = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        groups.entry(key).or_default().push((index, parts.next().unwrap_or("")));
    }
    groups
}

fn judge(text: &str) {
    let mut out: BTreeMap<usize, String> = BTreeMap::new();
    for ((version, target), lines) in by_target(text) {
        let texts: Vec<&str> = lines.iter().map(|l| l.1).collect();
        for ((index, text), verdict) in lines.iter().zip(snippets::judge(version, target, &texts)) {
            let word = if verdict.is_some() { "ERR" } else { "OK" };
            out.insert(*index, format!("{word} {version} {target} {text}\t{}", verdict.unwrap_or_default()));
        }
    }
    out.values().for_each(|line| println!("{line}"));
}

fn built(text: &str) {
    let mut out: BTreeMap<usize, String> = BTreeMap::new();
    for ((version, target), lines) in by_target(text) {
        for part in lines.chunks(snippets::BUILT_TOGETHER) {
            let texts: Vec<&str> = part.iter().map(|l| l.1).collect();
            for ((index, text), verdict) in part.iter().zip(snippets::built(version, target, &texts)) {
                out.insert(*index, format!("{} {version} {target} {text}", verdict.word()));
            }
        }
    }
    out.values().for_each(|line| println!("{line}"));
}
