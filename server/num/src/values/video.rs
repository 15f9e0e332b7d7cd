//! Video instructions: scalar and SIMD (PTX manual 9.7.18).
//!
//! No present target has them in hardware: the assembler makes ordinary instructions of them, by macros. For the SIMD ones these do what
//! the manual's pseudo-code says. For the scalar ones they do not everywhere: a saturated value is not clamped from below where it is
//! merged, a `.vmad` multiplies unsigned words as signed ones, and so on. Since that is what hardware gives, it is what we give – and
//! mark ([`Marks::UNSPECIFIED`](super::Marks)) just where the pseudo-code would give something else.
//!
//! How the macros behave was found by evaluating the machine code that `ptxas` 13.5 makes for `sm_75`, `sm_90` and `sm_120`, which agree
//! (`tests/oracle/machine_code.py`; recorded in `server/num/tests/data/video.tsv`).

pub mod multiply;
pub mod part;
#[cfg(test)]
mod recorded;
pub mod scalar;
pub mod simd;

pub use part::RegisterPart;
