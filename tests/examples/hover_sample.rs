//! Hovers for reading: statements drawn at random from the accepted ones of the recorded suite, one of each instruction first, and
//! for each the hover on its opcode and on one of its modifiers. `cargo run -p ptx-tests --example hover_sample [COUNT [SEED]]`.

use flate2::read::GzDecoder;
use ptx_ide::hover;
use ptx_syntax::Snapshot;
use ptx_tests::generate::Random;
use ptx_tests::snippets::{Snippet, declarations, parse};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(200);
    let seed: u64 = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut random = Random::new(seed);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/verdicts");
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("the verdicts").flatten().map(|e| e.path()).collect();
    paths.sort();
    let mut of_instruction: BTreeMap<String, Vec<Snippet>> = BTreeMap::new();
    for path in paths {
        let mut text = String::new();
        GzDecoder::new(std::fs::File::open(path).expect("a file")).read_to_string(&mut text).expect("text");
        for judged in parse(&text).into_iter().filter(|j| j.accepted && !j.snippet.text.starts_with('@')) {
            if let Some(name) = instruction(&judged.snippet.text) {
                of_instruction.entry(name).or_default().push(judged.snippet);
            }
        }
    }
    let mut chosen: Vec<Snippet> = Vec::new();
    while chosen.len() < count && !of_instruction.is_empty() {
        for snippets in of_instruction.values_mut() {
            if chosen.len() < count {
                chosen.push(snippets.swap_remove(random.below(snippets.len())));
            }
        }
        of_instruction.retain(|_, snippets| !snippets.is_empty());
    }
    let given = count == 0;
    if given {
        let lines = std::io::stdin().lines().map_while(Result::ok);
        chosen.extend(lines.flat_map(|line| parse(&format!("OK {line}"))).map(|judged| judged.snippet));
    }
    for (number, Snippet { version, target, text }) in chosen.iter().enumerate() {
        let head =
            format!(".version {version}\n.target {target}\n.address_size 64\n{}\n{{ ", declarations(version, target));
        let snapshot = Snapshot::new(&format!("{head}{text} }}\nL: ret;\n}}\n"));
        let mnemonic = text.split([' ', ';']).next().unwrap_or("");
        // `::` is part of a modifier.
        let dots: Vec<usize> = mnemonic.match_indices('.').map(|(at, _)| at).collect();
        println!("######## {} [{version} {target}] {text}", number + 1);
        let show = |at: usize| hover(&snapshot, head.len() + at, None).map_or_else(String::new, |h| h.markdown);
        println!("{}\n", show(0));
        let one = if dots.is_empty() { 0 } else { random.below(dots.len()) };
        for dot in dots.iter().enumerate().filter(|(i, _)| given || *i == one).map(|(_, dot)| *dot) {
            println!("-------- on a modifier\n{}\n", show(dot + 1));
        }
    }
}

/// The name of the instruction that a statement has: `cp.async.bulk`.
fn instruction(text: &str) -> Option<String> {
    let mnemonic = text.split([' ', ';']).next()?;
    let opcode = ptx_isa::ISA.opcode(mnemonic.split('.').next()?)?;
    let modifiers: Vec<String> = mnemonic.split('.').skip(1).map(|m| format!(".{m}")).collect();
    let fits = |e: &&ptx_isa::tables::Entry| e.path.iter().all(|p| modifiers.iter().any(|m| m == p));
    let entry = opcode.entries.iter().filter(fits).max_by_key(|e| e.path.len())?;
    Some(entry.name.to_owned())
}
