//! Launches from files, and running them: what the command line and the server share.
//!
//! The launch itself, its lines above kernels, and what it means for a machine are in `ptx_interp::launch`; here is what needs files,
//! clocks and JSON.

pub mod choose;
pub mod evaluate;
pub mod file;
pub mod files;
pub mod inside;
pub mod refusal;
pub mod report;
pub mod result;
mod tree;
pub mod values;
pub mod view;
pub mod words;
