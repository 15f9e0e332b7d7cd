//! Parts of registers: bytes, halves, or the whole register.

/// A part of a 32-bit register, selected by a suffix of the operand (`.b0`, `.h1`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterPart {
    /// Width in bits: 8, 16 or 32.
    bits: u32,
    /// Index of the lowest bit.
    at: u32,
}

impl RegisterPart {
    /// The whole register: no selector.
    pub const ALL: Self = Self { bits: 32, at: 0 };

    /// Returns the part of a selector, without its dot: `b0` … `b3`, `h0`, `h1`.
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

    /// Returns the number in this part of a register, signed or unsigned.
    #[inline]
    pub fn read(self, register: u32, signed: bool) -> i64 {
        // Shifts the part to the top, then back down.
        let top = register << (32 - self.bits - self.at);
        if signed { i64::from(top as i32 >> (32 - self.bits)) } else { i64::from(top >> (32 - self.bits)) }
    }

    /// Returns the register with this part replaced by the low bits of a number.
    #[inline]
    pub fn write(self, register: u32, number: i64) -> u32 {
        let mask = u32::MAX >> (32 - self.bits) << self.at;
        (register & !mask) | ((number as u32) << self.at & mask)
    }

    /// Returns the smallest and the largest number that fits.
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
