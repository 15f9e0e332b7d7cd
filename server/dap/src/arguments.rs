//! The arguments of requests. A field that a client leaves out gets its default; unknown fields are ignored.

use super::types::DapSource;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::marker::PhantomData;

/// Arguments of `initialize`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Initialize {
    /// Identifier of the client, such as `vscode`.
    #[serde(rename = "clientID")]
    pub client_id: Option<String>,
    /// True if the client counts lines from 1.
    pub lines_start_at1: bool,
    /// True if the client counts columns from 1.
    pub columns_start_at1: bool,
    /// How the client writes paths: `path` or `uri`.
    pub path_format: Option<String>,
    /// True if the client shows progress.
    pub supports_progress_reporting: bool,
    /// True if the client handles `invalidated` events by requesting the outdated data again.
    pub supports_invalidated_event: bool,
    /// True if the client handles `memory` events by reading the changed memory again.
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

/// Arguments of `launch`; `restart` can carry the same.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LaunchArguments {
    /// Path of the PTX file with the kernel.
    pub program: String,
    /// Name of the kernel.
    pub entry: Option<String>,
    /// The launch: either the text that follows `launch:` in a line above a kernel, or the keys of a launch file.
    pub launch: Option<Value>,
    /// Path of a launch file.
    pub launch_file: Option<String>,
    /// Index, from 0, of one of the launches above the kernel.
    pub number: Option<usize>,
    /// Coordinates of the CTA to show first.
    pub cta: Option<[u32; 3]>,
    /// Number, in that CTA, of the warp to show first.
    pub warp: Option<u32>,
    /// Stop before the first instruction of that warp.
    pub stop_on_entry: Option<bool>,
    /// Also stop after the last instruction of the grid.
    pub stop_at_end: bool,
    /// Maximum number of warp instructions to execute.
    pub limit: Option<u64>,
    /// Kinds of findings to report in addition to the default ones.
    pub find: Vec<String>,
    /// Kinds of findings not to report.
    pub without: Vec<String>,
    /// The source that frames show: `ptx`, or `original` for the files that `.loc` names.
    pub source: Option<String>,
    /// The folder that must contain the files named by `.loc`; the program's folder by default.
    pub cwd: Option<String>,
    /// Run without stopping anywhere.
    pub no_debug: bool,
}

/// Arguments of `restart`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Restart {
    /// The new arguments of the launch, if they have changed.
    pub arguments: Option<Value>,
}

/// Arguments of `cancel`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cancel {
    /// Number of the request to cancel.
    pub request_id: Option<i64>,
    /// Identifier of the progress to cancel.
    pub progress_id: Option<String>,
}

/// Maximum number of breakpoints of one kind; the session ignores further ones.
pub const MAX_BREAKPOINTS: usize = 4096;

/// The first [`MAX_BREAKPOINTS`] items of a list. The others are passed over while they are read, so that a million take no memory.
#[derive(Debug, Clone)]
pub struct FirstItems<T>(pub Vec<T>);

impl<T> Default for FirstItems<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FirstItems<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
            type Value = FirstItems<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut out = Vec::new();
                while out.len() < MAX_BREAKPOINTS {
                    match items.next_element()? {
                        Some(item) => out.push(item),
                        None => return Ok(FirstItems(out)),
                    }
                }
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(FirstItems(out))
            }
        }

        deserializer.deserialize_seq(Items(PhantomData))
    }
}

/// Arguments of `setBreakpoints`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SetBreakpoints {
    /// The file of the breakpoints.
    pub source: DapSource,
    /// All breakpoints of the file.
    pub breakpoints: Option<FirstItems<SourceBreakpoint>>,
    /// The lines of all breakpoints, as clients of older protocol versions send them.
    pub lines: FirstItems<i64>,
}

/// A breakpoint in a source file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceBreakpoint {
    /// The line, as the client counts.
    pub line: i64,
    /// The column, as the client counts.
    pub column: Option<i64>,
    /// Stop only if this expression is true.
    pub condition: Option<String>,
    /// Stop only at hits with these numbers, such as `>=5`.
    pub hit_condition: Option<String>,
    /// Print this message instead of stopping.
    pub log_message: Option<String>,
}

/// Arguments of `breakpointLocations`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BreakpointLocations {
    /// The file to search.
    pub source: DapSource,
    /// The first line.
    pub line: i64,
    /// The last line.
    pub end_line: Option<i64>,
}

/// Arguments of `setFunctionBreakpoints`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SetFunctionBreakpoints {
    /// All function breakpoints.
    pub breakpoints: FirstItems<FunctionBreakpoint>,
}

/// A breakpoint at the beginning of a function.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FunctionBreakpoint {
    /// Name of the function.
    pub name: String,
    /// Stop only if this expression is true.
    pub condition: Option<String>,
    /// Stop only at hits with these numbers, such as `>=5`.
    pub hit_condition: Option<String>,
}

/// Arguments of `setInstructionBreakpoints`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SetInstructionBreakpoints {
    /// All instruction breakpoints.
    pub breakpoints: FirstItems<InstructionBreakpoint>,
}

/// A breakpoint at an instruction.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InstructionBreakpoint {
    /// Address of an instruction.
    pub instruction_reference: String,
    /// Bytes to add to the address.
    pub offset: i64,
    /// Stop only if this expression is true.
    pub condition: Option<String>,
    /// Stop only at hits with these numbers, such as `>=5`.
    pub hit_condition: Option<String>,
}

/// Arguments of `dataBreakpointInfo`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataBreakpointInfo {
    /// Number of the container of the variable.
    pub variables_reference: Option<i64>,
    /// Name of a variable, or an expression.
    pub name: String,
    /// Number of the frame in which the expression is evaluated.
    pub frame_id: Option<i64>,
    /// Number of bytes to watch.
    pub bytes: Option<u64>,
    /// True if the name is an address.
    pub as_address: bool,
}

/// Arguments of `setDataBreakpoints`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SetDataBreakpoints {
    /// All data breakpoints.
    pub breakpoints: FirstItems<DataBreakpoint>,
}

/// A breakpoint on data.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataBreakpoint {
    /// The identifier that `dataBreakpointInfo` returned.
    pub data_id: String,
    /// The accesses that stop the run: `read`, `write` or `readWrite`.
    pub access_type: Option<String>,
    /// Stop only if this expression is true.
    pub condition: Option<String>,
    /// Stop only at hits with these numbers, such as `>=5`.
    pub hit_condition: Option<String>,
}

/// Arguments of `setExceptionBreakpoints`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExceptionBreakpoints {
    /// Identifiers of the enabled filters.
    pub filters: FirstItems<String>,
    /// Enabled filters that may have a condition.
    pub filter_options: FirstItems<ExceptionFilter>,
}

/// An exception filter with a condition.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExceptionFilter {
    /// Identifier of the filter.
    pub filter_id: String,
    /// Stop only if this expression is true.
    pub condition: Option<String>,
}

/// The common arguments of `next`, `stepIn`, `stepOut`, `stepBack`, `continue`, `reverseContinue`, `pause` and
/// `exceptionInfo`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OfThread {
    /// Thread number of the warp.
    pub thread_id: Option<i64>,
    /// Granularity of a step: `statement`, `line` or `instruction`.
    pub granularity: Option<String>,
}

/// Arguments of `stackTrace`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StackTrace {
    /// Thread number of the warp.
    pub thread_id: i64,
    /// Index of the first requested frame.
    pub start_frame: usize,
    /// Maximum number of frames; 0 means all.
    pub levels: usize,
}

/// Arguments of `scopes`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScopesArguments {
    /// Number of the frame.
    pub frame_id: i64,
}

/// The format in which the client wants values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ValueFormat {
    /// Use hexadecimal digits.
    pub hex: bool,
}

/// Arguments of `variables`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Variables {
    /// Number of the container.
    pub variables_reference: i64,
    /// `indexed` or `named` children only; otherwise both.
    pub filter: Option<String>,
    /// Index of the first requested child.
    pub start: usize,
    /// Maximum number of children; 0 means all.
    pub count: usize,
    /// The format of the values.
    pub format: Option<ValueFormat>,
}

/// Arguments of `setVariable`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetVariable {
    /// Number of the container of the variable.
    pub variables_reference: i64,
    /// Name of the variable in its container.
    pub name: String,
    /// The new value, as text.
    pub value: String,
    /// The format of the value in the response.
    pub format: Option<ValueFormat>,
}

/// Arguments of `setExpression`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExpression {
    /// The expression to assign to.
    pub expression: String,
    /// The new value, as text.
    pub value: String,
    /// Number of the frame in which both are evaluated.
    pub frame_id: Option<i64>,
    /// The format of the value in the response.
    pub format: Option<ValueFormat>,
}

/// Arguments of `evaluate`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Evaluate {
    /// An expression or, in the console, a command.
    pub expression: String,
    /// Number of the frame in which the expression is evaluated.
    pub frame_id: Option<i64>,
    /// The origin of the request: `watch`, `repl`, `hover`, `clipboard` or `variables`.
    pub context: Option<String>,
    /// The format of the value in the response.
    pub format: Option<ValueFormat>,
}

/// Arguments of `completions`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CompletionsArguments {
    /// Number of the frame in which the text is evaluated.
    pub frame_id: Option<i64>,
    /// The text before and after the cursor.
    pub text: String,
    /// The column of the cursor, in UTF-16 code units.
    pub column: i64,
    /// The line of the text that the cursor is in.
    pub line: Option<i64>,
}

/// Arguments of `readMemory`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReadMemory {
    /// Reference to an address.
    pub memory_reference: String,
    /// Bytes to add to the address.
    pub offset: i64,
    /// Number of bytes to read.
    pub count: u64,
}

/// Arguments of `writeMemory`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WriteMemory {
    /// Reference to an address.
    pub memory_reference: String,
    /// Bytes to add to the address.
    pub offset: i64,
    /// Write as many bytes as possible instead of all or none.
    pub allow_partial: bool,
    /// The bytes, in base 64.
    pub data: String,
}

/// Arguments of `disassemble`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Disassemble {
    /// Reference to an address.
    pub memory_reference: String,
    /// Bytes to add to the address.
    pub offset: i64,
    /// Instructions to skip from there; may be negative.
    pub instruction_offset: i64,
    /// Number of instructions to return.
    pub instruction_count: usize,
}

/// Arguments of `source`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SourceOf {
    /// The requested source.
    pub source: Option<DapSource>,
}

/// Arguments of `ptx/focusLane`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct FocusLane {
    /// Index of the lane; `None` for all lanes.
    pub lane: Option<u32>,
}
