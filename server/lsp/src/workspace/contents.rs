//! The files of a folder, as a search finds them, and where they come from.

use crate::cancel::CancelFlag;
use crate::folders::{Folder, file_path, file_uri};
use crate::settings::WorkspaceSettings;
use futures::future::BoxFuture;
use std::fmt::Debug;
use std::fs::Metadata;
use std::path::PathBuf;
use std::time::SystemTime;
use tower_lsp_server::ls_types::Uri;

/// The files that the server reads without the client having opened them: those of a file system, or of the client.
pub trait FileSource: Debug + Send + Sync {
    /// Returns the PTX files in a folder, except those that the settings exclude.
    fn find<'a>(
        &'a self,
        folder: &'a Folder,
        settings: &'a WorkspaceSettings,
        cancelled: &'a CancelFlag,
    ) -> BoxFuture<'a, FolderContents>;

    /// Returns the bytes of a file; `None` if it cannot be read or has more than `max` bytes.
    fn read<'a>(&'a self, file: &'a FileKey, max: u64, cancelled: &'a CancelFlag) -> BoxFuture<'a, Option<Vec<u8>>>;
}

/// Identifies a file or folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FileKey {
    /// By its path. Clients write the same path in several ways as a URI.
    Path(PathBuf),
    /// By its URI, if it is in a file system of the client.
    Uri(Uri),
}

impl FileKey {
    /// Returns the key for a URI.
    pub fn of(uri: &Uri) -> Self {
        // In WebAssembly no path leads to a file.
        let path = file_path(uri).filter(|_| !cfg!(target_family = "wasm"));
        path.map_or_else(|| Self::Uri(uri.clone()), Self::Path)
    }

    /// Returns the URI; `None` for a path that has none.
    pub fn uri(&self) -> Option<Uri> {
        match self {
            Self::Path(path) => file_uri(path),
            Self::Uri(uri) => Some(uri.clone()),
        }
    }

    /// Whether this is a folder or file, or something in it.
    pub fn is_in(&self, folder: &Self) -> bool {
        match (self, folder) {
            (Self::Path(path), Self::Path(folder)) => path.starts_with(folder),
            (Self::Uri(uri), Self::Uri(folder)) => {
                let rest = uri.as_str().strip_prefix(folder.as_str().trim_end_matches('/'));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            _ => false,
        }
    }
}

/// Identifies the state of a file, so that a change is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// Time of the last write; not every file system has it.
    pub modified: Option<SystemTime>,
    /// Size in bytes.
    pub length: u64,
}

impl FileStamp {
    /// Returns the state of a file with these data.
    pub fn new(metadata: &Metadata) -> Self {
        Self { modified: metadata.modified().ok(), length: metadata.len() }
    }
}

/// The PTX files in a folder.
#[derive(Debug, Default)]
pub struct FolderContents {
    /// The files, in the order of their names.
    pub files: Vec<(FileKey, FileStamp)>,
    /// Number of files that are too big and therefore omitted.
    pub too_big: usize,
    /// Whether the search stopped at its limit of entries or files.
    pub cut: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_folder() {
        let key = |uri: &str| FileKey::of(&uri.parse().unwrap());
        for (file, folder, expected) in [
            ("file:///a/b.ptx", "file:///a", true),
            ("file:///%61/b.ptx", "file:///a/", true),
            ("file:///ab/c.ptx", "file:///a", false),
            ("vscode-vfs://github/a/b.ptx", "vscode-vfs://github/a", true),
            ("vscode-vfs://github/a/b.ptx", "vscode-vfs://github/a/", true),
            ("vscode-vfs://github/a/b.ptx", "vscode-vfs://github/a/b.ptx", true),
            ("vscode-vfs://github/ab/c.ptx", "vscode-vfs://github/a", false),
            ("file:///a/b.ptx", "vscode-vfs://github/a", false),
        ] {
            assert_eq!(key(file).is_in(&key(folder)), expected, "{file} in {folder}");
        }
    }
}
