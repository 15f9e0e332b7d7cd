//! Tests of conversions between integers, and of `cvt.pack`.

use super::super::pack;
use super::{ConvertRandom, unary, wholes};

const TYPES: [(&str, u32, bool); 8] = [
    ("u8", 8, false),
    ("u16", 16, false),
    ("u32", 32, false),
    ("u64", 64, false),
    ("s8", 8, true),
    ("s16", 16, true),
    ("s32", 32, true),
    ("s64", 64, true),
];

fn value(bits: u64, width: u32, signed: bool) -> i128 {
    let low = i128::from(bits) & ((1 << width) - 1);
    if signed && low >> (width - 1) != 0 { low - (1 << width) } else { low }
}

/// Returns a result as extended in its lane of 32 or 64 bits.
fn in_lane(value: i128, width: u32) -> u64 {
    if width == 64 { value as u64 } else { u64::from(value as u32) }
}

#[test]
fn every_pair_of_integers() {
    let samples = wholes(70_000);
    let mut count = 0;
    for (from, from_width, from_signed) in TYPES {
        for (to, width, signed) in TYPES {
            let (low, high) =
                if signed { (-(1_i128 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) };
            let cut = unary(&format!("cvt.{to}.{from}"));
            let clamp = unary(&format!("cvt.sat.{to}.{from}"));
            for &bits in &samples {
                let exact = value(bits, from_width, from_signed);
                let low_bits = value(exact as u64, width, signed);
                assert_eq!(cut(bits), in_lane(low_bits, width), "cvt.{to}.{from} {bits:x}");
                assert_eq!(clamp(bits), in_lane(exact.clamp(low, high), width), "cvt.sat.{to}.{from} {bits:x}");
                count += 2;
            }
        }
    }
    assert!(count > 8_000_000);
}

/// `cvt.pack` by the manual's loop, bit by bit.
fn packed_slowly(bits: u32, signed: bool, a: u32, b: u32, c: u32) -> u32 {
    let (low, high) = if signed { (-(1_i64 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let clamp = |value: u32| i64::from(value as i32).clamp(low, high) as u64;
    let (a, b) = (clamp(a), clamp(b));
    let mut result = 0_u32;
    for place in 0..32 {
        let bit = if place < bits {
            b >> place & 1
        } else if place < 2 * bits {
            a >> (place - bits) & 1
        } else {
            u64::from(c) >> (place - 2 * bits) & 1
        };
        result |= (bit as u32) << place;
    }
    result
}

#[test]
fn packs_as_the_manual_writes_it() {
    let mut random = ConvertRandom::new(3);
    for bits in [2, 4, 8, 16] {
        for signed in [false, true] {
            for step in 0..20_000 {
                let narrow = |bits: u64| ((bits as i32) >> (bits >> 32 & 31)) as u32;
                let (a, b, c) = (narrow(random.next()), narrow(random.next()), random.next() as u32);
                let a = if step < 600 { (step as u32).wrapping_sub(300) } else { a };
                assert_eq!(
                    pack(bits, signed, a, b, c),
                    packed_slowly(bits, signed, a, b, c),
                    "{bits} {signed} {a:x} {b:x} {c:x}"
                );
            }
        }
    }
    assert_eq!(pack(16, false, 70_000, (-3_i32) as u32, 0xffff_ffff), 0xffff_0000);
}
