//! Names of code in the pages for contributors exist: a page that names what is gone sends its reader into the void.

use crate::markdown::{files, root};
use std::collections::BTreeSet;
use std::fs;

/// Names of other projects, and of made-up examples.
const ELSEWHERE: &[&str] = &[
    // Of the protocols, of fields and methods that this server does not have.
    "ContentModified",
    "prepareTypeHierarchy",
    "textDocumentContent",
    // Of libraries and editors.
    "abandoned_page_purge",
    "debug_types",
    "emmy_dap_types",
    "init_options",
    "purge_delay",
    "ts_set_allocator",
    // An instruction that the page makes up.
    "IntegerBlend",
    // A file that the compiler writes.
    "libptx_isa",
];

/// Pages that a test makes, and that quote kernels of others.
const MADE: &[&str] = &["docs/dev/messages.md", "docs/dev/register-estimate.md"];

fn is_page(file: &str) -> bool {
    let of_contributors = ["docs/dev/", "docs/decisions/", "docs/adding-", "server/"];
    let named = ["docs/architecture.md", "CONTRIBUTING.md"].contains(&file);
    file.ends_with(".md")
        && !MADE.contains(&file)
        && (named || of_contributors.iter().any(|start| file.starts_with(start)))
}

/// The words that may be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether a word can only be a name of code: `CamelCase`, `camelCase` or `snake_case`.
fn is_name(word: &str) -> bool {
    let snake = word.split('_').count() > 1
        && word.split('_').all(|part| !part.is_empty())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let humps = word.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let camel = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric())
        && !word.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_uppercase))
        && humps.count() > 0;
    snake || camel
}

/// The names in backticks of a page, outside of blocks of code, each with its line.
fn named(page: &str) -> Vec<(usize, &str)> {
    let (mut out, mut in_block) = (Vec::new(), false);
    for (index, line) in page.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            let spans = line.split('`').skip(1).step_by(2);
            out.extend(spans.flat_map(words).filter(|word| is_name(word)).map(|word| (index + 1, word)));
        }
    }
    out
}

#[test]
fn what_pages_for_contributors_name_is_in_the_sources() {
    let files = files();
    let mut there: BTreeSet<String> = BTreeSet::new();
    // Not this one, which lists names that are elsewhere.
    let is_source =
        |file: &&String| !file.starts_with("docs/") && !file.ends_with(".md") && !file.ends_with("/identifiers.rs");
    for file in files.iter().filter(is_source) {
        there.extend(words(file).map(str::to_owned));
        if let Ok(text) = fs::read_to_string(root().join(file)) {
            there.extend(words(&text).filter(|word| is_name(word)).map(str::to_owned));
        }
    }
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for page in files.iter().filter(|file| is_page(file)) {
        let text = fs::read_to_string(root().join(page)).expect("a page");
        for (line, name) in named(&text) {
            seen += 1;
            if !there.contains(name) && !ELSEWHERE.contains(&name) {
                wrong.push(format!("{page}:{line}: no source has `{name}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 500, "only {seen} names");
}

#[test]
fn names_are_told_from_words() {
    let page = "Take `OpenDocument::lose` or `as_opened(…)`, not `mbarrier`, `SIGKILL`, `HTTPServer` or `_x`.\n```\nFoo_Bar and_more\n```\n`forEach`";
    let names: Vec<_> = named(page).into_iter().map(|(line, name)| format!("{line} {name}")).collect();
    assert_eq!(names, ["1 OpenDocument", "1 as_opened", "5 forEach"]);
}
