//! Unrolls loops.

use super::program::{EstimateOperation, RegisterUnit};
use std::collections::HashMap;

/// Returns the operations of a loop, unrolled `turns` times. Values local to an iteration get new units in each copy,
/// counters are advanced once, and only the last copy has the branch. New units are added to `predicate`.
pub(crate) fn unroll(
    operations: &[EstimateOperation],
    turns: usize,
    predicate: &mut Vec<bool>,
) -> Vec<EstimateOperation> {
    let mut names: HashMap<RegisterUnit, RegisterUnit> = HashMap::new();
    let mut readers: HashMap<RegisterUnit, usize> = HashMap::new();
    operations.iter().flat_map(|o| &o.uses).for_each(|u| *readers.entry(*u).or_default() += 1);
    let branch = || operations.iter().filter(|o| o.last);
    let only_asks = |operation: &EstimateOperation| {
        let asked = |d: &RegisterUnit| readers.get(d) == Some(&1) && branch().any(|b| b.uses.contains(d));
        operation.last || (!operation.defs.is_empty() && operation.defs.iter().all(asked))
    };
    let mut out = Vec::with_capacity(operations.len() * turns);
    for turn in 0..turns {
        let last = turn + 1 == turns;
        for operation in operations {
            if !last && (operation.steps || only_asks(operation)) {
                continue;
            }
            let mut copy = operation.clone();
            for unit in &mut copy.uses {
                *unit = names.get(unit).copied().unwrap_or(*unit);
            }
            for unit in &mut copy.defs {
                // The next iteration, and the code after the loop, expect the result in its original unit.
                if last {
                    names.remove(unit);
                    continue;
                }
                let fresh = predicate.len() as RegisterUnit;
                predicate.push(predicate[*unit as usize]);
                names.insert(*unit, fresh);
                *unit = fresh;
            }
            out.push(copy);
        }
    }
    out
}
