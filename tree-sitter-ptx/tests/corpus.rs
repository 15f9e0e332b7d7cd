//! Runs the cases of `tree-sitter test` in test/corpus/*.txt without the tree-sitter command line.
//!
//! `UPDATE_CORPUS=1 cargo test -p tree-sitter-ptx --test corpus` writes the trees that the current grammar produces:
//! review the diff.

use std::path::{Path, PathBuf};
use tree_sitter::Parser;

/// One case: its heading as written, the source, and the expected tree.
struct Case {
    heading: String,
    title: String,
    source: String,
    expected: String,
}

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/corpus");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the corpus is part of the crate's repository")
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    files
}

fn is_rule(line: &str, of: char) -> bool {
    let line = line.trim_end();
    line.len() >= 3 && line.chars().all(|c| c == of)
}

/// A heading is a title between two lines of `=`; a line of `-` separates source and tree.
fn cases(text: &str) -> Vec<Case> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let starts: Vec<usize> = (0..lines.len().saturating_sub(2))
        .filter(|&i| is_rule(lines[i], '=') && !is_rule(lines[i + 1], '=') && is_rule(lines[i + 2], '='))
        .collect();
    let mut cases = Vec::new();
    for (n, &start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(lines.len());
        let body = &lines[start + 3..end];
        let divider = body.iter().position(|line| is_rule(line, '-')).expect("each case has a line of dashes");
        let source = body[..divider].concat();
        cases.push(Case {
            heading: lines[start..start + 3].concat(),
            title: lines[start + 1].trim().to_owned(),
            // As in `tree-sitter test`, the line end before the dashes is not part of the source.
            source: source.strip_suffix('\n').unwrap_or(&source).to_owned(),
            expected: body[divider + 1..].concat(),
        });
    }
    cases
}

fn one_line(tree: &str) -> String {
    tree.split_whitespace().collect::<Vec<_>>().join(" ").replace(" )", ")")
}

/// A tree with one node per line.
fn indented(tree: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    let mut in_string = false;
    let mut field = String::new();
    for word in tree.split(' ') {
        if !in_string && word.ends_with(':') {
            field = format!("{word} ");
            continue;
        }
        if word.starts_with('(') && !in_string {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&"  ".repeat(depth));
            out.push_str(&std::mem::take(&mut field));
        } else {
            out.push(' ');
        }
        out.push_str(word);
        for c in word.chars() {
            match c {
                '"' => in_string = !in_string,
                '(' if !in_string => depth += 1,
                ')' if !in_string => depth -= 1,
                _ => {}
            }
        }
    }
    out
}

#[test]
fn trees_are_as_written() {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_ptx::LANGUAGE.into()).expect("the library reads this grammar's version");
    let update = std::env::var_os("UPDATE_CORPUS").is_some();
    let mut failures = Vec::new();
    let mut count = 0;
    for path in corpus() {
        let text = std::fs::read_to_string(&path).expect("the file is readable");
        let mut rewritten = Vec::new();
        for case in cases(&text) {
            count += 1;
            let tree = parser.parse(&case.source, None).expect("no time limit is set");
            let actual = tree.root_node().to_sexp();
            if update {
                rewritten.push(format!("{}{}\n---\n\n{}\n", case.heading, case.source, indented(&actual)));
            } else if one_line(&case.expected) != one_line(&actual) {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                failures.push(format!(
                    "{name}: {}\nexpected\n{}\nfound\n{}\n",
                    case.title,
                    case.expected.trim(),
                    indented(&actual)
                ));
            }
        }
        if update {
            std::fs::write(&path, rewritten.join("\n")).expect("the file is writable");
        }
    }
    assert!(count > 100, "only {count} cases were found");
    assert!(failures.is_empty(), "{} of {count} cases differ\n\n{}", failures.len(), failures.join("\n"));
}
