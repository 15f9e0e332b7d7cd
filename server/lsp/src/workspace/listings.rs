//! What a client has found that supplies files.

use crate::sync::lock;
use ptx_clock::Instant;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;
use tower_lsp_server::ls_types::Uri;

/// Time for which a list of files is valid if the client reports no change: not every file system reports those that others make.
const MAX_LISTING_AGE: Duration = Duration::from_secs(300);

/// The PTX files of a folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FoundFiles {
    /// The files.
    pub files: Vec<FoundFile>,
    /// Whether there are more.
    pub more: bool,
}

/// A file that the client has found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FoundFile {
    /// Its URI.
    pub uri: Uri,
    /// Size in bytes.
    pub length: u64,
    /// Time of the last write in milliseconds since 1970.
    pub modified: f64,
}

/// What the client has found in each folder. Clients pull the diagnostics of the workspace again and again, and a search may go
/// over a network.
#[derive(Debug, Default)]
pub struct Listings(Mutex<HashMap<Uri, (Instant, FoundFiles)>>);

impl Listings {
    /// Drops all lists: files were created, changed or deleted.
    pub fn forget(&self) {
        lock(&self.0).clear();
    }

    /// Returns the list of a folder, if it is still valid.
    pub fn get(&self, folder: &Uri) -> Option<FoundFiles> {
        let known = lock(&self.0);
        let (time, found) = known.get(folder)?;
        (time.elapsed() < MAX_LISTING_AGE).then(|| found.clone())
    }

    /// Stores the list of a folder.
    pub fn put(&self, folder: Uri, found: FoundFiles) {
        lock(&self.0).insert(folder, (Instant::now(), found));
    }
}
