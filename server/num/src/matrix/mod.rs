//! Matrices: products of tensor cores, fragments, sparsity, block scales, descriptors in shared memory.
//!
//! Pure functions of bits, without any machine. [`product::Product`] multiplies matrices. [`fragment::Fragment`] converts
//! between the registers of lanes and matrices. [`movement::Movement`] converts between registers and rows in memory.
//! [`descriptor`], [`shared`] and [`tensor`] locate matrices in shared memory and tensor memory.

pub mod descriptor;
pub mod element;
mod factors;
pub mod fragment;
pub mod movement;
pub mod numerics;
pub mod product;
pub mod shared;
pub mod sparse;
mod sum;
pub mod tensor;
#[cfg(test)]
mod tests;
