//! Control flow: a function is lowered once, then analysed through its blocks and edges.
//!
//! - [`FlowFunction`] – the instructions in order as compact data: resolved form, operands, registers read and written as
//!   *slots*, labels. It borrows nothing and holds no syntax nodes.
//! - [`Graph`] – blocks, edges, reverse post-order; [`dominance`] – dominators and post-dominators.
//! - [`liveness`] – which values may still be read; [`written`] – which registers have been written.
//! - [`paths`] – under which guards a register was not written; [`webs`] – the independent live ranges of one register.
//! - [`variance`] – across which threads a value is the same.
//!
//! The ISA tables declare which instructions branch, return, end the thread, have no effect except their results, or need
//! convergence. (See `flow`, `pure`, `converge`, `uniform` in docs/dev/isa-format.md.)

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

pub(crate) use function::SlotRegister;
pub use function::{
    FlowFunction, FlowInstruction, FlowOperand, FlowVariable, Guard, OperandRole, OperandValue, RegisterDeclaration,
    RegisterSlot, RegisterUse,
};
pub(crate) use graph::BasicBlock;
pub use graph::Graph;
pub use lowering::{Lowered, LoweredBody, Module, lower, lower_with};

#[cfg(test)]
pub(crate) mod tests;
