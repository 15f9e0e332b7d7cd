//! The allowed dependencies between crates, compared with `cargo metadata`, so that no crate gets a new dependency by
//! accident, and the circles among the modules of a crate.
//!
//! `cargo modules dependencies --acyclic` finds circles too. It stands on all of rust-analyzer, has to be compiled where the tests run, and
//! names neither the line of a dependency nor a limit. What a test needs is in `layering/`: the tokens of the sources and their paths.

mod graph;
mod made_up;
mod source;

use graph::{Circle, Graph};
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
    ("ptx-embed", &["memchr", "ptx-isa", "ptx-syntax"]),
    ("ptx-num", &["libm", "ptx-isa"]),
    // The language of launches, without a machine and without a meaning of PTX.
    ("ptx-launch-syntax", &["ptx-num", "ptx-syntax", "strsim"]),
    ("ptx-interp", &["bytemuck", "ptx-flow", "ptx-gate", "ptx-isa", "ptx-num", "ptx-sema", "ptx-syntax"]),
    (
        "ptx-ide",
        &[
            "cpp_demangle",
            "memchr",
            "ptx-analysis",
            "ptx-gate",
            "ptx-isa",
            "ptx-launch-syntax",
            "ptx-syntax",
            "rustc-demangle",
            "strsim",
        ],
    ),
    (
        "ptx-host",
        &["memchr", "ptx-analysis", "ptx-embed", "ptx-gate", "ptx-ide", "ptx-isa", "ptx-syntax", "rustc-hash"],
    ),
    (
        "ptx-launch",
        &[
            "ptx-check",
            "ptx-clock",
            "ptx-flow",
            "ptx-gate",
            "ptx-interp",
            "ptx-isa",
            "ptx-launch-syntax",
            "ptx-num",
            "ptx-sema",
            "ptx-syntax",
            "schemars",
            "serde",
            "serde_json",
            "toml",
        ],
    ),
    ("ptx-view", &["ptx-flow", "ptx-gate", "ptx-interp", "ptx-isa", "ptx-launch", "ptx-num", "schemars", "serde"]),
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
            "ptx-launch-syntax",
            "ptx-num",
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
            "ptx-launch-syntax",
            "ptx-num",
            "ptx-sema",
            "ptx-syntax",
            "ptx-view",
            "ptx-wire",
            "serde",
            "serde_json",
            "tracing",
        ],
    ),
    (
        "ptx-lsp",
        &[
            "dashmap",
            "futures",
            "ignore",
            "memchr",
            "ptx-analysis",
            "ptx-clock",
            "ptx-embed",
            "ptx-gate",
            "ptx-host",
            "ptx-ide",
            "ptx-interp",
            "ptx-isa",
            "ptx-launch",
            "ptx-launch-syntax",
            "ptx-num",
            "ptx-nvidia",
            "ptx-syntax",
            "ptx-view",
            "ptx-wire",
            "rustix",
            "serde",
            "serde_json",
            "tokio",
            "tower-lsp-server",
            "tower-service",
            "tracing",
            "tracing-subscriber",
            "windows-sys",
        ],
    ),
    (
        "ptx-analyzer",
        &[
            "annotate-snippets",
            "anstream",
            "clap",
            "clap_complete",
            "clap_mangen",
            "libmimalloc-sys",
            "maud",
            "mimalloc",
            "ptx-analysis",
            "ptx-dap",
            "ptx-embed",
            "ptx-gate",
            "ptx-host",
            "ptx-ide",
            "ptx-interp",
            "ptx-isa",
            "ptx-launch",
            "ptx-launch-syntax",
            "ptx-lsp",
            "ptx-mcp",
            "ptx-nvidia",
            "ptx-syntax",
            "ptx-view",
            "pulldown-cmark",
            "serde",
            "serde_json",
            "terminal_size",
            "tracing",
            "tracing-subscriber",
            "tree-sitter",
            "unicode-width",
        ],
    ),
    (
        "ptx-tests",
        &["flate2", "ptx-check", "ptx-flow", "ptx-host", "ptx-ide", "ptx-isa", "ptx-sema", "ptx-syntax", "serde_json"],
    ),
];

/// Dependencies that only the crates in `SERVERS` may have.
const PROTOCOL: &[&str] = &["tower-lsp-server", "tokio", "ls-types", "lsp-types", "rmcp", "url"];
const SERVERS: &[&str] = &["ptx-lsp", "ptx-mcp"];

/// The crates that may use JSON: those that communicate with other programs.
const JSON: &[&str] =
    &["ptx-analyzer", "ptx-dap", "ptx-launch", "ptx-lsp", "ptx-mcp", "ptx-nvidia", "ptx-tests", "ptx-web", "ptx-wire"];

/// Direct dependencies of each workspace crate, without development and build dependencies, and without those that a feature has to ask for
/// unless these are `optional` too.
fn dependencies(optional: bool) -> BTreeMap<String, Vec<String>> {
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
        let is_wanted = |d: &&Value| d["kind"].is_null() && (optional || d["optional"] != true);
        all.iter().filter(is_wanted).map(name).collect()
    };
    list(&metadata["packages"]).iter().map(|p| (name(p), of(p))).collect()
}

#[test]
fn crates_know_only_what_lies_below_them() {
    let dependencies = dependencies(true);
    for (name, used) in &dependencies {
        let allowed = ALLOWED.iter().find(|(listed, _)| listed == name);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{name} is not in the list of allowed dependencies"));
        let wrong: Vec<&String> = used.iter().filter(|d| !allowed.contains(&d.as_str())).collect();
        assert!(wrong.is_empty(), "{name} must not depend on {wrong:?}");
    }
    for (name, _) in ALLOWED {
        assert!(dependencies.contains_key(*name), "{name} is not in the workspace");
    }
}

/// The fuzz targets are a workspace of their own. Cargo does not update its lock file when a crate here gets a dependency.
#[test]
fn the_lock_file_of_the_fuzz_targets_is_current() {
    let lock = include_str!("../../fuzz/Cargo.lock");
    // What only a feature asks for is not in the lock file of others.
    let dependencies = dependencies(false);
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
    for (name, found) in &dependencies(true) {
        let known = |crates: &[&str], dependency: &str| crates.contains(&dependency);
        let wrong =
            |d: &&String| known(PROTOCOL, d) && !known(SERVERS, name) || *d == "serde_json" && !known(JSON, name);
        let wrong: Vec<&String> = found.iter().filter(wrong).collect();
        assert!(wrong.is_empty(), "{name} must not depend on {wrong:?}");
    }
}

/// The most modules or files that a circle may have. What is larger has types that belong below it.
const MAX_CIRCLE: usize = 3;

/// The circles that remain among modules beside each other: crate, number of circles, modules in the largest one.
///
/// These numbers may only get smaller.
const MODULE_CIRCLES: &[(&str, CircleLimit)] = &[
    ("check", CircleLimit { circles: 1, largest: 2 }),
    ("flow", CircleLimit { circles: 2, largest: 2 }),
    // An operation calls a function with a context, the context has the machine, and the machine the operations.
    ("interp", CircleLimit { circles: 1, largest: 3 }),
    ("launch-syntax", CircleLimit { circles: 1, largest: 3 }),
    ("sema", CircleLimit { circles: 2, largest: 2 }),
];

/// The same among files, where a file and the folder beside it are two: `hover.rs` that calls `hover/register.rs`, which uses what `hover.rs`
/// declares. Crates that are not here have none.
const FILE_CIRCLES: &[(&str, CircleLimit)] = &[
    ("check", CircleLimit { circles: 3, largest: 3 }),
    ("cli", CircleLimit { circles: 3, largest: 3 }),
    ("embed", CircleLimit { circles: 5, largest: 3 }),
    ("flow", CircleLimit { circles: 4, largest: 3 }),
    ("gate", CircleLimit { circles: 1, largest: 2 }),
    ("host", CircleLimit { circles: 1, largest: 2 }),
    ("ide", CircleLimit { circles: 5, largest: 3 }),
    ("interp", CircleLimit { circles: 5, largest: 3 }),
    ("isa", CircleLimit { circles: 1, largest: 3 }),
    ("launch-syntax", CircleLimit { circles: 1, largest: 3 }),
    ("lsp", CircleLimit { circles: 5, largest: 2 }),
    ("sema", CircleLimit { circles: 4, largest: 2 }),
    ("syntax", CircleLimit { circles: 1, largest: 2 }),
];

/// The modules of `lsp`, from the top; docs/architecture.md says what each row knows. A module knows only rows below it, and its own.
const LSP_ROWS: &[&[&str]] = &[
    &["native", "embedded"],
    &["backend", "host"],
    &["handlers", "worker"],
    &["evaluation", "gate"],
    &["places", "progress", "refresh", "walk"],
    &["server"],
    &["state"],
    &["document", "history", "runs", "workspace", "ptxas", "nvdisasm", "vouched", "compile_commands", "transport"],
    &["settings", "folders", "globs", "platform", "session", "convert", "encoder", "cancel", "trouble"],
    &["levels", "log", "moved", "position", "priority", "protocol", "spelling", "sync", "unreadable", "windows"],
];

#[test]
fn modules_of_the_server_know_only_rows_below() {
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/lsp/src"));
    let row = |name: &str| {
        let row = LSP_ROWS.iter().position(|row| row.contains(&name));
        row.unwrap_or_else(|| panic!("`{name}` of server/lsp is in no row"))
    };
    let edges = Graph::read(&files, "lib.rs").room_edges();
    let upward: Vec<_> = edges.iter().filter(|(from, to)| row(from) > row(to)).collect();
    assert!(upward.is_empty(), "these know a row above: {upward:?}");
    assert!(edges.len() > 50, "{edges:?}");
}

/// How many circles a crate may have, and how large one may be.
#[derive(Debug, Clone, Copy, Default)]
struct CircleLimit {
    circles: usize,
    largest: usize,
}

#[test]
fn modules_of_a_crate_know_each_other_in_one_direction() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server");
    let mut wrong = Vec::new();
    let mut crates = BTreeSet::new();
    for folder in std::fs::read_dir(&server).expect("the crates").map(|e| e.expect("an entry").path()) {
        let name = folder.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let files = sources(&folder.join("src"));
        let roots = ["lib.rs", "main.rs"].into_iter().filter(|root| files.contains_key(*root));
        let graphs: Vec<Graph> = roots.map(|root| Graph::read(&files, root)).collect();
        let circles = |find: fn(&Graph) -> Vec<Circle>| graphs.iter().flat_map(find).collect::<Vec<Circle>>();
        check(&name, MODULE_CIRCLES, &circles(Graph::module_circles), &mut wrong);
        check(&name, FILE_CIRCLES, &circles(Graph::file_circles), &mut wrong);
        crates.insert(name);
    }
    for (name, limit) in MODULE_CIRCLES.iter().chain(FILE_CIRCLES) {
        assert!(crates.contains(*name), "server/{name} has a limit and does not exist");
        assert!(limit.largest <= MAX_CIRCLE, "server/{name} may have a circle of {}", limit.largest);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Compares the circles of a crate with a list of limits.
fn check(name: &str, limits: &[(&str, CircleLimit)], circles: &[Circle], wrong: &mut Vec<String>) {
    let listed = limits.iter().find(|(listed, _)| *listed == name).map(|(_, limit)| *limit);
    let limit = listed.unwrap_or_default();
    let largest = circles.iter().map(|circle| circle.nodes.len()).max().unwrap_or(0);
    if listed.is_some() && circles.is_empty() {
        wrong.push(format!("server/{name} has no circle any more: remove its limit"));
    }
    if circles.len() <= limit.circles && largest <= limit.largest {
        return;
    }
    wrong.push(format!("server/{name} may have {} circles of at most {}, and has:", limit.circles, limit.largest));
    for Circle { nodes, edges } in circles {
        wrong.push(format!("{nodes:?}\n    {}", edges.join("\n    ")));
    }
}

/// Reads the sources of a crate.
fn sources(folder: &Path) -> source::Files {
    let mut out = source::Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for path in std::fs::read_dir(&next).expect("a folder of sources").map(|e| e.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(folder).expect("in the folder").to_string_lossy().replace('\\', "/");
                out.insert(name, std::fs::read_to_string(&path).expect("a source"));
            }
        }
    }
    out
}
