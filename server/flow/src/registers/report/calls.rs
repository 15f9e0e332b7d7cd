//! The call graph of a module, and its effect on the registers of functions.

use crate::registers::{self, FunctionUsage};
use ptx_isa::tables::Multiprocessor;
use std::collections::{HashMap, HashSet};

/// A function: its name, whether it is a kernel, its own usage.
type NamedUsage<'a> = (&'a str, bool, &'a FunctionUsage);

/// The registers that a function needs, in view of its calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct CallNeeds {
    /// All that it needs, including its callees.
    pub(super) total: f32,
    /// The part that its calls alone need.
    pub(super) calls: f32,
    /// What it has at least because of a call by the calling convention.
    pub(super) least: f32,
}

/// The call graph of a module.
///
/// Its nodes are the functions, and one more for all calls through registers: a call of an unknown function is an edge to that
/// node, which has an edge to each function that such a call may reach. So the number of edges is proportional to the text.
pub(super) struct CallGraph<'a> {
    functions: &'a [NamedUsage<'a>],
    by_name: HashMap<&'a str, usize>,
    /// Indexed by node: the nodes that it names or may call.
    next: Vec<Vec<usize>>,
    components: Components,
    multiprocessor: Option<&'static Multiprocessor>,
}

impl<'a> CallGraph<'a> {
    pub(super) fn new(functions: &'a [NamedUsage<'a>], multiprocessor: Option<&'static Multiprocessor>) -> Self {
        let by_name: HashMap<&str, usize> = functions.iter().enumerate().map(|(i, f)| (f.0, i)).collect();
        let (mut called, mut taken) = (vec![false; functions.len()], vec![false; functions.len()]);
        for (_, _, usage) in functions {
            let by_call: HashSet<&str> = usage.calls.iter().filter_map(|c| c.callee.as_deref()).collect();
            for name in &usage.callees {
                let Some(index) = by_name.get(&**name) else { continue };
                let how = if by_call.contains(&**name) { &mut called } else { &mut taken };
                how[*index] = true;
            }
        }
        let unknown = functions.len();
        let next = |(_, _, usage): &NamedUsage<'_>| {
            let mut out: Vec<usize> = usage.callees.iter().filter_map(|n| by_name.get(&**n).copied()).collect();
            out.extend(usage.calls_indirectly().then_some(unknown));
            out
        };
        let mut next: Vec<Vec<usize>> = functions.iter().map(next).collect();
        // A call through a register may reach the functions whose address is taken, and those that no call names, since their
        // address must be known elsewhere.
        next.push((0..unknown).filter(|i| !functions[*i].1 && (taken[*i] || !called[*i])).collect());
        let components = Components::new(&next);
        Self { functions, by_name, next, components, multiprocessor }
    }

    /// Indexed by component: the join of the values of all functions that calls from it reach, which include its own.
    pub(super) fn join<T: Clone>(
        &self,
        empty: &T,
        mut of_function: impl FnMut(usize) -> T,
        mut join: impl FnMut(T, T) -> T,
    ) -> Vec<T> {
        let mut out: Vec<T> = Vec::with_capacity(self.components.members.len());
        for (component, members) in self.components.members.iter().enumerate() {
            let mut value = empty.clone();
            for member in members {
                if *member < self.functions.len() {
                    value = join(value, of_function(*member));
                }
                for callee in &self.next[*member] {
                    let of_callee = self.components.of[*callee];
                    if of_callee != component {
                        value = join(value, out[of_callee].clone());
                    }
                }
            }
            out.push(value);
        }
        out
    }

    /// The component of a function: an index into the result of [`Self::join`].
    pub(super) fn component(&self, function: usize) -> usize {
        self.components.of[function]
    }

    /// The registers that each function needs, including its callees.
    ///
    /// A callee that the assembler sees shares its registers with the caller: the values live across a call need registers
    /// beside those of the callee. Unknown and recursive functions are called by the calling convention.
    pub(super) fn registers(&self) -> Vec<CallNeeds> {
        let mut out = vec![CallNeeds::default(); self.functions.len()];
        let by_convention = self.join(&0.0, |index| self.by_convention(index), f32::max);
        let unknown = self.components.of[self.functions.len()];
        let recursive = |function: usize| self.components.recursive[function];
        for index in self.components.members.iter().flatten() {
            let Some((_, kernel, usage)) = self.functions.get(*index) else { continue };
            let mut least = 0.0;
            let calls = usage.calls.iter().fold(0.0, |most: f32, call| {
                let callee = call.callee.as_ref().and_then(|name| self.by_name.get(&**name).copied());
                let merges = !usage.debugged && callee.is_some_and(|callee| !recursive(callee));
                least = if merges { least } else { self.least() };
                most.max(least).max(match (callee, &call.callee) {
                    // In a module for debuggers, what lives across the call stands in registers that the callee keeps.
                    (Some(callee), _) if !recursive(callee) && usage.debugged => {
                        f32::max(out[callee].total, self.around(call))
                    }
                    (Some(callee), _) if !recursive(callee) => call.across as f32 + out[callee].total,
                    (Some(callee), _) => self.around(call).max(by_convention[self.component(callee)]),
                    (None, Some(_)) => self.around(call),
                    (None, None) => self.around(call).max(by_convention[unknown]),
                })
            });
            let own = usage.demand.registers;
            let total = calls.max(if *kernel { own } else { self.beside_kept(usage, own) });
            out[*index] = CallNeeds { total, calls, least };
        }
        out
    }

    /// The registers that a function needs itself if all its calls follow the calling convention.
    fn by_convention(&self, function: usize) -> f32 {
        let (_, _, usage) = self.functions[function];
        usage.calls.iter().map(|c| self.around(c)).fold(usage.demand.registers, f32::max)
    }

    /// The minimum number of registers of a caller whose callees are not merged into it.
    fn least(&self) -> f32 {
        self.multiprocessor.map_or(0, |m| m.assembler.call) as f32
    }

    /// The registers of a callee that needs `own` registers. In a module for debuggers it keeps those of its caller, so it uses the
    /// registers before and behind them.
    fn beside_kept(&self, callee: &FunctionUsage, own: f32) -> f32 {
        let rules = self.multiprocessor.filter(|_| callee.debugged).map(|m| m.assembler);
        let kept = rules.filter(|a| own >= a.saved_from as f32).map_or(0, |a| a.saved_first);
        own + kept as f32
    }

    fn around(&self, call: &registers::CallUsage) -> f32 {
        let across = call.across;
        self.multiprocessor.map_or(across, |m| m.assembler.around_call(across)) as f32
    }
}

/// The strongly connected components of a graph.
struct Components {
    /// The nodes of each component. A component comes after all that its nodes reach.
    members: Vec<Vec<usize>>,
    /// Indexed by node: its component.
    of: Vec<usize>,
    /// Indexed by node: whether it is on a cycle.
    recursive: Vec<bool>,
}

impl Components {
    /// Tarjan's algorithm, without recursion, since chains of calls may be long.
    fn new(next: &[Vec<usize>]) -> Self {
        const NEW: usize = usize::MAX;
        let count = next.len();
        let mut out = Self { members: Vec::new(), of: vec![NEW; count], recursive: vec![false; count] };
        let (mut number, mut low) = (vec![NEW; count], vec![0; count]);
        let (mut path, mut open): (Vec<(usize, usize)>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut counter = 0;
        for root in 0..count {
            if number[root] != NEW {
                continue;
            }
            path.push((root, 0));
            while let Some((node, edge)) = path.pop() {
                if edge == 0 {
                    (number[node], low[node]) = (counter, counter);
                    counter += 1;
                    open.push(node);
                }
                match next[node].get(edge).copied() {
                    Some(to) => {
                        path.push((node, edge + 1));
                        if number[to] == NEW {
                            path.push((to, 0));
                        } else if out.of[to] == NEW {
                            low[node] = low[node].min(number[to]);
                        }
                    }
                    None => {
                        if let Some((before, _)) = path.last() {
                            low[*before] = low[*before].min(low[node]);
                        }
                        if low[node] == number[node] {
                            let start = open.iter().rposition(|n| *n == node).unwrap_or(0);
                            out.close(open.split_off(start), next);
                        }
                    }
                }
            }
        }
        out
    }

    fn close(&mut self, members: Vec<usize>, next: &[Vec<usize>]) {
        for member in &members {
            self.of[*member] = self.members.len();
            self.recursive[*member] = members.len() > 1 || next[*member].contains(member);
        }
        self.members.push(members);
    }
}

#[cfg(test)]
mod tests {
    use super::Components;

    #[test]
    fn callees_come_first_and_cycles_are_found() {
        // 0 → 1 → 2 → 1, 2 → 3, 4 → 4, 5 → 3.
        let next = [vec![1], vec![2], vec![1, 3], vec![], vec![4], vec![3]];
        let found = Components::new(&next);
        assert_eq!(found.recursive, [false, true, true, false, true, false]);
        assert_eq!((found.members.len(), found.of[1]), (5, found.of[2]));
        assert!(found.of[3] < found.of[1] && found.of[2] < found.of[0] && found.of[3] < found.of[5]);
        assert!((0..6).all(|node| found.members[found.of[node]].contains(&node)));
    }

    #[test]
    fn long_chains_do_not_overflow() {
        let next: Vec<Vec<usize>> = (0..200_000).map(|n| if n + 1 < 200_000 { vec![n + 1] } else { vec![] }).collect();
        let found = Components::new(&next);
        assert_eq!((&found.members[0], found.members.len()), (&vec![199_999], 200_000));
        assert!(!found.recursive.contains(&true));
    }
}
