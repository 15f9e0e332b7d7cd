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
pub(super) struct CallGraph<'a> {
    functions: &'a [NamedUsage<'a>],
    by_name: HashMap<&'a str, usize>,
    /// Indexed by function: the functions that it names or may call.
    next: Vec<Vec<usize>>,
    /// Functions that a call through a register may reach: their address is taken, or no call names them, so their address
    /// must be known elsewhere.
    through_register: Vec<usize>,
    /// Indexed by function: whether it is recursive, directly or indirectly.
    recursive: Vec<bool>,
    /// The functions, callees before their callers.
    order: Vec<usize>,
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
        let through_register: Vec<usize> =
            (0..functions.len()).filter(|i| !functions[*i].1 && (taken[*i] || !called[*i])).collect();
        let next = |(_, _, usage): &NamedUsage<'_>| {
            let mut out: Vec<usize> = usage.callees.iter().filter_map(|n| by_name.get(&**n).copied()).collect();
            if usage.calls_indirectly() {
                out.extend(&through_register);
            }
            out
        };
        let next: Vec<Vec<usize>> = functions.iter().map(next).collect();
        let (order, recursive) = in_order(&next);
        Self { functions, by_name, next, through_register, recursive, order, multiprocessor }
    }

    /// Indexed by function: whether it is reachable by calls from the functions in `waiting`, which are included.
    fn from(&self, mut waiting: Vec<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.functions.len()];
        while let Some(one) = waiting.pop() {
            if !std::mem::replace(&mut seen[one], true) {
                waiting.extend(&self.next[one]);
            }
        }
        seen
    }

    /// The function with this index, followed by all functions reachable from it, in text order.
    pub(super) fn reached(&self, index: usize) -> impl Iterator<Item = usize> {
        let others = if self.next[index].is_empty() { Vec::new() } else { self.from(vec![index]) };
        let others = others.into_iter().enumerate().filter(move |(i, seen)| *seen && *i != index);
        std::iter::once(index).chain(others.map(|(i, _)| i))
    }

    /// The registers that each function needs, including its callees.
    ///
    /// A callee that the assembler sees shares its registers with the caller: the values live across a call need registers
    /// beside those of the callee. Unknown and recursive functions are called by the calling convention.
    pub(super) fn registers(&self) -> Vec<CallNeeds> {
        let mut out = vec![CallNeeds::default(); self.functions.len()];
        // The need of a call through a register is the same for all such calls.
        let mut unknown = None;
        for index in &self.order {
            let (_, kernel, usage) = self.functions[*index];
            let mut least = 0.0;
            let calls = usage.calls.iter().fold(0.0, |most: f32, call| {
                let callee = call.callee.as_ref().and_then(|name| self.by_name.get(&**name).copied());
                let merges = !usage.debugged && callee.is_some_and(|callee| !self.recursive[callee]);
                least = if merges { least } else { self.least() };
                most.max(least).max(match (callee, &call.callee) {
                    // In a module for debuggers, what lives across the call stands in registers that the callee keeps.
                    (Some(callee), _) if !self.recursive[callee] && usage.debugged => {
                        f32::max(out[callee].total, self.around(call))
                    }
                    (Some(callee), _) if !self.recursive[callee] => call.across as f32 + out[callee].total,
                    (Some(callee), _) => self.around(call).max(self.most_by_convention(vec![callee])),
                    (None, Some(_)) => self.around(call),
                    (None, None) => {
                        let unknown =
                            *unknown.get_or_insert_with(|| self.most_by_convention(self.through_register.clone()));
                        self.around(call).max(unknown)
                    }
                })
            });
            let own = usage.demand.registers;
            let total = calls.max(if kernel { own } else { self.beside_kept(usage, own) });
            out[*index] = CallNeeds { total, calls, least };
        }
        out
    }

    /// The maximum number of registers of the functions in `start` and those reachable from them, if all calls follow the
    /// calling convention.
    fn most_by_convention(&self, start: Vec<usize>) -> f32 {
        let all = self.from(start).into_iter().enumerate().filter(|(_, seen)| *seen);
        all.map(|(index, _)| {
            let (_, _, usage) = self.functions[index];
            usage.calls.iter().map(|c| self.around(c)).fold(usage.demand.registers, f32::max)
        })
        .fold(0.0, f32::max)
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

/// The nodes of a graph in post-order (each after its successors, except in cycles), and whether each node is on a cycle.
/// Tarjan's algorithm, without recursion, since chains of calls may be long.
fn in_order(next: &[Vec<usize>]) -> (Vec<usize>, Vec<bool>) {
    const NEW: usize = usize::MAX;
    let count = next.len();
    let (mut order, mut cyclic) = (Vec::with_capacity(count), vec![false; count]);
    let (mut number, mut low, mut open) = (vec![NEW; count], vec![0; count], vec![false; count]);
    let (mut path, mut component): (Vec<(usize, usize)>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut counter = 0;
    for root in 0..count {
        if number[root] != NEW {
            continue;
        }
        path.push((root, 0));
        while let Some((node, edge)) = path.pop() {
            if edge == 0 {
                (number[node], low[node], open[node]) = (counter, counter, true);
                counter += 1;
                component.push(node);
            }
            match next[node].get(edge).copied() {
                Some(to) => {
                    path.push((node, edge + 1));
                    if number[to] == NEW {
                        path.push((to, 0));
                    } else if open[to] {
                        low[node] = low[node].min(number[to]);
                    }
                }
                None => {
                    if let Some((before, _)) = path.last() {
                        low[*before] = low[*before].min(low[node]);
                    }
                    if low[node] == number[node] {
                        let start = component.iter().rposition(|n| *n == node).unwrap_or(0);
                        let members = component.split_off(start);
                        for member in &members {
                            open[*member] = false;
                            cyclic[*member] = members.len() > 1 || next[*member].contains(member);
                        }
                        order.extend(members);
                    }
                }
            }
        }
    }
    (order, cyclic)
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn callees_come_first_and_cycles_are_found() {
        // 0 → 1 → 2 → 1, 2 → 3, 4 → 4, 5 → 3.
        let next = [vec![1], vec![2], vec![1, 3], vec![], vec![4], vec![3]];
        let (order, cyclic) = in_order(&next);
        assert_eq!(cyclic, [false, true, true, false, true, false]);
        let place = |n: usize| order.iter().position(|o| *o == n);
        assert_eq!(order.len(), 6);
        assert!(place(3) < place(1) && place(3) < place(2) && place(2) < place(0) && place(3) < place(5));
    }

    #[test]
    fn long_chains_do_not_overflow() {
        let next: Vec<Vec<usize>> = (0..200_000).map(|n| if n + 1 < 200_000 { vec![n + 1] } else { vec![] }).collect();
        let (order, cyclic) = in_order(&next);
        assert_eq!((order[0], order.len()), (199_999, 200_000));
        assert!(!cyclic.contains(&true));
    }
}
