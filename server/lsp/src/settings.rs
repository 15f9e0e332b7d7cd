//! Settings of the user, under `ptx-analyzer` in the client's configuration.
//!
//! `settings!` below is the only declaration of each setting. It generates the structs, their defaults, the reader,
//! docs/settings.md and docs/settings.schema.json. The configuration in editors/vscode/package.json is generated from the
//! schema.

#[cfg(test)]
mod schema;
mod slot;

use crate::levels::DiagnosticLevels;
use ptx_analysis::Project;
use ptx_ide::{CompletionOptions, FormatOptions, HintOptions, LensOptions};
use ptx_interp::findings::Checks;
use ptx_interp::machine;
use ptx_isa::tables::TargetInfo;
use ptx_launch::limit::DEFAULT_SECONDS;
use serde_json::{Map, Value};
use slot::SettingSlot;
use std::ops::RangeInclusive;

/// The section of the client's configuration.
pub const SECTION: &str = "ptx-analyzer";

/// Any number.
const ANY: RangeInclusive<usize> = 0..=usize::MAX;

/// Range of columns and lines of formatted code: a mistyped number must not produce lines of a gigabyte.
const COLUMNS: RangeInclusive<usize> = 0..=1000;

fn default_steps() -> usize {
    usize::try_from(machine::Settings::default().limit).unwrap_or(usize::MAX)
}

/// A setting.
struct Setting {
    /// Name below [`SECTION`]: a key, or the key of an object and a key in it, separated by a dot.
    name: &'static str,
    /// Documentation: the effect of the setting, without a full stop.
    #[cfg(test)]
    does: &'static str,
    /// Access to the field that stores the value.
    slot: fn(&mut Settings) -> SettingSlot<'_>,
}

/// Declares the settings: for each struct its name, its place in [`Settings`], `let` for fields that are not settings, and the
/// settings.
///
/// A setting is `"name": Kind(field), "documentation";` where `Kind` is a variant of [`SettingSlot`]. The field is a new one,
/// `field: Type = default`, or an existing one, `.options.field`. Further arguments of the kind, such as the range of a number,
/// follow the field.
macro_rules! settings {
    ($(
        $(#[$about:meta])*
        $struct:ident($root:ident => $place:expr) {
            $($(#[$doc:meta])* let $part:ident: $part_type:ty = $part_default:expr;)*
            $($name:literal: $kind:ident(
                $(.$path:ident)* $($field:ident: $type:ty = $default:expr)? $(, $argument:expr)*
            ), $does:literal;)*
        }
    )+) => {
        $(
            $(#[$about])*
            #[derive(Debug, Clone, PartialEq, Eq)]
            pub struct $struct {
                $($(#[$doc])* pub $part: $part_type,)*
                $($(#[doc = $does] pub $field: $type,)?)*
            }

            impl Default for $struct {
                fn default() -> Self {
                    Self { $($part: $part_default,)* $($($field: $default,)?)* }
                }
            }

            impl $struct {
                fn place($root: &mut Settings) -> &mut Self {
                    $place
                }
            }
        )+

        const SETTINGS: &[Setting] = &[$($(Setting {
            name: $name,
            #[cfg(test)]
            does: $does,
            slot: |settings| SettingSlot::$kind(&mut $struct::place(settings)$(.$path)* $(.$field)? $(, $argument)*),
        },)*)+];
    };
}

settings! {
    /// The settings.
    Settings(settings => settings) {
        /// `codeLens.*`
        let code_lens: CodeLensSettings = CodeLensSettings::default();
        /// `completion.*`
        let completion: CompletionSettings = CompletionSettings::default();
        /// `diagnostics.*`
        let diagnostics: DiagnosticsSettings = DiagnosticsSettings::default();
        /// `evaluation.*`
        let evaluation: EvaluationSettings = EvaluationSettings::default();
        /// `formatting.*`
        let formatting: FormattingSettings = FormattingSettings::default();
        /// `hover.*`
        let hover: HoverSettings = HoverSettings::default();
        /// `inline.*`
        let inline: InlineSettings = InlineSettings::default();
        /// `inlayHints.*`
        let inlay_hints: InlayHintsSettings = InlayHintsSettings::default();
        /// `nvdisasm.*`, as written; they take effect only if [`super::nvdisasm`] accepts them.
        let nvdisasm: NvdisasmSettings = NvdisasmSettings::default();
        /// `project.*`
        let project: Project = Project::default();
        /// `ptxas.*`, as written; they take effect only if [`super::ptxas`] accepts them.
        let ptxas: PtxasSettings = PtxasSettings::default();
        /// `semanticTokens.*`
        let semantic_tokens: SemanticTokensSettings = SemanticTokensSettings::default();
        /// `workspace.*`
        let workspace: WorkspaceSettings = WorkspaceSettings::default();
        "project.targets": Targets(.project.targets),
            "the architectures of the project, such as `[\"sm_80\", \"sm_90\"]`: warn about features that one of them lacks, even if `.target` allows them";
        "project.version": Version(.project.version),
            "the newest PTX version of the project, such as `\"7.8\"`: warn about newer features, even if `.version` allows them";
        "target": Target(target: Option<String> = None),
            "check as if `.target` named this architecture, such as `\"sm_90a\"`";
    }

    /// Settings of code lenses.
    CodeLensSettings(settings => &mut settings.code_lens) {
        /// The enabled kinds.
        let options: LensOptions = LensOptions::default();
        "codeLens.enable": Flag(enable: bool = true),
            "whether to show code lenses: lines above declarations";
        "codeLens.branches": Flag(.options.branches),
            "the number of branches to a label";
        "codeLens.calls": Flag(.options.calls),
            "the number of calls of a function";
        "codeLens.evaluate": Flag(.options.evaluate),
            "an action above each kernel that executes it and shows the values of its lanes";
        "codeLens.registers": Flag(.options.registers),
            "the estimated number of registers that a function needs, and how many of its warps run at the same time";
        "codeLens.uses": Flag(.options.uses),
            "the number of uses of a module variable";
    }

    /// Settings of completion and of signature help.
    CompletionSettings(settings => &mut settings.completion) {
        /// Options of completion; snippets are offered only to clients that accept them.
        let options: CompletionOptions = CompletionOptions::default();
        "completion.enable": Flag(enable: bool = true),
            "whether to offer completions";
        "completion.signatures": Flag(signatures: bool = true),
            "whether to show the forms of the instruction whose operands are being typed";
        "completion.snippets": Flag(.options.snippets),
            "whether to offer whole instruction forms and program skeletons as snippets, if the editor supports them";
        "completion.unavailable": Flag(.options.unavailable),
            "whether to list what the module's version or target does not support, marked and after everything else";
    }

    /// Settings of diagnostics.
    DiagnosticsSettings(settings => &mut settings.diagnostics) {
        /// Severity of each diagnostic code.
        let levels: DiagnosticLevels = DiagnosticLevels::default();
        "diagnostics.enable": Flag(enable: bool = true),
            "whether to report diagnostics";
        "diagnostics.disabled": Disabled(.levels),
            "codes that are not reported, such as `[\"deprecated\"]`; the same as `off` in `diagnostics.severity`";
        "diagnostics.holdBack": Flag(hold_back: bool = true),
            "whether diagnostics that the next characters may resolve wait for a pause in typing";
        "diagnostics.parseOnly": Flag(.levels.parse_only),
            "whether to omit errors that ptxas reports only when it generates code, such as 32-bit addresses";
        "diagnostics.severity": Severities(.levels),
            "the level of a code: `error`, `warning`, `information`, `hint` or `off`; this also turns on a code that is off by default";
        // VS Code shows no more of one file, and a broken file of a few megabytes can have ten thousands.
        "diagnostics.limit": Number(limit: usize = 1000, ANY),
            "the maximum number of diagnostics for one document, the most severe first";
    }

    /// Settings of evaluating kernels.
    EvaluationSettings(settings => &mut settings.evaluation) {
        /// The enabled checks.
        let checks: Checks = machine::Settings::default().checks;
        "evaluation.enable": Flag(enable: bool = true),
            "whether to allow the interpreter to execute kernels and show the values of every lane";
        "evaluation.find": Kinds(.checks, true),
            "checks to run that are off by default: `nan`";
        "evaluation.hints": Flag(hints: bool = true),
            "whether the values of the chosen lane are shown at the ends of lines after an evaluation";
        "evaluation.live": Flag(live: bool = true),
            "whether an evaluated kernel is evaluated again after an edit, for at most a quarter of a second";
        "evaluation.steps": Number(steps: usize = default_steps(), 1..=usize::MAX),
            "the number of warp instructions after which a run stops; it also stops after the work of four times as many plain instructions";
        "evaluation.seconds": Number(seconds: usize = DEFAULT_SECONDS as usize, 1..=1_000_000),
            "the time in seconds after which a run stops and shows its results up to then";
        "evaluation.without": Kinds(.checks, false),
            "checks to turn off: `race`, `uninitialized-memory` … ([all](evaluating.md#what-a-run-finds))";
    }

    /// Settings of formatting.
    FormattingSettings(settings => &mut settings.formatting) {
        /// Options of formatting; the indentation comes from the client.
        let options: FormatOptions = FormatOptions::default();
        "formatting.alignComments": Flag(.options.align_comments),
            "whether to align the comments after consecutive lines";
        "formatting.alignDeclarations": Flag(.options.align_declarations),
            "whether to align the parts of consecutive declarations";
        "formatting.blankLines": Number(.options.blank_lines, COLUMNS),
            "the maximum number of consecutive blank lines";
        "formatting.onType": Flag(on_type: bool = true),
            "whether to indent a line when its semicolon, brace, colon or line end is typed, if the editor requests it";
        "formatting.operandColumn": Number(.options.operand_column, COLUMNS),
            "the width reserved for an opcode with its modifiers; 0 turns alignment off";
        "formatting.operands": Choice(.options.operands),
            "where operands begin: in one column for the file, in one column for each run of instructions, or after the opcode";
        "formatting.outdentGuards": Flag(.options.outdent_guards),
            "whether guard predicates are one level left of opcodes, in a column of their own";
        "formatting.outdentLabels": Flag(.options.outdent_labels),
            "whether labels are one level left of instructions";
        "formatting.width": Number(.options.width, COLUMNS),
            "the maximum width of a joined line; only parameter lists are broken automatically";
    }

    /// Settings of hover.
    HoverSettings(settings => &mut settings.hover) {
        "hover.enable": Flag(enable: bool = true),
            "whether to show hovers";
    }

    /// Settings of inlay hints.
    InlayHintsSettings(settings => &mut settings.inlay_hints) {
        /// The enabled kinds.
        let options: HintOptions = HintOptions::default();
        "inlayHints.enable": Flag(enable: bool = true),
            "whether to show inlay hints: facts about a line that it does not spell out";
        "inlayHints.addresses": Choice(.options.addresses),
            "sectors and bank conflicts of accesses to memory ([how](addresses.md)): of those that cost at least twice what is necessary, or of all";
        "inlayHints.arguments": Flag(.options.arguments),
            "the names of parameters before the arguments of a call";
        "inlayHints.constants": Flag(.options.constants),
            "the values of constant expressions";
        "inlayHints.decoded": Flag(.options.decoded),
            "the meaning of truth tables, selectors, masks and the like: `= a & ~b` after a table of `lop3`";
        "inlayHints.defaults": Choice(.options.defaults),
            "the meaning of omitted modifiers: `atom.add` is `atom.relaxed.gpu.add`; `notable` shows orderings and scopes only";
        "inlayHints.elements": Flag(.options.elements),
            "the array element at an offset in bytes: `[table+16]` is `table[4]`";
        "inlayHints.floats": Flag(.options.floats),
            "the values of floating-point numbers that are written as bits: `0f3F800000` is 1.0";
        "inlayHints.offsets": Flag(.options.offsets),
            "where the parameters of a kernel begin";
        "inlayHints.registers": Choice(.options.registers),
            "the number of live registers: where it peaks in a function, or on every line";
        "inlayHints.shapes": Flag(.options.shapes),
            "the shapes of matrix operands, at the first of several equal instructions in a row";
        "inlayHints.sources": Flag(.options.sources),
            "the file and line that `.loc` names by number, unless a comment or the previous `.loc` already does";
        "inlayHints.types": Flag(.options.types),
            "the types of registers where they are written";
    }

    /// Settings of PTX in strings of other languages.
    InlineSettings(settings => &mut settings.inline) {
        "inline.targets": Targets(targets: Vec<&'static TargetInfo> = Vec::new()),
            "the architectures for which PTX in strings is checked, such as `[\"sm_80\", \"sm_90a\"]`; empty: those of `compile_commands.json`, or all ([how](inline.md#targets))";
    }

    /// Settings of NVIDIA's disassembler, as written.
    NvdisasmSettings(settings => &mut settings.nvdisasm) {
        "nvdisasm.path": Path(path: String = String::new()),
            "NVIDIA's disassembler, to show machine code beside PTX; read only from your own settings: [how](sass.md)";
    }

    /// Settings of NVIDIA's assembler, as written.
    PtxasSettings(settings => &mut settings.ptxas) {
        "ptxas.path": Path(path: String = String::new()),
            "NVIDIA's assembler, to compare registers with; read only from your own settings: [how](ptxas.md)";
        "ptxas.arguments": Options(arguments: Vec<String> = Vec::new()),
            "additional options for ptxas, such as `[\"--maxrregcount\", \"64\"]`; options that name files are refused";
        // At most an hour, and at least a second, which the smallest module may need on a busy machine.
        "ptxas.timeout": Number(timeout: usize = 60, 1..=3600),
            "the time limit of one run in seconds";
    }

    /// Settings of semantic tokens.
    SemanticTokensSettings(settings => &mut settings.semantic_tokens) {
        "semanticTokens.enable": Flag(enable: bool = true),
            "whether to report semantic tokens, from which editors colour words";
        "semanticTokens.standardOnly": Flag(standard: bool = false),
            "whether to use only the kinds of the protocol: an opcode is a `function`, a register a `variable`; [all kinds](semantic-tokens.md)";
        "semanticTokens.limit": Number(limit: usize = 1 << 20, ANY),
            "the size in bytes above which a text gets semantic tokens only for its visible part, if the editor requests that";
    }

    /// Settings of files that are not open.
    WorkspaceSettings(settings => &mut settings.workspace) {
        "workspace.diagnostics": Flag(diagnostics: bool = true),
            "whether unopened files are checked if the editor requests workspace diagnostics; only errors and warnings are reported";
        "workspace.exclude": Globs(exclude: Vec<String> = Vec::new()),
            "files and folders to skip, relative to a workspace folder, such as `[\"build\", \"**/old_*.ptx\"]`; hidden and git-ignored files are always skipped";
        "workspace.files": Number(files: usize = 5000, ANY),
            "the maximum number of unopened files to read";
        "workspace.megabytes": Number(megabytes: usize = 32, ANY),
            "the size in megabytes above which a file that is not open is skipped";
    }
}

/// Problem in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingProblem {
    /// No setting has this name.
    Unknown(String),
    /// The value is not of the right type.
    Wrong {
        /// The name of the setting.
        name: String,
        /// The expected kind of value.
        expected: String,
    },
}

impl SettingProblem {
    fn unknown(name: &str) -> Self {
        Self::Unknown(format!("{SECTION}.{name}"))
    }

    fn wrong(name: &str, expected: impl Into<String>) -> Self {
        let dot = if name.is_empty() { "" } else { "." };
        Self::Wrong { name: format!("{SECTION}{dot}{name}"), expected: expected.into() }
    }
}

/// Finds the section in an object that a client sent. The object contains the section, possibly beside other sections, or is
/// the section itself.
pub fn section(value: &Value) -> Option<&Value> {
    let object = value.as_object()?;
    match object.get(SECTION) {
        Some(section) => Some(section),
        None if object.is_empty() => None,
        // An object that contains only sections of other servers has no settings of this one.
        None => SETTINGS.iter().any(|s| object.contains_key(s.section())).then_some(value),
    }
}

impl Setting {
    /// Returns the first part of the name: the key of the object that contains the setting, or its own key.
    fn section(&self) -> &'static str {
        self.name.split('.').next().unwrap_or(self.name)
    }
}

impl Settings {
    /// Reads a section. A value that is not understood is reported and keeps its default.
    pub fn read(section: &Value) -> (Self, Vec<SettingProblem>) {
        let mut out = Self::default();
        let mut problems = Vec::new();
        for (key, value) in object("", section, &mut problems).into_iter().flatten() {
            match SETTINGS.iter().find(|s| s.section() == key) {
                Some(setting) if setting.name == key => (setting.slot)(&mut out).read(key, value, &mut problems),
                Some(_) => {
                    for (inner, value) in object(key, value, &mut problems).into_iter().flatten() {
                        let name = format!("{key}.{inner}");
                        match SETTINGS.iter().find(|s| s.name == name) {
                            Some(setting) => (setting.slot)(&mut out).read(&name, value, &mut problems),
                            None => problems.push(SettingProblem::unknown(&name)),
                        }
                    }
                }
                // A statement about the settings, present if they come without a section.
                None if key == "workspaceTrusted" => {}
                None => problems.push(SettingProblem::unknown(key)),
            }
        }
        out.project.portable = out.diagnostics.levels.want_portable();
        out.project.costly = out.diagnostics.levels.want_costly();
        (out, problems)
    }
}

/// Returns the value as an object; `None` without a problem for `null`, which clients send for settings that are not set.
fn object<'a>(name: &str, value: &'a Value, problems: &mut Vec<SettingProblem>) -> Option<&'a Map<String, Value>> {
    let object = value.as_object();
    if object.is_none() && !value.is_null() {
        problems.push(SettingProblem::wrong(name, "an object"));
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_analysis::target::version;
    use ptx_analysis::{Code, Severity};
    use ptx_interp::findings::FaultKind;
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
        assert_eq!(settings.workspace, WorkspaceSettings { diagnostics: false, exclude, files: 10, megabytes: 1 });
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
                SettingProblem::Unknown(name) | SettingProblem::Wrong { name, .. } => {
                    name.trim_start_matches("ptx-analyzer.")
                }
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

    #[test]
    fn what_is_looked_for() {
        let (settings, problems) =
            Settings::read(&json!({"evaluation": {"live": false, "steps": 0, "find": ["nan"], "without": ["race"]}}));
        assert!(problems.is_empty(), "{problems:?}");
        let found = settings.evaluation;
        assert!(!found.live && found.enable && found.hints && found.steps == 1);
        assert!(
            found.checks.has(FaultKind::NotANumber)
                && !found.checks.has(FaultKind::Race)
                && found.checks.has(FaultKind::Barrier)
        );
        // Faults that end a run are always reported; they cannot be disabled.
        for wrong in [json!(["trap"]), json!(["rice"]), json!("race")] {
            let (settings, problems) = Settings::read(&json!({"evaluation": {"without": wrong}}));
            assert!(
                matches!(&problems[..], [SettingProblem::Wrong { name, .. }] if name == "ptx-analyzer.evaluation.without")
            );
            assert_eq!(settings, Settings::default());
        }
    }
}
