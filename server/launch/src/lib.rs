//! Launches: what they mean for a kernel and a machine, launch files, runs and their results. Shared by the command line and the server.
//!
//! The language of launches, from text to values, is in `ptx_launch_syntax`. [`guess`] finds out what a launch leaves
//! out; [`settle`] checks a launch against its kernel; [`bind`] makes a machine from it; [`verdict`] judges its expectations after the run.

// Tests make the files that they read.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod bind;
pub mod choose;
pub mod direct;
pub mod evaluate;
pub mod file;
pub mod files;
pub mod guess;
mod images;
pub mod inside;
pub mod limit;
pub mod refusal;
pub mod report;
pub mod settle;
pub mod source;
#[cfg(test)]
mod tests;
mod tree;
mod turn;
pub mod verdict;
pub mod words;
