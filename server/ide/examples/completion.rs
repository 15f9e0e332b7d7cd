//! How well completion ranks: at places of real files a word is deleted, the rest of its line stays, and the program asks for
//! completion there.
//!
//! `cargo run -p ptx-ide --example completion -- [--seed N] [--times N] [--held-out] [--show KIND] FILE-OR-FOLDER…`
//!
//! The places are those of the kinds below, as many of each as the tables say (`--times` as many), spread evenly over the files and
//! the same in every run with the same seed. `--held-out` skips the files that the counts in `server/isa/data/usage.tsv` were taken
//! from (docs/dev/usage.md). `--show` prints the places of one kind. The row of all kinds leaves out those at the end of a line, which
//! repeat others. Of words with a dot the dot stays; in the rows at the end of a line nothing follows the place.

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

#[path = "reading/mod.rs"]
mod reading;

use ptx_ide::{CompletionOptions, completion};
use ptx_isa::ISA;
use ptx_syntax::Document;
use reading::{Kind, Level, Statement};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// The kinds of places, how many of each, and whether the row counts among all.
const KINDS: [(&str, usize, bool); 10] = [
    ("opcode", 58, true),
    ("opcode, end of line", 58, false),
    ("modifier, rest kept", 90, true),
    ("modifier, end of line", 90, false),
    ("register", 70, true),
    ("special register", 15, true),
    ("parameter, variable", 20, true),
    ("label", 20, true),
    ("directive", 25, true),
    ("type in a declaration", 15, true),
];

/// A word that is deleted.
struct Place {
    file: usize,
    /// The whole word.
    word: Range<usize>,
    /// What is deleted.
    hole: Range<usize>,
}

/// Names that a file declares.
#[derive(Default)]
struct Declared<'t> {
    registers: HashSet<&'t str>,
    variables: HashSet<&'t str>,
}

fn declared<'t>(text: &'t str, statements: &[Statement]) -> Declared<'t> {
    let mut out = Declared::default();
    for statement in statements {
        let words = |i: usize| statement.at(text, i);
        for (index, token) in statement.tokens.iter().enumerate().filter(|(_, t)| t.kind == Kind::Word) {
            let name = text.get(token.range.clone()).unwrap_or("");
            let before = (0..index).rev().map(words).find(|w| ISA.space(w).is_some());
            match before {
                Some(".reg") => drop(out.registers.insert(name)),
                Some(_) if ISA.space(words(0)).is_some() || statement.level == Level::Module => {
                    out.variables.insert(name);
                }
                _ => {}
            }
        }
    }
    out
}

/// The places of a file by kind.
fn places(file: usize, text: &str) -> BTreeMap<&'static str, Vec<Place>> {
    let statements = reading::statements(text);
    let names = declared(text, &statements);
    let mut out: BTreeMap<&'static str, Vec<Place>> = BTreeMap::new();
    for statement in statements.iter().filter(|s| s.level != Level::Section) {
        let mut add = |kind: &'static str, word: &Range<usize>, hole: Range<usize>| {
            out.entry(kind).or_default().push(Place { file, word: word.clone(), hole });
        };
        let dotted = |range: &Range<usize>| range.start + 1..range.end;
        let opcode = statement.opcode(text);
        let first = statement.at(text, 0);
        for (index, token) in statement.tokens.iter().enumerate() {
            let word = text.get(token.range.clone()).unwrap_or("");
            let range = &token.range;
            match (opcode, token.kind) {
                (Some(opcode), _) if index == opcode => {
                    let rest = text.get(range.end..).unwrap_or("");
                    add("opcode", range, range.clone());
                    add("opcode, end of line", range, range.start..range.end + rest.find('\n').unwrap_or(rest.len()));
                }
                (Some(opcode), Kind::Dot) if index > opcode && Some(index) < statement.operands(text) => {
                    let rest = text.get(range.end..).unwrap_or("");
                    let line = range.end + rest.find('\n').unwrap_or(rest.len());
                    add("modifier, rest kept", range, dotted(range));
                    add("modifier, end of line", range, range.start + 1..line);
                }
                (Some(opcode), Kind::Word) if index > opcode => {
                    let base = word.split('.').next().unwrap_or(word);
                    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
                    if names.registers.contains(word) || (word.starts_with('%') && names.registers.contains(stem)) {
                        add("register", range, range.clone());
                    } else if ISA.special_register(base).is_some() {
                        add("special register", range, range.clone());
                    } else if names.variables.contains(word) {
                        add("parameter, variable", range, range.clone());
                    } else if statement.at(text, opcode) == "bra" {
                        add("label", range, range.clone());
                    }
                }
                (None, Kind::Dot) => {
                    let header =
                        statement.tokens.iter().any(|t| matches!(text.get(t.range.clone()), Some(".entry" | ".func")));
                    let declares = ISA.space(first).is_some()
                        || header
                        || ISA.directive(first).is_some_and(|d| d.syntax.contains("declaration"));
                    if ISA.ty(word).is_some() && declares {
                        add("type in a declaration", range, dotted(range));
                    } else if ISA.directive(word).is_some() {
                        add("directive", range, dotted(range));
                    }
                }
                _ => {}
            }
        }
    }
    out
}

/// A sequence of numbers that a seed determines.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize).checked_rem(end).unwrap_or(0)
    }
}

/// Where the word stands in the list, from 1, and how long the list is.
fn rank(text: &str, place: &Place) -> (Option<usize>, usize, Vec<String>) {
    let mut document = Document::new(text);
    document.edit(place.hole.clone(), "");
    let found = completion(&document.snapshot(), place.hole.start, CompletionOptions::default());
    let word = text.get(place.word.clone()).unwrap_or("");
    let rest = text.get(place.word.start..).unwrap_or("");
    // `cp.async` stands for `cp` where that is not listed by itself.
    let compound = |label: &str| {
        label.len() > word.len()
            && label.starts_with(word)
            && label.as_bytes().get(word.len()) == Some(&b'.')
            && rest.starts_with(label)
    };
    let exact = found.items.iter().position(|i| i.label == word || i.new_text().trim_end() == word);
    let at = exact.or_else(|| found.items.iter().position(|i| compound(&i.label))).map(|n| n + 1);
    (at, found.items.len(), found.items.iter().take(5).map(|i| i.label.clone()).collect())
}

fn main() {
    let (mut seed, mut times, mut held_out, mut show, mut paths) = (1u64, 1usize, false, String::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seed" => seed = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1),
            "--times" => times = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1),
            "--held-out" => held_out = true,
            "--show" => show = arguments.next().unwrap_or_default(),
            _ => paths.push(argument),
        }
    }
    let mut texts: Vec<(String, String)> = Vec::new();
    for path in reading::files(&paths) {
        let ptx = path.extension().is_some_and(|e| e == "ptx");
        if ptx
            && (!held_out || reading::is_held_out(&path))
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            texts.push((path.display().to_string(), text));
        }
    }
    if texts.is_empty() {
        return eprintln!("usage: completion [--seed N] [--times N] [--held-out] [--show KIND] FILE-OR-FOLDER…");
    }
    let mut by_file: Vec<BTreeMap<&'static str, Vec<Place>>> =
        texts.iter().enumerate().map(|(i, (_, t))| places(i, t)).collect();
    println!("{} files, seed {seed}", texts.len());
    println!("| kind | n | in list | top-1 | top-5 | MRR | list |\n|---|---|---|---|---|---|---|");
    let mut all: Vec<(Option<usize>, usize)> = Vec::new();
    for (kind, count, counts) in KINDS {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ kind.len() as u64);
        let mut found: Vec<(Option<usize>, usize)> = Vec::new();
        let mut order: Vec<usize> = (0..texts.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        // One place of each file in turn, until there are enough or no more.
        while found.len() < count * times {
            let before = found.len();
            for file in &order {
                let Some(list) = by_file.get_mut(*file).and_then(|f| f.get_mut(kind)).filter(|l| !l.is_empty()) else {
                    continue;
                };
                let place = list.swap_remove(random.below(list.len()));
                let Some((path, text)) = texts.get(place.file) else { continue };
                let (at, length, best) = rank(text, &place);
                if show == kind {
                    let line = text.get(..place.word.start).unwrap_or("").matches('\n').count() + 1;
                    let shown = text.lines().nth(line - 1).unwrap_or("").trim();
                    let word = text.get(place.word.clone()).unwrap_or("");
                    println!("{at:?} `{word}` in `{shown}` {path}:{line}: {best:?}");
                }
                found.push((at, length));
                if found.len() >= count * times {
                    break;
                }
            }
            if found.len() == before {
                break;
            }
        }
        row(kind, &found);
        if counts {
            all.append(&mut found);
        }
    }
    row("all", &all);
}

fn row(kind: &str, found: &[(Option<usize>, usize)]) {
    let n = found.len().max(1) as f64;
    let share = |most: usize| found.iter().filter(|(at, _)| at.is_some_and(|a| a <= most)).count() as f64 / n * 100.0;
    let mrr: f64 = found.iter().filter_map(|(at, _)| *at).map(|a| 1.0 / a as f64).sum::<f64>() / n;
    let mut lengths: Vec<usize> = found.iter().map(|(_, l)| *l).collect();
    lengths.sort_unstable();
    let list = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    println!(
        "| {kind} | {} | {:.0} % | {:.0} % | {:.0} % | {mrr:.2} | {list} |",
        found.len(),
        share(usize::MAX),
        share(1),
        share(5)
    );
}
