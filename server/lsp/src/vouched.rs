//! Programs of NVIDIA's that only the user can name: the setting of each, and its version.
//!
//! The server starts these programs, so their paths must come from the user, never from a project. They are therefore read only
//! from the `initializationOptions`, and only beside `"workspaceTrusted": true`. Configuration that arrives later may be merged
//! from files of the project and does not count. `docs/decisions/0003-assembler.md` has the reasons.

use super::folders::{Folder, Folders};
use super::settings::{self, Settings};
use super::sync::lock;
use ptx_gate::files::real_named;
use ptx_gate::names::FileName;
use ptx_nvidia::run::Runner;
use ptx_nvidia::{AssemblerFailure, ExecutableStamp, Tool, ToolInfo};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

/// The key beside the section of settings with which a client vouches for them.
const TRUSTED: &str = "workspaceTrusted";

/// State of the user's setting for a program.
#[derive(Debug, Default)]
enum ProgramSetting<T> {
    /// No program is set.
    #[default]
    Nothing,
    /// A program is set, but the client does not vouch for it.
    Untrusted,
    /// The setting is invalid: the reason.
    Wrong(String),
    /// The valid configuration.
    Ready(T),
}

/// A program that only the user can name. `T` is its configuration, which holds its path.
#[derive(Debug)]
pub struct VouchedProgram<T> {
    tool: Tool,
    setting: OnceLock<ProgramSetting<T>>,
    /// Whether settings that do not count name the program.
    elsewhere: AtomicBool,
    identified: Mutex<Option<(ExecutableStamp, ToolInfo)>>,
}

impl<T: AsRef<Path>> VouchedProgram<T> {
    /// Creates the state before the client's first message.
    pub fn new(tool: Tool) -> Self {
        Self { tool, setting: OnceLock::new(), elsewhere: AtomicBool::new(false), identified: Mutex::default() }
    }

    /// Reads the setting from the client's first message: `read` returns the configuration, or `None` if no path is set. Returns
    /// a message if the setting is invalid.
    pub fn begin(
        &self,
        options: Option<&Value>,
        read: impl FnOnce(&Settings) -> Option<Result<T, String>>,
    ) -> Option<String> {
        let written = options.and_then(settings::section).and_then(|section| read(&Settings::read(section).0));
        let trusted = options.and_then(|o| o.get(TRUSTED)) == Some(&Value::Bool(true));
        let setting = match written {
            None => ProgramSetting::Nothing,
            Some(_) if !trusted => ProgramSetting::Untrusted,
            Some(Err(why)) => ProgramSetting::Wrong(why),
            Some(Ok(configuration)) => ProgramSetting::Ready(configuration),
        };
        let message = match &setting {
            ProgramSetting::Wrong(why) => Some(self.wrong(why)),
            _ => None,
        };
        let _ = self.setting.set(setting);
        message
    }

    /// Records that settings that do not count name the program.
    pub fn ignore(&self, path: &str) {
        let same =
            self.ready().is_some_and(|own| FileName::of_path(own.as_ref()) == FileName::of_path(Path::new(path)));
        if !path.is_empty() && !same && !self.elsewhere.swap(true, Ordering::Relaxed) {
            tracing::info!("`ptx-analyzer.{}.path` is only read from the initialization options", self.tool.name());
        }
    }

    fn ready(&self) -> Option<&T> {
        match self.setting.get() {
            Some(ProgramSetting::Ready(configuration)) => Some(configuration),
            _ => None,
        }
    }

    /// Whether the user has named the program.
    pub fn is_ready(&self) -> bool {
        self.ready().is_some()
    }

    /// Returns the configuration.
    ///
    /// # Errors
    /// The reason why there is none, and how to fix that.
    pub fn configuration(&self, folders: &Folders) -> Result<&T, String> {
        let name = self.tool.name();
        let how = format!(
            "in the `initializationOptions` of your editor, with `\"workspaceTrusted\": true` beside the section ({})",
            self.tool.page()
        );
        match self.setting.get() {
            Some(ProgramSetting::Ready(configuration)) => match inside(configuration.as_ref(), folders) {
                Some(folder) => Err(format!(
                    "`{}` is in the folder {folder} of the workspace. A program that belongs to a project is not run: name the path of another {name}",
                    configuration.as_ref().display()
                )),
                None => Ok(configuration),
            },
            Some(ProgramSetting::Wrong(why)) => Err(self.wrong(why)),
            Some(ProgramSetting::Untrusted) => Err(format!(
                "`ptx-analyzer.{name}.path` is set, but the editor does not say that it trusts the workspace: it must be set {how}"
            )),
            _ if self.elsewhere.load(Ordering::Relaxed) => Err(format!(
                "`ptx-analyzer.{name}.path` was sent as configuration, where a project could have set it, and does not count there: set it {how}"
            )),
            _ => Err(format!("no {name} is configured, and none is looked for: set `ptx-analyzer.{name}.path` {how}")),
        }
    }

    fn wrong(&self, why: &str) -> String {
        format!("`ptx-analyzer.{}` cannot be used: {why}", self.tool.name())
    }

    /// Returns the program at the path of a configuration. It is asked for its version when it is used for the first time or has
    /// changed.
    ///
    /// # Errors
    /// If it is another program.
    pub fn identify(
        &self,
        path: &Path,
        runner: &Runner,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(ExecutableStamp, ToolInfo), AssemblerFailure> {
        let stamp = ExecutableStamp::of(path)?;
        if let Some(known) = lock(&self.identified).as_ref().filter(|(known, _)| *known == stamp) {
            return Ok(known.clone());
        }
        let found = ToolInfo::identify(self.tool, path, runner, stop)?;
        tracing::info!("{} {} at {}", self.tool.name(), found.version, found.path.display());
        *lock(&self.identified) = Some((stamp.clone(), found.clone()));
        Ok((stamp, found))
    }

    /// Returns the current state of the executable, if its version is known in this state.
    pub fn stamp(&self, path: &Path) -> Option<ExecutableStamp> {
        let stamp = ExecutableStamp::of(path).ok()?;
        lock(&self.identified).as_ref().is_some_and(|(known, _)| *known == stamp).then_some(stamp)
    }

    /// Returns the state for `serverStatus`.
    pub fn status(&self, folders: &Folders) -> Value {
        let version = lock(&self.identified).as_ref().map(|(_, found)| found.version.clone());
        match self.configuration(folders) {
            Ok(configuration) => json!({ "path": configuration.as_ref().to_string_lossy(), "version": version }),
            Err(why) => json!({ "path": null, "why": why }),
        }
    }
}

/// Returns the folder of the workspace that contains a file, by its path or after following links. A folder that contains the
/// user's home never counts as a project, even if the editor opened it as a workspace.
fn inside(path: &Path, folders: &Folders) -> Option<String> {
    let real = |path: &Path| FileName::of_path(&real_named(path).unwrap_or_else(|_| path.to_owned()));
    let home = std::env::home_dir().map(|home| real(&home));
    let (name, file) = (FileName::of_path(path), real(path));
    let holds = |folder: &&Folder| {
        let Some(folder_is) = folder.name.path().map(|folder| real(&folder)) else { return false };
        (name.is_in(&folder.name) || file.is_in(&folder_is)) && home.as_ref().is_none_or(|home| !home.is_in(&folder_is))
    };
    folders.iter().find(holds).and_then(|folder| folder.name.path()).map(|folder| folder.display().to_string())
}
