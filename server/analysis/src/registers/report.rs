//! The functions of a module together: who calls whom, what bounds them, what that means on the target.
//!
//! What the assembler does is measured: tests/oracle/registers.py asks, docs/occupancy.md tells.

mod shared;

use super::occupancy::{Needs, Occupancy, WARP};
use super::usage::{Bounds, Calls, Usage};
use crate::analyzer::ModuleFacts;
use crate::flow::facts::Facts;
use crate::module::{is_function, items};
use ptx_isa::ISA;
use ptx_isa::tables::{Multiprocessor, Target};
use ptx_syntax::{Snapshot, fields};
use shared::Layout;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The most registers of a thread on a target of which nothing is known: instructions have 8 bits for the number of one.
const MOST: u32 = 255;

/// Why a function gets fewer registers than it could use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// So many.
    pub registers: u32,
    /// The directive that says so, in the file; nothing for the limit of the target.
    pub directive: Option<Range<usize>>,
}

/// A function with a body.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Where that stands, in the file.
    pub range: Range<usize>,
    /// Where the function begins; offsets in its facts count from there.
    pub start: usize,
    /// `.entry`.
    pub kernel: bool,
    /// What is known of it.
    pub facts: Arc<Facts>,
    /// What `ptxas -v` is expected to print.
    pub registers: u32,
    /// What it would be without the limit.
    pub unlimited: u32,
    /// What it is held to.
    pub limit: Limit,
    /// It gets just what the limit says, whatever it needs: its warps exchange registers.
    pub settled: bool,
    /// Bytes of static shared memory, with those of the functions that it calls.
    pub shared: u64,
    /// It names shared memory whose size is said at launch.
    pub dynamic_shared: bool,
    /// How many of its warps run at a time; for kernels, where it is known what the target has.
    pub occupancy: Option<Occupancy>,
}

impl Kernel {
    /// So many registers more are wanted than the limit leaves: values will be spilled, or computed again.
    pub fn over(&self) -> u32 {
        self.unlimited.saturating_sub(self.registers)
    }
}

/// What the functions of a module need, in the order of the text. Functions that have no facts (since they have errors, or nobody has
/// looked at them yet) are left out.
pub fn report(snapshot: &Snapshot, facts: &ModuleFacts, target: Option<&'static Target>) -> Vec<Kernel> {
    let f = fields();
    let mut out = Vec::new();
    let items = items(snapshot.root());
    for item in &items {
        if item.unclosed || !is_function(item.node) {
            continue;
        }
        let (Some(known), Some(name)) = (facts.of(snapshot, item.node), item.node.child_by_field_id(f.name)) else {
            continue;
        };
        let kind = item.node.child_by_field_id(f.kind);
        out.push(Kernel {
            name: snapshot.text(name.byte_range()).into_owned(),
            range: name.byte_range(),
            start: item.range.start,
            kernel: kind.is_some_and(|n| snapshot.text(n.byte_range()) == ".entry"),
            facts: known,
            registers: 0,
            unlimited: 0,
            limit: Limit { registers: MOST, directive: None },
            settled: false,
            shared: 0,
            dynamic_shared: false,
            occupancy: None,
        });
    }
    let multiprocessor = target.and_then(|t| ISA.multiprocessor(t.name));
    let module = Module::new(&out, multiprocessor);
    let layout = Layout::new(snapshot, &items);
    let needs: Vec<f32> = (0..out.len()).map(|index| module.figure(index)).collect();
    let memory: Vec<(u64, bool)> =
        (0..out.len()).map(|index| layout.bytes(module.reached(index).map(|i| module.usage(i)))).collect();
    for ((kernel, needs), (bytes, dynamic)) in out.iter_mut().zip(needs).zip(memory) {
        let least = multiprocessor.map_or(0, |m| m.assembler.least);
        (kernel.shared, kernel.dynamic_shared) = (bytes, dynamic);
        kernel.unlimited = (needs.round() as u32).max(least);
        let usage = kernel.facts.usage();
        kernel.limit = limit(&usage.bounds, kernel.start, multiprocessor);
        kernel.registers = kernel.unlimited.min(kernel.limit.registers);
        // A number of CTAs says nothing without one of threads.
        let settles = usage.bounds.registers.is_some() || usage.bounds.threads.is_some();
        if let Some(asked) = usage.exchanged.filter(|_| settles) {
            kernel.settled = true;
            kernel.registers = asked.map_or(kernel.limit.registers, |n| n.min(kernel.limit.registers));
        }
        if let Some(target) = target.filter(|_| kernel.kernel) {
            let threads = usage.bounds.threads.as_ref().map(|(n, _, _)| u32::try_from(*n).unwrap_or(u32::MAX));
            let needs = Needs { registers: kernel.registers, shared: kernel.shared, threads };
            kernel.occupancy = Occupancy::new(target, needs);
        }
    }
    out
}

/// The functions with a body that [`report`] leaves out: name, and the range of the whole function.
pub fn left_out(snapshot: &Snapshot, facts: &ModuleFacts) -> Vec<(String, Range<usize>)> {
    let f = fields();
    let mut out = Vec::new();
    for item in items(snapshot.root()).iter().filter(|i| is_function(i.node)) {
        let known = !item.unclosed && facts.of(snapshot, item.node).is_some();
        let body = item.unclosed || item.node.is_error() || item.node.child_by_field_id(f.body).is_some();
        if !known && body {
            let name = item.node.child_by_field_id(f.name);
            let name = name.map_or_else(|| "a function".to_owned(), |n| snapshot.text(n.byte_range()).into_owned());
            out.push((name, item.range.clone()));
        }
    }
    out
}

/// The functions and their calls.
struct Module<'m> {
    usages: Vec<Arc<Facts>>,
    by_name: HashMap<&'m str, usize>,
    kernels: Vec<bool>,
    multiprocessor: Option<&'static Multiprocessor>,
    /// Functions that are called by nobody, so it must be their address that is used.
    uncalled: Vec<usize>,
    /// By function: it can come to itself again.
    recursive: Vec<bool>,
    figures: RefCell<Vec<Option<f32>>>,
}

impl<'m> Module<'m> {
    fn new(kernels: &'m [Kernel], multiprocessor: Option<&'static Multiprocessor>) -> Self {
        let mut out = Self {
            usages: kernels.iter().map(|k| Arc::clone(&k.facts)).collect(),
            by_name: kernels.iter().enumerate().map(|(i, k)| (k.name.as_str(), i)).collect(),
            kernels: kernels.iter().map(|k| k.kernel).collect(),
            multiprocessor,
            uncalled: Vec::new(),
            recursive: vec![false; kernels.len()],
            figures: RefCell::new(vec![None; kernels.len()]),
        };
        let mut called = vec![false; kernels.len()];
        for usage in &out.usages {
            for callee in usage.usage().calls.iter().filter_map(|c| c.callee.as_deref()) {
                if let Some(index) = out.by_name.get(callee) {
                    called[*index] = true;
                }
            }
        }
        out.uncalled = (0..kernels.len()).filter(|i| !called[*i] && !out.kernels[*i]).collect();
        out.recursive = (0..kernels.len()).map(|i| called[i] && out.from(out.next(i))[i]).collect();
        out
    }

    fn usage(&self, index: usize) -> &Usage {
        self.usages[index].usage()
    }

    /// The functions that one names or may call, each once.
    fn next(&self, index: usize) -> Vec<usize> {
        let usage = self.usage(index);
        let mut out: Vec<usize> = usage.callees.iter().filter_map(|n| self.by_name.get(&**n).copied()).collect();
        if usage.calls_indirectly() {
            out.extend(&self.uncalled);
        }
        out
    }

    /// All that functions may come to, themselves among them.
    fn from(&self, mut waiting: Vec<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.usages.len()];
        while let Some(one) = waiting.pop() {
            if !std::mem::replace(&mut seen[one], true) {
                waiting.extend(self.next(one));
            }
        }
        seen
    }

    /// A function, and then all that it may come to in the order of the text.
    fn reached(&self, index: usize) -> impl Iterator<Item = usize> {
        let others = self.from(vec![index]).into_iter().enumerate().filter(move |(i, seen)| *seen && *i != index);
        std::iter::once(index).chain(others.map(|(i, _)| i))
    }

    /// The registers that a function needs with those that it calls. What the assembler sees it puts together: the values that live across
    /// a call take registers beside those of the callee. What it does not see, or what comes to itself again, is called as the
    /// convention has it.
    fn figure(&self, index: usize) -> f32 {
        if let Some(known) = self.figures.borrow()[index] {
            return known;
        }
        let mut out = self.usage(index).demand.registers;
        for call in &self.usage(index).calls {
            let callee = call.callee.as_ref().and_then(|name| self.by_name.get(&**name).copied());
            out = out.max(match callee.filter(|c| !self.recursive[*c]) {
                Some(callee) => call.across.b32 as f32 + self.figure(callee),
                None => {
                    let may_run = if call.callee.is_none() { &self.uncalled } else { callee.as_slice() };
                    let all = self.from(may_run.to_vec());
                    let all = all.iter().enumerate().filter(|(_, seen)| **seen).map(|(i, _)| self.by_convention(i));
                    all.fold(self.around(call), f32::max)
                }
            });
        }
        self.figures.borrow_mut()[index] = Some(out);
        out
    }

    /// The registers of a function whose calls are all as the convention has it.
    fn by_convention(&self, index: usize) -> f32 {
        let usage = self.usage(index);
        usage.calls.iter().map(|c| self.around(c)).fold(usage.demand.registers, f32::max)
    }

    fn around(&self, call: &Calls) -> f32 {
        let across = u32::from(call.across.b32);
        self.multiprocessor.map_or(across, |m| m.assembler.around_call(across)) as f32
    }
}

/// What the header and the target leave to a thread.
fn limit(bounds: &Bounds, start: usize, multiprocessor: Option<&Multiprocessor>) -> Limit {
    let most = multiprocessor.map_or(MOST, |m| m.thread_registers);
    let mut out = Limit { registers: most, directive: None };
    let mut lower = |registers: u32, range: &Range<u32>| {
        if registers < out.registers {
            let directive = start + range.start as usize..start + range.end as usize;
            out = Limit { registers, directive: Some(directive) };
        }
    };
    if let Some((registers, range)) = &bounds.registers {
        let least = multiprocessor.map_or(0, |m| m.assembler.bound);
        lower(u32::try_from(*registers).unwrap_or(most).max(least), range);
    }
    let (Some(m), Some((threads, _, range))) = (multiprocessor, &bounds.threads) else { return out };
    let warps = threads.div_ceil(WARP.into()).max(1);
    // More than a multiprocessor holds is no wish that the assembler follows.
    let holds = |ctas: u64| warps.saturating_mul(ctas) <= m.warps.into() && ctas <= m.ctas.into();
    let wanted = bounds.ctas.as_ref().filter(|(ctas, _)| holds(*ctas));
    if let Some((ctas, range)) = wanted {
        lower(share(m, m.registers, warps * ctas), range);
    }
    // `.maxnreg` replaces what the threads of a CTA alone would say.
    if wanted.is_some() || bounds.registers.is_none() {
        lower(share(m, m.cta_registers, warps), range);
    }
    out
}

/// The registers of a thread if so many warps share them: each part of the register file serves its part of the warps.
fn share(m: &Multiprocessor, registers: u32, warps: u64) -> u32 {
    let of_part = warps.div_ceil(m.assembler.parts.into()).max(1);
    let each = u64::from(registers / m.assembler.parts / WARP) / of_part;
    (each as u32 / m.assembler.step * m.assembler.step).max(m.assembler.bound)
}
