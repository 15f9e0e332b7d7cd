//! PTX in strings of other languages: finds it, maps it to places in the host text, and keeps both up to date.
//!
//! [`Host`] holds all PTX of a text. Each [`Group`] is a PTX text with operands, places and the mistakes in the host's
//! part of it. This crate knows the rules by which a host turns a string into PTX, and nothing about PTX itself.

mod build;
mod chunks;
mod constraints;
mod cpp;
mod definitions;
mod edits;
mod host;
mod julia;
mod literal;
mod llvm_ir;
mod map;
mod model;
mod python;
mod raw;
mod rust;
mod targets;
mod words;

pub use edits::host_edit;
pub use host::{Host, Language};
pub use map::{Segment, SegmentKind, SegmentMap};
pub use model::{
    Access, Constraint, Edit, Group, HostEdit, HostFix, Kind, Operand, Placed, Problem, ProblemKind, Statement,
    Variable,
};
pub use raw::{Flaw, Form, Variant};
pub use targets::{Condition, PtxComment, Wanted};
