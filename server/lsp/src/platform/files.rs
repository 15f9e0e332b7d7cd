//! The files of a folder, as a search finds them, and where they come from.

use crate::cancel::CancelFlag;
use crate::folders::Folder;
use crate::settings::WorkspaceSettings;
use futures::future::BoxFuture;
use ptx_gate::names::FileName;
use std::fmt::Debug;
use std::fs::Metadata;
use std::time::SystemTime;

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
    fn read<'a>(&'a self, file: &'a FileName, max: u64, cancelled: &'a CancelFlag) -> BoxFuture<'a, Option<Vec<u8>>>;
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
    pub files: Vec<(FileName, FileStamp)>,
    /// Number of files that are too big and therefore omitted.
    pub too_big: usize,
    /// Whether the search stopped at its limit of entries or files.
    pub cut: bool,
}
