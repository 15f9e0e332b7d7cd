//! The door to the meaning of PTX (`ptx-analysis`), and what each crate and room behind it never knows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates behind the door.
const BEHIND: &[&str] = &["ptx-sema", "ptx-flow", "ptx-check"];

/// The crates that may name one of these: themselves, the door, and the machine with what stands on it.
const NEIGHBOURS: &[&str] = &["sema", "flow", "check", "analysis", "interp", "launch", "view", "dap"];

/// The most names that the door may have. Raise it only for a name that answers a question of its own.
const MAX_NAMES: usize = 164;

fn server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../server")
}

/// The sources below a folder, or one source, as code: without comments and unit tests.
fn sources(path: &Path) -> BTreeMap<PathBuf, String> {
    let mut out = BTreeMap::new();
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).expect("a folder").map(|e| e.expect("an entry").path()));
        } else if path.extension().is_some_and(|e| e == "rs") && path.file_stem().is_none_or(|stem| stem != "tests") {
            let text = std::fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
            out.insert(path, lines.collect::<Vec<_>>().join("\n"));
        }
    }
    out
}

/// The words of a code.
fn words(code: &str) -> BTreeSet<&str> {
    code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}

#[test]
fn other_crates_come_through_the_door() {
    let mut through = 0;
    for folder in std::fs::read_dir(server()).expect("the crates").map(|e| e.expect("an entry").path()) {
        let name = folder.file_name().and_then(|n| n.to_str()).expect("a name");
        let Ok(manifest) = std::fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let names = |krate: &str| manifest.lines().any(|line| line.starts_with(&format!("{krate}.workspace")));
        through += usize::from(names("ptx-analysis"));
        if NEIGHBOURS.contains(&name) {
            assert!(!names("ptx-analysis"), "{name} stands beside or below the door");
            continue;
        }
        let wrong: Vec<&&str> = BEHIND.iter().filter(|krate| names(krate)).collect();
        assert!(wrong.is_empty(), "{name} must use ptx-analysis instead of {wrong:?}");
    }
    assert!(through > 4, "{through} crates come through the door");
}

/// The names that the door exports: those in its `pub use`.
fn exported(code: &str) -> Vec<String> {
    let uses = code.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let leaf = |path: &str| path.trim().rsplit("::").next().unwrap_or_default().trim().to_owned();
    let leaves = uses.flat_map(|path| match path.split_once('{') {
        Some((_, list)) => list.trim_end().trim_end_matches('}').split(',').map(leaf).collect(),
        None => vec![leaf(path)],
    });
    leaves.filter(|name| !name.is_empty()).collect()
}

#[test]
fn the_door_has_nothing_of_its_own() {
    let sources = sources(&server().join("analysis/src"));
    assert_eq!(sources.len(), 1, "{:?}", sources.keys());
    let code = sources.into_values().next().expect("the door");
    for item in ["fn", "struct", "enum", "trait", "impl", "const", "static", "macro_rules", "type"] {
        assert!(!words(&code).contains(item), "the door has a `{item}` of its own");
    }
    let names = exported(&code);
    assert!(names.len() > 50 && names.contains(&"Semantics".to_owned()), "{names:?}");
    assert!(names.len() <= MAX_NAMES, "the door has {} names: is each of them needed?", names.len());
    // What nobody takes is not part of the door.
    let mut used = String::new();
    for folder in ["ide", "host", "lsp", "cli", "nvidia", "python"].map(|name| server().join(name)) {
        if folder.exists() {
            used.extend(self::sources(&folder.join("src")).into_values());
        }
    }
    let used = words(&used);
    let unused: Vec<&String> = names.iter().filter(|name| !used.contains(name.as_str())).collect();
    assert!(unused.is_empty(), "no crate uses {unused:?}");
}

/// A room, and what no source in it may name.
struct Room {
    /// Paths below `server`.
    paths: &'static [&'static str],
    /// Words, or the beginnings of paths.
    never: &'static [&'static str],
    /// The least number of sources, so that a renamed folder is noticed.
    least: usize,
}

const ROOMS: &[Room] = &[
    // Says what does not match as data.
    Room { paths: &["sema/src"], never: &["Diagnostic", "Severity", "FlowFunction"], least: 30 },
    Room { paths: &["flow/src"], never: &["Diagnostic", "Severity", "Analyzer"], least: 40 },
    // The lower half of the registry: a rule depends on it, it on no rule.
    Room {
        paths: &["check/src/code.rs", "check/src/diagnostic.rs", "check/src/finding.rs"],
        never: &["rules", "lints", "registry"],
        least: 3,
    },
    // A rule remembers nothing, and does not know when it is asked.
    Room {
        paths: &["check/src/rules", "check/src/lints"],
        never: &["incremental", "memo", "crate::body", "registry", "codes", "inline", "Analyzer"],
        least: 90,
    },
    // What is remembered does not depend on which rules there are.
    Room { paths: &["check/src/incremental", "check/src/memo.rs"], never: &["rules", "Code::"], least: 14 },
    // The state of a run is data: what happens to it stands above.
    Room {
        paths: &["interp/src/machine/state"],
        never: &["ExecContext", "Machine", "Executable", "FunctionCode", "OpAction"],
        least: 20,
    },
];

/// Whether a code has a word, or a path that begins so.
fn is_named(name: &str, code: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        !before.ends_with(is_part) && (name.ends_with("::") || !after.starts_with(is_part))
    })
}

#[test]
fn no_room_knows_what_it_must_not() {
    for Room { paths, never, least } in ROOMS {
        let sources: BTreeMap<_, _> = paths.iter().flat_map(|path| sources(&server().join(path))).collect();
        assert!(sources.len() >= *least, "{paths:?} has only {} sources", sources.len());
        for (path, code) in &sources {
            // Words in texts for users are not names.
            let code: String = code.split('"').step_by(2).collect::<Vec<_>>().join(" ");
            let wrong: Vec<&&str> = never.iter().filter(|name| is_named(name, &code)).collect();
            assert!(wrong.is_empty(), "{} must not know {wrong:?}", path.display());
        }
    }
}
