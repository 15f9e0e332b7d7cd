//! `docs/dev/unsafe-code.md` lists every use of unsafe code with its safety argument, and there is no other unsafe code.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../../docs/dev/unsafe-code.md");

/// Folders that contain no code of this project; `fixture` holds texts that editors open.
const STRANGE: &[&str] = &["target", "node_modules", "work", "fixture"];

/// Counts the occurrences of the keyword in each Rust file.
fn found(folder: &Path, root: &Path, out: &mut BTreeMap<String, usize>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            if !STRANGE.contains(&name.as_str()) && !name.starts_with('.') {
                found(&path, root, out);
            }
        } else if name.ends_with(".rs") {
            let count = keywords(&fs::read_to_string(&path).expect("a source file"));
            if count > 0 {
                let name = path.strip_prefix(root).expect("it is below").to_string_lossy().replace('\\', "/");
                out.insert(name, count);
            }
        }
    }
}

/// The number of occurrences of the keyword outside comments and string literals.
fn keywords(text: &str) -> usize {
    let in_line = |line: &str| {
        let mut code = String::new();
        // Remove quotation marks that do not begin a string literal.
        let line = line.replace("'\"'", "").replace("\\\"", "");
        for (index, part) in line.split('"').enumerate() {
            if index % 2 == 1 {
                continue;
            }
            let (before, comment) = part.split_once("//").map_or((part, false), |(before, _)| (before, true));
            code.push_str(before);
            code.push(' ');
            if comment {
                break;
            }
        }
        code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| *word == "unsafe").count()
    };
    text.lines().map(in_line).sum()
}

#[test]
fn every_piece_of_unsafe_code_is_on_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut there = BTreeMap::new();
    found(&root, &root, &mut there);
    // | [`file`](link) | how often | what for | … |
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| [`")?.split_once('`'));
    let listed: BTreeMap<String, usize> = rows
        .map(|(file, rest)| {
            let number = rest.split('|').nth(1).and_then(|n| n.trim().parse().ok());
            (file.to_owned(), number.unwrap_or_else(|| panic!("no number for {file}")))
        })
        .collect();
    assert_eq!(there, listed, "what there is, and what docs/dev/unsafe-code.md says");
}

#[test]
fn the_keyword_is_told_from_words_about_it() {
    assert_eq!(keywords("unsafe { x() } // unsafe\n\"unsafe\" unsafe_code\n/// unsafe\npub unsafe fn f() {}"), 2);
}
