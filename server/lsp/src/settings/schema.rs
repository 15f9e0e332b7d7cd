//! The settings in words and as a JSON schema: docs/settings.md and docs/settings.schema.json are made from this list, which is held
//! against what [`super::Settings::read`] understands. `UPDATE=1 cargo test -p ptx-analyzer schema` writes the files.

use super::{Settings, section};
use crate::levels::NAMES;
use ptx_analysis::Code;
use ptx_interp::findings::Kind;
use serde_json::{Map, Value, json};
use std::path::Path;

/// A setting: its name below `ptx-analyzer`, what it takes in words, its default, and what it does.
struct Setting {
    name: &'static str,
    takes: &'static str,
    default: fn() -> Value,
    does: &'static str,
}

const SETTINGS: &[Setting] = &[
    Setting {
        name: "codeLens.enable",
        takes: "boolean",
        default: || json!(true),
        does: "whether to show code lenses: lines above declarations",
    },
    Setting {
        name: "codeLens.branches",
        takes: "boolean",
        default: || json!(false),
        does: "from how many places execution goes to a label",
    },
    Setting {
        name: "codeLens.calls",
        takes: "boolean",
        default: || json!(true),
        does: "how often a function is called",
    },
    Setting {
        name: "codeLens.evaluate",
        takes: "boolean",
        default: || json!(true),
        does: "an action above each kernel that executes it and shows what its lanes hold",
    },
    Setting {
        name: "codeLens.registers",
        takes: "boolean",
        default: || json!(true),
        does: "how many registers a function needs, as estimated, and how many of its warps run at a time",
    },
    Setting {
        name: "codeLens.uses",
        takes: "boolean",
        default: || json!(false),
        does: "how often a variable of the module is used",
    },
    Setting {
        name: "completion.enable",
        takes: "boolean",
        default: || json!(true),
        does: "whether to complete what is typed",
    },
    Setting {
        name: "completion.signatures",
        takes: "boolean",
        default: || json!(true),
        does: "whether to show the forms of the instruction whose operands are written",
    },
    Setting {
        name: "completion.snippets",
        takes: "boolean",
        default: || json!(true),
        does: "whether whole forms and pieces of programs are offered, with places to fill in, if the editor can do that",
    },
    Setting {
        name: "completion.unavailable",
        takes: "boolean",
        default: || json!(true),
        does: "whether to list, last and marked, what the module's version or target has not got",
    },
    Setting {
        name: "diagnostics.enable",
        takes: "boolean",
        default: || json!(true),
        does: "whether to report anything",
    },
    Setting {
        name: "diagnostics.disabled",
        takes: "list of codes",
        default: || json!([]),
        does: "these are not reported, for instance `[\"deprecated\"]`; the same as `off` in `diagnostics.severity`",
    },
    Setting {
        name: "diagnostics.holdBack",
        takes: "boolean",
        default: || json!(true),
        does: "whether diagnostics that the next keys may make go away wait for a pause in typing",
    },
    Setting {
        name: "diagnostics.severity",
        takes: "code → level",
        default: || json!({}),
        does: "another level for a code: `error`, `warning`, `information`, `hint` or `off`; whatever is off by default is switched on by naming a level",
    },
    Setting {
        name: "diagnostics.limit",
        takes: "number",
        default: || json!(1000),
        does: "how many are reported of one document, the worst first",
    },
    Setting {
        name: "evaluation.enable",
        takes: "boolean",
        default: || json!(true),
        does: "whether kernels can be executed by the interpreter, to see what every lane holds",
    },
    Setting {
        name: "evaluation.find",
        takes: "list of kinds",
        default: || json!([]),
        does: "what is looked for beside what is looked for anyhow: `nan`",
    },
    Setting {
        name: "evaluation.hints",
        takes: "boolean",
        default: || json!(true),
        does: "whether the values of the chosen lane are shown at the ends of lines after an evaluation",
    },
    Setting {
        name: "evaluation.live",
        takes: "boolean",
        default: || json!(true),
        does: "whether a kernel that was evaluated is evaluated again after an edit, for a quarter of a second at most",
    },
    Setting {
        name: "evaluation.steps",
        takes: "number",
        default: || json!(10_000_000),
        does: "a run stops after so many warp instructions",
    },
    Setting {
        name: "evaluation.without",
        takes: "list of kinds",
        default: || json!([]),
        does: "what is not looked for: `race`, `uninitialized-memory` … (docs/interpreter.md)",
    },
    Setting {
        name: "formatting.alignComments",
        takes: "boolean",
        default: || json!(true),
        does: "comments behind consecutive lines stand in a column",
    },
    Setting {
        name: "formatting.alignDeclarations",
        takes: "boolean",
        default: || json!(true),
        does: "the parts of consecutive declarations stand in columns",
    },
    Setting {
        name: "formatting.blankLines",
        takes: "number",
        default: || json!(2),
        does: "how many blank lines may follow each other",
    },
    Setting {
        name: "formatting.onType",
        takes: "boolean",
        default: || json!(true),
        does: "indent a line when its semicolon, brace, colon or end is typed, if the editor asks for it",
    },
    Setting {
        name: "formatting.operandColumn",
        takes: "number",
        default: || json!(20),
        does: "room for an opcode with its modifiers before the operands; 0 aligns nothing",
    },
    Setting {
        name: "formatting.operands",
        takes: "`column`, `run` or `off`",
        default: || json!("column"),
        does: "where operands begin: in one column all over the file, in one for each run of consecutive instructions, or right behind the opcode",
    },
    Setting {
        name: "formatting.outdentGuards",
        takes: "boolean",
        default: || json!(true),
        does: "guard predicates stand one level further left than opcodes, in a column of their own",
    },
    Setting {
        name: "formatting.outdentLabels",
        takes: "boolean",
        default: || json!(true),
        does: "labels stand one level further left than instructions",
    },
    Setting {
        name: "formatting.width",
        takes: "number",
        default: || json!(100),
        does: "what fits into so many columns may stand in one line; nothing is broken that the author did not break, but lists of parameters",
    },
    Setting { name: "hover.enable", takes: "boolean", default: || json!(true), does: "whether to answer hovers" },
    Setting {
        name: "inlayHints.enable",
        takes: "boolean",
        default: || json!(true),
        does: "whether to show inlay hints: what a line says without writing it",
    },
    Setting {
        name: "inlayHints.arguments",
        takes: "boolean",
        default: || json!(true),
        does: "the names of parameters before the arguments of a call",
    },
    Setting {
        name: "inlayHints.constants",
        takes: "boolean",
        default: || json!(true),
        does: "the values of constant expressions",
    },
    Setting {
        name: "inlayHints.decoded",
        takes: "boolean",
        default: || json!(true),
        does: "what truth tables, selectors, masks and the like mean: `= a & ~b` behind a table of `lop3`",
    },
    Setting {
        name: "inlayHints.defaults",
        takes: "off, notable or all",
        default: || json!("notable"),
        does: "what modifiers mean that are not written: `atom.add` is `atom.relaxed.gpu.add`; `notable` are those that one may forget, orderings and scopes",
    },
    Setting {
        name: "inlayHints.elements",
        takes: "boolean",
        default: || json!(true),
        does: "the element of an array behind an offset in bytes: `[table+16]` is `table[4]`",
    },
    Setting {
        name: "inlayHints.floats",
        takes: "boolean",
        default: || json!(true),
        does: "the values of floating-point numbers that are written as bits: `0f3F800000` is 1.0",
    },
    Setting {
        name: "inlayHints.offsets",
        takes: "boolean",
        default: || json!(false),
        does: "where the parameters of a kernel begin",
    },
    Setting {
        name: "inlayHints.registers",
        takes: "off, peaks or all",
        default: || json!("peaks"),
        does: "how many registers hold a value: where the number peaks in a function, or in every line",
    },
    Setting {
        name: "inlayHints.shapes",
        takes: "boolean",
        default: || json!(true),
        does: "the shapes of matrix operands, at the first of a run of equal instructions",
    },
    Setting {
        name: "inlayHints.sources",
        takes: "boolean",
        default: || json!(true),
        does: "the file and line that `.loc` names by number, unless a comment or the `.loc` before says the same",
    },
    Setting {
        name: "inlayHints.types",
        takes: "boolean",
        default: || json!(false),
        does: "the types of registers where they are written",
    },
    Setting {
        name: "project.targets",
        takes: "list of names",
        default: || json!([]),
        does: "the architectures that the code is for, such as `[\"sm_80\", \"sm_90\"]`: what one of them has not got is a warning, though `.target` allows it",
    },
    Setting {
        name: "project.version",
        takes: "version",
        default: || json!(""),
        does: "the newest PTX version that may be used, such as `\"7.8\"`: what needs a newer one is a warning, though `.version` allows it",
    },
    Setting {
        name: "ptxas.path",
        takes: "absolute path",
        default: || json!(""),
        does: "NVIDIA's assembler, to compare registers with; never looked for, and taken from the initialization options of a client that vouches for them alone: [how](ptxas.md)",
    },
    Setting {
        name: "ptxas.arguments",
        takes: "list of options",
        default: || json!([]),
        does: "what it is called with besides, such as `[\"--maxrregcount\", \"64\"]`: options that change the code, none that name a file",
    },
    Setting { name: "ptxas.timeout", takes: "number", default: || json!(60), does: "how many seconds it may take" },
    Setting {
        name: "semanticTokens.enable",
        takes: "boolean",
        default: || json!(true),
        does: "whether to say what each word is, for its colour",
    },
    Setting {
        name: "semanticTokens.standardOnly",
        takes: "boolean",
        default: || json!(false),
        does: "only kinds that the protocol knows: an opcode is a `function`, a register a `variable`; [all kinds](semantic-tokens.md)",
    },
    Setting {
        name: "semanticTokens.limit",
        takes: "number",
        default: || json!(1048576),
        does: "longer texts, in bytes, get tokens for what is on the screen, if the editor asks for that, but none for all of the text",
    },
    Setting {
        name: "target",
        takes: "name",
        default: || json!(""),
        does: "check as if `.target` named this architecture, such as `\"sm_90a\"`",
    },
    Setting {
        name: "workspace.diagnostics",
        takes: "boolean",
        default: || json!(true),
        does: "whether files that are not open are checked when the editor asks for the diagnostics of the whole workspace; errors and warnings of them are reported",
    },
    Setting {
        name: "workspace.exclude",
        takes: "list of globs",
        default: || json!([]),
        does: "files and folders that are left out, relative to each folder of the workspace, such as `[\"build\", \"**/old_*.ptx\"]`; what is hidden or ignored by git is left out anyhow",
    },
    Setting {
        name: "workspace.files",
        takes: "number",
        default: || json!(5000),
        does: "how many files that are not open are looked at",
    },
    Setting {
        name: "workspace.megabytes",
        takes: "number",
        default: || json!(32),
        does: "bigger files are left out while they are not open",
    },
];

/// The rows of the table in docs/settings.md.
fn rows() -> String {
    let row = |s: &Setting| {
        let default = (s.default)().to_string();
        let default = if default == "\"\"" { "none".to_owned() } else { format!("`{default}`") };
        format!("| `{}` | {} | {default} | {} |\n", s.name, s.takes, s.does)
    };
    SETTINGS.iter().map(row).collect()
}

/// The settings as a schema, with full names as keys.
fn schema() -> Value {
    let codes = || Code::ALL.iter().map(|c| c.name());
    let kinds = || Kind::optional().map(Kind::name);
    let mut properties = Map::new();
    for setting in SETTINGS {
        let mut value = match setting.takes {
            "boolean" => json!({ "type": "boolean" }),
            "off, notable or all" => json!({ "type": "string", "enum": ["off", "notable", "all"] }),
            "off, peaks or all" => json!({ "type": "string", "enum": ["off", "peaks", "all"] }),
            "number" => json!({ "type": "integer", "minimum": 0 }),
            "list of codes" => {
                json!({ "type": "array", "items": { "enum": codes().collect::<Vec<_>>() }, "uniqueItems": true })
            }
            "list of kinds" => {
                json!({ "type": "array", "items": { "enum": kinds().collect::<Vec<_>>() }, "uniqueItems": true })
            }
            "list of names" | "list of globs" => {
                json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true })
            }
            // An option may be there twice, with other values.
            "list of options" => json!({ "type": "array", "items": { "type": "string" } }),
            "code → level" => {
                let levels: Map<String, Value> = codes().map(|c| (c.to_owned(), json!({ "enum": NAMES }))).collect();
                json!({ "type": "object", "properties": levels, "additionalProperties": false })
            }
            "`column`, `run` or `off`" => json!({ "enum": ["column", "run", "off"] }),
            _ => json!({ "type": "string" }),
        };
        value["default"] = (setting.default)();
        value["markdownDescription"] = json!(capitalised(setting.does));
        properties.insert(format!("{}.{}", super::SECTION, setting.name), value);
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Settings of ptx-analyzer",
        "type": "object",
        "properties": properties,
    })
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect()) + "."
}

/// `{"diagnostics": {"enable": true}}` for `diagnostics.enable`.
fn nested(name: &str, value: Value) -> Value {
    name.rsplit('.').fold(value, |inner, key| json!({ key: inner }))
}

fn docs(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// Compares a file, or writes it where that is asked for.
fn hold(name: &str, wanted: &str) {
    let path = docs(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, wanted).expect("a file that can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(found == wanted, "docs/{name} is not up to date: UPDATE=1 cargo test -p ptx-analyzer schema");
}

#[test]
fn the_schema_is_that_of_the_settings() {
    for setting in SETTINGS {
        let value = nested(setting.name, (setting.default)());
        assert!(section(&value).is_some(), "{} is not recognised", setting.name);
        let (settings, problems) = Settings::read(&value);
        assert!(problems.is_empty(), "{}: {problems:?}", setting.name);
        assert_eq!(settings, Settings::default(), "{}", setting.name);
        let (_, problems) = Settings::read(&nested(setting.name, json!({ "no-such": 1 })));
        assert!(!problems.is_empty(), "{} takes anything", setting.name);
    }
}

#[test]
fn the_schema_is_in_the_documents() {
    let page = std::fs::read_to_string(docs("settings.md")).expect("a page").replace("\r\n", "\n");
    let (before, rest) = page.split_once("|---|---|---|---|\n").expect("a table");
    let after = rest.find("\n\n").map_or("", |at| &rest[at + 1..]);
    hold("settings.md", &format!("{before}|---|---|---|---|\n{}{after}", rows()));
    let schema = serde_json::to_string_pretty(&schema()).expect("JSON");
    hold("settings.schema.json", &format!("{schema}\n"));
}
