//! The part of the Debug Adapter Protocol (1.68) that is spoken here, as data.
//!
//! The types are ours: see `docs/decisions/0006-debug-adapter.md`.

use serde::{Deserialize, Serialize};

/// A text that code can come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DapSource {
    /// The name of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// For texts that are in no file; never used here, but clients send 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_reference: Option<i64>,
}

/// A frame of a stack.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StackFrame {
    /// Its number.
    pub id: i64,
    /// What the user reads.
    pub name: String,
    /// Where its code is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<DapSource>,
    /// The line; 0 without a source.
    pub line: i64,
    /// The column.
    pub column: i64,
    /// The instruction that comes next in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction_pointer_reference: Option<String>,
    /// `label` for a heading, `subtle` for what is shown dimmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
}

/// A group of variables of a frame.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DapScope {
    /// What the user reads.
    pub name: &'static str,
    /// What a client may make of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
    /// To ask for what is in it.
    pub variables_reference: i64,
    /// How many variables with names there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<usize>,
    /// It takes a while.
    pub expensive: bool,
}

/// How a variable is to be shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PresentationHint {
    /// `readOnly` and others.
    pub attributes: Vec<&'static str>,
}

/// A variable.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DapVariable {
    /// Its name.
    pub name: String,
    /// Its value in words.
    pub value: String,
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub ty: Option<String>,
    /// How it is to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<PresentationHint>,
    /// The expression that gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate_name: Option<String>,
    /// To ask for its parts; 0 if it has none.
    pub variables_reference: i64,
    /// Parts with numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<usize>,
    /// The memory that it is in or points to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_reference: Option<String>,
}

/// A breakpoint, as the client is told of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakpoint {
    /// Its number.
    pub id: i64,
    /// It can be hit.
    pub verified: bool,
    /// Why not, or what is to be said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<DapSource>,
    /// The line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The line of the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<i64>,
    /// The column of the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<i64>,
    /// The instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction_reference: Option<String>,
}

/// An instruction of a disassembly.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DisassembledInstruction {
    /// Its address.
    pub address: String,
    /// Its text.
    pub instruction: String,
    /// The function or label that begins there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Where it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<DapSource>,
    /// The line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// `invalid` where there is no instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
}
