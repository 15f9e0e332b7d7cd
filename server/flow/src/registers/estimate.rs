//! Estimates the number of registers that the assembler will use for a function.
//!
//! [`EstimateProgram`](program::EstimateProgram) is the function after the optimizations that any optimizing assembler
//! performs: copies, constants, parameters and sums of addresses need no registers, and unread results are removed. Short
//! branches become guards ([`region`]), small loops are unrolled ([`unroll`]), and each block is scheduled to hide latencies
//! ([`schedule`]). Then the live registers are [counted](live). [`model`] adds what every kernel needs besides, and gives
//! the range of the error that was measured. docs/dev/register-estimate.md describes the accuracy.

mod counters;
mod fold;
mod live;
mod model;
mod program;
mod region;
mod schedule;
mod shape;
mod trips;
mod unroll;

pub(crate) use model::range;
pub use shape::FunctionFeatures;

use crate::flow::{FlowFunction, Graph};
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

/// What the estimate of a function needs besides its instructions.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings {
    /// The maximum register pressure of the text, in 32-bit registers.
    pub live: u16,
    /// The register limit of the header and the target.
    pub limit: u32,
    /// Whether the module is compiled for a debugger.
    pub debugged: bool,
    /// The number in the name of the target, if it is known.
    pub target: Option<u16>,
}

/// The maximum number of registers per thread on a target without further data: instructions encode a register number in 8
/// bits, and one number stands for zero.
pub(super) const MAX_REGISTERS: u32 = 255;

impl Demand {
    /// Estimates the demand of a function.
    pub fn new(function: &FlowFunction, graph: &Graph, surroundings: &Surroundings) -> Self {
        let (shape, across) = FunctionFeatures::new(function, graph, surroundings);
        // The assembler chooses no schedule that needs more registers than exist; only the source order itself (`folded`) can
        // exceed that number.
        let most = shape.folded.max(MAX_REGISTERS as f32);
        let registers = model::predict(&shape).min(most);
        Self { registers, shape, across: across.into() }
    }
}

/// The nearest number of registers, of two the greater one.
pub fn whole(registers: f32) -> u32 {
    let below = registers as u32;
    below + u32::from(registers - below as f32 >= 0.5)
}

/// The oldest target that the current assembler supports, as the number in its name. The model was measured for this target and
/// newer ones.
pub const OLDEST: u16 = 75;

/// The number in the name of a target: 90 of `sm_90a`.
pub fn number(target: &TargetInfo) -> Option<u16> {
    target.name.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
}
