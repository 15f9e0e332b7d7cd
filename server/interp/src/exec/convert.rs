//! `cvt` and `cvt.pack`: conversions, over all lanes at once.
//!
//! The conversions themselves are in [`values::convert`](ptx_num::values::convert). This module widens the sources to lanes of 32 or 64
//! bits, whatever the widths of their registers, and truncates or extends the results to the widths of theirs.

use crate::exec::float::steps::is_first_generation;
use crate::inst::DecodeContext;
use crate::lanes::{LANES, Lane, LaneMask, lanes};
use crate::machine::code::{DecodeRefusal, OpAction};
use crate::registers::{Dst, RegisterLocation, Src, WarpRegisters};
use crate::simd::{LaneMarks, LaneStep, Lanes, Loop1, Loop2, bits, each1, each2, each3};
use ptx_isa::{Modifier, OperandName};
use ptx_num::values::Marks;
use ptx_num::values::convert::{
    self, ConversionFormat, ConversionOptions, ConversionRounding, Lift, Scaled, Sources, UnspecifiedResults,
};

/// `cvt`, all forms.
pub(crate) fn cvt(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (to, from, mut options) = written(inst).ok_or("`cvt` without its two types")?;
    // Targets before sm_20 have no subnormal numbers of `.f32`. (Until PTX 1.4, conversions from and to 64 bits kept them.)
    let single = ConversionFormat::Scalar(convert::ScalarFormat::F32);
    if (to == single || from == single) && is_first_generation(inst) {
        let version = inst.executable.program.environment.version;
        let old = version.is_some_and(|v| (v.major, v.minor) <= (1, 4));
        options.ftz |= !(old && (to.bits() == 64 || from.bits() == 64));
    }
    let place = |inst: &mut DecodeContext<'_>, name: OperandName, bits: u32| match inst.operand(name) {
        Some(operand) => inst.place(operand, bytes(bits)).map(Some),
        None => Ok(None),
    };
    let d = place(inst, OperandName::D, to.bits())?.ok_or("`cvt` without a destination")?;
    let mut a = place(inst, OperandName::A, from.bits())?;
    let mut b = place(inst, OperandName::B, from.bits())?;
    let (mut e, mut f) = (None, None);
    if a.is_none() {
        let four = inst.places(OperandName::Abef, bytes(from.bits()))?;
        [a, b, e, f] = std::array::from_fn(|i| four.get(i).copied());
    }
    let scale_bits = if options.scaled == Scaled::Two { 16 } else { 8 };
    // A scale without its modifier is ignored.
    let scale = if options.scaled == Scaled::No { None } else { place(inst, OperandName::Scale, scale_bits)? };
    let random = place(inst, OperandName::Rbits, 32)?;
    let a = a.ok_or("`cvt` without a source")?;
    let places = ConversionOperands { d, a, b, e, f, extra: random.or(scale), signed: to.is_signed_integer() };
    let open = UnspecifiedResults::new(from, to, options);
    let step = convert::lift(from, to, options, Steps { places, open });
    step.ok_or("there is no such conversion")?.ok_or_else(|| "a register that is too narrow".into())
}

/// `cvt.pack`.
pub(crate) fn pack(inst: &mut DecodeContext<'_>) -> Result<OpAction, DecodeRefusal> {
    let (bits, signed) = match inst.modifiers().nth(2) {
        Some(Modifier::U16) => (16, false),
        Some(Modifier::S16) => (16, true),
        Some(Modifier::U8) => (8, false),
        Some(Modifier::S8) => (8, true),
        Some(Modifier::U4) => (4, false),
        Some(Modifier::S4) => (4, true),
        Some(Modifier::U2) => (2, false),
        Some(Modifier::S2) => (2, true),
        _ => return Err("`cvt.pack` to an unknown type".into()),
    };
    let (a, b, d) =
        (inst.src::<u32>(OperandName::A)?, inst.src::<u32>(OperandName::B)?, inst.dst::<u32>(OperandName::D)?);
    Ok(match inst.optional_src::<u32>(OperandName::C)? {
        Some(c) => {
            let f = move |a, b, c| convert::pack(bits, signed, a, b, c);
            DecodeContext::step(crate::simd::Map3 { d, abc: (a, b, c), f: each3(f) })
        }
        None => DecodeContext::step(crate::simd::Map2 {
            d,
            ab: (a, b),
            f: each2(move |a, b| convert::pack(bits, signed, a, b, 0)),
        }),
    })
}

/// Size in bytes of the register that holds a value of `bits` bits.
fn bytes(bits: u32) -> u8 {
    (bits / 8).next_power_of_two() as u8
}

/// The type of the result, the type of the source, and the other modifiers, as written.
fn written(inst: &DecodeContext<'_>) -> Option<(ConversionFormat, ConversionFormat, ConversionOptions)> {
    let mut options = ConversionOptions::default();
    let mut types = Vec::new();
    for modifier in inst.modifiers() {
        match modifier {
            Modifier::Ftz => options.ftz = true,
            Modifier::Sat => options.sat = true,
            Modifier::Relu => options.relu = true,
            Modifier::Satfinite => options.satfinite = true,
            Modifier::Pzo => options.pzo = true,
            Modifier::ScaledN1Ue8m0 => options.scaled = Scaled::One,
            Modifier::ScaledN2Ue8m0 => options.scaled = Scaled::Two,
            _ => match ConversionRounding::named(modifier.word()) {
                Some(rounding) => options.rounding = Some(rounding),
                None => types.push(ConversionFormat::named(modifier.word())?),
            },
        }
    }
    let [to, from] = *types.as_slice() else { return None };
    Some((to, from, options))
}

/// The places of the operands.
#[derive(Clone, Copy)]
struct ConversionOperands {
    d: RegisterLocation,
    a: RegisterLocation,
    b: Option<RegisterLocation>,
    e: Option<RegisterLocation>,
    f: Option<RegisterLocation>,
    /// Random bits for stochastic rounding, or else the scale.
    extra: Option<RegisterLocation>,
    /// The result is a signed integer.
    signed: bool,
}

/// The 32 or 64 bits of one lane that a conversion reads or returns.
trait ConversionWord: Lane + Into<u64> + PartialOrd + std::ops::BitAnd<Output = Self> {
    /// The lowest bits of a number.
    fn low(bits: u64) -> Self;
}

impl ConversionWord for u32 {
    #[inline(always)]
    fn low(bits: u64) -> Self {
        bits as Self
    }
}

impl ConversionWord for u64 {
    #[inline(always)]
    fn low(bits: u64) -> Self {
        bits
    }
}

/// A source register of any width that is read as lanes of 32 or 64 bits.
trait SourceRegister: Send + Sync + Copy + 'static {
    type Word: ConversionWord;
    fn get(&self, registers: &WarpRegisters) -> [Self::Word; LANES];
}

/// A result register of any width that is written from lanes of 32 or 64 bits.
trait ResultRegister: Send + Sync + 'static {
    type Word: ConversionWord;
    fn put(&self, registers: &mut WarpRegisters, mask: LaneMask, values: [Self::Word; LANES]);
}

/// A source of at most 32 bits in a register of any width.
#[derive(Clone, Copy)]
enum NarrowSource {
    Byte(Src<u8>),
    Half(Src<u16>),
    Word(Src<u32>),
}

impl NarrowSource {
    fn new(place: RegisterLocation) -> Option<Self> {
        Some(match place.width {
            1 => Self::Byte(Src::new(place)?),
            2 => Self::Half(Src::new(place)?),
            _ => Self::Word(Src::new(place)?),
        })
    }

    fn lane(&self, registers: &WarpRegisters, lane: usize) -> u64 {
        match self {
            Self::Byte(src) => registers.lane(*src, lane).into(),
            Self::Half(src) => registers.lane(*src, lane).into(),
            Self::Word(src) => registers.lane(*src, lane).into(),
        }
    }
}

impl SourceRegister for NarrowSource {
    type Word = u32;
    #[inline(always)]
    fn get(&self, registers: &WarpRegisters) -> [u32; LANES] {
        match self {
            Self::Byte(src) => registers.get(*src).map(u32::from),
            Self::Half(src) => registers.get(*src).map(u32::from),
            Self::Word(src) => registers.get(*src),
        }
    }
}

impl SourceRegister for Src<u64> {
    type Word = u64;
    #[inline(always)]
    fn get(&self, registers: &WarpRegisters) -> [u64; LANES] {
        registers.get(*self)
    }
}

/// A result of at most 32 bits, extended to 32 bits by the conversion, in a register of any width.
enum Result32 {
    Byte(Dst<u8>),
    Half(Dst<u16>),
    Word(Dst<u32>),
    /// A wider register, which gets the value extended by its sign.
    Signed(Dst<i32>),
}

impl Result32 {
    fn new(place: RegisterLocation, signed: bool) -> Option<Self> {
        Some(match place.width {
            1 => Self::Byte(Dst::new(place)?),
            2 => Self::Half(Dst::new(place)?),
            4 => Self::Word(Dst::new(place)?),
            _ if signed => Self::Signed(Dst::new(place)?),
            _ => Self::Word(Dst::new(place)?),
        })
    }
}

impl ResultRegister for Result32 {
    type Word = u32;
    #[inline(always)]
    fn put(&self, registers: &mut WarpRegisters, mask: LaneMask, values: [u32; LANES]) {
        match self {
            Self::Byte(dst) => registers.put(*dst, mask, values.map(|v| v as u8)),
            Self::Half(dst) => registers.put(*dst, mask, values.map(|v| v as u16)),
            Self::Word(dst) => registers.put(*dst, mask, values),
            Self::Signed(dst) => registers.put(*dst, mask, values.map(|v| v as i32)),
        }
    }
}

/// A result of 64 bits.
enum Result64 {
    Plain(Dst<u64>),
    Signed(Dst<i64>),
}

impl Result64 {
    fn new(place: RegisterLocation, signed: bool) -> Option<Self> {
        Some(if signed { Self::Signed(Dst::new(place)?) } else { Self::Plain(Dst::new(place)?) })
    }
}

impl ResultRegister for Result64 {
    type Word = u64;
    #[inline(always)]
    fn put(&self, registers: &mut WarpRegisters, mask: LaneMask, values: [u64; LANES]) {
        match self {
            Self::Plain(dst) => registers.put(*dst, mask, values),
            Self::Signed(dst) => registers.put(*dst, mask, values.map(|v| v as i64)),
        }
    }
}

/// Turns the conversion function of one lane into a step for all lanes.
struct Steps {
    places: ConversionOperands,
    open: UnspecifiedResults,
}

impl Steps {
    fn unary<I: SourceRegister, O: ResultRegister, F: Fn(I::Word) -> O::Word + Send + Sync + 'static>(
        &self,
        a: Option<I>,
        d: Option<O>,
        f: F,
    ) -> Option<OpAction> {
        self.unary_of(a, d, each1(f))
    }

    /// Compiled for each combination of types, not for each conversion.
    fn unary_of<I: SourceRegister, O: ResultRegister>(
        &self,
        a: Option<I>,
        d: Option<O>,
        f: Loop1<I::Word, Lanes<O::Word>>,
    ) -> Option<OpAction> {
        Some(DecodeContext::step(UnaryStep { a: a?, d: d?, f, open: self.open }))
    }

    fn result32(&self) -> Option<Result32> {
        Result32::new(self.places.d, self.places.signed)
    }

    fn result64(&self) -> Option<Result64> {
        Result64::new(self.places.d, self.places.signed)
    }
}

impl Lift for Steps {
    type Output = Option<OpAction>;

    fn b32_to_b32<F: Fn(u32) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        self.unary(NarrowSource::new(self.places.a), self.result32(), function)
    }

    fn b32_to_b64<F: Fn(u32) -> u64 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        self.unary(NarrowSource::new(self.places.a), self.result64(), function)
    }

    fn b64_to_b32<F: Fn(u64) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        self.unary(Src::<u64>::new(self.places.a), self.result32(), function)
    }

    fn b64_to_b64<F: Fn(u64) -> u64 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        self.unary(Src::<u64>::new(self.places.a), self.result64(), function)
    }

    fn pair_to_b32<F: Fn(u32, u32) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        let (a, b) = (NarrowSource::new(self.places.a)?, NarrowSource::new(self.places.b?)?);
        Some(DecodeContext::step(PairStep { ab: (a, b), d: self.result32()?, f: each2(function), open: self.open }))
    }

    fn many_to_b32<F: Fn(&Sources) -> u32 + Send + Sync + Copy + 'static>(self, function: F) -> Self::Output {
        let ConversionOperands { a, b, e, f, extra, .. } = self.places;
        let other = |place: Option<RegisterLocation>| match place {
            Some(place) => NarrowSource::new(place).map(Some),
            None => Some(None),
        };
        let (a, b, e, f, extra) = (NarrowSource::new(a)?, other(b)?, other(e)?, other(f)?, other(extra)?);
        let (d, open) = (self.result32()?, self.open);
        Some(DecodeContext::all(move |registers, mask| {
            let (mut values, mut marked) = ([0; LANES], LaneMarks::default());
            for lane in lanes(mask) {
                let read = |source: &Option<NarrowSource>| source.as_ref().map_or(0, |s| s.lane(registers, lane));
                let a = a.lane(registers, lane);
                let sources = Sources { a, b: read(&b), e: read(&e), f: read(&f), extra: read(&extra) };
                values[lane] = function(&sources);
                note(&mut marked, lane, open.is_open(&sources));
            }
            d.put(registers, mask, values);
            marked
        }))
    }
}

/// Marks the result of a lane as unspecified if `open`.
fn note(marked: &mut LaneMarks, lane: usize, open: bool) {
    marked.add(lane, if open { Marks::UNSPECIFIED } else { Marks::NONE });
}

/// `d = f(a)` for all lanes, including inactive ones.
struct UnaryStep<I: SourceRegister, O: ResultRegister> {
    a: I,
    d: O,
    f: Loop1<I::Word, Lanes<O::Word>>,
    open: UnspecifiedResults,
}

impl<I: SourceRegister, O: ResultRegister> LaneStep for UnaryStep<I, O> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let a = self.a.get(registers);
        self.d.put(registers, mask, self.f.run(&a));
        let unspecified = match &self.open {
            UnspecifiedResults::Never => 0,
            UnspecifiedResults::Nan { sign, infinity } => {
                let (magnitude, infinity) = (I::Word::low(*sign - 1), I::Word::low(*infinity));
                let mut truth = [0u8; LANES];
                for lane in 0..LANES {
                    truth[lane] = (a[lane] & magnitude > infinity).into();
                }
                bits(&truth)
            }
            open => {
                let open = |lane: &usize| open.is_open(&Sources { a: a[*lane].into(), ..Sources::default() });
                lanes(mask).filter(open).fold(0, |m, lane| m | 1 << lane)
            }
        };
        LaneMarks { unspecified: unspecified & mask, approximate: 0 }
    }
}

/// `d = f(a, b)` for all lanes, including inactive ones.
struct PairStep {
    ab: (NarrowSource, NarrowSource),
    d: Result32,
    f: Loop2<u32, u32, Lanes<u32>>,
    open: UnspecifiedResults,
}

impl LaneStep for PairStep {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let sources = (self.ab.0.get(registers), self.ab.1.get(registers));
        self.d.put(registers, mask, self.f.run(&sources));
        let (a, b) = sources;
        let mut marked = LaneMarks::default();
        if !matches!(self.open, UnspecifiedResults::Never) {
            for lane in lanes(mask) {
                let sources = Sources { a: a[lane].into(), b: b[lane].into(), ..Sources::default() };
                note(&mut marked, lane, self.open.is_open(&sources));
            }
        }
        marked
    }
}

#[cfg(test)]
mod tests;
