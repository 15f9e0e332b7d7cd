//! The compiler of the notation (docs/dev/isa-format.md): from data files to [`Isa`].
//!
//! It runs in the build script; tests use it for their own fixtures. Tables are `'static`, so the compiler leaks their
//! memory, which is acceptable in a build script and in tests.

mod common;
mod concept;
mod directive;
mod encoding;
mod entry;
pub mod exec;
mod form;
mod fragment;
pub mod ids;
mod kinds;
mod lines;
mod multiprocessor;
mod opcode;
mod operand;
mod passage;
mod rule;
mod space;
pub mod usage;

use crate::tables::{Isa, Map, ModifierSlot, Version};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// An error in a data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The name of the file, as passed to the compiler.
    pub file: String,
    /// The line number, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// The message.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

type Result<T> = std::result::Result<T, Error>;

/// Reads the data files (`*.isa`) of a folder, sorted by name: pairs of name and text.
///
/// # Errors
/// Returns the first file that cannot be read, and the reason.
#[expect(clippy::disallowed_methods, reason = "for the build of this crate, which reads its own data")]
pub fn read(folder: &Path) -> std::result::Result<Vec<(String, String)>, String> {
    let said = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let entries = fs::read_dir(folder).map_err(|e| said(folder, e))?;
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "isa"));
    paths.sort();
    let text = |path: &PathBuf| fs::read_to_string(path).map_err(|e| said(path, e));
    paths.iter().map(|path| Ok((path.display().to_string(), text(path)?))).collect()
}

/// Compiles data files, given as name and text, into tables.
///
/// # Errors
/// Returns all errors, in the order of the files.
pub fn compile(files: &[(String, String)]) -> std::result::Result<Isa, Vec<Error>> {
    let mut errors = Vec::new();
    let mut all = Vec::new();
    for (name, text) in files {
        match lines::lines(name, text) {
            Ok(lines) => all.push(lines),
            Err(error) => errors.push(error),
        }
    }
    let mut names = DeclaredNames::default();
    for file in &all {
        for line in file.iter().filter(|l| l.indent == 0) {
            if let Err(error) = names.collect(line) {
                errors.push(error);
            }
        }
    }
    if let Err(error) = names.resolve_includes() {
        errors.push(error);
    }
    for line in all.iter().flatten() {
        errors.extend(names.unknown_version(line));
    }
    let mut builder = entry::Builder::new(&names);
    for file in &all {
        builder.file(file, &mut errors);
    }
    builder.check(&mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let isa = builder.finish();
    let errors = concept::check(&isa);
    if errors.is_empty() { Ok(isa) } else { Err(errors) }
}

/// The names visible to every file: sets, types, modifiers, encodings and versions.
#[derive(Debug, Default)]
pub(super) struct DeclaredNames {
    sets: BTreeMap<String, Vec<String>>,
    types: Vec<String>,
    modifiers: Vec<String>,
    encodings: Vec<String>,
    versions: Vec<Version>,
}

impl DeclaredNames {
    fn collect(&mut self, line: &lines::LogicalLine) -> Result<()> {
        let (keyword, rest) = line.keyword();
        match keyword {
            "set" => {
                let (name, values) = set_line(line, rest)?;
                if self.sets.insert(name.clone(), values).is_some() {
                    return Err(line.error(0, format!("the set `{name}` is declared twice")));
                }
            }
            "type" => self.types.push(format!(".{}", rest.split_whitespace().next().unwrap_or(""))),
            "version" => self.versions.extend(rest.split_whitespace().next().and_then(rule::version)),
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
    fn unknown_version(&self, line: &lines::LogicalLine) -> Option<Error> {
        let before = if line.indent == 0 && line.keyword().0 == "version" { "as" } else { "ptx" };
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let named = words.windows(2).filter(|pair| pair[0] == before).map(|pair| pair[1]);
        let unknown = |word: &&str| rule::version(word).is_some_and(|version| !self.versions.contains(&version));
        let wrong = named.into_iter().find(unknown)?;
        Some(line.error(line.offset(wrong), format!("no `version` entry declares PTX {wrong}")))
    }

    /// Replaces `@other` in global sets.
    fn resolve_includes(&mut self) -> Result<()> {
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

    fn include(
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
fn set_line(line: &lines::LogicalLine, text: &str) -> Result<(String, Vec<String>)> {
    let Some((name, values)) = text.split_once('=') else {
        return Err(line.error(line.offset(text), "expected `name = values`"));
    };
    let values = values.split_whitespace().flat_map(expand).collect();
    Ok((name.trim().to_owned(), values))
}

/// Expands braces: `shared{,::cta,::cluster}` → `.shared`, `.shared::cta`, `.shared::cluster`.
fn expand(value: &str) -> Vec<String> {
    let value = value.trim_start_matches('.');
    if let Some((before, rest)) = value.split_once('{')
        && let Some((alternatives, after)) = rest.split_once('}')
    {
        return alternatives.split(',').flat_map(|a| expand(&format!("{before}{a}{after}"))).collect();
    }
    vec![format!(".{value}")]
}

/// The slots, maps and operands that the lines under a form may refer to.
struct FormContext<'a> {
    slots: &'a [ModifierSlot],
    maps: &'a [Map],
    operands: &'a [&'a str],
    names: &'a DeclaredNames,
    /// Whether the line is under the opcode: values that this form does not have are then left out of a condition.
    lenient: bool,
}

impl FormContext<'_> {
    fn slot(&self, name: &str) -> Option<u8> {
        self.slots.iter().position(|s| s.name == name).map(|i| i as u8)
    }

    fn is_type(&self, name: &str) -> bool {
        self.names.types.iter().any(|t| t == name)
    }
}

fn leak<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

fn leak_str(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}
