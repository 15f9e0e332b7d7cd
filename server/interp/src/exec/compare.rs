//! Comparison and selection (manual 9.7.6, 9.7.7): `setp`, `set`, `selp`, `slct`, for integers, bits and floating-point numbers.

#[cfg(test)]
mod tests;

use super::float::steps::flushes;
use crate::inst::DecodeContext;
use crate::lanes::{LANES, Lane, LaneMask};
use crate::machine::code::{ActionResult, DecodeRefusal};
use crate::registers::{Dst, PredicateSrc, Src, WarpRegisters};
use crate::simd::{self, Comparison, LaneMarks, LaneStep, Outcomes, bits, select};
use ptx_isa::{Modifier, OperandName, SlotName};
use ptx_num::values::float::compare::{self, FloatComparison};
use ptx_num::values::float::half::{Bf16, F16, Half};

/// Combines the result `t` of a comparison with the predicate `c`. Returns the masks for `p` and `q`.
type Combine = fn(t: LaneMask, c: LaneMask) -> (LaneMask, LaneMask);

/// The predicate `c`, and the function that combines it with the result of the comparison.
fn combination(inst: &mut DecodeContext<'_>) -> Result<(PredicateSrc, Combine), DecodeRefusal> {
    let combine: Combine = match inst.modifier(SlotName::Bool) {
        None => |t, _| (t, !t),
        Some(Modifier::And) => |t, c| (t & c, !t & c),
        Some(Modifier::Or) => |t, c| (t | c, !t | c),
        Some(Modifier::Xor) => |t, c| (t ^ c, !t ^ c),
        Some(other) => return Err(format!("`{other}` does not combine predicates").into()),
    };
    Ok((inst.predicate_src(OperandName::C)?.unwrap_or(PredicateSrc::constant(false)), combine))
}

/// The comparison operator as written.
fn written(inst: &DecodeContext<'_>) -> Result<Modifier, DecodeRefusal> {
    inst.modifier(SlotName::Cmp).ok_or_else(|| "a comparison without its operator".into())
}

fn unknown(operator: Modifier) -> DecodeRefusal {
    DecodeRefusal(format!("`{}` compares nothing", operator.word()))
}

/// The comparison operator for floating-point numbers.
fn operator(inst: &DecodeContext<'_>) -> Result<FloatComparison, DecodeRefusal> {
    let written = written(inst)?;
    FloatComparison::ALL.into_iter().find(|c| c.word() == written.word()).ok_or_else(|| unknown(written))
}

/// The type of the result: the first one that is written.
fn result(inst: &DecodeContext<'_>) -> Result<Modifier, DecodeRefusal> {
    inst.types().next().ok_or_else(|| "a comparison without a type".into())
}

/// The type of the operands: the last one that is written.
fn compared(inst: &DecodeContext<'_>) -> Result<Modifier, DecodeRefusal> {
    inst.types().last().ok_or_else(|| "a comparison without a type".into())
}

/// The destination predicates of `setp`.
fn predicates(inst: &mut DecodeContext<'_>) -> Result<Outcomes, DecodeRefusal> {
    Ok(Outcomes::Predicates(inst.predicate_dst(OperandName::P)?, inst.predicate_dst(OperandName::Q)?))
}

/// The destination of `set` and its number for true: all ones for integers, 1.0 for floating-point numbers.
fn number(inst: &mut DecodeContext<'_>) -> Result<Outcomes, DecodeRefusal> {
    Ok(match result(inst)? {
        Modifier::F32 => Outcomes::Words(inst.dst(OperandName::D)?, 0x3f80_0000),
        Modifier::F16 => Outcomes::Halves(inst.dst(OperandName::D)?, F16::ONE),
        Modifier::Bf16 => Outcomes::Halves(inst.dst(OperandName::D)?, Bf16::ONE),
        Modifier::U16 | Modifier::S16 => Outcomes::Halves(inst.dst(OperandName::D)?, u16::MAX),
        Modifier::U32 | Modifier::S32 => Outcomes::Words(inst.dst(OperandName::D)?, u32::MAX),
        other => return Err(format!("a comparison does not give `{other}`").into()),
    })
}

/// Decodes a comparison of integers of type `A`.
fn integers<A: Lane + Ord>(inst: &mut DecodeContext<'_>, to: Outcomes) -> ActionResult {
    let (c, combine) = combination(inst)?;
    let ab = (inst.src::<A>(OperandName::A)?, inst.src::<A>(OperandName::B)?);
    Ok(match written(inst)? {
        Modifier::Eq => DecodeContext::compare(to, ab, c, combine, |a: A, b: A| a == b),
        Modifier::Ne => DecodeContext::compare(to, ab, c, combine, |a: A, b: A| a != b),
        Modifier::Lt | Modifier::Lo => DecodeContext::compare(to, ab, c, combine, |a: A, b: A| a < b),
        Modifier::Le | Modifier::Ls => DecodeContext::compare(to, ab, c, combine, |a: A, b: A| a <= b),
        Modifier::Gt | Modifier::Hi => DecodeContext::compare(to, ab, c, combine, |a: A, b: A| a > b),
        Modifier::Ge | Modifier::Hs => DecodeContext::compare(to, ab, c, combine, |a: A, b: A| a >= b),
        other => return Err(unknown(other)),
    })
}

/// Decodes a comparison, by the type of its operands.
fn comparison(inst: &mut DecodeContext<'_>, to: Outcomes) -> ActionResult {
    match compared(inst)? {
        Modifier::B16 | Modifier::U16 => integers::<u16>(inst, to),
        Modifier::B32 | Modifier::U32 => integers::<u32>(inst, to),
        Modifier::B64 | Modifier::U64 => integers::<u64>(inst, to),
        Modifier::S16 => integers::<i16>(inst, to),
        Modifier::S32 => integers::<i32>(inst, to),
        Modifier::S64 => integers::<i64>(inst, to),
        Modifier::F32 if flushes(inst) => numbers(inst, to, FlushedSingleNumbers),
        Modifier::F32 => numbers(inst, to, SingleNumbers),
        Modifier::F64 => numbers(inst, to, Double),
        Modifier::F16 if inst.has(Modifier::Ftz) => numbers(inst, to, FlushedHalf),
        Modifier::F16 => numbers(inst, to, Halves::<F16>::new()),
        Modifier::Bf16 => numbers(inst, to, Halves::<Bf16>::new()),
        other => Err(format!("`{other}` is not compared").into()),
    }
}

/// A floating-point format whose numbers are compared.
trait Numbers: Copy + Send + Sync + 'static {
    /// The integer type that holds the bits of a number.
    type Bits: Lane;
    /// `a operator b`.
    fn holds(operator: FloatComparison, a: Self::Bits, b: Self::Bits) -> bool;
}

/// `.f32`.
#[derive(Clone, Copy)]
struct SingleNumbers;

/// `.f32` with `.ftz`.
#[derive(Clone, Copy)]
struct FlushedSingleNumbers;

/// `.f64`.
#[derive(Clone, Copy)]
struct Double;

/// `.f16` with `.ftz`.
#[derive(Clone, Copy)]
struct FlushedHalf;

/// `.f16` and `.bf16`.
struct Halves<H>(std::marker::PhantomData<fn() -> H>);

impl<H> Halves<H> {
    fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<H> Clone for Halves<H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for Halves<H> {}

impl Numbers for SingleNumbers {
    type Bits = u32;
    #[inline(always)]
    fn holds(operator: FloatComparison, a: u32, b: u32) -> bool {
        compare::single(operator, false, a, b)
    }
}

impl Numbers for FlushedSingleNumbers {
    type Bits = u32;
    #[inline(always)]
    fn holds(operator: FloatComparison, a: u32, b: u32) -> bool {
        compare::single(operator, true, a, b)
    }
}

impl Numbers for Double {
    type Bits = u64;
    #[inline(always)]
    fn holds(operator: FloatComparison, a: u64, b: u64) -> bool {
        compare::double(operator, a, b)
    }
}

impl Numbers for FlushedHalf {
    type Bits = u16;
    #[inline(always)]
    fn holds(operator: FloatComparison, a: u16, b: u16) -> bool {
        compare::half::<F16>(operator, true, a, b)
    }
}

impl<H: Half + 'static> Numbers for Halves<H> {
    type Bits = u16;
    #[inline(always)]
    fn holds(operator: FloatComparison, a: u16, b: u16) -> bool {
        compare::half::<H>(operator, false, a, b)
    }
}

/// Decodes a comparison of floating-point numbers, compiled for each operator.
fn numbers<N: Numbers>(inst: &mut DecodeContext<'_>, to: Outcomes, _: N) -> ActionResult {
    let (c, combine) = combination(inst)?;
    let ab = (inst.src::<N::Bits>(OperandName::A)?, inst.src::<N::Bits>(OperandName::B)?);
    macro_rules! each {
        ($($operator:ident),*) => {
            match operator(inst)? {
                $(FloatComparison::$operator => {
                    DecodeContext::compare(to, ab, c, combine, |a: N::Bits, b: N::Bits| N::holds(FloatComparison::$operator, a, b))
                })*
            }
        };
    }
    Ok(each!(Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan))
}

/// `setp` of integers, bits, `.f32` and `.f64`.
pub(crate) fn setp(inst: &mut DecodeContext<'_>) -> ActionResult {
    let to = predicates(inst)?;
    comparison(inst, to)
}

/// `set` of integers, bits, `.f32` and `.f64`.
pub(crate) fn set(inst: &mut DecodeContext<'_>) -> ActionResult {
    let to = number(inst)?;
    comparison(inst, to)
}

/// `setp` of half precision. For pairs, `p` gets the result of the lower halves and `q` that of the upper ones.
pub(crate) fn setp_half(inst: &mut DecodeContext<'_>) -> ActionResult {
    let to = predicates(inst)?;
    match compared(inst)? {
        Modifier::F16x2 if inst.has(Modifier::Ftz) => pairs(inst, PairsTo::Predicates(to), FlushedHalf),
        Modifier::F16x2 => pairs(inst, PairsTo::Predicates(to), Halves::<F16>::new()),
        Modifier::Bf16x2 => pairs(inst, PairsTo::Predicates(to), Halves::<Bf16>::new()),
        _ => comparison(inst, to),
    }
}

/// `set` of half precision.
pub(crate) fn set_half(inst: &mut DecodeContext<'_>) -> ActionResult {
    let source = compared(inst)?;
    if !source.name().ends_with("x2") {
        let to = number(inst)?;
        return comparison(inst, to);
    }
    let yes = match result(inst)? {
        Modifier::F16x2 => F16::ONE,
        Modifier::Bf16x2 => Bf16::ONE,
        Modifier::U32 | Modifier::S32 => u16::MAX,
        other => return Err(format!("a comparison of pairs does not give `{other}`").into()),
    };
    let to = PairsTo::Numbers(inst.dst(OperandName::D)?, yes);
    match source {
        Modifier::F16x2 if inst.has(Modifier::Ftz) => pairs(inst, to, FlushedHalf),
        Modifier::F16x2 => pairs(inst, to, Halves::<F16>::new()),
        _ => pairs(inst, to, Halves::<Bf16>::new()),
    }
}

/// The destination for the results of the lower and the upper halves.
#[derive(Clone, Copy)]
enum PairsTo {
    /// The predicates `p` and `q`.
    Predicates(Outcomes),
    /// The halves of a register: this number if the comparison is true, else zero.
    Numbers(Dst<u32>, u16),
}

/// A comparison of pairs.
struct Pairs {
    to: PairsTo,
    ab: (Src<u32>, Src<u32>),
    f: Comparison<u16>,
    combine: Combine,
    c: PredicateSrc,
}

impl LaneStep for Pairs {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let (a, b) = (registers.get(self.ab.0), registers.get(self.ab.1));
        let low = self.f.run(&(a.map(|a| a as u16), b.map(|b| b as u16)));
        let high = self.f.run(&(a.map(|a| (a >> 16) as u16), b.map(|b| (b >> 16) as u16)));
        let c = registers.predicate(self.c);
        let (low, high) = ((self.combine)(bits(&low), c).0, (self.combine)(bits(&high), c).0);
        match self.to {
            PairsTo::Predicates(to) => to.put(registers, mask, low, high),
            PairsTo::Numbers(d, yes) => {
                let mut out = select(low, [u32::from(yes); LANES], [0; LANES]);
                let upper = select(high, [u32::from(yes) << 16; LANES], [0; LANES]);
                for lane in 0..LANES {
                    out[lane] |= upper[lane];
                }
                registers.put(d, mask, out);
            }
        }
        LaneMarks::default()
    }
}

fn pairs<N: Numbers<Bits = u16>>(inst: &mut DecodeContext<'_>, to: PairsTo, _: N) -> ActionResult {
    let (c, combine) = combination(inst)?;
    let ab = (inst.src(OperandName::A)?, inst.src(OperandName::B)?);
    let operator = operator(inst)?;
    Ok(DecodeContext::step(Pairs { to, ab, f: simd::comparison(move |a, b| N::holds(operator, a, b)), combine, c }))
}

/// `set` of packed integers: all ones in each element for which the comparison is true.
pub(crate) fn set_packed(inst: &mut DecodeContext<'_>) -> ActionResult {
    match compared(inst)? {
        Modifier::S16x2 => elements(inst, 16, |x| i32::from(x as i16)),
        Modifier::U16x2 => elements(inst, 16, |x| i32::from(x as u16)),
        Modifier::S8x4 => elements(inst, 8, |x| i32::from(x as i8)),
        Modifier::U8x4 => elements(inst, 8, |x| i32::from(x as u8)),
        other => Err(format!("`{other}` is not compared").into()),
    }
}

/// Decodes a comparison of the elements of words, each `width` bits wide. `value` returns the value of the lowest element of a word.
fn elements(
    inst: &mut DecodeContext<'_>,
    width: u32,
    value: impl Fn(u32) -> i32 + Send + Sync + Copy + 'static,
) -> ActionResult {
    let all = u32::MAX >> (32 - width);
    let each = move |a: u32, b: u32, holds: fn(i32, i32) -> bool| {
        let mut out = 0;
        for shift in (0..32).step_by(width as usize) {
            if holds(value(a >> shift), value(b >> shift)) {
                out |= all << shift;
            }
        }
        out
    };
    match written(inst)? {
        Modifier::Eq => inst.map2(move |a, b| each(a, b, |a, b| a == b)),
        Modifier::Ne => inst.map2(move |a, b| each(a, b, |a, b| a != b)),
        Modifier::Lt | Modifier::Lo => inst.map2(move |a, b| each(a, b, |a, b| a < b)),
        Modifier::Le | Modifier::Ls => inst.map2(move |a, b| each(a, b, |a, b| a <= b)),
        Modifier::Gt | Modifier::Hi => inst.map2(move |a, b| each(a, b, |a, b| a > b)),
        Modifier::Ge | Modifier::Hs => inst.map2(move |a, b| each(a, b, |a, b| a >= b)),
        other => Err(unknown(other)),
    }
}

/// `selp`.
pub(crate) fn selp(inst: &mut DecodeContext<'_>) -> ActionResult {
    match bytes(compared(inst)?) {
        2 => selection::<u16>(inst),
        4 => selection::<u32>(inst),
        _ => selection::<u64>(inst),
    }
}

/// Size of a type in bytes.
fn bytes(ty: Modifier) -> u16 {
    ptx_isa::ISA.ty(ty.name()).map_or(4, |t| t.bits / 8)
}

fn selection<T: Lane>(inst: &mut DecodeContext<'_>) -> ActionResult {
    let (d, a, b) = (inst.dst::<T>(OperandName::D)?, inst.src::<T>(OperandName::A)?, inst.src::<T>(OperandName::B)?);
    let c = inst.predicate_src(OperandName::C)?.ok_or("`selp` without its predicate")?;
    inst.passes_one_of(OperandName::A, OperandName::B, move |registers, lane| registers.predicate(c) >> lane & 1 != 0);
    Ok(DecodeContext::step(Selection { d, ab: (a, b), c }))
}

/// `d = c ? a : b` for all lanes.
struct Selection<T> {
    d: Dst<T>,
    ab: (Src<T>, Src<T>),
    c: PredicateSrc,
}

impl<T: Lane> LaneStep for Selection<T> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let out = select(registers.predicate(self.c), registers.get(self.ab.0), registers.get(self.ab.1));
        registers.put(self.d, mask, out);
        LaneMarks::default()
    }
}

/// `slct`.
pub(crate) fn slct(inst: &mut DecodeContext<'_>) -> ActionResult {
    match bytes(result(inst)?) {
        2 => by_sign::<u16>(inst),
        4 => by_sign::<u32>(inst),
        _ => by_sign::<u64>(inst),
    }
}

fn by_sign<T: Lane>(inst: &mut DecodeContext<'_>) -> ActionResult {
    let by_integer = compared(inst)? == Modifier::S32;
    let ftz = flushes(inst);
    let c = inst.src::<u32>(OperandName::C)?;
    inst.passes_one_of(OperandName::A, OperandName::B, move |registers, lane| {
        let c = registers.lane(c, lane);
        if by_integer { c as i32 >= 0 } else { compare::selects_first(ftz, c) }
    });
    if by_integer {
        return inst.map3(|a: T, b: T, c: i32| if c >= 0 { a } else { b });
    }
    inst.map3(move |a: T, b: T, c: u32| if compare::selects_first(ftz, c) { a } else { b })
}
