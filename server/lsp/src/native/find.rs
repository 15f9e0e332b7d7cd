//! The file system: search for the PTX files of a folder, and reading.

use crate::cancel::CancelFlag;
use crate::folders::Folder;
use crate::globs::excluded;
use crate::platform::{FileSource, FileStamp, FolderContents};
use crate::settings;
use futures::FutureExt;
use futures::future::BoxFuture;
use ptx_gate::files::{self, FolderSearch, SearchItem};
use ptx_gate::names::{FileName, strip};
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
        async move { find(&folder.name, settings, &|| cancelled.is_set()) }.boxed()
    }

    fn read<'a>(&'a self, file: &'a FileName, max: u64, _: &'a CancelFlag) -> BoxFuture<'a, Option<Vec<u8>>> {
        async move { files::read(&file.path()?, max).ok() }.boxed()
    }
}

/// Returns the files that end in `.ptx`, except hidden files, files that git ignores, and files that the settings exclude.
fn find(name: &FileName, settings: &settings::WorkspaceSettings, stop: &dyn Fn() -> bool) -> FolderContents {
    let mut out = FolderContents::default();
    let Some(folder) = name.path() else { return out };
    let mut search = FolderSearch { is_wanted: is_ptx, follow_links: false, skip_ignored: true, excluded: None };
    // The settings contain only valid globs.
    if let Ok(excluded) = excluded(&folder, &settings.exclude) {
        search.excluded = Some(Box::new(move |path, is_folder| excluded.matched(path, is_folder).is_ignore()));
    }
    let Ok(items) = search.run(&folder) else { return out };
    let most_bytes = (settings.megabytes as u64).saturating_mul(1_000_000);
    for (i, item) in items.enumerate() {
        if i >= MAX_ENTRIES || out.files.len() >= settings.files {
            out.cut = true;
            break;
        }
        if stop() {
            break;
        }
        // Unreadable entries are skipped silently.
        let SearchItem::File(file) = item else { continue };
        if file.metadata.len() > most_bytes {
            out.too_big += 1;
        } else if let Some(inside) = strip(&file.path, &folder) {
            // In the client's spelling of the folder.
            out.files.push((name.below(inside), FileStamp::new(&file.metadata)));
        }
    }
    out
}

fn is_ptx(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ptx"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::WorkspaceSettings;

    fn names(folder: &Path, settings: &WorkspaceSettings) -> (Vec<String>, usize, bool) {
        let found = find(&FileName::of_path(folder), settings, &|| false);
        let name =
            |file: &FileName| file.path().unwrap().strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
        (found.files.iter().map(|(file, _)| name(file)).collect(), found.too_big, found.cut)
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
        assert!(find(&FileName::of_path(root), &usual, &|| true).files.is_empty());
        assert!(find(&FileName::of_path(&root.join("nothing")), &usual, &|| false).files.is_empty());
    }
}
