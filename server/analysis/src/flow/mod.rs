//! Control flow: a function lowered once, its blocks and edges, and what can be computed on them.
//!
//! - [`FlowFunction`] – the instructions in order as compact data: resolved form, operands, registers read and written as
//!   *slots*, labels. It borrows nothing, and knows no syntax node.
//! - [`Graph`] – blocks, edges, reverse post-order; [`dominance`] – dominators and post-dominators.
//! - [`liveness`] – backward; [`written`] – forward; [`paths`] – under which guards a register was not written;
//!   [`webs`] – the independent lives of one register; [`variance`] – across which threads a value is the same.
//!
//! Which instruction branches, returns, ends the thread, has no effect but its results or must be executed by a warp
//! together is said in the tables (`flow`, `pure`, `converge`, `uniform` in docs/dev/isa-format.md).

pub mod addresses;
pub mod bits;
pub mod divergence;
pub mod dominance;
pub mod effects;
mod function;
mod graph;
pub mod liveness;
mod lowering;
pub mod paths;
mod scopes;
pub mod solve;
pub mod uniformity;
pub mod variance;
pub mod webs;
pub mod written;

pub use function::{
    FlowFunction, FlowInstruction, FlowLabel, FlowOperand, FlowVariable, FormUse, Guard, LabelList, OperandRole,
    OperandValue, RegisterDeclaration, RegisterSlot, RegisterUse, SelectorIndex, SlotRegister, Tuning,
};
pub use graph::{BasicBlock, Graph};
pub use lowering::{Lowered, Module, lower};

#[cfg(test)]
pub(crate) mod tests;
