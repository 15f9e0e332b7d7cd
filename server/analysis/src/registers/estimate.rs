//! Estimates the number of registers that the assembler will use for a function.
//!
//! [`EstimateProgram`](program::EstimateProgram) is the function after the optimizations that any optimizing assembler
//! performs: copies, constants, parameters and sums of addresses need no registers, and unread results are removed. Short
//! branches become guards ([`region`]), small loops are unrolled ([`unroll`]), and each block is scheduled to hide latencies
//! ([`schedule`]). Then the live registers are [counted](live). The assembler's other transformations are unknown. So
//! [`model`], fitted to the assembler's output for a few hundred kernels, corrects the count by further features of the
//! function ([`FunctionFeatures`]). docs/dev/register-estimate.md describes the fit and its accuracy.

mod fold;
mod live;
mod model;
mod program;
mod region;
mod schedule;
mod shape;
mod unroll;

pub use shape::FunctionFeatures;

use crate::flow::{FlowFunction, Graph};
use crate::target::Environment;
use ptx_isa::tables::TargetInfo;

/// The registers that a function is expected to need by itself, without bounds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Demand {
    /// General 32-bit registers per thread.
    pub registers: f32,
    /// The features from which the model computed it.
    pub shape: FunctionFeatures,
    /// Pairs (index of a call instruction, number of general registers that are live across the call).
    pub across: Box<[(u32, u32)]>,
}

/// The maximum number of registers per thread on a target without further data: instructions encode a register number in 8
/// bits, and one number stands for zero.
pub(super) const MAX_REGISTERS: u32 = 255;

impl Demand {
    /// Estimates the demand of a function. `live` is its maximum register pressure, in 32-bit registers. An unknown target is
    /// treated as a recent one.
    pub fn new(function: &FlowFunction, graph: &Graph, live: u16, environment: &Environment) -> Self {
        let (shape, across) = FunctionFeatures::new(function, graph, live, generation(environment.target));
        // The assembler chooses no schedule that needs more registers than exist; only the source order itself (`folded`) can
        // exceed that number.
        let registers = model::registers(&shape).min(shape.folded.max(MAX_REGISTERS as f32));
        Self { registers, shape, across: across.into() }
    }
}

/// The oldest target that the current assembler supports, as the number in its name. The model was fitted to this target and
/// newer ones.
pub const OLDEST: u16 = 75;

/// The number in the name of a target: 90 of `sm_90a`.
pub fn number(target: &TargetInfo) -> Option<u16> {
    target.name.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

/// The target number that the model reads: at least [`OLDEST`], and that of a common target if the target is unknown.
fn generation(target: Option<&TargetInfo>) -> u16 {
    const USUAL: u16 = 90;
    target.and_then(number).map_or(USUAL, |number| number.max(OLDEST))
}
