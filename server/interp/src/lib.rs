//! The PTX machine on a CPU: lanes, warps, CTAs, clusters, memory, faults, trace.
//!
//! It executes the lowered module of `ptx-analysis` and must *not* know syntax nodes, text positions of a protocol, files,
//! threads or clocks: whoever starts it hands over bytes and gets bytes back.

pub mod image;
pub mod launch;
pub mod matrix;
pub mod values;
