//! Comparison and selection (manual 9.7.6, 9.7.7): `setp`, `set`, `selp`, `slct`, for integers, bits and floating-point numbers.

#[cfg(test)]
mod tests;

use super::float::steps::{flushes, types};
use crate::decode::{Action, Inst, Refusal};
use crate::lanes::{LANES, Lane, Mask};
use crate::registers::{PredicateSrc, Registers, Src};
use crate::simd::{LaneStep, Marked, Outcomes, bits, select};
use ptx_num::values::float::compare::{self, Comparison};
use ptx_num::values::float::half::{Bf16, F16, Half};

type Decoded = Result<Action, Refusal>;

/// What becomes of a comparison and the predicate that it is combined with: `p` and `q`.
type Combine = fn(t: Mask, c: Mask) -> (Mask, Mask);

/// The predicate `c` and how it is combined.
fn combination(inst: &mut Inst<'_>) -> Result<(PredicateSrc, Combine), Refusal> {
    let combine: Combine = match inst.modifier("bool") {
        None => |t, _| (t, !t),
        Some(".and") => |t, c| (t & c, !t & c),
        Some(".or") => |t, c| (t | c, !t | c),
        Some(".xor") => |t, c| (t ^ c, !t ^ c),
        Some(other) => return Err(format!("`{other}` combines no predicates").into()),
    };
    Ok((inst.predicate_src("c")?.unwrap_or(PredicateSrc::constant(false)), combine))
}

/// The word of the operator.
fn word(inst: &Inst<'_>) -> Result<&'static str, Refusal> {
    inst.modifier("cmp").and_then(|m| m.strip_prefix('.')).ok_or_else(|| "a comparison without its operator".into())
}

fn unknown(word: &str) -> Refusal {
    Refusal(format!("`{word}` compares nothing"))
}

/// The operator between floating-point numbers.
fn operator(inst: &Inst<'_>) -> Result<Comparison, Refusal> {
    let word = word(inst)?;
    Comparison::ALL.into_iter().find(|c| c.word() == word).ok_or_else(|| unknown(word))
}

/// The type of the operands: the last one that is written.
fn compared(inst: &Inst<'_>) -> Result<&'static str, Refusal> {
    types(inst).last().copied().ok_or_else(|| "a comparison without a type".into())
}

/// The predicates of `setp`.
fn predicates(inst: &mut Inst<'_>) -> Result<Outcomes, Refusal> {
    Ok(Outcomes::Predicates(inst.predicate_dst("p")?, inst.predicate_dst("q")?))
}

/// The number of `set`: all ones for integers, 1.0 for floating-point numbers.
fn number(inst: &mut Inst<'_>) -> Result<Outcomes, Refusal> {
    Ok(match types(inst).first().copied().unwrap_or_default() {
        ".f32" => Outcomes::Words(inst.dst("d")?, 0x3f80_0000),
        ".f16" => Outcomes::Halves(inst.dst("d")?, F16::ONE),
        ".bf16" => Outcomes::Halves(inst.dst("d")?, Bf16::ONE),
        ".u16" | ".s16" => Outcomes::Halves(inst.dst("d")?, u16::MAX),
        ".u32" | ".s32" => Outcomes::Words(inst.dst("d")?, u32::MAX),
        other => return Err(format!("a comparison does not give `{other}`").into()),
    })
}

/// A comparison of integers of a type.
fn integers<A: Lane + Ord>(inst: &mut Inst<'_>, to: Outcomes) -> Decoded {
    let (c, combine) = combination(inst)?;
    let ab = (inst.src::<A>("a")?, inst.src::<A>("b")?);
    Ok(match word(inst)? {
        "eq" => Inst::compare(to, ab, c, combine, |a: A, b: A| a == b),
        "ne" => Inst::compare(to, ab, c, combine, |a: A, b: A| a != b),
        "lt" | "lo" => Inst::compare(to, ab, c, combine, |a: A, b: A| a < b),
        "le" | "ls" => Inst::compare(to, ab, c, combine, |a: A, b: A| a <= b),
        "gt" | "hi" => Inst::compare(to, ab, c, combine, |a: A, b: A| a > b),
        "ge" | "hs" => Inst::compare(to, ab, c, combine, |a: A, b: A| a >= b),
        other => return Err(unknown(other)),
    })
}

/// A comparison, by the type of its operands.
fn comparison(inst: &mut Inst<'_>, to: Outcomes) -> Decoded {
    match compared(inst)? {
        ".b16" | ".u16" => integers::<u16>(inst, to),
        ".b32" | ".u32" => integers::<u32>(inst, to),
        ".b64" | ".u64" => integers::<u64>(inst, to),
        ".s16" => integers::<i16>(inst, to),
        ".s32" => integers::<i32>(inst, to),
        ".s64" => integers::<i64>(inst, to),
        ".f32" if flushes(inst) => numbers(inst, to, Flushed),
        ".f32" => numbers(inst, to, Single),
        ".f64" => numbers(inst, to, Double),
        ".f16" if inst.has(".ftz") => numbers(inst, to, FlushedHalf),
        ".f16" => numbers(inst, to, Halves::<F16>::new()),
        ".bf16" => numbers(inst, to, Halves::<Bf16>::new()),
        other => Err(format!("`{other}` is not compared").into()),
    }
}

/// A type of floating-point numbers that are compared.
trait Numbers: Copy + Send + Sync + 'static {
    /// Their bits.
    type Bits: Lane;
    /// `a operator b`.
    fn holds(operator: Comparison, a: Self::Bits, b: Self::Bits) -> bool;
}

/// `.f32`.
#[derive(Clone, Copy)]
struct Single;

/// `.f32` with `.ftz`.
#[derive(Clone, Copy)]
struct Flushed;

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

impl Numbers for Single {
    type Bits = u32;
    #[inline(always)]
    fn holds(operator: Comparison, a: u32, b: u32) -> bool {
        compare::single(operator, false, a, b)
    }
}

impl Numbers for Flushed {
    type Bits = u32;
    #[inline(always)]
    fn holds(operator: Comparison, a: u32, b: u32) -> bool {
        compare::single(operator, true, a, b)
    }
}

impl Numbers for Double {
    type Bits = u64;
    #[inline(always)]
    fn holds(operator: Comparison, a: u64, b: u64) -> bool {
        compare::double(operator, a, b)
    }
}

impl Numbers for FlushedHalf {
    type Bits = u16;
    #[inline(always)]
    fn holds(operator: Comparison, a: u16, b: u16) -> bool {
        compare::half::<F16>(operator, true, a, b)
    }
}

impl<H: Half + 'static> Numbers for Halves<H> {
    type Bits = u16;
    #[inline(always)]
    fn holds(operator: Comparison, a: u16, b: u16) -> bool {
        compare::half::<H>(operator, false, a, b)
    }
}

/// A comparison of floating-point numbers, compiled for each operator.
fn numbers<N: Numbers>(inst: &mut Inst<'_>, to: Outcomes, _: N) -> Decoded {
    let (c, combine) = combination(inst)?;
    let ab = (inst.src::<N::Bits>("a")?, inst.src::<N::Bits>("b")?);
    macro_rules! each {
        ($($operator:ident),*) => {
            match operator(inst)? {
                $(Comparison::$operator => {
                    Inst::compare(to, ab, c, combine, |a: N::Bits, b: N::Bits| N::holds(Comparison::$operator, a, b))
                })*
            }
        };
    }
    Ok(each!(Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan))
}

/// `setp` of integers, bits, `.f32` and `.f64`.
pub(crate) fn setp(inst: &mut Inst<'_>) -> Decoded {
    let to = predicates(inst)?;
    comparison(inst, to)
}

/// `set` of integers, bits, `.f32` and `.f64`.
pub(crate) fn set(inst: &mut Inst<'_>) -> Decoded {
    let to = number(inst)?;
    comparison(inst, to)
}

/// `setp` of half precision: of pairs, `p` is of the lower halves and `q` of the upper ones.
pub(crate) fn setp_half(inst: &mut Inst<'_>) -> Decoded {
    let to = predicates(inst)?;
    match compared(inst)? {
        ".f16x2" if inst.has(".ftz") => pairs(inst, PairsTo::Predicates(to), FlushedHalf),
        ".f16x2" => pairs(inst, PairsTo::Predicates(to), Halves::<F16>::new()),
        ".bf16x2" => pairs(inst, PairsTo::Predicates(to), Halves::<Bf16>::new()),
        _ => comparison(inst, to),
    }
}

/// `set` of half precision.
pub(crate) fn set_half(inst: &mut Inst<'_>) -> Decoded {
    let source = compared(inst)?;
    if !source.ends_with("x2") {
        let to = number(inst)?;
        return comparison(inst, to);
    }
    let yes = match types(inst).first().copied().unwrap_or_default() {
        ".f16x2" => F16::ONE,
        ".bf16x2" => Bf16::ONE,
        ".u32" | ".s32" => u16::MAX,
        other => return Err(format!("a comparison of pairs does not give `{other}`").into()),
    };
    let to = PairsTo::Numbers(inst.dst("d")?, yes);
    match source {
        ".f16x2" if inst.has(".ftz") => pairs(inst, to, FlushedHalf),
        ".f16x2" => pairs(inst, to, Halves::<F16>::new()),
        _ => pairs(inst, to, Halves::<Bf16>::new()),
    }
}

/// Where the outcomes of the lower and the upper halves go.
#[derive(Clone, Copy)]
enum PairsTo {
    /// To `p` and `q`.
    Predicates(Outcomes),
    /// To the halves of a register: the number where it is true, else zero.
    Numbers(crate::registers::Dst<u32>, u16),
}

/// A comparison of pairs.
struct Pairs<F> {
    to: PairsTo,
    ab: (Src<u32>, Src<u32>),
    f: F,
    combine: Combine,
    c: PredicateSrc,
}

impl<F: Fn(u16, u16) -> bool + Send + Sync> LaneStep for Pairs<F> {
    #[inline(always)]
    fn run(&self, registers: &mut Registers, mask: Mask) -> Marked {
        let (a, b) = (registers.get(self.ab.0), registers.get(self.ab.1));
        let (mut low, mut high) = ([0u8; LANES], [0u8; LANES]);
        for lane in 0..LANES {
            low[lane] = (self.f)(a[lane] as u16, b[lane] as u16).into();
            high[lane] = (self.f)((a[lane] >> 16) as u16, (b[lane] >> 16) as u16).into();
        }
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
        Marked::default()
    }
}

fn pairs<N: Numbers<Bits = u16>>(inst: &mut Inst<'_>, to: PairsTo, _: N) -> Decoded {
    let (c, combine) = combination(inst)?;
    let ab = (inst.src("a")?, inst.src("b")?);
    let operator = operator(inst)?;
    Ok(Inst::step(Pairs { to, ab, f: move |a, b| N::holds(operator, a, b), combine, c }))
}

/// `set` of packed integers: all ones in each element for which it is true.
pub(crate) fn set_packed(inst: &mut Inst<'_>) -> Decoded {
    match compared(inst)? {
        ".s16x2" => elements(inst, 16, |x| i32::from(x as i16)),
        ".u16x2" => elements(inst, 16, |x| i32::from(x as u16)),
        ".s8x4" => elements(inst, 8, |x| i32::from(x as i8)),
        ".u8x4" => elements(inst, 8, |x| i32::from(x as u8)),
        other => Err(format!("`{other}` is not compared").into()),
    }
}

/// A comparison of the elements of a word, so many bits wide; `value` gives the value of the lowest one.
fn elements(inst: &mut Inst<'_>, width: u32, value: impl Fn(u32) -> i32 + Send + Sync + Copy + 'static) -> Decoded {
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
    match word(inst)? {
        "eq" => inst.map2(move |a, b| each(a, b, |a, b| a == b)),
        "ne" => inst.map2(move |a, b| each(a, b, |a, b| a != b)),
        "lt" | "lo" => inst.map2(move |a, b| each(a, b, |a, b| a < b)),
        "le" | "ls" => inst.map2(move |a, b| each(a, b, |a, b| a <= b)),
        "gt" | "hi" => inst.map2(move |a, b| each(a, b, |a, b| a > b)),
        "ge" | "hs" => inst.map2(move |a, b| each(a, b, |a, b| a >= b)),
        other => Err(unknown(other)),
    }
}

/// `selp`.
pub(crate) fn selp(inst: &mut Inst<'_>) -> Decoded {
    match bytes(compared(inst)?) {
        2 => selection::<u16>(inst),
        4 => selection::<u32>(inst),
        _ => selection::<u64>(inst),
    }
}

/// Bytes of a type.
fn bytes(name: &str) -> u16 {
    ptx_isa::ISA.ty(name).map_or(4, |t| t.bits / 8)
}

fn selection<T: Lane>(inst: &mut Inst<'_>) -> Decoded {
    let (d, a, b) = (inst.dst::<T>("d")?, inst.src::<T>("a")?, inst.src::<T>("b")?);
    let c = inst.predicate_src("c")?.ok_or("`selp` without its predicate")?;
    Ok(Inst::all(move |r, mask| {
        let out = select(r.predicate(c), r.get(a), r.get(b));
        r.put(d, mask, out);
        Marked::default()
    }))
}

/// `slct`.
pub(crate) fn slct(inst: &mut Inst<'_>) -> Decoded {
    match bytes(types(inst).first().copied().unwrap_or_default()) {
        2 => by_sign::<u16>(inst),
        4 => by_sign::<u32>(inst),
        _ => by_sign::<u64>(inst),
    }
}

fn by_sign<T: Lane>(inst: &mut Inst<'_>) -> Decoded {
    if compared(inst)? == ".s32" {
        return inst.map3(|a: T, b: T, c: i32| if c >= 0 { a } else { b });
    }
    let ftz = flushes(inst);
    inst.map3(move |a: T, b: T, c: u32| if compare::selects_first(ftz, c) { a } else { b })
}
