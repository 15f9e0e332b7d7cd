//! TOML and JSON as a common tree, with positions if they are known.

use ptx_launch_syntax::LaunchMistake;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and its byte range; the range is empty if it is not known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LaunchNode {
    pub value: LaunchValue,
    pub range: Range<usize>,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LaunchValue {
    Text(String),
    /// A number as written, so that no precision is lost.
    Number(String),
    Truth(bool),
    List(Vec<LaunchNode>),
    Table(Vec<LaunchEntry>),
    /// A date, or null.
    Other(&'static str),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LaunchEntry {
    pub key: String,
    pub key_range: Range<usize>,
    pub node: LaunchNode,
}

impl LaunchNode {
    /// Returns the kind of the value, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            LaunchValue::Text(_) => "a string",
            LaunchValue::Number(_) => "a number",
            LaunchValue::Truth(_) => "true or false",
            LaunchValue::List(_) => "a list",
            LaunchValue::Table(_) => "a table",
            LaunchValue::Other(what) => what,
        }
    }
}

/// Parses a TOML document; mistakes do not stop the parser.
pub(super) fn toml(text: &str) -> (Vec<LaunchEntry>, Vec<LaunchMistake>) {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mistakes = errors.iter().map(|e| LaunchMistake::new(e.span().unwrap_or(0..0), e.message().trim().to_owned()));
    (table(document.into_inner()), mistakes.collect())
}

fn table(table: DeTable<'_>) -> Vec<LaunchEntry> {
    let entry = |(key, node): (Spanned<_>, Spanned<DeValue<'_>>)| {
        let key_range = key.span();
        LaunchEntry { key: String::from(key.into_inner()), key_range, node: toml_node(node) }
    };
    let mut out: Vec<LaunchEntry> = table.into_iter().map(entry).collect();
    // Entries in the order of the text.
    out.sort_by_key(|e| e.key_range.start);
    out
}

fn toml_node(node: Spanned<DeValue<'_>>) -> LaunchNode {
    let range = node.span();
    let value = match node.into_inner() {
        DeValue::String(text) => LaunchValue::Text(text.into_owned()),
        DeValue::Integer(number) => {
            let prefix = match number.radix() {
                16 => "0x",
                2 => "0b",
                _ => "",
            };
            match (number.radix(), u128::from_str_radix(number.as_str(), 8)) {
                (8, Ok(value)) => LaunchValue::Number(value.to_string()),
                _ => LaunchValue::Number(format!("{prefix}{}", number.as_str())),
            }
        }
        DeValue::Float(number) => LaunchValue::Number(number.as_str().to_owned()),
        DeValue::Boolean(value) => LaunchValue::Truth(value),
        DeValue::Datetime(_) => LaunchValue::Other("a date"),
        DeValue::Array(all) => LaunchValue::List(all.into_iter().map(toml_node).collect()),
        DeValue::Table(entries) => LaunchValue::Table(table(entries)),
    };
    LaunchNode { value, range }
}

/// Parses a JSON document.
pub(super) fn json(text: &str) -> Result<LaunchNode, LaunchMistake> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| {
        let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let at = (before + error.column().saturating_sub(1)).min(text.len());
        // A column counts bytes and may be inside of a character of several bytes.
        let at = (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        LaunchMistake::new(at..at, error.to_string())
    })?;
    Ok(json_node(value))
}

fn json_node(value: serde_json::Value) -> LaunchNode {
    use serde_json::Value as Json;
    let value = match value {
        Json::Null => LaunchValue::Other("null"),
        Json::Bool(value) => LaunchValue::Truth(value),
        Json::Number(number) => LaunchValue::Number(number.to_string()),
        Json::String(text) => LaunchValue::Text(text),
        Json::Array(all) => LaunchValue::List(all.into_iter().map(json_node).collect()),
        Json::Object(all) => {
            let entry = |(key, value)| LaunchEntry { key, key_range: 0..0, node: json_node(value) };
            LaunchValue::Table(all.into_iter().map(entry).collect())
        }
    };
    LaunchNode { value, range: 0..0 }
}
