//! The file system: search for the PTX files of a folder, and reading.

use crate::cancel::CancelFlag;
use crate::folders::Folder;
use crate::globs::excluded;
use crate::settings;
use crate::workspace::{FileKey, FileSource, FileStamp, FolderContents};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use ignore::WalkBuilder;
use ptx_gate::files;
use std::path::Path;

/// Maximum number of entries that a search visits: a folder may be the root of a file system.
const MAX_ENTRIES: usize = 200_000;

/// The files of the computer.
#[derive(Debug)]
pub struct FileSystem;

impl FileSource for FileSystem {
    fn find<'a>(
        &'a self,
        folder: &'a Folder,
        settings: &'a settings::WorkspaceSettings,
        cancelled: &'a CancelFlag,
    ) -> BoxFuture<'a, FolderContents> {
        async move { folder.path.as_ref().map(|path| find(path, settings, &|| cancelled.is_set())).unwrap_or_default() }
            .boxed()
    }

    fn read<'a>(&'a self, file: &'a FileKey, max: u64, _: &'a CancelFlag) -> BoxFuture<'a, Option<Vec<u8>>> {
        let FileKey::Path(path) = file else { return ready(None).boxed() };
        async move { files::read(path, max).ok() }.boxed()
    }
}

/// Returns the files that end in `.ptx`, except hidden files, files that git ignores, and files that the settings exclude.
/// Links to folders are not followed, so no file is found twice; links to files are followed only inside of the folder.
fn find(folder: &Path, settings: &settings::WorkspaceSettings, stop: &dyn Fn() -> bool) -> FolderContents {
    let mut out = FolderContents::default();
    let mut walk = WalkBuilder::new(folder);
    walk.sort_by_file_name(Ord::cmp);
    // The settings contain only valid globs.
    if let Ok(excluded) = excluded(folder, &settings.exclude) {
        walk.overrides(excluded);
    }
    let most_bytes = (settings.megabytes as u64).saturating_mul(1_000_000);
    for (i, entry) in walk.build().enumerate() {
        if i >= MAX_ENTRIES || out.files.len() >= settings.files {
            out.cut = true;
            break;
        }
        if stop() {
            break;
        }
        // Unreadable entries are skipped silently.
        let Ok(entry) = entry else { continue };
        let is_ptx = entry.path().extension().is_some_and(|e| e.eq_ignore_ascii_case("ptx"));
        if !is_ptx || entry.file_type().is_none_or(|t| t.is_dir()) {
            continue;
        }
        let Ok(stamp) = FileStamp::of(entry.path()) else { continue };
        if entry.path_is_symlink() && !leads_inside(entry.path(), folder) {
            continue;
        }
        if stamp.length > most_bytes {
            out.too_big += 1;
        } else {
            out.files.push((FileKey::Path(entry.into_path()), stamp));
        }
    }
    out
}

/// Whether the target of a link is in the folder.
fn leads_inside(link: &Path, folder: &Path) -> bool {
    matches!((link.canonicalize(), folder.canonicalize()), (Ok(file), Ok(folder)) if file.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::WorkspaceSettings;

    fn names(folder: &Path, settings: &WorkspaceSettings) -> (Vec<String>, usize, bool) {
        let found = find(folder, settings, &|| false);
        let name = |key: &FileKey| {
            let FileKey::Path(path) = key else { panic!("{key:?} is no path") };
            path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/")
        };
        (found.files.iter().map(|(key, _)| name(key)).collect(), found.too_big, found.cut)
    }

    #[test]
    #[cfg(unix)]
    fn links_and_what_is_no_file() {
        use std::os::unix::fs::symlink;
        let around = tempfile::tempdir().unwrap();
        let root = around.path().join("in");
        std::fs::create_dir_all(root.join("deep")).unwrap();
        std::fs::write(around.path().join("outside.ptx"), "").unwrap();
        std::fs::write(root.join("deep/a.ptx"), "").unwrap();
        std::fs::create_dir(root.join("folder.ptx")).unwrap();
        for (target, link) in [
            ("deep/a.ptx", "inside.ptx"),
            ("../outside.ptx", "out.ptx"),
            ("/dev/zero", "zero.ptx"),
            ("nowhere", "dangling.ptx"),
            ("self.ptx", "self.ptx"),
            (".", "around"),
            ("pipe.ptx", "to-pipe.ptx"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        assert!(std::process::Command::new("mkfifo").arg(root.join("pipe.ptx")).status().unwrap().success());
        assert_eq!(names(&root, &WorkspaceSettings::default()).0, ["deep/a.ptx", "inside.ptx"]);
    }

    #[test]
    fn what_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["b.ptx", "a/A.PTX", "a/x.cu", ".hidden/h.ptx", "out/o.ptx", "sub/gen/g.ptx", "d.ptx/e.ptx"] {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, ".version 8.0\n").unwrap();
        }
        std::fs::create_dir(root.join(".git")).unwrap();
        std::fs::write(root.join(".gitignore"), "out/\n").unwrap();
        let usual = WorkspaceSettings::default();
        assert_eq!(names(root, &usual).0, ["a/A.PTX", "b.ptx", "d.ptx/e.ptx", "sub/gen/g.ptx"]);
        let few =
            WorkspaceSettings { exclude: vec!["gen".to_owned(), "/a/**".to_owned()], ..WorkspaceSettings::default() };
        assert_eq!(names(root, &few).0, ["b.ptx", "d.ptx/e.ptx"]);
        let limited = WorkspaceSettings { files: 1, ..WorkspaceSettings::default() };
        assert_eq!(names(root, &limited), (vec!["a/A.PTX".to_owned()], 0, true));
        let small = WorkspaceSettings { megabytes: 0, ..WorkspaceSettings::default() };
        assert_eq!(names(root, &small), (vec![], 4, false));
        assert!(find(root, &usual, &|| true).files.is_empty());
        assert!(find(&root.join("nothing"), &usual, &|| false).files.is_empty());
    }
}
