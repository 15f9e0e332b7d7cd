//! Values as text.

use ptx_interp::lanes::{LANES, LaneMask, lanes};
use ptx_launch::words::{few, lanes as lanes_in_words};
use ptx_view::reading::Reading;

/// The bits of a lane's value. `bytes` contains all lanes; a predicate has one bit per lane.
pub fn bits(ty: &str, bytes: &[u8], lane: usize) -> u128 {
    if ty == ".pred" {
        return (word(bytes) >> (lane % LANES) & 1).into();
    }
    let width = bytes.len() / LANES;
    let own = bytes.get(lane * width..(lane + 1) * width).unwrap_or_default();
    own.iter().rev().fold(0, |all, byte| all << 8 | u128::from(*byte))
}

/// The mask formed by the bits of a predicate.
pub fn word(bytes: &[u8]) -> LaneMask {
    bytes.iter().take(4).rev().fold(0, |all, byte| all << 8 | u32::from(*byte))
}

/// The text for the bits of a typed value. `size` is the number of bytes per lane; a register may have more bytes than
/// its type.
pub fn text(ty: &str, bits: u128, size: usize, hex: bool) -> String {
    if ty == ".pred" {
        return if bits & 1 != 0 { "true" } else { "false" }.to_owned();
    }
    if hex {
        return format!("{bits:#0width$x}", width = 2 + 2 * size);
    }
    Reading::automatic(ty, None, size, std::iter::once(bits)).text(bits, size)
}

/// The text for the value of one lane.
pub fn lane(ty: &str, bytes: &[u8], lane: usize, hex: bool) -> String {
    text(ty, bits(ty, bytes, lane), bytes.len() / LANES, hex)
}

/// A short text for the values of some lanes: one value if all are the same, otherwise the first few and the last.
pub fn summary(ty: &str, bytes: &[u8], mask: LaneMask, hex: bool) -> String {
    if ty == ".pred" {
        return predicate(word(bytes), mask, hex);
    }
    let texts: Vec<String> = lanes(mask).map(|l| lane(ty, bytes, l, hex)).collect();
    few(&texts)
}

/// A predicate as text: the mask, and the lanes in which it is true.
pub fn predicate(value: LaneMask, mask: LaneMask, hex: bool) -> String {
    let held = value & mask;
    if hex {
        return format!("{held:#010x}");
    }
    match held {
        0 => format!("{held:#010x} (false)"),
        _ if held == mask => format!("{held:#010x} (true)"),
        _ => format!("{held:#010x} ({})", lanes_in_words(held)),
    }
}

/// Whether the lanes of `mask` have the same value.
pub fn is_uniform(ty: &str, bytes: &[u8], mask: LaneMask) -> bool {
    let mut all = lanes(mask).map(|l| bits(ty, bytes, l));
    let first = all.next();
    all.all(|value| Some(value) == first)
}

/// A few bytes of memory as text: a short sequence is shown as a little-endian number.
pub fn bytes(bytes: &[u8]) -> String {
    let number = bytes.iter().rev().fold(0u128, |all, byte| all << 8 | u128::from(*byte));
    match bytes.len() {
        1 | 2 | 8 => format!("{number:#x} ({number})"),
        4 => {
            let float = f32::from_bits(number as u32);
            // A plausible floating-point value: the bits of small integers would give tiny ones.
            let meant = float.is_normal() && (1e-6..1e12).contains(&float.abs());
            if meant { format!("{number:#x} ({float:?})") } else { format!("{number:#x} ({number})") }
        }
        _ => bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(values: [u32; 32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn lanes_in_a_line() {
        let iota = words(std::array::from_fn(|i| i as u32));
        assert_eq!(summary(".u32", &iota, u32::MAX, false), "0 1 2 … 31");
        assert_eq!(summary(".u32", &iota, 0b1001, false), "0 3");
        assert_eq!(summary(".b32", &words([7; 32]), u32::MAX, true), "0x00000007");
        assert_eq!(summary(".s32", &words([u32::MAX; 32]), u32::MAX, false), "-1");
        assert_eq!(summary(".b32", &words([0x3f80_0000; 32]), u32::MAX, false), "0x3f800000");
        assert_eq!(summary(".f32", &words([0x3f80_0000; 32]), u32::MAX, false), "1.0");
        assert!(is_uniform(".f32", &words([1; 32]), u32::MAX) && !is_uniform(".f32", &iota, u32::MAX));
        assert!(is_uniform(".f32", &iota, 0b100));
    }

    #[test]
    fn predicates_are_masks() {
        let value = 0xffu32.to_le_bytes();
        assert_eq!(summary(".pred", &value, u32::MAX, false), "0x000000ff (lanes 0–7)");
        assert_eq!(summary(".pred", &value, 0x0f, false), "0x0000000f (true)");
        assert_eq!(summary(".pred", &value, 0xf00, false), "0x00000000 (false)");
        assert_eq!(lane(".pred", &value, 7, false), "true");
        assert_eq!(lane(".pred", &value, 8, true), "false");
    }

    #[test]
    fn bytes_of_memory() {
        assert_eq!(bytes(&1.5f32.to_le_bytes()), "0x3fc00000 (1.5)");
        assert_eq!(bytes(&7u32.to_le_bytes()), "0x7 (7)");
        assert_eq!(bytes(&[1, 2, 3]), "01 02 03");
    }
}
