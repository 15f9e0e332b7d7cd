//! Scalar video instructions: `vadd vsub vabsdiff vmin vmax vshl vshr vset` (manual 9.7.18.1).

use super::super::Marks;
use super::super::integer::compare::IntegerComparison;
use super::RegisterPart;

/// The primary operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarOperation {
    /// `vadd`.
    Add,
    /// `vsub`.
    Sub,
    /// `vabsdiff`.
    AbsDiff,
    /// `vmin`.
    Min,
    /// `vmax`.
    Max,
    /// `vshl`; the distance is taken modulo 32 (`.wrap`), or limited to 32 (`.clamp`).
    ShiftLeft {
        /// `.wrap`.
        wrap: bool,
    },
    /// `vshr`, with the distance of `vshl`.
    ShiftRight {
        /// `.wrap`.
        wrap: bool,
    },
    /// `vset`: 1 or 0.
    Set(IntegerComparison),
}

/// Secondary operation, applied to the intermediate result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// None: the intermediate result is the result; a third operand has no influence.
    Nothing,
    /// `.add`: `c` is added.
    Add,
    /// `.min`: the smaller of the intermediate result and `c`.
    Min,
    /// `.max`: the larger of the intermediate result and `c`.
    Max,
    /// A selector on `d`: the intermediate result replaces that part of `c`.
    Merge(RegisterPart),
}

/// A source operand: a part of a register and its signedness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VideoSource {
    /// The part of the register.
    pub part: RegisterPart,
    /// `.s32`.
    pub signed: bool,
}

impl VideoSource {
    #[inline]
    pub(super) fn read(self, register: u32) -> i64 {
        self.part.read(register, self.signed)
    }
}

/// A scalar video instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScalarVideo {
    /// The primary operation.
    pub operation: ScalarOperation,
    /// The source `a`.
    pub a: VideoSource,
    /// The source `b`; unsigned for a shift.
    pub b: VideoSource,
    /// Whether the first type is `.s32`: `dtype`, or the `atype` of `vset`, which has no `dtype`.
    pub signed: bool,
    /// `.sat`.
    pub saturate: bool,
    /// The secondary operation.
    pub then: Then,
}

/// Returns a number truncated to 34 bits with a sign: the width of intermediate results.
#[inline]
fn cut34(number: i64) -> i64 {
    number << 30 >> 30
}

impl ScalarVideo {
    /// Returns the result, marked if the manual's pseudo-code yields another one.
    #[inline]
    pub fn evaluate(&self, a: u32, b: u32, c: u32) -> (u32, Marks) {
        let found = self.by_machine(a, b, c);
        (found, if found == self.by_manual(a, b, c) { Marks::NONE } else { Marks::UNSPECIFIED })
    }

    /// Returns the exact result of the primary operation; for a shift the result with 64 bits.
    #[inline]
    fn primary(&self, a: u32, b: u32) -> i64 {
        let (a, b) = (self.a.read(a), self.b.read(b));
        let distance = |wrap: bool| if wrap { b & 31 } else { b.clamp(0, 32) };
        match self.operation {
            ScalarOperation::Add => a + b,
            ScalarOperation::Sub => a - b,
            ScalarOperation::AbsDiff => (a - b).abs(),
            ScalarOperation::Min => a.min(b),
            ScalarOperation::Max => a.max(b),
            ScalarOperation::ShiftLeft { wrap } => a << distance(wrap),
            ScalarOperation::ShiftRight { wrap } => a >> distance(wrap),
            ScalarOperation::Set(comparison) => i64::from(comparison.holds(a, b)),
        }
    }

    #[inline]
    fn shifts(&self) -> bool {
        matches!(self.operation, ScalarOperation::ShiftLeft { .. } | ScalarOperation::ShiftRight { .. })
    }

    /// Evaluates the manual's pseudo-code: 34 bits, clamped to the range of the written part, then combined with `c`. The sign
    /// of `c` is that of `dtype` (`vset`: unsigned).
    #[inline]
    fn by_manual(&self, a: u32, b: u32, c: u32) -> u32 {
        let signed = self.signed && !matches!(self.operation, ScalarOperation::Set(_));
        let mut t = cut34(self.primary(a, b));
        if self.saturate {
            let part = if let Then::Merge(part) = self.then { part } else { RegisterPart::ALL };
            let (low, high) = part.range(signed);
            t = t.clamp(low, high);
        }
        let third = RegisterPart::ALL.read(c, signed);
        match self.then {
            Then::Nothing => t as u32,
            Then::Add => (t + third) as u32,
            Then::Min => t.min(third) as u32,
            Then::Max => t.max(third) as u32,
            Then::Merge(part) => part.write(c, t),
        }
    }

    /// Evaluates the assembler's macros. They deviate from the pseudo-code as follows:
    ///
    /// - `.sat` with a selector on `d` replaces every negative or too large number by the largest one. After shifts it clamps
    ///   to 32 bits, whatever the part.
    /// - `.sat` to `.u32` without a selector does not clamp from above, except after shifts.
    /// - `.min` and `.max` compare 64 bits (unsigned if `dtype` is unsigned; for `vset`: `atype`) and extend the intermediate
    ///   result by its sign. The intermediate result of `vadd`, `vsub` and a saturated shift is truncated to 32 bits before.
    #[inline]
    fn by_machine(&self, a: u32, b: u32, c: u32) -> u32 {
        let mut t = self.primary(a, b);
        let word = (0, i64::from(u32::MAX));
        if self.saturate {
            t = match self.then {
                Then::Merge(part) if !self.shifts() => {
                    let all = if (word.0..=word.1).contains(&t) { t } else { word.1 };
                    all.min(part.range(self.signed).1)
                }
                _ if self.signed || self.shifts() => {
                    let (low, high) = RegisterPart::ALL.range(self.signed);
                    if self.shifts() { cut34(t).clamp(low, high) } else { t.clamp(low, high) }
                }
                _ => t.max(0),
            };
        }
        let cut =
            matches!(self.operation, ScalarOperation::Add | ScalarOperation::Sub) || (self.shifts() && self.saturate);
        let extended = if cut { i64::from(t as i32) } else { t };
        let third = RegisterPart::ALL.read(c, self.signed);
        let (smaller, larger) = if self.signed || extended as u64 >= third as u64 {
            if self.signed { (extended.min(third), extended.max(third)) } else { (third, extended) }
        } else {
            (extended, third)
        };
        match self.then {
            Then::Nothing => t as u32,
            Then::Add => (t as u32).wrapping_add(c),
            Then::Min => smaller as u32,
            Then::Max => larger as u32,
            Then::Merge(part) => part.write(c, t),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(operation: ScalarOperation, signs: [bool; 3], parts: [RegisterPart; 2]) -> ScalarVideo {
        let [d, a, b] = signs;
        let source = |i: usize, signed| VideoSource { part: parts[i], signed };
        ScalarVideo { operation, a: source(0, a), b: source(1, b), signed: d, saturate: false, then: Then::Nothing }
    }

    /// Saturated sums and differences, computed by hand with the manual's rules.
    #[test]
    fn plain_results_are_those_of_the_manual_and_carry_no_mark() {
        let b0 = RegisterPart::of("b0").unwrap();
        let h0 = RegisterPart::of("h0").unwrap();
        let h1 = RegisterPart::of("h1").unwrap();
        let sum = ScalarVideo { saturate: true, ..scalar(ScalarOperation::Add, [true, false, true], [b0, h0]) };
        assert_eq!(sum.evaluate(0x1234_56ff, 0x0000_8000, 0), ((255 - 32768) as u32, Marks::NONE));
        let difference = ScalarVideo { saturate: true, ..scalar(ScalarOperation::Sub, [true, true, false], [h1, h1]) };
        assert_eq!(difference.evaluate(0x8000_0000, 0xffff_0000, 0), ((-32768 - 65535) as u32, Marks::NONE));
        let set = ScalarVideo {
            then: Then::Add,
            ..scalar(ScalarOperation::Set(IntegerComparison::Lt), [true, true, false], [RegisterPart::ALL; 2])
        };
        assert_eq!(set.evaluate(0xffff_fffe, 3, 10), (11, Marks::NONE));
        let left = scalar(ScalarOperation::ShiftLeft { wrap: false }, [false; 3], [RegisterPart::ALL; 2]);
        assert_eq!(left.evaluate(5, 40, 0), (0, Marks::NONE));
        let left = scalar(ScalarOperation::ShiftLeft { wrap: true }, [false; 3], [RegisterPart::ALL; 2]);
        assert_eq!(left.evaluate(5, 40, 0), (5 << 8, Marks::NONE));
    }

    #[test]
    fn a_mark_says_where_the_machine_leaves_the_manual() {
        let b0 = RegisterPart::of("b0").unwrap();
        // -27 saturated to a signed byte that is merged: the macro does not clamp from below.
        let merged = ScalarVideo {
            saturate: true,
            then: Then::Merge(b0),
            ..scalar(ScalarOperation::Add, [true, true, true], [b0, b0])
        };
        assert_eq!(merged.evaluate(0xe5, 0, 0x8600), (0x867f, Marks::UNSPECIFIED));
        assert_eq!(merged.evaluate(0x75, 0x75, 0x8600), (0x867f, Marks::NONE));
        // The smaller of 2^31 and a larger number: the macro extends the sum by its sign, but compares unsigned.
        let smaller =
            ScalarVideo { then: Then::Min, ..scalar(ScalarOperation::Add, [false; 3], [RegisterPart::ALL; 2]) };
        assert_eq!(smaller.evaluate(0x8000_0000, 0, 0x9000_0000), (0x9000_0000, Marks::UNSPECIFIED));
        assert_eq!(smaller.evaluate(5, 6, 0x9000_0000), (11, Marks::NONE));
    }
}
