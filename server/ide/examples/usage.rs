//! Counts in real files what follows what, for `server/isa/data/usage.tsv` (docs/dev/usage.md).
//!
//! `cargo run -p ptx-ide --example usage -- FOLDER… > server/isa/data/usage.tsv`
//!
//! Each folder is one project. PTX files are counted whole; of other files the mnemonics in string literals, as inline PTX has them.
//! One file of five is left out (`reading::is_held_out`), so that `--example completion -- --held-out` has places that nothing was
//! counted at. The files of one source (one name up to the first dot) count as one; a source weighs as the root of its statements,
//! and a project as the root of its sources up to a bound, so that no generator of code dominates.

// A tool for those who work on this project reads what its arguments name.
#![allow(clippy::disallowed_methods)]

#[path = "reading/mod.rs"]
mod reading;

use ptx_ide::usage::{StatementStep, class, step};
use ptx_isa::ISA;
use reading::{Kind, Level, Statement};
use std::collections::{BTreeMap, HashMap};

/// Sources beyond so many add no weight to a project.
const MAX_SOURCES: f64 = 64.0;
/// What the weights of a project with one source sum up to, about.
const SCALE: f64 = 20_000.0;
/// The share of a project that has no PTX but inline: a header has each instruction once, however rare.
const INLINE: f64 = 0.02;
/// Lighter rows say nothing.
const MIN_CONTEXT: f64 = 12.0;
/// Words kept of a context.
const MAX_WORDS: usize = 32;

/// Kind, context, word.
type Key = (&'static str, String, String);

#[derive(Default)]
struct Source {
    counts: HashMap<Key, f64>,
    statements: f64,
}

impl Source {
    fn add(&mut self, kind: &'static str, context: impl Into<String>, word: impl Into<String>) {
        *self.counts.entry((kind, context.into(), word.into())).or_default() += 1.0;
    }
}

fn main() {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    if folders.is_empty() {
        return eprintln!("usage: usage FOLDER…");
    }
    print!("{}", counted(&folders));
}

/// The table of what follows what in the files of some folders, each of them a project.
fn counted(folders: &[String]) -> String {
    let mut all: BTreeMap<Key, f64> = BTreeMap::new();
    let mut projects = Vec::new();
    for folder in folders {
        let mut sources: BTreeMap<String, Source> = BTreeMap::new();
        let mut has_files = false;
        for path in reading::files(std::slice::from_ref(folder)) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            if reading::is_held_out(&path) {
                continue;
            }
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
            let source = sources.entry(name.split('.').next().unwrap_or(name).to_owned()).or_default();
            if path.extension().is_some_and(|e| e == "ptx") {
                has_files = true;
                file(&text, source);
            } else {
                inline(&text, source);
            }
        }
        sources.retain(|_, s| s.statements > 0.0);
        let total: f64 = sources.values().map(|s| s.statements.sqrt()).sum();
        let weight = (sources.len() as f64).min(MAX_SOURCES).sqrt() * if has_files { 1.0 } else { INLINE };
        projects.push(sources.len());
        for source in sources.values() {
            for (key, count) in &source.counts {
                *all.entry(key.clone()).or_default() += count / source.statements.sqrt() / total * weight * SCALE;
            }
        }
    }
    table(&all, &projects)
}

/// The rows in the order of bytes, the words of each by their weight.
fn table(all: &BTreeMap<Key, f64>, projects: &[usize]) -> String {
    let mut out = String::from(
        "# How often what follows what in real files: kind, context, words with their weights. Only what is offered first follows it.\n",
    );
    out.push_str(&format!(
        "# Made by `cargo run -p ptx-ide --example usage -- FOLDER…` from {} sources of {} projects; see docs/dev/usage.md.\n",
        projects.iter().sum::<usize>(),
        projects.len()
    ));
    let mut rows: BTreeMap<(&str, &str), Vec<(&str, u32)>> = BTreeMap::new();
    for ((kind, context, word), weight) in all {
        // A mnemonic that was met at all is worth knowing.
        let weight = if *kind == "mnemonic" { weight.max(1.0) } else { *weight };
        // The first statement of all follows nothing.
        let weight = (weight + 0.5) as u32;
        if weight >= 1 && !context.split(' ').any(str::is_empty) {
            rows.entry((kind, context)).or_default().push((word, weight));
        }
    }
    for ((kind, context), mut words) in rows {
        words.sort_by_key(|(word, weight)| (std::cmp::Reverse(*weight), *word));
        let total: f64 = words.iter().map(|(_, w)| f64::from(*w)).sum();
        if total < MIN_CONTEXT && kind != "mnemonic" {
            continue;
        }
        words.truncate(if kind == "mnemonic" || context == "*" { usize::MAX } else { MAX_WORDS });
        let words: Vec<String> = words.iter().map(|(word, weight)| format!("{word} {weight}")).collect();
        out.push_str(&format!("{kind}\t{context}\t{}\n", words.join("\t")));
    }
    out
}

/// The words of the tables that a statement begins with: an opcode or a directive.
fn word<'t>(statement: &Statement, text: &'t str) -> Option<&'t str> {
    match statement.opcode(text) {
        Some(opcode) => Some(statement.at(text, opcode)),
        None => Some(statement.at(text, 0)).filter(|w| ISA.directive(w).is_some()),
    }
}

/// What a statement is for those that follow it.
fn kind_of(statement: &Statement, text: &str) -> StatementStep {
    let words: Vec<&str> = (0..statement.tokens.len().min(16)).map(|i| statement.at(text, i)).collect();
    step(&words)
}

/// Whether the tables take a mnemonic; there are few of them, each many times.
fn known(mnemonic: &(&str, Vec<&str>)) -> bool {
    thread_local! {
        static SEEN: std::cell::RefCell<HashMap<String, bool>> = std::cell::RefCell::default();
    }
    let key = format!("{}{}", mnemonic.0, mnemonic.1.concat());
    if let Some(seen) = SEEN.with_borrow(|all| all.get(&key).copied()) {
        return seen;
    }
    let found = is_known(mnemonic);
    SEEN.with_borrow_mut(|all| all.insert(key, found));
    found
}

fn is_known(mnemonic: &(&str, Vec<&str>)) -> bool {
    mnemonic.1.iter().all(|m| ISA.modifier(m).is_some() || ISA.ty(m).is_some() || ISA.space(m).is_some())
        && ISA
            .opcode(mnemonic.0)
            .is_some_and(|o| ptx_analysis::mnemonic::resolve(o, &mnemonic.1).is_some_and(|r| r.mismatch.is_none()))
}

fn file(text: &str, out: &mut Source) {
    let statements = reading::statements(text);
    let mut before: [StatementStep; 2] = [StatementStep::default(), StatementStep::default()];
    let mut module = "*".to_owned();
    let mut special = "*".to_owned();
    let mut declared = "*".to_owned();
    for statement in &statements {
        if statement.level == Level::Section {
            continue;
        }
        out.statements += 1.0;
        let first = statement.at(text, 0);
        if first == "{" && !matches!(before[0].class.as_str(), "") && statement.level == Level::Body {
            // The variables of a body begin anew.
            declared = "*".to_owned();
        }
        if statement.level == Level::Module {
            top(statement, text, &mut module, out);
            (before, special) = (<[StatementStep; 2]>::default(), "*".to_owned());
            continue;
        }
        if let Some(word) = word(statement, text) {
            let guarded = first == "@";
            let kind = if guarded { "guarded" } else { "next" };
            out.add(kind, "*", word);
            out.add(kind, before[0].class.clone(), word);
            if before[0].mnemonic != before[0].class {
                out.add(kind, before[0].mnemonic.clone(), word);
            }
            if !guarded {
                out.add(kind, format!("{} {}", before[1].class, before[0].class), word);
            }
        }
        if let Some(mnemonic) = statement.mnemonic(text).filter(known) {
            out.add("mnemonic", mnemonic.0, if mnemonic.1.is_empty() { "-".to_owned() } else { mnemonic.1.concat() });
            operands(statement, text, &mnemonic, &mut special, out);
        } else if ISA.space(first).is_some_and(|s| !s.declared.is_empty()) {
            declaration(statement, text, &mut declared, out);
        }
        if first != "}" {
            let this = kind_of(statement, text);
            before = [this, std::mem::take(&mut before[0])];
        }
    }
}

/// A statement of the module, with the header of a function.
fn top(statement: &Statement, text: &str, module: &mut String, out: &mut Source) {
    let words: Vec<&str> = statement.tokens.iter().map(|t| text.get(t.range.clone()).unwrap_or("")).collect();
    let Some(first) = words.first().filter(|w| ISA.directive(w).is_some()) else { return };
    if *first == ".section" {
        return;
    }
    out.add("module", "*", *first);
    out.add("module", module.clone(), *first);
    *module = (*first).to_owned();
    let header = words.iter().any(|w| matches!(*w, ".entry" | ".func"));
    let (mut space, mut depth, mut closed) = ("*", 0, false);
    for (index, word) in words.iter().enumerate() {
        match *word {
            "(" => depth += 1,
            ")" => (depth, closed, space) = (depth - 1, true, "*"),
            "," => space = "*",
            _ if index > 0
                && word.starts_with('.')
                && statement.tokens.get(index).is_some_and(|t| t.kind == Kind::Dot) =>
            {
                let before = words.get(index - 1).copied().unwrap_or("");
                if space == "*" && header && (depth > 0 || closed) {
                    let stands =
                        |d: &ptx_isa::tables::Directive| d.places.iter().any(|p| matches!(*p, "entry" | "func"));
                    if depth == 0 && !ISA.directive(word).is_some_and(stands) {
                        continue;
                    }
                    out.add("header", if depth > 0 { "(" } else { ")" }, *word);
                } else if ISA.directive(before).is_some() || before.starts_with('.') {
                    out.add("declare", before, *word);
                } else if ISA.space(space).is_some() {
                    out.add("declare", format!("{space} *"), *word);
                }
            }
            _ => {}
        }
        if ISA.space(word).is_some_and(|s| !s.declared.is_empty()) {
            space = word;
        }
    }
}

/// A declaration in a body.
fn declaration(statement: &Statement, text: &str, declared: &mut String, out: &mut Source) {
    let mut before = statement.at(text, 0);
    for index in 1..statement.tokens.len() {
        let word = statement.at(text, index);
        if !word.starts_with('.') {
            if ISA.ty(before).is_some() {
                let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
                if statement.at(text, 0) == ".reg" && stem.len() < 5 {
                    out.add("name", stem, before);
                }
                break;
            }
            continue;
        }
        out.add("declare", before, word);
        if before == ".reg" {
            out.add("declare", format!(".reg {declared}"), word);
            *declared = word.to_owned();
        }
        before = word;
    }
}

fn operands(statement: &Statement, text: &str, mnemonic: &(&str, Vec<&str>), special: &mut String, out: &mut Source) {
    let from = statement.operands(text).unwrap_or(0);
    let (mut depth, mut operand) = (0, 0);
    for index in from..statement.tokens.len() {
        let (word, token) = (statement.at(text, index), &statement.tokens[index]);
        match (token.kind, word) {
            (Kind::Sign, "[" | "(" | "{") => depth += 1,
            (Kind::Sign, "]" | ")" | "}") => depth -= 1,
            (Kind::Sign, ",") if depth == 0 => operand += 1,
            (Kind::Word, _) => {
                let register = ISA.special_register(word.split('.').next().unwrap_or(word)).is_some();
                let what = match word {
                    _ if register => "special",
                    _ if word.starts_with('%') => "register",
                    _ => "name",
                };
                if operand > 0 && (depth == 0 || what != "name") {
                    out.add("operand", format!("{}{} {operand}", mnemonic.0, mnemonic.1.concat()), what);
                }
                if register {
                    out.add("special", "*", word);
                    out.add("special", special.clone(), word);
                    out.add("special", class(mnemonic.0, &mnemonic.1), word);
                    *special = word.to_owned();
                }
            }
            (Kind::Number, _) if depth == 0 && operand > 0 => {
                out.add("operand", format!("{}{} {operand}", mnemonic.0, mnemonic.1.concat()), "number");
            }
            _ => {}
        }
    }
}

/// The mnemonics in the string literals of a program in another language.
fn inline(text: &str, out: &mut Source) {
    for line in text.lines() {
        for literal in line.split('"').skip(1).step_by(2) {
            let literal = literal.replace("\\n", " ").replace("\\t", " ");
            for statement in literal.split(['{', '}', ';']) {
                let statement = statement.trim().trim_start_matches('@');
                let word = statement.split_whitespace().find(|w| w.contains('.')).unwrap_or("");
                let mut modifiers = Vec::new();
                let Some((opcode, rest)) = word.split_once('.') else { continue };
                for part in rest.split('.') {
                    modifiers.push(format!(".{part}"));
                }
                let mnemonic = (opcode, modifiers.iter().map(String::as_str).collect::<Vec<_>>());
                if known(&mnemonic) {
                    out.statements += 1.0;
                    out.add("mnemonic", opcode, mnemonic.1.concat());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    fn folder(path: &str) -> String {
        format!("{}/../../tests/{path}", env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn the_table_is_the_same_every_time_and_in_order() {
        let folders = [folder("kernels"), folder("fixtures")];
        let first = counted(&folders);
        assert_eq!(first, counted(&folders));
        let rows: Vec<Vec<&str>> =
            first.lines().filter(|l| !l.starts_with('#')).map(|l| l.split('\t').collect()).collect();
        assert!(rows.len() > 200, "{}", rows.len());
        assert!(rows.is_sorted_by(|a, b| a[..2] < b[..2]));
        for row in &rows {
            let weights: Vec<u32> =
                row[2..].iter().map(|w| w.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a weight")).collect();
            assert!(!weights.is_empty() && weights.is_sorted_by(|a, b| a >= b), "{row:?}");
        }
    }
}
