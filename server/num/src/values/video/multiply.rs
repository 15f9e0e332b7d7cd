//! `vmad` (manual 9.7.18.1.3).

use super::super::Marks;
use super::RegisterPart;
use super::scalar::VideoSource;

/// Signs of the terms of a `vmad`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// `a * b + c`; also if both `a` and `b` are negated.
    Plain,
    /// `.po`: `a * b + c + 1`.
    PlusOne,
    /// A minus before one of `a` and `b`: `c - a * b`.
    MinusProduct,
    /// A minus before `c`: `a * b - c`.
    MinusThird,
}

/// A `vmad` instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multiply {
    /// The source `a`.
    pub a: VideoSource,
    /// The source `b`.
    pub b: VideoSource,
    /// Signs of the terms.
    pub sign: Sign,
    /// `.sat`.
    pub saturate: bool,
    /// Distance in bits by which the sum is shifted to the right: 0, 7 (`.shr7`) or 15 (`.shr15`).
    pub scale: u32,
}

impl Multiply {
    /// Returns the result, marked if the manual's pseudo-code yields another one.
    #[inline]
    pub fn evaluate(&self, a: u32, b: u32, c: u32) -> (u32, Marks) {
        let found = self.by_machine(a, b, c);
        (found, if found == self.by_manual(a, b, c) { Marks::NONE } else { Marks::UNSPECIFIED })
    }

    /// Whether the result and `c` are signed: if a source type is signed or a term is negated. `dtype` has no influence.
    #[inline]
    fn signed(&self) -> bool {
        self.a.signed || self.b.signed || matches!(self.sign, Sign::MinusProduct | Sign::MinusThird)
    }

    /// Returns the shift distance, limited to 63.
    #[inline]
    fn distance(&self) -> u32 {
        self.scale & 63
    }

    #[inline]
    fn sum(&self, product: i128, third: i128) -> i128 {
        match self.sign {
            Sign::Plain => product + third,
            Sign::PlusOne => product + third + 1,
            Sign::MinusProduct => third - product,
            Sign::MinusThird => product - third,
        }
    }

    /// Evaluates the manual's pseudo-code with 128 bits.
    #[inline]
    fn by_manual(&self, a: u32, b: u32, c: u32) -> u32 {
        let product = i128::from(self.a.read(a)) * i128::from(self.b.read(b));
        let mut t = self.sum(product, i128::from(RegisterPart::ALL.read(c, self.signed()))) >> self.distance();
        if self.saturate {
            let (low, high) = RegisterPart::ALL.range(self.signed());
            t = t.clamp(i128::from(low), i128::from(high));
        }
        t as u32
    }

    /// Evaluates the assembler's macro: whole words count as signed in the product, `c` always does, the sum has 64 bits.
    #[inline]
    fn by_machine(&self, a: u32, b: u32, c: u32) -> u32 {
        let factor = |source: VideoSource, register| i128::from(source.read(register) as i32);
        let sum = self.sum(factor(self.a, a) * factor(self.b, b), i128::from(c as i32)) as i64;
        let t = if self.signed() { sum >> self.distance() } else { (sum as u64 >> self.distance()) as i64 };
        if self.saturate {
            let (low, high) = RegisterPart::ALL.range(self.signed());
            return t.clamp(low, high) as u32;
        }
        t as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_products_carry_no_mark() {
        let source = |part, signed| VideoSource { part, signed };
        let (h0, b1) = (RegisterPart::of("h0").unwrap(), RegisterPart::of("b1").unwrap());
        let vmad = Multiply { a: source(h0, true), b: source(b1, false), sign: Sign::Plain, saturate: false, scale: 7 };
        assert_eq!(vmad.evaluate(0xfffe, 0x0300, 0x1000), (((-2 * 3 + 0x1000) >> 7) as u32, Marks::NONE));
        let vmad = Multiply { sign: Sign::MinusProduct, scale: 0, ..vmad };
        assert_eq!(vmad.evaluate(0xfffe, 0x0300, 0x1000), (0x1006, Marks::NONE));
        let vmad =
            Multiply { a: source(RegisterPart::ALL, true), b: source(RegisterPart::ALL, true), saturate: true, ..vmad };
        assert_eq!(vmad.evaluate(0x7fff_ffff, 0x7fff_ffff, 0), (0x8000_0000, Marks::NONE));
        // Unsigned words above 2^31 are multiplied as signed ones.
        let plain = VideoSource { part: RegisterPart::ALL, signed: false };
        let vmad = Multiply { a: plain, b: plain, sign: Sign::Plain, saturate: false, scale: 15 };
        assert_eq!(vmad.evaluate(0x8000_0000, 0x8000, 0), (0x8000_0000, Marks::NONE));
        let vmad = Multiply { saturate: true, scale: 0, ..vmad };
        assert_eq!(vmad.evaluate(0x8000_0000, 2, 0), (0, Marks::UNSPECIFIED));
    }
}
