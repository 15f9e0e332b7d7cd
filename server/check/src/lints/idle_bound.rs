//! `idle-bound`: a launch bound in the header of a kernel that limits nothing.

use crate::diagnostic::Diagnostic;
use crate::finding::DiagnosticMessage;
use crate::lints::Analysis;
use ptx_flow::flow::effects::mentions;
use ptx_flow::registers::estimate::whole;
use ptx_flow::registers::{LaunchBounds, limit, never_binds};
use ptx_isa::ISA;
use ptx_isa::tables::Protocol;

/// A bound in the header of a kernel without which the assembler generates the same code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum IdleBound {
    /// `.maxnreg` is far above the number of registers that the kernel needs.
    Registers {
        /// The number of registers that a thread may have.
        allowed: u64,
        /// The number of registers that a thread most likely uses.
        used: u32,
    },
    /// `.minnctapersm` allows each thread the maximum number of registers.
    Ctas {
        /// The number of CTAs in the directive.
        number: u64,
        /// The maximum number of registers of a thread.
        registers: u32,
    },
}

impl DiagnosticMessage for IdleBound {
    fn message(&self) -> String {
        match self {
            Self::Registers { allowed, used } => {
                format!("this has no effect: it allows {allowed} registers per thread, and about {used} are used")
            }
            Self::Ctas { number, registers } => {
                format!(
                    "this has no effect: {number} CTAs of this size fit even if each thread has {registers} registers, the limit"
                )
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Registers { .. } => "without the bound the assembler generates the same code",
            Self::Ctas { .. } => "the bound concerns registers only, not shared memory",
        };
        Some(help.to_owned())
    }
}

/// Checks `.maxnreg`, and `.minnctapersm` of more than one CTA: compilers write `.minnctapersm 1` by default.
pub(crate) fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    // With `setmaxnreg` warps exchange registers, and the bound is the number with which they begin.
    if !function.kernel || mentions(function, Protocol::Registers) {
        return;
    }
    registers(analysis, out);
    ctas(analysis, out);
}

/// Reports a `.maxnreg` far above the estimated demand. A kernel with calls is left out: its callees may need more registers. `.maxnreg`
/// replaces the limit that follows from the number of threads in a CTA, so it is idle only if that limit is far above the demand, too.
fn registers(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let Some((number, range)) = LaunchBounds::of(analysis.function).registers else { return };
    let usage = analysis.usage();
    if !usage.callees.is_empty() || usage.calls_indirectly() {
        return;
    }
    let target = analysis.environment.target.and_then(|t| ISA.multiprocessor(t.name));
    let wanted = whole(usage.demand.registers);
    let given = limit(&usage.bounds, 0, target).registers;
    let without = limit(&LaunchBounds { registers: None, ..usage.bounds.clone() }, 0, target).registers;
    if never_binds(wanted, given) && never_binds(wanted, without) {
        let range = range.start as usize..range.end as usize;
        out.push(Diagnostic::new(range, IdleBound::Registers { allowed: number, used: wanted }));
    }
}

/// Reports a `.minnctapersm` with which each thread can still have the maximum number of registers.
fn ctas(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let bounds = LaunchBounds::of(analysis.function);
    let Some((number, range)) = bounds.ctas.clone().filter(|(number, _)| *number > 1) else { return };
    let target = analysis.environment.target.and_then(|t| ISA.multiprocessor(t.name));
    if bounds.threads.is_none() {
        return;
    }
    let most = limit(&LaunchBounds::default(), 0, target).registers;
    let alone = limit(&LaunchBounds { registers: None, ..bounds.clone() }, 0, target);
    if alone.registers >= most {
        let range = range.start as usize..range.end as usize;
        out.push(Diagnostic::new(range, IdleBound::Ctas { number, registers: most }));
    }
}

#[cfg(test)]
mod tests {
    use crate::Code::IdleBound;
    use crate::testing::{in_module, messages};

    /// The messages about a kernel in which 16 values are live at a time.
    fn found(bounds: &str) -> Vec<String> {
        let list = |from: usize| format!("{{%f{from}, %f{}, %f{}, %f{}}}", from + 1, from + 2, from + 3);
        let each = |one: &dyn Fn(usize) -> String| (0..16).step_by(4).map(one).collect::<String>();
        let loads = each(&|n| format!("ld.global.v4.f32 {}, [%rd+{}]; ", list(n), 4 * n));
        let stores = each(&|n| format!("st.global.v4.f32 [%rd+{}], {}; ", 4 * n + 256, list(n)));
        let body = format!(".reg .f32 %f<16>; .reg .b64 %rd; mov.u64 %rd, 0; {loads} {stores} ret;");
        let header = ".version 8.0\n.target sm_80\n.address_size 64\n";
        messages(&in_module(IdleBound, &format!("{header}.visible .entry k() {bounds} {{ {body} }}")))
    }

    #[test]
    fn bounds_that_hold_nothing_back() {
        let registers = found(".maxnreg 128");
        let [message] = &registers[..] else { panic!("{registers:?}") };
        assert!(message.starts_with("this has no effect: it allows 128 registers per thread, and about "), "{message}");
        let ctas = "this has no effect: 4 CTAs of this size fit even if each thread has 255 registers, the limit";
        assert_eq!(found(".maxntid 32 .minnctapersm 4"), [ctas]);
        assert!(found(".maxnreg 16").is_empty());
        assert!(found(".maxntid 1024 .minnctapersm 2").is_empty());
    }
}
