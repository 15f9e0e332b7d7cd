//! Steps on registers alone, for all lanes at once.
//!
//! The operation of one lane is a plain closure. It is inlined into a loop over 32 lanes, which the compiler turns into vector
//! instructions: those of AVX2 on x86-64. An x86-64 without AVX2 (before 2013) calls the closure through a pointer instead, so that
//! there is one such loop for each type and not one for each operation: compiling them all twice took a third of the time.

use crate::lanes::{LANES, Lane, Mask, lanes};
use crate::registers::{Dst, PredicateDst, PredicateSrc, Registers, Src};
use ptx_num::values::Marks;

/// Lanes whose results must be marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marked {
    /// The manual leaves their bits open.
    pub unspecified: Mask,
    /// They are approximations.
    pub approximate: Mask,
}

impl Marked {
    /// The marks of one lane.
    pub fn add(&mut self, lane: usize, marks: Marks) {
        self.unspecified |= Mask::from(marks.contains(Marks::UNSPECIFIED)) << lane;
        self.approximate |= Mask::from(marks.contains(Marks::APPROXIMATE)) << lane;
    }

    /// All lanes of a mask.
    pub fn all(mask: Mask, marks: Marks) -> Self {
        let of = |mark| if marks.contains(mark) { mask } else { 0 };
        Self { unspecified: of(Marks::UNSPECIFIED), approximate: of(Marks::APPROXIMATE) }
    }
}

/// What an instruction does that touches nothing but registers.
pub trait LaneStep: Send + Sync {
    /// Executes it for the lanes of the mask.
    fn run(&self, registers: &mut Registers, mask: Mask) -> Marked;

    /// The step for a processor without the vector instructions: its functions are called through pointers.
    fn scalar(self) -> Step
    where
        Self: Sized + 'static,
    {
        Box::new(self)
    }
}

/// A step that can be executed.
pub type Step = Box<dyn LaneStep>;

/// A step, compiled for the processor at hand. `S::run` should be `#[inline(always)]`.
pub fn step<S: LaneStep + 'static>(inner: S) -> Step {
    #[cfg(target_arch = "x86_64")]
    return if x86::available() { Box::new(x86::Avx2(inner)) } else { inner.scalar() };
    #[cfg(not(target_arch = "x86_64"))]
    Box::new(inner)
}

/// Whether steps are compiled for a processor that multiplies and adds with one rounding.
pub(crate) fn fuses() -> bool {
    #[cfg(target_arch = "x86_64")]
    return x86::available();
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(target_arch = "aarch64");
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use super::{LaneStep, Marked};
    use crate::lanes::Mask;
    use crate::registers::Registers;

    /// Whether this processor has what [`Avx2`] needs.
    pub(super) fn available() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("f16c")
    }

    /// Made only where [`available`] is true.
    pub(super) struct Avx2<S>(pub(super) S);

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
    #[inline]
    fn with_avx2<S: LaneStep>(step: &S, registers: &mut Registers, mask: Mask) -> Marked {
        step.run(registers, mask)
    }

    impl<S: LaneStep> LaneStep for Avx2<S> {
        fn run(&self, registers: &mut Registers, mask: Mask) -> Marked {
            // SAFETY: `super::step` makes an `Avx2` only after `available` has found these features.
            unsafe { with_avx2(&self.0, registers, mask) }
        }
    }
}

/// `d = f(a)` for all lanes, also those that are not active: `f` must be cheap and take any bits.
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
    fn run(&self, registers: &mut Registers, mask: Mask) -> Marked {
        let a = registers.get(self.a);
        let mut out = [D::default(); LANES];
        for lane in 0..LANES {
            out[lane] = (self.f)(a[lane]);
        }
        registers.put(self.d, mask, out);
        Marked::default()
    }

    fn scalar(self) -> Step
    where
        Self: 'static,
    {
        let Self { d, a, f } = self;
        Box::new(Map1 { d, a, f: Box::new(f) as Box<dyn Fn(A) -> D + Send + Sync> })
    }
}

/// `d = f(a, b)` for all lanes, as [`Map1`].
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
    fn run(&self, registers: &mut Registers, mask: Mask) -> Marked {
        let (a, b) = (registers.get(self.ab.0), registers.get(self.ab.1));
        let mut out = [D::default(); LANES];
        for lane in 0..LANES {
            out[lane] = (self.f)(a[lane], b[lane]);
        }
        registers.put(self.d, mask, out);
        Marked::default()
    }

    fn scalar(self) -> Step
    where
        Self: 'static,
    {
        let Self { d, ab, f } = self;
        Box::new(Map2 { d, ab, f: Box::new(f) as Box<dyn Fn(A, B) -> D + Send + Sync> })
    }
}

/// `d = f(a, b, c)` for all lanes, as [`Map1`].
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
    fn run(&self, registers: &mut Registers, mask: Mask) -> Marked {
        let (a, b, c) = (registers.get(self.abc.0), registers.get(self.abc.1), registers.get(self.abc.2));
        let mut out = [D::default(); LANES];
        for lane in 0..LANES {
            out[lane] = (self.f)(a[lane], b[lane], c[lane]);
        }
        registers.put(self.d, mask, out);
        Marked::default()
    }

    fn scalar(self) -> Step
    where
        Self: 'static,
    {
        let Self { d, abc, f } = self;
        Box::new(Map3 { d, abc, f: Box::new(f) as Box<dyn Fn(A, B, C) -> D + Send + Sync> })
    }
}

/// Where the outcomes `p` and `q` of a comparison go.
#[derive(Debug, Clone, Copy)]
pub enum Outcomes {
    /// Both to predicates, as far as they are wanted.
    Predicates(Option<PredicateDst>, Option<PredicateDst>),
    /// `p` to a register of 16 bits: the number where it is true, else zero.
    Halves(Dst<u16>, u16),
    /// `p` to a register of 32 bits, likewise.
    Words(Dst<u32>, u32),
}

impl Outcomes {
    /// Writes them.
    #[inline(always)]
    pub fn put(self, registers: &mut Registers, mask: Mask, p: Mask, q: Mask) {
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
pub fn select<T: Lane>(mask: Mask, a: [T; LANES], b: [T; LANES]) -> [T; LANES] {
    let mut out = b;
    for lane in 0..LANES {
        out[lane] = if mask >> lane & 1 != 0 { a[lane] } else { b[lane] };
    }
    out
}

/// A comparison `t = f(a, b)`, combined with a predicate; for all lanes, as [`Map1`].
pub struct Compare<A, F> {
    /// Destinations.
    pub to: Outcomes,
    /// Sources.
    pub ab: (Src<A>, Src<A>),
    /// The comparison.
    pub f: F,
    /// What is done with the comparison `t` and the predicate `c` of the lanes: gives `p` and `q`.
    pub combine: fn(t: Mask, c: Mask) -> (Mask, Mask),
    /// The predicate that it is combined with.
    pub c: PredicateSrc,
}

impl<A: Lane, F: Fn(A, A) -> bool + Send + Sync> LaneStep for Compare<A, F> {
    #[inline(always)]
    fn run(&self, registers: &mut Registers, mask: Mask) -> Marked {
        let (a, b) = (registers.get(self.ab.0), registers.get(self.ab.1));
        // Bytes first, bits then: the first loop becomes vector instructions.
        let mut truth = [0u8; LANES];
        for lane in 0..LANES {
            truth[lane] = (self.f)(a[lane], b[lane]).into();
        }
        let t = bits(&truth);
        let (p, q) = (self.combine)(t, registers.predicate(self.c));
        self.to.put(registers, mask, p, q);
        Marked::default()
    }

    fn scalar(self) -> Step
    where
        Self: 'static,
    {
        let Self { to, ab, f, combine, c } = self;
        Box::new(Compare { to, ab, f: Box::new(f) as Box<dyn Fn(A, A) -> bool + Send + Sync>, combine, c })
    }
}

/// The mask of bytes that are 0 or 1.
#[inline(always)]
pub(crate) fn bits(truth: &[u8; LANES]) -> Mask {
    let mut mask = 0;
    for (group, eight) in truth.chunks_exact(8).enumerate() {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(eight);
        // Each byte is 0 or 1: the product gathers them in the highest byte, the first one lowest.
        let gathered = u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= (gathered as Mask) << (8 * group);
    }
    mask
}

/// Anything else: `f` reads and writes what it likes for one active lane, and says how the results must be marked.
pub struct EachLane<F> {
    /// Called with the registers and each active lane.
    pub f: F,
}

impl<F: Fn(&mut Registers, usize) -> Marks + Send + Sync> LaneStep for EachLane<F> {
    #[inline(always)]
    fn run(&self, registers: &mut Registers, mask: Mask) -> Marked {
        let mut marked = Marked::default();
        for lane in lanes(mask) {
            marked.add(lane, (self.f)(registers, lane));
        }
        marked
    }
}

/// Anything else, for all lanes at once.
pub struct AllLanes<F> {
    /// Called with the registers and the active lanes.
    pub f: F,
}

impl<F: Fn(&mut Registers, Mask) -> Marked + Send + Sync> LaneStep for AllLanes<F> {
    #[inline(always)]
    fn run(&self, registers: &mut Registers, mask: Mask) -> Marked {
        (self.f)(registers, mask)
    }
}

#[cfg(test)]
mod tests {
    use super::{Compare, LaneStep, Map1, Map3, Outcomes, bits, step};
    use crate::registers::{Dst, File, Place, PredicateDst, PredicateSrc, Registers, Src};
    use std::sync::Arc;

    /// Nothing here needs a parser, so that Miri can execute it: docs/dev/unsafe-code.md.
    #[test]
    fn steps_do_the_same_with_vectors_and_without() {
        let place = |number: u32| Place { file: File::Own, offset: 128 * number, width: 4 };
        let (src, dst) = (|n| Src::<f32>::new(place(n)).unwrap(), |n| Dst::<f32>::new(place(n)).unwrap());
        let mut before = Registers::new(6 * 128, 2, Arc::from([]), Arc::from([]));
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
