//! Globs that exclude files.

use crate::spelling::file_name;
use ignore::overrides::{Override, OverrideBuilder};
use ptx_gate::names::PathRules;
use std::path::Path;
use tower_lsp_server::ls_types::Uri;

/// Returns the matcher of the excluded files of one folder.
///
/// # Errors
/// If one of the globs is invalid.
pub fn excluded(folder: &Path, globs: &[String]) -> Result<Override, ignore::Error> {
    let mut builder = OverrideBuilder::new(folder);
    builder.case_insensitive(PathRules::HERE.ignores_case())?;
    for glob in globs {
        builder.add(&format!("!{glob}"))?;
    }
    builder.build()
}

/// Whether all globs are valid.
#[cfg(not(target_family = "wasm"))]
pub fn are_valid(globs: &[String]) -> bool {
    excluded(Path::new("/"), globs).is_ok()
}

/// Settings are read before a browser has loaded the code that matches globs. Invalid globs exclude nothing there.
#[cfg(target_family = "wasm")]
pub fn are_valid(_: &[String]) -> bool {
    true
}

/// The files that a search in a file system skips: those that globs exclude, and hidden ones.
pub struct ExcludedFiles(Override);

impl ExcludedFiles {
    /// Returns the matcher. Invalid globs are ignored.
    pub fn new(globs: &[String]) -> Self {
        let root = Path::new("");
        let valid: Vec<String> =
            globs.iter().filter(|glob| excluded(root, &[(*glob).clone()]).is_ok()).cloned().collect();
        Self(excluded(root, &valid).unwrap_or_else(|_| Override::empty()))
    }

    /// Whether a file of a folder is skipped. A file outside of the folder always is.
    pub fn contains(&self, folder: &Uri, file: &Uri) -> bool {
        if !file_name(file).is_in(&file_name(folder)) {
            return true;
        }
        let names = |uri: &Uri| -> Vec<String> {
            let path = uri.path().decode().to_string_lossy().into_owned();
            path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        let file = names(file).get(names(folder).len()..).unwrap_or_default().join("/");
        let is_hidden = file.split('/').any(|part| part.starts_with('.'));
        let mut around = Path::new(&file).ancestors().enumerate().filter(|(_, path)| !path.as_os_str().is_empty());
        is_hidden || around.any(|(distance, path)| self.0.matched(path, distance > 0).is_ignore())
    }
}
