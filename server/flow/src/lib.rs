//! The flow of PTX functions: graphs of blocks, liveness, which values differ between threads; the addresses of accesses; the registers that
//! functions need; and whole modules lowered for execution.
//!
//! Knows no diagnostics and writes no messages. Positions are byte offsets.

// Tests read the example kernels.
#![cfg_attr(test, allow(clippy::disallowed_methods))]
#![warn(unreachable_pub)]

pub mod addresses;
pub mod flow;
pub mod program;
pub mod registers;
