//! What a run of a kernel looks like, as data: every text, folding and picture that an editor draws.
//!
//! Views of editors, the debugger, hints in the text and result documents take their texts from here, so a value reads the same wherever it
//! stands. The types are those of the protocol: their JSON Schemas, and the types and validators of the editors, are generated from them.
//!
//! It may know a finished run, and words. It never knows a protocol, a document or an editor.

// Tests make the files that they read.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod access;
pub mod answer;
pub mod buffers;
pub mod course;
pub mod document;
pub mod lane_values;
pub mod line_values;
pub mod matrix;
pub mod memory;
pub mod memory_choices;
pub mod reading;
pub mod row;
mod short;
pub mod state;
pub mod steps;

pub use answer::{Evaluation, TimelineQuery, ViewContext, ViewQuery, answer, target};
pub use course::Course;
