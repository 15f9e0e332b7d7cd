//! Notifications about the folders of the workspace and the files in them.

use super::configuration;
use crate::server::Server;
use crate::session::ClientFeatures;
use ptx_gate::names::FileName;
use std::sync::Arc;
use tower_lsp_server::ls_types::{
    DidChangeWatchedFilesRegistrationOptions, DidChangeWorkspaceFoldersParams, FileOperationFilter,
    FileOperationPattern, FileOperationPatternKind, FileOperationRegistrationOptions, FileSystemWatcher, GlobPattern,
    OneOf, Registration, ServerCapabilities, WorkspaceFileOperationsServerCapabilities,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

/// Glob of the watched files.
const FILES: &str = "**/*.{ptx,PTX}";

/// Announces the notifications about folders and files.
pub fn provide(capabilities: &mut ServerCapabilities, session: ClientFeatures) {
    let filter = |glob: &str, kind| FileOperationFilter {
        scheme: (!session.supplies_files).then(|| "file".to_owned()),
        pattern: FileOperationPattern { glob: glob.to_owned(), matches: Some(kind), options: None },
    };
    // Renaming or deleting a folder affects its files.
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

/// Registers for changes of files, at the beginning of the session.
pub fn begin(shared: &Arc<Server>) {
    if !shared.state.session().watches_files {
        return;
    }
    let watcher = FileSystemWatcher { glob_pattern: GlobPattern::String(FILES.to_owned()), kind: None };
    let options = DidChangeWatchedFilesRegistrationOptions { watchers: vec![watcher] };
    let registration = Registration {
        id: "files".to_owned(),
        method: "workspace/didChangeWatchedFiles".to_owned(),
        register_options: serde_json::to_value(options).ok(),
    };
    let server = Arc::clone(shared);
    shared.spawn(async move {
        let done = server.client().await.register_capability(vec![registration]);
        if let Some(Err(error)) = server.answer(done).await {
            tracing::warn!("the client does not watch files: {error}");
        }
    });
}

/// `workspace/didChangeWorkspaceFolders`
pub fn folders_changed(shared: &Arc<Server>, params: &DidChangeWorkspaceFoldersParams) {
    shared.state.change_folders(|folders| folders.change(&params.event));
    // Documents may have other settings now; the settings of a new folder are requested.
    configuration::take_effect(shared);
    configuration::ask(shared);
}

/// Handles files that were created, changed, renamed or deleted, in the editor or elsewhere.
pub fn files_changed<'a>(shared: &Arc<Server>, uris: impl Iterator<Item = &'a str>) {
    uris.for_each(|uri| shared.workspace.forget(&FileName::of_uri(uri)));
}
