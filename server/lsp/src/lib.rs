//! The language server.
//!
//! [`native`] reads messages from pipes, and runs the server on threads. [`platform`] is all that the rest of the crate knows of
//! the system. [`transport`] starts the handlers of messages in the order of arrival. Notifications about text change a
//! [`document`] at once; its [`worker`] reparses and checks the text and sends diagnostics. [`handlers`]
//! has one file for each kind of request. A request waits for the tree of the text that it was sent about, and computes its
//! answer away from the asynchronous threads.

// Tests make the files that they read.
#![cfg_attr(test, allow(clippy::disallowed_methods))]
// In a browser there is no assembler.
#![cfg_attr(target_family = "wasm", allow(dead_code))]

mod backend;
mod cancel;
pub mod compile_commands;
mod convert;
mod document;
mod embedded;
mod encoder;
mod evaluation;
mod folders;
mod gate;
mod globs;
mod handlers;
mod history;
pub mod host;
pub mod levels;
mod log;
mod moved;
#[cfg(not(target_family = "wasm"))]
mod native;
mod nvdisasm;
mod places;
pub mod platform;
mod position;
mod priority;
mod progress;
mod protocol;
mod ptxas;
mod refresh;
mod runs;
mod server;
mod session;
mod settings;
mod spelling;
mod state;
mod sync;
mod transport;
mod trouble;
mod unreadable;
mod vouched;
mod walk;
#[cfg(windows)]
mod windows;
mod worker;
mod workspace;

pub use convert::page_address;
pub use embedded::EmbeddedServer;
pub use log::ClientLog;
#[cfg(not(target_family = "wasm"))]
pub use native::{CleanUp, release_memory_by, run, run_host, serve};
