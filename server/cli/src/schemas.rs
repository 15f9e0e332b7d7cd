//! JSON Schemas of what programs read: the lines of `check`, `eval` and `regs` in JSON, and the answer of `ptx-analyzer.evaluateWarp`.
//!
//! They are made from the types that are written. The types and validators of the editors are made from them.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::fs;
use std::path::Path;

fn schema<T: JsonSchema>(title: &str) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    schema.insert("title".to_owned(), json!(title));
    absent_is_not_null(schema.as_object_mut().expect("a schema is an object"));
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text.push('\n');
    text
}

/// What may be missing is left out, and never `null`: a property that is not required has no type `null`.
fn absent_is_not_null(schema: &mut Map<String, Value>) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|names| names.iter().any(|own| own == name));
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (_, property) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
            let Value::Object(property) = property else { continue };
            for choices in ["type", "enum", "anyOf"] {
                let Some(Value::Array(all)) = property.get_mut(choices) else { continue };
                all.retain(|one| !one.is_null() && *one != "null" && *one != json!({ "type": "null" }));
                if let ([one], "type") = (&all[..], choices) {
                    *property.get_mut("type").expect("it is there") = one.clone();
                } else if let ([Value::Object(one)], "anyOf") = (&all[..], choices) {
                    let one = one.clone();
                    property.remove("anyOf");
                    property.extend(one);
                }
            }
        }
    }
    for value in schema.values_mut() {
        match value {
            Value::Object(inner) => absent_is_not_null(inner),
            Value::Array(all) => all.iter_mut().filter_map(Value::as_object_mut).for_each(absent_is_not_null),
            _ => {}
        }
    }
}

/// The keys of a type as a table: their names, what they hold, and what that means. What may be missing has a `?`.
fn table(schema: &Map<String, Value>, out: &mut String) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    out.push_str("| key | holds | |\n|---|---|---|\n");
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let mark = if required.iter().any(|own| own == name) { "" } else { "?" };
        let words = property["description"].as_str().unwrap_or_default().replace('|', "\\|").replace('\n', " ");
        writeln!(out, "| `{name}`{mark} | {} | {words} |", holds(property)).expect("a string");
    }
}

/// What a value is, in a few words.
fn holds(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return format!("*{}*", name.trim_start_matches("#/$defs/"));
    }
    let either = |all: &[Value], of: &dyn Fn(&Value) -> String| all.iter().map(of).collect::<Vec<_>>().join(" or ");
    let code = |one: &Value| format!("`{}`", one["const"].as_str().or_else(|| one.as_str()).unwrap_or("null"));
    match (&schema["enum"], &schema["oneOf"], &schema["anyOf"], &schema["type"]) {
        (Value::Array(all), ..) | (_, Value::Array(all), ..) => either(all, &code),
        (_, _, Value::Array(all), _) => either(all, &holds),
        (.., Value::Array(types)) => either(types, &|one| holds(&json!({ "type": one, "items": schema["items"] }))),
        (.., Value::String(ty)) => match (ty.as_str(), &schema["items"], &schema["additionalProperties"]) {
            ("array", Value::Null, _) => "a list of several values".to_owned(),
            ("array", items, _) => format!("a list of {}", holds(items)),
            ("object", _, Value::Null) => "an object".to_owned(),
            ("object", _, values) => format!("by name, {}", holds(values)),
            ("string", ..) => "text".to_owned(),
            ("integer" | "number", ..) => "number".to_owned(),
            ("boolean", ..) => "true or false".to_owned(),
            (other, ..) => other.to_owned(),
        },
        _ => "any value".to_owned(),
    }
}

/// All keys of the answer of `evaluateWarp`, a table for each type.
fn tables(schema: &str) -> String {
    let schema: Value = serde_json::from_str(schema).expect("a schema is JSON");
    let mut out = String::new();
    table(schema.as_object().expect("an object"), &mut out);
    for (name, own) in schema["$defs"].as_object().expect("the types") {
        let Some(properties) = own.as_object().filter(|own| own.contains_key("properties")) else { continue };
        let words = own["description"].as_str().unwrap_or_default();
        writeln!(out, "\n**{name}**: {words}\n").expect("a string");
        table(properties, &mut out);
    }
    out
}

/// The page with the tables in their place.
fn page(text: &str, tables: &str) -> String {
    let (begin, end) = ("<!-- Made from the schema: begin -->\n", "<!-- Made from the schema: end -->");
    let (before, rest) = text.split_once(begin).expect("the page says where the tables begin");
    let (_, after) = rest.split_once(end).expect("the page says where the tables end");
    format!("{before}{begin}\n{tables}\n{end}{after}")
}

/// With `UPDATE=1` the page is written.
#[test]
fn the_page_has_the_tables_of_the_schema() {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dev/warp-view.md"));
    let text = fs::read_to_string(file).expect("the page");
    let expected = page(&text, &tables(&schema::<ptx_view::Evaluation>("The answer of `ptx-analyzer.evaluateWarp`")));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file, &expected).expect("it can be written");
    } else {
        assert!(text == expected, "{} is stale: run the test with UPDATE=1", file.display());
    }
}

/// With `UPDATE=1` the files are written.
#[test]
fn schemas_are_those_of_the_types() {
    let all = [
        ("check", schema::<crate::json::DiagnosticJsonLine<'_>>("A line of `ptx-analyzer check --format json`")),
        ("eval", schema::<crate::eval::EvalJsonLine<'_>>("A line of `ptx-analyzer eval --format json`")),
        ("regs", schema::<crate::regs::json::RegsJsonLine<'_>>("A line of `ptx-analyzer regs --format json`")),
        ("evaluate-warp", schema::<ptx_view::Evaluation>("The answer of `ptx-analyzer.evaluateWarp`")),
    ];
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schemas"));
    for (name, expected) in all {
        let file = folder.join(format!("{name}.schema.json"));
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(folder).expect("the folder can be made");
            fs::write(&file, &expected).expect("it can be written");
        }
        let written = fs::read_to_string(&file).unwrap_or_default();
        assert!(written == expected, "{} is stale: run the test with UPDATE=1", file.display());
    }
}
