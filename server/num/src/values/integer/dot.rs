//! Dot products of small integers: `dp4a dp2a` (manual 9.7.1).

/// Returns byte `i` of a register, extended by its sign or with zeros.
#[inline(always)]
fn byte(a: u32, i: u32, signed: bool) -> i32 {
    let byte = (a >> (8 * i)) as u8;
    if signed { i32::from(byte as i8) } else { i32::from(byte) }
}

/// Returns half `i` of a register, extended by its sign or with zeros.
#[inline(always)]
fn half(a: u32, i: u32, signed: bool) -> i32 {
    let half = (a >> (16 * i)) as u16;
    if signed { i32::from(half as i16) } else { i32::from(half) }
}

/// `dp4a`: `c` plus the products of the four bytes, each extended by its type (`.s32` or not). The sum wraps, so the sign of
/// `c` does not matter.
#[inline(always)]
pub fn dp4a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add((byte(a, i, a_signed) * byte(b, i, b_signed)) as u32))
}

/// `dp2a`: `c` plus the products of the two halves of `a` and the two lower (`upper`: the two upper) bytes of `b`; the sum wraps.
#[inline(always)]
pub fn dp2a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, upper: bool) -> u32 {
    let first = if upper { 2 } else { 0 };
    (0..2).fold(c, |sum, i| sum.wrapping_add((half(a, i, a_signed) * byte(b, first + i, b_signed)) as u32))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, pairs};
    use super::*;

    #[test]
    fn products_are_summed_exactly_and_cut() {
        let mut sample = Sample::new(1);
        let extend = |n: i64, bits: u32, signed: bool| if signed && n >> (bits - 1) == 1 { n - (1 << bits) } else { n };
        for (a, b) in pairs::<u32>(2, 5000) {
            let c: u32 = sample.operand();
            for signs in 0..4 {
                let (sa, sb) = (signs & 1 == 1, signs & 2 == 2);
                let at = |x: u32, bits: u32, i: u32, s| extend(i64::from(x >> (bits * i)) % (1 << bits), bits, s);
                let four: i64 = (0..4).map(|i| at(a, 8, i, sa) * at(b, 8, i, sb)).sum();
                assert_eq!(dp4a(a, b, c, sa, sb), (i64::from(c) + four) as u32, "{a:#x} {b:#x} {c:#x}");
                for upper in [0, 2] {
                    let two: i64 = (0..2).map(|i| at(a, 16, i, sa) * at(b, 8, upper + i, sb)).sum();
                    assert_eq!(dp2a(a, b, c, sa, sb, upper == 2), (i64::from(c) + two) as u32, "{a:#x} {b:#x} {c:#x}");
                }
            }
        }
    }
}
