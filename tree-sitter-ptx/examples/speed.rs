//! Measures the parser on one file: `cargo run --release -p tree-sitter-ptx --example speed -- FILE`.
//!
//! Prints the speed of a fresh parse, and the time of an incremental parse after one typed key elsewhere, for three
//! states of the file: unchanged, with a `}` missing near the top, and with an unknown directive near the top.

use std::time::{Duration, Instant};
use tree_sitter::{InputEdit, Parser, Point, Tree};

const FRESH_PARSES: usize = 5;
const KEYSTROKES: usize = 200;

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: speed FILE");
        std::process::exit(2);
    };
    let source = match std::fs::read(&path) {
        Ok(source) => source,
        Err(error) => {
            eprintln!("cannot read {path}: {error}");
            std::process::exit(1);
        }
    };
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_ptx::LANGUAGE.into()).expect("the library reads this grammar's version");

    fresh(&mut parser, &source);
    keystrokes(&mut parser, "clean", source.clone());
    keystrokes(&mut parser, "missing }", without_first_closing_brace(&source));
    keystrokes(&mut parser, "unknown directive", with_unknown_directive(&source));
}

fn fresh(parser: &mut Parser, source: &[u8]) {
    let times: Vec<Duration> = (0..FRESH_PARSES)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(parse(parser, source, None));
            start.elapsed()
        })
        .collect();
    let best = times.iter().min().expect("at least one parse").as_secs_f64();
    let tree = parse(parser, source, None);
    println!(
        "fresh: {} bytes, {} nodes, {:.1} ms, {:.1} MB/s",
        source.len(),
        tree.root_node().descendant_count(),
        best * 1e3,
        source.len() as f64 / best / 1e6
    );
}

/// Types and deletes single characters at positions spread over the file, and measures the parse after each.
fn keystrokes(parser: &mut Parser, name: &str, mut source: Vec<u8>) {
    let mut tree = parse(parser, &source, None);
    let mut times = Vec::new();
    for i in 0..KEYSTROKES {
        // Skip the first part of the file, which contains the error.
        let wanted = source.len() / 10 + (source.len() * 8 / 10) / KEYSTROKES * i;
        let Some(offset) = operand_digit(&source, wanted) else {
            continue;
        };
        for insert in [true, false] {
            let edit = edit(&mut source, offset, insert);
            tree.edit(&edit);
            let start = Instant::now();
            tree = parse(parser, &source, Some(&tree));
            times.push(start.elapsed());
        }
    }
    times.sort();
    if times.is_empty() {
        println!("{name}: no place to type at");
        return;
    }
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!(
        "{name}: {} keystrokes, p50 {:.3} ms, p99 {:.3} ms, worst {:.3} ms{}",
        times.len(),
        at(50),
        at(99),
        at(100),
        if tree.root_node().has_error() { " (with errors)" } else { "" }
    );
}

fn parse(parser: &mut Parser, source: &[u8], old: Option<&Tree>) -> Tree {
    parser.parse(source, old).expect("no time limit is set")
}

/// The first offset after `from` that follows a register number. One more digit there makes a different register.
fn operand_digit(source: &[u8], from: usize) -> Option<usize> {
    let register = from + source[from..].windows(3).position(|w| w[0] == b'%' && w[2].is_ascii_digit())?;
    Some(register + 3)
}

fn edit(source: &mut Vec<u8>, offset: usize, insert: bool) -> InputEdit {
    let start_position = point(source, offset);
    let after = Point { row: start_position.row, column: start_position.column + 1 };
    if insert {
        source.insert(offset, b'7');
    } else {
        source.remove(offset);
    }
    let (old_end_byte, new_end_byte) = if insert { (offset, offset + 1) } else { (offset + 1, offset) };
    let (old_end_position, new_end_position) = if insert { (start_position, after) } else { (after, start_position) };
    InputEdit { start_byte: offset, old_end_byte, new_end_byte, start_position, old_end_position, new_end_position }
}

fn point(source: &[u8], offset: usize) -> Point {
    let before = &source[..offset];
    let row = before.iter().filter(|byte| **byte == b'\n').count();
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    Point { row, column: offset - line_start }
}

/// The file without the first `}` that is alone on its line: the end of the first function.
fn without_first_closing_brace(source: &[u8]) -> Vec<u8> {
    let mut source = source.to_vec();
    if let Some(brace) = source.windows(3).position(|w| w == b"\n}\n") {
        source.remove(brace + 1);
    }
    source
}

/// The file with an unknown directive before the first function.
fn with_unknown_directive(source: &[u8]) -> Vec<u8> {
    let mut source = source.to_vec();
    let at = source.windows(7).position(|w| w == b"\n.visib" || w == b"\n.entry").map_or(0, |newline| newline + 1);
    source.splice(at..at, b".regg .b32 %r1;\n".iter().copied());
    source
}
