//! Orders the operations of a block as an assembler might.

use super::program::{EstimateOperation, GENERIC, MemoryEffect, RegisterUnit};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// The dependences between the operations of a block.
pub(crate) struct Dependences {
    /// Indexed by operation: the operations that must come before it. The flag: it needs their results, and not just their
    /// order.
    from: Vec<Vec<(u32, bool)>>,
    /// Indexed by operation: the number of operations that must come after it.
    waiting: Vec<u32>,
}

impl Dependences {
    /// Computes the dependences of a block.
    pub(super) fn new(operations: &[EstimateOperation]) -> Self {
        let mut out = Self { from: vec![Vec::new(); operations.len()], waiting: vec![0; operations.len()] };
        let mut values: HashMap<RegisterUnit, (Option<u32>, Vec<u32>)> = HashMap::new();
        let mut memory = MemoryOrder::default();
        for (index, operation) in operations.iter().enumerate() {
            let at = index as u32;
            for unit in &operation.uses {
                let (writer, readers) = values.entry(*unit).or_default();
                if let Some(writer) = *writer {
                    out.edge(writer, at, true);
                }
                readers.push(at);
            }
            for unit in &operation.defs {
                let (writer, readers) = values.entry(*unit).or_default();
                readers.drain(..).filter(|r| *r != at).for_each(|r| out.edge(r, at, false));
                if let Some(before) = writer.replace(at).filter(|w| *w != at) {
                    out.edge(before, at, false);
                }
            }
            memory.next(at, operation.memory, |before| out.edge(before, at, false));
            // The branch always comes last.
            if operation.last {
                (0..at).for_each(|before| {
                    if out.waiting[before as usize] == 0 {
                        out.edge(before, at, false);
                    }
                });
            }
        }
        out
    }

    fn edge(&mut self, from: u32, to: u32, result: bool) {
        self.from[to as usize].push((from, result));
        self.waiting[from as usize] += 1;
    }
}

/// Whether accesses to two state spaces may meet at one address.
fn overlap(one: u8, other: u8) -> bool {
    one == other || one == GENERIC || other == GENERIC
}

/// The memory accesses that must come before later ones.
#[derive(Default)]
struct MemoryOrder {
    writes: Vec<(u32, u8)>,
    reads: Vec<(u32, u8)>,
    barrier: Option<u32>,
}

impl MemoryOrder {
    /// Calls `after` with each access that must come before this one.
    fn next(&mut self, at: u32, memory: MemoryEffect, mut after: impl FnMut(u32)) {
        match memory {
            MemoryEffect::None => return,
            MemoryEffect::Read(space) => {
                self.writes.iter().filter(|w| overlap(w.1, space)).for_each(|w| after(w.0));
                self.reads.push((at, space));
            }
            MemoryEffect::Write(space) => {
                // This write orders later accesses after all earlier ones of its space.
                let mut pass = |list: &mut Vec<(u32, u8)>| {
                    list.retain(|(index, other)| {
                        if overlap(*other, space) {
                            after(*index);
                        }
                        *other != space && space != GENERIC
                    });
                };
                pass(&mut self.writes);
                pass(&mut self.reads);
                self.writes.push((at, space));
            }
            MemoryEffect::Barrier => {
                self.writes.drain(..).chain(self.reads.drain(..)).for_each(|(index, _)| after(index));
            }
        }
        if let Some(barrier) = self.barrier {
            after(barrier);
        }
        if memory == MemoryEffect::Barrier {
            self.barrier = Some(at);
        }
    }
}

/// Schedules a block: returns the indices of its operations in execution order. Working from the end of the block upwards, it
/// puts each operation as late as possible without making its readers wait. Among the candidates for a position it chooses
/// the one with the longest chain of latencies before it.
pub(crate) fn schedule(operations: &[EstimateOperation], dependences: &Dependences) -> Vec<u32> {
    let count = operations.len();
    let delay = |from: u32, result: bool| if result { operations[from as usize].cycles } else { 1 };
    let mut depth = vec![0u32; count];
    for index in 0..count {
        let from = dependences.from[index].iter();
        depth[index] = from.map(|(f, result)| depth[*f as usize] + delay(*f, *result)).max().unwrap_or(0);
    }
    let mut waiting = dependences.waiting.clone();
    let mut begins = vec![0u32; count];
    let entry = |index: u32| (depth[index as usize], index);
    let mut ready: BinaryHeap<(u32, u32)> = BinaryHeap::new();
    let mut later: BinaryHeap<Reverse<(u32, Reverse<u32>)>> = BinaryHeap::new();
    ready.extend((0..count as u32).filter(|i| waiting[*i as usize] == 0).map(entry));
    let mut out = Vec::with_capacity(count);
    let mut clock = 0;
    while out.len() < count {
        while let Some(Reverse((when, Reverse(index)))) = later.peek().copied() {
            if when > clock {
                break;
            }
            later.pop();
            ready.push(entry(index));
        }
        let Some((_, index)) = ready.pop() else {
            match later.peek() {
                Some(Reverse((when, _))) => clock = *when,
                // Unreachable: every operation without open dependences is in one of the two heaps.
                None => break,
            }
            continue;
        };
        out.push(index);
        for (before, result) in &dependences.from[index as usize] {
            let place = *before as usize;
            begins[place] = begins[place].max(clock + delay(*before, *result));
            waiting[place] -= 1;
            if waiting[place] == 0 {
                later.push(Reverse((begins[place].max(clock + 1), Reverse(*before))));
            }
        }
        clock += 1;
    }
    out.reverse();
    out
}

/// Returns the order of the text with each operation that ends more live registers than it begins, such as a load, moved down to its
/// first reader.
pub(crate) fn sunk(
    operations: &[EstimateOperation],
    dependences: &Dependences,
    at_end: &[RegisterUnit],
    predicate: &[bool],
) -> Vec<u32> {
    let mut live = vec![false; predicate.len()];
    at_end.iter().for_each(|unit| live[*unit as usize] = true);
    // Looking upwards: the change in live registers that an operation makes, if it makes them fewer.
    let change = |index: u32, live: &[bool]| {
        let operation = &operations[index as usize];
        let general = |unit: &&RegisterUnit| !predicate[**unit as usize];
        let begins = operation.uses.iter().filter(general).filter(|u| !live[**u as usize]).count() as i32;
        let kept = |unit: &RegisterUnit| operation.guarded || operation.uses.contains(unit);
        let ends = operation.defs.iter().filter(general).filter(|u| live[**u as usize] && !kept(u)).count() as i32;
        (begins - ends).min(0)
    };
    let mut waiting = dependences.waiting.clone();
    let mut ready: Vec<u32> = (0..operations.len() as u32).filter(|i| waiting[*i as usize] == 0).collect();
    let mut out = Vec::with_capacity(operations.len());
    while let Some(at) = (0..ready.len()).min_by_key(|at| (change(ready[*at], &live), Reverse(ready[*at]))) {
        let index = ready.swap_remove(at);
        let operation = &operations[index as usize];
        for unit in operation.defs.iter().filter(|_| !operation.guarded) {
            live[*unit as usize] = false;
        }
        operation.uses.iter().for_each(|unit| live[*unit as usize] = true);
        out.push(index);
        for (before, _) in &dependences.from[index as usize] {
            waiting[*before as usize] -= 1;
            if waiting[*before as usize] == 0 {
                ready.push(*before);
            }
        }
    }
    out.reverse();
    out
}
