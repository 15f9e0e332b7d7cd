//! The Model Context Protocol on standard input and output, for tools that are plain functions.
//!
//! The official library, `rmcp`, speaks the protocol. This crate gives it tools, threads and limits; it knows no PTX. The tools
//! are in the command line's crate, which knows all answers.

mod load;
mod message;
mod roots;
mod server;
mod tool;
mod transport;
mod work;

use rmcp::ServiceExt;
use server::McpServer;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
pub use tool::{ServerCard, ToolAnswer, ToolCall, ToolDescription, Toolbox};
use work::{Ending, WorkThreads};

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
