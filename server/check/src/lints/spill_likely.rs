//! `spill-likely`: a function that needs many more registers than it may have.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::effects::mentions;
use ptx_flow::registers::estimate::whole;
use ptx_flow::registers::{LaunchBounds, Pressure, limit, spills_are_likely};
use ptx_isa::ISA;
use ptx_isa::tables::Protocol;

/// A function that needs many more registers than a thread may have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SpillLikely {
    /// The number of registers that a thread most likely needs.
    pub wanted: u32,
    /// The number of registers that a thread may have.
    pub limit: u32,
    /// Whether a directive of the header sets the limit, not the target.
    pub(crate) by_directive: bool,
}

impl DiagnosticMessage for SpillLikely {
    fn message(&self) -> String {
        let Self { wanted, limit, .. } = self;
        let reason = if self.by_directive {
            format!("this leaves {limit} registers per thread, but a thread needs about {wanted}")
        } else {
            format!("a thread needs about {wanted} registers; the limit is {limit}")
        };
        format!("{reason}: values will probably be spilled to local memory")
    }

    fn help(&self) -> Option<String> {
        Some("keep fewer values live at a time, or allow more registers per thread".to_owned())
    }
}

/// Compares the estimated register demand of a function (without its callees) with the limit from its header and the target. Only a
/// demand far above the limit is reported: the estimate may be wrong, and the assembler may need fewer registers. Functions with
/// `setmaxnreg` are left out, since some of their warps get more registers than the header allows.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    if mentions(function, Protocol::Registers) {
        return;
    }
    let multiprocessor = analysis.environment.target.and_then(|t| ISA.multiprocessor(t.name));
    let limit = limit(&LaunchBounds::of(function), 0, multiprocessor);
    // Most functions need far fewer registers than a thread can have: skip the costly estimate for them.
    let live = || Pressure::new(function, analysis.graph, analysis.liveness()).most.b32;
    if limit.directive.is_none() && u32::from(live()) < limit.registers / 2 {
        return;
    }
    let usage = analysis.usage();
    let wanted = whole(usage.demand.registers);
    if !spills_are_likely(wanted, limit.registers) {
        return;
    }
    let by_directive = limit.directive.is_some();
    let name = function.name_range.start as usize..function.name_range.end as usize;
    let range = limit.directive.unwrap_or(name);
    let Pressure { most, peak, .. } = &usage.pressure;
    let mut found = Diagnostic::new(range, SpillLikely { wanted, limit: limit.registers, by_directive });
    if let Some(instruction) = function.instructions.get(*peak as usize) {
        let place = instruction.mnemonic.start as usize..instruction.mnemonic.end as usize;
        found = found.related(place, format!("most values are live here: {} registers", most.b32));
    }
    out.push(found);
}

#[cfg(test)]
mod tests {
    use crate::Code::SpillLikely;
    use crate::testing::{in_module, messages};
    use std::fmt::Write;

    /// A kernel with 48 values that it loads before a loop, changes in the loop and stores after it. `limit` is its `.maxnreg`.
    fn module(limit: u32) -> String {
        let mut text = format!(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() .maxnreg {limit}\n");
        text += "{ .reg .f32 %f<49>; .reg .b64 %rd; .reg .b32 %r; .reg .pred %p; mov.u64 %rd, 0; mov.u32 %r, 0;\n";
        (0..48).for_each(|n| writeln!(text, "ld.global.f32 %f{n}, [%rd+{}];", 4 * n).unwrap());
        text += "again: ld.global.f32 %f48, [%rd+1024];\n";
        (0..48).for_each(|n| writeln!(text, "fma.rn.f32 %f{n}, %f{n}, %f48, %f{n};").unwrap());
        text += "add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 100; @%p bra again;\n";
        (0..48).for_each(|n| writeln!(text, "st.global.f32 [%rd+{}], %f{n};", 4 * n).unwrap());
        text + "ret; }\n"
    }

    #[test]
    fn bounds_far_below_the_demand() {
        let found = in_module(SpillLikely, &module(24));
        let [message] = &messages(&found)[..] else { panic!("{found:?}") };
        let (before, after) =
            ("this leaves 24 registers per thread, but a thread needs about ", "spilled to local memory");
        assert!(message.starts_with(before) && message.ends_with(after), "{message}");
        assert!(in_module(SpillLikely, &module(128)).is_empty());
    }
}
