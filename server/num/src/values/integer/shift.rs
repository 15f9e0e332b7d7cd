//! Shifts: `shl shr shf` (manual 9.7.8). Distances are 32-bit numbers for every type.

use super::Int;

/// `shl`: shifts in zeros; a distance of at least the width yields 0.
#[inline(always)]
pub fn shl<T: Int>(a: T, n: u32) -> T {
    a.up(n)
}

/// `shr`: shifts in the sign, or zeros for an unsigned or untyped value. A distance above the width counts as the width.
#[inline(always)]
pub fn shr<T: Int>(a: T, n: u32) -> T {
    a.down(n)
}

/// Returns the distance of `shf`: at most 32 (`.clamp`), or modulo 32 (`.wrap`).
#[inline(always)]
fn distance(c: u32, wrap: bool) -> u32 {
    if wrap { c & 31 } else { c.min(32) }
}

/// `shf.l`: shifts the word pair `b:a` (`b` is the upper word) to the left and returns the upper word.
#[inline(always)]
pub fn shf_l(a: u32, b: u32, c: u32, wrap: bool) -> u32 {
    (pair(a, b) << distance(c, wrap) >> 32) as u32
}

/// `shf.r`: shifts the word pair `b:a` (`b` is the upper word) to the right and returns the lower word.
#[inline(always)]
pub fn shf_r(a: u32, b: u32, c: u32, wrap: bool) -> u32 {
    (pair(a, b) >> distance(c, wrap)) as u32
}

#[inline(always)]
fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, cut, pairs, special, value};
    use super::*;

    fn shifts<T: Int>(seed: u64) {
        let mut sample = Sample::new(seed);
        for a in special::<T>().into_iter().chain((0..2000).map(|_| sample.operand())) {
            for n in (0..=70).chain([127, 128, 255, 256, 1 << 31, u32::MAX]) {
                // The reference doubles and halves, one step at a time.
                let (mut up, mut down) = (value(a), value(a));
                for _ in 0..n.min(80) {
                    up = value(cut::<T>(up * 2));
                    down = down.div_euclid(2);
                }
                assert_eq!(shl(a, n), cut(up), "{a:?} << {n}");
                assert_eq!(shr(a, n), cut(down), "{a:?} >> {n}");
            }
        }
    }

    #[test]
    fn distances_beyond_the_width_count_as_the_width() {
        shifts::<u16>(1);
        shifts::<u32>(2);
        shifts::<u64>(3);
        shifts::<i16>(4);
        shifts::<i32>(5);
        shifts::<i64>(6);
    }

    #[test]
    fn funnel_shifts_move_bits_between_words() {
        for (a, b) in pairs::<u32>(7, 2000) {
            let bit = |i: i64| match i {
                0..=31 => a >> i & 1,
                32..=63 => b >> (i - 32) & 1,
                _ => 0,
            };
            for c in (0..=66).chain([255, 1 << 31, u32::MAX]) {
                for wrap in [false, true] {
                    let n = i64::from(if wrap { c % 32 } else { c.min(32) });
                    let word = |from: i64| (0..32).fold(0u32, |sum, i| sum | bit(from + i) << i);
                    assert_eq!(shf_l(a, b, c, wrap), word(32 - n), "{a:#x} {b:#x} {c} {wrap}");
                    assert_eq!(shf_r(a, b, c, wrap), word(n), "{a:#x} {b:#x} {c} {wrap}");
                }
            }
        }
    }
}
