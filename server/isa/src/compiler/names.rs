//! The names that lines may refer to: of the whole notation, and of the form around a line.

use super::error::{Error, Result};
use super::lines::LogicalLine;
use crate::tables::{Map, ModifierSlot, Version};
use std::collections::BTreeMap;

/// The names visible to every file: sets, types, modifiers, encodings and versions.
#[derive(Debug, Default)]
pub(super) struct DeclaredNames {
    pub(super) sets: BTreeMap<String, Vec<String>>,
    pub(super) types: Vec<String>,
    pub(super) modifiers: Vec<String>,
    pub(super) encodings: Vec<String>,
    pub(super) versions: Vec<Version>,
}

impl DeclaredNames {
    pub(super) fn collect(&mut self, line: &LogicalLine) -> Result<()> {
        let (keyword, rest) = line.keyword();
        match keyword {
            "set" => {
                let (name, values) = set_line(line, rest)?;
                if self.sets.insert(name.clone(), values).is_some() {
                    return Err(line.error(0, format!("the set `{name}` is declared twice")));
                }
            }
            "type" => self.types.push(format!(".{}", rest.split_whitespace().next().unwrap_or(""))),
            "version" => self.versions.extend(rest.split_whitespace().next().and_then(version)),
            "encoding" => self.encodings.push(rest.split_whitespace().next().unwrap_or("").to_owned()),
            "modifier" => {
                let name = rest.split_whitespace().next().unwrap_or("");
                self.modifiers.extend(expand(name));
            }
            _ => {}
        }
        Ok(())
    }

    /// The error about a version that a line names (`ptx 8.0`, or `version 5.1 as 6.0`) and that no `version` entry declares.
    pub(super) fn unknown_version(&self, line: &LogicalLine) -> Option<Error> {
        let before = if line.indent == 0 && line.keyword().0 == "version" { "as" } else { "ptx" };
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let named = words.windows(2).filter(|pair| pair[0] == before).map(|pair| pair[1]);
        let unknown = |word: &&str| version(word).is_some_and(|version| !self.versions.contains(&version));
        let wrong = named.into_iter().find(unknown)?;
        Some(line.error(line.offset(wrong), format!("no `version` entry declares PTX {wrong}")))
    }

    /// Replaces `@other` in global sets.
    pub(super) fn resolve_includes(&mut self) -> Result<()> {
        let names: Vec<String> = self.sets.keys().cloned().collect();
        for name in names {
            let values = self.sets.get(&name).cloned().unwrap_or_default();
            let values = self.include(&values, &BTreeMap::new(), 0).map_err(|message| Error {
                file: format!("set {name}"),
                line: 1,
                column: 1,
                message,
            })?;
            self.sets.insert(name, values);
        }
        Ok(())
    }

    pub(super) fn include(
        &self,
        values: &[String],
        local: &BTreeMap<String, Vec<String>>,
        depth: usize,
    ) -> std::result::Result<Vec<String>, String> {
        if depth > 8 {
            return Err("sets include each other".to_owned());
        }
        let mut out: Vec<String> = Vec::new();
        for value in values {
            match value.strip_prefix(".@") {
                Some(other) => {
                    let inner = local.get(other).or_else(|| self.sets.get(other));
                    let inner = inner.ok_or_else(|| format!("no set is named `{other}`"))?;
                    out.extend(self.include(inner, local, depth + 1)?);
                }
                None => out.push(value.clone()),
            }
        }
        Ok(out)
    }
}

/// Parses a set line: `name = values`.
pub(super) fn set_line(line: &LogicalLine, text: &str) -> Result<(String, Vec<String>)> {
    let Some((name, values)) = text.split_once('=') else {
        return Err(line.error(line.offset(text), "expected `name = values`"));
    };
    let values = values.split_whitespace().flat_map(expand).collect();
    Ok((name.trim().to_owned(), values))
}

/// Expands braces: `shared{,::cta,::cluster}` → `.shared`, `.shared::cta`, `.shared::cluster`.
pub(super) fn expand(value: &str) -> Vec<String> {
    let value = value.trim_start_matches('.');
    if let Some((before, rest)) = value.split_once('{')
        && let Some((alternatives, after)) = rest.split_once('}')
    {
        return alternatives.split(',').flat_map(|a| expand(&format!("{before}{a}{after}"))).collect();
    }
    vec![format!(".{value}")]
}

/// The slots, maps and operands that the lines under a form may refer to.
pub(super) struct FormContext<'a> {
    pub(super) slots: &'a [ModifierSlot],
    pub(super) maps: &'a [Map],
    pub(super) operands: &'a [&'a str],
    pub(super) names: &'a DeclaredNames,
    /// Whether the line is under the opcode: values that this form does not have are then left out of a condition.
    pub(super) lenient: bool,
}

impl FormContext<'_> {
    pub(super) fn slot(&self, name: &str) -> Option<u8> {
        self.slots.iter().position(|s| s.name == name).map(|i| i as u8)
    }

    pub(super) fn is_type(&self, name: &str) -> bool {
        self.names.types.iter().any(|t| t == name)
    }
}

/// Parses a version: `8.5`.
pub(super) fn version(word: &str) -> Option<Version> {
    let (major, minor) = word.split_once('.')?;
    Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
}
