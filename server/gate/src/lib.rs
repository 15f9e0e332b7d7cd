//! The two gates of every program of the project, and the names of files.
//!
//! [`files`] reads files that the user did not select by hand. [`names`] tells whether two names mean the same file. [`words`] cleans text
//! that a kernel or a module wrote, before it reaches a terminal, an editor or an assistant.

// Tests make the files that they read.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod files;
pub mod names;
pub mod words;
