//! Logic: `and or xor not cnot lop3` (manual 9.7.8). For `.pred` use the operators of `bool`.

use super::Int;

/// `and`.
#[inline(always)]
pub fn and<T: Int>(a: T, b: T) -> T {
    a.and(b)
}

/// `or`.
#[inline(always)]
pub fn or<T: Int>(a: T, b: T) -> T {
    a.or(b)
}

/// `xor`.
#[inline(always)]
pub fn xor<T: Int>(a: T, b: T) -> T {
    a.xor(b)
}

/// `not`.
#[inline(always)]
pub fn not<T: Int>(a: T) -> T {
    a.not()
}

/// `cnot`: 1 if `a` is zero, else 0.
#[inline(always)]
pub fn cnot<T: Int>(a: T) -> T {
    T::from_bits(u64::from(a == T::ZERO))
}

/// `lop3`: for each bit position, bit `4a + 2b + c` of the table.
#[inline(always)]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    // The table is reduced by the bits of `c`, then `b`, then `a`. With a constant table the compiler drops all unneeded
    // operations.
    let entry = |i: u8| 0u32.wrapping_sub(u32::from(table >> i & 1));
    let pick = |select: u32, set: u32, clear: u32| (select & set) | (!select & clear);
    let of_c = |i: u8| pick(c, entry(i + 1), entry(i));
    pick(a, pick(b, of_c(6), of_c(4)), pick(b, of_c(2), of_c(0)))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, pairs};
    use super::*;

    #[test]
    fn logic_goes_bit_by_bit() {
        for (a, b) in pairs::<u64>(1, 1000) {
            let bits = |f: fn(bool, bool) -> bool| {
                (0..64).fold(0, |sum, i| sum | u64::from(f(a >> i & 1 == 1, b >> i & 1 == 1)) << i)
            };
            assert_eq!(and(a, b), bits(|x, y| x && y));
            assert_eq!(or(a, b), bits(|x, y| x || y));
            assert_eq!(xor(a, b), bits(|x, y| x != y));
            assert_eq!(not(a), bits(|x, _| !x));
            assert_eq!(cnot(a), u64::from(a == 0));
            assert_eq!(cnot(a as u16), u16::from(a as u16 == 0));
        }
    }

    #[test]
    fn every_table_is_looked_up_bit_by_bit() {
        let mut sample = Sample::new(2);
        for table in 0..=255u8 {
            for _ in 0..50 {
                let (a, b, c): (u32, u32, u32) = (sample.operand(), sample.operand(), sample.operand());
                let bit = |i: u32| u32::from(table) >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1;
                let expected = (0..32).fold(0, |sum, i| sum | bit(i) << i);
                assert_eq!(lop3(a, b, c, table), expected, "{a:#x} {b:#x} {c:#x} {table:#x}");
            }
        }
        // The manual's own examples (9.7.8.6).
        let (a, b, c) = (0xf0f0_1234, 0x0ff0_4321, 0x00ff_8765);
        assert_eq!(lop3(a, b, c, 0x80), a & b & c);
        assert_eq!(lop3(a, b, c, 0x40), a & b & !c);
        assert_eq!(lop3(a, b, c, 0xfe), a | b | c);
        assert_eq!(lop3(a, b, c, 0x1a), (a & b | c) ^ a);
    }
}
