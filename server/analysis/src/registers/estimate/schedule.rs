//! An order of the operations of a block as an assembler might choose it.

use super::program::{EstimateOperation, MemoryEffect, RegisterUnit};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Which operations wait for which.
pub struct Dependences {
    /// For each operation those that it waits for: whether for their results, or just for their turn.
    from: Vec<Vec<(u32, bool)>>,
    /// For each operation how many wait for it.
    waiting: Vec<u32>,
}

impl Dependences {
    /// Of a block.
    pub fn new(operations: &[EstimateOperation]) -> Self {
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
            // The branch comes last in any case.
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

/// The accesses to memory that later ones have to wait for.
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
                self.writes.iter().filter(|w| w.1 == space).for_each(|w| after(w.0));
                self.reads.push((at, space));
            }
            MemoryEffect::Write(space) => {
                // What came before is ordered by this one from here on.
                let mut pass = |list: &mut Vec<(u32, u8)>| {
                    list.retain(|(index, other)| {
                        if *other == space {
                            after(*index);
                        }
                        *other != space
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

/// The order in which each operation stands as late as it can without making its readers wait, found from the end of the block upwards:
/// of those that could stand in a place, the one that takes longest to get ready for – if `thrifty`, of those that write registers, which end
/// lives. `cycles` says how long results take.
pub fn schedule(
    operations: &[EstimateOperation],
    dependences: &Dependences,
    thrifty: bool,
    cycles: impl Fn(&EstimateOperation) -> u32,
) -> Vec<u32> {
    let count = operations.len();
    let delay = |from: u32, result: bool| if result { cycles(&operations[from as usize]) } else { 1 };
    let mut depth = vec![0u32; count];
    for index in 0..count {
        let from = dependences.from[index].iter();
        depth[index] = from.map(|(f, result)| depth[*f as usize] + delay(*f, *result)).max().unwrap_or(0);
    }
    let mut waiting = dependences.waiting.clone();
    let mut begins = vec![0u32; count];
    let entry = |index: u32| {
        let ends = thrifty && !operations[index as usize].defs.is_empty();
        (ends, depth[index as usize], index)
    };
    let mut ready: BinaryHeap<(bool, u32, u32)> = BinaryHeap::new();
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
        let Some((_, _, index)) = ready.pop() else {
            match later.peek() {
                Some(Reverse((when, _))) => clock = *when,
                // Not reached: what waits for nothing is in one of the two.
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
