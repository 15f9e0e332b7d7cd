//! Tests of packed forms: the order of the elements, their scales and random bits, and the modifiers.

use super::super::{
    ConversionFormat, ConversionOptions, ConversionRounding, Narrow, RoundingDirection, Sources, compile, marks,
};
use super::{ConvertRandom, format, halves, options, singles, unary, written};
use crate::values::Marks;

fn run(instruction: &str, sources: Sources) -> u64 {
    written(instruction).run(&sources)
}

fn two(a: f32, b: f32) -> Sources {
    Sources { a: u64::from(a.to_bits()), b: u64::from(b.to_bits()), ..Sources::default() }
}

const NARROW: [(&str, Narrow); 7] = [
    ("e4m3", Narrow::E4m3),
    ("e5m2", Narrow::E5m2),
    ("e2m3", Narrow::E2m3),
    ("e3m2", Narrow::E3m2),
    ("e2m1", Narrow::E2m1),
    ("ue5m3", Narrow::Ue5m3),
    ("s2f6", Narrow::S2f6),
];

#[test]
fn the_first_source_goes_on_top() {
    assert_eq!(run("cvt.rn.f16x2.f32", two(1.0, -2.0)), 0x3c00_c000);
    assert_eq!(run("cvt.rz.bf16x2.f32", two(1.0, -2.0)), 0x3f80_c000);
    assert_eq!(run("cvt.rn.satfinite.e4m3x2.f32", two(1.0, 1000.0)), 0x387e);
    assert_eq!(run("cvt.rn.satfinite.e5m2x2.f32", two(-1.0, f32::NAN)), 0xbc7f);
    assert_eq!(run("cvt.rn.satfinite.e2m1x2.f32", two(-6.0, 0.5)), 0xf1);
    assert_eq!(run("cvt.rn.satfinite.e2m3x2.f32", two(-7.5, 1.0)), 0x3f08);
    assert_eq!(run("cvt.rz.ue8m0x2.f32", two(1.5, -4.0)), 0x7f81);
    assert_eq!(run("cvt.rp.satfinite.ue8m0x2.f32", two(1.5, f32::INFINITY)), 0x80fe);
    assert_eq!(run("cvt.rn.satfinite.s2f6x2.f32", two(-3.0, 0.5)), 0x8020);
    assert_eq!(unary("cvt.rn.satfinite.e2m1x2.f16x2")(0x3c00_c000), 0x2c);
    assert_eq!(unary("cvt.rn.f16x2.e4m3x2")(0x38c0), 0x3c00_c000);
    assert_eq!(unary("cvt.rn.f16x2.e2m1x2")(0x2c), 0x3c00_c000);
    assert_eq!(unary("cvt.rn.bf16x2.ue8m0x2")(0x00ff), 0x0040_7fff);
    assert_eq!(unary("cvt.rn.f16x2.ue5m3x2")(0x78fe), 0x3c00_7c00);
    let four = Sources { a: 0x3f80_0000, b: 0xc000_0000, e: 0x4040_0000, f: 0x4080_0000, extra: 0 };
    assert_eq!(run("cvt.rs.satfinite.e4m3x4.f32", four), 0x38c0_4448);
    assert_eq!(run("cvt.rs.satfinite.e2m1x4.f32", four), 0x2c56);
    assert_eq!(run("cvt.rs.relu.satfinite.e2m3x4.f32", four), 0x0800_1418);
}

#[test]
fn halves_become_narrow_as_their_values_do() {
    for (name, narrow) in NARROW {
        for source in ["f16x2", "bf16x2"] {
            if narrow == Narrow::S2f6 && source == "f16x2" {
                continue;
            }
            let wide = unary(if source == "f16x2" { "cvt.f32.f16" } else { "cvt.f32.bf16" });
            for (rounding, direction) in [("rn", RoundingDirection::Nearest), ("rz", RoundingDirection::Zero)] {
                let plain = unary(&format!("cvt.{rounding}.satfinite.{name}x2.{source}"));
                let relu = unary(&format!("cvt.{rounding}.satfinite.relu.pzo.{name}x2.{source}"));
                let positive = unary(&format!("cvt.{rounding}.satfinite.pzo.{name}x2.{source}"));
                for half in halves() {
                    let value = f32::from_bits(wide(half) as u32);
                    let code = u64::from(narrow.encode(value, direction, true));
                    let width = narrow.element_bits();
                    assert_eq!(plain(half << 16) >> width, code, "{name} {source} {half:x}");
                    assert_eq!(plain(half) & ((1 << width) - 1), code, "{name} {source} {half:x}");
                    let negative = value.is_sign_negative() && !value.is_nan() && narrow != Narrow::Ue5m3;
                    assert_eq!(relu(half << 16) >> width, if negative { 0 } else { code }, "{name} {source} {half:x}");
                    let minus_zero =
                        narrow != Narrow::Ue5m3 && narrow != Narrow::S2f6 && code == 1 << (narrow.bits() - 1);
                    assert_eq!(
                        positive(half << 16) >> width,
                        if minus_zero { 0 } else { code },
                        "{name} {source} {half:x}"
                    );
                }
            }
        }
    }
}

#[test]
fn narrow_ones_become_halves_exactly() {
    for (name, narrow) in NARROW {
        for code in 0..=255_u64 {
            let value = narrow.decode(code as u8);
            let width = narrow.element_bits();
            let both = (code << width | code) & 0xffff;
            if narrow != Narrow::S2f6 {
                let half = unary("cvt.rn.f16.f32")(u64::from(value.to_bits()));
                assert_eq!(unary(&format!("cvt.rn.f16x2.{name}x2"))(both) & 0xffff, half, "{name} {code:x}");
            }
            let half = unary("cvt.rn.bf16.f32")(u64::from(value.to_bits()));
            let plain = unary(&format!("cvt.rn.bf16x2.{name}x2"))(both);
            if narrow.element_bits() == 8 {
                assert_eq!(plain, half << 16 | half, "{name} {code:x}");
            }
            let relu = unary(&format!("cvt.rn.relu.satfinite.bf16x2.{name}x2"))(both) & 0xffff;
            let finite = if half & 0x7fff == 0x7f80 { half - 1 } else { half };
            assert_eq!(relu, if half & 0x8000 != 0 { 0 } else { finite }, "{name} {code:x}");
        }
    }
}

#[test]
fn scale_factors_are_exact_powers_of_two() {
    let mut random = ConvertRandom::new(5);
    for (name, narrow) in NARROW {
        // To a wider format: one scale byte for each element, the product (exact in binary64) rounded once.
        let up = written(&format!("cvt.rn.scaled::n2::ue8m0.bf16x2.{name}x2"));
        for code in 0..1_u64 << narrow.element_bits() {
            for high in 0..=255_u64 {
                let low = random.next() & 0xff;
                let width = narrow.element_bits();
                let a = code << width | code;
                let result = up.run(&Sources { a, extra: high << 8 | low, ..Sources::default() });
                for (result, scale) in [(result >> 16, high), (result & 0xffff, low)] {
                    let code = code as u8;
                    let exact = f64::from(narrow.decode(code)) * f64::from(Narrow::Ue8m0.decode(scale as u8));
                    let expected = unary_bf16(exact.to_bits());
                    assert_eq!(result, expected, "{name} {code:x} {scale:x}");
                }
            }
        }
        // To a narrower format: one scale byte for both elements, or one for each element of fixed point.
        let (many, text) = if narrow == Narrow::S2f6 { (true, "n2") } else { (false, "n1") };
        let down = written(&format!("cvt.rz.satfinite.scaled::{text}::ue8m0.{name}x2.f32"));
        for &bits in singles(100_000).iter().step_by(3) {
            let (high, low) = (random.next() % 255, random.next() % 255);
            let extra = if many { high << 8 | low } else { low };
            let result = down.run(&Sources { a: bits, b: bits, extra, ..Sources::default() });
            let flushed = if !many && bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits };
            let width = narrow.element_bits();
            let mask = (1 << width) - 1;
            for (result, scale) in [(result >> width, if many { high } else { low }), (result & mask, low)] {
                let value = f64::from(f32::from_bits(flushed as u32)) / f64::from(Narrow::Ue8m0.decode(scale as u8));
                // Rounding to single precision toward zero first does not change the narrow result.
                let single = unary("cvt.rz.f32.f64")(value.to_bits());
                let code = narrow.encode(f32::from_bits(single as u32), RoundingDirection::Zero, true);
                assert_eq!(result, u64::from(code), "{name} {bits:x} {scale:x}");
            }
        }
    }
    let nan = run("cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32", Sources { extra: 0xff, ..two(1.0, 2.0) });
    assert_eq!(nan, 0x7f7f);
}

fn unary_bf16(bits: u64) -> u64 {
    let conversion = compile(format("f64"), format("bf16"), options("rn")).unwrap();
    conversion.run(&Sources { a: bits, ..Sources::default() })
}

#[test]
fn random_bits_go_to_their_elements() {
    // 1 + 2^-11 needs a carry from the digits below; half of the random numbers produce it.
    let source = |extra| Sources { extra, ..two(1.000_488_3, 1.000_488_3) };
    assert_eq!(run("cvt.rs.f16x2.f32", source(0)), 0x3c00_3c00);
    assert_eq!(run("cvt.rs.f16x2.f32", source(0x1000_0000)), 0x3c01_3c00);
    assert_eq!(run("cvt.rs.f16x2.f32", source(0x0000_1000)), 0x3c00_3c01);
    assert_eq!(run("cvt.rs.f16x2.f32", source(0xefff_efff)), 0x3c00_3c00);
    assert_eq!(run("cvt.rs.bf16x2.f32", source(0xf000_efff)), 0x3f81_3f80);
    assert_eq!(
        run("cvt.rs.relu.satfinite.bf16x2.f32", Sources { extra: 0xffff_ffff, ..two(f32::MAX, -1.5) }),
        0x7f7f_0000
    );
    assert_eq!(run("cvt.rs.f16x2.f32", Sources { extra: 0xffff_ffff, ..two(65_535.0, 65_535.0) }), 0x7c00_7c00);
    // 17 is midway between 16 and 18 of `.e4m3`: the highest random bit decides. The upper of two elements reads the bits
    // reversed, so its highest bit is the lowest.
    let middle = u64::from(17_f32.to_bits());
    let four = |extra| Sources { a: middle, b: middle, e: middle, f: middle, extra };
    assert_eq!(run("cvt.rs.satfinite.e4m3x4.f32", four(0)), 0x5858_5858);
    assert_eq!(run("cvt.rs.satfinite.e4m3x4.f32", four(0x8000_0000)), 0x5859_5858);
    assert_eq!(run("cvt.rs.satfinite.e4m3x4.f32", four(0x0001_0000)), 0x5958_5858);
    assert_eq!(run("cvt.rs.satfinite.e4m3x4.f32", four(0x0000_8000)), 0x5858_5859);
    assert_eq!(run("cvt.rs.satfinite.e4m3x4.f32", four(0x0000_0001)), 0x5858_5958);
    // 2.5 in `.e2m1`: the upper two elements use bytes 3 and 1, the lower two bytes 2 and 0.
    let middle = u64::from(2.5_f32.to_bits());
    let four = |extra| Sources { a: middle, b: middle, e: middle, f: middle, extra };
    assert_eq!(run("cvt.rs.satfinite.e2m1x4.f32", four(0x8000_0000)), 0x4544);
    assert_eq!(run("cvt.rs.satfinite.e2m1x4.f32", four(0x0000_0100)), 0x5444);
    assert_eq!(run("cvt.rs.satfinite.e2m1x4.f32", four(0x0080_0000)), 0x4445);
    assert_eq!(run("cvt.rs.satfinite.e2m1x4.f32", four(0x0000_0001)), 0x4454);
}

#[test]
fn what_is_open_is_marked() {
    let one = |a| Sources { a, ..Sources::default() };
    let of = |instruction: &str, sources: &Sources| written(instruction).marks(sources);
    assert_eq!(of("cvt.rn.f16.f32", &one(0x7fc0_0000)), Marks::UNSPECIFIED);
    assert_eq!(of("cvt.rn.sat.f16.f32", &one(0x7fc0_0000)), Marks::NONE);
    assert_eq!(of("cvt.rn.f16.f32", &one(0x3f80_0000)), Marks::NONE);
    assert_eq!(of("cvt.rzi.s32.f32", &one(0x7fc0_0000)), Marks::NONE);
    assert_eq!(of("cvt.rn.satfinite.e2m1x2.f32", &two(f32::NAN, 1.0)), Marks::NONE);
    assert_eq!(of("cvt.rn.satfinite.e5m2x2.f32", &two(1.0, f32::NAN)), Marks::UNSPECIFIED);
    assert_eq!(of("cvt.rs.satfinite.e2m1x4.f32", &two(1.0, 1.0)), Marks::UNSPECIFIED);
    assert_eq!(of("cvt.rs.f16x2.f32", &two(1.0, 1.0)), Marks::NONE);
    let scaled = options("rn.satfinite.scaled::n1::ue8m0");
    let sources = Sources { extra: 0xff, ..two(1.0, 1.0) };
    assert_eq!(marks(format("f32"), format("e4m3x2"), scaled, &sources), Marks::UNSPECIFIED);
}

#[test]
fn conversions_that_do_not_exist_are_none() {
    let none = |from: &str, to: &str, text: &str| compile(format(from), format(to), options(text)).is_none();
    assert!(none("e4m3x2", "e5m2x2", "rn.satfinite"));
    assert!(none("f16x2", "bf16x2", "rn"));
    assert!(none("f32", "e4m3x4", "rn.satfinite"));
    assert!(none("f32", "s32", "rn"));
    assert!(none("f32", "f16", "rni"));
    assert!(none("f32", "f16x2", ""));
    assert_eq!(ConversionFormat::named("e4m3"), None);
    assert_eq!(ConversionFormat::named("s2f6x4"), None);
    assert_eq!(ConversionRounding::named("rx"), None);
    assert_eq!(options(""), ConversionOptions::default());
}
