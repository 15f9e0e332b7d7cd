//! The folders that the client works in, each with settings of its own.

use super::settings::Settings;
use super::spelling::file_name;
use ptx_gate::names::FileName;
use std::sync::Arc;
use tower_lsp_server::ls_types::{InitializeParams, Uri, WorkspaceFolder, WorkspaceFoldersChangeEvent};

/// A folder of the workspace.
#[derive(Debug, Clone)]
pub struct Folder {
    /// The folder's URI.
    pub uri: Uri,
    /// Identifies it.
    pub name: FileName,
    /// Its settings, if the client sent settings for this folder.
    pub settings: Option<Arc<Settings>>,
}

impl Folder {
    fn new(uri: Uri) -> Self {
        let name = file_name(&uri);
        Self { uri, name, settings: None }
    }
}

/// The folders of the workspace.
#[derive(Debug, Clone, Default)]
pub struct Folders(Vec<Folder>);

impl Folders {
    /// Returns the folders of the client's first message; old clients send only one, and some none.
    pub fn new(params: &InitializeParams) -> Self {
        #[allow(deprecated)] // For old clients.
        let root = || params.root_uri.clone();
        let folders = match &params.workspace_folders {
            Some(folders) => folders.iter().map(|f| f.uri.clone()).collect(),
            None => Vec::from_iter(root()),
        };
        let folders: Vec<WorkspaceFolder> =
            folders.into_iter().map(|uri| WorkspaceFolder { uri, name: String::new() }).collect();
        let mut out = Self::default();
        out.change(&WorkspaceFoldersChangeEvent { added: folders, removed: Vec::new() });
        out
    }

    /// Returns all folders.
    pub fn iter(&self) -> impl Iterator<Item = &Folder> {
        self.0.iter()
    }

    /// Applies added and removed folders.
    pub fn change(&mut self, event: &WorkspaceFoldersChangeEvent) {
        for WorkspaceFolder { uri, .. } in &event.removed {
            let gone = file_name(uri);
            self.0.retain(|folder| folder.name != gone);
        }
        for WorkspaceFolder { uri, .. } in &event.added {
            let folder = Folder::new(uri.clone());
            if self.0.iter().all(|known| known.name != folder.name) {
                self.0.push(folder);
            }
        }
    }

    /// Returns the innermost folder that contains a document.
    pub fn of(&self, uri: &Uri) -> Option<&Folder> {
        let file = file_name(uri);
        self.0.iter().filter(|folder| file.is_in(&folder.name)).max_by_key(|folder| folder.name.depth())
    }

    /// Replaces the settings of a folder; returns whether they differ.
    pub fn set_settings(&mut self, uri: &Uri, settings: Option<Settings>) -> bool {
        let name = file_name(uri);
        let Some(folder) = self.0.iter_mut().find(|folder| folder.name == name) else { return false };
        let differ = folder.settings.as_deref() != settings.as_ref();
        if differ {
            folder.settings = settings.map(Arc::new);
        }
        differ
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        text.parse().unwrap()
    }

    fn folder(text: &str) -> WorkspaceFolder {
        WorkspaceFolder { uri: uri(text), name: String::new() }
    }

    #[test]
    fn the_innermost_folder() {
        let mut folders = Folders::default();
        let added = ["file:///a", "file:///a/b%20c", "vscode-vfs://host/x/"].map(folder).to_vec();
        folders.change(&WorkspaceFoldersChangeEvent { added, removed: vec![] });
        for (document, expected) in [
            ("file:///a/k.ptx", Some("file:///a")),
            ("file:///a/b c/k.ptx".replace(' ', "%20").as_str(), Some("file:///a/b%20c")),
            ("file:///%61/k.ptx", Some("file:///a")),
            ("file:///ab/k.ptx", None),
            ("file:///a", Some("file:///a")),
            ("untitled:k", None),
            ("vscode-vfs://host/x/k.ptx", Some("vscode-vfs://host/x/")),
            ("vscode-vfs://host/xy/k.ptx", None),
        ] {
            assert_eq!(folders.of(&uri(document)).map(|f| f.uri.as_str()), expected, "{document}");
        }
        let removed = vec![folder("file:///a/b%20c")];
        folders.change(&WorkspaceFoldersChangeEvent { added: vec![folder("file:///a")], removed });
        assert_eq!(folders.iter().map(|f| f.uri.as_str()).collect::<Vec<_>>(), ["file:///a", "vscode-vfs://host/x/"]);
    }

    #[test]
    fn settings_of_a_folder() {
        let mut folders = Folders::default();
        folders.change(&WorkspaceFoldersChangeEvent { added: vec![folder("file:///a")], removed: vec![] });
        let other = Settings { target: Some("sm_90".to_owned()), ..Settings::default() };
        assert!(folders.set_settings(&uri("file:///a"), Some(other.clone())));
        assert!(!folders.set_settings(&uri("file:///a"), Some(other)));
        assert!(!folders.set_settings(&uri("file:///b"), Some(Settings::default())));
        assert_eq!(
            folders.of(&uri("file:///a/k")).unwrap().settings.as_ref().unwrap().target.as_deref(),
            Some("sm_90")
        );
        assert!(folders.set_settings(&uri("file:///a"), None));
    }

    #[test]
    fn old_clients_have_one_folder() {
        #[allow(deprecated)]
        let params = InitializeParams { root_uri: Some(uri("file:///a")), ..InitializeParams::default() };
        assert_eq!(Folders::new(&params).iter().count(), 1);
        assert_eq!(Folders::new(&InitializeParams::default()).iter().count(), 0);
    }
}
