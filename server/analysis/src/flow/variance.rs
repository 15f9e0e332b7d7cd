//! Across which threads a value is the same.
//!
//! Followed backwards from the operand in question, through what computes without an effect, to special registers, parameters
//! and literals. Whatever is not understood is [`Variance::Unknown`]: this is for reports that must be certain.

use super::function::{FlowFunction, FlowOperand, OperandRole, OperandValue, RegisterSlot};
use super::graph::Graph;
use ptx_isa::Modifier;
use ptx_isa::tables::{Computes, TypeClass, UniformExtent};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::cell::RefCell;

/// How a value differs between threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variance {
    /// The same in all threads of the CTA, and known.
    Constant(i64),
    /// The same in all threads of the CTA.
    Cta,
    /// The same in all lanes of a warp.
    Warp,
    /// It differs from lane to lane. If a number is known: without its lowest so many bits it is the same in a warp, and up to 5
    /// such bits have all their values in each warp.
    Lane(Option<u32>),
    /// It differs from lane to lane if a value does that is the same in all of them but not known: a comparison of the
    /// thread's index with a limit.
    Perhaps,
    /// Unknown.
    Unknown,
}

/// The lowest bits of a thread's index number the lanes of its warp.
const LANE_BITS: u32 = 5;

/// What is followed further than this is not known.
const DEEPEST: u32 = 128;

/// Answers for one function.
pub struct Variances<'a> {
    function: &'a FlowFunction,
    graph: &'a Graph,
    /// For each slot the instructions that write it.
    writers: Vec<Vec<u32>>,
    known: RefCell<HashMap<(u32, RegisterSlot), Option<Variance>>>,
}

impl<'a> Variances<'a> {
    /// Prepares for questions.
    pub fn new(function: &'a FlowFunction, graph: &'a Graph) -> Self {
        let mut writers: Vec<Vec<u32>> = vec![Vec::new(); function.registers.len()];
        for index in 0..function.instructions.len() {
            for write in function.writes(index) {
                writers[write.slot.index()].push(index as u32);
            }
        }
        Self { function, graph, writers, known: RefCell::default() }
    }

    /// How a register differs where an instruction reads it.
    pub fn at(&self, slot: RegisterSlot, instruction: usize) -> Variance {
        self.register(slot, instruction, 0).unwrap_or(Variance::Unknown)
    }

    /// The value of an operand, if it is the same everywhere and known.
    pub fn constant(&self, operand: &FlowOperand, instruction: usize) -> Option<i64> {
        match self.operand(operand, instruction, 0) {
            Some(Variance::Constant(value)) => Some(value),
            _ => None,
        }
    }

    /// `None` while it is being found out: the value comes from itself by way of a loop.
    fn register(&self, slot: RegisterSlot, instruction: usize, depth: u32) -> Option<Variance> {
        if depth > DEEPEST {
            return Some(Variance::Unknown);
        }
        let mut out: Option<Variance> = None;
        for writer in self.reaching(slot, instruction) {
            let Some(writer) = writer else { return Some(Variance::Unknown) };
            out = match (out, self.result(writer, slot, depth + 1)) {
                (None, found) | (found, None) => found,
                (Some(a), Some(b)) => Some(join(a, b)),
            };
        }
        out
    }

    /// The instructions whose value of a register may be in it where an instruction reads it; `None` among them: its value from the beginning.
    pub fn reaching(&self, slot: RegisterSlot, instruction: usize) -> Vec<Option<u32>> {
        let writers = &self.writers[slot.index()];
        if let [one] = writers.as_slice() {
            return vec![Some(*one)];
        }
        let mut out = Vec::new();
        let mut seen = HashSet::default();
        let mut waiting = vec![(self.graph.block_of(instruction), instruction)];
        while let Some((block, before)) = waiting.pop() {
            let first = self.graph.blocks[block].first;
            let from = writers.partition_point(|w| *w < first);
            let to = writers.partition_point(|w| (*w as usize) < before);
            let mut over = false;
            for writer in writers.get(from..to).unwrap_or(&[]).iter().rev() {
                out.push(Some(*writer));
                if self.function.instructions[*writer as usize].guard.is_none() {
                    over = true;
                    break;
                }
            }
            if over {
                continue;
            }
            if block == 0 {
                out.push(None);
            }
            for from in self.graph.predecessors(block).iter().map(|b| *b as usize) {
                if self.graph.is_reachable(from) && seen.insert(from) {
                    waiting.push((from, self.graph.blocks[from].end as usize));
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// What an instruction writes into a register.
    fn result(&self, index: u32, slot: RegisterSlot, depth: u32) -> Option<Variance> {
        let key = (index, slot);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        self.known.borrow_mut().insert(key, None);
        let found = self.compute(index as usize, depth);
        self.known.borrow_mut().insert(key, found);
        found
    }

    fn compute(&self, index: usize, depth: u32) -> Option<Variance> {
        let function = self.function;
        if let Some(extent) = function.uniform(index) {
            return Some(of_extent(extent, None));
        }
        if !function.is_pure(index) {
            return Some(Variance::Unknown);
        }
        let operands = function.operands_of(index);
        let mut sources = Vec::with_capacity(4);
        for operand in operands.iter().filter(|o| o.reads() && o.value != OperandValue::Sink) {
            sources.push(self.operand(operand, index, depth)?);
        }
        if function.reads_fixed_memory(index) {
            return Some(match sources.iter().all(|s| matches!(s, Variance::Constant(_) | Variance::Cta)) {
                true => Variance::Cta,
                false => Variance::Unknown,
            });
        }
        Some(self.applied(index, &sources))
    }

    fn operand(&self, operand: &FlowOperand, index: usize, depth: u32) -> Option<Variance> {
        Some(match operand.value {
            OperandValue::Register(slot) | OperandValue::Part(slot, _) => {
                let found = self.register(slot, index, depth)?;
                let part =
                    matches!(operand.value, OperandValue::Part(..)) || operand.offset != Some(0) || operand.minus;
                if part { coarse(found) } else { found }
            }
            OperandValue::Registers(..) => Variance::Unknown,
            OperandValue::Special(register, component) => {
                // Which way warps lie in a CTA of two or three dimensions depends on its size.
                let other = register.components.len() > 1 && component != Some(0);
                match (register.uniform, other) {
                    (UniformExtent::None, true) => Variance::Unknown,
                    (extent, _) => of_extent(extent, Some(register.lane_bits.into()).filter(|bits| *bits > 0)),
                }
            }
            OperandValue::Integer(value) if operand.role != OperandRole::Address => Variance::Constant(value),
            OperandValue::Integer(_)
            | OperandValue::Float(..)
            | OperandValue::Variable(_)
            | OperandValue::Function(_) => Variance::Cta,
            OperandValue::Label(_) | OperandValue::List(_) | OperandValue::Sink | OperandValue::Unknown => {
                Variance::Unknown
            }
        })
    }

    /// What comes of values in an instruction without an effect.
    fn applied(&self, index: usize, sources: &[Variance]) -> Variance {
        use Variance::{Constant, Lane};
        let computes = self.function.entry(index).computes;
        let signed = |v: i64| self.compared_type(index).is_none_or(|unsigned| !unsigned || v >= 0);
        match (computes, sources) {
            (Computes::Copy, [one]) if self.is_whole(index) => *one,
            (Computes::ShiftLeft, [Lane(Some(bits)), Constant(by)]) if (0..32).contains(by) => {
                Lane(Some(bits + *by as u32))
            }
            (Computes::ShiftRight, [Lane(Some(bits)), Constant(by)]) => shifted(*bits, *by),
            (Computes::And, [Lane(Some(bits)), Constant(mask)] | [Constant(mask), Lane(Some(bits))]) => {
                masked(*bits, mask & 0xffff_ffff)
            }
            (Computes::Remainder, [Lane(Some(bits)), Constant(by)]) if *by > 0 && by & (by - 1) == 0 => {
                masked(*bits, by - 1)
            }
            (Computes::Quotient, [Lane(Some(bits)), Constant(by)]) if *by > 0 && by & (by - 1) == 0 => {
                shifted(*bits, by.trailing_zeros().into())
            }
            (Computes::Product, [Lane(Some(bits)), Constant(by)] | [Constant(by), Lane(Some(bits))])
                if *by > 0 && by & (by - 1) == 0 && bits + by.trailing_zeros() < 32 =>
            {
                Lane(Some(bits + by.trailing_zeros()))
            }
            (Computes::Comparison, [Lane(bits), Constant(limit)]) if signed(*limit) => {
                self.compared(index, *bits, *limit)
            }
            // Whether a limit that is not known cuts a warp in two is not known either.
            (Computes::Comparison, [Lane(_), limit] | [limit, Lane(_)])
                if !matches!(limit, Lane(_) | Variance::Unknown) =>
            {
                Variance::Perhaps
            }
            _ => sources.iter().copied().reduce(combined).unwrap_or(Variance::Cta),
        }
    }

    /// A comparison of a lane-dependent value with a literal.
    fn compared(&self, index: usize, bits: Option<u32>, limit: i64) -> Variance {
        let operator = self.function.chosen(index).parts_at(limit);
        let chosen = self.function.chosen(index);
        let equal = chosen.has(Modifier::Eq) || chosen.has(Modifier::Ne);
        match (operator, bits) {
            // A limit between two warps, or below all threads.
            (Some(limit), Some(bits)) if bits < 32 && limit & ((1 << bits) - 1) == 0 => Variance::Warp,
            (Some(limit), Some(bits)) if bits <= LANE_BITS && (1..1 << bits).contains(&limit) => Variance::Lane(None),
            (Some(_), _) => Variance::Perhaps,
            (None, Some(bits)) if equal && bits <= LANE_BITS && (0..1 << bits).contains(&limit) => Variance::Lane(None),
            // Nothing is known about which values occur.
            _ => Variance::Perhaps,
        }
    }

    /// Whether the type that is compared is unsigned.
    fn compared_type(&self, index: usize) -> Option<bool> {
        let ty = self.function.operands_of(index).last()?.ty?;
        Some(matches!(ty.info().class, TypeClass::Uint))
    }

    /// One whole value in, one out, of integers.
    fn is_whole(&self, index: usize) -> bool {
        let integer = |o: &FlowOperand| {
            o.role == OperandRole::Plain
                && o.ty.is_none_or(|t| {
                    !matches!(t.info().class, TypeClass::Float | TypeClass::Packed) && t.info().bits >= 32
                })
        };
        self.function.operands_of(index).iter().all(integer)
    }
}

fn of_extent(extent: UniformExtent, bits: Option<u32>) -> Variance {
    match extent {
        UniformExtent::Cta => Variance::Cta,
        UniformExtent::Warp => Variance::Warp,
        UniformExtent::None => Variance::Lane(bits),
    }
}

/// Without a certain number of its lowest bits.
fn shifted(bits: u32, by: i64) -> Variance {
    match u32::try_from(by) {
        Ok(by) if by >= bits => Variance::Warp,
        Ok(by) => Variance::Lane(Some(bits - by)),
        Err(_) => Variance::Lane(None),
    }
}

/// With some bits of it left.
fn masked(bits: u32, mask: i64) -> Variance {
    let low = if bits < 32 { mask & ((1 << bits) - 1) } else { mask };
    match (low, low & (low + 1)) {
        (0, _) => Variance::Warp,
        // The lowest ones, all of them.
        (_, 0) => Variance::Lane(Some(low.trailing_ones().min(bits))),
        _ => Variance::Lane(None),
    }
}

/// The same without what is known of single bits.
fn coarse(found: Variance) -> Variance {
    match found {
        Variance::Constant(_) => Variance::Cta,
        Variance::Lane(_) => Variance::Lane(None),
        other => other,
    }
}

/// Of a value computed from two.
fn combined(a: Variance, b: Variance) -> Variance {
    use Variance::{Cta, Lane, Perhaps, Unknown, Warp};
    match (coarse(a), coarse(b)) {
        (Unknown, _) | (_, Unknown) => Unknown,
        (Perhaps, _) | (_, Perhaps) => Perhaps,
        (Lane(_), _) | (_, Lane(_)) => Lane(None),
        (Warp, _) | (_, Warp) => Warp,
        _ => Cta,
    }
}

/// Of a value that is one or the other.
fn join(a: Variance, b: Variance) -> Variance {
    use Variance::{Lane, Unknown, Warp};
    match (a, b) {
        (a, b) if a == b => a,
        (Lane(_), Lane(_)) => Lane(None),
        (Variance::Constant(_) | Variance::Cta, Variance::Constant(_) | Variance::Cta) => Variance::Cta,
        (Variance::Constant(_) | Variance::Cta | Warp, Variance::Constant(_) | Variance::Cta | Warp) => Warp,
        _ => Unknown,
    }
}
