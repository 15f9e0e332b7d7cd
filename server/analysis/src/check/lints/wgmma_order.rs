//! `wgmma-order`: matrix instructions of a warp group without the fences and waits that their registers need.

use crate::check::codes::Code;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;
use crate::flow::bits::Bits;
use crate::flow::effects::{Facts, Problem, calls, does, effects, mentions, pending};
use crate::flow::solve::Meet;
use crate::flow::{Function, Slot};
use ptx_isa::tables::{Protocol, Verb};
use std::collections::HashMap;

const CODE: Code = Code::WgmmaOrder;

const PROTOCOL: Protocol = Protocol::Wgmma;

/// Reports the first of each kind: the registers of one matrix are many.
pub fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if !mentions(function, PROTOCOL) {
        return;
    }
    let multiplies: Vec<usize> =
        (0..function.instructions.len()).filter(|i| does(function, *i, Verb::Starts, PROTOCOL)).collect();
    let mut numbers: HashMap<Slot, usize> = HashMap::new();
    for slot in multiplies.iter().flat_map(|i| registers(function, *i, &[Verb::Starts, Verb::Uses])) {
        let next = numbers.len();
        numbers.entry(slot).or_insert(next);
    }
    if !numbers.is_empty() {
        fences(analysis, &multiplies, &numbers, out);
        waits(analysis, &multiplies, &numbers, out);
    }
}

/// The registers of the operands that an instruction's effects name.
fn registers(function: &Function, index: usize, verbs: &[Verb]) -> Vec<Slot> {
    let named = effects(function, index).filter(|e| e.protocol == PROTOCOL && verbs.contains(&e.verb));
    named.flat_map(|e| function.affected(index, e)).flat_map(|o| o.slots().collect::<Vec<_>>()).collect()
}

fn head(function: &Function, index: usize) -> std::ops::Range<usize> {
    let head = &function.instructions[index].head;
    head.start as usize..head.end as usize
}

/// A fence must lie between whatever else wrote the registers and the multiplication, on at least one way to it.
fn fences(analysis: &Analysis<'_>, multiplies: &[usize], numbers: &HashMap<Slot, usize>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let none = numbers.len();
    let limit = none + 1;
    let step = |index: usize, facts: &mut dyn Facts| {
        if calls(function, index) || does(function, index, Verb::Fences, PROTOCOL) {
            (0..limit).for_each(|n| facts.drop(n));
        }
        if multiplies.binary_search(&index).is_err() {
            let written = function.writes(index).iter().filter_map(|w| numbers.get(&w.slot));
            written.for_each(|n| facts.add(*n));
        }
    };
    let mut boundary = Bits::new(limit);
    if function.kernel {
        boundary.insert(none);
    }
    let problem = Problem { graph: analysis.graph, limit, meet: Meet::All, boundary, step: &step };
    let mut reported = false;
    problem.visit(&problem.solve(), |index, now| {
        if reported || multiplies.binary_search(&index).is_err() {
            return;
        }
        let all = registers(function, index, &[Verb::Starts, Verb::Uses]);
        let changed = all.into_iter().find(|s| numbers.get(s).is_some_and(|n| now.contains(*n)));
        let message = match changed {
            _ if now.contains(none) => "no `wgmma.fence` comes before this".to_owned(),
            Some(slot) => format!("`{}` is written before this without a `wgmma.fence` in between", function.register_name(slot)),
            None => return,
        };
        reported = true;
        let help = "put `wgmma.fence.sync.aligned;` after the last access to its registers: the tensor core reads them in its own time";
        out.push(Diagnostic::warning(CODE, head(function, index), message).with_help(help));
    });
}

/// What a multiplication writes must be waited for before anything else reads it.
fn waits(analysis: &Analysis<'_>, multiplies: &[usize], numbers: &HashMap<Slot, usize>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let number = |slot: &Slot| numbers.get(slot).copied();
    let starts = |index: usize| match multiplies.binary_search(&index) {
        Ok(_) => registers(function, index, &[Verb::Starts]).iter().filter_map(number).collect(),
        Err(_) => Vec::new(),
    };
    let ends = |index: usize| match multiplies.binary_search(&index) {
        Ok(_) => Vec::new(),
        Err(_) => function.writes(index).iter().filter_map(|w| number(&w.slot)).collect(),
    };
    let pending = pending((function, analysis.graph), PROTOCOL, numbers.len(), &starts, &ends);
    for index in 0..function.instructions.len() {
        if multiplies.binary_search(&index).is_ok() {
            continue;
        }
        let reads = function.reads(index).iter();
        let Some((used, fact)) =
            reads.filter_map(|r| Some((r, number(&r.slot)?))).find(|(_, n)| pending.started[index].contains(*n))
        else {
            continue;
        };
        let operand = used.operand.and_then(|o| function.operands.get(o as usize));
        let range = operand.map_or_else(|| head(function, index), |o| o.range.start as usize..o.range.end as usize);
        let name = function.register_name(used.slot);
        let message = format!("`{name}` is read while `wgmma.mma_async` may still be writing it");
        let help = if pending.uncommitted[index].contains(fact) {
            "before the read, `wgmma.commit_group.sync.aligned;` and `wgmma.wait_group.sync.aligned 0;`"
        } else {
            "before the read, `wgmma.wait_group.sync.aligned 0;`"
        };
        out.push(Diagnostic::warning(CODE, range, message).with_help(help));
        return;
    }
}
