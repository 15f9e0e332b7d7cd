//! Tests of conversions of one value with a floating-point type on either side.

use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::super::{FloatLayout, Sources, UnspecifiedResults};
use super::{doubles, format, halves, options, singles, unary, wholes};

/// A number of any format in `rustc_apfloat`'s representation.
#[derive(Clone, Copy)]
enum Any {
    F16(Half),
    Bf16(BFloat),
    F32(Single),
    F64(Double),
}

macro_rules! each {
    ($any:expr, $value:ident => $result:expr) => {
        match $any {
            Any::F16($value) => $result,
            Any::Bf16($value) => $result,
            Any::F32($value) => $result,
            Any::F64($value) => $result,
        }
    };
}

fn read(ty: &str, bits: u64) -> Any {
    let bits = u128::from(bits);
    match ty {
        "f16" => Any::F16(Half::from_bits(bits)),
        "bf16" => Any::Bf16(BFloat::from_bits(bits)),
        "f32" => Any::F32(Single::from_bits(bits)),
        _ => Any::F64(Double::from_bits(bits)),
    }
}

fn convert<F>(value: F, to: &str, round: Round) -> u64
where
    F: FloatConvert<Half> + FloatConvert<BFloat> + FloatConvert<Single> + FloatConvert<Double>,
{
    let loses = &mut false;
    (match to {
        "f16" => FloatConvert::<Half>::convert_r(value, round, loses).value.to_bits(),
        "bf16" => FloatConvert::<BFloat>::convert_r(value, round, loses).value.to_bits(),
        "f32" => FloatConvert::<Single>::convert_r(value, round, loses).value.to_bits(),
        _ => FloatConvert::<Double>::convert_r(value, round, loses).value.to_bits(),
    }) as u64
}

fn layout(ty: &str) -> FloatLayout {
    match ty {
        "f16" => FloatLayout::F16,
        "bf16" => FloatLayout::BF16,
        "f32" => FloatLayout::F32,
        _ => FloatLayout::F64,
    }
}

fn samples(ty: &str) -> Vec<u64> {
    match ty {
        "f16" | "bf16" => halves(),
        "f32" => singles(100_000),
        _ => doubles(100_000),
    }
}

const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];
const ROUNDINGS: [(&str, Round); 4] = [
    ("rn", Round::NearestTiesToEven),
    ("rz", Round::TowardZero),
    ("rm", Round::TowardNegative),
    ("rp", Round::TowardPositive),
];
const INTEGRAL: [(&str, Round); 4] = [
    ("rni", Round::NearestTiesToEven),
    ("rzi", Round::TowardZero),
    ("rmi", Round::TowardNegative),
    ("rpi", Round::TowardPositive),
];

/// Clamps a number to [0, 1] by the reference's own comparison.
fn saturated(ty: &str, bits: u64) -> u64 {
    let value = each!(read(ty, bits), value => {
        let loses = &mut false;
        FloatConvert::<Double>::convert_r(value, Round::TowardZero, loses).value
    });
    let value = f64::from_bits(value.to_bits() as u64);
    if value.is_nan() || value <= 0.0 {
        0
    } else if value > 1.0 {
        convert(Double::from_bits(0x3ff0_0000_0000_0000), ty, Round::TowardZero)
    } else {
        bits
    }
}

#[test]
fn every_pair_of_floats_in_every_rounding() {
    for from in FLOATS {
        let samples = samples(from);
        for to in FLOATS.into_iter().filter(|to| *to != from) {
            let widens = layout(from).fraction_bits <= layout(to).fraction_bits
                && layout(from).exponent_bits <= layout(to).exponent_bits;
            for (name, round) in ROUNDINGS {
                let rounding = if widens { "" } else { name };
                let dot = if widens { "" } else { "." };
                let plain = unary(&format!("cvt{dot}{rounding}.{to}.{from}"));
                let sat = unary(&format!("cvt{dot}{rounding}.sat.{to}.{from}"));
                let halves_it = from == "f32" && !widens;
                let flushing = halves_it.then(|| unary(&format!("cvt.{name}.ftz.{to}.{from}")));
                for &bits in &samples {
                    let value = read(from, bits);
                    let nan = each!(value, value => value.is_nan());
                    let result = plain(bits);
                    if nan {
                        assert!(layout(to).is_nan(result), "cvt.{name}.{to}.{from} {bits:x}");
                        assert_eq!(sat(bits), 0, "cvt.{name}.sat.{to}.{from} {bits:x}");
                        continue;
                    }
                    let expected = each!(value, value => convert(value, to, round));
                    assert_eq!(result, expected, "cvt.{name}.{to}.{from} {bits:x}");
                    assert_eq!(sat(bits), saturated(to, expected), "cvt.{name}.sat.{to}.{from} {bits:x}");
                    if let Some(flushing) = &flushing {
                        // The machine code of conversions to `.f16` does not flush.
                        let flushed = bits & 0x7f80_0000 == 0 && to != "f16";
                        let expected = if flushed { bits >> 16 & 0x8000 } else { expected };
                        assert_eq!(flushing(bits), expected, "cvt.{name}.ftz.{to}.{from} {bits:x}");
                    }
                }
                if widens {
                    break;
                }
            }
        }
    }
}

#[test]
fn floats_to_integral_floats() {
    for ty in FLOATS {
        for (name, round) in INTEGRAL {
            let plain = unary(&format!("cvt.{name}.{ty}.{ty}"));
            let flushing = (ty == "f32").then(|| unary(&format!("cvt.{name}.ftz.{ty}.{ty}")));
            for bits in samples(ty) {
                let value = read(ty, bits);
                if each!(value, value => value.is_nan()) {
                    assert!(layout(ty).is_nan(plain(bits)));
                    continue;
                }
                let expected = each!(value, value => value.round_to_integral(round).value.to_bits()) as u64;
                assert_eq!(plain(bits), expected, "cvt.{name}.{ty}.{ty} {bits:x}");
                if let Some(flushing) = &flushing {
                    let zero = bits & 0x7f80_0000 == 0;
                    let expected = if zero { bits & 0x8000_0000 } else { expected };
                    assert_eq!(flushing(bits), expected, "cvt.{name}.ftz.{ty}.{ty} {bits:x}");
                }
            }
        }
    }
}

#[test]
fn floats_to_integers() {
    for from in FLOATS {
        let samples = samples(from);
        for (to, width, signed) in [
            ("u8", 8, false),
            ("u16", 16, false),
            ("u32", 32, false),
            ("u64", 64, false),
            ("s8", 8, true),
            ("s16", 16, true),
            ("s32", 32, true),
            ("s64", 64, true),
        ] {
            for (name, round) in INTEGRAL {
                let plain = unary(&format!("cvt.{name}.{to}.{from}"));
                let flushing = (from == "f32").then(|| unary(&format!("cvt.{name}.ftz.sat.{to}.{from}")));
                for &bits in &samples {
                    let value = read(from, bits);
                    let exact = &mut false;
                    let expected = if each!(value, value => value.is_nan()) {
                        if from == "f64" || width == 64 { 1 << (width - 1) } else { 0 }
                    } else if signed {
                        each!(value, value => value.to_i128_r(width, round, exact).value)
                    } else {
                        each!(value, value => value.to_u128_r(width, round, exact).value) as i128
                    };
                    let extended = if signed { (expected << (128 - width)) >> (128 - width) } else { expected };
                    let lane = |value: i128| if width == 64 { value as u64 } else { u64::from(value as u32) };
                    assert_eq!(plain(bits), lane(extended), "cvt.{name}.{to}.{from} {bits:x}");
                    if let Some(flushing) = &flushing {
                        let expected = if bits & 0x7f80_0000 == 0 { 0 } else { lane(extended) };
                        assert_eq!(flushing(bits), expected, "cvt.{name}.ftz.sat.{to}.{from} {bits:x}");
                    }
                }
            }
        }
    }
}

#[test]
fn integers_to_floats() {
    let samples = wholes(90_000);
    for (from, width, signed) in [
        ("u8", 8, false),
        ("u16", 16, false),
        ("u32", 32, false),
        ("u64", 64, false),
        ("s8", 8, true),
        ("s16", 16, true),
        ("s32", 32, true),
        ("s64", 64, true),
    ] {
        for to in FLOATS {
            for (name, round) in ROUNDINGS {
                let plain = unary(&format!("cvt.{name}.{to}.{from}"));
                for &bits in &samples {
                    let low = i128::from(bits) & ((1 << width) - 1);
                    let value = if signed { (low << (128 - width)) >> (128 - width) } else { low };
                    let expected = (match to {
                        "f16" => Half::from_i128_r(value, round).value.to_bits(),
                        "bf16" => BFloat::from_i128_r(value, round).value.to_bits(),
                        "f32" => Single::from_i128_r(value, round).value.to_bits(),
                        _ => Double::from_i128_r(value, round).value.to_bits(),
                    }) as u64;
                    assert_eq!(plain(bits), expected, "cvt.{name}.{to}.{from} {bits:x}");
                    if width < 64 && bits >> width != 0 {
                        continue;
                    }
                }
                let sat = unary(&format!("cvt.{name}.sat.{to}.{from}"));
                assert_eq!(sat(u64::MAX), if signed { 0 } else { layout(to).one() });
                assert_eq!((sat(0), sat(1), sat(2)), (0, layout(to).one(), layout(to).one()));
            }
        }
    }
}

/// `.ftz` from `.f64`: `ptxas` 13.5 for sm_90 compares the source with these bounds and flushes below them.
#[test]
fn results_that_are_flushed() {
    const LEAST: u64 = 0x3810_0000_0000_0000;
    for (name, positive, negative) in [
        ("rn", 0x380f_ffff_f000_0000, 0x380f_ffff_f000_0000),
        ("rz", LEAST, LEAST),
        ("rp", 0x380f_ffff_e000_0001, LEAST),
        ("rm", LEAST, 0x380f_ffff_e000_0001),
    ] {
        let plain = unary(&format!("cvt.{name}.f32.f64"));
        let flushing = unary(&format!("cvt.{name}.ftz.f32.f64"));
        let edges = [positive, negative].into_iter().flat_map(|bits| (bits - 4)..(bits + 4));
        let edges: Vec<u64> = edges.flat_map(|bits| [bits, bits | 1 << 63]).collect();
        for &bits in doubles(100_000).iter().chain(&edges) {
            let bound = if bits >> 63 == 0 { positive } else { negative };
            let magnitude = bits & (u64::MAX >> 1);
            let expected = if magnitude < bound { bits >> 32 & 0x8000_0000 } else { plain(bits) };
            assert_eq!(flushing(bits), expected, "cvt.{name}.ftz.f32.f64 {bits:x}");
        }
    }
    // A subnormal single as source counts as zero in every rounding direction.
    for instruction in ["cvt.rm.ftz.bf16.f32", "cvt.ftz.f64.f32", "cvt.ftz.f32.f32"] {
        let convert = unary(instruction);
        let sign = format_sign(instruction);
        for bits in [1, 0x7f_ffff, 0x40_0000] {
            assert_eq!((convert(bits), convert(bits | 1 << 31)), (0, sign), "{instruction}");
        }
    }
    assert_eq!(unary("cvt.ftz.f32.bf16")(0x807f), 0x8000_0000);
    // A conversion to `.f16` is the exception: the same machine code with and without `.ftz`. What leaves the manual is marked.
    let (up, down) = (unary("cvt.rp.ftz.f16.f32"), unary("cvt.rm.ftz.f16.f32"));
    let (f32, f16) = (format("f32"), format("f16"));
    let open = |words: &str, bits: u64| {
        UnspecifiedResults::new(f32, f16, options(words)).is_open(&Sources { a: bits, ..Sources::default() })
    };
    const MINUS: u64 = 1 << 31;
    for bits in [1, 0x40_0000, 0x7f_ffff] {
        assert_eq!((up(bits), up(bits | MINUS), down(bits), down(bits | MINUS)), (1, 0x8000, 0, 0x8001));
        let marks = |words| [open(words, bits), open(words, bits | MINUS)];
        assert_eq!([marks(".rp.ftz"), marks(".rm.ftz")], [[true, false], [false, true]]);
        assert_eq!([marks(".rp.ftz.sat"), marks(".rm.ftz.sat")], [[true, false], [false, false]]);
        assert_eq!([marks(".rn.ftz"), marks(".rz.ftz"), marks(".rp")], [[false; 2]; 3]);
    }
    for (bits, marked) in [(0, false), (0x80_0000, false), (0x7f80_0000, false), (0x7f80_0001, true)] {
        assert_eq!((open(".rp.ftz", bits), open(".rp.ftz.sat", bits)), (marked, false), "{bits:x}");
    }
    let (sat, flushing) = (unary("cvt.sat.f32.f32"), unary("cvt.ftz.sat.f32.f32"));
    for bits in singles(100_000) {
        let expected = saturated("f32", bits);
        assert_eq!(sat(bits), expected);
        assert_eq!(flushing(bits), if bits & 0x7f80_0000 == 0 { 0 } else { expected });
    }
}

fn format_sign(instruction: &str) -> u64 {
    if instruction.contains(".f64") {
        1 << 63
    } else if instruction.contains("16") {
        1 << 15
    } else {
        1 << 31
    }
}

#[test]
fn clamping_modifiers_of_halves() {
    for to in ["f16", "bf16"] {
        let layout = layout(to);
        let (sign, endless) = (layout.sign_bit(), layout.infinity());
        for (name, _) in [ROUNDINGS[0], ROUNDINGS[1]] {
            let plain = unary(&format!("cvt.{name}.{to}.f32"));
            let relu = unary(&format!("cvt.{name}.relu.{to}.f32"));
            let finite = unary(&format!("cvt.{name}.satfinite.{to}.f32"));
            let both = unary(&format!("cvt.{name}.pzo.relu.satfinite.{to}.f32"));
            let positive = unary(&format!("cvt.{name}.pzo.{to}.f32"));
            for bits in singles(60_000) {
                let result = plain(bits);
                if result & 0x7fff > endless {
                    assert_eq!(
                        (relu(bits), finite(bits), both(bits), positive(bits)),
                        (0x7fff, 0x7fff, 0x7fff, 0x7fff)
                    );
                    continue;
                }
                assert_eq!(positive(bits), if result == sign { 0 } else { result });
                assert_eq!(relu(bits), if result & sign != 0 { 0 } else { result });
                let clamped = if result & 0x7fff == endless { result - 1 } else { result };
                assert_eq!(finite(bits), clamped);
                assert_eq!(both(bits), if result & sign != 0 { 0 } else { clamped });
            }
        }
    }
}

#[test]
fn tf32_is_single_with_ten_digits() {
    for (name, round) in ROUNDINGS.into_iter().take(2) {
        let plain = unary(&format!("cvt.{name}.tf32.f32"));
        let finite = unary(&format!("cvt.{name}.satfinite.relu.tf32.f32"));
        for bits in singles(100_000) {
            let result = plain(bits);
            assert_eq!(result & 0x1fff, 0);
            if FloatLayout::F32.is_nan(bits) {
                assert!(FloatLayout::F32.is_nan(result) && FloatLayout::F32.is_nan(finite(bits)));
                continue;
            }
            // Rounds the single's digits to those of tf32 in integers.
            let below = bits & !0x1fff;
            let rest = bits & 0x1fff;
            let up = round == Round::NearestTiesToEven && (rest > 0x1000 || (rest == 0x1000 && bits & 0x2000 != 0));
            let expected = if up { below + 0x2000 } else { below };
            assert_eq!(result, expected, "cvt.{name}.tf32.f32 {bits:x}");
            let clamped = if expected & 0x7fff_ffff == 0x7f80_0000 { expected - 0x2000 } else { expected };
            assert_eq!(finite(bits), if bits >> 31 != 0 { 0 } else { clamped });
        }
    }
    let away = unary("cvt.rna.tf32.f32");
    for bits in singles(100_000) {
        let number = bits & 0x7fff_ffff < 0x7f80_0000;
        let rest = bits & 0x1fff;
        let expected = (bits & !0x1fff) + if number && rest >= 0x1000 { 0x2000 } else { 0 };
        assert_eq!(away(bits), expected, "{bits:x}");
    }
}
