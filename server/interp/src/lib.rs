//! The PTX machine on a CPU: lanes, warps, CTAs, clusters, memory, faults, trace.
//!
//! It executes the lowered module of `ptx-analysis` and must *not* know syntax nodes, text positions of a protocol, files,
//! threads or clocks: its caller hands over bytes and gets bytes back.
//!
//! Each module knows only those before it: `lanes`, `registers`, [`simd`], [`findings`], [`memory`], [`machine`] (with the code that it
//! executes), `inst` (an instruction while it is decoded), `exec` (what instructions do), [`decode`]. Beside these, [`trace`] and
//! [`inspect`] know the machine, and [`launch`] knows `inspect`; how numbers are written is in [`notation`].

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
pub mod registers;
pub mod simd;
#[cfg(test)]
pub(crate) mod testing;
pub mod trace;
