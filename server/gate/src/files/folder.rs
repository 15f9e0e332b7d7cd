//! A folder that files must not lead out of.

use super::local::is_local;
use super::walk::{FileRefusal, Walk, WalkBounds};
use super::{read, real_named};
use std::io;
use std::path::{Component, Path, PathBuf};

/// A folder that the user selected. Paths in it are followed link by link, and nothing outside of it is touched.
#[derive(Debug, Clone)]
pub struct BoundedFolder(WalkBounds);

impl BoundedFolder {
    /// Finds the folder.
    ///
    /// # Errors
    /// If there is no such folder.
    #[expect(clippy::disallowed_methods, reason = "the user selected this folder")]
    pub fn new(folder: &Path) -> io::Result<Self> {
        let real = real_named(folder)?;
        if !std::fs::metadata(&real)?.is_dir() {
            return Err(io::Error::other("it is not a folder"));
        }
        Ok(Self(WalkBounds { real, name: std::path::absolute(folder)? }))
    }

    /// Its path without links.
    pub fn real(&self) -> &Path {
        &self.0.real
    }

    /// The part of an absolute path below the folder, by either of its names in any spelling; `None` for other paths.
    pub fn strip<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        self.0.strip(path)
    }

    /// The path of a file or folder without links. `path` is relative to the folder, or absolute and by one of its names.
    ///
    /// # Errors
    /// If it leads out of the folder or does not exist.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, FileRefusal> {
        if !is_local(path) && self.strip(path).is_none() {
            return Err(FileRefusal::Outside);
        }
        // `C:a` has a drive and no root: it is a file of the folder that is current on that drive.
        let is_anchored = path.has_root() || matches!(path.components().next(), Some(Component::Prefix(_)));
        let inside = if is_anchored { self.strip(path).ok_or(FileRefusal::Outside)? } else { path };
        Walk::inside(&self.0, inside)
    }

    /// Reads a regular file of at most `max` bytes.
    ///
    /// # Errors
    /// If it leads out of the folder, is not a regular file, is longer, or cannot be read.
    pub fn read(&self, path: &Path, max: u64) -> Result<Vec<u8>, FileRefusal> {
        read(&self.resolve(path)?, max).map_err(FileRefusal::Unreadable)
    }
}

/// The innermost folder that is, or is around, a folder and has a `.git`. Both paths have no links.
pub fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|around| has_name(&around.join(".git")))
}

/// Whether a name is there, whatever it is.
#[expect(clippy::disallowed_methods, reason = "follows no link")]
pub fn has_name(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_found() {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().join("in");
        std::fs::create_dir_all(root.join("deep")).unwrap();
        std::fs::write(around.path().join("secret"), "s").unwrap();
        std::fs::write(root.join("deep/a"), "a").unwrap();
        let folder = BoundedFolder::new(&root).unwrap();
        let absolute = root.join("deep/a");
        for path in ["deep/a", "./deep/a", "deep/../deep/a", absolute.to_str().unwrap()] {
            assert_eq!(folder.read(Path::new(path), 9).unwrap(), b"a", "{path}");
        }
        let outside = |path: &str| matches!(folder.resolve(Path::new(path)), Err(FileRefusal::Outside));
        let secret = around.path().join("secret");
        for path in
            ["../secret", "deep/../../secret", "../none", secret.to_str().unwrap(), "/none", "//host/a", r"\\host\a"]
        {
            assert!(outside(path), "{path}");
        }
        assert!(!outside("none") && !outside("deep/a/b"));
        if cfg!(windows) {
            // A drive without a root is a folder of its own, and devices are in no folder.
            for path in ["C:secret", "C:", r"C:deep\a", r"\\.\NUL", r"\secret", r"deep\C:\secret"] {
                assert!(folder.read(Path::new(path), 9).is_err(), "{path}");
            }
            assert!(outside("C:secret") && outside("C:deep/a") && outside(r"\none"));
            let verbatim = root.canonicalize().unwrap().join("deep").join("a");
            assert!(verbatim.to_str().unwrap().starts_with(r"\\?\"));
            let shouted = absolute.to_str().unwrap().to_uppercase();
            for path in [verbatim.to_str().unwrap(), &shouted, &absolute.to_str().unwrap().replace('\\', "/")] {
                assert_eq!(folder.read(Path::new(path), 9).unwrap(), b"a", "{path}");
            }
            assert!(!folder.resolve(Path::new("deep/a")).unwrap().to_str().unwrap().starts_with(r"\\"));
        }
        assert!(folder.read(Path::new("deep"), 9).is_err());
        assert!(BoundedFolder::new(&absolute).is_err());
    }

    #[test]
    fn paths_may_be_long() {
        let around = tempfile::tempdir().unwrap();
        let inside: PathBuf = std::iter::repeat_n("a folder with a name of some length, ü", 9).collect();
        let deep = around.path().join(&inside);
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("a"), "a").unwrap();
        assert!(deep.as_os_str().len() > 300);
        for (folder, path) in [(around.path(), &*inside.join("a")), (&deep, Path::new("a")), (&deep, &*deep.join("a"))]
        {
            let folder = BoundedFolder::new(folder).unwrap();
            assert_eq!(folder.read(path, 9).unwrap(), b"a");
            let found = folder.resolve(path).unwrap();
            assert!(!found.to_str().unwrap().contains('?'), "{found:?}");
            assert_eq!(super::super::real(&found).unwrap(), found);
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_that_lead_out_are_not_followed_whatever_is_there() {
        use std::os::unix::fs::symlink;
        let around = tempfile::tempdir().unwrap();
        let around = around.path().canonicalize().unwrap();
        let root = around.join("in");
        std::fs::create_dir_all(root.join("deep")).unwrap();
        std::fs::create_dir_all(around.join("there/folder")).unwrap();
        std::fs::write(around.join("there/file"), "s").unwrap();
        std::fs::write(root.join("deep/a"), "a").unwrap();
        symlink("in", around.join("name")).unwrap();
        let folder = BoundedFolder::new(&around.join("name")).unwrap();
        let link = |target: &str, name: &str| symlink(target, root.join(name)).unwrap();
        for (index, there) in
            ["../there/file", "../there/none", "../none/file", "../there/folder", "/dev/zero", "/none", "../in/deep/a"]
                .into_iter()
                .enumerate()
        {
            link(there, &format!("l{index}"));
            link(&format!("l{index}"), &format!("to-l{index}"));
            let names =
                [format!("l{index}"), format!("to-l{index}"), format!("l{index}/x"), format!("deep/../l{index}")];
            for name in names {
                assert!(matches!(folder.resolve(Path::new(&name)), Err(FileRefusal::Outside)), "{name} -> {there}");
            }
        }
        link("..", "up");
        for path in ["up/there/file", "up/there/none", "up/in/deep/a", "up"] {
            assert!(matches!(folder.resolve(Path::new(path)), Err(FileRefusal::Outside)), "{path}");
        }
        // Links inside are fine, by whichever name of the folder.
        link("deep/a", "fine");
        link(&root.join("deep").display().to_string(), "real");
        link(&around.join("name/deep").display().to_string(), "named");
        link("deep/../fine", "far");
        for path in ["fine", "real/a", "named/a", "far"] {
            assert_eq!(folder.read(Path::new(path), 9).unwrap(), b"a", "{path}");
        }
        assert_eq!(folder.read(&around.join("name/fine"), 9).unwrap(), b"a");
        link("loop", "loop");
        assert!(matches!(folder.resolve(Path::new("loop")), Err(FileRefusal::Unreadable(_))));
        link("none", "dangling");
        assert!(matches!(folder.resolve(Path::new("dangling")), Err(FileRefusal::Unreadable(_))));
    }

    #[test]
    fn the_innermost_repository() {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b/c")).unwrap();
        std::fs::create_dir(root.join("a/.git")).unwrap();
        assert_eq!(repository(&root.join("a/b/c")), Some(&*root.join("a")));
        assert_eq!(repository(&root.join("a")), Some(&*root.join("a")));
        // A worktree has a file of this name.
        std::fs::write(root.join("a/b/.git"), "gitdir: /none").unwrap();
        assert_eq!(repository(&root.join("a/b/c")), Some(&*root.join("a/b")));
    }
}
