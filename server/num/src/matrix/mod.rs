//! Matrices: products as tensor cores compute them, fragments, sparsity, block scales, descriptors in shared memory.
//!
//! Plain functions of bits, without any machine. [`product::Product`] multiplies; [`fragment::Fragment`] takes matrices out of
//! the registers of lanes and puts them back; [`movement::Movement`] is the same between registers and rows in memory;
//! [`descriptor`], [`shared`] and [`tensor`] say where matrices lie that are in no registers.

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
