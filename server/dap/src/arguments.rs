//! The arguments of requests. What a client leaves out has a default; what it adds is passed over.

use super::types::DapSource;
use serde::Deserialize;
use serde_json::Value;

/// `initialize`
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Initialize {
    /// Which client it is.
    #[serde(rename = "clientID")]
    pub client_id: Option<String>,
    /// Lines are counted from 1.
    pub lines_start_at1: bool,
    /// Columns are counted from 1.
    pub columns_start_at1: bool,
    /// `path` or `uri`.
    pub path_format: Option<String>,
    /// It shows progress.
    pub supports_progress_reporting: bool,
    /// It asks again for what is no longer true.
    pub supports_invalidated_event: bool,
    /// It asks again for memory that has changed.
    pub supports_memory_event: bool,
}

impl Default for Initialize {
    fn default() -> Self {
        Self {
            client_id: None,
            lines_start_at1: true,
            columns_start_at1: true,
            path_format: None,
            supports_progress_reporting: false,
            supports_invalidated_event: false,
            supports_memory_event: false,
        }
    }
}

/// `launch`, and the same in `restart`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LaunchArguments {
    /// The file with the kernel.
    pub program: String,
    /// The kernel.
    pub entry: Option<String>,
    /// What follows `launch:` in a line above a kernel, or the keys of a launch file.
    pub launch: Option<Value>,
    /// A launch file.
    pub launch_file: Option<String>,
    /// Which of the launches above the kernel, counted from 0.
    pub number: Option<usize>,
    /// The CTA to look at first.
    pub cta: Option<[u32; 3]>,
    /// The warp of it to look at first.
    pub warp: Option<u32>,
    /// Stop before the first instruction of that warp.
    pub stop_on_entry: Option<bool>,
    /// Stop after the last instruction of the grid as well.
    pub stop_at_end: bool,
    /// Warp instructions that are executed at most.
    pub limit: Option<u64>,
    /// Kinds of findings to look for as well.
    pub find: Vec<String>,
    /// Kinds of findings not to look for.
    pub without: Vec<String>,
    /// `ptx`, or `original`: the files that `.loc` names.
    pub source: Option<String>,
    /// The folder that files named by `.loc` must lie in; that of the program by default.
    pub cwd: Option<String>,
    /// Run only: stop nowhere.
    pub no_debug: bool,
}

/// `restart`
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Restart {
    /// The arguments of the launch, if they have changed.
    pub arguments: Option<Value>,
}

/// `cancel`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cancel {
    /// The request.
    pub request_id: Option<i64>,
    /// The progress.
    pub progress_id: Option<String>,
}

/// `setBreakpoints`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SetBreakpoints {
    /// In which file.
    pub source: DapSource,
    /// All of it.
    pub breakpoints: Option<Vec<SourceBreakpoint>>,
    /// What old clients say.
    pub lines: Vec<i64>,
}

/// A breakpoint in a source.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceBreakpoint {
    /// The line.
    pub line: i64,
    /// The column.
    pub column: Option<i64>,
    /// Stop only where this holds.
    pub condition: Option<String>,
    /// Stop only when it was hit so often.
    pub hit_condition: Option<String>,
    /// Do not stop, but say this.
    pub log_message: Option<String>,
}

/// `breakpointLocations`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BreakpointLocations {
    /// In which file.
    pub source: DapSource,
    /// From this line on.
    pub line: i64,
    /// To this one.
    pub end_line: Option<i64>,
}

/// `setFunctionBreakpoints`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SetFunctionBreakpoints {
    /// All of them.
    pub breakpoints: Vec<FunctionBreakpoint>,
}

/// A breakpoint at the beginning of a function.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FunctionBreakpoint {
    /// The function.
    pub name: String,
    /// Stop only where this holds.
    pub condition: Option<String>,
    /// Stop only when it was hit so often.
    pub hit_condition: Option<String>,
}

/// `setInstructionBreakpoints`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SetInstructionBreakpoints {
    /// All of them.
    pub breakpoints: Vec<InstructionBreakpoint>,
}

/// A breakpoint at an instruction.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InstructionBreakpoint {
    /// An address.
    pub instruction_reference: String,
    /// What is added to it.
    pub offset: i64,
    /// Stop only where this holds.
    pub condition: Option<String>,
    /// Stop only when it was hit so often.
    pub hit_condition: Option<String>,
}

/// `dataBreakpointInfo`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataBreakpointInfo {
    /// What it is in.
    pub variables_reference: Option<i64>,
    /// Its name, or an expression.
    pub name: String,
    /// The frame that the expression is meant in.
    pub frame_id: Option<i64>,
    /// So many bytes.
    pub bytes: Option<u64>,
    /// The name is an address.
    pub as_address: bool,
}

/// `setDataBreakpoints`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SetDataBreakpoints {
    /// All of them.
    pub breakpoints: Vec<DataBreakpoint>,
}

/// A breakpoint on data.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataBreakpoint {
    /// What `dataBreakpointInfo` gave.
    pub data_id: String,
    /// `read`, `write`, `readWrite`.
    pub access_type: Option<String>,
    /// Stop only where this holds.
    pub condition: Option<String>,
    /// Stop only when it was hit so often.
    pub hit_condition: Option<String>,
}

/// `setExceptionBreakpoints`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExceptionBreakpoints {
    /// The filters that are on.
    pub filters: Vec<String>,
    /// The same with conditions.
    pub filter_options: Vec<ExceptionFilter>,
}

/// An exception filter with a condition.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExceptionFilter {
    /// The filter.
    pub filter_id: String,
    /// Stop only where this holds.
    pub condition: Option<String>,
}

/// `next`, `stepIn`, `stepOut`, `stepBack`, `continue`, `reverseContinue`, `pause`, `exceptionInfo`: what they have in common.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OfThread {
    /// The warp.
    pub thread_id: Option<i64>,
    /// `statement`, `line` or `instruction`.
    pub granularity: Option<String>,
}

/// `stackTrace`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StackTrace {
    /// The warp.
    pub thread_id: i64,
    /// The first frame that is wanted.
    pub start_frame: usize,
    /// How many; 0: all.
    pub levels: usize,
}

/// `scopes`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScopesArguments {
    /// The frame.
    pub frame_id: i64,
}

/// How values are to be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ValueFormat {
    /// In hexadecimal digits.
    pub hex: bool,
}

/// `variables`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Variables {
    /// Of what.
    pub variables_reference: i64,
    /// `indexed` or `named`; else both.
    pub filter: Option<String>,
    /// The first one that is wanted.
    pub start: usize,
    /// How many; 0: all.
    pub count: usize,
    /// How to show them.
    pub format: Option<ValueFormat>,
}

/// `setVariable`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetVariable {
    /// What it is in.
    pub variables_reference: i64,
    /// Its name in there.
    pub name: String,
    /// Its new value.
    pub value: String,
    /// How to show it.
    pub format: Option<ValueFormat>,
}

/// `setExpression`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExpression {
    /// What is to be changed.
    pub expression: String,
    /// Its new value.
    pub value: String,
    /// The frame that they are meant in.
    pub frame_id: Option<i64>,
    /// How to show it.
    pub format: Option<ValueFormat>,
}

/// `evaluate`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Evaluate {
    /// An expression, or in the console a command.
    pub expression: String,
    /// The frame that it is meant in.
    pub frame_id: Option<i64>,
    /// `watch`, `repl`, `hover`, `clipboard`, `variables`.
    pub context: Option<String>,
    /// How to show the value.
    pub format: Option<ValueFormat>,
}

/// `completions`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CompletionsArguments {
    /// The frame that the text is meant in.
    pub frame_id: Option<i64>,
    /// The text.
    pub text: String,
    /// Where the cursor is, in UTF-16 code units.
    pub column: i64,
    /// In which line of the text.
    pub line: Option<i64>,
}

/// `readMemory`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReadMemory {
    /// An address.
    pub memory_reference: String,
    /// What is added to it.
    pub offset: i64,
    /// How many bytes.
    pub count: u64,
}

/// `writeMemory`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WriteMemory {
    /// An address.
    pub memory_reference: String,
    /// What is added to it.
    pub offset: i64,
    /// As many bytes as can be written, not all or none.
    pub allow_partial: bool,
    /// The bytes, in base 64.
    pub data: String,
}

/// `disassemble`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Disassemble {
    /// An address.
    pub memory_reference: String,
    /// Bytes that are added to it.
    pub offset: i64,
    /// Instructions that are added to that.
    pub instruction_offset: i64,
    /// How many.
    pub instruction_count: usize,
}

/// `source`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SourceOf {
    /// Which.
    pub source: Option<DapSource>,
}

/// `ptx/focusLane`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct FocusLane {
    /// The lane; nothing for all of them.
    pub lane: Option<u32>,
}
