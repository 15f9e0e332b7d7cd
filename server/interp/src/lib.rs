//! The PTX machine on a CPU: lanes, warps, CTAs, clusters, memory, faults, trace.
//!
//! It executes the lowered module of `ptx-analysis` and must *not* know syntax nodes, text positions of a protocol, files,
//! threads or clocks: its caller hands over bytes and gets bytes back.

pub mod decode;
mod exec;
pub mod findings;
pub mod inspect;
mod inst;
pub mod lanes;
pub mod launch;
pub mod machine;
pub mod memory;
pub mod notation;
pub mod races;
pub mod registers;
pub mod simd;
#[cfg(test)]
pub(crate) mod testing;
pub mod trace;
