//! Compares claims about addresses with runs of real files, with guessed launches:
//! `cargo run --release -p ptx-tests --example address_claims -- FOLDER…`

#[path = "../tests/it/address_claims/check.rs"]
mod check;

use check::{Tally, all_addresses, module};
use ptx_flow::addresses::AddressFacts;
use ptx_flow::addresses::node::{Node, Symbol};
use ptx_flow::flow::FlowFunction;
use ptx_launch_syntax::Launch;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Instant;

/// The maximum number of warp instructions of a run.
const LIMIT: u64 = 20_000;

fn main() {
    let mut waiting: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let mut files = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()));
        } else if path.extension().is_some_and(|e| e == "ptx") {
            files.push(path);
        }
    }
    files.sort();
    let mut tally = Tally::default();
    let mut slowest: Vec<(f64, String)> = Vec::new();
    let mut why: BTreeMap<String, usize> = BTreeMap::new();
    let mut folders: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let module = module(&text);
        let begin = Instant::now();
        let facts = all_addresses(&module);
        let name = path.display().to_string();
        slowest.push((begin.elapsed().as_secs_f64(), format!("{name}, {} bytes", text.len())));
        let before = [tally.accesses, tally.with_form, tally.with_traffic];
        tally.count(&facts);
        let after = [tally.accesses, tally.with_form, tally.with_traffic];
        let folder = path.parent().map_or_else(String::new, |p| p.display().to_string());
        let counts = folders.entry(folder).or_default();
        (0..3).for_each(|i| counts[i] += after[i] - before[i]);
        for (index, facts) in &facts {
            let Some(function) = module.program.functions[*index as usize].body.as_ref() else { continue };
            reasons(function, facts, &mut why);
        }
        let kernels: Vec<String> = module.kernels().map(str::to_owned).take(8).collect();
        for kernel in kernels {
            let launch = Launch { entry: kernel.as_str().into(), ..Launch::default() };
            tally.run(&name, &module, &facts, launch, LIMIT);
        }
    }
    slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("{} files: {}", files.len(), tally.summary());
    let total: f64 = slowest.iter().map(|s| s.0).sum();
    println!("analysis {total:.2} s in all; the slowest files:");
    for (seconds, name) in slowest.iter().take(5) {
        println!("  {seconds:.3} s {name}");
    }
    println!("accesses, with an address, with traffic:");
    for (folder, [accesses, form, traffic]) in folders {
        println!("  {accesses:6} {form:6} {traffic:6} {folder}");
    }
    println!("what accesses without traffic depend on:");
    let mut why: Vec<(usize, String)> = why.into_iter().map(|(name, count)| (count, name)).collect();
    why.sort_unstable_by(|a, b| b.cmp(a));
    for (count, name) in why.iter().take(30) {
        println!("  {count:6} {name}");
    }
    for contradiction in &tally.contradictions {
        println!("{contradiction}");
    }
    std::process::exit(i32::from(!tally.contradictions.is_empty()));
}

/// Counts the instructions and joins whose values keep accesses from having known traffic.
fn reasons(function: &FlowFunction, facts: &AddressFacts, why: &mut BTreeMap<String, usize>) {
    for (access, traffic) in facts.accesses.iter().zip(&facts.traffic) {
        if traffic.is_some() || !matches!(facts.space(access), None | Some(".global" | ".shared")) {
            continue;
        }
        let mut found = BTreeSet::new();
        if facts.space(access).is_none() {
            found.insert("a generic address".to_owned());
        }
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![access.address]);
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            match &facts.values.facts(id).node {
                Node::Symbol(Symbol::Result(index, _)) => {
                    found.insert(function.entry(*index as usize).name.to_owned());
                }
                Node::Symbol(Symbol::Meeting(..)) => match facts.values.counter(id) {
                    Some(counter) => {
                        if !facts.values.loops().all[counter.natural_loop as usize].converged {
                            found.insert("a loop whose lanes may be in different iterations".to_owned());
                        }
                        waiting.extend([counter.start, counter.step]);
                    }
                    None => {
                        found.insert("several values".to_owned());
                    }
                },
                node => waiting.extend(node.arguments()),
            }
        }
        let names: Vec<String> = found.into_iter().collect();
        *why.entry(names.join(", ")).or_default() += 1;
    }
}
