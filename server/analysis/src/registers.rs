//! How many registers functions need.
//!
//! - [`pressure`] – which registers hold a value at each instruction, exactly, in units of 32 bits; predicates apart.
//! - [`FunctionUsage`] – of one function by itself: pressure, an estimate of what the assembler makes of it, the bounds of its header, its shared
//!   memory, whom it calls. It is kept with the facts of the function ([`crate::registers::facts`]).
//! - [`report`] – of all functions of a module with whom they call, their limits, and how many of their warps run at a time.
//! - [`Figures`] – the report of the last second pass, kept in place while the text is edited.
//! - [`estimate`] – the model of the assembler; docs/dev/register-estimate.md tells how it was found and how far it is off.

pub mod estimate;
pub mod facts;
mod figures;
mod margins;
pub mod occupancy;
pub mod pressure;
mod report;
#[cfg(test)]
mod tests;
mod usage;

pub use figures::{Figure, Figures};
pub use margins::{never_binds, spills_are_likely};
pub use pressure::{Pressure, RegisterCount};
pub use report::{RegisterLimit, RegisterReport, left_out, limit, report};
pub use usage::{CallUsage, FunctionUsage, LaunchBounds, SharedVariable};
