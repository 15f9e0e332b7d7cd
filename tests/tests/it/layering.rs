//! The allowed dependencies between crates and modules, compared with `cargo metadata`, so that no crate gets a new
//! dependency by accident.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The crates that each crate may depend on in a normal build.
const ALLOWED: &[(&str, &[&str])] = &[
    ("ptx-clock", &[]),
    (
        "ptx-gate",
        &["fluent-uri", "ignore", "percent-encoding", "rustix", "tempfile", "typed-path", "unicode-normalization"],
    ),
    ("ptx-isa", &[]),
    ("tree-sitter-ptx", &["tree-sitter-language"]),
    ("ptx-syntax", &["memchr", "ropey", "tree-sitter", "tree-sitter-ptx"]),
    ("ptx-sema", &["memchr", "ptx-isa", "ptx-syntax", "rustc-hash", "strsim", "xxhash-rust"]),
    ("ptx-flow", &["ptx-isa", "ptx-sema", "ptx-syntax", "rustc-hash"]),
    (
        "ptx-check",
        &[
            "ecow",
            "memchr",
            "ptx-flow",
            "ptx-gate",
            "ptx-isa",
            "ptx-sema",
            "ptx-syntax",
            "rustc-hash",
            "strsim",
            "xxhash-rust",
        ],
    ),
    // The door has nothing of its own.
    ("ptx-analysis", &["ptx-check", "ptx-flow", "ptx-sema"]),
    ("ptx-embed", &["memchr", "ptx-syntax"]),
    ("ptx-num", &["libm", "ptx-isa"]),
    ("ptx-interp", &["bytemuck", "ptx-flow", "ptx-gate", "ptx-isa", "ptx-num", "ptx-sema", "ptx-syntax", "strsim"]),
    (
        "ptx-ide",
        &["cpp_demangle", "memchr", "ptx-analysis", "ptx-gate", "ptx-isa", "ptx-syntax", "rustc-demangle", "strsim"],
    ),
    (
        "ptx-host",
        &["memchr", "ptx-analysis", "ptx-embed", "ptx-gate", "ptx-ide", "ptx-isa", "ptx-syntax", "rustc-hash"],
    ),
    (
        "ptx-launch",
        &["ptx-check", "ptx-clock", "ptx-flow", "ptx-gate", "ptx-interp", "ptx-syntax", "serde", "serde_json", "toml"],
    ),
    (
        "ptx-nvidia",
        &[
            "ptx-analysis",
            "ptx-gate",
            "ptx-ide",
            "ptx-syntax",
            "rustix",
            "serde_json",
            "signal-hook",
            "tracing",
            "windows-sys",
        ],
    ),
    ("ptx-wire", &["serde", "serde_json", "tracing"]),
    // It speaks a protocol for tools that it does not know.
    ("ptx-mcp", &["ptx-gate", "ptx-wire", "rmcp", "serde_json", "tokio", "tracing"]),
    // The server in a browser adds no feature and knows no protocol: only how work shares a thread.
    ("ptx-web", &["futures", "ptx-clock", "ptx-lsp", "ptx-wire", "serde", "serde_json", "tracing-subscriber"]),
    // The last four are only there so that tests find them compiled, see the feature `shared`.
    (
        "ptx-python",
        &[
            "ptx-analysis",
            "ptx-gate",
            "ptx-ide",
            "ptx-interp",
            "ptx-isa",
            "ptx-launch",
            "ptx-syntax",
            "pyo3",
            "aho-corasick",
            "regex-automata",
            "rustix",
            "smallvec",
        ],
    ),
    (
        "ptx-dap",
        &[
            "base64",
            "ptx-flow",
            "ptx-gate",
            "ptx-interp",
            "ptx-launch",
            "ptx-num",
            "ptx-sema",
            "ptx-syntax",
            "ptx-wire",
            "serde",
            "serde_json",
            "tracing",
        ],
    ),
];

/// Dependencies that only the crates in `SERVERS` may have.
const PROTOCOL: &[&str] = &["tower-lsp-server", "tokio", "ls-types", "lsp-types", "rmcp", "url"];
const SERVERS: &[&str] = &["ptx-lsp", "ptx-mcp"];

/// The crates that may use JSON: those that communicate with other programs.
const JSON: &[&str] =
    &["ptx-analyzer", "ptx-dap", "ptx-launch", "ptx-lsp", "ptx-mcp", "ptx-nvidia", "ptx-tests", "ptx-web", "ptx-wire"];

/// Direct dependencies of each workspace crate, without development and build dependencies.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let run = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path", manifest])
        .output()
        .expect("cargo runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let metadata: Value = serde_json::from_slice(&run.stdout).expect("metadata is JSON");
    let name = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let of = |package: &Value| {
        let all = list(&package["dependencies"]);
        all.iter().filter(|d| d["kind"].is_null()).map(name).collect()
    };
    list(&metadata["packages"]).iter().map(|p| (name(p), of(p))).collect()
}

#[test]
fn crates_know_only_what_lies_below_them() {
    let dependencies = dependencies();
    for (name, allowed) in ALLOWED {
        let found = dependencies.get(*name).unwrap_or_else(|| panic!("{name} is not in the workspace"));
        let wrong: Vec<&String> = found.iter().filter(|d| !allowed.contains(&d.as_str())).collect();
        assert!(wrong.is_empty(), "{name} must not depend on {wrong:?}");
    }
}

/// The fuzz targets are a workspace of their own. Cargo does not update its lock file when a crate here gets a dependency.
#[test]
fn the_lock_file_of_the_fuzz_targets_is_current() {
    let lock = include_str!("../../fuzz/Cargo.lock");
    let dependencies = dependencies();
    let mut compared = 0;
    for package in lock.split("[[package]]\n").skip(1).filter(|p| !p.contains("\nsource = ")) {
        let name = package.split('"').nth(1).expect("a name");
        let Some(needed) = dependencies.get(name) else { continue };
        let missing: Vec<&String> = needed.iter().filter(|d| !package.contains(&format!(" \"{d}"))).collect();
        assert!(missing.is_empty(), "tests/fuzz/Cargo.lock: {name} lacks {missing:?}. Run `cargo check` in tests/fuzz");
        compared += 1;
    }
    assert!(compared > 5, "only {compared} crates are in the lock file");
}

#[test]
fn only_servers_know_their_protocol() {
    for (name, found) in &dependencies() {
        let known = |crates: &[&str], dependency: &str| crates.contains(&dependency);
        let wrong =
            |d: &&String| known(PROTOCOL, d) && !known(SERVERS, name) || *d == "serde_json" && !known(JSON, name);
        let wrong: Vec<&String> = found.iter().filter(wrong).collect();
        assert!(wrong.is_empty(), "{name} must not depend on {wrong:?}");
    }
}

/// The top-level modules of a crate, each with the modules that its code uses. Tests may use any.
fn modules(crate_folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut out = BTreeMap::new();
    let mut folders = vec![(crate_folder.to_owned(), None)];
    while let Some((folder, top)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources").map(|e| e.expect("an entry").path()) {
            let stem = entry.file_stem().and_then(|s| s.to_str()).expect("a name").to_owned();
            if ["tests", "testing", "lib", "main"].contains(&stem.as_str()) {
                continue;
            }
            let module: String = top.clone().unwrap_or(stem);
            if entry.is_dir() {
                folders.push((entry, Some(module)));
            } else if entry.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&entry).expect("a source");
                let named: &mut BTreeSet<String> = out.entry(module.clone()).or_default();
                named.extend(named_modules(&text).filter(|name| *name != module));
            }
        }
    }
    out
}

/// The modules that a source names from the root of its crate, except in tests and comments.
fn named_modules(text: &str) -> impl Iterator<Item = String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code: String = code.lines().map(|l| l.split("//").next().unwrap_or_default().to_owned() + "\n").collect();
    let mut out = Vec::new();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for (at, path) in code.match_indices("crate::") {
        if code[..at].ends_with(|c| is_name(c) || c == ':' || c == '$') {
            continue;
        }
        let rest = &code[at + path.len()..];
        let name = |text: &str| text.trim_start().split(|c| !is_name(c)).next().unwrap_or_default().to_owned();
        match rest.strip_prefix('{') {
            // A list in braces: take the first name of each entry.
            Some(list) => {
                let end = list.find(';').unwrap_or(list.len());
                let mut depth = 0;
                let entries = list[..end].split(|c| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    depth == 0 && c == ','
                });
                out.extend(entries.map(name));
            }
            None => out.push(name(rest)),
        }
    }
    out.into_iter()
}

#[test]
fn modules_of_a_crate_know_each_other_in_one_direction() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server");
    for folder in std::fs::read_dir(&server).expect("the crates").map(|e| e.expect("an entry").path()) {
        let mut left = modules(&folder.join("src"));
        let names: BTreeSet<String> = left.keys().cloned().collect();
        left.values_mut().for_each(|named| named.retain(|n| names.contains(n)));
        // A module that uses none of the remaining ones is not part of a cycle.
        while let Some(free) = left.iter().find(|(_, named)| named.is_empty()).map(|(name, _)| name.clone()) {
            left.remove(&free);
            left.values_mut().for_each(|named| named.retain(|n| *n != free));
        }
        assert!(left.is_empty(), "{}: each of these leads back to itself or to a circle: {left:#?}", folder.display());
    }
}

#[test]
fn named_modules_are_found() {
    let text =
        "use crate::a::B;\nuse crate::{c, d::{E, F}, g};\n// crate::no\nfn f() { crate::h::i() }\nthing::crate::no";
    assert_eq!(named_modules(text).collect::<Vec<_>>(), ["a", "c", "d", "g", "h"]);
}
