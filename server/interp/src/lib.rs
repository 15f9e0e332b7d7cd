//! The PTX interpreter: lanes, warps, CTAs, clusters, memory, findings, and traces, executed on a CPU.
//!
//! It executes the lowered module of `ptx-flow`. It must *not* know syntax nodes, text positions of a protocol, lines of launches, files,
//! threads or clocks: its caller passes bytes in and gets bytes back.
//!
//! Each module may use only those before it: `lanes`, `registers`, [`simd`], [`findings`], [`memory`], [`machine`] (with the decoded
//! program), `inst` (an instruction while it is decoded), `exec` (the effects of instructions), [`decode`]. Besides, [`trace`] and
//! [`inspect`] use the machine.

pub mod decode;
mod exec;
pub mod findings;
pub mod inspect;
mod inst;
pub mod lanes;
pub mod machine;
pub mod memory;
pub mod registers;
pub mod simd;
#[cfg(test)]
pub(crate) mod testing;
pub mod trace;
