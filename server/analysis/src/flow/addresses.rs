//! What the addresses in registers are made of: which variable, how far into it, and in which state space they count.
//!
//! A register is followed to the instruction that last wrote it where there is but one candidate: the last in the same block,
//! or the only one in the function.

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
    /// In a state space, `.shared`.
    In(&'static str),
    /// Generically; what it points to is in that space.
    Generic(&'static str),
}

/// A statically known address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownAddress {
    /// Whether it is generic.
    pub counts: AddressKind,
    /// The variable that it points into: index into [`FlowFunction::variables`].
    pub variable: Option<u32>,
    /// Byte offset from the start of the variable.
    pub offset: Option<i64>,
    /// The instruction that made it what it is; nothing for a variable named on the spot.
    pub by: Option<u32>,
}

/// The addresses of a function.
pub struct Addresses<'a> {
    function: &'a FlowFunction,
    graph: &'a Graph,
    /// For each register the instructions that write it, in order.
    writes: Vec<Vec<u32>>,
    /// What is known of the results of instructions.
    results: RefCell<HashMap<u32, Option<KnownAddress>>>,
}

/// Chains of additions longer than this are not followed.
const DEPTH: u8 = 64;

impl<'a> Addresses<'a> {
    /// Of a function.
    pub fn new(function: &'a FlowFunction, graph: &'a Graph) -> Self {
        let mut writes = vec![Vec::new(); function.registers.len()];
        for index in 0..function.instructions.len() {
            for used in function.writes(index) {
                writes[used.slot.index()].push(index as u32);
            }
        }
        Self { function, graph, writes, results: RefCell::default() }
    }

    /// What is known of an operand of an instruction.
    pub fn of(&self, index: usize, operand: &FlowOperand) -> Option<KnownAddress> {
        self.operand(index, operand, DEPTH)
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

    /// The instruction whose result a register holds when `index` reads it.
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
        // Until it is known, and where it is made of itself, it is nothing.
        self.results.borrow_mut().insert(by as u32, None);
        let found = self.result(by, depth);
        self.results.borrow_mut().insert(by as u32, found);
        found
    }

    /// What an instruction makes, if that is an address.
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

    /// Of the operands of an addition one is an address, the other a distance.
    fn sum(&self, index: usize, depth: u8) -> Option<KnownAddress> {
        let operands = self.function.operands_of(index).iter().filter(|o| o.reads() && o.role == OperandRole::Plain);
        let mut found = None;
        let mut distance = Some(0i64);
        for operand in operands {
            match (self.operand(index, operand, depth), operand.value) {
                (Some(address), _) if found.is_none() => found = Some(address),
                // The sum of two addresses is none.
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

/// Whether addresses in a state space are no generic addresses.
pub fn is_window(space: &str) -> bool {
    ISA.space(space).is_some_and(|s| s.window)
}
