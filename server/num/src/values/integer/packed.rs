//! Packed integers: `.u16x2 .s16x2 .u8x4 .s8x4`, two or four in a register of 32 bits.
//!
//! `add.sat.s8x4` is `elementwise::<i8>(a, b, add_sat)`, `set.lt.u16x2` is `elementwise::<u16>(a, b, |a, b| truth(a < b))`.

use super::Int;

/// Applies `f` to each pair of elements of two registers; `T` is the type of an element.
#[inline(always)]
pub fn elementwise<T: Int>(a: u32, b: u32, f: impl Fn(T, T) -> T) -> u32 {
    let mut out = 0;
    let mut at = 0;
    while at < 32 {
        let element = |register: u32| T::from_bits(u64::from(register >> at));
        out |= (f(element(a), element(b)).to_bits() as u32) << at;
        at += T::BITS.min(32);
    }
    out
}

/// Applies `f` to each element of a register.
#[inline(always)]
pub fn each<T: Int>(a: u32, f: impl Fn(T) -> T) -> u32 {
    elementwise(a, a, |a, _| f(a))
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::{add, add_sat, max, max_relu, min, min_relu, neg, sub, sub_sat};
    use super::super::compare::IntegerComparison;
    use super::super::sample::{clamped, cut, pairs, value};
    use super::*;

    /// Compares a result with `f` applied to the elements as whole numbers.
    fn check<T: Int>(found: u32, a: u32, b: u32, f: impl Fn(i128, i128) -> T) {
        for i in 0..32 / T::BITS {
            let element = |register: u32| T::from_bits(u64::from(register >> (i * T::BITS)));
            assert_eq!(element(found), f(value(element(a)), value(element(b))), "{a:#x} {b:#x}");
        }
    }

    fn elements<T: Int>(seed: u64) {
        for (a, b) in pairs::<u32>(seed, 3000) {
            check::<T>(elementwise::<T>(a, b, add), a, b, |x, y| cut(x + y));
            check::<T>(elementwise::<T>(a, b, add_sat), a, b, |x, y| clamped(x + y));
            check::<T>(elementwise::<T>(a, b, sub), a, b, |x, y| cut(x - y));
            check::<T>(elementwise::<T>(a, b, sub_sat), a, b, |x, y| clamped(x - y));
            check::<T>(elementwise::<T>(a, b, min), a, b, |x, y| cut(x.min(y)));
            check::<T>(elementwise::<T>(a, b, max), a, b, |x, y| cut(x.max(y)));
            check::<T>(elementwise::<T>(a, b, min_relu), a, b, |x, y| cut(x.min(y).max(0)));
            check::<T>(elementwise::<T>(a, b, max_relu), a, b, |x, y| cut(x.max(y).max(0)));
            check::<T>(each::<T>(a, neg), a, b, |x, _| cut(-x));
            let less = elementwise::<T>(a, b, |x, y| if IntegerComparison::Lt.holds(x, y) { T::ONES } else { T::ZERO });
            check::<T>(less, a, b, |x, y| cut(if x < y { -1 } else { 0 }));
        }
    }

    #[test]
    fn no_element_sees_its_neighbour() {
        elements::<u16>(1);
        elements::<i16>(2);
        elements::<u8>(3);
        elements::<i8>(4);
    }
}
