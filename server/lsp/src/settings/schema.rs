//! Generates the table in docs/settings.md and docs/settings.schema.json. `UPDATE=1 cargo test -p ptx-lsp --lib schema` writes
//! both; `npm run settings` in editors/vscode copies the schema to package.json.

use super::slot::{SettingSlot, list};
use super::{SECTION, SETTINGS, Setting, Settings, section};
use crate::levels::NAMES;
use ptx_analysis::Code;
use ptx_interp::findings::FaultKind;
use serde_json::{Map, Value, json};
use std::path::Path;

impl Setting {
    fn default(&self) -> Value {
        match (self.slot)(&mut Settings::default()) {
            SettingSlot::Flag(flag) => json!(flag),
            SettingSlot::Number(number, _) => json!(number),
            SettingSlot::Choice(choice) => json!(choice.word()),
            SettingSlot::Severities(_) => json!({}),
            SettingSlot::Disabled(_) | SettingSlot::Kinds(..) | SettingSlot::Targets(_) => json!([]),
            SettingSlot::Options(list) | SettingSlot::Globs(list) => json!(list),
            SettingSlot::Path(path) => json!(path),
            SettingSlot::Target(_) | SettingSlot::Version(_) => json!(""),
        }
    }

    /// Returns the type of the value in a word or two.
    fn takes(&self) -> String {
        let fixed = match (self.slot)(&mut Settings::default()) {
            SettingSlot::Choice(choice) => return list(choice.words(), "or"),
            SettingSlot::Flag(_) => "boolean",
            SettingSlot::Number(..) => "number",
            SettingSlot::Disabled(_) => "list of codes",
            SettingSlot::Severities(_) => "code → level",
            SettingSlot::Kinds(..) => "list of kinds",
            SettingSlot::Targets(_) => "list of names",
            SettingSlot::Target(_) => "name",
            SettingSlot::Version(_) => "version",
            SettingSlot::Path(_) => "absolute path",
            SettingSlot::Options(_) => "list of options",
            SettingSlot::Globs(_) => "list of globs",
        };
        fixed.to_owned()
    }

    fn schema(&self) -> Value {
        let set = |items: Value| json!({ "type": "array", "items": items, "uniqueItems": true });
        let codes = || Code::ALL.iter().map(|c| c.name());
        let mut schema = match (self.slot)(&mut Settings::default()) {
            SettingSlot::Flag(_) => json!({ "type": "boolean" }),
            SettingSlot::Number(..) => json!({ "type": "integer", "minimum": 0 }),
            SettingSlot::Choice(choice) => json!({ "type": "string", "enum": choice.words() }),
            SettingSlot::Disabled(_) => set(json!({ "enum": codes().collect::<Vec<_>>() })),
            SettingSlot::Severities(_) => {
                let levels: Map<String, Value> = codes().map(|c| (c.to_owned(), json!({ "enum": NAMES }))).collect();
                json!({ "type": "object", "properties": levels, "additionalProperties": false })
            }
            SettingSlot::Kinds(..) => {
                set(json!({ "enum": FaultKind::optional().map(FaultKind::name).collect::<Vec<_>>() }))
            }
            SettingSlot::Targets(_) | SettingSlot::Globs(_) => set(json!({ "type": "string" })),
            // An option may occur twice, with different values.
            SettingSlot::Options(_) => json!({ "type": "array", "items": { "type": "string" } }),
            SettingSlot::Target(_) | SettingSlot::Version(_) | SettingSlot::Path(_) => json!({ "type": "string" }),
        };
        schema["default"] = self.default();
        schema["markdownDescription"] = json!(capitalised(self.does));
        schema
    }
}

/// Returns the settings sorted by section, in a section in the order of declaration.
fn sorted() -> Vec<&'static Setting> {
    let mut settings: Vec<_> = SETTINGS.iter().collect();
    settings.sort_by_key(|s| s.section());
    settings
}

/// Returns the rows of the table in docs/settings.md.
fn rows() -> String {
    let row = |s: &Setting| {
        let default = s.default().to_string();
        let default = if default == "\"\"" { "none".to_owned() } else { format!("`{default}`") };
        format!("| `{}` | {} | {default} | {} |\n", s.name, s.takes(), s.does)
    };
    sorted().into_iter().map(row).collect()
}

/// Returns the settings as a JSON schema, with full names as keys.
fn schema() -> Value {
    let properties: Map<_, _> = SETTINGS.iter().map(|s| (format!("{SECTION}.{}", s.name), s.schema())).collect();
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

/// Returns nested objects for a name: `{"diagnostics": {"enable": true}}` for `diagnostics.enable`.
fn nested(name: &str, value: Value) -> Value {
    name.rsplit('.').fold(value, |inner, key| json!({ key: inner }))
}

fn docs(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// Compares a file with the expected text, or writes it if `UPDATE` is set.
fn hold(name: &str, wanted: &str) {
    let path = docs(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, wanted).expect("a file that can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(found == wanted, "docs/{name} is not up to date: UPDATE=1 cargo test -p ptx-lsp --lib schema");
}

#[test]
fn the_schema_is_that_of_the_settings() {
    for setting in SETTINGS {
        let value = nested(setting.name, setting.default());
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
