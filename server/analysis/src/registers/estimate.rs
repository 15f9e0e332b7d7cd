//! What the assembler makes of a function.

use super::pressure::Pressure;
use crate::flow::liveness::Liveness;
use crate::flow::{Function, Graph};
use crate::target::Environment;

/// What a function is expected to need, by itself and without bounds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Demand {
    /// General registers.
    pub registers: f32,
}

impl Demand {
    /// Of a function.
    pub fn new(
        _function: &Function,
        _graph: &Graph,
        _liveness: &Liveness,
        pressure: &Pressure,
        _environment: &Environment,
    ) -> Self {
        Self { registers: f32::from(pressure.most.b32) + 4.0 }
    }
}
