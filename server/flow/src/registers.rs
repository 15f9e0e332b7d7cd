//! The number of registers that functions need.
//!
//! - [`pressure`] – the registers that are live at each instruction, exactly, in units of 32 bits; predicates are counted
//!   separately.
//! - [`FunctionUsage`] – the needs of one function by itself: pressure, estimated registers, launch bounds, shared memory and
//!   callees. It is kept with the facts of the function ([`crate::registers::facts`]).
//! - [`report`] – the register reports of all functions of a module: with their callees, their limits, and the number of
//!   their warps that run at a time.
//! - [`Figures`] – the reports of the last flow-lint pass, with positions that follow the edits of the text.
//! - [`estimate`] – the model of the assembler; docs/dev/register-estimate.md describes how it was fitted and how accurate it is.

mod bounds;
pub mod estimate;
pub mod facts;
mod figures;
mod margins;
pub mod occupancy;
pub(crate) mod pressure;
mod report;
#[cfg(test)]
mod tests;
mod usage;

pub use bounds::{LaunchBounds, limit};
pub use figures::{Figure, Figures};
pub use margins::{never_binds, spills_are_likely};
pub use pressure::{Pressure, RegisterCount};
pub use report::{MeasuredRegisters, RegisterReport, left_out, report};
pub use usage::FunctionUsage;
pub(crate) use usage::{CallUsage, SharedVariable};
