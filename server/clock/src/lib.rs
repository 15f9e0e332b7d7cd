//! The time that passes.
//!
//! `std::time::Instant::now` panics in WebAssembly without a system interface. There [`Instant`] reads the clock that the host
//! of the module installs with [`install`]; everywhere else it is the type of the standard library.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(any(target_family = "wasm", test))]
mod hosted;

#[cfg(target_family = "wasm")]
pub use hosted::{Instant, install};
