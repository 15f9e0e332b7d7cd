//! Globs that exclude files.

use ignore::overrides::{Override, OverrideBuilder};
use std::path::Path;

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
