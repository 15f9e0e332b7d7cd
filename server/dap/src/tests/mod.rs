//! Sessions over pipes.

mod breakpoints;
mod client;
mod lifecycle;
mod moving;
mod showing;

/// A kernel that diverges and calls a function, with a loop.
pub const DIVERGING: &str = include_str!("../../../../tests/dap/diverging.ptx");
