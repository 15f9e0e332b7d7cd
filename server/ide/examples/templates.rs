//! Counts whole mnemonics in real files, for `server/isa/data/templates.tsv` (docs/dev/usage.md).
//!
//! `cargo run -p ptx-ide --example templates -- FOLDER… > server/isa/data/templates.tsv`
//!
//! Each folder is one project. A mnemonic weighs as its share of the instructions of a file, averaged over the files of a
//! project and summed over projects: neither a long file nor a project with many files dominates. It is written as the tables
//! have it: modifiers in the order of the form, those that the manual requires included. What the tables do not offer is left out.

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

#[path = "reading/mod.rs"]
mod reading;

use ptx_ide::usage::notation;
use ptx_isa::ISA;
use std::collections::BTreeMap;

/// The mnemonics with the largest weights that are kept.
const MAX_OVERALL: usize = 160;
/// The mnemonics of each instruction that are kept, however light: the first of its forms that anybody wrote.
const MAX_OF_INSTRUCTION: usize = 6;
/// The weight of all instructions of one project.
const SCALE: f64 = 10_000.0;

/// How often a mnemonic was met.
#[derive(Debug, Clone, Copy, Default)]
struct MnemonicCount {
    weight: f64,
    files: usize,
}

fn main() {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    if folders.is_empty() {
        return eprintln!("usage: templates FOLDER…");
    }
    print!("{}", counted(&folders));
}

fn counted(folders: &[String]) -> String {
    let mut counts: BTreeMap<String, MnemonicCount> = BTreeMap::new();
    let mut total = 0;
    for folder in folders {
        let texts: Vec<String> = reading::files(std::slice::from_ref(folder))
            .iter()
            .filter(|path| path.extension().is_some_and(|e| e == "ptx"))
            .filter_map(|path| std::fs::read_to_string(path).ok())
            .collect();
        total += texts.len();
        for text in &texts {
            let mut own: BTreeMap<String, usize> = BTreeMap::new();
            for statement in reading::statements(text) {
                let Some((opcode, modifiers)) = statement.mnemonic(text) else { continue };
                if let Some(notation) = ISA.opcode(opcode).and_then(|o| notation(o, &modifiers)) {
                    *own.entry(notation).or_default() += 1;
                }
            }
            let instructions: usize = own.values().sum();
            for (mnemonic, count) in own {
                let entry = counts.entry(mnemonic).or_default();
                entry.weight += count as f64 / instructions as f64 / texts.len() as f64 * SCALE;
                entry.files += 1;
            }
        }
    }
    table(&counts, total, folders.len())
}

/// The rows in the order of bytes.
fn table(counts: &BTreeMap<String, MnemonicCount>, files: usize, projects: usize) -> String {
    let mut order: Vec<(&String, &MnemonicCount)> = counts.iter().collect();
    order.sort_by(|(_, a), (_, b)| b.weight.total_cmp(&a.weight));
    let mut of_instruction: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kept: Vec<(&String, &MnemonicCount)> = Vec::new();
    for (rank, (mnemonic, count)) in order.into_iter().enumerate() {
        let mut words = mnemonic.split('.');
        let opcode = words.next().and_then(|o| ISA.opcode(o));
        let modifiers: Vec<String> = words.map(|m| format!(".{m}")).collect();
        let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
        let Some(entry) = opcode.and_then(|o| o.entry(&modifiers)) else { continue };
        let number = of_instruction.entry(entry.name).or_default();
        if rank < MAX_OVERALL || *number < MAX_OF_INSTRUCTION {
            kept.push((mnemonic, count));
        }
        *number += 1;
    }
    kept.sort_by_key(|(mnemonic, _)| *mnemonic);
    let mut out = format!(
        "# The whole mnemonics that real files use most, each a template of completion: mnemonic, weight, files that have it.\n\
         # Made by `cargo run -p ptx-ide --example templates -- FOLDER…` from {files} files of {projects} projects; see docs/dev/usage.md.\n"
    );
    for (mnemonic, count) in kept {
        out.push_str(&format!("{mnemonic}\t{}\t{}\n", (count.weight.round() as u64).max(1), count.files));
    }
    out
}
