//! `wgmma-order`: warpgroup matrix instructions (`wgmma`) without the fences and waits that their registers need.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::bits::BitSet;
use ptx_flow::flow::effects::{DataflowProblem, FactSet, calls, does, effects, is_too_large, mentions, pending};
use ptx_flow::flow::solve::Meet;
use ptx_flow::flow::{FlowFunction, RegisterSlot};
use ptx_isa::tables::{Protocol, Verb};
use std::collections::HashMap;

/// A warpgroup matrix instruction without the fence or the wait that its registers need.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum WgmmaOrder {
    /// There is no fence before the instruction on any path.
    NoFence,
    /// The register of this name is written before the instruction, without a fence in between.
    Written(Box<str>),
    /// A register is read while the matrix instruction may still be writing it.
    Read {
        /// The name of the register.
        register: Box<str>,
        /// Whether the instruction is not committed to a group yet on any path, so that `wgmma.wait_group` cannot wait for it.
        uncommitted: bool,
    },
}

impl DiagnosticMessage for WgmmaOrder {
    fn message(&self) -> String {
        match self {
            Self::NoFence => "no `wgmma.fence` comes before this".to_owned(),
            Self::Written(name) => format!("`{name}` is written before this without a `wgmma.fence` in between"),
            Self::Read { register, .. } => {
                format!("`{register}` is read while `wgmma.mma_async` may still be writing it")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::NoFence | Self::Written(_) => {
                "put `wgmma.fence.sync.aligned;` after the last access to its registers: the tensor core reads them asynchronously"
            }
            Self::Read { uncommitted: true, .. } => {
                "before the read, execute `wgmma.commit_group.sync.aligned;` and `wgmma.wait_group.sync.aligned 0;`"
            }
            Self::Read { uncommitted: false, .. } => "before the read, execute `wgmma.wait_group.sync.aligned 0;`",
        };
        Some(help.to_owned())
    }
}

const PROTOCOL: Protocol = Protocol::Wgmma;

/// Reports only the first missing fence and the first missing wait: one matrix has many registers.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if !mentions(function, PROTOCOL) {
        return;
    }
    let multiplies: Vec<usize> =
        (0..function.instructions.len()).filter(|i| does(function, *i, Verb::Starts, PROTOCOL)).collect();
    let mut numbers: HashMap<RegisterSlot, usize> = HashMap::new();
    for slot in multiplies.iter().flat_map(|i| registers(function, *i, &[Verb::Starts, Verb::Uses])) {
        let next = numbers.len();
        numbers.entry(slot).or_insert(next);
    }
    if !numbers.is_empty() && !is_too_large(function, numbers.len()) {
        fences(analysis, &multiplies, &numbers, out);
        waits(analysis, &multiplies, &numbers, out);
    }
}

/// The registers in the operands of an instruction's effects with these verbs.
fn registers(function: &FlowFunction, index: usize, verbs: &[Verb]) -> Vec<RegisterSlot> {
    let named = effects(function, index).filter(|e| e.protocol == PROTOCOL && verbs.contains(&e.verb));
    named.flat_map(|e| function.affected(index, e)).flat_map(|o| o.slots().collect::<Vec<_>>()).collect()
}

fn head(function: &FlowFunction, index: usize) -> std::ops::Range<usize> {
    let head = &function.instructions[index].mnemonic;
    head.start as usize..head.end as usize
}

/// Reports a multiplication if no path to it has a fence after other instructions wrote its registers.
fn fences(
    analysis: &Analysis<'_>,
    multiplies: &[usize],
    numbers: &HashMap<RegisterSlot, usize>,
    out: &mut Vec<Diagnostic>,
) {
    let function = analysis.function;
    let none = numbers.len();
    let limit = none + 1;
    let step = |index: usize, facts: &mut dyn FactSet| {
        if calls(function, index) || does(function, index, Verb::Fences, PROTOCOL) {
            facts.drop_all();
        }
        if multiplies.binary_search(&index).is_err() {
            let written = function.writes(index).iter().filter_map(|w| numbers.get(&w.slot));
            written.for_each(|n| facts.add(*n));
        }
    };
    let mut boundary = BitSet::new(limit);
    if function.kernel {
        boundary.insert(none);
    }
    let problem = DataflowProblem { graph: analysis.graph, limit, meet: Meet::All, boundary, step: &step };
    let mut reported = false;
    problem.visit(&problem.solve(), |index, now| {
        if reported || multiplies.binary_search(&index).is_err() {
            return;
        }
        let all = registers(function, index, &[Verb::Starts, Verb::Uses]);
        let changed = all.into_iter().find(|s| numbers.get(s).is_some_and(|n| now.contains(*n)));
        let found = match changed {
            _ if now.contains(none) => WgmmaOrder::NoFence,
            Some(slot) => WgmmaOrder::Written(function.register_name(slot).into()),
            None => return,
        };
        reported = true;
        out.push(Diagnostic::new(head(function, index), found));
    });
}

/// Reports a read of a register that a multiplication writes, if no path to the read has a wait in between.
fn waits(
    analysis: &Analysis<'_>,
    multiplies: &[usize],
    numbers: &HashMap<RegisterSlot, usize>,
    out: &mut Vec<Diagnostic>,
) {
    let function = analysis.function;
    let number = |slot: &RegisterSlot| numbers.get(slot).copied();
    let starts = |index: usize| match multiplies.binary_search(&index) {
        Ok(_) => registers(function, index, &[Verb::Starts]).iter().filter_map(number).collect(),
        Err(_) => Vec::new(),
    };
    let ends = |index: usize| match multiplies.binary_search(&index) {
        Ok(_) => Vec::new(),
        Err(_) => function.writes(index).iter().filter_map(|w| number(&w.slot)).collect(),
    };
    let pending = pending(function, analysis.graph, PROTOCOL, numbers.len(), &starts, &ends);
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
        let register = function.register_name(used.slot).into();
        let uncommitted = pending.uncommitted[index].contains(fact);
        out.push(Diagnostic::new(range, WgmmaOrder::Read { register, uncommitted }));
        return;
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::WgmmaOrder;
    use crate::testing::{in_kernel, messages};

    const FENCE: &str = "wgmma.fence.sync.aligned;";
    const COMMIT: &str = "wgmma.commit_group.sync.aligned;";
    const WAIT: &str = "wgmma.wait_group.sync.aligned 0;";

    fn found(before: &str, after: &str) -> Vec<String> {
        let matrix = "{%f0, %f1, %f2, %f3}";
        let multiply =
            format!("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {matrix}, %rd2, %rd3, 0, 1, 1, 0, 0;");
        let store = format!("st.global.v4.f32 [%rd1], {matrix};");
        messages(&in_kernel(WgmmaOrder, &format!("{before} {multiply} {after} {store}")))
    }

    #[test]
    fn fences_before_and_waits_after() {
        assert!(found(FENCE, &format!("{COMMIT} {WAIT}")).is_empty());
        assert_eq!(found("", &format!("{COMMIT} {WAIT}")), ["no `wgmma.fence` comes before this"]);
        let written = "`%f1` is written before this without a `wgmma.fence` in between";
        assert_eq!(found(&format!("{FENCE} mov.f32 %f1, 0f00000000;"), &format!("{COMMIT} {WAIT}")), [written]);
        let read = "`%f0` is read while `wgmma.mma_async` may still be writing it";
        assert_eq!(found(FENCE, COMMIT), [read]);
        assert_eq!(found(FENCE, WAIT), [read], "nothing is committed");
    }
}
