//! Reads files that a launch names, only inside of a folder.

use ptx_gate::files::{BoundedFolder, FileRefusal};
use std::path::{Component, Path};

/// Maximum size of a file of a launch in bytes.
const MAX_FILE: u64 = 1 << 30;

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Reads a file inside of a folder: the path must be relative and without `..`, and links must not lead out of the folder.
///
/// # Errors
/// A message, if the file is not read.
pub fn read(folder: &Path, path: &str) -> Result<Vec<u8>, String> {
    let relative = Path::new(path);
    let plain = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
    if path.is_empty() || path.contains('\\') || !relative.components().all(plain) {
        return Err(
            "only files inside the folder of the launch are read: use a relative path with `/` and without `..`"
                .to_owned(),
        );
    }
    let folder = BoundedFolder::new(folder).map_err(|error| error.to_string())?;
    folder.read(relative, MAX_FILE).map_err(|refusal| match refusal {
        FileRefusal::Outside => "it is a link that leads outside the folder of the launch".to_owned(),
        FileRefusal::Unreadable(failure) => failure.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn nothing_outside_is_read() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("in");
        std::fs::create_dir_all(folder.join("deep")).unwrap();
        std::fs::write(around.path().join("secret"), "s").unwrap();
        std::fs::write(folder.join("deep/a"), "a").unwrap();
        assert_eq!(read(&folder, "deep/a"), Ok(b"a".to_vec()));
        assert_eq!(read(&folder, "./deep/a"), Ok(b"a".to_vec()));
        let absolute = around.path().join("in/deep/a").display().to_string();
        for path in ["../secret", "deep/../../secret", "deep/../deep/a", "", &absolute, "deep\\a", "deep", "none"] {
            assert!(read(&folder, path).is_err(), "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret", folder.join("link")).unwrap();
            std::os::unix::fs::symlink("deep/a", folder.join("fine")).unwrap();
            std::os::unix::fs::symlink("..", folder.join("up")).unwrap();
            // Whether a file outside exists does not matter.
            std::os::unix::fs::symlink("../none", folder.join("missing")).unwrap();
            for path in ["link", "missing", "up/none"] {
                assert!(read(&folder, path).unwrap_err().contains("outside"), "{path}");
            }
            assert!(read(&folder, "up/secret").unwrap_err().contains("outside"));
            assert_eq!(read(&folder, "fine"), Ok(b"a".to_vec()));
        }
    }
}
