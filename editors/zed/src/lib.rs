//! PTX for Zed: finds the language server, or downloads it from the project's releases.

use std::fs;
use zed_extension_api::settings::LspSettings;
use zed_extension_api::{
    self as zed, Architecture, Command, DownloadedFileType, GithubReleaseOptions, LanguageServerId,
    LanguageServerInstallationStatus as Status, Os, Result, Worktree, serde_json,
};

const SERVER: &str = "ptx-analyzer";
/// The server for PTX in the strings of other languages: the same program with an option.
const INLINE_SERVER: &str = "ptx-analyzer-inline";
const REPOSITORY: &str = "ptx-analyzer/ptx-analyzer";

struct Ptx {
    /// The path of the downloaded server, relative to the extension's folder.
    downloaded: Option<String>,
}

/// The archive of a release for a platform: its name without extension, the name of the program in it, and the archive
/// format.
fn archive(version: &str, os: Os, architecture: Architecture) -> Result<(String, &'static str, DownloadedFileType)> {
    let (system, program, kind) = match os {
        Os::Mac => ("apple-darwin", "ptx-analyzer", DownloadedFileType::GzipTar),
        Os::Linux => ("unknown-linux-gnu", "ptx-analyzer", DownloadedFileType::GzipTar),
        Os::Windows => ("pc-windows-msvc", "ptx-analyzer.exe", DownloadedFileType::Zip),
    };
    let architecture = match (architecture, os) {
        (Architecture::X86, _) => return Err("there is no ptx-analyzer for 32-bit systems".into()),
        // Windows on ARM runs programs for x86-64, and there is no native one.
        (Architecture::X8664, _) | (_, Os::Windows) => "x86_64",
        (Architecture::Aarch64, _) => "aarch64",
    };
    Ok((format!("{SERVER}-{version}-{architecture}-{system}"), program, kind))
}

impl Ptx {
    /// Returns the program of the newest release; downloads it if necessary.
    fn download(&mut self, id: &LanguageServerId) -> Result<String> {
        if let Some(program) = self.downloaded.as_ref().filter(|program| is_file(program)) {
            return Ok(program.clone());
        }
        zed::set_language_server_installation_status(id, &Status::CheckingForUpdate);
        let release =
            zed::latest_github_release(REPOSITORY, GithubReleaseOptions { require_assets: true, pre_release: false })?;
        let (os, architecture) = zed::current_platform();
        let version = release.version.trim_start_matches('v');
        let (folder, program, kind) = archive(version, os, architecture)?;
        let program = format!("{folder}/{folder}/{program}");
        if !is_file(&program) {
            let asset = release
                .assets
                .iter()
                .find(|asset| asset.name.strip_prefix(&folder).is_some_and(|rest| rest == ".tar.gz" || rest == ".zip"))
                .ok_or_else(|| format!("release {} has no archive {folder}", release.version))?;
            zed::set_language_server_installation_status(id, &Status::Downloading);
            zed::download_file(&asset.download_url, &folder, kind)?;
            zed::make_file_executable(&program)?;
            forget_others(&folder);
        }
        zed::set_language_server_installation_status(id, &Status::None);
        self.downloaded = Some(program.clone());
        Ok(program)
    }
}

fn is_file(path: &str) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// Removes earlier downloads. Ignores errors, because a remaining download does no harm.
fn forget_others(kept: &str) {
    for entry in fs::read_dir(".").into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(SERVER) && name != kept) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

impl zed::Extension for Ptx {
    fn new() -> Self {
        Self { downloaded: None }
    }

    /// The server that the user names, otherwise the one on PATH, otherwise that of the newest release.
    fn language_server_command(&mut self, id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let named = LspSettings::for_worktree(SERVER, worktree).ok().and_then(|settings| settings.binary);
        let (path, arguments) = named.map_or((None, None), |binary| (binary.path, binary.arguments));
        let command = match path.or_else(|| worktree.which(SERVER)) {
            Some(command) => command,
            None => self.download(id)?,
        };
        let mut args = arguments.unwrap_or_default();
        if id.as_ref() == INLINE_SERVER {
            args.insert(0, "--inline".into());
        }
        Ok(Command { command, args, env: Vec::new() })
    }

    /// `lsp.ptx-analyzer.settings` of Zed's settings, in a section with the name that the server requests.
    fn language_server_workspace_configuration(
        &mut self,
        _: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        let settings = LspSettings::for_worktree(SERVER, worktree).ok().and_then(|settings| settings.settings);
        Ok(settings.map(|settings| serde_json::json!({ SERVER: settings })))
    }
}

zed::register_extension!(Ptx);
