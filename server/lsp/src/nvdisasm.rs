//! NVIDIA's disassembler in the server: its configuration, and the machine code of documents.
//!
//! The same rules hold as for the assembler ([`super::ptxas`]): only the user names it, and nothing is searched for.

use super::folders::Folders;
use super::ptxas::{self, Key, inside};
use super::settings::{self, NvdisasmSettings, Settings};
use super::shared::lock;
use crate::assembler::answer::TiedCode;
use crate::assembler::run::Runner;
use crate::assembler::{AssemblerFailure, ExecutableStamp, Tool, ToolInfo, absolute};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use tower_lsp_server::ls_types::Uri;

/// Maximum number of stored results.
const MAX_RESULTS: usize = 8;

/// Maximum number of instructions in all stored results, besides the newest.
const MAX_INSTRUCTIONS: usize = 400_000;

/// State of the user's setting for a disassembler.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum DisassemblerSetting {
    /// No disassembler is set.
    #[default]
    Nothing,
    /// A disassembler is set, but the client does not vouch for it.
    Untrusted,
    /// The setting is invalid: the reason.
    Wrong(String),
    /// The valid path.
    Ready(PathBuf),
}

/// State of the disassembler in the server.
#[derive(Debug, Default)]
pub struct Nvdisasm {
    setting: OnceLock<DisassemblerSetting>,
    /// Whether settings that do not count name a disassembler.
    elsewhere: AtomicBool,
    known: Mutex<CodeCache>,
}

#[derive(Debug, Default)]
struct CodeCache {
    disassembler: Option<(ExecutableStamp, ToolInfo)>,
    /// The results, the newest last.
    results: VecDeque<(CodeKey, Arc<TiedCode>)>,
    documents: HashMap<Uri, DocumentCode>,
}

/// All inputs of machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeKey {
    /// The inputs of the assembler.
    pub assembler: Key,
    /// Identifies the state of the disassembler.
    pub disassembler: ExecutableStamp,
}

/// The machine code of a document for its own target.
#[derive(Debug, Clone)]
pub struct DocumentCode {
    /// The revision of the text.
    pub revision: u64,
    /// Its machine code.
    pub code: Arc<TiedCode>,
}

impl Nvdisasm {
    /// Reads the setting from the client's first message. Returns a message if it is invalid.
    pub fn begin(&self, options: Option<&Value>) -> Option<String> {
        let setting = setting(options);
        let message = match &setting {
            DisassemblerSetting::Wrong(why) => Some(format!("`ptx-analyzer.nvdisasm.path` cannot be used: {why}")),
            _ => None,
        };
        let _ = self.setting.set(setting);
        message
    }

    /// Records that settings that do not count name a disassembler.
    pub fn ignore(&self, written: &NvdisasmSettings) {
        let same =
            matches!(self.setting.get(), Some(DisassemblerSetting::Ready(own)) if own == Path::new(&written.path));
        if !written.path.is_empty() && !same && !self.elsewhere.swap(true, Ordering::Relaxed) {
            tracing::info!("`ptx-analyzer.nvdisasm.path` counts only in the initialization options");
        }
    }

    /// Returns the path of the disassembler.
    ///
    /// # Errors
    /// The reason why there is none, and how to fix that.
    pub fn path(&self, folders: &Folders) -> Result<&Path, String> {
        const HOW: &str = "in the `initializationOptions` of your editor, with `\"workspaceTrusted\": true` beside the section (docs/sass.md)";
        match self.setting.get() {
            Some(DisassemblerSetting::Ready(path)) => match inside(path, folders) {
                Some(folder) => Err(format!(
                    "`{}` is in the folder {folder} of the workspace, and what belongs to a project is not run: use an nvdisasm that is elsewhere",
                    path.display()
                )),
                None => Ok(path),
            },
            Some(DisassemblerSetting::Wrong(why)) => Err(format!("`ptx-analyzer.nvdisasm.path` cannot be used: {why}")),
            Some(DisassemblerSetting::Untrusted) => Err(format!(
                "`ptx-analyzer.nvdisasm.path` is set, but the editor does not say that it trusts the workspace: it must be set {HOW}"
            )),
            _ if self.elsewhere.load(Ordering::Relaxed) => Err(format!(
                "`ptx-analyzer.nvdisasm.path` was sent as configuration, where a project could have set it, and does not count there: set it {HOW}"
            )),
            _ => Err(format!(
                "no disassembler is configured, and none is looked for: set `ptx-analyzer.nvdisasm.path` {HOW}"
            )),
        }
    }

    /// Whether a path may be used.
    pub fn is_ready(&self) -> bool {
        matches!(self.setting.get(), Some(DisassemblerSetting::Ready(_)))
    }

    /// Returns the disassembler at a path. It is asked for its version when it is used for the first time or has changed.
    ///
    /// # Errors
    /// If the program is not a disassembler.
    pub fn disassembler(
        &self,
        path: &Path,
        runner: &Runner,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(ExecutableStamp, ToolInfo), AssemblerFailure> {
        let stamp = ExecutableStamp::of(path)?;
        if let Some(known) = lock(&self.known).disassembler.as_ref().filter(|(known, _)| *known == stamp) {
            return Ok(known.clone());
        }
        let found = ToolInfo::identify(Tool::Nvdisasm, path, runner, stop)?;
        tracing::info!("nvdisasm {} at {}", found.version, found.path.display());
        lock(&self.known).disassembler = Some((stamp.clone(), found.clone()));
        Ok((stamp, found))
    }

    /// Returns the current state of the executable, if its version is known in this state.
    pub fn stamp(&self, path: &Path) -> Option<ExecutableStamp> {
        let stamp = ExecutableStamp::of(path).ok()?;
        lock(&self.known).disassembler.as_ref().is_some_and(|(known, _)| *known == stamp).then_some(stamp)
    }

    /// Returns the stored result for the same inputs.
    pub fn known(&self, key: &CodeKey) -> Option<Arc<TiedCode>> {
        let known = lock(&self.known);
        known.results.iter().rev().find(|(k, _)| k == key).map(|(_, code)| Arc::clone(code))
    }

    /// Stores a result.
    pub fn remember(&self, key: CodeKey, code: Arc<TiedCode>) {
        let mut known = lock(&self.known);
        // It may replace a result without live registers.
        known.results.retain(|(k, _)| *k != key);
        known.results.push_back((key, code));
        let too_many = |results: &VecDeque<(CodeKey, Arc<TiedCode>)>| {
            let instructions: usize = results.iter().map(|(_, c)| c.code.count()).sum();
            results.len() > 1 && (results.len() > MAX_RESULTS || instructions > MAX_INSTRUCTIONS)
        };
        while too_many(&known.results) {
            known.results.pop_front();
        }
    }

    /// Stores the machine code of a document's text for its own target.
    pub fn note(&self, uri: &Uri, revision: u64, code: Arc<TiedCode>) {
        lock(&self.known).documents.insert(uri.clone(), DocumentCode { revision, code });
    }

    /// Returns the machine code of a document, if its text is still that of the revision.
    pub fn current(&self, uri: &Uri, revision: u64) -> Option<Arc<TiedCode>> {
        let known = lock(&self.known);
        known.documents.get(uri).filter(|d| d.revision == revision).map(|d| Arc::clone(&d.code))
    }

    /// Returns the state for `serverStatus`.
    pub fn status(&self, folders: &Folders) -> Value {
        let version = lock(&self.known).disassembler.as_ref().map(|(_, d)| d.version.clone());
        match self.path(folders) {
            Ok(path) => json!({ "path": path.to_string_lossy(), "version": version }),
            Err(why) => json!({ "path": null, "why": why }),
        }
    }

    /// Removes the machine code of a closed document.
    pub fn forget(&self, uri: &Uri) {
        lock(&self.known).documents.remove(uri);
    }
}

fn setting(options: Option<&Value>) -> DisassemblerSetting {
    let Some(section) = options.and_then(settings::section) else { return DisassemblerSetting::Nothing };
    let written = Settings::read(section).0.nvdisasm;
    if written.path.is_empty() {
        return DisassemblerSetting::Nothing;
    }
    if !ptxas::is_vouched_for(options) {
        return DisassemblerSetting::Untrusted;
    }
    absolute(&written.path).map_or_else(DisassemblerSetting::Wrong, DisassemblerSetting::Ready)
}
