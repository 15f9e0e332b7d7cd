//! The folders of the workspace and the files in them: the client tells of both.

use super::configuration;
use crate::folders::file_path;
use crate::session::ClientFeatures;
use crate::shared::Shared;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp_server::ls_types::{
    DidChangeWatchedFilesRegistrationOptions, DidChangeWorkspaceFoldersParams, FileOperationFilter,
    FileOperationPattern, FileOperationPatternKind, FileOperationRegistrationOptions, FileSystemWatcher, GlobPattern,
    OneOf, Registration, ServerCapabilities, Uri, WorkspaceFileOperationsServerCapabilities,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

/// Clients may leave a request unanswered.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(10);

/// What is watched.
const FILES: &str = "**/*.{ptx,PTX}";

/// Announces it.
pub fn provide(capabilities: &mut ServerCapabilities, _: ClientFeatures) {
    let filter = |glob: &str, kind| FileOperationFilter {
        scheme: Some("file".to_owned()),
        pattern: FileOperationPattern { glob: glob.to_owned(), matches: Some(kind), options: None },
    };
    // A folder takes its files along.
    let filters = vec![filter(FILES, FileOperationPatternKind::File), filter("**/*", FileOperationPatternKind::Folder)];
    let options = Some(FileOperationRegistrationOptions { filters });
    capabilities.workspace = Some(WorkspaceServerCapabilities {
        workspace_folders: Some(WorkspaceFoldersServerCapabilities {
            supported: Some(true),
            change_notifications: Some(OneOf::Left(true)),
        }),
        file_operations: Some(WorkspaceFileOperationsServerCapabilities {
            did_create: options.clone(),
            did_rename: options.clone(),
            did_delete: options,
            ..WorkspaceFileOperationsServerCapabilities::default()
        }),
    });
}

/// The session has begun: asks to be told of files that change.
pub fn begin(shared: &Arc<Shared>) {
    if !shared.session().watches_files {
        return;
    }
    let watcher = FileSystemWatcher { glob_pattern: GlobPattern::String(FILES.to_owned()), kind: None };
    let options = DidChangeWatchedFilesRegistrationOptions { watchers: vec![watcher] };
    let registration = Registration {
        id: "files".to_owned(),
        method: "workspace/didChangeWatchedFiles".to_owned(),
        register_options: serde_json::to_value(options).ok(),
    };
    let client = shared.client.clone();
    shared.spawn(async move {
        let done = client.register_capability(vec![registration]);
        if let Ok(Err(error)) = tokio::time::timeout(CLIENT_TIMEOUT, done).await {
            tracing::warn!("the client does not watch files: {error}");
        }
    });
}

/// `workspace/didChangeWorkspaceFolders`
pub fn folders_changed(shared: &Arc<Shared>, params: &DidChangeWorkspaceFoldersParams) {
    shared.change_folders(|folders| folders.change(&params.event));
    // Documents may have other settings now; those of a new folder are asked for.
    configuration::take_effect(shared);
    configuration::ask(shared);
}

/// Files are created, changed, renamed or deleted, in the editor or elsewhere.
pub fn files_changed<'a>(shared: &Arc<Shared>, uris: impl Iterator<Item = &'a str>) {
    for path in uris.filter_map(|uri| file_path(&uri.parse::<Uri>().ok()?)) {
        shared.workspace.forget(&path);
    }
}
