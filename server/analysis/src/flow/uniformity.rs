//! Across which threads a register holds the same value whenever they are together.
//!
//! For those who read a program, where [`super::variance`] is for reports of mistakes: whatever is not understood may differ here.
//! One answer for a register, over all that is ever written to it. It is found as the least one that nothing speaks against: every
//! register is the same in the whole CTA at first, and what an instruction computes of registers that differ differs as well. Where
//! threads that went different ways come together again, what was written on the way differs too.

use super::dominance::Tree;
use super::function::{Function, Operand, Role, Slot, Value};
use super::graph::{Graph, Lists};
use super::liveness::Liveness;
use crate::hir::symbols::Origin;
use ptx_isa::tables::{Computes, Extent, TypeClass};

/// Across which threads a value is the same. Each says less than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Across {
    /// All threads of the CTA.
    Cta,
    /// The lanes of a warp.
    Warp,
    /// The lanes of a warp, if the CTA is a multiple of a warp wide: warps are rows of it then.
    Rows,
    /// The thread alone.
    Lane,
}

/// What is known while the answer is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Cta,
    Warp,
    Rows,
    /// As [`Known::Rows`] but for so many of the lowest bits.
    Bits(u8),
    Lane,
}

/// Work limit: a larger function is not analysed.
const MOST_STEPS: usize = 40_000_000;

/// For each slot across which threads it is the same; nothing for a function that is too tangled.
pub fn across(function: &Function, graph: &Graph, liveness: &Liveness, post: &Tree) -> Option<Vec<Across>> {
    let mut search = Search::new(function, graph, liveness, post);
    while let Some(index) = search.waiting.pop() {
        search.queued[index as usize] = false;
        search.instruction(index as usize);
        if search.steps > MOST_STEPS {
            return None;
        }
    }
    let plain = |known: &Known| match known {
        Known::Cta => Across::Cta,
        Known::Warp => Across::Warp,
        Known::Rows => Across::Rows,
        Known::Bits(_) | Known::Lane => Across::Lane,
    };
    Some(search.known.iter().map(plain).collect())
}

/// The registers that hold one integer from their only write on.
pub fn constants(function: &Function) -> Vec<(Slot, i64)> {
    let mut writers = vec![0u32; function.registers.len()];
    for write in (0..function.instructions.len()).flat_map(|i| function.writes(i)) {
        writers[write.slot.index()] += 1;
    }
    let mut out = Vec::new();
    for index in 0..function.instructions.len() {
        let [written] = function.writes(index) else { continue };
        if function.entry(index).computes != Computes::Copy
            || function.instructions[index].guard.is_some()
            || writers[written.slot.index()] != 1
            || function.declaration(written.slot).origin != Origin::Body
        {
            continue;
        }
        let mut sources = function.operands_of(index).iter().filter(|o| o.reads());
        if let (Some(Operand { value: Value::Integer(value), role: Role::Plain, .. }), None) =
            (sources.next(), sources.next())
        {
            out.push((written.slot, *value));
        }
    }
    out
}

struct Search<'a> {
    function: &'a Function,
    graph: &'a Graph,
    liveness: &'a Liveness,
    post: &'a Tree,
    known: Vec<Known>,
    constants: Vec<Option<i64>>,
    /// For each slot the instructions that read it.
    readers: Lists,
    waiting: Vec<u32>,
    queued: Vec<bool>,
    /// For each block how its last instruction parts the threads, as far as that was looked at.
    parted: Vec<Known>,
    steps: usize,
}

impl<'a> Search<'a> {
    fn new(function: &'a Function, graph: &'a Graph, liveness: &'a Liveness, post: &'a Tree) -> Self {
        let count = function.instructions.len();
        let mut pairs = Vec::new();
        for index in 0..count {
            pairs.extend(function.reads(index).iter().map(|used| (used.slot.0, index as u32)));
        }
        let mut known = vec![Known::Cta; function.registers.len()];
        for (index, known) in known.iter_mut().enumerate() {
            // What a caller hands over may be anything.
            if function.declaration(Slot(index as u32)).origin != Origin::Body {
                *known = Known::Lane;
            }
        }
        let mut constants = vec![None; function.registers.len()];
        for (slot, value) in self::constants(function) {
            constants[slot.index()] = Some(value);
        }
        Self {
            function,
            graph,
            liveness,
            post,
            known,
            constants,
            readers: Lists::new(function.registers.len(), &pairs),
            waiting: (0..count as u32).rev().collect(),
            queued: vec![true; count],
            parted: vec![Known::Cta; graph.blocks.len()],
            steps: 0,
        }
    }

    fn instruction(&mut self, index: usize) {
        self.steps += 1;
        let function = self.function;
        let guard = function.instructions[index].guard.as_ref();
        let guard = guard.map_or(Known::Cta, |g| g.slot.map_or(Known::Cta, |s| coarse(self.known[s.index()])));
        if !function.writes(index).is_empty() {
            let result = self.result(index).max(guard);
            for write in function.writes(index) {
                self.raise(write.slot, result);
            }
        }
        let block = self.graph.block_of(index);
        if self.graph.blocks.get(block).is_some_and(|b| b.end as usize == index + 1)
            && self.graph.successors(block).len() > 1
        {
            let reads = function.reads(index).iter().map(|used| coarse(self.known[used.slot.index()]));
            let parts = reads.max().unwrap_or(Known::Cta).max(guard);
            if parts > self.parted[block] {
                self.parted[block] = parts;
                self.part(block, parts);
            }
        }
    }

    fn raise(&mut self, slot: Slot, to: Known) {
        if to <= self.known[slot.index()] {
            return;
        }
        self.known[slot.index()] = to;
        for reader in self.readers.of(slot.index()) {
            if !std::mem::replace(&mut self.queued[*reader as usize], true) {
                self.waiting.push(*reader);
            }
        }
    }

    /// Threads go different ways at the end of a block: what they write before they come together again differs there.
    fn part(&mut self, block: usize, level: Known) {
        let count = self.graph.blocks.len();
        let together = self.post.parent(block).filter(|b| *b < count);
        // How many of the ways lead to a block, and which one was the last that did.
        let mut ways = vec![(0u32, u32::MAX); count];
        let mut region = Vec::new();
        for (way, first) in self.graph.successors(block).iter().enumerate() {
            let mut waiting = vec![*first];
            while let Some(at) = waiting.pop() {
                let (number, last) = &mut ways[at as usize];
                if *last == way as u32 {
                    continue;
                }
                *last = way as u32;
                *number += 1;
                self.steps += 1;
                if Some(at as usize) == together {
                    continue;
                }
                if *number == 1 {
                    region.push(at as usize);
                }
                waiting.extend(self.graph.successors(at as usize));
            }
        }
        let mut written = super::bits::Bits::new(self.function.registers.len());
        for index in region.iter().flat_map(|b| self.graph.blocks[*b].instructions()) {
            self.steps += 1;
            for write in self.function.writes(index) {
                written.insert(write.slot.index());
            }
        }
        let joins = region.iter().copied().filter(|b| ways[*b].0 > 1 && self.graph.predecessors(*b).len() > 1);
        for join in joins.chain(together) {
            let liveness = self.liveness;
            for slot in liveness.at_start(join) {
                self.steps += 1;
                if written.contains(slot.index()) {
                    self.raise(slot, level);
                }
            }
        }
    }

    fn result(&self, index: usize) -> Known {
        let function = self.function;
        if let Some(extent) = function.uniform(index) {
            return of_extent(extent, 0);
        }
        if !function.is_pure(index) {
            return Known::Lane;
        }
        let operands = function.operands_of(index);
        let sources: Vec<(Known, Option<i64>)> =
            operands.iter().filter(|o| o.reads() && o.value != Value::Sink).map(|o| self.operand(o)).collect();
        if function.reads_fixed_memory(index) {
            return sources.iter().map(|s| coarse(s.0)).max().unwrap_or(Known::Cta);
        }
        self.applied(index, &sources)
    }

    fn operand(&self, operand: &Operand) -> (Known, Option<i64>) {
        match operand.value {
            Value::Register(slot) => {
                let known = self.known[slot.index()];
                if operand.offset != Some(0) || operand.minus || operand.negated {
                    return (coarse(known), None);
                }
                (known, self.constants[slot.index()])
            }
            Value::Part(slot, _) => (coarse(self.known[slot.index()]), None),
            Value::Registers(..) => {
                (operand.slots().map(|s| coarse(self.known[s.index()])).max().unwrap_or(Known::Lane), None)
            }
            Value::Special(register, component) => {
                let bits = if component.unwrap_or(0) == 0 { register.lane_bits } else { 0 };
                (of_extent(register.uniform, bits), None)
            }
            Value::Integer(value) => (Known::Cta, Some(value).filter(|_| operand.role != Role::Address)),
            Value::Float(..) | Value::Variable(_) | Value::Function(_) => (Known::Cta, None),
            Value::Label(_) | Value::List(_) | Value::Sink => (Known::Cta, None),
            Value::Unknown => (Known::Lane, None),
        }
    }

    /// What comes of values in an instruction without an effect.
    fn applied(&self, index: usize, sources: &[(Known, Option<i64>)]) -> Known {
        use Known::Bits;
        let unsigned = || self.is_unsigned(index);
        let power = |n: i64| n > 0 && n & (n - 1) == 0;
        let plain = || sources.iter().map(|s| coarse(s.0)).max().unwrap_or(Known::Cta);
        // What is commutative has its number on either side.
        let pair = match sources {
            [(Bits(bits), _), (_, Some(number))] => Some((*bits, *number, true)),
            [(_, Some(number)), (Bits(bits), _)] => Some((*bits, *number, false)),
            _ => None,
        };
        let shifted = |bits: u8, by: i64| match u8::try_from(by) {
            Ok(by) if by >= bits => Known::Rows,
            Ok(by) => Bits(bits - by),
            Err(_) => Known::Lane,
        };
        let widened = |bits: u8, by: i64| match u8::try_from(by) {
            Ok(by) if bits + by.min(32) < 32 => Bits(bits + by),
            _ => Known::Lane,
        };
        if !self.is_whole(index) {
            return plain();
        }
        match (self.function.entry(index).computes, pair) {
            (Computes::Copy, _) => match sources {
                [one] => one.0,
                _ => plain(),
            },
            (Computes::ShiftLeft, Some((bits, by, true))) => widened(bits, by),
            (Computes::ShiftRight, Some((bits, by, true))) => shifted(bits, by),
            (Computes::And, Some((bits, mask, _))) if mask & ((1 << bits) - 1) == 0 => Known::Rows,
            (Computes::And | Computes::Xor, Some((bits, ..))) => Bits(bits),
            (Computes::Remainder, Some((bits, by, true))) if power(by) && unsigned() => Bits(bits),
            (Computes::Quotient, Some((bits, by, true))) if power(by) && unsigned() => {
                shifted(bits, by.trailing_zeros().into())
            }
            (Computes::Product, Some((bits, by, _))) if power(by) => widened(bits, by.trailing_zeros().into()),
            (Computes::Comparison, Some((bits, limit, true))) => {
                let limit = self.function.chosen(index).parts_at(limit);
                if limit.is_some_and(|l| l & ((1 << bits) - 1) == 0) { Known::Rows } else { Known::Lane }
            }
            _ => plain(),
        }
    }

    fn is_unsigned(&self, index: usize) -> bool {
        let ty = self.function.operands_of(index).last().and_then(|o| o.ty);
        ty.is_some_and(|t| t.info().class == TypeClass::Uint)
    }

    /// Whole integers in, integers and predicates out: bits stay where they are.
    fn is_whole(&self, index: usize) -> bool {
        self.function.operands_of(index).iter().all(|operand| {
            operand.role == Role::Plain
                && operand.ty.is_none_or(|t| {
                    let info = t.info();
                    info.class == TypeClass::Pred
                        || !matches!(info.class, TypeClass::Float | TypeClass::Packed) && info.bits >= 32
                })
        })
    }
}

fn of_extent(extent: Extent, lane_bits: u8) -> Known {
    match (extent, lane_bits) {
        (Extent::Cta, _) => Known::Cta,
        (Extent::Warp, _) => Known::Warp,
        (Extent::None, 0) => Known::Lane,
        (Extent::None, bits) => Known::Bits(bits),
    }
}

/// The same without what is known of single bits.
fn coarse(known: Known) -> Known {
    if matches!(known, Known::Bits(_)) { Known::Lane } else { known }
}
