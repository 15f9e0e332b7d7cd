//! Products: `mul mad mul24 mad24 clmad` (manual 9.7.1).

use super::Int;
use super::arithmetic::{add, add_sat};

/// `mul.lo`: the lower half of the product.
#[inline(always)]
pub fn mul_lo<T: Int>(a: T, b: T) -> T {
    a.times(b)
}

/// `mul.hi`: the upper half of the product.
#[inline(always)]
pub fn mul_hi<T: Int>(a: T, b: T) -> T {
    T::upper(a.times_wide(b))
}

/// `mul.wide`: the whole product.
#[inline(always)]
pub fn mul_wide<T: Int>(a: T, b: T) -> T::Wide {
    a.times_wide(b)
}

/// `mad.lo`: the lower half of the product, plus `c`; wraps.
#[inline(always)]
pub fn mad_lo<T: Int>(a: T, b: T, c: T) -> T {
    add(mul_lo(a, b), c)
}

/// `mad.hi`: the upper half of the product, plus `c`; wraps.
#[inline(always)]
pub fn mad_hi<T: Int>(a: T, b: T, c: T) -> T {
    add(mul_hi(a, b), c)
}

/// `mad.hi.sat`: the upper half of the product, plus `c`, clamped.
#[inline(always)]
pub fn mad_hi_sat<T: Int>(a: T, b: T, c: T) -> T {
    add_sat(mul_hi(a, b), c)
}

/// `mad.wide`: the whole product, plus `c` of its width; wraps.
#[inline(always)]
pub fn mad_wide<T: Int>(a: T, b: T, c: T::Wide) -> T::Wide {
    T::plus_wide(mul_wide(a, b), c)
}

/// Returns the low 24 bits as a number, signed or unsigned by the type (32 bits wide).
#[inline(always)]
fn low24<T: Int>(a: T) -> i64 {
    let shifted = (a.to_bits() as u32) << 8;
    if T::SIGNED { i64::from(shifted as i32 >> 8) } else { i64::from(shifted >> 8) }
}

/// `mul24.lo`: bits 31 … 0 of the product of the low 24 bits.
#[inline(always)]
pub fn mul24_lo<T: Int>(a: T, b: T) -> T {
    T::from_bits((low24(a) * low24(b)) as u64)
}

/// `mul24.hi`: bits 47 … 16 of the product of the low 24 bits.
#[inline(always)]
pub fn mul24_hi<T: Int>(a: T, b: T) -> T {
    T::from_bits(((low24(a) * low24(b)) >> 16) as u64)
}

/// `mad24.lo`: [`mul24_lo`] plus `c`; wraps.
#[inline(always)]
pub fn mad24_lo<T: Int>(a: T, b: T, c: T) -> T {
    add(mul24_lo(a, b), c)
}

/// `mad24.hi`: [`mul24_hi`] plus `c`; wraps.
#[inline(always)]
pub fn mad24_hi<T: Int>(a: T, b: T, c: T) -> T {
    add(mul24_hi(a, b), c)
}

/// `mad24.hi.sat`: [`mul24_hi`] plus `c`, clamped.
#[inline(always)]
pub fn mad24_hi_sat<T: Int>(a: T, b: T, c: T) -> T {
    add_sat(mul24_hi(a, b), c)
}

/// Returns the product of two polynomials over GF(2): 127 bits.
#[inline]
pub fn carryless(a: u64, b: u64) -> u128 {
    let mut product = 0u128;
    for i in 0..64 {
        // All ones if bit `i` of `a` is set, else 0.
        let taken = 0u128.wrapping_sub(u128::from(a >> i & 1));
        product ^= (u128::from(b) << i) & taken;
    }
    product
}

/// `clmad.lo`: the lower half of the carry-less product, combined with `c` by exclusive or. An instruction of PTX 9.3; the
/// description in the instruction set's data is the only source.
#[inline]
pub fn clmad_lo(a: u64, b: u64, c: u64) -> u64 {
    carryless(a, b) as u64 ^ c
}

/// `clmad.hi`: the upper half of the carry-less product, combined with `c` by exclusive or.
#[inline]
pub fn clmad_hi(a: u64, b: u64, c: u64) -> u64 {
    (carryless(a, b) >> 64) as u64 ^ c
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, clamped, cut, pairs, value};
    use super::*;

    fn halves<T: Int>(seed: u64) {
        let mut sample = Sample::new(seed + 100);
        for (a, b) in pairs::<T>(seed, 5000) {
            let c: T = sample.operand();
            // A 64-bit unsigned product needs all bits of a u128; the test splits those bits.
            let product = value(a).wrapping_mul(value(b));
            let upper =
                if T::BITS == 64 && !T::SIGNED { ((product as u128) >> 64) as i128 } else { product >> T::BITS };
            assert_eq!(mul_lo(a, b), cut(product), "{a:?} * {b:?}");
            assert_eq!(mul_hi(a, b), cut(upper), "{a:?} * {b:?}");
            assert_eq!(mad_lo(a, b, c), cut(product.wrapping_add(value(c))), "{a:?} * {b:?} + {c:?}");
            assert_eq!(mad_hi(a, b, c), cut(upper + value(c)), "{a:?} * {b:?} + {c:?}");
            assert_eq!(mad_hi_sat(a, b, c), clamped(value(cut::<T>(upper)) + value(c)), "{a:?} * {b:?} + {c:?}");
        }
    }

    #[test]
    fn halves_are_those_of_the_whole_product() {
        halves::<u16>(1);
        halves::<u32>(2);
        halves::<u64>(3);
        halves::<i16>(4);
        halves::<i32>(5);
        halves::<i64>(6);
    }

    #[test]
    fn wide_products_are_whole() {
        let mut sample = Sample::new(7);
        for (a, b) in pairs::<i32>(8, 5000) {
            let c: i64 = sample.operand();
            let product = i128::from(a) * i128::from(b);
            assert_eq!(i128::from(mul_wide(a, b)), product);
            assert_eq!(mad_wide(a, b, c), cut(product + i128::from(c)));
            let (a, b, c) = (a as u16, b as u16, c as u32);
            assert_eq!(u64::from(mul_wide(a, b)), u64::from(a) * u64::from(b));
            assert_eq!(mad_wide(a, b, c), (u64::from(a) * u64::from(b) + u64::from(c)) as u32);
        }
    }

    fn twenty_four<T: Int>(seed: u64) {
        let mut sample = Sample::new(seed + 100);
        for (a, b) in pairs::<T>(seed, 5000) {
            let c: T = sample.operand();
            let cut24 = |x: T| {
                let low = value(x).rem_euclid(1 << 24);
                if T::SIGNED && low >= 1 << 23 { low - (1 << 24) } else { low }
            };
            let product = cut24(a) * cut24(b);
            // Bits 47 … 16, as a number of 32 bits.
            let upper = value(cut::<T>(product.div_euclid(1 << 16)));
            assert_eq!(mul24_lo(a, b), cut(product));
            assert_eq!(mul24_hi(a, b), cut(upper));
            assert_eq!(mad24_lo(a, b, c), cut(product + value(c)));
            assert_eq!(mad24_hi(a, b, c), cut(upper + value(c)));
            assert_eq!(mad24_hi_sat(a, b, c), clamped(upper + value(c)));
        }
    }

    #[test]
    fn products_of_24_bits() {
        twenty_four::<u32>(1);
        twenty_four::<i32>(2);
    }

    #[test]
    fn products_without_carries_are_sums_of_shifted_copies() {
        for (a, b) in pairs::<u64>(9, 2000) {
            let mut product = [false; 128];
            for i in (0..64).filter(|i| a >> i & 1 == 1) {
                for j in (0..64).filter(|j| b >> j & 1 == 1) {
                    product[i + j] ^= true;
                }
            }
            let half = |from: usize| (0..64).fold(0u64, |sum, i| sum | u64::from(product[from + i]) << i);
            assert_eq!((clmad_lo(a, b, 0), clmad_hi(a, b, 0)), (half(0), half(64)), "{a:#x} {b:#x}");
            assert_eq!((clmad_lo(a, b, !a), clmad_hi(a, b, b)), (half(0) ^ !a, half(64) ^ b));
        }
    }
}
