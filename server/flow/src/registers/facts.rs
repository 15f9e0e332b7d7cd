//! Flow facts of the registers of a function, compact enough to be kept for every function of a module. They are the accesses
//! of each register, its live ranges, and the threads across which its value is the same.
//!
//! Offsets count from the start of the function's item, so that the facts stay valid wherever its text moves.

use super::{FunctionUsage, RegisterCount};
use crate::addresses::{AddressFacts, Flow};
use crate::flow::dominance;
use crate::flow::liveness::Liveness;
use crate::flow::uniformity::{self, Across};
use crate::flow::{FlowFunction, Graph, RegisterSlot};
use ptx_sema::hir::hash::hash_range;
use ptx_sema::target::Environment;
use ptx_syntax::{Node, Snapshot, kinds};
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The register facts of one function.
#[derive(Debug, Clone, Default)]
pub struct FunctionFacts {
    /// Indexed by instruction: the offset of its first byte, guard included.
    instructions: Box<[u32]>,
    /// The offset of the end of the last instruction.
    end: u32,
    /// The registers, sorted by declaration, number and element.
    registers: Box<[RegisterFacts]>,
    accesses: Box<[RegisterAccess]>,
    lives: Box<[(u32, u32)]>,
    usage: FunctionUsage,
    addresses: Option<Arc<AddressFacts>>,
}

/// Uses, live ranges and value of one register that some instruction names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterFacts {
    /// The offset of the name in its declaration.
    pub declaration: u32,
    /// The number of the register in a range such as `%r<10>`, else 0.
    pub number: u32,
    /// The index of the element in a vector register, else 0.
    pub element: u8,
    /// The threads across which its value is the same; `None` if computing that would take too long.
    pub across: Option<Across>,
    /// The integer that its only write copies into it.
    pub constant: Option<i64>,
    /// The physical registers that it occupies while it is live.
    pub takes: RegisterCount,
    accesses: Range<u32>,
    lives: Range<u32>,
}

/// An instruction that reads or writes a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegisterAccess(u32);

impl RegisterAccess {
    const READ: u32 = 1;
    const WRITE: u32 = 2;
    const GUARDED: u32 = 4;
    const FLAGS: u32 = 3;

    /// The index of the instruction.
    pub fn instruction(self) -> usize {
        (self.0 >> Self::FLAGS) as usize
    }

    /// Whether the instruction has a guard.
    pub fn guarded(self) -> bool {
        self.0 & Self::GUARDED != 0
    }

    /// Whether the register is read.
    pub fn reads(self) -> bool {
        self.0 & Self::READ != 0
    }

    /// Whether the register is written (if the guard is true).
    pub fn writes(self) -> bool {
        self.0 & Self::WRITE != 0
    }
}

impl FunctionFacts {
    /// Computes the facts of a function; `None` for one that is too large.
    pub fn new(function: &FlowFunction, graph: &Graph, environment: &Environment) -> Option<Self> {
        let liveness = Liveness::new(function, graph)?;
        let post = dominance::post_dominators(graph, |b| graph.blocks[b].leaves);
        let across = uniformity::across(function, graph, &liveness, &post);
        let usage = FunctionUsage::new(function, graph, &liveness, environment);
        let dominators = dominance::dominators(graph);
        let addresses = across.as_deref().and_then(|across| {
            let (liveness, dominators, post_dominators) = (&liveness, &dominators, &post);
            let flow = Flow { function, graph, liveness, dominators, post_dominators, across };
            AddressFacts::new(&flow, &|| false).map(Arc::new)
        });
        Some(Self::with(function, graph, &liveness, across.as_deref(), usage, addresses))
    }

    /// Computes the facts of a function from analyses that are already available: liveness, uniformity, usage and addresses.
    pub fn with(
        function: &FlowFunction,
        graph: &Graph,
        liveness: &Liveness,
        across: Option<&[Across]>,
        usage: FunctionUsage,
        addresses: Option<Arc<AddressFacts>>,
    ) -> Self {
        let mut constants = vec![None; function.registers.len()];
        uniformity::constants(function).into_iter().for_each(|(slot, value)| constants[slot.index()] = Some(value));
        let (access_starts, all_accesses) = accesses(function);
        let (life_starts, all_lives) = lives(function, graph, liveness);
        let mut order: Vec<usize> = (0..function.registers.len()).collect();
        let key = |index: &usize| {
            let register = function.registers[*index];
            (function.declarations[register.declaration as usize].range.start, register.number, register.element)
        };
        order.sort_unstable_by_key(key);
        let registers = order.iter().map(|index| {
            let (declaration, number, element) = key(index);
            RegisterFacts {
                declaration,
                number,
                element,
                across: across.map(|a| a[*index]),
                constant: constants[*index],
                takes: RegisterCount::of(function.declaration(RegisterSlot(*index as u32)).ty),
                accesses: access_starts[*index]..access_starts[*index + 1],
                lives: life_starts[*index]..life_starts[*index + 1],
            }
        });
        Self {
            instructions: function.instructions.iter().map(|i| i.range.start).collect(),
            end: function.instructions.last().map_or(0, |i| i.range.end),
            registers: registers.collect(),
            accesses: all_accesses,
            lives: all_lives,
            usage,
            addresses,
        }
    }

    /// The addresses of its accesses; `None` for a function that is too large.
    pub fn addresses(&self) -> Option<&AddressFacts> {
        self.addresses.as_deref()
    }

    /// The registers and shared memory that the function needs by itself.
    pub fn usage(&self) -> &FunctionUsage {
        &self.usage
    }

    /// The facts of a register: `declaration` is the offset of the name in its declaration.
    pub fn register(&self, declaration: usize, number: u32, element: u8) -> Option<&RegisterFacts> {
        let wanted = (u32::try_from(declaration).ok()?, number, element);
        let found = self.registers.binary_search_by_key(&wanted, |r| (r.declaration, r.number, r.element)).ok()?;
        self.registers.get(found)
    }

    /// The facts of all used registers, sorted by declaration.
    pub fn registers(&self) -> &[RegisterFacts] {
        &self.registers
    }

    /// The facts of the used registers of a declaration, given by the offset of its name.
    pub fn registers_of(&self, declaration: usize) -> &[RegisterFacts] {
        let from = self.registers.partition_point(|r| (r.declaration as usize) < declaration);
        let to = self.registers.partition_point(|r| (r.declaration as usize) <= declaration);
        self.registers.get(from..to).unwrap_or(&[])
    }

    /// The instructions that name a register, in text order.
    pub fn accesses(&self, register: &RegisterFacts) -> &[RegisterAccess] {
        self.accesses.get(register.accesses.start as usize..register.accesses.end as usize).unwrap_or(&[])
    }

    /// The live ranges of a register in text order: ranges of instruction indices after which its value may still be read.
    pub fn lives(&self, register: &RegisterFacts) -> impl Iterator<Item = Range<usize>> + '_ {
        let lives = self.lives.get(register.lives.start as usize..register.lives.end as usize).unwrap_or(&[]);
        lives.iter().map(|(start, end)| *start as usize..*end as usize)
    }

    /// The registers that are live at an instruction: before it, or after it together with its results, whichever is more.
    /// They occupy as many registers as [`crate::registers::Pressure`] counts there.
    pub fn held_at(&self, instruction: usize) -> Vec<&RegisterFacts> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let (mut most_before, mut most_after) = (RegisterCount::default(), RegisterCount::default());
        for register in &self.registers {
            let accesses = self.accesses(register);
            let own = accesses.binary_search_by_key(&instruction, |a| a.instruction()).ok().map(|at| accesses[at]);
            let live = self.lives(register).find(|range| range.contains(&instruction));
            if live.is_some() || own.is_some_and(RegisterAccess::writes) {
                after.push(register);
                most_after.add(register.takes);
            }
            // A guarded write may not happen, so the previous value stays live.
            let replaced = own.is_some_and(|a| a.writes() && !a.guarded());
            if own.is_some_and(RegisterAccess::reads) || (live.is_some() && !replaced) {
                before.push(register);
                most_before.add(register.takes);
            }
        }
        if most_before > most_after { before } else { after }
    }

    /// The number of instructions.
    pub fn count(&self) -> usize {
        self.instructions.len()
    }

    /// The offset of an instruction's first byte.
    pub fn start(&self, instruction: usize) -> Option<usize> {
        self.instructions.get(instruction).map(|start| *start as usize)
    }

    /// The index of the last instruction that begins at or before an offset.
    pub fn instruction_at(&self, offset: usize) -> Option<usize> {
        self.instructions.partition_point(|start| *start as usize <= offset).checked_sub(1)
    }

    /// The offset of the end of the last instruction.
    pub fn end(&self) -> usize {
        self.end as usize
    }

    /// The approximate size of the facts in memory, in bytes.
    pub fn size(&self) -> usize {
        size_of_val(&*self.instructions)
            + size_of_val(&*self.registers)
            + size_of_val(&*self.accesses)
            + size_of_val(&*self.lives)
            + self.usage.size()
            + self.addresses.as_ref().map_or(0, |a| a.size())
    }
}

/// The accesses of each slot: the start index of each slot's part, and the accesses of all slots.
fn accesses(function: &FlowFunction) -> (Vec<u32>, Box<[RegisterAccess]>) {
    let count = function.registers.len();
    let mut found: Vec<(RegisterSlot, RegisterAccess)> = Vec::new();
    for index in 0..function.instructions.len() {
        let from = found.len();
        let guarded = if function.instructions[index].guard.is_some() { RegisterAccess::GUARDED } else { 0 };
        let uses = [(function.reads(index), RegisterAccess::READ), (function.writes(index), RegisterAccess::WRITE)];
        for (used, how) in uses.iter().flat_map(|(all, how)| all.iter().map(move |u| (u, how))) {
            match found[from..].iter_mut().find(|(slot, _)| *slot == used.slot) {
                Some((_, access)) => access.0 |= how,
                None => {
                    found.push((used.slot, RegisterAccess((index as u32) << RegisterAccess::FLAGS | guarded | how)))
                }
            }
        }
    }
    by_slot(count, &found)
}

/// The live ranges of each slot (see [`FunctionFacts::lives`]): the start index of each slot's part, and the ranges of all
/// slots.
fn lives(function: &FlowFunction, graph: &Graph, liveness: &Liveness) -> (Vec<u32>, Box<[(u32, u32)]>) {
    const DEAD: u32 = u32::MAX;
    let count = function.registers.len();
    // Indexed by slot: the end of its current live range, if it is live; blocks are walked backwards.
    let mut ends = vec![DEAD; count];
    let mut found: Vec<(RegisterSlot, (u32, u32))> = Vec::new();
    // Indexed by slot: its last range, which the next block may continue.
    let mut last = vec![DEAD; count];
    let mut own: Vec<(RegisterSlot, (u32, u32))> = Vec::new();
    let mut live: Vec<RegisterSlot> = Vec::new();
    for (number, block) in graph.blocks.iter().enumerate().filter(|(b, _)| graph.is_reachable(*b)) {
        for slot in liveness.at_end(number) {
            ends[slot.index()] = block.end;
            live.push(slot);
        }
        for index in block.instructions().rev() {
            let index = index as u32;
            if function.instructions[index as usize].guard.is_none() {
                for written in function.writes(index as usize) {
                    let end = std::mem::replace(&mut ends[written.slot.index()], DEAD);
                    if end != DEAD && index < end {
                        own.push((written.slot, (index, end)));
                    }
                }
            }
            for read in function.reads(index as usize) {
                let end = &mut ends[read.slot.index()];
                if *end == DEAD {
                    *end = index;
                    live.push(read.slot);
                }
            }
        }
        for slot in live.drain(..) {
            let end = std::mem::replace(&mut ends[slot.index()], DEAD);
            if end != DEAD && block.first < end {
                own.push((slot, (block.first, end)));
            }
        }
        for (slot, range) in own.drain(..).rev() {
            match found.get_mut(last[slot.index()] as usize).filter(|(_, before)| before.1 == range.0) {
                Some((_, before)) => before.1 = range.1,
                None => {
                    last[slot.index()] = found.len() as u32;
                    found.push((slot, range));
                }
            }
        }
    }
    by_slot(count, &found)
}

/// Sorts pairs by slot, stably. Returns the start index of each slot's part, and the values.
fn by_slot<T: Copy + Default>(count: usize, found: &[(RegisterSlot, T)]) -> (Vec<u32>, Box<[T]>) {
    let mut starts = vec![0u32; count + 1];
    found.iter().for_each(|(slot, _)| starts[slot.index() + 1] += 1);
    for index in 0..count {
        starts[index + 1] += starts[index];
    }
    let mut next = starts.clone();
    let mut out = vec![T::default(); found.len()];
    for (slot, item) in found {
        let place = &mut next[slot.index()];
        out[*place as usize] = *item;
        *place += 1;
    }
    (starts, out.into_boxed_slice())
}

/// The facts of the functions of a module, by the hash of a function's text: they stay valid wherever the text is, and
/// however old they are.
#[derive(Debug, Clone, Default)]
pub struct ModuleFacts {
    /// The facts of each function, by the hash of its text.
    pub by_text: HashMap<u64, Arc<FunctionFacts>>,
}

impl ModuleFacts {
    /// The facts of a function, if its text has not changed since they were computed. The only cost is hashing the text.
    pub fn of(&self, snapshot: &Snapshot, function: Node<'_>) -> Option<Arc<FunctionFacts>> {
        if self.by_text.is_empty() || function.kind_id() != kinds().function {
            return None;
        }
        self.by_text.get(&hash_range(snapshot, function.byte_range())).cloned()
    }

    /// The approximate size of all facts in memory, in bytes.
    pub fn size(&self) -> usize {
        self.by_text.values().map(|f| f.size()).sum()
    }
}
