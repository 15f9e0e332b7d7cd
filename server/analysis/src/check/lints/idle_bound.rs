//! `idle-bound`: a bound in the header of a kernel that holds nothing back.

use crate::check::codes::DiagnosticMessage;
use crate::check::diagnostic::Diagnostic;
use crate::check::lints::Analysis;
use crate::flow::effects::mentions;
use crate::registers::{LaunchBounds, limit, never_binds};
use ptx_isa::ISA;
use ptx_isa::tables::Protocol;

/// A bound in the header of a kernel without which the assembler makes the same code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum IdleBound {
    /// `.maxnreg` far above the demand.
    Registers {
        /// The number of registers that a thread may have.
        allowed: u64,
        /// The number of registers that a thread most likely uses.
        used: u32,
    },
    /// `.minnctapersm` that leaves to each thread all the registers that it can have.
    Ctas {
        /// The number of CTAs.
        number: u64,
        /// The largest number of registers of a thread.
        registers: u32,
    },
}

impl DiagnosticMessage for IdleBound {
    fn message(&self) -> String {
        match self {
            Self::Registers { allowed, used } => {
                format!("this allows {allowed} registers to a thread, and about {used} are used")
            }
            Self::Ctas { number, registers } => {
                format!("{number} CTAs of this size fit even where each thread has {registers} registers, the most")
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Registers { .. } => "without the bound the assembler makes the same of the kernel",
            Self::Ctas { .. } => "this is all that the bound is about: it leaves out shared memory",
        };
        Some(help.to_owned())
    }
}

/// Looks at `.maxnreg`, and at `.minnctapersm` of more than one CTA: a compiler writes 1 without being asked.
pub fn lint(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let function = analysis.function;
    // With it registers are exchanged between warps, and the bound says with how many they begin.
    if !function.kernel || mentions(function, Protocol::Registers) {
        return;
    }
    registers(analysis, out);
    ctas(analysis, out);
}

/// `.maxnreg` far above what is wanted. What is called may want more; and beside the threads of a CTA it takes the place of what those
/// would leave, so it is idle only where they leave enough.
fn registers(analysis: &Analysis<'_>, out: &mut Vec<Diagnostic>) {
    let Some((number, range)) = LaunchBounds::of(analysis.function).registers else { return };
    let usage = analysis.usage();
    if !usage.callees.is_empty() || usage.calls_indirectly() {
        return;
    }
    let target = analysis.environment.target.and_then(|t| ISA.multiprocessor(t.name));
    let wanted = usage.demand.registers.round() as u32;
    let given = limit(&usage.bounds, 0, target).registers;
    let without = limit(&LaunchBounds { registers: None, ..usage.bounds.clone() }, 0, target).registers;
    if never_binds(wanted, given) && never_binds(wanted, without) {
        let range = range.start as usize..range.end as usize;
        out.push(Diagnostic::new(range, IdleBound::Registers { allowed: number, used: wanted }));
    }
}

/// `.minnctapersm` that leaves to each thread as many registers as there are.
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

    /// The findings in a kernel that holds 16 values at a time.
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
        assert!(message.starts_with("this allows 128 registers to a thread, and about "), "{message}");
        let ctas = "4 CTAs of this size fit even where each thread has 255 registers, the most";
        assert_eq!(found(".maxntid 32 .minnctapersm 4"), [ctas]);
        assert!(found(".maxnreg 16").is_empty());
        assert!(found(".maxntid 1024 .minnctapersm 2").is_empty());
    }
}
