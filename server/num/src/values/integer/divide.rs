//! Quotients and remainders: `div rem` (manual 9.7.1).
//!
//! The manual leaves a division by zero open. GPUs have no integer divider; the assembler emits a routine. Every routine of
//! `ptxas` 13.5 (16, 32 and 64 bits, signed and unsigned, quotient and remainder) returns all ones if the divisor is zero (read
//! in the machine code for `sm_75`, `sm_90`, `sm_120`; folded for 32 bits).

use super::super::Marks;
use super::Int;

/// `div`: the quotient, rounded toward zero. The lowest number divided by -1 wraps. A division by zero returns all ones,
/// marked.
#[inline(always)]
pub fn div<T: Int>(a: T, b: T) -> (T, Marks) {
    let zero = b == T::ZERO;
    (if zero { T::ONES } else { a.quotient(b) }, marks(zero))
}

/// `rem`: the remainder, with the sign of `a`. A division by zero returns all ones, marked.
///
/// According to the manual the sign of a remainder of negative numbers depends on the machine; all known machines round toward
/// zero.
#[inline(always)]
pub fn rem<T: Int>(a: T, b: T) -> (T, Marks) {
    let zero = b == T::ZERO;
    (if zero { T::ONES } else { a.remainder(b) }, marks(zero))
}

#[inline(always)]
fn marks(zero: bool) -> Marks {
    if zero { Marks::UNSPECIFIED } else { Marks::NONE }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{cut, pairs, value};
    use super::*;

    fn divide<T: Int>(seed: u64) {
        for (a, b) in pairs::<T>(seed, 5000) {
            if b == T::ZERO {
                assert_eq!((div(a, b), rem(a, b)), ((T::ONES, Marks::UNSPECIFIED), (T::ONES, Marks::UNSPECIFIED)));
                continue;
            }
            let (x, y) = (value(a), value(b));
            assert_eq!(div(a, b), (cut(x / y), Marks::NONE), "{a:?} / {b:?}");
            assert_eq!(rem(a, b), (cut(x % y), Marks::NONE), "{a:?} % {b:?}");
        }
    }

    #[test]
    fn quotients_are_cut_toward_zero() {
        divide::<u16>(1);
        divide::<u32>(2);
        divide::<u64>(3);
        divide::<i16>(4);
        divide::<i32>(5);
        divide::<i64>(6);
        assert_eq!(div(i32::MIN, -1), (i32::MIN, Marks::NONE));
        assert_eq!(rem(-7i64, 3), (-1, Marks::NONE));
    }
}
