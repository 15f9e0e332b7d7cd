//! The addresses of loads, stores, atomics and `cp.async` as expressions of the thread's index, the block, parameters and loop counters.
//!
//! - [`node`] – expressions; equal ones are one node, sums are polynomials.
//! - `semantics`, `build` – the value of every integer register; `loops` – loops, and where lanes stay in the same iteration.
//! - [`lanes`], [`evaluate`] – an expression for all lanes of a warp, bit by bit; [`shape`] – which thread each lane is.
//! - [`transactions`] – sectors and bank conflicts of given addresses; the interpreter counts with it too.
//! - `encoded`, `known_bits` – operands whose bits have a meaning, such as descriptors; which of their bits are known, and what makes them.
//! - [`traffic`] – sectors and bank conflicts of an access, over all values of unknown numbers; [`words`] – expressions as text.
//!
//! An expression is the value of a register each time its instruction is executed. A value that the analysis cannot compute is a symbol.

mod access;
mod build;
mod encoded;
pub mod evaluate;
mod known_bits;
pub mod lanes;
mod loops;
pub mod node;
mod semantics;
pub(crate) mod shape;
mod simplify;
#[cfg(test)]
mod tests;
pub mod traffic;
pub mod transactions;
mod values;
pub(crate) mod words;

pub use access::{Access, AccessEffect};
pub use build::Flow;
pub use encoded::EncodedOperand;
pub use known_bits::KnownBits;
pub use shape::BlockShape;
pub use traffic::{BankTraffic, SectorTraffic, Traffic};
pub use values::{Counter, Values};

use crate::flow::liveness::Liveness;
use crate::flow::uniformity;
use crate::flow::{FlowFunction, Graph, dominance};
use node::{Node, Symbol};
use ptx_isa::tables::LaunchBound;

/// The maximum number of instructions of a function whose addresses are analysed.
const MAX_INSTRUCTIONS: usize = 400_000;

/// The accesses of a function, with their addresses.
#[derive(Debug, Default)]
pub struct AddressFacts {
    /// The values of its registers.
    pub values: Values,
    /// The accesses, in text order.
    pub accesses: Box<[Access]>,
    /// The traffic of each access, for [`AddressFacts::shape`]; `None` if it is not known.
    pub traffic: Box<[Option<Traffic>]>,
    /// The operands in registers whose bits have a meaning, in text order.
    pub encoded: Box<[EncodedOperand]>,
    /// The shape of the block that a directive requires, else the assumption.
    pub shape: BlockShape,
    /// The names of symbols.
    names: words::SymbolNames,
}

impl AddressFacts {
    /// Analyses the addresses of a function; `None` if it is too large, has a cycle with several entries, or `cancelled` returns true.
    pub fn new(flow: &Flow<'_>, cancelled: &dyn Fn() -> bool) -> Option<Self> {
        let function = flow.function;
        if function.instructions.is_empty() || function.instructions.len() > MAX_INSTRUCTIONS {
            return None;
        }
        let (values, accesses, encoded) = build::Builder::run(flow, cancelled)?;
        let shape = required_shape(function).map_or(BlockShape::Rows, BlockShape::Known);
        let names = words::SymbolNames::of(function);
        let mut out = Self { values, accesses: accesses.into(), traffic: Box::default(), encoded, shape, names };
        let mut traffic = Vec::with_capacity(out.accesses.len());
        let cases = shape.cases();
        let mut counting = traffic::Counting::new(&out.values, &cases);
        for access in &out.accesses {
            if cancelled() {
                return None;
            }
            traffic.push(out.space(access).and_then(|space| counting.of(access, space)));
        }
        out.traffic = traffic.into();
        Some(out)
    }

    /// The same without flow analyses at hand; `None` also if one of them takes too long.
    pub fn of_function(function: &FlowFunction) -> Option<Self> {
        let graph = &Graph::new(function);
        let liveness = &Liveness::new(function, graph)?;
        let post_dominators = &dominance::post_dominators(graph, |b| graph.blocks[b].leaves);
        let across = &uniformity::across(function, graph, liveness, post_dominators)?;
        let dominators = &dominance::dominators(graph);
        Self::new(&Flow { function, graph, liveness, dominators, post_dominators, across }, &|| false)
    }

    /// The accesses of an instruction, with their indices.
    pub fn of_instruction(&self, instruction: usize) -> impl Iterator<Item = (usize, &Access)> {
        let from = self.accesses.partition_point(|a| (a.instruction as usize) < instruction);
        self.accesses.iter().enumerate().skip(from).take_while(move |(_, a)| a.instruction as usize == instruction)
    }

    /// The address of an access as text; `None` if nothing is known of it or the text would be long.
    pub fn address(&self, access: &Access) -> Option<String> {
        words::text(&self.values, &self.names, access.address)
    }

    /// The value that an instruction writes to the register with this name as text; `None` if nothing is known of it or the text would
    /// be long.
    pub fn value(&self, instruction: usize, register: &str) -> Option<String> {
        let instruction = u32::try_from(instruction).ok()?;
        let written = self.values.results_of(instruction);
        let mut writes = written.iter().filter(|(_, slot, _)| self.names.register(*slot) == Some(register));
        let (_, _, id) = *writes.next()?;
        words::text(&self.values, &self.names, id)
    }

    /// Whether the traffic of an access in [`Self::traffic`] holds only if each warp is a part of a row.
    pub fn is_assumed(&self, access: &Access) -> bool {
        self.shape == BlockShape::Rows && self.values.depends_on_block(access.address)
    }

    /// The traffic of an access in blocks of a shape; `None` if it is not known.
    pub fn traffic_of(&self, access: &Access, shape: BlockShape) -> Option<Traffic> {
        traffic::Counting::new(&self.values, &shape.cases()).of(access, self.space(access)?)
    }

    /// The state space that an access reaches: the named one, or that of the variable to which a generic address points.
    pub fn space(&self, access: &Access) -> Option<&'static str> {
        access.space.or_else(|| words::space_of(&self.values, &self.names, access.address))
    }

    /// The name of the pointer parameter at which an address begins, to which [`SectorTraffic::aligned`] refers.
    pub fn base(&self, access: &Access) -> Option<&str> {
        match self.values.facts(traffic::pointer(&self.values, access.address)?).node {
            Node::Symbol(Symbol::Parameter(variable, _)) => self.names.variable(variable),
            _ => None,
        }
    }

    /// The operands of an instruction whose bits have a meaning.
    pub fn encoded_of(&self, instruction: u32) -> impl Iterator<Item = &EncodedOperand> {
        self.encoded.iter().filter(move |operand| operand.instruction == instruction)
    }

    /// The operands of which an instruction makes a part.
    pub fn encoded_by(&self, instruction: u32) -> impl Iterator<Item = &EncodedOperand> {
        self.encoded.iter().filter(move |operand| operand.is_made_by(instruction))
    }

    /// The operands of which the kernel parameter with this name becomes a part.
    pub fn encoded_from(&self, parameter: &str) -> impl Iterator<Item = &EncodedOperand> {
        let variable = self.names.variable_named(parameter);
        self.encoded.iter().filter(move |o| variable.is_some_and(|v| self.values.contains_parameter(o.value, v)))
    }

    /// The known bits of the value that an operand has, or that one of its writers gives it. `parameter` knows the values of kernel
    /// parameters by name: the bits at an offset in bytes.
    pub fn known_bits(
        &self,
        operand: &EncodedOperand,
        writer: Option<u32>,
        parameter: &dyn Fn(&str, u32, u8) -> Option<u64>,
    ) -> KnownBits {
        let by_name: known_bits::ParameterValue<'_> =
            &|variable, offset, width| parameter(self.names.variable(variable)?, offset, width);
        let written = writer.filter(|writer| operand.writers.contains(writer)).and_then(|writer| {
            let results = self.values.results_of(writer).iter();
            results.filter(|(_, slot, _)| *slot == operand.slot.0).map(|(_, _, value)| *value).next()
        });
        self.values.known_bits(written.unwrap_or(operand.value), by_name)
    }

    /// The approximate size in memory, in bytes.
    pub fn size(&self) -> usize {
        size_of_val(&*self.values.nodes)
            + size_of_val(&*self.values.results)
            + size_of_val(&*self.accesses)
            + size_of_val(&*self.traffic)
            + size_of_val(&*self.encoded)
            + self
                .encoded
                .iter()
                .map(|o| size_of_val(&*o.makers) + size_of_val(&*o.writers) + size_of_val(&*o.modifiers))
                .sum::<usize>()
    }
}

/// The shape of the block that a directive requires.
fn required_shape(function: &FlowFunction) -> Option<[u32; 3]> {
    let (tuning, _) = function.bound(LaunchBound::AllThreads)?;
    tuning.dimensions
}
