//! Integer arithmetic, logic, shifts, bit fields, permutations: PTX manual 9.7.1, 9.7.2, 9.7.6 (integers), 9.7.8, and `prmt` of 9.7.9.
//!
//! Functions are generic over [`Int`], the integer type with the width and sign of the instruction's type. Packed types apply
//! them to each element with [`packed::elementwise`]. If the manual does not define a result, a function also returns
//! [`Marks`](super::Marks); the bits are then those of the machine code that NVIDIA's assembler (`ptxas` 13.5) emits for
//! `sm_75` … `sm_120`.

pub mod arithmetic;
pub mod bits;
pub mod carry;
pub mod compare;
pub mod divide;
pub mod dot;
pub mod logic;
pub mod packed;
pub mod permute;
pub mod product;
#[cfg(test)]
mod recorded;
#[cfg(test)]
pub(crate) mod sample;
pub mod shift;
mod word;

pub use word::Int;
