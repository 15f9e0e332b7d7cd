//! Messages of protocols over pipes: framing, writing, and the end of the process.
//!
//! The language server and the debug adapter share this crate. It must *not* know what a message means.

pub mod ending;
pub mod framing;
pub mod json;
pub mod outgoing;
