//! What instructions do in protocols, as the tables say (`effect` in docs/dev/isa-format.md), and facts that hold on all ways or on
//! one.

use super::bits::{BitMatrix, BitSet};
use super::function::FlowFunction;
use super::graph::Graph;
use super::solve::{Equations, FlowDirection, Meet, solve};
use crate::forms::mnemonic::holds;
use ptx_isa::tables::{ControlTransfer, Effect, Protocol, Verb};

/// The effects of an instruction.
pub fn effects(function: &FlowFunction, index: usize) -> impl Iterator<Item = &'static Effect> + '_ {
    let chosen = function.chosen(index);
    let said = |e: &&Effect| e.when.is_empty() || holds(e.when, &chosen.values, None) == Some(true);
    chosen.form.effects.iter().filter(said)
}

/// Whether an instruction does that.
pub fn does(function: &FlowFunction, index: usize, verb: Verb, protocol: Protocol) -> bool {
    effects(function, index).any(|e| e.verb == verb && e.protocol == protocol)
}

/// The first instruction that does that.
pub fn first(function: &FlowFunction, verb: Verb, protocol: Protocol) -> Option<usize> {
    (0..function.instructions.len()).find(|i| does(function, *i, verb, protocol))
}

/// Whether any form that a function uses has a part in a protocol: most functions are done with at once.
pub fn mentions(function: &FlowFunction, protocol: Protocol) -> bool {
    function.forms.iter().any(|f| f.form.effects.iter().any(|e| e.protocol == protocol))
}

/// Whether an instruction calls a function, which may do anything.
pub fn calls(function: &FlowFunction, index: usize) -> bool {
    function.instructions[index].flow == ControlTransfer::Call
}

/// Whether any instruction does.
pub fn calls_anything(function: &FlowFunction) -> bool {
    (0..function.instructions.len()).any(|i| calls(function, i))
}

/// A set of data-flow facts that an instruction changes.
pub trait FactSet {
    /// It holds from here on.
    fn add(&mut self, fact: usize);
    /// It no longer holds.
    fn drop(&mut self, fact: usize);
}

impl FactSet for BitSet {
    fn add(&mut self, fact: usize) {
        self.insert(fact);
    }

    fn drop(&mut self, fact: usize) {
        self.remove(fact);
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
}

/// A forward data-flow problem: facts and how instructions change them.
pub struct DataflowProblem<'a> {
    /// Blocks.
    pub graph: &'a Graph,
    /// Facts are numbers below this.
    pub limit: usize,
    /// Whether they must hold on all ways or on one.
    pub meet: Meet,
    /// Those that hold at the beginning.
    pub boundary: BitSet,
    /// What an instruction does to them. Other facts that are known there are looked up by who calls.
    pub step: &'a dyn Fn(usize, &mut dyn FactSet),
}

impl DataflowProblem<'_> {
    /// What holds at the beginning of each block.
    pub fn solve(&self) -> BitMatrix {
        let count = self.graph.blocks.len();
        let mut generates = BitMatrix::new(count, self.limit, false);
        let mut kills = BitMatrix::new(count, self.limit, false);
        for (number, block) in self.graph.blocks.iter().enumerate() {
            let mut change = GenKill { generates: BitSet::new(self.limit), kills: BitSet::new(self.limit) };
            block.instructions().for_each(|i| (self.step)(i, &mut change));
            change.generates.iter().for_each(|n| generates.insert(number, n));
            change.kills.iter().for_each(|n| kills.insert(number, n));
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

    /// Shows each instruction that can be reached with what holds before it.
    pub fn visit(&self, starts: &BitMatrix, mut see: impl FnMut(usize, &BitSet)) {
        let mut blocks: Vec<u32> = self.graph.order.clone();
        blocks.sort_unstable();
        for block in blocks {
            let mut now = BitSet::new(self.limit);
            starts.iter(block as usize).filter(|n| *n < self.limit).for_each(|n| now.add(n));
            for index in self.graph.blocks[block as usize].instructions() {
                see(index, &now);
                (self.step)(index, &mut now);
            }
        }
    }
}

/// Something that was started and is not known to be complete: for each instruction the facts before it.
pub struct Pending {
    /// Started, on all ways.
    pub started: Vec<BitSet>,
    /// Not even committed, on all ways.
    pub uncommitted: Vec<BitSet>,
}

/// Follows what a protocol starts until it is waited for. `starts` says which facts an instruction starts, `ends` which it ends
/// otherwise. Only the instructions that `wanted` names are kept.
pub fn pending(
    (function, graph): (&FlowFunction, &Graph),
    protocol: Protocol,
    limit: usize,
    starts: &dyn Fn(usize) -> Vec<usize>,
    ends: &dyn Fn(usize) -> Vec<usize>,
) -> Pending {
    let count = function.instructions.len();
    let all = |facts: &mut dyn FactSet| (0..limit).for_each(|n| facts.drop(n));
    let commit = |index: usize, facts: &mut dyn FactSet| {
        if calls(function, index) || does(function, index, Verb::Commits, protocol) {
            all(facts);
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
            all(facts);
        } else if does(function, index, Verb::Waits, protocol) {
            (0..limit).filter(|n| !uncommitted[index].contains(*n)).for_each(|n| facts.drop(n));
        }
        ends(index).into_iter().for_each(|n| facts.drop(n));
        starts(index).into_iter().for_each(|n| facts.add(n));
    };
    let problem = DataflowProblem { graph, limit, meet: Meet::All, boundary: boundary(), step: &wait };
    let mut started = vec![BitSet::default(); count];
    problem.visit(&problem.solve(), |index, now| started[index] = now.clone());
    Pending { started, uncommitted }
}
