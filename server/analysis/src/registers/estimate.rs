//! What the assembler makes of a function: an estimate.
//!
//! [`EstimateProgram`](program::EstimateProgram) is the function after what an optimising assembler surely does (copies, constants, parameters and sums
//! of addresses need no registers, unread results are gone). Short branches become guards ([`region`]), small loops are unrolled
//! ([`unroll`]), and each block is put into an order that hides latencies ([`schedule`]); how many registers are live then is
//! [counted](live). What the assembler does besides is not known; [`model`] is fitted to what it printed for a few hundred kernels, and
//! corrects the count by what else is known of the function ([`FunctionFeatures`]). docs/dev/register-estimate.md tells how, and how far it is off.

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

/// What a function is expected to need, by itself and without bounds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Demand {
    /// General registers of a thread.
    pub registers: f32,
    /// What that was found from.
    pub shape: FunctionFeatures,
    /// For each call, by the index of the instruction, the general registers that hold a value across it.
    pub across: Box<[(u32, u32)]>,
}

/// The most registers of a thread on a target of which nothing else is known: instructions have 8 bits for the number of one, and one
/// number stands for zero.
pub(super) const MAX_REGISTERS: u32 = 255;

impl Demand {
    /// Of a function with what is live in it. Where the target is not known, as if it were a recent one.
    pub fn new(function: &FlowFunction, graph: &Graph, live: u16, environment: &Environment) -> Self {
        let (shape, across) = FunctionFeatures::new(function, graph, live, generation(environment.target));
        // No order is chosen that takes more registers than there are: beyond them is only what the text itself holds at a time.
        let registers = model::registers(&shape).min(shape.folded.max(MAX_REGISTERS as f32));
        Self { registers, shape, across: across.into() }
    }
}

/// The oldest target that the assembler of today still makes code for, by the number in its name; the model was fitted to it and newer ones.
pub const OLDEST: u16 = 75;

/// The number in the name of a target: 90 of `sm_90a`.
pub fn number(target: &TargetInfo) -> Option<u16> {
    target.name.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

/// What the model is told of a target: its number, that of a usual one where it is not known, and never one before the oldest.
fn generation(target: Option<&TargetInfo>) -> u16 {
    const USUAL: u16 = 90;
    target.and_then(number).map_or(USUAL, |number| number.max(OLDEST))
}
