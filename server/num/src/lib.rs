//! Arithmetic of PTX instructions as pure functions of values: integers, floating-point numbers, matrices and images.
//!
//! Every function maps bits to bits. The results match the hardware bit for bit wherever the hardware's result is known. This
//! crate knows no machine: no registers, no lanes, no memory and no executed instructions.

pub mod image;
pub mod math;
pub mod matrix;
pub mod notation;
pub mod values;
