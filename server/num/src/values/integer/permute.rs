//! Selection of bytes from two registers: `prmt` (manual 9.7.9.7).

/// A mode of `prmt`; the low two bits of `c` select the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermuteMode {
    /// `.f4e`: four bytes upwards from the selected position.
    Forward,
    /// `.b4e`: four bytes downwards from the selected position.
    Backward,
    /// `.rc8`: the selected byte four times.
    Byte,
    /// `.ecl`: bytes below the selected position become the byte at that position.
    EdgeLeft,
    /// `.ecr`: bytes above the selected position become the byte at that position.
    EdgeRight,
    /// `.rc16`: the selected half twice.
    Half,
}

impl PermuteMode {
    /// Returns the mode of a modifier, without its dot.
    #[inline]
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "f4e" => Self::Forward,
            "b4e" => Self::Backward,
            "rc8" => Self::Byte,
            "ecl" => Self::EdgeLeft,
            "ecr" => Self::EdgeRight,
            "rc16" => Self::Half,
            _ => return None,
        })
    }

    /// Returns the selectors that [`prmt`] expects in its `c`, for the low two bits of the instruction's `c`: the manual's
    /// table, one digit for each byte of the result.
    #[inline(always)]
    pub fn selectors(self, c: u32) -> u32 {
        let rows: [u32; 4] = match self {
            Self::Forward => [0x3210, 0x4321, 0x5432, 0x6543],
            Self::Backward => [0x5670, 0x6701, 0x7012, 0x0123],
            Self::Byte => [0x0000, 0x1111, 0x2222, 0x3333],
            Self::EdgeLeft => [0x3210, 0x3211, 0x3222, 0x3333],
            Self::EdgeRight => [0x0000, 0x1110, 0x2210, 0x3210],
            Self::Half => [0x1010, 0x3232, 0x1010, 0x3232],
        };
        rows[(c & 3) as usize]
    }
}

/// `prmt` without a mode: each of the low four hexadecimal digits of `c` selects a byte of `b:a` by its low three bits. If the
/// digit's top bit is set, the result byte is a copy of the selected byte's sign instead.
#[inline(always)]
pub fn prmt(a: u32, b: u32, c: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let mut out = 0;
    let mut place = 0;
    while place < 4 {
        let digit = c >> (4 * place) & 15;
        let byte = (bytes >> (8 * (digit & 7))) as u8;
        let sign = (byte as i8 >> 7) as u8;
        out |= u32::from(if digit & 8 == 0 { byte } else { sign }) << (8 * place);
        place += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, pairs};
    use super::*;

    #[test]
    fn every_selector_picks_its_byte() {
        let mut sample = Sample::new(1);
        for (a, b) in pairs::<u32>(2, 2000) {
            let source = [a.to_le_bytes(), b.to_le_bytes()].concat();
            for c in [0x3210, 0x7654, 0xfedc, 0xba98, 0x0123_8080, sample.bits() as u32] {
                let made: Vec<u8> = (0..4)
                    .map(|i| (c >> (4 * i) & 15) as usize)
                    .map(|digit| {
                        let byte = source[digit % 8];
                        if digit < 8 { byte } else { if byte >= 128 { 255 } else { 0 } }
                    })
                    .collect();
                assert_eq!(prmt(a, b, c).to_le_bytes().to_vec(), made, "{a:#x} {b:#x} {c:#x}");
            }
        }
    }

    /// The effect of the modes in words, independent of the table.
    #[test]
    fn patterns_extract_replicate_and_clamp() {
        let (a, b) = (0x1312_1110u32, 0x1716_1514u32);
        let bytes = [a.to_le_bytes(), b.to_le_bytes()].concat();
        for i in 0..4usize {
            let made = |name: &str| {
                let pattern = PermuteMode::of(name).unwrap();
                prmt(a, b, pattern.selectors(0x40 + i as u32)).to_le_bytes()
            };
            for place in 0..4usize {
                assert_eq!(made("f4e")[place], bytes[i + place]);
                assert_eq!(made("b4e")[place], bytes[(8 + i - place) % 8]);
                assert_eq!(made("rc8")[place], bytes[i]);
                assert_eq!(made("ecl")[place], bytes[place.max(i)]);
                assert_eq!(made("ecr")[place], bytes[place.min(i)]);
                assert_eq!(made("rc16")[place], bytes[2 * (i % 2) + place % 2]);
            }
        }
        assert_eq!(PermuteMode::of("f8e"), None);
    }
}
