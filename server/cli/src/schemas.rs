//! JSON Schemas of what programs read: the lines of `check`, `eval` and `regs` in JSON, and the answer of `ptx-analyzer.evaluateWarp`.
//!
//! They are made from the types that are written. The types and validators of the editors are made from them.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};
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
