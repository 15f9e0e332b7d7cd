//! What a user can set, under `ptx-analyzer` in the client's configuration.

mod completion;
mod evaluation;
mod formatting;
mod ptxas;
#[cfg(test)]
mod schema;

use super::workspace::excluded;
use crate::levels::{Levels, level};
pub use completion::Completion;
pub use evaluation::Evaluation;
pub use formatting::Formatting;
use ptx_analysis::Code;
use ptx_analysis::project::Project;
use ptx_analysis::target::{find_architecture, version};
use ptx_ide::{Defaults, HintOptions, LensOptions, PressureHints};
pub use ptxas::Ptxas;
use serde_json::{Map, Value};
use std::path::Path;

/// The section of the client's configuration.
pub const SECTION: &str = "ptx-analyzer";

/// The settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// `completion.*`
    pub completion: Completion,
    /// `diagnostics.*`
    pub diagnostics: Diagnostics,
    /// `evaluation.*`
    pub evaluation: Evaluation,
    /// `formatting.*`
    pub formatting: Formatting,
    /// `codeLens.*`
    pub code_lens: CodeLens,
    /// `hover.*`
    pub hover: Hover,
    /// `inlayHints.*`
    pub inlay_hints: InlayHints,
    /// `semanticTokens.*`
    pub semantic_tokens: SemanticTokens,
    /// Check as if `.target` named this architecture.
    pub target: Option<String>,
    /// `project.*`
    pub project: Project,
    /// `ptxas.*`, as they are written; they hold only where [`super::ptxas`] takes them.
    pub ptxas: Ptxas,
    /// `workspace.*`
    pub workspace: Workspace,
}

/// Settings of diagnostics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostics {
    /// Whether to report any.
    pub enable: bool,
    /// Whether some of them wait while the user is typing.
    pub hold_back: bool,
    /// How loud each code is: `disabled` and `severity`.
    pub levels: Levels,
    /// How many are reported of one document, the worst first.
    pub limit: usize,
}

impl Default for Diagnostics {
    fn default() -> Self {
        // VS Code shows no more of one file, and a broken file of a few megabytes can have ten thousands.
        Self { enable: true, hold_back: true, levels: Levels::default(), limit: 1000 }
    }
}

/// Settings of hover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// Whether to answer at all.
    pub enable: bool,
}

impl Default for Hover {
    fn default() -> Self {
        Self { enable: true }
    }
}

/// Settings of code lenses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeLens {
    /// Whether there are any.
    pub enable: bool,
    /// Which ones.
    pub options: LensOptions,
}

impl Default for CodeLens {
    fn default() -> Self {
        Self { enable: true, options: LensOptions::default() }
    }
}

/// Settings of inlay hints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlayHints {
    /// Whether there are any.
    pub enable: bool,
    /// Which ones.
    pub options: HintOptions,
}

impl Default for InlayHints {
    fn default() -> Self {
        Self { enable: true, options: HintOptions::default() }
    }
}

/// Settings of semantic tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SemanticTokens {
    /// Whether there are any.
    pub enable: bool,
    /// Whether to name only those kinds that the protocol has.
    pub standard: bool,
    /// The tokens of longer texts, in bytes, are told by parts only.
    pub limit: usize,
}

impl Default for SemanticTokens {
    fn default() -> Self {
        Self { enable: true, standard: false, limit: 1 << 20 }
    }
}

/// Settings of files that are not open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Whether to check them when the client asks for all diagnostics of the workspace.
    pub diagnostics: bool,
    /// Globs of what is left out.
    pub exclude: Vec<String>,
    /// How many are looked at.
    pub files: usize,
    /// How big they may be.
    pub megabytes: usize,
}

impl Default for Workspace {
    fn default() -> Self {
        Self { diagnostics: true, exclude: Vec::new(), files: 5000, megabytes: 32 }
    }
}

/// What was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// There is no such setting.
    Unknown(String),
    /// The value is not of the right type.
    Wrong {
        /// The name of the setting.
        name: String,
        /// What it takes.
        expected: &'static str,
    },
}

/// Finds the section in what a client sent: there may be other sections beside it, or it may come bare.
pub fn section(value: &Value) -> Option<&Value> {
    let object = value.as_object()?;
    match object.get(SECTION) {
        Some(section) => Some(section),
        None if object.is_empty() => None,
        // Sections of other servers are no settings of ours.
        None => {
            let own = [
                "codeLens",
                "completion",
                "diagnostics",
                "evaluation",
                "formatting",
                "hover",
                "inlayHints",
                "project",
                "ptxas",
                "semanticTokens",
                "target",
                "workspace",
            ];
            own.iter().any(|k| object.contains_key(*k)).then_some(value)
        }
    }
}

impl Settings {
    /// Reads a section. What is not understood keeps its default and is listed.
    pub fn read(section: &Value) -> (Self, Vec<Problem>) {
        let mut out = Self::default();
        let mut reader = Reader::default();
        if let Some(map) = reader.object(section, "") {
            for (key, value) in map {
                match key.as_str() {
                    "completion" => reader.completion(value, &mut out.completion),
                    "diagnostics" => reader.diagnostics(value, &mut out.diagnostics),
                    "evaluation" => reader.evaluation(value, &mut out.evaluation),
                    "formatting" => reader.formatting(value, &mut out.formatting),
                    "codeLens" => reader.code_lens(value, &mut out.code_lens),
                    "hover" => reader.hover(value, &mut out.hover),
                    "project" => reader.project(value, &mut out.project),
                    "ptxas" => reader.ptxas(value, &mut out.ptxas),
                    "inlayHints" => reader.inlay_hints(value, &mut out.inlay_hints),
                    "semanticTokens" => reader.semantic_tokens(value, &mut out.semantic_tokens),
                    "target" => reader.target(value, &mut out.target),
                    "workspace" => reader.workspace(value, &mut out.workspace),
                    // Said of the settings, where these come without a section.
                    "workspaceTrusted" => {}
                    _ => reader.unknown(key),
                }
            }
        }
        out.project.portable = out.diagnostics.levels.want_portable();
        (out, reader.problems)
    }
}

#[derive(Default)]
struct Reader {
    problems: Vec<Problem>,
}

impl Reader {
    fn unknown(&mut self, name: &str) {
        self.problems.push(Problem::Unknown(format!("{SECTION}.{name}")));
    }

    fn wrong(&mut self, name: &str, expected: &'static str) {
        let dot = if name.is_empty() { "" } else { "." };
        self.problems.push(Problem::Wrong { name: format!("{SECTION}{dot}{name}"), expected });
    }

    /// Nothing for `null`, which clients send for what is not set.
    fn object<'a>(&mut self, value: &'a Value, name: &str) -> Option<&'a Map<String, Value>> {
        let object = value.as_object();
        if object.is_none() && !value.is_null() {
            self.wrong(name, "an object");
        }
        object
    }

    fn bool(&mut self, value: &Value, name: &str, out: &mut bool) {
        match value {
            Value::Bool(value) => *out = *value,
            Value::Null => {}
            _ => self.wrong(name, "`true` or `false`"),
        }
    }

    fn number(&mut self, value: &Value, name: &str, out: &mut usize) {
        match value.as_u64() {
            Some(number) => *out = usize::try_from(number).unwrap_or(usize::MAX),
            None if value.is_null() => {}
            None => self.wrong(name, "a number"),
        }
    }

    fn diagnostics(&mut self, value: &Value, out: &mut Diagnostics) {
        let mut disabled = Vec::new();
        for (key, value) in self.object(value, "diagnostics").into_iter().flatten() {
            match key.as_str() {
                "enable" => self.bool(value, "diagnostics.enable", &mut out.enable),
                "holdBack" => self.bool(value, "diagnostics.holdBack", &mut out.hold_back),
                "disabled" => match strings(value) {
                    Some(codes) => disabled = codes,
                    None if value.is_null() => {}
                    None => self.wrong("diagnostics.disabled", "a list of diagnostic codes"),
                },
                "limit" => self.number(value, "diagnostics.limit", &mut out.limit),
                "severity" => {
                    for (code, wanted) in self.object(value, "diagnostics.severity").into_iter().flatten() {
                        let name = format!("diagnostics.severity.{code}");
                        match (wanted.as_str().and_then(level), Code::named(code)) {
                            (Some(level), Some(code)) => out.levels.set(code, level),
                            (Some(_), None) => self.unknown(&name),
                            (None, _) => {
                                self.wrong(&name, "one of `error`, `warning`, `information`, `hint` and `off`")
                            }
                        }
                    }
                }
                _ => self.unknown(&format!("diagnostics.{key}")),
            }
        }
        // A code that is named in both has the level of the list.
        for code in disabled {
            match Code::named(&code) {
                Some(code) => out.levels.set(code, None),
                None => self.unknown(&format!("diagnostics.disabled: {code}")),
            }
        }
    }

    fn project(&mut self, value: &Value, out: &mut Project) {
        for (key, value) in self.object(value, "project").into_iter().flatten() {
            match (key.as_str(), value) {
                ("targets" | "version", Value::Null) => {}
                ("targets", _) => {
                    let names = strings(value).unwrap_or_else(|| vec![String::new()]);
                    match names.iter().map(|n| find_architecture(n)).collect() {
                        Some(targets) => out.targets = targets,
                        None => {
                            self.wrong("project.targets", "a list of architectures such as `[\"sm_80\", \"sm_90a\"]`")
                        }
                    }
                }
                ("version", _) => match value.as_str() {
                    Some("") => {}
                    Some(text) if version(text).is_some() => out.version = version(text),
                    _ => self.wrong("project.version", "a version of PTX such as `\"7.8\"`"),
                },
                _ => self.unknown(&format!("project.{key}")),
            }
        }
    }

    fn target(&mut self, value: &Value, out: &mut Option<String>) {
        match value.as_str() {
            // An empty name is what a form of an editor sends for none.
            Some("") => {}
            Some(name) if ptx_analysis::Analyzer::default().set_target(Some(name)).is_ok() => {
                *out = Some(name.to_owned())
            }
            None if value.is_null() => {}
            _ => self.wrong("target", "the name of an architecture such as `sm_90a`"),
        }
    }

    fn code_lens(&mut self, value: &Value, out: &mut CodeLens) {
        for (key, value) in self.object(value, "codeLens").into_iter().flatten() {
            let name = format!("codeLens.{key}");
            match key.as_str() {
                "enable" => self.bool(value, &name, &mut out.enable),
                "branches" => self.bool(value, &name, &mut out.options.branches),
                "calls" => self.bool(value, &name, &mut out.options.calls),
                "evaluate" => self.bool(value, &name, &mut out.options.evaluate),
                "registers" => self.bool(value, &name, &mut out.options.registers),
                "uses" => self.bool(value, &name, &mut out.options.uses),
                _ => self.unknown(&name),
            }
        }
    }

    fn inlay_hints(&mut self, value: &Value, out: &mut InlayHints) {
        let options = &mut out.options;
        for (key, value) in self.object(value, "inlayHints").into_iter().flatten() {
            let name = format!("inlayHints.{key}");
            let flag = match key.as_str() {
                "enable" => &mut out.enable,
                "arguments" => &mut options.arguments,
                "constants" => &mut options.constants,
                "decoded" => &mut options.decoded,
                "elements" => &mut options.elements,
                "floats" => &mut options.floats,
                "offsets" => &mut options.offsets,
                "shapes" => &mut options.shapes,
                "sources" => &mut options.sources,
                "types" => &mut options.types,
                "defaults" => {
                    match value.as_str() {
                        Some("off") => options.defaults = Defaults::Off,
                        Some("notable") => options.defaults = Defaults::Notable,
                        Some("all") => options.defaults = Defaults::All,
                        None if value.is_null() => {}
                        _ => self.wrong(&name, "one of `off`, `notable` and `all`"),
                    }
                    continue;
                }
                "registers" => {
                    match value.as_str() {
                        Some("off") => options.registers = PressureHints::Off,
                        Some("peaks") => options.registers = PressureHints::Peaks,
                        Some("all") => options.registers = PressureHints::All,
                        None if value.is_null() => {}
                        _ => self.wrong(&name, "one of `off`, `peaks` and `all`"),
                    }
                    continue;
                }
                _ => {
                    self.unknown(&name);
                    continue;
                }
            };
            self.bool(value, &name, flag);
        }
    }

    fn semantic_tokens(&mut self, value: &Value, out: &mut SemanticTokens) {
        for (key, value) in self.object(value, "semanticTokens").into_iter().flatten() {
            let name = format!("semanticTokens.{key}");
            match key.as_str() {
                "enable" => self.bool(value, &name, &mut out.enable),
                "standardOnly" => self.bool(value, &name, &mut out.standard),
                "limit" => self.number(value, &name, &mut out.limit),
                _ => self.unknown(&name),
            }
        }
    }

    fn workspace(&mut self, value: &Value, out: &mut Workspace) {
        for (key, value) in self.object(value, "workspace").into_iter().flatten() {
            let name = format!("workspace.{key}");
            match key.as_str() {
                "diagnostics" => self.bool(value, &name, &mut out.diagnostics),
                "exclude" => match strings(value) {
                    Some(globs) if excluded(Path::new("/"), &globs).is_ok() => out.exclude = globs,
                    None if value.is_null() => {}
                    _ => self.wrong(&name, "a list of globs such as `[\"build\", \"**/old_*.ptx\"]`"),
                },
                "files" => self.number(value, &name, &mut out.files),
                "megabytes" => self.number(value, &name, &mut out.megabytes),
                _ => self.unknown(&name),
            }
        }
    }

    fn hover(&mut self, value: &Value, out: &mut Hover) {
        for (key, value) in self.object(value, "hover").into_iter().flatten() {
            match key.as_str() {
                "enable" => self.bool(value, "hover.enable", &mut out.enable),
                _ => self.unknown(&format!("hover.{key}")),
            }
        }
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|v| v.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_analysis::Severity;
    use serde_json::json;

    #[test]
    fn all_settings() {
        let (settings, problems) = Settings::read(&json!({
            "diagnostics": {
                "enable": false, "disabled": ["removed"], "severity": {"deprecated": "hint", "not-portable": "warning"}, "limit": 7,
            },
            "hover": {"enable": false},
            "project": {"targets": ["sm_80", "compute_90a"], "version": "7.8"},
            "target": "sm_90a",
            "workspace": {"diagnostics": false, "exclude": ["build", "**/old*.ptx"], "files": 10, "megabytes": 1},
        }));
        let exclude = vec!["build".to_owned(), "**/old*.ptx".to_owned()];
        assert_eq!(settings.workspace, Workspace { diagnostics: false, exclude, files: 10, megabytes: 1 });
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(settings.target.as_deref(), Some("sm_90a"));
        assert!(!settings.diagnostics.enable && !settings.hover.enable);
        assert_eq!(settings.diagnostics.limit, 7);
        let of = |code| settings.diagnostics.levels.of(Code::named(code).unwrap(), Severity::Error);
        assert_eq!((of("removed"), of("deprecated")), (None, Some(Severity::Hint)));
        assert_eq!((of("syntax-error"), of("not-portable")), (Some(Severity::Error), Some(Severity::Warning)));
        let names: Vec<_> = settings.project.targets.iter().map(|t| t.name).collect();
        assert_eq!(names, ["sm_80", "sm_90a"]);
        assert!(settings.project.version == version("7.8") && settings.project.portable);
    }

    #[test]
    fn null_is_the_default() {
        let value = json!({"diagnostics": {"enable": null, "disabled": null, "severity": null, "limit": null}, "hover": null, "project": null});
        assert_eq!(Settings::read(&value), (Settings::default(), vec![]));
        assert_eq!(Settings::read(&Value::Null), (Settings::default(), vec![]));
    }

    #[test]
    fn wrong_and_unknown() {
        let (settings, problems) = Settings::read(&json!({
            "diagnostics": {"enable": 1, "disabled": ["a", 2], "severity": {"removed": "fatal", "b": "off"}, "limit": -1},
            "project": {"targets": ["sm_80", "sm_9000"], "version": 8, "name": "x"},
            "hover": true,
            "colour": "red",
            "target": "sm_9000",
            "workspace": {"exclude": ["a{"], "files": "all", "megabytes": 1.5, "colour": 1},
        }));
        assert_eq!(settings, Settings::default());
        let names: Vec<_> = problems
            .iter()
            .map(|p| match p {
                Problem::Unknown(name) | Problem::Wrong { name, .. } => name.trim_start_matches("ptx-analyzer."),
            })
            .collect();
        let mut expected = [
            "colour",
            "diagnostics.disabled",
            "diagnostics.enable",
            "diagnostics.limit",
            "diagnostics.severity.b",
            "diagnostics.severity.removed",
            "hover",
            "project.name",
            "project.targets",
            "project.version",
            "target",
            "workspace.colour",
            "workspace.exclude",
            "workspace.files",
            "workspace.megabytes",
        ];
        let mut names = names;
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected);
    }

    #[test]
    fn where_the_section_is() {
        let inner = json!({"hover": {}});
        assert_eq!(section(&json!({"ptx-analyzer": {"hover": {}}, "clangd": {}})), Some(&inner));
        assert_eq!(section(&inner), Some(&inner));
        assert_eq!(section(&json!({"clangd": {}})), None);
        assert_eq!(section(&json!({})), None);
        assert_eq!(section(&Value::Null), None);
    }
}
