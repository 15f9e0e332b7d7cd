//! What the server remembers of a document and cannot derive from its text stands in one struct, and docs/architecture.md lists it.

use std::collections::BTreeSet;

const ARCHITECTURE: &str = include_str!("../../../docs/architecture.md");
const HISTORY: &str = include_str!("../../../server/lsp/src/history.rs");

/// The structs of a document and of its workers, with fields that follow from the text and the settings, that equal what would be computed
/// afresh, or that name the document and the way to it.
const DERIVED: [(&str, &str, &[&str]); 4] = [
    (
        include_str!("../../../server/lsp/src/document.rs"),
        "OpenDocument",
        &["uri", "language", "history", "demand", "inbox", "wake", "parsed", "checked", "facts", "host"],
    ),
    (
        include_str!("../../../server/lsp/src/document.rs"),
        "Inbox",
        &["rope", "revision", "text_revision", "version", "changes", "moved", "edited", "saved", "waiting", "closed"],
    ),
    (
        include_str!("../../../server/lsp/src/worker.rs"),
        "Worker",
        &["shared", "document", "publisher", "tree", "analyzer", "encoder"],
    ),
    (
        include_str!("../../../server/lsp/src/host/worker.rs"),
        "HostWorker",
        &["shared", "document", "publisher", "language", "text", "host", "checker"],
    ),
];

/// The names of the fields of a struct.
fn fields(source: &str, name: &str) -> Vec<String> {
    let start = source.find(&format!("struct {name} {{\n")).unwrap_or_else(|| panic!("there is a struct {name}"));
    let body = source[start..].split("\n}").next().unwrap_or_default();
    let field = |line: &str| {
        let line = line.trim_start();
        let (name, _) = line.strip_prefix("pub ").unwrap_or(line).split_once(": ")?;
        name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_').then(|| name.to_owned())
    };
    body.lines().skip(1).filter_map(field).collect()
}

#[test]
fn the_table_lists_what_is_not_derived() {
    let section =
        ARCHITECTURE.split("\n## ").find(|section| section.starts_with("What is remembered")).expect("the section");
    let table = section.split("| field |").nth(1).expect("a table of fields");
    let rows: Vec<&str> = table.lines().filter_map(|row| row.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(fields(HISTORY, "History"), rows);
}

#[test]
fn a_document_has_no_other_state_of_its_own() {
    for (source, name, derived) in DERIVED {
        let found: BTreeSet<String> = fields(source, name).into_iter().collect();
        let derived: BTreeSet<String> = derived.iter().map(|field| (*field).to_owned()).collect();
        assert_eq!(
            found, derived,
            "{name}: derive a new field from the text, and name it here; otherwise it belongs to `History`"
        );
    }
}
