//! Measures the length of hovers: the distribution of line counts over the accepted statements of the recorded suite
//! and the kernels in `tests/kernels`. `cargo run --release -p ptx-tests --example hover_lines [STEP] [WORD]` takes
//! every STEP-th statement. With a WORD it prints the hovers of the statements that contain this word.

use flate2::read::GzDecoder;
use ptx_ide::hover;
use ptx_syntax::Snapshot;
use ptx_tests::snippets::{declarations, parse};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

fn lines(markdown: &str) -> usize {
    // Clients do not show the addresses of links.
    let shown = |l: &str| {
        l.split("](")
            .enumerate()
            .map(|(i, p)| if i == 0 { p } else { p.split_once(')').map_or("", |s| s.1) })
            .collect::<String>()
    };
    let wrapped = |l: &str| shown(l).chars().count().div_ceil(100);
    markdown.lines().filter(|l| !l.trim().is_empty()).map(wrapped).sum()
}

fn is_matrix(text: &str) -> bool {
    let word = text.trim_start_matches(['@', '!']).split(['.', ' ']).next().unwrap_or("");
    ptx_isa::ISA.has_fragments(word)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let step: usize = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(1);
    let word = arguments.next();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/verdicts");
    let mut groups: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("the verdicts").flatten() {
        let mut text = String::new();
        GzDecoder::new(std::fs::File::open(entry.path()).expect("a file")).read_to_string(&mut text).expect("text");
        for judged in parse(&text).into_iter().filter(|j| j.accepted).step_by(step) {
            groups.entry((judged.snippet.version, judged.snippet.target)).or_default().push(judged.snippet.text);
        }
    }
    let mut found: BTreeMap<bool, Vec<(usize, String)>> = BTreeMap::new();
    for ((version, target), texts) in groups {
        let head =
            format!(".version {version}\n.target {target}\n.address_size 64\n{}\n", declarations(&version, &target));
        let texts: Vec<String> =
            texts.into_iter().filter(|t| word.as_ref().is_none_or(|w| t.contains(w.as_str()))).collect();
        for texts in texts.chunks(100) {
            let mut module = head.clone();
            let mut starts = Vec::new();
            for text in texts {
                let start = if text.starts_with('@') { text.find(' ').unwrap_or(0) + 1 } else { 0 };
                starts.push(module.len() + 2 + start);
                module.push_str(&format!("{{ {text} }}\n"));
            }
            module.push_str("L: ret;\n}\n");
            let snapshot = Snapshot::new(&module);
            for (text, start) in texts.iter().zip(starts) {
                let Some(hover) = hover(&snapshot, start, None) else { continue };
                if word.is_some() {
                    println!("==== {text} [{}]\n{}\n", lines(&hover.markdown), hover.markdown);
                }
                found.entry(is_matrix(text)).or_default().push((lines(&hover.markdown), text.clone()));
            }
        }
    }
    for (matrix, mut all) in found {
        all.sort();
        let at = |part: f64| all[((all.len() - 1) as f64 * part) as usize].0;
        let limit = if matrix { 40 } else { 25 };
        let over = all.iter().filter(|a| a.0 > limit).count();
        println!(
            "{}: {} statements, median {}, p90 {}, p95 {}, max {}, over {limit} lines: {over}",
            if matrix { "matrix" } else { "ordinary" },
            all.len(),
            at(0.5),
            at(0.9),
            at(0.95),
            at(1.0)
        );
        let mut heads: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
        for (n, text) in &all {
            let word = text.split(['.', ' ']).next().unwrap_or("");
            let worst = heads.entry(word).or_insert((0, text));
            if *n > worst.0 {
                *worst = (*n, text);
            }
        }
        let mut heads: Vec<_> = heads.into_values().filter(|h| h.0 > limit).collect();
        heads.sort();
        heads.iter().rev().take(60).for_each(|(n, text)| println!("  {n} {text}"));
    }
}
