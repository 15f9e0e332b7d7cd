//! Instructions on registers only, executed for all lanes at once.
//!
//! The operation on one lane is a plain closure. It is inlined into a loop over 32 lanes, which the compiler turns into vector
//! instructions: those of AVX2 on x86-64. On an x86-64 without AVX2 (before 2013) the loop calls the closure through a pointer.
//!
//! Only this loop, a [`LaneLoop`], is compiled for each operation. Steps read registers, call a loop, and write registers: they are
//! compiled for each combination of types. With all of it compiled for each operation, this crate took half of the time of a build.

use crate::lanes::{LANES, Lane, LaneMask, lanes};
use crate::registers::{Dst, PredicateDst, PredicateSrc, Src, WarpRegisters};
use ptx_num::values::Marks;

/// The lanes whose results are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaneMarks {
    /// Their bits are unspecified in the manual.
    pub unspecified: LaneMask,
    /// They are approximations.
    pub approximate: LaneMask,
}

impl LaneMarks {
    /// Adds the marks of one lane.
    pub fn add(&mut self, lane: usize, marks: Marks) {
        self.unspecified |= LaneMask::from(marks.contains(Marks::UNSPECIFIED)) << lane;
        self.approximate |= LaneMask::from(marks.contains(Marks::APPROXIMATE)) << lane;
    }

    /// The marks of one lane.
    #[inline]
    pub fn of(self, lane: usize) -> Marks {
        let mark = |lanes: LaneMask, mark| if lanes >> lane & 1 != 0 { mark } else { Marks::NONE };
        mark(self.unspecified, Marks::UNSPECIFIED) | mark(self.approximate, Marks::APPROXIMATE)
    }

    /// The same marks for all lanes of a mask.
    pub fn all(mask: LaneMask, marks: Marks) -> Self {
        let of = |mark| if marks.contains(mark) { mask } else { 0 };
        Self { unspecified: of(Marks::UNSPECIFIED), approximate: of(Marks::APPROXIMATE) }
    }
}

/// The effect of an instruction that accesses only registers.
pub trait LaneStep: Send + Sync {
    /// Executes the instruction for the lanes of a mask. Returns the marks of the results.
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks;
}

/// A step of any type.
pub type BoxedStep = Box<dyn LaneStep>;

/// A step, compiled for the processor that runs the program. `S::run` should be `#[inline(always)]`.
pub fn step<S: LaneStep + 'static>(inner: S) -> BoxedStep {
    #[cfg(target_arch = "x86_64")]
    if x86::available() {
        return Box::new(x86::Avx2(inner));
    }
    Box::new(inner)
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use super::{LaneLoop, LaneMarks, LaneOperation, LaneStep};
    use crate::lanes::LaneMask;
    use crate::registers::WarpRegisters;

    /// Whether the processor has the features that [`Avx2`] needs.
    pub(super) fn available() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("f16c")
    }

    /// A step or a loop compiled with AVX2. Constructed only if [`available`] is true.
    pub(super) struct Avx2<S>(pub(super) S);

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
    #[inline]
    fn step_with_avx2<S: LaneStep>(step: &S, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        step.run(registers, mask)
    }

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
    #[inline]
    fn loop_with_avx2<I, O: Default, S: LaneOperation<I, O>>(operation: &S, input: &I) -> O {
        operation.all(input)
    }

    impl<S: LaneStep> LaneStep for Avx2<S> {
        fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
            // SAFETY: `super::step` makes an `Avx2` only after `available` has found these features.
            unsafe { step_with_avx2(&self.0, registers, mask) }
        }
    }

    impl<I, O: Default, S: LaneOperation<I, O>> LaneLoop<I, O> for Avx2<S> {
        fn run(&self, input: &I) -> O {
            // SAFETY: `super::compiled` makes an `Avx2` only after `available` has found these features.
            unsafe { loop_with_avx2(&self.0, input) }
        }
    }
}

/// An operation on one lane: it reads that lane of the input and sets that lane of the output.
pub(crate) trait LaneOperation<I, O>: Send + Sync {
    /// Executes the operation for one lane.
    fn lane(&self, lane: usize, input: &I, output: &mut O);

    /// Executes the operation for all lanes. The compiler turns this loop into vector instructions.
    #[inline(always)]
    fn all(&self, input: &I) -> O
    where
        Self: Sized,
        O: Default,
    {
        let mut output = O::default();
        for lane in 0..LANES {
            self.lane(lane, input, &mut output);
        }
        output
    }
}

/// An operation on all lanes, including inactive ones. `I` and `O` are arrays of lanes, or tuples of them.
pub trait LaneLoop<I, O>: Send + Sync {
    /// Executes the operation for all lanes.
    fn run(&self, input: &I) -> O;
}

/// A loop of any operation.
pub type BoxedLoop<I, O> = Box<dyn LaneLoop<I, O>>;

/// The loop for a processor without the vector instructions: it calls the operation through a pointer.
#[cfg(any(target_arch = "x86_64", test))]
struct OneByOne<I, O>(Box<dyn LaneOperation<I, O>>);

#[cfg(any(target_arch = "x86_64", test))]
impl<I, O: Default> LaneLoop<I, O> for OneByOne<I, O> {
    fn run(&self, input: &I) -> O {
        let mut output = O::default();
        for lane in 0..LANES {
            self.0.lane(lane, input, &mut output);
        }
        output
    }
}

/// The loop for a processor whose vector instructions are always there.
#[cfg(not(target_arch = "x86_64"))]
struct Baseline<S>(S);

#[cfg(not(target_arch = "x86_64"))]
impl<I, O: Default, S: LaneOperation<I, O>> LaneLoop<I, O> for Baseline<S> {
    fn run(&self, input: &I) -> O {
        self.0.all(input)
    }
}

/// The loop of an operation, compiled for the processor that runs the program.
pub(crate) fn compiled<I: 'static, O: Default + 'static>(
    operation: impl LaneOperation<I, O> + 'static,
) -> BoxedLoop<I, O> {
    #[cfg(target_arch = "x86_64")]
    return if x86::available() { Box::new(x86::Avx2(operation)) } else { Box::new(OneByOne(Box::new(operation))) };
    #[cfg(not(target_arch = "x86_64"))]
    Box::new(Baseline(operation))
}

/// The values of all lanes.
pub type Lanes<T> = [T; LANES];

/// A loop with one source operand.
pub type Loop1<A, O> = BoxedLoop<Lanes<A>, O>;
/// A loop with two source operands.
pub type Loop2<A, B, O> = BoxedLoop<(Lanes<A>, Lanes<B>), O>;
/// A loop with three source operands.
pub type Loop3<A, B, C, O> = BoxedLoop<(Lanes<A>, Lanes<B>, Lanes<C>), O>;

/// An operation that is a closure on the values of one lane.
struct Each<F>(F);

impl<A: Lane, D: Lane, F: Fn(A) -> D + Send + Sync> LaneOperation<Lanes<A>, Lanes<D>> for Each<F> {
    #[inline(always)]
    fn lane(&self, lane: usize, a: &Lanes<A>, d: &mut Lanes<D>) {
        d[lane] = (self.0)(a[lane]);
    }
}

impl<A: Lane, B: Lane, D: Lane, F: Fn(A, B) -> D + Send + Sync> LaneOperation<(Lanes<A>, Lanes<B>), Lanes<D>>
    for Each<F>
{
    #[inline(always)]
    fn lane(&self, lane: usize, (a, b): &(Lanes<A>, Lanes<B>), d: &mut Lanes<D>) {
        d[lane] = (self.0)(a[lane], b[lane]);
    }
}

impl<A: Lane, B: Lane, C: Lane, D: Lane, F: Fn(A, B, C) -> D + Send + Sync>
    LaneOperation<(Lanes<A>, Lanes<B>, Lanes<C>), Lanes<D>> for Each<F>
{
    #[inline(always)]
    fn lane(&self, lane: usize, (a, b, c): &(Lanes<A>, Lanes<B>, Lanes<C>), d: &mut Lanes<D>) {
        d[lane] = (self.0)(a[lane], b[lane], c[lane]);
    }
}

/// The loop of `d = f(a)`. `f` must be cheap and accept any bits.
pub fn each1<A: Lane, D: Lane>(f: impl Fn(A) -> D + Send + Sync + 'static) -> Loop1<A, Lanes<D>> {
    compiled(Each(f))
}

/// The loop of `d = f(a, b)`, as [`each1`].
pub fn each2<A: Lane, B: Lane, D: Lane>(f: impl Fn(A, B) -> D + Send + Sync + 'static) -> Loop2<A, B, Lanes<D>> {
    compiled(Each(f))
}

/// The loop of `d = f(a, b, c)`, as [`each1`].
pub fn each3<A: Lane, B: Lane, C: Lane, D: Lane>(
    f: impl Fn(A, B, C) -> D + Send + Sync + 'static,
) -> Loop3<A, B, C, Lanes<D>> {
    compiled(Each(f))
}

/// An operation that compares the values of one lane: its result is 0 or 1. Computing bytes before bits lets the compiler vectorise.
struct Truth<F>(F);

impl<A: Lane, F: Fn(A, A) -> bool + Send + Sync> LaneOperation<(Lanes<A>, Lanes<A>), Lanes<u8>> for Truth<F> {
    #[inline(always)]
    fn lane(&self, lane: usize, (a, b): &(Lanes<A>, Lanes<A>), truth: &mut Lanes<u8>) {
        truth[lane] = (self.0)(a[lane], b[lane]).into();
    }
}

/// The loop of a comparison.
pub type Comparison<A> = Loop2<A, A, Lanes<u8>>;

/// The loop of a comparison. `f` must be cheap and accept any bits.
pub fn comparison<A: Lane>(f: impl Fn(A, A) -> bool + Send + Sync + 'static) -> Comparison<A> {
    compiled(Truth(f))
}

/// The results of all lanes, with their marks.
#[derive(Debug, Clone, Copy, Default)]
pub struct MarkedLanes<D> {
    /// The results.
    pub values: Lanes<D>,
    /// For each lane: bit 0 for [`Marks::UNSPECIFIED`], bit 1 for [`Marks::APPROXIMATE`].
    codes: Lanes<u8>,
}

impl<D> MarkedLanes<D> {
    /// The marks in the lanes of a mask.
    #[inline(always)]
    pub fn marks(&self, mask: LaneMask) -> LaneMarks {
        if self.codes == [0; LANES] {
            return LaneMarks::default();
        }
        let of = |mark: u8| bits(&self.codes.map(|code| code >> mark & 1)) & mask;
        LaneMarks { unspecified: of(0), approximate: of(1) }
    }
}

/// The code of marks in [`MarkedLanes`].
#[inline(always)]
fn code(marks: Marks) -> u32 {
    u32::from(marks.contains(Marks::UNSPECIFIED)) | u32::from(marks.contains(Marks::APPROXIMATE)) << 1
}

/// An operation on one lane whose result may be marked. `marks` gets the operands and the result.
struct Marked<F, M> {
    f: F,
    marks: M,
}

macro_rules! marked {
    ($function:ident, $doc:literal, $input:ty, $lanes:pat, $($name:ident: $ty:ident),*) => {
        impl<$($ty: Lane,)* D: Lane, F, M> LaneOperation<$input, MarkedLanes<D>> for Marked<F, M>
        where
            F: Fn($($ty),*) -> D + Send + Sync,
            M: Fn($($ty,)* D) -> Marks + Send + Sync,
        {
            #[inline(always)]
            fn lane(&self, lane: usize, $lanes: &$input, out: &mut MarkedLanes<D>) {
                out.values[lane] = (self.f)($($name[lane]),*);
                out.codes[lane] = code((self.marks)($($name[lane],)* out.values[lane])) as u8;
            }

            /// Results of exact arithmetic seldom have any mark, so this first looks at all lanes together.
            #[inline(always)]
            fn all(&self, input: &$input) -> MarkedLanes<D> {
                let $lanes = input;
                let mut values = [D::default(); LANES];
                for lane in 0..LANES {
                    values[lane] = (self.f)($($name[lane]),*);
                }
                let code = |lane: usize| code((self.marks)($($name[lane],)* values[lane]));
                let (mut any, mut codes) = (0, [0; LANES]);
                for lane in 0..LANES {
                    any |= code(lane);
                }
                if any != 0 {
                    for lane in 0..LANES {
                        codes[lane] = code(lane) as u8;
                    }
                }
                MarkedLanes { values, codes }
            }
        }

        #[doc = $doc]
        pub fn $function<$($ty: Lane,)* D: Lane>(
            f: impl Fn($($ty),*) -> D + Send + Sync + 'static,
            marks: impl Fn($($ty,)* D) -> Marks + Send + Sync + 'static,
        ) -> BoxedLoop<$input, MarkedLanes<D>> {
            compiled(Marked { f, marks })
        }
    };
}

marked!(marked1, "The loop of `d = f(a)` with the marks of each result.", Lanes<A>, a, a: A);
marked!(marked2, "The loop of `d = f(a, b)`, as [`marked1`].", (Lanes<A>, Lanes<B>), (a, b), a: A, b: B);
marked!(marked3, "The loop of `d = f(a, b, c)`, as [`marked1`].", (Lanes<A>, Lanes<B>, Lanes<C>), (a, b, c), a: A, b: B, c: C);

/// `d = f(a)` for all lanes.
pub struct Map1<A, D> {
    /// Destination.
    pub d: Dst<D>,
    /// Source.
    pub a: Src<A>,
    /// The operation.
    pub f: Loop1<A, Lanes<D>>,
}

impl<A: Lane, D: Lane> LaneStep for Map1<A, D> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let out = self.f.run(&registers.get(self.a));
        registers.put(self.d, mask, out);
        LaneMarks::default()
    }
}

/// `d = f(a, b)` for all lanes.
pub struct Map2<A, B, D> {
    /// Destination.
    pub d: Dst<D>,
    /// Sources.
    pub ab: (Src<A>, Src<B>),
    /// The operation.
    pub f: Loop2<A, B, Lanes<D>>,
}

impl<A: Lane, B: Lane, D: Lane> LaneStep for Map2<A, B, D> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let out = self.f.run(&(registers.get(self.ab.0), registers.get(self.ab.1)));
        registers.put(self.d, mask, out);
        LaneMarks::default()
    }
}

/// `d = f(a, b, c)` for all lanes.
pub struct Map3<A, B, C, D> {
    /// Destination.
    pub d: Dst<D>,
    /// Sources.
    pub abc: (Src<A>, Src<B>, Src<C>),
    /// The operation.
    pub f: Loop3<A, B, C, Lanes<D>>,
}

impl<A: Lane, B: Lane, C: Lane, D: Lane> LaneStep for Map3<A, B, C, D> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let out = self.f.run(&(registers.get(self.abc.0), registers.get(self.abc.1), registers.get(self.abc.2)));
        registers.put(self.d, mask, out);
        LaneMarks::default()
    }
}

/// The destinations of the results `p` and `q` of a comparison.
#[derive(Debug, Clone, Copy)]
pub enum Outcomes {
    /// Predicates for `p` and `q`, each optional.
    Predicates(Option<PredicateDst>, Option<PredicateDst>),
    /// A 16-bit register for `p`: the given number if it is true, else zero.
    Halves(Dst<u16>, u16),
    /// A 32-bit register for `p`, likewise.
    Words(Dst<u32>, u32),
}

impl Outcomes {
    /// Writes the results in the lanes of a mask.
    #[inline(always)]
    pub fn put(self, registers: &mut WarpRegisters, mask: LaneMask, p: LaneMask, q: LaneMask) {
        match self {
            Self::Predicates(to_p, to_q) => {
                if let Some(to) = to_p {
                    registers.put_predicate(to, mask, p);
                }
                if let Some(to) = to_q {
                    registers.put_predicate(to, mask, q);
                }
            }
            Self::Halves(d, yes) => registers.put(d, mask, select(p, [yes; LANES], [0; LANES])),
            Self::Words(d, yes) => registers.put(d, mask, select(p, [yes; LANES], [0; LANES])),
        }
    }
}

/// `a` in the lanes of a mask, `b` in the others.
#[inline(always)]
pub fn select<T: Lane>(mask: LaneMask, a: [T; LANES], b: [T; LANES]) -> [T; LANES] {
    let mut out = b;
    for lane in 0..LANES {
        out[lane] = if mask >> lane & 1 != 0 { a[lane] } else { b[lane] };
    }
    out
}

/// A comparison `t = f(a, b)`, combined with a predicate, for all lanes.
pub struct Compare<A> {
    /// Destinations.
    pub to: Outcomes,
    /// Sources.
    pub ab: (Src<A>, Src<A>),
    /// The comparison.
    pub f: Comparison<A>,
    /// Combines the comparison `t` with the predicate `c`. Returns `p` and `q`. All are lane masks.
    pub combine: fn(t: LaneMask, c: LaneMask) -> (LaneMask, LaneMask),
    /// The predicate `c`.
    pub c: PredicateSrc,
}

impl<A: Lane> LaneStep for Compare<A> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let t = bits(&self.f.run(&(registers.get(self.ab.0), registers.get(self.ab.1))));
        let (p, q) = (self.combine)(t, registers.predicate(self.c));
        self.to.put(registers, mask, p, q);
        LaneMarks::default()
    }
}

/// The lane mask of bytes that are 0 or 1.
#[inline(always)]
pub(crate) fn bits(truth: &[u8; LANES]) -> LaneMask {
    let mut mask = 0;
    for (group, eight) in truth.chunks_exact(8).enumerate() {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(eight);
        // Each byte is 0 or 1. The product gathers them in its highest byte, the first one in the lowest bit.
        let gathered = u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= (gathered as LaneMask) << (8 * group);
    }
    mask
}

/// Any other operation, executed per active lane: `f` reads and writes registers, and returns the marks of the results.
pub struct EachLane<F> {
    /// Called with the registers and each active lane.
    pub f: F,
}

impl<F: Fn(&mut WarpRegisters, usize) -> Marks + Send + Sync> LaneStep for EachLane<F> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let mut marked = LaneMarks::default();
        for lane in lanes(mask) {
            marked.add(lane, (self.f)(registers, lane));
        }
        marked
    }
}

/// Any other operation, executed for all lanes at once.
pub struct AllLanes<F> {
    /// Called with the registers and the active lanes.
    pub f: F,
}

impl<F: Fn(&mut WarpRegisters, LaneMask) -> LaneMarks + Send + Sync> LaneStep for AllLanes<F> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        (self.f)(registers, mask)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Compare, Each, LaneLoop, LaneMarks, LaneStep, Map1, Map3, Marked, OneByOne, Outcomes, Truth, bits, comparison,
        each1, each3, marked1, step,
    };
    use crate::registers::{Dst, PredicateDst, PredicateSrc, RegisterFile, RegisterLocation, Src, WarpRegisters};
    use ptx_num::math::{FusedArithmetic, FusedInstruction, FusedMultiplyAdd};
    use ptx_num::values::Marks;
    use std::sync::Arc;

    fn fused_by(fused: impl FusedMultiplyAdd) -> impl Fn(f32, f32, f32) -> f32 + Send + Sync + 'static {
        move |a, b, c| fused.single(a, b, c)
    }

    /// This test needs no parser, so that Miri can execute it: docs/dev/unsafe-code.md.
    #[test]
    fn steps_do_the_same_with_vectors_and_without() {
        let place = |number: u32| RegisterLocation { file: RegisterFile::Own, offset: 128 * number, width: 4 };
        let (src, dst) = (|n| Src::<f32>::new(place(n)).unwrap(), |n| Dst::<f32>::new(place(n)).unwrap());
        let mut before = WarpRegisters::new(6 * 128, 2, Arc::from([]), Arc::from([]));
        for lane in 0..32_u32 {
            before.set_lane_bits(place(0), lane as usize, (lane as f32 + 0.25).to_bits().into());
            before.set_lane_bits(place(1), lane as usize, u128::from(0x3f80_0001 + (lane << 20)));
        }
        let root = |f| Map1 { d: dst(2), a: src(0), f };
        let sum = |f| Map3 { d: dst(3), abc: (src(0), src(1), src(2)), f };
        let compare = |f| Compare {
            to: Outcomes::Predicates(Some(PredicateDst(0)), Some(PredicateDst(1))),
            ab: (src(0), src(1)),
            f,
            combine: |t, c| (t & c, !t & c),
            c: PredicateSrc::constant(true),
        };
        let less = |a: f32, b: f32| a < b;
        for mask in [u32::MAX, 0, 0x8000_0001, 0x00ff_f0f0] {
            let (mut plain, mut quick) = (before.clone(), before.clone());
            root(Box::new(OneByOne(Box::new(Each(f32::sqrt))))).run(&mut plain, mask);
            step(root(each1(f32::sqrt))).run(&mut quick, mask);
            sum(Box::new(OneByOne(Box::new(Each(fused_by(FusedArithmetic)))))).run(&mut plain, mask);
            step(sum(match FusedInstruction::detect() {
                Some(instruction) => each3(fused_by(instruction)),
                None => each3(fused_by(FusedArithmetic)),
            }))
            .run(&mut quick, mask);
            compare(Box::new(OneByOne(Box::new(Truth(less))))).run(&mut plain, mask);
            step(compare(comparison(less))).run(&mut quick, mask);
            for number in 0..4 {
                assert_eq!(plain.bytes(place(number)), quick.bytes(place(number)), "register {number}, mask {mask:#x}");
            }
            for index in [Some(0), Some(1)] {
                let predicate = PredicateSrc { index, flip: false };
                assert_eq!(plain.predicate(predicate), quick.predicate(predicate), "mask {mask:#x}");
            }
        }
    }

    #[test]
    fn marks_are_the_same_with_vectors_and_without() {
        let marks = |a: u32, d: u32| match (a % 3, d % 5) {
            (0, _) => Marks::UNSPECIFIED,
            (_, 0) => Marks::APPROXIMATE,
            _ => Marks::NONE,
        };
        let double = |a: u32| 2 * a;
        for first in [0, 7] {
            let input = std::array::from_fn(|lane| first + lane as u32);
            let plain = OneByOne(Box::new(Marked { f: double, marks })).run(&input);
            let quick = marked1(double, marks).run(&input);
            assert_eq!(plain.values, quick.values);
            let found = quick.marks(u32::MAX);
            assert_eq!(plain.marks(u32::MAX), found);
            for (lane, &a) in input.iter().enumerate() {
                let expected = marks(a, double(a));
                assert_eq!(found.unspecified >> lane & 1 != 0, expected.contains(Marks::UNSPECIFIED), "lane {lane}");
                assert_eq!(found.approximate >> lane & 1 != 0, expected.contains(Marks::APPROXIMATE), "lane {lane}");
            }
        }
        let unmarked = marked1(double, |_, _| Marks::NONE).run(&[1; 32]);
        assert_eq!(unmarked.marks(u32::MAX), LaneMarks::default());
    }

    #[test]
    fn truths_become_bits() {
        let mut truth = [0; 32];
        for lane in [0, 1, 7, 8, 15, 16, 30, 31] {
            truth[lane] = 1;
        }
        assert_eq!(bits(&truth), 0xc001_8183);
        assert_eq!(bits(&[1; 32]), u32::MAX);
    }
}
