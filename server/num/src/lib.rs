//! What PTX instructions compute from values alone: integers, floating-point numbers, matrices, images.
//!
//! Everything here is a function of bits, and agrees with hardware to the bit wherever that is known. It must *not* know a machine: no
//! registers, lanes, memory or instructions that are executed.

pub mod image;
pub mod matrix;
pub mod values;
