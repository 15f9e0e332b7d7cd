//! The files of a client whose file system the server cannot read, as in a browser. The client finds and reads them on request.
//!
//! Each request to the client has a time limit, and ends at once if the work is cancelled.

use crate::cancel::CancelFlag;
use crate::folders::Folder;
use crate::globs::ExcludedFiles;
use crate::platform::{FileSource, FileStamp, FolderContents};
use crate::server::Server;
use crate::settings::WorkspaceSettings;
use crate::spelling::file_name;
use crate::workspace::{FoundFile, FoundFiles};
use futures::FutureExt;
use futures::future::BoxFuture;
use ptx_clock::Instant;
use ptx_gate::names::FileName;
use serde::{Deserialize, Serialize};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tower_lsp_server::ls_types::Uri;
use tower_lsp_server::ls_types::request::Request;

/// Maximum number of files that a client finds, before the settings exclude some.
const MAX_FOUND: usize = 20_000;

/// Time limits for the client's answers.
const FIND_TIMEOUT: Duration = Duration::from_secs(60);
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Time between two looks at whether the work is cancelled.
const CANCEL_INTERVAL: Duration = Duration::from_millis(200);

/// `ptx-analyzer/findFiles`: the PTX files of a folder.
#[derive(Debug)]
enum FindFiles {}

impl Request for FindFiles {
    type Params = FindFilesParams;
    type Result = FoundFiles;
    const METHOD: &'static str = "ptx-analyzer/findFiles";
}

#[derive(Debug, Serialize, Deserialize)]
struct FindFilesParams {
    folder: Uri,
    /// Maximum number of files.
    max: usize,
}

/// `ptx-analyzer/readFile`: the bytes of a file.
#[derive(Debug)]
enum ReadFile {}

impl Request for ReadFile {
    type Params = ReadFileParams;
    type Result = FileBytes;
    const METHOD: &'static str = "ptx-analyzer/readFile";
}

#[derive(Debug, Serialize, Deserialize)]
struct ReadFileParams {
    uri: Uri,
    /// Maximum size in bytes.
    max: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct FileBytes {
    /// A character from U+0000 to U+00FF for each byte; `None` if the file cannot be read or is too big.
    bytes: Option<String>,
}

/// Returns the bytes that characters stand for; `None` if one stands for no byte.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// The files of the client.
#[derive(Debug)]
pub struct ClientFiles {
    shared: Arc<Server>,
}

impl ClientFiles {
    /// Returns the files of a server's client.
    pub fn of(shared: &Arc<Server>) -> Arc<dyn FileSource> {
        Arc::new(Self { shared: Arc::clone(shared) })
    }

    /// Sends a request and waits for the answer; `None` if there is none.
    async fn ask<R: Request>(&self, params: R::Params, limit: Duration, cancelled: &CancelFlag) -> Option<R::Result> {
        let end = Instant::now() + limit;
        let mut answer = pin!(self.shared.client().await.send_request::<R>(params));
        while !cancelled.is_set() && Instant::now() < end {
            match self.shared.platform.timeout(CANCEL_INTERVAL, &mut answer).await {
                Some(Ok(answer)) => return Some(answer),
                Some(Err(error)) => {
                    tracing::warn!("{}: {error}", R::METHOD);
                    return None;
                }
                None => {}
            }
        }
        None
    }

    async fn found(&self, folder: &Folder, settings: &WorkspaceSettings, cancelled: &CancelFlag) -> FolderContents {
        let listings = &self.shared.workspace.listings;
        if let Some(known) = listings.get(&folder.uri) {
            return contents(known, &folder.uri, settings);
        }
        let changes = self.shared.workspace.file_changes();
        let params = FindFilesParams { folder: folder.uri.clone(), max: MAX_FOUND };
        let Some(answer) = self.ask::<FindFiles>(params, FIND_TIMEOUT, cancelled).await else {
            return FolderContents { cut: !cancelled.is_set(), ..FolderContents::default() };
        };
        // A change during the search may be missing in its result.
        if self.shared.workspace.file_changes() == changes {
            listings.put(folder.uri.clone(), answer.clone());
        }
        contents(answer, &folder.uri, settings)
    }
}

/// Applies the settings to what the client has found.
fn contents(answer: FoundFiles, folder: &Uri, settings: &WorkspaceSettings) -> FolderContents {
    let max_bytes = (settings.megabytes as u64).saturating_mul(1_000_000);
    let mut out = FolderContents { cut: answer.more, ..FolderContents::default() };
    let excluded = ExcludedFiles::new(&settings.exclude);
    let mut files = answer.files;
    files.sort_by(|a, b| a.uri.cmp(&b.uri));
    for FoundFile { uri, length, modified } in files {
        if excluded.contains(folder, &uri) {
            continue;
        }
        if out.files.len() >= settings.files {
            out.cut = true;
            break;
        }
        if length > max_bytes {
            out.too_big += 1;
            continue;
        }
        let modified = Duration::try_from_secs_f64(modified / 1e3).ok().and_then(|time| UNIX_EPOCH.checked_add(time));
        out.files.push((file_name(&uri), FileStamp { modified, length }));
    }
    out
}

impl FileSource for ClientFiles {
    fn find<'a>(
        &'a self,
        folder: &'a Folder,
        settings: &'a WorkspaceSettings,
        cancelled: &'a CancelFlag,
    ) -> BoxFuture<'a, FolderContents> {
        self.found(folder, settings, cancelled).boxed()
    }

    fn read<'a>(&'a self, file: &'a FileName, max: u64, cancelled: &'a CancelFlag) -> BoxFuture<'a, Option<Vec<u8>>> {
        async move {
            let params = ReadFileParams { uri: self.shared.state.spelling.uri(file)?, max };
            let bytes = bytes_of(&self.ask::<ReadFile>(params, READ_TIMEOUT, cancelled).await?.bytes?)?;
            // The file may have grown since the client found it.
            (bytes.len() as u64 <= max).then_some(bytes)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_gate::names::UriForm;

    #[test]
    fn each_character_is_a_byte() {
        assert_eq!(bytes_of("a\u{0}\u{e9}\u{ff}"), Some(vec![b'a', 0, 0xe9, 0xff]));
        assert_eq!(bytes_of("\u{100}"), None);
    }

    #[test]
    fn settings_apply_to_what_the_client_finds() {
        let folder: Uri = "vscode-vfs://github/o/r".parse().unwrap();
        let answer = || {
            let names =
                ["z.ptx", "out/b.ptx", "a%20b.ptx", "sub/out/c.ptx", "big.ptx", ".git/x.ptx", "sub/.hidden.ptx"];
            let file = |name: &&str| FoundFile {
                uri: format!("{}/{name}", folder.as_str()).parse().unwrap(),
                length: if *name == "big.ptx" { 2_000_001 } else { 10 },
                modified: 1500.0,
            };
            FoundFiles { files: names.iter().map(file).collect(), more: false }
        };
        let names = |settings: &WorkspaceSettings| {
            let found = contents(answer(), &folder, settings);
            let name = |file: &FileName| {
                file.uri(UriForm::default())
                    .unwrap()
                    .strip_prefix(folder.as_str())
                    .unwrap()
                    .trim_start_matches('/')
                    .to_owned()
            };
            (found.files.iter().map(|(file, _)| name(file)).collect::<Vec<_>>(), found.too_big, found.cut)
        };
        let usual = WorkspaceSettings { megabytes: 2, ..WorkspaceSettings::default() };
        assert_eq!(
            names(&usual),
            (vec!["a%20b.ptx".into(), "out/b.ptx".into(), "sub/out/c.ptx".into(), "z.ptx".into()], 1, false)
        );
        let without = |exclude: &str| WorkspaceSettings { exclude: vec![exclude.to_owned()], ..usual.clone() };
        assert_eq!(names(&without("out")).0, ["a%20b.ptx", "z.ptx"]);
        assert_eq!(names(&without("/out/")).0, ["a%20b.ptx", "sub/out/c.ptx", "z.ptx"]);
        assert_eq!(names(&without("a b.ptx")).0, ["out/b.ptx", "sub/out/c.ptx", "z.ptx"]);
        let few = WorkspaceSettings { files: 1, ..usual.clone() };
        assert_eq!(names(&few), (vec!["a%20b.ptx".into()], 0, true));
        let stamp = contents(answer(), &folder, &usual).files[0].1;
        assert_eq!(stamp.modified, Some(UNIX_EPOCH + Duration::from_millis(1500)));
    }
}
