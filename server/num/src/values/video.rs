//! Video instructions: scalar and SIMD (PTX manual 9.7.18).
//!
//! No supported target has them in hardware; the assembler expands them by macros to ordinary instructions. The macros of the
//! SIMD instructions do what the manual's pseudo-code specifies. The macros of the scalar instructions deviate in some cases:
//! for example, a saturated value is not clamped from below if it is merged, and a `.vmad` multiplies unsigned words as signed
//! ones. Since hardware returns those results, so does this module. It marks a result ([`Marks::UNSPECIFIED`](super::Marks))
//! exactly if the pseudo-code yields another.
//!
//! The behaviour of the macros was determined by evaluating the machine code that `ptxas` 13.5 emits for `sm_75`, `sm_90` and
//! `sm_120`, which agree (`tests/oracle/machine_code.py`; recorded in `server/num/tests/data/video.tsv`).

pub mod multiply;
pub mod part;
#[cfg(test)]
mod recorded;
pub mod scalar;
pub mod simd;

pub use part::RegisterPart;
