//! The PTX instruction set as data.
//!
//! Everything is declared in `data/*.isa` (the notation: `docs/isa-format.md`) and compiled into static tables when
//! the crate is built. This crate knows nothing of source text, syntax trees, diagnostics or protocols, and depends on
//! nothing.

#[cfg(feature = "compiler")]
pub mod compiler;
mod lookup;
pub mod tables;

use tables::*;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
