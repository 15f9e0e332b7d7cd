//! Instructions on registers only, executed for all lanes at once.
//!
//! The operation on one lane is a plain closure. It is inlined into a loop over 32 lanes, which the compiler turns into vector
//! instructions: those of AVX2 on x86-64. On an x86-64 without AVX2 (before 2013) the loop calls the closure through a pointer. There is
//! then one such loop per type, not one per operation: compiling all of them twice took a third of the time.

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

    /// The step for a processor without the vector instructions: its closures are called through pointers.
    fn scalar(self) -> BoxedStep
    where
        Self: Sized + 'static,
    {
        Box::new(self)
    }
}

/// A step of any type.
pub type BoxedStep = Box<dyn LaneStep>;

/// A step, compiled for the processor that runs the program. `S::run` should be `#[inline(always)]`.
pub fn step<S: LaneStep + 'static>(inner: S) -> BoxedStep {
    #[cfg(target_arch = "x86_64")]
    return if x86::available() { Box::new(x86::Avx2(inner)) } else { inner.scalar() };
    #[cfg(not(target_arch = "x86_64"))]
    Box::new(inner)
}

/// Whether steps are compiled for a processor with fused multiply-add.
pub(crate) fn fuses() -> bool {
    #[cfg(target_arch = "x86_64")]
    return x86::available();
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(target_arch = "aarch64");
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use super::{LaneMarks, LaneStep};
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

    /// A step compiled with AVX2. Constructed only if [`available`] is true.
    pub(super) struct Avx2<S>(pub(super) S);

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
    #[inline]
    fn with_avx2<S: LaneStep>(step: &S, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        step.run(registers, mask)
    }

    impl<S: LaneStep> LaneStep for Avx2<S> {
        fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
            // SAFETY: `super::step` makes an `Avx2` only after `available` has found these features.
            unsafe { with_avx2(&self.0, registers, mask) }
        }
    }
}

/// `d = f(a)` for all lanes, including inactive ones: `f` must be cheap and accept any bits.
pub struct Map1<A, D, F> {
    /// Destination.
    pub d: Dst<D>,
    /// Source.
    pub a: Src<A>,
    /// The operation.
    pub f: F,
}

impl<A: Lane, D: Lane, F: Fn(A) -> D + Send + Sync> LaneStep for Map1<A, D, F> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let a = registers.get(self.a);
        let mut out = [D::default(); LANES];
        for lane in 0..LANES {
            out[lane] = (self.f)(a[lane]);
        }
        registers.put(self.d, mask, out);
        LaneMarks::default()
    }

    fn scalar(self) -> BoxedStep
    where
        Self: 'static,
    {
        let Self { d, a, f } = self;
        Box::new(Map1 { d, a, f: Box::new(f) as Box<dyn Fn(A) -> D + Send + Sync> })
    }
}

/// `d = f(a, b)` for all lanes, like [`Map1`].
pub struct Map2<A, B, D, F> {
    /// Destination.
    pub d: Dst<D>,
    /// Sources.
    pub ab: (Src<A>, Src<B>),
    /// The operation.
    pub f: F,
}

impl<A: Lane, B: Lane, D: Lane, F: Fn(A, B) -> D + Send + Sync> LaneStep for Map2<A, B, D, F> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let (a, b) = (registers.get(self.ab.0), registers.get(self.ab.1));
        let mut out = [D::default(); LANES];
        for lane in 0..LANES {
            out[lane] = (self.f)(a[lane], b[lane]);
        }
        registers.put(self.d, mask, out);
        LaneMarks::default()
    }

    fn scalar(self) -> BoxedStep
    where
        Self: 'static,
    {
        let Self { d, ab, f } = self;
        Box::new(Map2 { d, ab, f: Box::new(f) as Box<dyn Fn(A, B) -> D + Send + Sync> })
    }
}

/// `d = f(a, b, c)` for all lanes, like [`Map1`].
pub struct Map3<A, B, C, D, F> {
    /// Destination.
    pub d: Dst<D>,
    /// Sources.
    pub abc: (Src<A>, Src<B>, Src<C>),
    /// The operation.
    pub f: F,
}

impl<A: Lane, B: Lane, C: Lane, D: Lane, F: Fn(A, B, C) -> D + Send + Sync> LaneStep for Map3<A, B, C, D, F> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let (a, b, c) = (registers.get(self.abc.0), registers.get(self.abc.1), registers.get(self.abc.2));
        let mut out = [D::default(); LANES];
        for lane in 0..LANES {
            out[lane] = (self.f)(a[lane], b[lane], c[lane]);
        }
        registers.put(self.d, mask, out);
        LaneMarks::default()
    }

    fn scalar(self) -> BoxedStep
    where
        Self: 'static,
    {
        let Self { d, abc, f } = self;
        Box::new(Map3 { d, abc, f: Box::new(f) as Box<dyn Fn(A, B, C) -> D + Send + Sync> })
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

/// A comparison `t = f(a, b)`, combined with a predicate; for all lanes, like [`Map1`].
pub struct Compare<A, F> {
    /// Destinations.
    pub to: Outcomes,
    /// Sources.
    pub ab: (Src<A>, Src<A>),
    /// The comparison.
    pub f: F,
    /// Combines the comparison `t` with the predicate `c`. Returns `p` and `q`. All are lane masks.
    pub combine: fn(t: LaneMask, c: LaneMask) -> (LaneMask, LaneMask),
    /// The predicate `c`.
    pub c: PredicateSrc,
}

impl<A: Lane, F: Fn(A, A) -> bool + Send + Sync> LaneStep for Compare<A, F> {
    #[inline(always)]
    fn run(&self, registers: &mut WarpRegisters, mask: LaneMask) -> LaneMarks {
        let (a, b) = (registers.get(self.ab.0), registers.get(self.ab.1));
        // Computing bytes before bits lets the compiler vectorize the first loop.
        let mut truth = [0u8; LANES];
        for lane in 0..LANES {
            truth[lane] = (self.f)(a[lane], b[lane]).into();
        }
        let t = bits(&truth);
        let (p, q) = (self.combine)(t, registers.predicate(self.c));
        self.to.put(registers, mask, p, q);
        LaneMarks::default()
    }

    fn scalar(self) -> BoxedStep
    where
        Self: 'static,
    {
        let Self { to, ab, f, combine, c } = self;
        Box::new(Compare { to, ab, f: Box::new(f) as Box<dyn Fn(A, A) -> bool + Send + Sync>, combine, c })
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
    use super::{Compare, LaneStep, Map1, Map3, Outcomes, bits, step};
    use crate::registers::{Dst, PredicateDst, PredicateSrc, RegisterFile, RegisterLocation, Src, WarpRegisters};
    use std::sync::Arc;

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
        let root = || Map1 { d: dst(2), a: src(0), f: f32::sqrt };
        let sum = || Map3 { d: dst(3), abc: (src(0), src(1), src(2)), f: f32::mul_add };
        let compare = || Compare {
            to: Outcomes::Predicates(Some(PredicateDst(0)), Some(PredicateDst(1))),
            ab: (src(0), src(1)),
            f: |a: f32, b: f32| a < b,
            combine: |t, c| (t & c, !t & c),
            c: PredicateSrc::constant(true),
        };
        for mask in [u32::MAX, 0, 0x8000_0001, 0x00ff_f0f0] {
            let (mut plain, mut quick) = (before.clone(), before.clone());
            for (one, other) in [
                (root().scalar().run(&mut plain, mask), step(root()).run(&mut quick, mask)),
                (sum().scalar().run(&mut plain, mask), step(sum()).run(&mut quick, mask)),
                (compare().scalar().run(&mut plain, mask), step(compare()).run(&mut quick, mask)),
            ] {
                assert_eq!(one, other);
            }
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
    fn truths_become_bits() {
        let mut truth = [0; 32];
        for lane in [0, 1, 7, 8, 15, 16, 30, 31] {
            truth[lane] = 1;
        }
        assert_eq!(bits(&truth), 0xc001_8183);
        assert_eq!(bits(&[1; 32]), u32::MAX);
    }
}
