//! `uninitialized-register`: a register is read that no instruction has written.

use crate::diagnostic::{Diagnostic, Severity};
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::written::{Certainty, Unwritten, undefined_copies, unwritten};
use ptx_flow::flow::{FlowFunction, RegisterSlot, RegisterUse, paths};
use ptx_isa::tables::Computes;
use std::collections::BTreeMap;
use std::ops::Range;

/// A register that does not have a defined value when it is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UninitializedRegister {
    /// The name of the register.
    pub register: Box<str>,
    /// Why it has no defined value.
    pub cause: Cause,
}

/// Why a register has no defined value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Cause {
    /// No instruction of the function writes it.
    Never,
    /// No path to the read writes it.
    Nowhere,
    /// Not every path to the read writes it.
    Sometimes,
    /// It is a copy of the register of this name, which no instruction writes.
    Copy(Box<str>),
}

impl DiagnosticMessage for UninitializedRegister {
    fn message(&self) -> String {
        let name = &self.register;
        match &self.cause {
            Cause::Never => format!("`{name}` is read here, but no instruction of the function writes it"),
            Cause::Nowhere => format!("`{name}` is read here before anything has written it"),
            Cause::Sometimes => format!("`{name}` may be uninitialized here: some paths do not write it"),
            Cause::Copy(origin) => {
                format!("`{name}` holds no defined value here: it is a copy of `{origin}`, which no instruction writes")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self.cause {
            Cause::Never => "a register holds no defined value before it is written",
            Cause::Nowhere => "the instructions that write it are not executed before this one",
            Cause::Sometimes => "if the value does not matter, set it to 0 before the branch",
            Cause::Copy(_) => return None,
        };
        Some(help.to_owned())
    }
}

/// The maximum number of blocks that are visited to find out whether reads that some path leaves without a value can be executed.
const MAX_STEPS: usize = 1 << 24;

/// Reports, for each register, the first read without a defined value.
pub(crate) fn find(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let (function, graph) = (analysis.function, analysis.graph);
    // For each register of these the paths through all blocks are followed.
    let mut steps = MAX_STEPS;
    let mut registers: BTreeMap<RegisterSlot, Vec<Unwritten>> = BTreeMap::new();
    for read in unwritten(function, graph) {
        if !is_indifferent(function, &read) {
            registers.entry(read.used.slot).or_default().push(read);
        }
    }
    for (slot, mut reads) in registers {
        // Certain problems come before others, and only then earlier instructions before later ones.
        reads.sort_by_key(|r| (r.certainty, r.instruction));
        // An instruction that only copies an undefined value does no harm by itself.
        let carried = |r: &&Unwritten| function.entry(r.instruction).carries;
        let certain = |r: &&Unwritten| r.certainty != Certainty::Sometimes;
        if let Some(first) = reads.iter().filter(certain).find(|r| !carried(r)) {
            out.push(report(function, first));
            continue;
        }
        if let Some(first) = reads.iter().find(certain) {
            out.push(Diagnostic { severity: Severity::Hint, ..report(function, first) });
            continue;
        }
        let Some(left) = steps.checked_sub(graph.blocks.len()) else { continue };
        steps = left;
        let instructions: Vec<usize> = reads.iter().map(|r| r.instruction).collect();
        let possible = paths::unwritten_at(function, graph, slot, &instructions);
        out.extend(reads.iter().find(|r| possible.contains(&r.instruction)).map(|r| report(function, r)));
    }
}

/// Reports computations from a copy of a register that no instruction writes.
pub(crate) fn find_copies(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    let mut copies = undefined_copies(function);
    if copies.is_empty() {
        return;
    }
    for index in 0..function.instructions.len() {
        if function.entry(index).carries {
            continue;
        }
        for used in function.reads(index).iter().filter(|u| !u.conditional) {
            // Report only the first such read of each register.
            let Some(origin) = copies.remove(&used.slot) else { continue };
            let (name, origin) = (function.register_name(used.slot), function.register_name(origin));
            let range = place(function, index, used);
            let data = UninitializedRegister { register: name.into(), cause: Cause::Copy(origin.into()) };
            out.push(Diagnostic::new(range, data));
        }
    }
}

fn place(function: &FlowFunction, index: usize, used: &RegisterUse) -> Range<usize> {
    let instruction = &function.instructions[index];
    let range = match (used.operand, &instruction.guard) {
        (Some(operand), _) => function.operands[operand as usize].range.clone(),
        (None, Some(guard)) => guard.range.clone(),
        (None, None) => instruction.mnemonic.clone(),
    };
    range.start as usize..range.end as usize
}

/// Whether the result does not depend on the register: `xor.b32 %r1, %r1, %r1` is always 0.
pub(crate) fn is_indifferent(function: &FlowFunction, read: &Unwritten) -> bool {
    let reads = function.reads(read.instruction);
    matches!(function.entry(read.instruction).computes, Computes::Xor | Computes::Difference)
        && reads.len() == 2
        && reads.iter().all(|r| r.slot == read.used.slot && r.operand.is_some())
}

fn report(function: &FlowFunction, read: &Unwritten) -> Diagnostic {
    let name = function.register_name(read.used.slot);
    let range = place(function, read.instruction, &read.used);
    let declared = &function.declaration(read.used.slot).range;
    let declared = declared.start as usize..declared.end as usize;
    let (cause, severity) = match read.certainty {
        Certainty::Never => (Cause::Never, Severity::Warning),
        Certainty::Nowhere => (Cause::Nowhere, Severity::Warning),
        Certainty::Sometimes => (Cause::Sometimes, Severity::Hint),
    };
    Diagnostic::new(range, UninitializedRegister { register: name.into(), cause })
        .severity(severity)
        .related(declared, "declared here")
}

#[cfg(test)]
mod tests {
    use crate::Code::UninitializedRegister;
    use crate::diagnostic::Severity;
    use crate::testing::in_kernel;

    fn found(body: &str) -> Vec<(Severity, String)> {
        let found = in_kernel(UninitializedRegister, body);
        found.iter().map(|d| (d.severity, d.message())).collect()
    }

    #[test]
    fn reads_without_a_write() {
        let never = "`%r1` is read here, but no instruction of the function writes it";
        assert_eq!(found("add.u32 %r0, %r1, 1;"), [(Severity::Warning, never.to_owned())]);
        assert_eq!(found("mov.u32 %r1, 1; add.u32 %r0, %r1, 1;"), []);
        let nowhere = "`%r1` is read here before anything has written it";
        assert_eq!(found("add.u32 %r0, %r1, 1; mov.u32 %r1, 1;"), [(Severity::Warning, nowhere.to_owned())]);
    }

    #[test]
    fn reads_that_do_less_harm() {
        let sometimes = "`%r1` may be uninitialized here: some paths do not write it";
        let guarded = "mov.u32 %r2, %tid.x; setp.eq.u32 %p0, %r2, 0; @%p0 mov.u32 %r1, 1; add.u32 %r0, %r1, 1;";
        assert_eq!(found(guarded), [(Severity::Hint, sometimes.to_owned())]);
        let carried = "`%r1` is read here, but no instruction of the function writes it";
        assert_eq!(found("mov.u32 %r2, %r1;"), [(Severity::Hint, carried.to_owned())]);
        let copy = "`%r2` holds no defined value here: it is a copy of `%r1`, which no instruction writes";
        let both = [(Severity::Hint, carried.to_owned()), (Severity::Warning, copy.to_owned())];
        assert_eq!(found("mov.u32 %r2, %r1; add.u32 %r0, %r2, 1;"), both);
    }
}
