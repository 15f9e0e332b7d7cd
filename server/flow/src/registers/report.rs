//! Combines the functions of a module: their calls, their bounds, and the consequences on the target.
//!
//! The behaviour of the assembler is measured by tests/oracle/registers.py and described in docs/dev/occupancy.md.

mod calls;
mod shared;

use super::bounds::{RegisterLimit, limit, share};
use super::estimate::{self, MAX_REGISTERS, whole};
use super::margins::spills_are_likely;
use super::occupancy::{Needs, Occupancy};
use super::usage::FunctionUsage;
use crate::registers::facts::FunctionFacts;
use crate::registers::facts::ModuleFacts;
use calls::CallGraph;
use ptx_isa::ISA;
use ptx_isa::tables::TargetInfo;
use ptx_sema::hir::module::{Definition, definition, is_function, items};
use ptx_syntax::{Snapshot, fields};
use shared::shared_memory;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// The registers of a function as NVIDIA's assembler reported them for the same text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredRegisters {
    /// The number of registers.
    pub registers: u32,
    /// Spilled bytes, stores plus loads.
    pub spilled: u64,
    /// The assembler and its release, and the target if it is another one than that of the module.
    pub by: String,
}

impl MeasuredRegisters {
    /// The spills as text: `no spills`, `20 bytes spilled`.
    pub fn spills_text(&self) -> String {
        match self.spilled {
            0 => "no spills".to_owned(),
            1 => "1 byte spilled".to_owned(),
            bytes => format!("{bytes} bytes spilled"),
        }
    }
}

/// The register report of one function with a body.
#[derive(Debug, Clone)]
pub struct RegisterReport {
    /// Its name.
    pub name: String,
    /// The byte range of its name in the file.
    pub range: Range<usize>,
    /// The byte offset of the function in the file; offsets in its facts count from there.
    pub start: usize,
    /// Whether it is a kernel (`.entry`).
    pub kernel: bool,
    /// Its flow facts.
    pub facts: Arc<FunctionFacts>,
    /// The number of registers that `ptxas -v` is expected to print.
    pub registers: u32,
    /// The number that the assembler printed, if it is known for the current text.
    pub measured: Option<MeasuredRegisters>,
    /// The range in which the printed number lies for nine of ten functions that the model was not fitted to.
    pub likely: RangeInclusive<u32>,
    /// The same number as `registers` without the limit.
    pub unlimited: u32,
    /// The registers that its calls need, including those of the callees.
    pub calls: u32,
    /// The registers that it has at least, whatever it computes.
    pub least: u32,
    /// The register limit of the function.
    pub limit: RegisterLimit,
    /// Whether it gets exactly the limit, whatever it needs, because its warps exchange registers (`setmaxnreg`).
    pub settled: bool,
    /// Its static shared memory in bytes, including that of its callees.
    pub shared: u64,
    /// Whether it names shared memory whose size is set at launch.
    pub dynamic_shared: bool,
    /// The occupancy, for kernels on a target with known resources.
    pub occupancy: Option<Occupancy>,
}

impl RegisterReport {
    /// The number of registers: the measured one if it is known, else the estimate.
    pub fn best(&self) -> u32 {
        self.measured.as_ref().map_or(self.registers, |m| m.registers)
    }

    /// The report with the assembler's figures, and the occupancy that follows from them.
    pub fn with(&self, measured: MeasuredRegisters) -> Self {
        let occupancy = self.occupancy.and_then(|before| {
            let threads = if before.assumed { None } else { Some(before.threads) };
            Occupancy::on(before.target, Needs { registers: measured.registers, shared: self.shared, threads })
        });
        Self { occupancy, measured: Some(measured), ..self.clone() }
    }

    /// Whether the function is clearly expected to spill.
    pub fn spills(&self) -> bool {
        !self.settled && spills_are_likely(self.unlimited, self.limit.registers)
    }

    /// The likely range as text, ` (70–110)`; empty if only one number is likely.
    pub fn likely_text(&self) -> String {
        let (low, high) = (self.likely.start(), self.likely.end());
        if low == high { String::new() } else { format!(" ({low}–{high})") }
    }

    /// The number of registers beyond the limit that the function needs: as many values will be spilled or recomputed.
    pub fn over(&self) -> u32 {
        self.unlimited.saturating_sub(self.registers)
    }
}

/// The register reports of the functions of a module, in text order. Functions without facts (because they have errors, or
/// were not analysed yet) are left out.
pub fn report(snapshot: &Snapshot, facts: &ModuleFacts, target: Option<&'static TargetInfo>) -> Vec<RegisterReport> {
    let mut out = Vec::new();
    let items = items(snapshot);
    for item in &items {
        let Some(Definition { name, range, kernel }) = definition(snapshot, item) else { continue };
        let Some(known) = facts.of(snapshot, item.node) else { continue };
        out.push(RegisterReport {
            name,
            range,
            start: item.range.start,
            kernel,
            facts: known,
            registers: 0,
            measured: None,
            likely: 0..=0,
            unlimited: 0,
            calls: 0,
            least: 0,
            limit: RegisterLimit { registers: MAX_REGISTERS, directive: None },
            settled: false,
            shared: 0,
            dynamic_shared: false,
            occupancy: None,
        });
    }
    let multiprocessor = target.and_then(|t| ISA.multiprocessor(t.name));
    let all: Vec<(&str, bool, &FunctionUsage)> =
        out.iter().map(|k| (k.name.as_str(), k.kernel, k.facts.usage())).collect();
    let calls = CallGraph::new(&all, multiprocessor);
    let usages: Vec<&FunctionUsage> = all.iter().map(|(_, _, usage)| *usage).collect();
    let memory = shared_memory(snapshot, &items, &usages, &calls);
    let needs = calls.registers();
    for ((kernel, needs), (bytes, dynamic)) in out.iter_mut().zip(needs).zip(memory) {
        let least = multiprocessor.map_or(0, |m| m.assembler.least);
        (kernel.shared, kernel.dynamic_shared) = (bytes, dynamic);
        kernel.calls = whole(needs.calls);
        kernel.least = least.max(needs.least as u32);
        kernel.unlimited = whole(needs.total).max(kernel.least);
        let usage = kernel.facts.usage();
        kernel.limit = limit(&usage.bounds, kernel.start, multiprocessor);
        if let Some(m) = multiprocessor
            && let Some(range) = gives_up(usage, &kernel.limit)
        {
            let registers = kernel.limit.registers.min(share(m, m.registers, m.warps.into()));
            let directive = kernel.start + range.start as usize..kernel.start + range.end as usize;
            kernel.limit = RegisterLimit { registers, directive: Some(directive) };
        }
        kernel.registers = kernel.unlimited.min(kernel.limit.registers);
        // A number of CTAs has no effect without a number of threads.
        let settles = usage.bounds.registers.is_some() || usage.bounds.threads.is_some();
        if let Some(asked) = usage.exchanged.filter(|_| settles) {
            kernel.settled = true;
            kernel.registers = asked.map_or(kernel.limit.registers, |n| n.min(kernel.limit.registers));
        }
        kernel.likely = if kernel.settled {
            kernel.registers..=kernel.registers
        } else {
            // What its calls need is an estimate too.
            let [low, high] = estimate::range(needs.total);
            let (low, high) = ((low as u32).min(kernel.registers), (high as u32).max(kernel.unlimited));
            low.max(kernel.least.min(kernel.registers))..=high.min(kernel.limit.registers)
        };
        if let Some(target) = target.filter(|_| kernel.kernel) {
            let threads = usage.bounds.threads.as_ref().map(|(n, _, _)| u32::try_from(*n).unwrap_or(u32::MAX));
            let needs = Needs { registers: kernel.registers, shared: kernel.shared, threads };
            kernel.occupancy = Occupancy::new(target, needs);
        }
    }
    out
}

/// The functions with a body that [`report`] leaves out: the name and the byte range of each.
pub fn left_out(snapshot: &Snapshot, facts: &ModuleFacts) -> Vec<(String, Range<usize>)> {
    let f = fields();
    let mut out = Vec::new();
    for item in items(snapshot).iter().filter(|i| is_function(i.node)) {
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

/// The range of the directive whose limit the assembler gives up to meet. This happens if only the number of threads limits
/// the registers and far more values are live. The assembler then spills nearly all of them, and uses so few registers that
/// all warps have room. Measured with 13.5: the threshold differs by kernel, from 1.25 to 3 times the limit; this function
/// uses 3. It does not give up if all values have room once loads are moved down to their readers.
fn gives_up<'u>(usage: &'u FunctionUsage, limit: &RegisterLimit) -> Option<&'u Range<u32>> {
    const MANY: f32 = 3.0;
    let bounds = &usage.bounds;
    let alone = bounds.ctas.is_none() && bounds.registers.is_none() && usage.exchanged.is_none();
    let shape = &usage.demand.shape;
    let far_more =
        shape.folded.min(shape.ordered) > MANY * limit.registers as f32 && shape.sunk > limit.registers as f32;
    bounds.threads.as_ref().filter(|_| alone && far_more).map(|(_, _, range)| range)
}
