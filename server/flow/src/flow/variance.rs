//! Determines across which threads a value is the same.
//!
//! The analysis follows a value backwards from its operand through instructions without side effects, to special registers,
//! parameters and literals. Everything that is not understood is [`Variance::Unknown`], because the results serve diagnostics
//! that must be certain.

use super::function::{FlowFunction, FlowOperand, OperandRole, OperandValue, RegisterSlot};
use super::graph::Graph;
use ptx_isa::Modifier;
use ptx_isa::tables::{Computes, TypeClass, UniformExtent};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::cell::RefCell;

/// How a value differs between threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variance {
    /// The same in all threads of the CTA, with this value.
    Constant(i64),
    /// The same in all threads of the CTA.
    Cta,
    /// The same in all lanes of a warp.
    Warp,
    /// It differs from lane to lane; which of its bits do, if that is known.
    Lane(Option<LaneBits>),
    /// It may differ from lane to lane, depending on an unknown value that is the same in all lanes. An example is a
    /// comparison of the thread's index with a limit.
    Perhaps,
    /// Unknown.
    Unknown,
}

/// The bits of an integer that differ from lane to lane. Its lowest `zeros` bits are 0, and above `zeros + bits` bits, fewer than 32, it is the
/// same in all lanes of a warp. If `bits` is at most 5, the bits between take all of their values in each warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneBits {
    /// The number of lowest bits that are 0.
    pub zeros: u32,
    /// The number of bits above them that differ.
    pub bits: u32,
    /// Whether all bits above those are 0.
    pub bounded: bool,
}

impl LaneBits {
    /// The number of bits below those that are the same.
    fn end(self) -> u32 {
        self.zeros + self.bits
    }

    /// The bits after a shift to the left.
    fn shifted_left(self, by: i64) -> Option<Self> {
        let zeros = self.zeros + u32::try_from(by).ok().filter(|by| *by < 32)?;
        Some(Self { zeros, ..self }).filter(|moved| moved.end() < 32)
    }
}

/// The number of lowest bits of a thread's index that give the lane in its warp.
const LANE_BITS: u32 = 5;

/// Chains of instructions longer than this are not followed: the variance is then unknown.
const MAX_DEPTH: u32 = 128;

/// Answers queries about the variance of the values in one function.
pub struct Variances<'a> {
    function: &'a FlowFunction,
    graph: &'a Graph,
    /// Indexed by slot: the indices of the instructions that write the register, ascending.
    writers: Vec<Vec<u32>>,
    known: RefCell<HashMap<(u32, RegisterSlot), Option<Variance>>>,
}

impl<'a> Variances<'a> {
    /// Prepares queries for `function`; no variance is computed yet.
    pub fn new(function: &'a FlowFunction, graph: &'a Graph) -> Self {
        let mut writers: Vec<Vec<u32>> = vec![Vec::new(); function.registers.len()];
        for index in 0..function.instructions.len() {
            for write in function.writes(index) {
                writers[write.slot.index()].push(index as u32);
            }
        }
        Self { function, graph, writers, known: RefCell::default() }
    }

    /// The variance of a register where the instruction with this index reads it.
    pub fn at(&self, slot: RegisterSlot, instruction: usize) -> Variance {
        self.register(slot, instruction, 0).unwrap_or(Variance::Unknown)
    }

    /// The value of an operand, if it is a known constant in all threads.
    pub fn constant(&self, operand: &FlowOperand, instruction: usize) -> Option<i64> {
        match self.operand(operand, instruction, 0) {
            Some(Variance::Constant(value)) => Some(value),
            _ => None,
        }
    }

    /// The variance of a register where an instruction reads it; `None` while it is still being computed, because the value
    /// depends on itself through a loop.
    fn register(&self, slot: RegisterSlot, instruction: usize, depth: u32) -> Option<Variance> {
        if depth > MAX_DEPTH {
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

    /// The indices of the writes of a register that reach an instruction that reads it (reaching definitions). `None` among
    /// them stands for the register's value at the beginning of the function.
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

    /// The variance of the value that an instruction writes into a register; cached.
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
                // The layout of warps in a CTA of two or three dimensions depends on its size.
                let other = register.components.len() > 1 && component != Some(0);
                match (register.uniform, other) {
                    (UniformExtent::None, true) => Variance::Unknown,
                    (extent, _) => {
                        let bits = u32::from(register.lane_bits);
                        of_extent(extent, (bits > 0).then_some(LaneBits { zeros: 0, bits, bounded: false }))
                    }
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

    /// The variance of the result of an instruction without side effects, computed from those of its sources.
    fn applied(&self, index: usize, sources: &[Variance]) -> Variance {
        use Variance::{Constant, Lane};
        let computes = self.function.entry(index).computes;
        let signed = |v: i64| self.compared_type(index).is_none_or(|unsigned| !unsigned || v >= 0);
        match (computes, sources) {
            (Computes::Copy, [one]) if self.is_whole(index) => *one,
            (Computes::ShiftLeft, [Lane(Some(bits)), Constant(by)]) => Lane(bits.shifted_left(*by)),
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
                if *by > 0 && by & (by - 1) == 0 =>
            {
                Lane(bits.shifted_left(by.trailing_zeros().into()))
            }
            (Computes::Comparison, [Lane(bits), Constant(limit)]) if signed(*limit) => {
                self.compared(index, *bits, *limit)
            }
            // It is unknown whether an unknown limit splits a warp.
            (Computes::Comparison, [Lane(_), limit] | [limit, Lane(_)])
                if !matches!(limit, Lane(_) | Variance::Unknown) =>
            {
                Variance::Perhaps
            }
            _ => sources.iter().copied().reduce(combined).unwrap_or(Variance::Cta),
        }
    }

    /// The variance of a comparison of a lane-dependent value with a literal. `bits` are those of [`Variance::Lane`].
    fn compared(&self, index: usize, bits: Option<LaneBits>, limit: i64) -> Variance {
        let chosen = self.function.chosen(index);
        let equal = chosen.has(Modifier::Eq) || chosen.has(Modifier::Ne);
        let Some(known) = bits else { return Variance::Perhaps };
        let LaneBits { zeros, bits, bounded } = known;
        let all = 1i64 << bits;
        let takes_all = bits <= LANE_BITS;
        match chosen.parts_at(limit) {
            // The value is a multiple of 1 << zeros: it is below the limit where its upper bits are below this.
            Some(limit) => {
                let limit = limit.saturating_add((1 << zeros) - 1) >> zeros;
                if bounded && !(1..all).contains(&limit) {
                    Variance::Cta
                } else if limit & (all - 1) == 0 {
                    // A limit between two warps, or below all threads.
                    Variance::Warp
                } else if takes_all && (1..all).contains(&limit) {
                    Variance::Lane(None)
                } else {
                    Variance::Perhaps
                }
            }
            None if equal && limit & ((1 << zeros) - 1) != 0 => Variance::Cta,
            None if equal && bounded && !(0..all).contains(&(limit >> zeros)) => Variance::Cta,
            None if equal && takes_all && (0..all).contains(&(limit >> zeros)) => Variance::Lane(None),
            // Nothing is known about which values occur.
            None => Variance::Perhaps,
        }
    }

    /// Whether the compared type is unsigned, if it is known.
    fn compared_type(&self, index: usize) -> Option<bool> {
        let ty = self.function.operands_of(index).last()?.ty?;
        Some(matches!(ty.info().class, TypeClass::Uint))
    }

    /// Whether all operands are plain, and are integers or predicates of at least 32 bits.
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

fn of_extent(extent: UniformExtent, bits: Option<LaneBits>) -> Variance {
    match extent {
        UniformExtent::Cta => Variance::Cta,
        UniformExtent::Warp => Variance::Warp,
        UniformExtent::None => Variance::Lane(bits),
    }
}

/// The variance of a value with these lane-dependent bits after a right shift by `by`.
fn shifted(known: LaneBits, by: i64) -> Variance {
    match u32::try_from(by) {
        Ok(by) if by >= known.end() => Variance::Warp,
        Ok(by) => {
            let zeros = known.zeros.saturating_sub(by);
            Variance::Lane(Some(LaneBits { zeros, bits: known.bits - by.saturating_sub(known.zeros), ..known }))
        }
        Err(_) => Variance::Lane(None),
    }
}

/// The variance of a value with these lane-dependent bits after a bitwise AND with `mask`.
fn masked(known: LaneBits, mask: i64) -> Variance {
    if known.end() >= 32 {
        return Variance::Lane(None);
    }
    let kept = (mask >> known.zeros) & ((1 << known.bits) - 1);
    if kept == 0 {
        return Variance::Warp;
    }
    let below = kept.trailing_zeros();
    let run = (kept >> below).trailing_ones();
    // The mask keeps bits that lie side by side.
    if kept >> below != (1 << run) - 1 {
        return Variance::Lane(None);
    }
    let zeros = known.zeros + below;
    let bounded = known.bounded || (mask & 0xffff_ffff) >> (zeros + run) == 0;
    Variance::Lane(Some(LaneBits { zeros, bits: run, bounded }))
}

/// The variance without its knowledge of values and of single bits.
fn coarse(found: Variance) -> Variance {
    match found {
        Variance::Constant(_) => Variance::Cta,
        Variance::Lane(_) => Variance::Lane(None),
        other => other,
    }
}

/// The variance of a value computed from two values.
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

/// The variance of a value that is one of two values, depending on the path.
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
