//! Globs that exclude files.

#[cfg(not(target_family = "wasm"))]
use ignore::overrides::{Override, OverrideBuilder};
#[cfg(not(target_family = "wasm"))]
use std::path::Path;

/// Returns the matcher of the excluded files of one folder.
///
/// # Errors
/// If one of the globs is invalid.
#[cfg(not(target_family = "wasm"))]
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

/// In WebAssembly there are no files to exclude, so any globs are accepted.
#[cfg(target_family = "wasm")]
pub fn are_valid(_: &[String]) -> bool {
    true
}
