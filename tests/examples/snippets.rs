//! `snippets generate [SIZE] [NAME…]` prints generated snippets of the entries named (all by default);
//! `snippets judge` reads lines `VERSION TARGET TEXT` and prints each with our verdict in front, and the message behind it.

use ptx_isa::ISA;
use ptx_tests::{generate, snippets};
use std::collections::BTreeMap;
use std::io::Read;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("generate") => {
            let size = arguments.get(1).and_then(|s| s.parse().ok()).unwrap_or(8);
            let wanted = arguments.get(2..).unwrap_or(&[]);
            for entry in ISA.opcodes.iter().flat_map(|o| o.entries).filter(|e| e.checked) {
                let named =
                    |w: &String| entry.name == w || entry.name.starts_with(&format!("{w}.")) || entry.family == w;
                if wanted.is_empty() || wanted.iter().any(named) {
                    generate::entry(entry, size).iter().for_each(|s| println!("{s}"));
                }
            }
        }
        Some("judge") => {
            let mut text = String::new();
            if let Err(error) = std::io::stdin().read_to_string(&mut text) {
                eprintln!("standard input: {error}");
                std::process::exit(2);
            }
            let mut groups: BTreeMap<(&str, &str), Vec<(usize, &str)>> = BTreeMap::new();
            for (index, line) in text.lines().enumerate() {
                let mut parts = line.splitn(3, ' ');
                let key = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
                groups.entry(key).or_default().push((index, parts.next().unwrap_or("")));
            }
            let mut out: BTreeMap<usize, String> = BTreeMap::new();
            for ((version, target), lines) in groups {
                let texts: Vec<&str> = lines.iter().map(|l| l.1).collect();
                for ((index, text), verdict) in lines.iter().zip(snippets::judge(version, target, &texts)) {
                    let word = if verdict.is_some() { "ERR" } else { "OK" };
                    out.insert(*index, format!("{word} {version} {target} {text}\t{}", verdict.unwrap_or_default()));
                }
            }
            out.values().for_each(|line| println!("{line}"));
        }
        _ => {
            eprintln!("usage: snippets generate [SIZE] [NAME…] | snippets judge");
            std::process::exit(2);
        }
    }
}
