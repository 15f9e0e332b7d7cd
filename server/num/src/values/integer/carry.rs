//! Extended precision: `add.cc addc sub.cc subc mad.cc madc` (manual 9.7.2).
//!
//! `CC.CF` is one bit. The manual calls it a carry after an addition and a borrow after a subtraction, but does not define its
//! value for an addition that follows a subtraction. The machine stores the carry of `a + ~b + 1`, the *complement* of the
//! borrow, and `subc` subtracts one if the bit is clear (read in the machine code of `sm_75`, `sm_90`, `sm_120`). Within a
//! chain of subtractions this is the manual's borrow, and mixed chains behave like the machine. The `carry` of every function
//! here is that bit.
//!
//! The flag is the same for signed and unsigned types. For an instruction without `.cc`, ignore the second result.

use super::super::Marks;
use super::Int;
use super::product::{mul_hi, mul_lo};

/// `add.cc`: the sum and the carry.
#[inline(always)]
pub fn add_cc<T: Int>(a: T, b: T) -> (T, bool) {
    a.plus_carrying(b, false)
}

/// `addc`, `addc.cc`: the sum including the incoming carry, and the outgoing carry.
#[inline(always)]
pub fn addc<T: Int>(a: T, b: T, carry: bool) -> (T, bool) {
    a.plus_carrying(b, carry)
}

/// `sub.cc`: the difference and the carry, which is clear on a borrow.
#[inline(always)]
pub fn sub_cc<T: Int>(a: T, b: T) -> (T, bool) {
    a.plus_carrying(b.not(), true)
}

/// `subc`, `subc.cc`: the difference, minus one if the incoming carry is clear, and the outgoing carry.
#[inline(always)]
pub fn subc<T: Int>(a: T, b: T, carry: bool) -> (T, bool) {
    a.plus_carrying(b.not(), carry)
}

/// `addc.sat.s32` (accepted by the assembler, not in the manual): the sum with the carry, clamped.
#[inline(always)]
pub fn addc_sat(a: i32, b: i32, carry: bool) -> i32 {
    clamp(i64::from(a) + i64::from(b) + i64::from(carry))
}

/// `subc.sat.s32` (accepted by the assembler, not in the manual): the difference with the borrow, clamped.
#[inline(always)]
pub fn subc_sat(a: i32, b: i32, carry: bool) -> i32 {
    clamp(i64::from(a) - i64::from(b) - i64::from(!carry))
}

#[inline(always)]
fn clamp(exact: i64) -> i32 {
    exact.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// `mad.lo.cc` (with a clear `carry`), `madc.lo`, `madc.lo.cc`: the lower half of the product plus `c` plus the carry, and the
/// carry of that addition.
#[inline(always)]
pub fn madc_lo<T: Int>(a: T, b: T, c: T, carry: bool) -> (T, bool) {
    mul_lo(a, b).plus_carrying(c, carry)
}

/// `mad.hi.cc` (with a clear `carry`), `madc.hi`, `madc.hi.cc`: the upper half of the product plus `c` plus the carry, and the
/// carry of that addition.
#[inline(always)]
pub fn madc_hi<T: Int>(a: T, b: T, c: T, carry: bool) -> (T, bool) {
    mul_hi(a, b).plus_carrying(c, carry)
}

/// `madc.hi.sat.s32` (accepted by the assembler, not in the manual). The assembler emits the machine code of `madc.hi.s32` for
/// it, which does not saturate (`ptxas` 13.5, `sm_75` … `sm_120`). The result is marked if clamping would change it.
#[inline(always)]
pub fn madc_hi_sat(a: i32, b: i32, c: i32, carry: bool) -> (i32, Marks) {
    let (sum, _) = madc_hi(a, b, c, carry);
    let meant = addc_sat(mul_hi(a, b), c, carry);
    (sum, if sum == meant { Marks::NONE } else { Marks::UNSPECIFIED })
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, clamped, cut, pairs, value};
    use super::*;

    /// Returns the bits as an unsigned number.
    fn plain<T: Int>(a: T) -> i128 {
        i128::from(a.to_bits())
    }

    fn chain<T: Int>(seed: u64) {
        let mut sample = Sample::new(seed + 100);
        for (a, b) in pairs::<T>(seed, 5000) {
            let c: T = sample.operand();
            for carry in [false, true] {
                let one = i128::from(carry);
                let sum = plain(a) + plain(b) + one;
                assert_eq!(addc(a, b, carry), (cut(sum), sum >> T::BITS != 0));
                let difference = plain(a) - plain(b) - (1 - one);
                assert_eq!(subc(a, b, carry), (cut(difference), difference >= 0), "{a:?} {b:?}");
                let product = value(a).wrapping_mul(value(b));
                let low: T = cut(product);
                let sum = plain(low) + plain(c) + one;
                assert_eq!(madc_lo(a, b, c, carry), (cut(sum), sum >> T::BITS != 0));
                let upper =
                    if T::BITS == 64 && !T::SIGNED { ((product as u128) >> 64) as i128 } else { product >> T::BITS };
                let sum = plain(cut::<T>(upper)) + plain(c) + one;
                assert_eq!(madc_hi(a, b, c, carry), (cut(sum), sum >> T::BITS != 0));
            }
            assert_eq!(add_cc(a, b), addc(a, b, false));
            assert_eq!(sub_cc(a, b), (cut(plain(a) - plain(b)), plain(a) >= plain(b)));
        }
    }

    #[test]
    fn carries_are_those_of_whole_numbers() {
        chain::<u32>(1);
        chain::<u64>(2);
        chain::<i32>(3);
        chain::<i64>(4);
        chain::<u16>(5);
        chain::<i16>(6);
    }

    #[test]
    fn sums_with_a_carry_are_clamped_as_one() {
        for (a, b) in pairs::<i32>(7, 5000) {
            for carry in [false, true] {
                let one = i128::from(carry);
                assert_eq!(addc_sat(a, b, carry), clamped(value(a) + value(b) + one));
                assert_eq!(subc_sat(a, b, carry), clamped(value(a) - value(b) - (1 - one)));
                let upper = (value(a) * value(b)) >> 32;
                let (sum, marks) = madc_hi_sat(a, b, a, carry);
                assert_eq!(sum, cut(upper + value(a) + one));
                assert_eq!(marks.is_none(), sum == clamped(upper + value(a) + one));
            }
        }
    }

    /// The example of the manual's section on `madc`: a product of two 64-bit numbers in words of 32 bits.
    #[test]
    fn a_ladder_of_them_makes_a_product_of_128_bits() {
        for (x, y) in pairs::<u64>(8, 5000) {
            let ([a0, a1], [b0, b1]) = ([x as u32, (x >> 32) as u32], [y as u32, (y >> 32) as u32]);
            let r0 = mul_lo(a0, b0);
            let r1 = mul_hi(a0, b0);
            let (r1, cf) = madc_lo(a1, b0, r1, false);
            let (r2, _) = madc_hi(a1, b0, 0, cf);
            let (r1, cf) = madc_lo(a0, b1, r1, false);
            let (r2, cf) = madc_hi(a0, b1, r2, cf);
            let (r3, _) = addc(0, 0, cf);
            let (r2, cf) = madc_lo(a1, b1, r2, false);
            let (r3, _) = madc_hi(a1, b1, r3, cf);
            let made = [r3, r2, r1, r0].iter().fold(0u128, |sum, word| sum << 32 | u128::from(*word));
            assert_eq!(made, u128::from(x) * u128::from(y));
        }
    }
}
