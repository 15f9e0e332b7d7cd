//! Tools, as the command line's crate describes and answers them.

use serde_json::{Map, Value};
use std::path::PathBuf;

/// A tool, as a client lists it.
#[derive(Debug, Clone)]
pub struct ToolDescription {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does, for the assistant that chooses among tools.
    pub description: &'static str,
    /// The JSON schema of its arguments.
    pub input: Value,
    /// Whether a call may take seconds: such calls do not delay others.
    pub is_long: bool,
}

/// A call of a tool.
pub struct ToolCall<'c> {
    /// The name of the tool.
    pub name: &'c str,
    /// The arguments, not checked yet.
    pub arguments: Map<String, Value>,
    /// The folders from which files may be read.
    pub roots: &'c [PathBuf],
    /// Whether the answer is no longer wanted.
    pub cancelled: &'c (dyn Fn() -> bool + Sync),
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// The answer for the assistant.
    pub text: String,
    /// The answer for programs: an object.
    pub structured: Option<Value>,
    /// Whether the tool could not do what was asked; the text then says what to do.
    pub is_error: bool,
}

impl ToolAnswer {
    /// An answer in words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), structured: None, is_error: false }
    }

    /// The reason why there is no answer.
    pub fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), structured: None, is_error: true }
    }
}

/// The tools of a server.
pub trait Toolbox: Send + Sync + 'static {
    /// All tools.
    fn tools(&self) -> Vec<ToolDescription>;

    /// Answers a call of one of them. It may take long, and poll `cancelled`.
    fn call(&self, call: ToolCall<'_>) -> ToolAnswer;
}

/// What a server says about itself.
#[derive(Debug, Clone)]
pub struct ServerCard {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its version.
    pub version: &'static str,
    /// What an assistant should know before it calls a tool.
    pub instructions: String,
}
