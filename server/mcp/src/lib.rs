//! The Model Context Protocol on standard input and output, for tools that are plain functions.
//!
//! The official library, `rmcp`, speaks the protocol. This crate gives it tools, threads and limits; it knows no PTX. The tools
//! are in the command line's crate, which knows all answers.

mod load;
mod message;
mod roots;
mod server;
mod transport;
mod work;

use rmcp::ServiceExt;
use serde_json::{Map, Value};
use server::McpServer;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use work::{Ending, WorkThreads};

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

/// Speaks the protocol on standard input and output until the input ends. `roots` are the folders from which files may be read;
/// without them the client names its folders.
///
/// # Errors
/// If threads cannot be started, or the first messages are no session.
pub fn run(tools: Arc<dyn Toolbox>, card: ServerCard, roots: Option<Vec<PathBuf>>) -> io::Result<()> {
    let ending = Ending::default();
    let threads = WorkThreads::new()?;
    let server = McpServer::new(tools, card, roots, threads.handles(ending.clone()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let result = runtime.block_on(async {
        let transport = transport::stdio(server.load(), ending);
        match server.serve(transport).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // A client that ends before the session begins is no error.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    });
    // Threads that still work or wait for input end with the process.
    runtime.shutdown_background();
    threads.abandon();
    result
}
