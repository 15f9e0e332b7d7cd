//! The functions of a module together: who calls whom, what bounds them, what that means on the target.

use super::occupancy::Occupancy;
use super::usage::SharedVariable;
use crate::analyzer::ModuleFacts;
use crate::flow::facts::Facts;
use crate::module::{is_function, items};
use ptx_isa::tables::Target;
use ptx_syntax::{Snapshot, fields};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

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
    /// Bytes of static shared memory, with those of the functions that it calls.
    pub shared: u64,
    /// It names shared memory whose size is said at launch.
    pub dynamic_shared: bool,
    /// How many of its warps run at a time; for kernels, where the target is known.
    pub occupancy: Option<Occupancy>,
}

/// What the functions of a module need, in the order of the text. Functions that have no facts (since they have errors, or nobody has
/// looked at them yet) are left out.
pub fn report(snapshot: &Snapshot, facts: &ModuleFacts, _target: Option<&'static Target>) -> Vec<Kernel> {
    let f = fields();
    let mut out = Vec::new();
    for item in items(snapshot.root()) {
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
            limit: Limit { registers: 255, directive: None },
            shared: 0,
            dynamic_shared: false,
            occupancy: None,
        });
    }
    let by_name: HashMap<String, Arc<Facts>> = out.iter().map(|k| (k.name.clone(), Arc::clone(&k.facts))).collect();
    for kernel in &mut out {
        settle(kernel, &by_name);
    }
    out
}

fn settle(kernel: &mut Kernel, all: &HashMap<String, Arc<Facts>>) {
    let usage = kernel.facts.usage();
    let mut demand = usage.demand.registers;
    let mut seen: HashSet<&str> = HashSet::new();
    let mut waiting: Vec<&str> = usage.callees.iter().map(AsRef::as_ref).collect();
    let mut shared: Vec<&SharedVariable> = usage.shared.iter().collect();
    while let Some(name) = waiting.pop() {
        if !seen.insert(name) {
            continue;
        }
        let Some(callee) = all.get(name) else { continue };
        let callee = callee.usage();
        demand = demand.max(callee.demand.registers);
        waiting.extend(callee.callees.iter().map(AsRef::as_ref));
        shared.extend(callee.shared.iter());
    }
    let mut named: HashSet<&str> = HashSet::new();
    shared.retain(|v| v.module.as_deref().is_none_or(|name| named.insert(name)));
    kernel.shared = shared.iter().fold(0, |end: u64, v| end.next_multiple_of(v.align.into()).saturating_add(v.bytes));
    kernel.dynamic_shared = shared.iter().any(|v| v.dynamic);
    kernel.unlimited = demand.round() as u32;
    let start = kernel.start;
    let bounds = &usage.bounds;
    let mut lower = |registers: u64, range: &Range<u32>| {
        if registers < u64::from(kernel.limit.registers) {
            let directive = Some(start + range.start as usize..start + range.end as usize);
            kernel.limit = Limit { registers: registers as u32, directive };
        }
    };
    if let Some((registers, range)) = &bounds.registers {
        lower(*registers, range);
    }
    if let Some((threads, _, range)) = &bounds.threads {
        let ctas = bounds.ctas.as_ref().map_or(1, |(n, _)| *n);
        let warps = threads.div_ceil(32).saturating_mul(ctas).max(1);
        lower((65536 / 32 / warps) / 8 * 8, bounds.ctas.as_ref().map_or(range, |(_, range)| range));
    }
    kernel.registers = kernel.unlimited.min(kernel.limit.registers);
}
