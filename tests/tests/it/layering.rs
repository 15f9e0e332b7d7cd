//! Who may know whom: read from `cargo metadata`, so that no crate grows a dependency by the way.

use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// What each crate may depend on when it is built for users.
const ALLOWED: &[(&str, &[&str])] = &[
    ("ptx-isa", &[]),
    ("tree-sitter-ptx", &["tree-sitter-language"]),
    ("ptx-syntax", &["memchr", "ropey", "tree-sitter", "tree-sitter-ptx"]),
    ("ptx-analysis", &["memchr", "ptx-isa", "ptx-syntax", "rustc-hash", "strsim", "xxhash-rust"]),
    ("ptx-num", &["ptx-isa"]),
    ("ptx-interp", &["bytemuck", "ptx-analysis", "ptx-isa", "ptx-num", "strsim"]),
    ("ptx-ide", &["cpp_demangle", "memchr", "ptx-analysis", "ptx-isa", "ptx-syntax", "rustc-demangle", "strsim"]),
    ("ptx-launch", &["ptx-analysis", "ptx-interp", "ptx-syntax", "rustix", "serde", "serde_json", "toml"]),
    ("ptx-wire", &["serde", "serde_json", "tracing"]),
    (
        "ptx-dap",
        &[
            "base64",
            "ptx-analysis",
            "ptx-interp",
            "ptx-launch",
            "ptx-num",
            "ptx-syntax",
            "ptx-wire",
            "serde",
            "serde_json",
            "tracing",
        ],
    ),
];

/// What only these crates may need.
const PROTOCOL: &[&str] = &["tower-lsp-server", "tokio", "ls-types", "lsp-types", "url"];
const SERVERS: &[&str] = &["ptx-lsp"];

/// JSON is for what speaks with other programs.
const JSON: &[&str] = &["ptx-analyzer", "ptx-dap", "ptx-launch", "ptx-lsp", "ptx-tests", "ptx-wire"];

/// Direct dependencies of each workspace crate, without those for development and for the build.
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

#[test]
fn only_the_server_knows_the_protocol() {
    for (name, found) in &dependencies() {
        let known = |crates: &[&str], dependency: &str| crates.contains(&dependency);
        let wrong =
            |d: &&String| known(PROTOCOL, d) && !known(SERVERS, name) || *d == "serde_json" && !known(JSON, name);
        let wrong: Vec<&String> = found.iter().filter(wrong).collect();
        assert!(wrong.is_empty(), "{name} must not depend on {wrong:?}");
    }
}
