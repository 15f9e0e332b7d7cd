//! Tests of whole sessions over pipes.

mod breakpoints;
mod client;
mod lifecycle;
mod moving;
mod showing;

/// A kernel with a loop, divergence and a function call.
pub const DIVERGING: &str = include_str!("../../../../tests/dap/diverging.ptx");
