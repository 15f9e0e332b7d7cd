//! The files of a folder, as a search finds them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Identifies the state of a file, so that a change is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// Time of the last write; not every file system has it.
    pub modified: Option<SystemTime>,
    /// Size in bytes.
    pub length: u64,
}

impl FileStamp {
    /// Returns the current state of a file.
    ///
    /// # Errors
    /// If the file system returns no data, or the file is not a regular file: reading a pipe or a device may never end.
    pub fn of(path: &Path) -> std::io::Result<Self> {
        let data = std::fs::metadata(path)?;
        if !data.is_file() {
            return Err(std::io::Error::other("it is no file"));
        }
        Ok(Self { modified: data.modified().ok(), length: data.len() })
    }
}

/// The PTX files in a folder.
#[derive(Debug, Default)]
pub struct FolderContents {
    /// The files, in the order of their names.
    pub files: Vec<(PathBuf, FileStamp)>,
    /// Number of files that are too big and therefore omitted.
    pub too_big: usize,
    /// Whether the search stopped at its limit of entries or files.
    pub cut: bool,
}
