//! Counting, finding and moving bits: `popc clz bfind fns brev bfe bfi szext bmsk` (manual 9.7.1).

use super::super::Marks;
use super::Int;

/// `popc`: the number of set bits.
#[inline(always)]
pub fn popc<T: Int>(a: T) -> u32 {
    a.ones()
}

/// `clz`: the number of zeros above the highest set bit; the width for 0.
#[inline(always)]
pub fn clz<T: Int>(a: T) -> u32 {
    a.zeros_above()
}

/// `brev`: the bits in the opposite order.
#[inline(always)]
pub fn brev<T: Int>(a: T) -> T {
    a.reversed()
}

/// `bfind`: the position of the highest bit that differs from the sign; all ones if there is none.
#[inline(always)]
pub fn bfind<T: Int>(a: T) -> u32 {
    // Without such a bit the number of zeros is the width, and the difference is -1: the specified result.
    (T::BITS - 1).wrapping_sub(unsigned_like(a).zeros_above())
}

/// `bfind.shiftamt`: the distance of that bit from the top; all ones if there is none.
#[inline(always)]
pub fn bfind_shiftamt<T: Int>(a: T) -> u32 {
    let above = unsigned_like(a).zeros_above();
    if above == T::BITS { u32::MAX } else { above }
}

/// Returns the complement of a negative number, and any other number unchanged: the set bits are those that differ from the
/// sign.
#[inline(always)]
fn unsigned_like<T: Int>(a: T) -> T {
    if a < T::ZERO { a.not() } else { a }
}

/// `fns`: the position of the |`offset`|-th set bit from bit `base` on, upwards for a positive offset and downwards for a
/// negative one. For offset 0 it is `base` if that bit is set. All ones if there is no such bit.
///
/// A `base` above 31 is undefined: the result is all ones, as the assembler folds it and its routine computes it. The lowest
/// offset has no magnitude: the routine returns 0 for it, whatever the mask (folded, and read in the machine code), instead of
/// "not found".
#[inline]
pub fn fns(mask: u32, base: u32, offset: i32) -> (u32, Marks) {
    if offset == i32::MIN {
        return (0, Marks::UNSPECIFIED);
    }
    if base > 31 {
        return (u32::MAX, Marks::UNSPECIFIED);
    }
    if offset == 0 {
        return (if mask >> base & 1 == 1 { base } else { u32::MAX }, Marks::NONE);
    }
    // A search downwards is a search upwards in the reversed mask.
    let down = offset < 0;
    let (mirrored, start) = if down { (mask.reverse_bits(), 31 - base) } else { (mask, base) };
    let mut left = mirrored & u32::MAX << start;
    for _ in 1..offset.unsigned_abs().min(33) {
        left &= left.wrapping_sub(1);
    }
    let place = left.trailing_zeros();
    let found = if down { 31u32.wrapping_sub(place) } else { place };
    (if left == 0 { u32::MAX } else { found }, Marks::NONE)
}

/// The bits of a position or a length of `bfe` and `bfi` that count: the low 8. With 64-bit operands all bits count, since the machine code
/// (ptxas, sm_75 to sm_120) shifts by the whole registers.
#[inline(always)]
fn counted<T: Int>(n: u32) -> u32 {
    if T::BITS == 64 { n } else { n & 255 }
}

/// The marks of a result of `bfe` and `bfi`: with 64-bit operands, positions and lengths above 255 are not cut as the manual has it.
#[inline(always)]
pub fn field_marks<T: Int>(position: u32, length: u32) -> Marks {
    if T::BITS == 64 && (position | length) > 255 { Marks::UNSPECIFIED } else { Marks::NONE }
}

/// `bfe`: `length` bits from `position` on, extended with zeros or, for a signed type, with the field's top bit. Bits above the
/// top of `a` are copies of its sign, or zeros.
#[inline(always)]
pub fn bfe<T: Int>(a: T, position: u32, length: u32) -> T {
    let unused = T::BITS - counted::<T>(length).min(T::BITS);
    a.down(counted::<T>(position)).up(unused).down(unused)
}

/// `bfi`: `b` with the low `length` bits of `a` inserted at `position`.
#[inline(always)]
pub fn bfi<T: Int>(a: T, b: T, position: u32, length: u32) -> T {
    let (position, length) = (counted::<T>(position), counted::<T>(length));
    let field = T::ONES.up(length).not().up(position);
    a.up(position).and(field).or(b.and(field.not()))
}

/// `szext`: the low `n` bits, extended with zeros or the sign of that field. `.wrap` takes `n` modulo 32; with `.clamp` an `n`
/// of 32 or more means all bits.
#[inline(always)]
pub fn szext<T: Int>(a: T, n: u32, wrap: bool) -> T {
    let n = if wrap { n & 31 } else { n.min(32) };
    a.up(32 - n).down(32 - n)
}

/// `bmsk`: `length` ones from `position` on. `.wrap` takes both modulo 32. With `.clamp` a position of 32 or more yields 0, and
/// a length of 32 or more sets all bits from the position on.
#[inline(always)]
pub fn bmsk(position: u32, length: u32, wrap: bool) -> u32 {
    let limit = |n: u32| if wrap { n & 31 } else { n.min(32) };
    (((1u64 << limit(length)) - 1) << limit(position)) as u32
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, special};
    use super::*;

    fn numbers<T: Int>(seed: u64) -> Vec<T> {
        let mut sample = Sample::new(seed);
        special::<T>().into_iter().chain((0..1500).map(|_| sample.operand())).collect()
    }

    /// The bits, lowest first.
    fn bits<T: Int>(a: T) -> Vec<bool> {
        (0..T::BITS).map(|i| a.to_bits() >> i & 1 == 1).collect()
    }

    fn number<T: Int>(bits: &[bool]) -> T {
        T::from_bits(bits.iter().enumerate().fold(0, |sum, (i, bit)| sum | u64::from(*bit) << i))
    }

    fn counts<T: Int>(seed: u64) {
        for a in numbers::<T>(seed) {
            let all = bits(a);
            assert_eq!(popc(a) as usize, all.iter().filter(|b| **b).count());
            assert_eq!(clz(a) as usize, all.iter().rev().take_while(|b| !**b).count());
            let mirror: Vec<bool> = all.iter().rev().copied().collect();
            assert_eq!(brev(a), number(&mirror));
            let sign = T::SIGNED && all[all.len() - 1];
            let found = all.iter().rposition(|b| *b != sign);
            assert_eq!(bfind(a), found.map_or(u32::MAX, |i| i as u32), "{a:?}");
            assert_eq!(bfind_shiftamt(a), found.map_or(u32::MAX, |i| T::BITS - 1 - i as u32), "{a:?}");
        }
    }

    #[test]
    fn bits_are_counted_and_found() {
        counts::<u32>(1);
        counts::<u64>(2);
        counts::<i32>(3);
        counts::<i64>(4);
    }

    fn fields<T: Int>(seed: u64) {
        let mut sample = Sample::new(seed);
        let interesting = [0u32, 1, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 300];
        for (k, a) in numbers::<T>(seed).into_iter().enumerate() {
            for j in 0..24 {
                let (b, c) = match j {
                    0..16 => (interesting[j], interesting[(j + k) % 16]),
                    _ => (sample.bits() as u32, sample.bits() as u32 % 80),
                };
                let cut = |n: u32| if T::BITS == 64 { n.min(1000) } else { n % 256 } as usize;
                let (pos, len) = (cut(b), cut(c));
                let open = T::BITS == 64 && (b > 255 || c > 255);
                assert_eq!(field_marks::<T>(b, c) == Marks::UNSPECIFIED, open, "{b} {c}");
                let (all, msb) = (bits(a), T::BITS as usize - 1);
                let sign = T::SIGNED && len > 0 && all[(pos + len).saturating_sub(1).min(msb)];
                let field: Vec<bool> =
                    (0..=msb).map(|i| if i < len && pos + i <= msb { all[pos + i] } else { sign }).collect();
                assert_eq!(bfe(a, b, c), number(&field), "{a:?} {b} {c}");
                let base: T = sample.operand();
                let mut filled = bits(base);
                for i in 0..len {
                    if pos + i <= msb {
                        filled[pos + i] = all.get(i).copied().unwrap_or(false);
                    }
                }
                assert_eq!(bfi(a, base, b, c), number(&filled), "{a:?} {base:?} {b} {c}");
            }
        }
    }

    #[test]
    fn fields_are_moved_bit_by_bit() {
        fields::<u32>(1);
        fields::<u64>(2);
        fields::<i32>(3);
        fields::<i64>(4);
    }

    #[test]
    fn parts_are_extended() {
        for a in numbers::<u32>(5) {
            for n in (0..=70).chain([255, 1 << 31, u32::MAX]) {
                for wrap in [false, true] {
                    let kept = if wrap { n % 32 } else { n.min(32) } as usize;
                    let all = bits(a);
                    let part = |fill: bool| {
                        number::<u32>(&(0..32).map(|i| if i < kept { all[i] } else { fill }).collect::<Vec<_>>())
                    };
                    assert_eq!(szext(a, n, wrap), part(false), "{a:#x} {n} {wrap}");
                    let sign = kept > 0 && all[kept - 1];
                    assert_eq!(szext(a as i32, n, wrap) as u32, part(sign), "{a:#x} {n} {wrap}");
                }
            }
        }
    }

    #[test]
    fn masks_are_runs_of_ones() {
        let lengths = || (0..=66u32).chain([255, 256, 1 << 31, u32::MAX]);
        for (position, length) in lengths().flat_map(|p| lengths().map(move |l| (p, l))) {
            let run = |p: u32, l: u32| (0..32).filter(|i| *i >= p && *i - p < l).fold(0u32, |m, i| m | 1 << i);
            let clamped = if position >= 32 { 0 } else { run(position, length) };
            assert_eq!(bmsk(position, length, false), clamped, "{position} {length}");
            assert_eq!(bmsk(position, length, true), run(position % 32, length % 32), "{position} {length}");
        }
    }

    #[test]
    fn set_bits_are_counted_from_a_base() {
        for mask in numbers::<u32>(6) {
            for base in 0..32i64 {
                for offset in (-34..=34).chain([i32::MIN + 1, i32::MAX]) {
                    let mut expected = u32::MAX;
                    if offset == 0 {
                        if mask >> base & 1 == 1 {
                            expected = base as u32;
                        }
                    } else {
                        let (mut place, mut left) = (base, offset.unsigned_abs());
                        while (0..32).contains(&place) {
                            if mask >> place & 1 == 1 {
                                left -= 1;
                                if left == 0 {
                                    expected = place as u32;
                                    break;
                                }
                            }
                            place += i64::from(offset.signum());
                        }
                    }
                    assert_eq!(fns(mask, base as u32, offset), (expected, Marks::NONE), "{mask:#x} {base} {offset}");
                }
            }
        }
        assert_eq!(fns(u32::MAX, 32, 1), (u32::MAX, Marks::UNSPECIFIED));
        assert_eq!(fns(u32::MAX, 3, i32::MIN), (0, Marks::UNSPECIFIED));
    }
}
