//! The binary `ptx-analyzer`: a language server and a command line for NVIDIA PTX.
//!
//! This crate knows protocols, files, threads and terminals, and nothing about PTX: what is wrong with a module, what a word
//! means and what an outline holds come from `ptx-analysis` and `ptx-ide` as plain data with byte offsets.

pub mod cli;
pub mod dap;
mod decode;
pub mod launch;
mod levels;
mod markup;
pub mod ptxas;
mod regular;
pub mod server;
mod stderr;
