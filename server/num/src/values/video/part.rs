//! Parts of registers: bytes, halves, all of it.

/// A part of a register of 32 bits, as a selector behind it names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterPart {
    /// Its width in bits: 8, 16 or 32.
    bits: u32,
    /// Where it begins.
    at: u32,
}

impl RegisterPart {
    /// All of the register: no selector.
    pub const ALL: Self = Self { bits: 32, at: 0 };

    /// The part of a selector, without its dot: `b0` … `b3`, `h0`, `h1`.
    #[inline]
    pub fn of(selector: &str) -> Option<Self> {
        Some(match selector {
            "b0" => Self { bits: 8, at: 0 },
            "b1" => Self { bits: 8, at: 8 },
            "b2" => Self { bits: 8, at: 16 },
            "b3" => Self { bits: 8, at: 24 },
            "h0" => Self { bits: 16, at: 0 },
            "h1" => Self { bits: 16, at: 16 },
            _ => return None,
        })
    }

    /// Its number in a register: with a sign or without.
    #[inline]
    pub fn read(self, register: u32, signed: bool) -> i64 {
        // To the top, then back down.
        let top = register << (32 - self.bits - self.at);
        if signed { i64::from(top as i32 >> (32 - self.bits)) } else { i64::from(top >> (32 - self.bits)) }
    }

    /// The register with the low bits of a number put in its place.
    #[inline]
    pub fn write(self, register: u32, number: i64) -> u32 {
        let mask = u32::MAX >> (32 - self.bits) << self.at;
        (register & !mask) | ((number as u32) << self.at & mask)
    }

    /// The smallest and the largest number that it holds.
    #[inline]
    pub fn range(self, signed: bool) -> (i64, i64) {
        if signed { (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1) } else { (0, (1 << self.bits) - 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_and_written() {
        let register = 0x8765_43a1;
        let all = [("b0", 0xa1), ("b1", 0x43), ("b2", 0x65), ("b3", 0x87), ("h0", 0x43a1), ("h1", 0x8765)];
        for (name, value) in all {
            let part = RegisterPart::of(name).unwrap();
            assert_eq!(part.read(register, false), value);
            let (low, high) = part.range(true);
            assert_eq!(part.read(register, true), if value > high { value + 2 * low } else { value });
            let written = part.write(register, 0x1_2345_6789);
            assert_eq!(part.read(written, false), 0x2345_6789 & part.range(false).1);
            assert_eq!(part.write(written, value), register);
        }
        assert_eq!(RegisterPart::ALL.read(register, true), i64::from(register as i32));
        assert_eq!(RegisterPart::ALL.write(register, -1), u32::MAX);
        assert_eq!(RegisterPart::of("b4"), None);
    }
}
