//! Launches from files and their execution, shared by the command line and the server.
//!
//! The launch itself, its lines above kernels, and its meaning for a machine are in `ptx_interp::launch`. This crate adds
//! everything that needs files, clocks and JSON.

// Tests make the files that they read.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod choose;
pub mod direct;
pub mod evaluate;
pub mod file;
pub mod files;
pub mod inside;
pub mod limit;
pub mod refusal;
pub mod report;
mod tree;
mod turn;
pub mod words;
