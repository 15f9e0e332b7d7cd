//! The language server in a browser: all of its work shares the one thread of a Web Worker.
//!
//! [`executor`] is the platform of the server: it runs the work in time slices, the most urgent first, so that a message is
//! read soon whatever else is going on. [`worker`] is a server on it. `abi` exports that to JavaScript; the files in `js/` are the
//! other side.

#[cfg(target_family = "wasm")]
mod abi;
pub mod executor;
pub mod worker;
