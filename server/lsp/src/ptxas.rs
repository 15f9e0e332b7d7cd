//! NVIDIA's assembler in the server: its configuration and its cached results.

use super::settings::PtxasSettings;
use super::sync::lock;
use super::vouched::VouchedProgram;
use ptx_analysis::module::{is_function, items};
use ptx_analysis::{Figures, MeasuredRegisters};
use ptx_nvidia::compare::AssemblerComparison;
use ptx_nvidia::output::AssemblerFunction;
use ptx_nvidia::run::{CLEANUP_TIMEOUT, Runner};
use ptx_nvidia::{AssemblerFailure, AssemblerOutput, Configuration, ExecutableStamp, Tool, ToolInfo};
use ptx_syntax::{Snapshot, fields};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use tower_lsp_server::ls_types::Uri;

/// Maximum number of stored results: enough for a text with and without a change, for a few targets.
const MAX_RESULTS: usize = 16;

/// State of the assembler in the server.
#[derive(Debug)]
pub struct Ptxas {
    /// The user's setting, and the version of the program.
    pub program: VouchedProgram<Configuration>,
    /// Runs the program.
    pub runner: Arc<Runner>,
    /// Set once the program is guaranteed to end with the server.
    guarded: OnceLock<()>,
    /// Locked by the comparison that may run the assembler.
    pub turn: Arc<tokio::sync::Mutex<()>>,
    known: Mutex<AssemblerCache>,
}

#[derive(Debug, Default)]
struct AssemblerCache {
    /// The comparisons, the newest last.
    comparisons: VecDeque<(Key, Arc<AssemblerComparison>)>,
    documents: HashMap<Uri, MeasuredDocument>,
}

/// All inputs of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Hash of the text.
    pub hash: u64,
    /// Identifies the state of the executable.
    pub stamp: ExecutableStamp,
    /// Path, options and time limit.
    pub configuration: Configuration,
    /// The target architecture.
    pub target: String,
    /// The only kernel to assemble; `None` for all.
    pub entry: Option<String>,
}

/// The state of a document when it was measured.
#[derive(Debug)]
struct MeasuredDocument {
    text: Fingerprint,
    measured: HashMap<String, MeasuredRegisters>,
}

/// All parts of a text on which the measurements of its functions depend.
#[derive(Debug, PartialEq, Eq)]
struct Fingerprint {
    /// Hash of everything outside of functions with bodies.
    outside: u64,
    /// For each function the hash of its text, and whether it may call others.
    functions: HashMap<String, (u64, bool)>,
}

impl Default for Ptxas {
    fn default() -> Self {
        Self {
            program: VouchedProgram::new(Tool::Ptxas),
            runner: Arc::default(),
            guarded: OnceLock::new(),
            turn: Arc::default(),
            known: Mutex::default(),
        }
    }
}

impl Ptxas {
    /// Reads the setting from the client's first message. Returns a message if it is invalid.
    pub fn begin(&self, options: Option<&Value>) -> Option<String> {
        self.program.begin(options, |settings| {
            let PtxasSettings { path, arguments, timeout } = &settings.ptxas;
            let limit = Duration::from_secs(*timeout as u64);
            (!path.is_empty()).then(|| Configuration::new(path, arguments, limit))
        })
    }

    /// Returns the assembler. It is asked for its version when it is used for the first time or has changed.
    ///
    /// # Errors
    /// If the program is not an assembler.
    pub fn assembler(
        &self,
        configuration: &Configuration,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(ExecutableStamp, ToolInfo), AssemblerFailure> {
        self.guarded.get_or_init(|| {
            if let Err(error) = self.runner.end_with_signals() {
                tracing::warn!("ptxas would outlive the server if that is killed: {error}");
            }
        });
        self.program.identify(&configuration.path, &self.runner, stop)
    }

    /// Returns the stored result for the same inputs, or for the same inputs without a kernel.
    pub fn known(&self, key: &Key) -> Option<Arc<AssemblerComparison>> {
        let module_key = Key { entry: None, ..key.clone() };
        let store = lock(&self.known);
        store.comparisons.iter().rev().find(|(k, _)| k == key || *k == module_key).map(|(_, c)| Arc::clone(c))
    }

    /// Stores a result.
    pub fn remember(&self, key: Key, comparison: Arc<AssemblerComparison>) {
        let mut store = lock(&self.known);
        store.comparisons.push_back((key, comparison));
        if store.comparisons.len() > MAX_RESULTS {
            store.comparisons.pop_front();
        }
    }

    /// Stores the measurements for the target that a document itself names. Returns whether they differ from those before.
    pub fn note(&self, uri: &Uri, snapshot: &Snapshot, assembler: &ToolInfo, assembled: &AssemblerOutput) -> bool {
        // A rejected module may have figures of some functions, but the text is not a program.
        if assembled.listing.errors().next().is_some() {
            return false;
        }
        let is_own_target = ptx_ide::environment(snapshot).target.is_some_and(|t| t.name == assembled.target);
        let target = if is_own_target { String::new() } else { format!(" for {}", assembled.target) };
        let by = format!("ptxas {}{target}", assembler.release);
        let one = |function: &AssemblerFunction| {
            let spilled = function.spill_stores.unwrap_or(0).saturating_add(function.spill_loads.unwrap_or(0));
            let measured = MeasuredRegisters { registers: function.registers?, spilled, by: by.clone() };
            Some((function.name.clone(), measured))
        };
        // Only a single kernel may have been measured: the measurements of the others stay.
        let before = self.measured(uri, snapshot);
        let mut measured = before.clone();
        measured.extend(assembled.listing.functions.iter().filter_map(one));
        let document = MeasuredDocument { text: Fingerprint::new(snapshot), measured };
        let changed = document.measured != before;
        lock(&self.known).documents.insert(uri.clone(), document);
        changed
    }

    /// Returns a register report of a document with its valid measurements in place of estimates.
    pub fn figures(&self, uri: &Uri, snapshot: &Snapshot, figures: &Arc<Figures>) -> Arc<Figures> {
        let measured = self.measured(uri, snapshot);
        if measured.is_empty() { Arc::clone(figures) } else { Arc::new(figures.with_measured(&measured)) }
    }

    /// Removes the measurements of a closed document.
    pub fn forget(&self, uri: &Uri) {
        lock(&self.known).documents.remove(uri);
    }

    /// Returns the valid measurements of the functions of a document, by name. A measurement is valid while neither the
    /// function's text nor anything outside of functions has changed, and, if the function calls others, while none of them has
    /// changed.
    pub fn measured(&self, uri: &Uri, snapshot: &Snapshot) -> HashMap<String, MeasuredRegisters> {
        if lock(&self.known).documents.get(uri).is_none_or(|r| r.measured.is_empty()) {
            return HashMap::new();
        }
        let now = Fingerprint::new(snapshot);
        let store = lock(&self.known);
        let Some(before) = store.documents.get(uri) else { return HashMap::new() };
        let holds = |name: &String| {
            let (was, is) = (before.text.functions.get(name), now.functions.get(name));
            was.is_some()
                && was == is
                && before.text.outside == now.outside
                && (is.is_some_and(|(_, calls)| !calls) || before.text == now)
        };
        before.measured.iter().filter(|(name, _)| holds(name)).map(|(n, m)| (n.clone(), m.clone())).collect()
    }

    /// Kills a running program, because the server ends.
    pub fn end(&self) {
        self.runner.end(CLEANUP_TIMEOUT);
    }
}

/// Returns the hash of a text.
pub fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl Fingerprint {
    fn new(snapshot: &Snapshot) -> Self {
        let f = fields();
        let mut outside = DefaultHasher::new();
        let mut functions = HashMap::new();
        for item in items(snapshot) {
            let text = snapshot.text(item.range.clone());
            let name = item.node.child_by_field_id(f.name).filter(|_| is_function(item.node));
            match name.filter(|_| item.node.child_by_field_id(f.body).is_some()) {
                Some(name) => {
                    let name = snapshot.text(name.byte_range()).into_owned();
                    functions.insert(name, (hash(&text), text.contains("call")));
                }
                None => text.hash(&mut outside),
            }
        }
        Self { outside: outside.finish(), functions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folders::Folders;
    use ptx_gate::names::{FileName, UriForm};
    use ptx_nvidia::output::Listing;
    use serde_json::json;
    use std::path::Path;
    use tower_lsp_server::ls_types::{InitializeParams, WorkspaceFolder};

    fn begun(options: &Value) -> Ptxas {
        let out = Ptxas::default();
        let _ = out.begin(Some(options));
        out
    }

    fn folders(paths: &[&Path]) -> Folders {
        let one = |path: &&Path| WorkspaceFolder {
            uri: FileName::of_path(path).uri(UriForm::default()).unwrap().parse().unwrap(),
            name: String::new(),
        };
        let workspace_folders = Some(paths.iter().map(one).collect());
        Folders::new(&InitializeParams { workspace_folders, ..InitializeParams::default() })
    }

    fn refusal(options: &Value) -> String {
        begun(options).program.configuration(&folders(&[])).unwrap_err()
    }

    /// A place where nothing is.
    const PTXAS: &str = if cfg!(windows) { r"C:\opt\ptxas.exe" } else { "/opt/ptxas" };

    #[test]
    fn only_a_trusted_word_counts() {
        let section = json!({ "ptxas": { "path": PTXAS, "arguments": ["-O1"], "timeout": 5 } });
        let trusted = begun(&json!({ "ptx-analyzer": section, "workspaceTrusted": true }));
        let configuration = trusted.program.configuration(&folders(&[])).unwrap();
        assert_eq!((configuration.path.as_path(), configuration.limit), (Path::new(PTXAS), Duration::from_secs(5)));
        assert_eq!(configuration.arguments, ["-O1"]);
        // The first message counts.
        let _ =
            trusted.begin(Some(&json!({ "ptx-analyzer": { "ptxas": { "path": "/evil" } }, "workspaceTrusted": true })));
        assert_eq!(trusted.program.configuration(&folders(&[])).unwrap().path, Path::new(PTXAS));
        for options in [
            json!({ "ptx-analyzer": section }),
            json!({ "ptx-analyzer": section, "workspaceTrusted": false }),
            json!({ "ptx-analyzer": section, "workspaceTrusted": "true" }),
            // Inside of the section it is a setting like others.
            json!({ "ptx-analyzer": { "ptxas": section["ptxas"], "workspaceTrusted": true } }),
        ] {
            assert!(refusal(&options).contains("does not say that it trusts"), "{options}");
        }
        assert!(refusal(&json!({ "workspaceTrusted": true })).contains("no ptxas is configured"));
        let wrong = |ptxas: Value| refusal(&json!({ "ptx-analyzer": { "ptxas": ptxas }, "workspaceTrusted": true }));
        assert!(wrong(json!({ "path": "ptxas" })).contains("not an absolute path"));
        assert!(wrong(json!({ "path": PTXAS, "arguments": ["-o", "x"] })).contains("thrown away"));
        let ignored = begun(&json!({ "workspaceTrusted": true }));
        ignored.program.ignore(PTXAS);
        assert!(ignored.program.configuration(&folders(&[])).unwrap_err().contains("a project could have set it"));
    }

    #[test]
    fn what_belongs_to_a_project_is_not_run() {
        let project = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let file = project.path().join("ptxas.exe");
        std::fs::write(&file, "").unwrap();
        #[cfg_attr(not(unix), expect(unused_mut, reason = "on Windows only administrators make links"))]
        let mut paths = vec![file.clone()];
        #[cfg(unix)]
        {
            let link = elsewhere.path().join("ptxas");
            std::os::unix::fs::symlink(&file, &link).unwrap();
            paths.push(link);
        }
        for path in &paths {
            let options = json!({ "ptx-analyzer": { "ptxas": { "path": path } }, "workspaceTrusted": true });
            let ptxas = begun(&options);
            assert!(
                ptxas
                    .program
                    .configuration(&folders(&[elsewhere.path(), project.path()]))
                    .unwrap_err()
                    .contains("of the workspace")
            );
            assert!(ptxas.program.configuration(&folders(&[])).is_ok());
            // The home folder, or the root of the file system, opened as a folder.
            let root = file.ancestors().last().unwrap();
            assert!(ptxas.program.configuration(&folders(&[root])).is_ok());
        }
    }

    const TEXT: &str = "\
.version 7.8
.target sm_80
.address_size 64
.func called() { ret; }
.entry a() { ret; }
.entry b() { call called; ret; }
";

    #[test]
    fn figures_hold_while_their_text_does() {
        let (ptxas, uri): (_, Uri) = (Ptxas::default(), "file:///a.ptx".parse().unwrap());
        let snapshot = |text: &str| ptx_syntax::Document::new(text).snapshot();
        let first = snapshot(TEXT);
        let printed = "ptxas info : Compiling entry function 'a' for 'sm_80'\nptxas info : Used 4 registers\n\
            ptxas info : Compiling entry function 'b' for 'sm_80'\nptxas info : Used 8 registers\n";
        let listing = Listing::read(printed);
        let assembled = AssemblerOutput { listing, target: "sm_80".into(), notes: vec![], time: Duration::ZERO };
        let assembler =
            ToolInfo { tool: Tool::Ptxas, path: "/ptxas".into(), release: "13.5".into(), version: "13.5.37".into() };
        assert!(ptxas.measured(&uri, &first).is_empty());
        ptxas.note(&uri, &first, &assembler, &assembled);
        let names = |text: &str| {
            let mut names: Vec<_> = ptxas.measured(&uri, &snapshot(text)).into_iter().collect();
            names.sort_by(|a, b| a.0.cmp(&b.0));
            names.into_iter().map(|(name, m)| format!("{name} {}", m.registers)).collect::<Vec<_>>()
        };
        assert_eq!(names(TEXT), ["a 4", "b 8"]);
        // Comments between functions have no effect; a change of a called function or of the header has.
        assert_eq!(names(&TEXT.replace(".entry a", "// a\n\n.entry a")), ["a 4", "b 8"]);
        assert_eq!(names(&TEXT.replace("a() { ret", "a() { exit")), [] as [&str; 0]);
        assert_eq!(names(&TEXT.replace("called() { ret", "called() { exit")), ["a 4"]);
        assert_eq!(names(&TEXT.replace("sm_80", "sm_90")), [] as [&str; 0]);
        assert_eq!(names(TEXT), ["a 4", "b 8"]);
        ptxas.forget(&uri);
        assert_eq!(names(TEXT), [] as [&str; 0]);
    }
}
