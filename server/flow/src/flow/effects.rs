//! The effects of instructions in protocols, as declared in the ISA tables (`effect` in docs/dev/isa-format.md). Also data-flow
//! problems over facts that hold on all paths or on at least one.

use super::bits::{BitMatrix, BitSet};
use super::function::FlowFunction;
use super::graph::Graph;
use super::solve::{Equations, FlowDirection, Meet, solve};
use ptx_isa::tables::{ControlTransfer, Effect, Protocol, Verb};
use ptx_sema::forms::mnemonic::holds;

/// The effects of an instruction in the form and with the modifiers that it uses.
pub fn effects(function: &FlowFunction, index: usize) -> impl Iterator<Item = &'static Effect> + '_ {
    let chosen = function.chosen(index);
    let said = |e: &&Effect| e.when.is_empty() || holds(e.when, &chosen.values, None) == Some(true);
    chosen.form.effects.iter().filter(said)
}

/// Whether an instruction has an effect with this verb in the protocol.
pub fn does(function: &FlowFunction, index: usize, verb: Verb, protocol: Protocol) -> bool {
    effects(function, index).any(|e| e.verb == verb && e.protocol == protocol)
}

/// The index of the first instruction, in text order, with an effect with this verb in the protocol.
pub fn first(function: &FlowFunction, verb: Verb, protocol: Protocol) -> Option<usize> {
    (0..function.instructions.len()).find(|i| does(function, *i, verb, protocol))
}

/// Whether any form used by the function has an effect in a protocol. A cheap test that lets most functions be skipped.
pub fn mentions(function: &FlowFunction, protocol: Protocol) -> bool {
    function.forms.iter().any(|f| f.form.effects.iter().any(|e| e.protocol == protocol))
}

/// Whether an instruction calls a function, which may do anything.
pub fn calls(function: &FlowFunction, index: usize) -> bool {
    function.instructions[index].flow == ControlTransfer::Call
}

/// Whether any instruction of the function is a call.
pub fn calls_anything(function: &FlowFunction) -> bool {
    (0..function.instructions.len()).any(|i| calls(function, i))
}

/// A set of data-flow facts that an instruction changes.
pub trait FactSet {
    /// Records that the fact holds from here on.
    fn add(&mut self, fact: usize);
    /// Records that the fact no longer holds.
    fn drop(&mut self, fact: usize);
    /// Records that no fact holds any longer.
    fn drop_all(&mut self);
    /// Records that only facts of `others` may still hold.
    fn keep(&mut self, others: &BitSet);
}

impl FactSet for BitSet {
    fn add(&mut self, fact: usize) {
        self.insert(fact);
    }

    fn drop(&mut self, fact: usize) {
        self.remove(fact);
    }

    fn drop_all(&mut self) {
        self.clear();
    }

    fn keep(&mut self, others: &BitSet) {
        self.intersect(others);
    }
}

/// The facts that a block generates and kills.
#[derive(Default)]
struct GenKill {
    generates: BitSet,
    kills: BitSet,
}

impl FactSet for GenKill {
    fn add(&mut self, fact: usize) {
        self.generates.insert(fact);
        self.kills.remove(fact);
    }

    fn drop(&mut self, fact: usize) {
        self.generates.remove(fact);
        self.kills.insert(fact);
    }

    fn drop_all(&mut self) {
        self.generates.clear();
        self.kills.fill();
    }

    fn keep(&mut self, others: &BitSet) {
        self.generates.intersect(others);
        self.kills.unite_complement(others);
    }
}

/// A forward data-flow problem: a set of facts and how instructions change them.
pub struct DataflowProblem<'a> {
    /// The blocks and edges of the function.
    pub graph: &'a Graph,
    /// The number of facts; facts are numbered from 0.
    pub limit: usize,
    /// Whether a fact must hold on all paths or on at least one.
    pub meet: Meet,
    /// The facts that hold at the beginning of the function.
    pub boundary: BitSet,
    /// Applies the instruction with this index to a set of facts. Results of other analyses must be captured by the closure.
    pub step: &'a dyn Fn(usize, &mut dyn FactSet),
}

impl DataflowProblem<'_> {
    /// Solves the problem. Returns one row per block: the facts that hold at its beginning.
    pub fn solve(&self) -> BitMatrix {
        let count = self.graph.blocks.len();
        let mut generates = BitMatrix::new(count, self.limit, false);
        let mut kills = BitMatrix::new(count, self.limit, false);
        for (number, block) in self.graph.blocks.iter().enumerate() {
            let mut change = GenKill { generates: BitSet::new(self.limit), kills: BitSet::new(self.limit) };
            block.instructions().for_each(|i| (self.step)(i, &mut change));
            generates.set(number, &change.generates);
            kills.set(number, &change.kills);
        }
        let equations = Equations {
            direction: FlowDirection::Forward,
            meet: self.meet,
            limit: self.limit,
            generates: &generates,
            kills: &kills,
            boundary: &self.boundary,
        };
        solve(self.graph, &equations).starts
    }

    /// Calls `see` for each reachable instruction, in text order, with its index and the facts that hold before it.
    pub fn visit(&self, starts: &BitMatrix, mut see: impl FnMut(usize, &BitSet)) {
        let mut blocks: Vec<u32> = self.graph.order.clone();
        blocks.sort_unstable();
        for block in blocks {
            let mut now = starts.to_set(block as usize, self.limit);
            for index in self.graph.blocks[block as usize].instructions() {
                see(index, &now);
                (self.step)(index, &mut now);
            }
        }
    }
}

/// Whether a function has too many instructions to follow as many facts through them as `facts`: both are often in proportion to its
/// length.
pub fn is_too_large(function: &FlowFunction, facts: usize) -> bool {
    const MAX_BITS: usize = 1 << 28;
    function.instructions.len().saturating_mul(facts) > MAX_BITS
}

/// Operations that were started and are not known to be complete. Both lists are indexed by instruction and hold the facts
/// before it.
pub struct Pending {
    /// The operations that were started on all paths.
    pub started: Vec<BitSet>,
    /// The operations that were started but not committed, on all paths.
    pub uncommitted: Vec<BitSet>,
}

/// Follows the operations that a protocol starts until an instruction waits for them. `starts` returns the facts that an
/// instruction starts, `ends` those that it ends without waiting.
pub fn pending(
    function: &FlowFunction,
    graph: &Graph,
    protocol: Protocol,
    limit: usize,
    starts: &dyn Fn(usize) -> Vec<usize>,
    ends: &dyn Fn(usize) -> Vec<usize>,
) -> Pending {
    let count = function.instructions.len();
    let commit = |index: usize, facts: &mut dyn FactSet| {
        if calls(function, index) || does(function, index, Verb::Commits, protocol) {
            facts.drop_all();
        }
        ends(index).into_iter().for_each(|n| facts.drop(n));
        starts(index).into_iter().for_each(|n| facts.add(n));
    };
    let boundary = || BitSet::new(limit);
    let problem = DataflowProblem { graph, limit, meet: Meet::All, boundary: boundary(), step: &commit };
    let mut uncommitted = vec![BitSet::default(); count];
    problem.visit(&problem.solve(), |index, now| {
        let waits = does(function, index, Verb::Waits, protocol);
        uncommitted[index] = now.clone();
        if waits && does(function, index, Verb::Commits, protocol) {
            uncommitted[index].clear();
        }
    });
    let wait = |index: usize, facts: &mut dyn FactSet| {
        if calls(function, index) {
            facts.drop_all();
        } else if does(function, index, Verb::Waits, protocol) {
            facts.keep(&uncommitted[index]);
        }
        ends(index).into_iter().for_each(|n| facts.drop(n));
        starts(index).into_iter().for_each(|n| facts.add(n));
    };
    let problem = DataflowProblem { graph, limit, meet: Meet::All, boundary: boundary(), step: &wait };
    let mut started = vec![BitSet::default(); count];
    problem.visit(&problem.solve(), |index, now| started[index] = now.clone());
    Pending { started, uncommitted }
}
