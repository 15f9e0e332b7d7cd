//! What is committed: sources and data, no programs or packages of anybody.

use std::path::Path;
use std::process::Command;

/// The largest file is the generated parser, with 1.5 MB.
const MAX_BYTES: u64 = 1_600_000;

/// Endings of programs, libraries and archives. Recorded answers are single compressed texts.
const BUILT: &[&str] =
    &["whl", "so", "dll", "dylib", "exe", "a", "zip", "tar", "tgz", "vsix", "node", "wasm", "jar", "deb"];

#[test]
fn no_file_is_large_or_built() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let run = Command::new("git").args(["ls-files", "-z"]).current_dir(&root).output().expect("git runs");
    assert!(run.status.success(), "this is not a checkout: {}", String::from_utf8_lossy(&run.stderr));
    let names = String::from_utf8(run.stdout).expect("names are UTF-8");
    let names: Vec<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
    assert!(names.len() > 1000, "{} files", names.len());
    for name in names {
        let path = Path::new(name);
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        assert!(!BUILT.contains(&ending.to_lowercase().as_str()), "{name} is built: it does not belong here");
        // A file that is deleted but not yet committed has no size.
        let size = root.join(path).symlink_metadata().map_or(0, |data| data.len());
        assert!(size <= MAX_BYTES, "{name} has {size} bytes, {MAX_BYTES} are the most");
    }
}
