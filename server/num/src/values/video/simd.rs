//! SIMD video instructions: `vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2`, and the same with four bytes (manual 9.7.18.2).

use super::super::integer::compare::IntegerComparison;

/// The operation on each pair of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimdOperation {
    /// `vadd2`, `vadd4`.
    Add,
    /// `vsub2`, `vsub4`.
    Sub,
    /// `vavrg2`, `vavrg4`: half of the sum, rounded up, or rounded down if the sum is negative.
    Average,
    /// `vabsdiff2`, `vabsdiff4`.
    AbsDiff,
    /// `vmin2`, `vmin4`.
    Min,
    /// `vmax2`, `vmax4`.
    Max,
    /// `vset2`, `vset4`: 1 or 0.
    Set(IntegerComparison),
}

/// Division of a register into elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// Two halves.
    Halves,
    /// Four bytes.
    Bytes,
}

impl Width {
    /// Number of elements in a register.
    #[inline]
    pub fn count(self) -> usize {
        match self {
            Self::Halves => 2,
            Self::Bytes => 4,
        }
    }

    /// Width of an element in bits.
    #[inline]
    pub fn bits(self) -> u32 {
        match self {
            Self::Halves => 16,
            Self::Bytes => 8,
        }
    }
}

/// Source of each element, from the lowest on: an index into the elements of `a` followed by those of `b`; 0 is the lowest of
/// `a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementChoice([u8; 4]);

impl ElementChoice {
    /// Without a selector: all of `a` in order.
    pub const A: Self = Self([0, 1, 2, 3]);

    /// Without a selector on `b`: all of `b` in order.
    #[inline]
    pub fn b(width: Width) -> Self {
        match width {
            Width::Halves => Self([2, 3, 0, 0]),
            Width::Bytes => Self([4, 5, 6, 7]),
        }
    }

    /// Returns the choice of a selector, without its dot: `h32`, `b7654`; the last digit is that of the lowest element.
    #[inline]
    pub fn of(selector: &str, width: Width) -> Option<Self> {
        let (letter, limit) = match width {
            Width::Halves => ('h', b'3'),
            Width::Bytes => ('b', b'7'),
        };
        let digits = selector.strip_prefix(letter)?.as_bytes();
        if digits.len() != width.count() || !digits.iter().all(|d| (b'0'..=limit).contains(d)) {
            return None;
        }
        let mut choice = [0; 4];
        for (place, digit) in choice.iter_mut().zip(digits.iter().rev()) {
            *place = digit - b'0';
        }
        Some(Self(choice))
    }
}

/// Mask of elements: if bit `i` is set, element `i` is written or, with `.add`, added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementMask(u8);

impl ElementMask {
    /// Without a selector: all elements.
    pub const ALL: Self = Self(15);

    /// Returns the mask of a selector, without its dot: `h1`, `b310`.
    #[inline]
    pub fn of(selector: &str, width: Width) -> Option<Self> {
        let letter = if width == Width::Halves { 'h' } else { 'b' };
        let digits = selector.strip_prefix(letter)?;
        let mut mask = 0;
        for digit in digits.chars() {
            let place = digit.to_digit(10).filter(|d| (*d as usize) < width.count())?;
            mask |= 1 << place;
        }
        (mask != 0).then_some(Self(mask))
    }

    #[inline]
    fn has(self, i: usize) -> bool {
        self.0 >> i & 1 == 1
    }
}

/// A SIMD video instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simd {
    /// The operation on each pair of elements.
    pub operation: SimdOperation,
    /// Width of the elements.
    pub width: Width,
    /// Elements selected for the first operand.
    pub a: ElementChoice,
    /// Whether `atype` is `.s32`.
    pub a_signed: bool,
    /// Elements selected for the second operand.
    pub b: ElementChoice,
    /// Whether `btype` is `.s32`.
    pub b_signed: bool,
    /// Whether `dtype` is `.s32`; this determines the range of `.sat`.
    pub signed: bool,
    /// `.sat`.
    pub saturate: bool,
    /// The selector on `d`.
    pub mask: ElementMask,
    /// `.add`: adds the elements of the mask to `c`; otherwise they replace those of `c`.
    pub accumulate: bool,
}

impl Simd {
    /// Returns the result. The assembler's machine code agrees with the manual, so the result is never marked.
    #[inline]
    pub fn evaluate(&self, a: u32, b: u32, c: u32) -> u32 {
        let bits = self.width.bits();
        let all = u32::MAX >> (32 - bits);
        let source = u64::from(b) << 32 | u64::from(a);
        let element = |choice: ElementChoice, i: usize, signed: bool| {
            let top = ((source >> (bits * u32::from(choice.0[i & 3]))) as u32) << (32 - bits);
            if signed { top as i32 >> (32 - bits) } else { (top >> (32 - bits)) as i32 }
        };
        let (low, high) = if self.signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
        let mut out = c;
        for i in 0..self.width.count() {
            let mut t = self.primary(element(self.a, i, self.a_signed), element(self.b, i, self.b_signed));
            if self.saturate {
                t = t.clamp(low, high);
            }
            let at = bits * i as u32;
            out = match (self.mask.has(i), self.accumulate) {
                (false, _) => out,
                (true, true) => out.wrapping_add(t as u32),
                (true, false) => (out & !(all << at)) | ((t as u32 & all) << at),
            };
        }
        out
    }

    #[inline]
    fn primary(&self, a: i32, b: i32) -> i32 {
        match self.operation {
            SimdOperation::Add => a + b,
            SimdOperation::Sub => a - b,
            SimdOperation::Average => (a + b + i32::from(a + b >= 0)) >> 1,
            SimdOperation::AbsDiff => (a - b).abs(),
            SimdOperation::Min => a.min(b),
            SimdOperation::Max => a.max(b),
            SimdOperation::Set(comparison) => i32::from(comparison.holds(a, b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::integer::sample::Sample;
    use super::*;

    const PLAIN: Simd = Simd {
        operation: SimdOperation::Add,
        width: Width::Bytes,
        a: ElementChoice::A,
        a_signed: false,
        b: ElementChoice([4, 5, 6, 7]),
        b_signed: false,
        signed: false,
        saturate: false,
        mask: ElementMask::ALL,
        accumulate: false,
    };

    /// Reference in whole numbers, one element at a time, from the bytes of the registers.
    fn slowly(simd: &Simd, a: u32, b: u32, c: u32) -> u32 {
        let bytes = [a.to_le_bytes(), b.to_le_bytes()].concat();
        let size = 4 / simd.width.count();
        let get = |k: u8, signed: bool| {
            let part = &bytes[usize::from(k) * size..][..size];
            let plain = part.iter().rev().fold(0i64, |sum, byte| sum * 256 + i64::from(*byte));
            let range = 1i64 << (8 * size);
            if signed && plain >= range / 2 { plain - range } else { plain }
        };
        let mut out = c.to_le_bytes().to_vec();
        let mut sum = i64::from(c);
        for i in 0..simd.width.count() {
            let (x, y) = (get(simd.a.0[i], simd.a_signed), get(simd.b.0[i], simd.b_signed));
            let mut t = match simd.operation {
                SimdOperation::Add => x + y,
                SimdOperation::Sub => x - y,
                SimdOperation::Average if x + y >= 0 => (x + y + 1) / 2,
                SimdOperation::Average => (x + y).div_euclid(2),
                SimdOperation::AbsDiff => (x - y).abs(),
                SimdOperation::Min => x.min(y),
                SimdOperation::Max => x.max(y),
                SimdOperation::Set(comparison) => i64::from(comparison.holds(x, y)),
            };
            let range = 1i64 << (8 * size);
            if simd.saturate {
                t = if simd.signed { t.clamp(-range / 2, range / 2 - 1) } else { t.clamp(0, range - 1) };
            }
            if simd.mask.0 >> i & 1 == 1 {
                sum += t;
                out[i * size..][..size].copy_from_slice(&t.to_le_bytes()[..size]);
            }
        }
        if simd.accumulate { sum as u32 } else { out.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)) }
    }

    #[test]
    fn elements_are_chosen_computed_and_merged() {
        let mut sample = Sample::new(1);
        let operations = [
            SimdOperation::Add,
            SimdOperation::Sub,
            SimdOperation::Average,
            SimdOperation::AbsDiff,
            SimdOperation::Min,
            SimdOperation::Max,
            SimdOperation::Set(IntegerComparison::Lt),
            SimdOperation::Set(IntegerComparison::Ne),
        ];
        for round in 0..4000usize {
            let bits = sample.bits();
            let width = if round % 2 == 0 { Width::Halves } else { Width::Bytes };
            let limit = 2 * width.count() as u64;
            let choice = |from: u32| ElementChoice([0, 3, 6, 9].map(|s| ((bits >> (from + s)) % limit) as u8));
            let flag = |i: u32| bits >> i & 1 == 1;
            let simd = Simd {
                operation: operations[round / 2 % operations.len()],
                width,
                a: choice(0),
                a_signed: flag(60),
                b: choice(20),
                b_signed: flag(61),
                signed: flag(62),
                saturate: flag(59),
                mask: ElementMask((bits >> 40) as u8 % (1 << width.count())),
                accumulate: flag(58),
            };
            for _ in 0..10 {
                let (a, b, c) = (sample.operand(), sample.operand(), sample.operand());
                assert_eq!(simd.evaluate(a, b, c), slowly(&simd, a, b, c), "{simd:?} {a:#x} {b:#x} {c:#x}");
            }
        }
    }

    #[test]
    fn selectors_are_read_from_the_top_down() {
        assert_eq!(ElementChoice::of("b7654", Width::Bytes), Some(ElementChoice::b(Width::Bytes)));
        assert_eq!(ElementChoice::of("h32", Width::Halves), Some(ElementChoice::b(Width::Halves)));
        assert_eq!(ElementChoice::of("b3210", Width::Bytes), Some(ElementChoice::A));
        assert_eq!((ElementChoice::of("h42", Width::Halves), ElementChoice::of("b321", Width::Bytes)), (None, None));
        assert_eq!(ElementMask::of("b310", Width::Bytes), Some(ElementMask(0b1011)));
        assert_eq!((ElementMask::of("h2", Width::Halves), ElementMask::of("b", Width::Bytes)), (None, None));
        let first = Simd { mask: ElementMask::of("b0", Width::Bytes).unwrap(), ..PLAIN };
        assert_eq!(first.evaluate(0x0102_03ff, 0x0101_0102, 0x5555_5555), 0x5555_5501);
        let sum = Simd { accumulate: true, operation: SimdOperation::AbsDiff, ..PLAIN };
        assert_eq!(sum.evaluate(0x0a00_05ff, 0x0003_0a00, 1000), 1000 + 10 + 3 + 5 + 255);
    }
}
