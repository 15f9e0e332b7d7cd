//! Globs that exclude files.

use ignore::overrides::{Override, OverrideBuilder};
use std::path::Path;
use tower_lsp_server::ls_types::Uri;

/// Returns the matcher of the excluded files of one folder.
///
/// # Errors
/// If one of the globs is invalid.
pub fn excluded(folder: &Path, globs: &[String]) -> Result<Override, ignore::Error> {
    let mut builder = OverrideBuilder::new(folder);
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
        let path = |uri: &Uri| uri.path().decode().to_string_lossy().into_owned();
        let (folder, file) = (path(folder), path(file));
        let Some(file) = file.strip_prefix(folder.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/')) else {
            return true;
        };
        let is_hidden = file.split('/').any(|part| part.starts_with('.'));
        let mut around = Path::new(file).ancestors().enumerate().filter(|(_, path)| !path.as_os_str().is_empty());
        is_hidden || around.any(|(distance, path)| self.0.matched(path, distance > 0).is_ignore())
    }
}
