//! The part of the Debug Adapter Protocol (1.68) that this adapter uses, as data.
//!
//! The types are ours: see `docs/decisions/0006-debug-adapter.md`.

use serde::{Deserialize, Serialize};

/// A source: a file with code.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DapSource {
    /// The name of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Number of a source that is not a file; unused here, but clients send 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_reference: Option<i64>,
}

/// A frame of a stack.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StackFrame {
    /// Its number.
    pub id: i64,
    /// The name that the user sees.
    pub name: String,
    /// The source of its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<DapSource>,
    /// The line; 0 without a source.
    pub line: i64,
    /// The column.
    pub column: i64,
    /// Address of the instruction that the frame executes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction_pointer_reference: Option<String>,
    /// `label` for a heading, `subtle` for a dimmed frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
}

/// A group of variables of a frame.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DapScope {
    /// The name that the user sees.
    pub name: &'static str,
    /// The kind of the scope, such as `registers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
    /// The number with which a client requests the variables.
    pub variables_reference: i64,
    /// Number of variables that have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<usize>,
    /// True if reading the variables takes long.
    pub expensive: bool,
}

/// The presentation of a variable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PresentationHint {
    /// Attributes such as `readOnly`.
    pub attributes: Vec<&'static str>,
}

/// A variable.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DapVariable {
    /// Its name.
    pub name: String,
    /// Its value as text.
    pub value: String,
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub ty: Option<String>,
    /// Its presentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<PresentationHint>,
    /// The expression that evaluates to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate_name: Option<String>,
    /// The number with which a client requests its children; 0 if it has none.
    pub variables_reference: i64,
    /// Number of children that have an index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<usize>,
    /// Reference to the memory that contains it or that it points to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_reference: Option<String>,
}

/// The state of a breakpoint as the client receives it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakpoint {
    /// Its number.
    pub id: i64,
    /// True if it can be hit.
    pub verified: bool,
    /// Why it cannot be hit, or another remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<DapSource>,
    /// The line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<i64>,
    /// The last column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<i64>,
    /// The address of its instruction.
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
    /// The source of the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<DapSource>,
    /// The line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// `invalid` if the address has no instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
}
