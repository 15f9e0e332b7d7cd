//! Tracks the addresses in registers: the variable that each points into, the byte offset in it, and its state space.
//!
//! A register is followed to its last write only if there is a single candidate. That is the last write before the read in
//! the same block, or the only write in the function.

use super::effects::effects;
use super::function::{FlowFunction, FlowOperand, OperandRole, OperandValue, RegisterSlot};
use super::graph::Graph;
use ptx_isa::ISA;
use ptx_isa::tables::{Effect, Protocol, Verb};
use rustc_hash::FxHashMap as HashMap;
use std::cell::RefCell;

/// Whether an address is generic or of a state space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressKind {
    /// An address inside this state space, such as `.shared`.
    In(&'static str),
    /// A generic address of memory in this state space.
    Generic(&'static str),
}

/// What is statically known of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownAddress {
    /// Whether the address is generic, and its state space.
    pub counts: AddressKind,
    /// The variable into which the address points: index into [`FlowFunction::variables`].
    pub variable: Option<u32>,
    /// Byte offset from the start of the variable.
    pub offset: Option<i64>,
    /// The index of the instruction that computed the address; `None` for an operand that names a variable directly.
    pub by: Option<u32>,
}

/// Answers queries about the addresses in the registers of one function.
pub struct Addresses<'a> {
    function: &'a FlowFunction,
    graph: &'a Graph,
    /// Indexed by register slot: the indices of the instructions that write the register, ascending.
    writes: Vec<Vec<u32>>,
    /// Cache, by instruction index: the address that the instruction computes, or `None` if its result is not a known
    /// address.
    results: RefCell<HashMap<u32, Option<KnownAddress>>>,
}

/// Chains of additions longer than this are not followed.
const MAX_DEPTH: u8 = 64;

impl<'a> Addresses<'a> {
    /// Prepares queries for `function`; no address is computed yet.
    pub fn new(function: &'a FlowFunction, graph: &'a Graph) -> Self {
        let mut writes = vec![Vec::new(); function.registers.len()];
        for index in 0..function.instructions.len() {
            for used in function.writes(index) {
                writes[used.slot.index()].push(index as u32);
            }
        }
        Self { function, graph, writes, results: RefCell::default() }
    }

    /// What is known of the address in an operand of the instruction with this index, or `None`.
    pub fn of(&self, index: usize, operand: &FlowOperand) -> Option<KnownAddress> {
        self.operand(index, operand, MAX_DEPTH)
    }

    fn operand(&self, index: usize, operand: &FlowOperand, depth: u8) -> Option<KnownAddress> {
        match operand.value {
            OperandValue::Variable(v) => {
                let space = self.function.variables.get(v as usize)?.symbol.space;
                Some(KnownAddress {
                    counts: AddressKind::In(space),
                    variable: Some(v),
                    offset: operand.offset,
                    by: None,
                })
            }
            OperandValue::Register(slot) => {
                let address = self.slot(index, slot, depth.checked_sub(1)?)?;
                let offset = address.offset.zip(operand.offset).and_then(|(a, b)| a.checked_add(b));
                Some(KnownAddress { offset, ..address })
            }
            _ => None,
        }
    }

    /// The index of the instruction whose result the register holds when instruction `index` reads it; `None` if several
    /// writes may reach it or the write has a guard.
    fn definition(&self, index: usize, slot: RegisterSlot) -> Option<usize> {
        let writes = &self.writes[slot.index()];
        let before = writes.partition_point(|w| (*w as usize) < index);
        let first = self.graph.blocks.get(self.graph.block_of(index))?.first;
        let found = match before.checked_sub(1).map(|at| writes[at]) {
            Some(write) if write >= first => write,
            _ => match writes.as_slice() {
                [one] => *one,
                _ => return None,
            },
        };
        let found = found as usize;
        self.function.instructions[found].guard.is_none().then_some(found)
    }

    fn slot(&self, index: usize, slot: RegisterSlot, depth: u8) -> Option<KnownAddress> {
        let by = self.definition(index, slot)?;
        if let Some(known) = self.results.borrow().get(&(by as u32)) {
            return *known;
        }
        // `None` while the result is being computed, so that an address that depends on itself (in a loop) is unknown.
        self.results.borrow_mut().insert(by as u32, None);
        let found = self.result(by, depth);
        self.results.borrow_mut().insert(by as u32, found);
        found
    }

    /// The address that an instruction computes, if its result is one.
    fn result(&self, by: usize, depth: u8) -> Option<KnownAddress> {
        let effect = effects(self.function, by).find(|e| e.protocol == Protocol::Address)?;
        let space = self.function.chosen(by).space.map(|s| base(s.name));
        let made = |address: KnownAddress| KnownAddress { by: address.by.or(Some(by as u32)), ..address };
        match effect.verb {
            Verb::Passes => self.named(by, effect, depth).map(made),
            Verb::Adds => self.sum(by, depth).map(made),
            Verb::Widens | Verb::Narrows => {
                let space = space?;
                let counts =
                    if effect.verb == Verb::Widens { AddressKind::Generic(space) } else { AddressKind::In(space) };
                let inner = self.named(by, effect, depth);
                let (variable, offset) = inner.map_or((None, None), |a| (a.variable, a.offset));
                Some(KnownAddress { counts, variable, offset, by: Some(by as u32) })
            }
            _ => None,
        }
    }

    fn named(&self, index: usize, effect: &Effect, depth: u8) -> Option<KnownAddress> {
        let operand = self.function.affected(index, effect).next()?;
        self.operand(index, operand, depth)
    }

    /// The result of an addition of an address and an integer offset.
    fn sum(&self, index: usize, depth: u8) -> Option<KnownAddress> {
        let operands = self.function.operands_of(index).iter().filter(|o| o.reads() && o.role == OperandRole::Plain);
        let mut found = None;
        let mut distance = Some(0i64);
        for operand in operands {
            match (self.operand(index, operand, depth), operand.value) {
                (Some(address), _) if found.is_none() => found = Some(address),
                // The sum of two addresses is not an address.
                (Some(_), _) => return None,
                (None, OperandValue::Integer(n)) => distance = distance.and_then(|d| d.checked_add(n)),
                _ => distance = None,
            }
        }
        let found: KnownAddress = found?;
        let offset = found.offset.zip(distance).and_then(|(a, b)| a.checked_add(b));
        Some(KnownAddress { offset, ..found })
    }
}

/// A state space without its sub-space: `.shared` of `.shared::cta`.
pub fn base(space: &'static str) -> &'static str {
    space.split("::").next().unwrap_or(space)
}

/// Whether a state space has its own addresses, which differ from generic addresses (a window, such as `.shared`).
pub fn is_window(space: &str) -> bool {
    ISA.space(space).is_some_and(|s| s.window)
}
