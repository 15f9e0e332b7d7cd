//! Sums, differences, absolute values, minima and maxima: `add sub abs neg min max sad` (manual 9.7.1).

use super::Int;

/// `add`: wraps.
#[inline(always)]
pub fn add<T: Int>(a: T, b: T) -> T {
    a.plus(b)
}

/// `add.sat`: clamped to the range of the type.
#[inline(always)]
pub fn add_sat<T: Int>(a: T, b: T) -> T {
    a.plus_clamped(b)
}

/// `sub`: wraps.
#[inline(always)]
pub fn sub<T: Int>(a: T, b: T) -> T {
    a.minus(b)
}

/// `sub.sat`: clamped to the range of the type.
#[inline(always)]
pub fn sub_sat<T: Int>(a: T, b: T) -> T {
    a.minus_clamped(b)
}

/// `abs`: the lowest number is returned unchanged. The manual does not define this; the assembler folds it so.
#[inline(always)]
pub fn abs<T: Int>(a: T) -> T {
    a.magnitude()
}

/// `neg`: the lowest number is returned unchanged.
#[inline(always)]
pub fn neg<T: Int>(a: T) -> T {
    T::ZERO.minus(a)
}

/// `min`, signed or unsigned by the type.
#[inline(always)]
pub fn min<T: Int>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// `max`, signed or unsigned by the type.
#[inline(always)]
pub fn max<T: Int>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// `min.relu`: a negative result becomes 0.
#[inline(always)]
pub fn min_relu<T: Int>(a: T, b: T) -> T {
    max(min(a, b), T::ZERO)
}

/// `max.relu`: a negative result becomes 0.
#[inline(always)]
pub fn max_relu<T: Int>(a: T, b: T) -> T {
    max(max(a, b), T::ZERO)
}

/// `sad`: `c + |a - b|`; the distance of two signed numbers is exact, the sum wraps.
#[inline(always)]
pub fn sad<T: Int>(a: T, b: T, c: T) -> T {
    c.plus(a.distance(b))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{clamped, cut, pairs, value};
    use super::*;

    fn sums<T: Int>(seed: u64) {
        for (i, (a, b)) in pairs::<T>(seed, 5000).into_iter().enumerate() {
            let (x, y) = (value(a), value(b));
            assert_eq!(add(a, b), cut(x + y), "{a:?} + {b:?}");
            assert_eq!(sub(a, b), cut(x - y), "{a:?} - {b:?}");
            assert_eq!(add_sat(a, b), clamped(x + y), "{a:?} + {b:?}");
            assert_eq!(sub_sat(a, b), clamped(x - y), "{a:?} - {b:?}");
            assert_eq!(abs(a), cut(x.abs()), "|{a:?}|");
            assert_eq!(neg(a), cut(-x), "-{a:?}");
            assert_eq!(value(min(a, b)), x.min(y));
            assert_eq!(value(max(a, b)), x.max(y));
            assert_eq!(value(min_relu(a, b)), x.min(y).max(0));
            assert_eq!(value(max_relu(a, b)), x.max(y).max(0));
            let c = T::from_bits(i as u64 * 0x0123_4567_89ab);
            assert_eq!(sad(a, b, c), cut(value(c) + (x - y).abs()), "sad {a:?}, {b:?}, {c:?}");
        }
    }

    #[test]
    fn results_are_those_of_whole_numbers_cut_or_clamped() {
        sums::<u8>(1);
        sums::<u16>(2);
        sums::<u32>(3);
        sums::<u64>(4);
        sums::<i8>(5);
        sums::<i16>(6);
        sums::<i32>(7);
        sums::<i64>(8);
    }

    #[test]
    fn bytes_are_tried_completely() {
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                let (x, y) = (i128::from(a as i8), i128::from(b as i8));
                assert_eq!(add_sat(a as i8, b as i8), clamped(x + y));
                assert_eq!(sub_sat(a, b), clamped(i128::from(a) - i128::from(b)));
                assert_eq!(value(min_relu(a as i8, b as i8)), x.min(y).max(0));
                assert_eq!(value(max_relu(a as i8, b as i8)), x.max(y).max(0));
            }
        }
    }
}
