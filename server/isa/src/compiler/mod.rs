//! The compiler of the notation (docs/dev/isa-format.md): from data files to [`Isa`].
//!
//! It runs in the build script; tests use it for their own fixtures. Tables are `'static`, so the compiler leaks their
//! memory, which is acceptable in a build script and in tests.

mod common;
mod concept;
mod directive;
mod encoding;
mod entry;
mod error;
pub mod exec;
pub mod foreign;
mod form;
mod fragment;
pub mod ids;
mod kinds;
mod leak;
mod lines;
mod multiprocessor;
mod names;
mod opcode;
mod operand;
mod passage;
mod rule;
mod space;
mod tolerated;
pub mod usage;

use crate::tables::Isa;
pub use error::Error;
use names::DeclaredNames;
use std::fs;
use std::path::{Path, PathBuf};

/// Reads the data files (`*.isa`) of a folder, sorted by name: pairs of name and text.
///
/// # Errors
/// Returns the first file that cannot be read, and the reason.
#[expect(clippy::disallowed_methods, reason = "for the build of this crate, which reads its own data")]
pub fn read(folder: &Path) -> Result<Vec<(String, String)>, String> {
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
pub fn compile(files: &[(String, String)]) -> Result<Isa, Vec<Error>> {
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
