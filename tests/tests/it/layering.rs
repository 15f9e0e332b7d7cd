//! Who may know whom: read from `cargo metadata`, so that no crate grows a dependency by the way.

use std::collections::BTreeMap;
use std::process::Command;

/// What each crate may depend on when it is built for users.
const ALLOWED: &[(&str, &[&str])] = &[
    ("ptx-isa", &[]),
    ("tree-sitter-ptx", &["tree-sitter-language"]),
    ("ptx-syntax", &["memchr", "ropey", "tree-sitter", "tree-sitter-ptx"]),
    ("ptx-analysis", &["memchr", "ptx-isa", "ptx-syntax", "rustc-hash", "strsim", "xxhash-rust"]),
    ("ptx-interp", &["bytemuck", "ptx-analysis", "ptx-isa"]),
    ("ptx-ide", &["cpp_demangle", "memchr", "ptx-analysis", "ptx-isa", "ptx-syntax", "rustc-demangle", "strsim"]),
];

/// What no crate below the protocol layer may need, by any way.
const PROTOCOL: &[&str] = &["tower-lsp-server", "tokio", "ls-types", "lsp-types", "serde_json", "url"];

/// `"name":"…"` values, in order, out of a piece of JSON. The test needs three keys of a well-known format, not a parser.
fn strings<'j>(json: &'j str, key: &str) -> Vec<&'j str> {
    let marker = format!("\"{key}\":\"");
    json.match_indices(&marker).filter_map(|(at, _)| json[at + marker.len()..].split('"').next()).collect()
}

/// Direct dependencies of each workspace crate, without those for development and for the build.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let run = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path", manifest])
        .output()
        .expect("cargo runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let json = String::from_utf8(run.stdout).expect("metadata is UTF-8");
    let mut out = BTreeMap::new();
    // In each package its name stands before its dependencies, and nothing else with a name in between.
    for (at, _) in json.match_indices("\"dependencies\":[") {
        let name = strings(&json[..at], "name").last().copied().unwrap_or("").to_owned();
        let list = &json[at..json[at..].find("],\"targets\"").map_or(json.len(), |end| at + end)];
        let wanted = list
            .split("{\"name\":\"")
            .skip(1)
            .filter(|d| d.contains("\"kind\":null"))
            .filter_map(|d| d.split('"').next())
            .map(str::to_owned)
            .collect();
        out.insert(name, wanted);
    }
    out
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

#[test]
fn nothing_below_the_protocol_knows_the_protocol() {
    for (name, found) in dependencies().iter().filter(|(n, _)| *n != "ptx-analyzer" && *n != "ptx-tests") {
        let wrong: Vec<&String> = found.iter().filter(|d| PROTOCOL.contains(&d.as_str())).collect();
        assert!(wrong.is_empty(), "{name} must not depend on {wrong:?}");
    }
}
