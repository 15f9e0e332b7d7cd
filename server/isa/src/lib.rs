//! The PTX instruction set as data.
//!
//! Everything is declared in `data/*.isa` (the notation: `docs/dev/isa-format.md`) and compiled into static tables when the crate
//! is built. This crate knows nothing of source text, syntax trees, diagnostics or protocols, and has no dependencies.

#[cfg(feature = "compiler")]
pub mod compiler;
mod emit;
mod exec;
pub mod fragment;
mod ids;
#[cfg(feature = "live")]
mod live;
mod lookup;
pub mod tables;
mod usage;

pub use ids::{Exec, Modifier, OperandName, SlotName};
#[cfg(feature = "live")]
pub use live::ISA;
pub use lookup::{asm_constraint, cuda_release, release_of, tool_message};

pub use tables::Weights;
#[cfg(feature = "live")]
use tables::{
    AsmConstraint, AssemblerMessage, ConstraintKind, Cuda, CudaRelease, NvccSupport, SearchWords, Suggested,
    UsageTable, UsedMnemonic, Version,
};

include!(concat!(env!("OUT_DIR"), "/usage.rs"));

#[cfg(not(feature = "live"))]
use tables::*;

/// Returns a text of the tables.
#[cfg(not(feature = "live"))]
const fn text(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a text of the tables is not UTF-8"),
    }
}

#[cfg(not(feature = "live"))]
include!(concat!(env!("OUT_DIR"), "/tables.rs"));
