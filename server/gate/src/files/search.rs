//! Searches folders for files, for the server and the command line alike.

use super::folder::BoundedFolder;
use super::rules::IgnoreRules;
use super::walk::FileRefusal;
use super::{metadata, real};
use ignore::{DirEntry, Walk, WalkBuilder};
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Whether a file or folder is left out. Its arguments are a path below the folder that is searched, and whether it is a folder.
pub type Exclusion = Box<dyn Fn(&Path, bool) -> bool + Send + Sync>;

/// A search of a folder for regular files.
///
/// Links to files are followed only inside the folder, and links to folders not at all, so nothing outside is read and no folder twice.
pub struct FolderSearch {
    /// Whether a file of this path is searched for.
    pub is_wanted: fn(&Path) -> bool,
    /// Follow all links, wherever they lead.
    pub follow_links: bool,
    /// Leave out hidden files and those that the rules of the repository exclude (`.gitignore`).
    pub skip_ignored: bool,
    /// Leave out more.
    pub excluded: Option<Exclusion>,
}

/// A file that a search found.
#[derive(Debug)]
pub struct FoundFile {
    /// Its path, which begins with that of the folder.
    pub path: PathBuf,
    /// Data about the file.
    pub metadata: Metadata,
}

/// One entry of a folder.
#[derive(Debug)]
pub enum SearchItem {
    /// A file that was searched for.
    File(FoundFile),
    /// A link that was not followed, because it leads out of the folder.
    LinkOut {
        /// Its path.
        path: PathBuf,
        /// It leads to a folder; otherwise its name is that of a file that was searched for.
        is_folder: bool,
    },
    /// A folder or file that cannot be read.
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Something else: a folder, another file, a device.
    Other,
}

impl FolderSearch {
    /// Searches a folder that the user selected, in the alphabetical order of names. Each entry that is looked at gives an item.
    ///
    /// # Errors
    /// If there is no such folder.
    #[expect(clippy::disallowed_methods, reason = "this is the function that searches")]
    pub fn run(self, folder: &Path) -> io::Result<impl Iterator<Item = SearchItem>> {
        let bounds = BoundedFolder::new(folder)?;
        let mut builder = WalkBuilder::new(folder);
        builder.standard_filters(false).follow_links(self.follow_links).sort_by_file_name(Ord::cmp);
        let rules = if self.skip_ignored { Some(Mutex::new(IgnoreRules::new(&bounds)?)) } else { None };
        let (excluded, root) = (self.excluded, folder.to_owned());
        builder.filter_entry(move |entry| {
            let Ok(inside) = entry.path().strip_prefix(&root) else { return true };
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if excluded.as_ref().is_some_and(|excluded| excluded(inside, is_folder)) {
                return false;
            }
            let Some(rules) = &rules else { return true };
            let decision = rules.lock().unwrap_or_else(PoisonError::into_inner).decide(inside, is_folder);
            !decision.unwrap_or_else(|| is_hidden(entry))
        });
        let (is_wanted, follow_links) = (self.is_wanted, self.follow_links);
        let (mut walk, named): (Walk, _) = (builder.build(), folder.to_owned());
        Ok(std::iter::from_fn(move || {
            let item = match walk.next()? {
                Ok(entry) => item(&entry, &bounds, is_wanted, follow_links),
                Err(error) => unreadable(&error, &named),
            };
            Some(item)
        }))
    }
}

fn item(entry: &DirEntry, bounds: &BoundedFolder, is_wanted: fn(&Path) -> bool, follow_links: bool) -> SearchItem {
    let path = entry.path();
    let Some(kind) = entry.file_type() else { return SearchItem::Other };
    if kind.is_symlink() && !follow_links {
        return link(entry, bounds, is_wanted);
    }
    if !kind.is_file() || !is_wanted(path) {
        return SearchItem::Other;
    }
    match entry.metadata() {
        Ok(metadata) => SearchItem::File(FoundFile { path: path.to_owned(), metadata }),
        Err(error) => unreadable(&error, path),
    }
}

/// The item for a link that is followed only inside the folder.
fn link(entry: &DirEntry, bounds: &BoundedFolder, is_wanted: fn(&Path) -> bool) -> SearchItem {
    let path = entry.path();
    // The walk has followed no link below the folder, so the number of names tells which part of the path is below it.
    let below: PathBuf = path.components().rev().take(entry.depth()).collect::<Vec<_>>().into_iter().rev().collect();
    match bounds.resolve(&below) {
        Ok(target) if is_wanted(path) => match metadata(&target) {
            Ok(metadata) => SearchItem::File(FoundFile { path: path.to_owned(), metadata }),
            Err(_) => SearchItem::Other,
        },
        Err(FileRefusal::Outside) => match is_folder(path) {
            is_folder if is_folder || is_wanted(path) => SearchItem::LinkOut { path: path.to_owned(), is_folder },
            _ => SearchItem::Other,
        },
        Err(FileRefusal::Unreadable(failure)) if is_wanted(path) => {
            SearchItem::Unreadable { path: path.to_owned(), reason: failure.to_string() }
        }
        _ => SearchItem::Other,
    }
}

/// Whether a link leads to a folder of this computer.
#[expect(clippy::disallowed_methods, reason = "the path has no links any more")]
fn is_folder(link: &Path) -> bool {
    real(link).is_ok_and(|path| path.is_dir())
}

fn unreadable(error: &ignore::Error, folder: &Path) -> SearchItem {
    let (path, reason) = described(error);
    SearchItem::Unreadable { path: path.unwrap_or(folder).to_owned(), reason }
}

/// The path of an error, and the rest of it without the path.
fn described(error: &ignore::Error) -> (Option<&Path>, String) {
    match error {
        ignore::Error::WithPath { path, err } => (Some(path), described(err).1),
        ignore::Error::WithDepth { err, .. } => described(err),
        ignore::Error::Loop { child, .. } => (Some(child), "it is a link to a folder around it".to_owned()),
        ignore::Error::Io(error) => {
            // The library puts the path before the words of the system.
            let system = error.raw_os_error().map(io::Error::from_raw_os_error);
            (None, system.as_ref().unwrap_or(error).to_string())
        }
        error => (None, error.to_string()),
    }
}

fn is_hidden(entry: &DirEntry) -> bool {
    #[cfg(windows)]
    {
        use std::os::windows::fs::MetadataExt;
        const HIDDEN: u32 = 2;
        if entry.metadata().is_ok_and(|data| data.file_attributes() & HIDDEN != 0) {
            return true;
        }
    }
    entry.file_name().to_string_lossy().starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ptx(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "ptx")
    }

    fn search(skip_ignored: bool, follow_links: bool) -> FolderSearch {
        FolderSearch { is_wanted: is_ptx, follow_links, skip_ignored, excluded: None }
    }

    /// The files that a search finds, and the links that it does not follow.
    fn found(search: FolderSearch, folder: &Path) -> (Vec<String>, Vec<String>) {
        let name = |path: &Path| path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
        let (mut files, mut links) = (Vec::new(), Vec::new());
        for item in search.run(folder).unwrap() {
            match item {
                SearchItem::File(file) => files.push(name(&file.path)),
                SearchItem::LinkOut { path, is_folder } => {
                    links.push(name(&path) + if is_folder { "/" } else { "" });
                }
                SearchItem::Unreadable { path, reason } => files.push(format!("{}: {reason}", name(&path))),
                SearchItem::Other => {}
            }
        }
        (files, links)
    }

    fn write(root: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_and_what_is_not_a_file() {
        use std::os::unix::fs::symlink;
        let around = tempfile::tempdir().unwrap();
        let root = around.path().join("in");
        write(&root, &[("deep/a.ptx", ""), ("deep/x.cu", "")]);
        write(around.path(), &[("outside.ptx", ""), ("other/b.ptx", "")]);
        std::fs::create_dir(root.join("folder.ptx")).unwrap();
        for (target, link) in [
            ("deep/a.ptx", "inside.ptx"),
            ("../outside.ptx", "out.ptx"),
            ("../outside.ptx", "out.txt"),
            ("../other", "other"),
            ("/dev/zero", "zero.ptx"),
            ("nowhere", "dangling.ptx"),
            ("self.ptx", "self.ptx"),
            (".", "around"),
            ("..", "up"),
            ("deep", "deeper"),
            ("pipe.ptx", "to-pipe.ptx"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        assert!(std::process::Command::new("mkfifo").arg(root.join("pipe.ptx")).status().unwrap().success());
        for skip_ignored in [false, true] {
            let (files, links) = found(search(skip_ignored, false), &root);
            let missing = std::fs::metadata(root.join("nowhere")).unwrap_err();
            assert_eq!(files[..2], [format!("dangling.ptx: {missing}"), "deep/a.ptx".to_owned()]);
            assert_eq!(files[2..], ["inside.ptx", "self.ptx: too many links lead to it"]);
            assert_eq!(links, ["other/", "out.ptx", "up/", "zero.ptx"]);
        }
        // The folder itself may be a link.
        symlink("in", around.path().join("name")).unwrap();
        assert!(found(search(true, false), &around.path().join("name")).0.contains(&"inside.ptx".to_owned()));
        let (files, links) = found(search(false, true), &root);
        for file in ["deep/a.ptx", "deeper/a.ptx", "inside.ptx", "other/b.ptx", "out.ptx"] {
            assert!(files.iter().any(|found| found == file), "{file}: {files:?}");
        }
        assert!(files.contains(&"around: it is a link to a folder around it".to_owned()), "{files:?}");
        assert!(links.is_empty());
    }

    #[test]
    fn the_rules_of_a_repository() {
        let around = tempfile::tempdir().unwrap();
        let around = around.path().canonicalize().unwrap();
        write(
            &around,
            &[
                // Not of the repository.
                (".gitignore", "*.ptx\n"),
                ("top/.git/info/exclude", "/excluded.ptx\n"),
                ("top/.gitignore", "\u{feff}/out/\n*.tmp.ptx\n!keep.tmp.ptx\n# x\n\n[\n"),
                ("top/out/o.ptx", ""),
                ("top/a.ptx", ""),
                ("top/a.tmp.ptx", ""),
                ("top/keep.tmp.ptx", ""),
                ("top/excluded.ptx", ""),
                ("top/.hidden/h.ptx", ""),
                ("top/sub/.gitignore", "/b.ptx\n!.shown.ptx\n"),
                ("top/sub/b.ptx", ""),
                ("top/sub/c.ptx", ""),
                ("top/sub/.shown.ptx", ""),
                ("top/sub/.not.ptx", ""),
                ("top/sub/out/p.ptx", ""),
                ("top/sub/in/b.ptx", ""),
                ("top/sub/in/d.tmp.ptx", ""),
                ("top/sub/.ignore", "in/e.ptx\n"),
                ("top/sub/in/e.ptx", ""),
                // A repository in another one.
                ("top/nested/.git/HEAD", ""),
                ("top/nested/n.tmp.ptx", ""),
            ],
        );
        let top = around.join("top");
        let shown = ["sub/.shown.ptx", "sub/c.ptx", "sub/in/b.ptx", "sub/out/p.ptx"];
        let expected = [["a.ptx", "keep.tmp.ptx", "nested/n.tmp.ptx"].as_slice(), &shown].concat();
        assert_eq!(found(search(true, false), &top).0, expected);
        // Rules of the folders around it count up to the repository.
        let below = [".shown.ptx", "c.ptx", "in/b.ptx", "out/p.ptx"];
        assert_eq!(found(search(true, false), &top.join("sub")).0, below);
        // Without a repository only `.ignore` counts.
        std::fs::rename(top.join(".git"), top.join("git")).unwrap();
        let (files, _) = found(search(true, false), &top);
        assert!(files.contains(&"a.tmp.ptx".to_owned()) && !files.contains(&"sub/in/e.ptx".to_owned()), "{files:?}");
        assert!(files.contains(&"sub/b.ptx".to_owned()), "{files:?}");
        // All files where that is asked for.
        assert_eq!(found(search(false, false), &top).0.len(), 15);
        let excluded: Exclusion = Box::new(|path, is_folder| is_folder && path.ends_with("sub"));
        let (files, _) = found(FolderSearch { excluded: Some(excluded), ..search(false, false) }, &top);
        assert!(!files.iter().any(|file| file.starts_with("sub/")), "{files:?}");
    }

    /// The library that matches the rules would read them itself, and hang.
    #[test]
    #[cfg(unix)]
    fn rules_that_are_not_files_have_no_effect() {
        use std::os::unix::fs::symlink;
        let around = tempfile::tempdir().unwrap();
        let pipe = |path: PathBuf| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        write(around.path(), &[("rules", "*.ptx\n"), ("in/a.ptx", ""), ("in/sub/b.ptx", ""), ("in/far/c.ptx", "")]);
        let root = around.path().join("in");
        std::fs::create_dir_all(root.join(".git/info")).unwrap();
        pipe(root.join(".gitignore"));
        pipe(root.join(".git/info/exclude"));
        symlink("/dev/zero", root.join(".ignore")).unwrap();
        symlink("../../rules", root.join("sub/.gitignore")).unwrap();
        let long = std::fs::File::create(root.join("far/.gitignore")).unwrap();
        long.set_len(1 << 40).unwrap();
        assert_eq!(found(search(true, false), &root).0, ["a.ptx", "far/c.ptx", "sub/b.ptx"]);
    }
}
