//! `mbarrier-protocol`: an mbarrier that is used in a way that cannot work.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::addresses::Addresses;
use ptx_flow::flow::bits::BitSet;
use ptx_flow::flow::effects::{
    DataflowProblem, FactSet, calls, calls_anything, does, effects, first, is_too_large, mentions,
};
use ptx_flow::flow::solve::Meet;
use ptx_flow::flow::{FlowFunction, OperandValue};
use ptx_isa::tables::{Effect, Protocol, Verb};
use ptx_sema::hir::symbols::VariableOrigin;
use rustc_hash::FxHashMap as HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// A use of an mbarrier that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum MbarrierProtocol {
    /// An instruction tests an mbarrier (`test_wait`, `try_wait`), but nothing reads the result.
    UnreadAnswer,
    /// No instruction initializes the mbarrier of this name.
    NotInitialized(Box<str>),
    /// A copy lowers the transaction count of an mbarrier, but no instruction raises it.
    NoExpectation,
    /// There is no barrier between the initialization of the mbarrier of this name by one thread and the waits of others on it.
    NoBarrier(Box<str>),
}

impl DiagnosticMessage for MbarrierProtocol {
    fn message(&self) -> String {
        match self {
            Self::UnreadAnswer => "the result is not used: it says whether the phase is complete".to_owned(),
            Self::NotInitialized(name) => format!("`{name}` is used as an mbarrier, but nothing initializes it"),
            Self::NoExpectation => {
                "this decreases an mbarrier's transaction count, which nothing in the kernel increases".to_owned()
            }
            Self::NoBarrier(name) => format!(
                "threads that did not initialize the mbarrier `{name}` also get here, with no barrier in between"
            ),
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::UnreadAnswer => {
                "branch back to it while the predicate is false: `try_wait` gives up after a while, `test_wait` at once"
                    .to_owned()
            }
            Self::NotInitialized(name) => {
                format!(
                    "let one thread execute `mbarrier.init.shared.b64 [{name}], count;`, then put a barrier for all threads"
                )
            }
            Self::NoExpectation => {
                "announce the bytes first: `mbarrier.arrive.expect_tx.shared.b64 _, [bar], bytes;`".to_owned()
            }
            Self::NoBarrier(_) => {
                "after `mbarrier.init`, put a barrier for all threads that use it, such as `bar.sync 0;`".to_owned()
            }
        })
    }
}

const PROTOCOL: Protocol = Protocol::Mbarrier;

/// Checks the use of mbarriers in a function.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if !mentions(function, PROTOCOL) {
        return;
    }
    answers(analysis, out);
    if function.kernel {
        initialized(analysis, out);
        expected(function, out);
        visible(analysis, out);
    }
}

fn range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Reports tests of an mbarrier whose result nothing reads.
fn answers(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let mut read = vec![false; function.registers.len()];
    for index in 0..function.instructions.len() {
        function.reads(index).iter().for_each(|r| read[r.slot.index()] = true);
    }
    for index in 0..function.instructions.len() {
        let asks = effects(function, index).find(|e| e.verb == Verb::Asks && e.protocol == PROTOCOL);
        let Some(operand) = asks.and_then(|e| function.affected(index, e).next()) else { continue };
        let unread = match operand.value {
            OperandValue::Register(slot) => !read[slot.index()],
            OperandValue::Sink => true,
            _ => false,
        };
        if unread {
            out.push(Diagnostic::new(range(&operand.range), MbarrierProtocol::UnreadAnswer));
        }
    }
}

/// The variable that the operand of an effect names directly: its index, and the byte range of the operand.
fn named(function: &FlowFunction, index: usize, effect: &Effect) -> Option<(u32, Range<usize>)> {
    let operand = function.affected(index, effect).next()?;
    match operand.value {
        OperandValue::Variable(v) => Some((v, range(&operand.range))),
        _ => None,
    }
}

/// Reports mbarriers without an initialization: variables that only mbarrier instructions use, but none of them initializes.
fn initialized(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    // Only direct uses of the name count: the origin of an address in a register is not always known.
    let mut uses: Vec<Option<Range<usize>>> = vec![None; function.variables.len()];
    let mut count = vec![0; function.variables.len()];
    let mut created = vec![false; function.variables.len()];
    for index in 0..function.instructions.len() {
        let mut here = Vec::new();
        for effect in effects(function, index).filter(|e| e.protocol == PROTOCOL) {
            let Some((variable, range)) = named(function, index, effect) else { continue };
            let v = variable as usize;
            match effect.verb {
                Verb::Creates => created[v] = true,
                Verb::Uses => uses[v] = uses[v].take().or(Some(range)),
                _ => continue,
            }
            if !here.contains(&v) {
                here.push(v);
                count[v] += 1;
            }
        }
    }
    let called = calls_anything(function);
    for (v, variable) in function.variables.iter().enumerate() {
        let known = variable.uses == count[v] && !variable.symbol.external;
        let hidden = called && variable.symbol.origin == VariableOrigin::Module;
        if let (true, false, Some(range)) = (known && !created[v], hidden, uses[v].clone()) {
            out.push(Diagnostic::new(range, MbarrierProtocol::NotInitialized(variable.name.clone())));
        }
    }
}

/// Reports the first copy that lowers the transaction count of an mbarrier, if the kernel has no `expect_tx`.
fn expected(function: &FlowFunction, out: &mut Vec<Diagnostic>) {
    let brings = |i: &usize| {
        effects(function, *i)
            .any(|e| e.verb == Verb::Completes && e.protocol == PROTOCOL && function.affected(*i, e).next().is_some())
    };
    let Some(copy) = (0..function.instructions.len()).find(brings) else { return };
    if first(function, Verb::Expects, PROTOCOL).is_some() || calls_anything(function) {
        return;
    }
    out.push(Diagnostic::new(range(&function.instructions[copy].mnemonic), MbarrierProtocol::NoExpectation));
}

/// Reports waits without a barrier after the initialization, if threads other than the initializing one reach them.
fn visible(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let addresses = Addresses::new(function, analysis.graph);
    // The initialized mbarriers: variable index and byte offset.
    let mut places: Vec<(u32, i64)> = Vec::new();
    let mut numbers: HashMap<(u32, i64), usize> = HashMap::default();
    let place = |index: usize, effect: &Effect| {
        let operand = function.affected(index, effect).next()?;
        let address = addresses.of(index, operand)?;
        Some((address.variable?, address.offset?))
    };
    let of = |index: usize, verb: Verb| {
        let effect = effects(function, index).find(|e| e.verb == verb && e.protocol == PROTOCOL)?;
        place(index, effect)
    };
    for index in 0..function.instructions.len() {
        if let Some(place) = of(index, Verb::Creates)
            && let Entry::Vacant(new) = numbers.entry(place)
        {
            new.insert(places.len());
            places.push(place);
        }
    }
    if places.is_empty() || is_too_large(function, places.len()) {
        return;
    }
    let limit = places.len();
    let number = |index: usize, verb: Verb| of(index, verb).and_then(|p| numbers.get(&p).copied());
    // `fresh`: initialized by this thread, with no barrier since, on some path. `own`: initialized by this thread on all paths.
    let fresh = |index: usize, facts: &mut dyn FactSet| {
        if calls(function, index) || does(function, index, Verb::Fences, Protocol::Threads) {
            facts.drop_all();
        }
        number(index, Verb::Creates).into_iter().for_each(|n| facts.add(n));
    };
    let own = |index: usize, facts: &mut dyn FactSet| {
        if function.instructions[index].guard.is_none() {
            number(index, Verb::Creates).into_iter().for_each(|n| facts.add(n));
        }
    };
    let graph = analysis.graph;
    let fresh = DataflowProblem { graph, limit, meet: Meet::Any, boundary: BitSet::new(limit), step: &fresh };
    let own = DataflowProblem { graph, limit, meet: Meet::All, boundary: BitSet::new(limit), step: &own };
    let mut suspects: HashMap<usize, usize> = HashMap::default();
    fresh.visit(&fresh.solve(), |index, now| {
        let waits = does(function, index, Verb::Asks, PROTOCOL);
        if let Some(n) = number(index, Verb::Uses).filter(|n| waits && now.contains(*n)) {
            suspects.insert(index, n);
        }
    });
    if suspects.is_empty() {
        return;
    }
    own.visit(&own.solve(), |index, now| {
        let Some(n) = suspects.get(&index).filter(|n| !now.contains(**n)) else { return };
        let name = function.variables[places[*n].0 as usize].name.clone();
        out.push(Diagnostic::new(range(&function.instructions[index].mnemonic), MbarrierProtocol::NoBarrier(name)));
    });
}

#[cfg(test)]
mod tests {
    use crate::Code::MbarrierProtocol;
    use crate::testing::{in_kernel, messages};

    const INIT: &str = "mbarrier.init.shared.b64 [bar], 1; bar.sync 0;";
    const WAIT: &str = "wait: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra wait;";
    const COPY: &str = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 64, [bar];";

    fn found(body: &str) -> Vec<String> {
        let variables = ".shared .align 128 .b8 tile[64]; .shared .align 8 .b64 bar; ld.param.u64 %rd1, [p];";
        messages(&in_kernel(MbarrierProtocol, &format!("{variables} {body}")))
    }

    #[test]
    fn initialization() {
        assert!(found(&format!("{INIT} {WAIT}")).is_empty());
        assert_eq!(found(WAIT), ["`bar` is used as an mbarrier, but nothing initializes it"]);
        let guarded = format!("setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [bar], 1; {WAIT}");
        let expected = "threads that did not initialize the mbarrier `bar` also get here, with no barrier in between";
        assert_eq!(found(&guarded), [expected]);
        assert!(found(&guarded.replace("wait:", "bar.sync 0; wait:")).is_empty());
    }

    #[test]
    fn answers_and_transactions() {
        let unread = format!("{INIT} mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;");
        assert_eq!(found(&unread), ["the result is not used: it says whether the phase is complete"]);
        let expected = "this decreases an mbarrier's transaction count, which nothing in the kernel increases";
        assert_eq!(found(&format!("{INIT} {COPY} {WAIT}")), [expected]);
        let announced = "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;";
        assert!(found(&format!("{INIT} {announced} {COPY} {WAIT}")).is_empty());
    }
}
