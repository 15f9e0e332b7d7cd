//! Globs that leave files out.

use ignore::overrides::{Override, OverrideBuilder};
use std::path::Path;

/// The globs that leave files out, for one folder.
///
/// # Errors
/// If one of them is no glob.
pub fn excluded(folder: &Path, globs: &[String]) -> Result<Override, ignore::Error> {
    let mut builder = OverrideBuilder::new(folder);
    for glob in globs {
        builder.add(&format!("!{glob}"))?;
    }
    builder.build()
}
