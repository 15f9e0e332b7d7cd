//! The meaning of a PTX text, by the tables of `ptx-isa`.
//!
//! Lowers statements to plain data, resolves names, matches instructions with their forms, and answers what stands at a place. Says what
//! does not match as data; knows no diagnostics, no control flow and no earlier version of the text. Positions are byte offsets.

#![warn(unreachable_pub)]

pub mod forms;
pub mod hir;
pub mod semantics;
pub mod target;
