//! Vectorised steps on floating-point numbers, with marks.
//!
//! Modifiers that are known when an instruction is decoded become types, so that the loops over lanes are compiled for each of them.

use crate::inst::DecodeContext;
use crate::lanes::{Lane, LaneMask};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::registers::{Dst, Src, WarpRegisters};
use crate::simd::{LaneMarks, LaneStep, Loop1, Loop2, Loop3, MarkedLanes, marked1, marked2, marked3};
use ptx_isa::{Modifier, OperandName};
use ptx_num::values::Marks;
use ptx_num::values::float::{Clamp, FloatModifiers, FloatRounding};

/// The modifiers that a step was compiled for, or that it reads when it is executed.
pub(crate) trait StepModifiers: Copy + Send + Sync + 'static {
    /// The modifiers.
    fn get(self) -> FloatModifiers;
}

/// `.rn` with or without `.ftz` and `.sat`, as constants of the compiler.
#[derive(Clone, Copy)]
pub(crate) struct Nearest<const FTZ: bool, const SAT: bool>;

impl<const FTZ: bool, const SAT: bool> StepModifiers for Nearest<FTZ, SAT> {
    #[inline(always)]
    fn get(self) -> FloatModifiers {
        FloatModifiers::RN.ftz(FTZ).clamp(if SAT { Clamp::Saturate } else { Clamp::None })
    }
}

/// Any other modifiers, which the step reads when it is executed.
impl StepModifiers for FloatModifiers {
    #[inline(always)]
    fn get(self) -> FloatModifiers {
        self
    }
}

/// Evaluates an expression with modifiers as [`StepModifiers`]: compiled for each common combination, and once for all others.
macro_rules! with_modifiers {
    ($modifiers:expr, $choice:ident => $make:expr) => {{
        use ptx_num::values::float::{Clamp, FloatModifiers, FloatRounding};
        use $crate::exec::float::steps::Nearest;
        let given: FloatModifiers = $modifiers;
        match (given.rounding, given.ftz, given.clamp) {
            (FloatRounding::Nearest, false, Clamp::None) => {
                let $choice = Nearest::<false, false>;
                $make
            }
            (FloatRounding::Nearest, true, Clamp::None) => {
                let $choice = Nearest::<true, false>;
                $make
            }
            (FloatRounding::Nearest, false, Clamp::Saturate) => {
                let $choice = Nearest::<false, true>;
                $make
            }
            (FloatRounding::Nearest, true, Clamp::Saturate) => {
                let $choice = Nearest::<true, true>;
                $make
            }
            _ => {
                let $choice = given;
                $make
            }
        }
    }};
}
pub(crate) use with_modifiers;

/// Whether subnormal `.f32` operands and results become zeros: with `.ftz`, and always on `sm_1x` (manual 9.7.3).
pub(crate) fn flushes(inst: &DecodeContext<'_>) -> bool {
    inst.has(Modifier::Ftz) || is_first_generation(inst)
}

/// Whether the target is an `sm_1x`.
pub(crate) fn is_first_generation(inst: &DecodeContext<'_>) -> bool {
    inst.executable.target.is_some_and(|t| !t.has("sm_20"))
}

/// The rounding that is written; `.rn` if none is.
pub(crate) fn rounding(inst: &DecodeContext<'_>) -> FloatRounding {
    let written =
        [(Modifier::Rz, FloatRounding::Zero), (Modifier::Rm, FloatRounding::Down), (Modifier::Rp, FloatRounding::Up)];
    written
        .into_iter()
        .find(|(modifier, _)| inst.has(*modifier))
        .map_or(FloatRounding::Nearest, |(_, rounding)| rounding)
}

/// The rounding and the clamp as written. The caller passes `ftz`, since `.ftz` does not go with every type.
pub(crate) fn modifiers(inst: &DecodeContext<'_>, ftz: bool) -> FloatModifiers {
    let clamp = if inst.has(Modifier::Sat) {
        Clamp::Saturate
    } else if inst.has(Modifier::Relu) {
        Clamp::Relu
    } else {
        Clamp::None
    };
    FloatModifiers { rounding: rounding(inst), ftz, clamp }
}

/// `d = f(a)` for all lanes, with marks.
struct Step1<A, D> {
    d: Dst<D>,
    a: Src<A>,
    f: Loop1<A, MarkedLanes<D>>,
}

impl<A: Lane, D: Lane> LaneStep for Step1<A, D> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let out = self.f.run(&registers.get(self.a));
        registers.put(self.d, mask, out.values);
        out.marks(mask)
    }
}

/// `d = f(a, b)`, as [`Step1`].
struct Step2<A, B, D> {
    d: Dst<D>,
    ab: (Src<A>, Src<B>),
    f: Loop2<A, B, MarkedLanes<D>>,
}

impl<A: Lane, B: Lane, D: Lane> LaneStep for Step2<A, B, D> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let out = self.f.run(&(registers.get(self.ab.0), registers.get(self.ab.1)));
        registers.put(self.d, mask, out.values);
        out.marks(mask)
    }
}

/// `d = f(a, b, c)`, as [`Step1`].
struct Step3<A, B, C, D> {
    d: Dst<D>,
    abc: (Src<A>, Src<B>, Src<C>),
    f: Loop3<A, B, C, MarkedLanes<D>>,
}

impl<A: Lane, B: Lane, C: Lane, D: Lane> LaneStep for Step3<A, B, C, D> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let out = self.f.run(&(registers.get(self.abc.0), registers.get(self.abc.1), registers.get(self.abc.2)));
        registers.put(self.d, mask, out.values);
        out.marks(mask)
    }
}

/// `d = f(a)` with marks, computed for all lanes.
pub(crate) fn step1<A: Lane, D: Lane>(
    inst: &mut DecodeContext<'_>,
    f: impl Fn(A) -> D + Send + Sync + 'static,
    marks: impl Fn(A, D) -> Marks + Send + Sync + 'static,
) -> Result<OpAction, DecodeRefusal> {
    step1_of(inst, marked1(f, marks))
}

/// Compiled for each combination of types, not for each operation.
fn step1_of<A: Lane, D: Lane>(
    inst: &mut DecodeContext<'_>,
    f: Loop1<A, MarkedLanes<D>>,
) -> Result<OpAction, DecodeRefusal> {
    let (d, a) = (inst.dst(OperandName::D)?, inst.src(OperandName::A)?);
    Ok(DecodeContext::step(Step1 { d, a, f }))
}

/// `d = f(a, b)` with marks. The operand named `second` is `b`.
pub(crate) fn step2<A: Lane, B: Lane, D: Lane>(
    inst: &mut DecodeContext<'_>,
    second: OperandName,
    f: impl Fn(A, B) -> D + Send + Sync + 'static,
    marks: impl Fn(A, B, D) -> Marks + Send + Sync + 'static,
) -> Result<OpAction, DecodeRefusal> {
    step2_of(inst, second, marked2(f, marks))
}

/// Compiled for each combination of types, not for each operation.
fn step2_of<A: Lane, B: Lane, D: Lane>(
    inst: &mut DecodeContext<'_>,
    second: OperandName,
    f: Loop2<A, B, MarkedLanes<D>>,
) -> Result<OpAction, DecodeRefusal> {
    let (d, ab) = (inst.dst(OperandName::D)?, (inst.src(OperandName::A)?, inst.src(second)?));
    Ok(DecodeContext::step(Step2 { d, ab, f }))
}

/// `d = f(a, b, c)` with marks.
pub(crate) fn step3<A: Lane, B: Lane, C: Lane, D: Lane>(
    inst: &mut DecodeContext<'_>,
    f: impl Fn(A, B, C) -> D + Send + Sync + 'static,
    marks: impl Fn(A, B, C, D) -> Marks + Send + Sync + 'static,
) -> Result<OpAction, DecodeRefusal> {
    step3_of(inst, marked3(f, marks))
}

/// Compiled for each combination of types, not for each operation.
fn step3_of<A: Lane, B: Lane, C: Lane, D: Lane>(
    inst: &mut DecodeContext<'_>,
    f: Loop3<A, B, C, MarkedLanes<D>>,
) -> Result<OpAction, DecodeRefusal> {
    let (d, abc) =
        (inst.dst(OperandName::D)?, (inst.src(OperandName::A)?, inst.src(OperandName::B)?, inst.src(OperandName::C)?));
    Ok(DecodeContext::step(Step3 { d, abc, f }))
}
