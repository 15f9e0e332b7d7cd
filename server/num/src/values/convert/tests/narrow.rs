//! Tests of the narrow formats against a slow reference: the list of all values, and comparison in binary64, which represents
//! all values and all midpoints exactly.

use super::super::{FloatLayout, Narrow, RoundingDirection};
use super::{halves, singles};
use crate::math::ldexp;

/// Returns the value of a code by the formula of its format; `None` for a NaN.
fn worth(format: Narrow, code: u8) -> Option<f64> {
    let float = |exponent_bits: u32, fraction_bits: u32, signed: bool| {
        let bias = (1 << (exponent_bits - 1)) - 1;
        let fraction = f64::from(code & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
        let exponent = i32::from(code) >> fraction_bits & ((1 << exponent_bits) - 1);
        let size = if exponent == 0 { ldexp(fraction, 1 - bias) } else { ldexp(1.0 + fraction, exponent - bias) };
        if signed && code >> (exponent_bits + fraction_bits) & 1 != 0 { -size } else { size }
    };
    match format {
        Narrow::E4m3 if code & 0x7f == 0x7f => None,
        Narrow::E4m3 => Some(float(4, 3, true)),
        Narrow::E5m2 if code & 0x7f > 0x7c => None,
        Narrow::E5m2 if code == 0x7c => Some(f64::INFINITY),
        Narrow::E5m2 if code == 0xfc => Some(f64::NEG_INFINITY),
        Narrow::E5m2 => Some(float(5, 2, true)),
        Narrow::E2m3 => Some(float(2, 3, true)),
        Narrow::E3m2 => Some(float(3, 2, true)),
        Narrow::E2m1 => Some(float(2, 1, true)),
        Narrow::Ue8m0 if code == 0xff => None,
        Narrow::Ue8m0 => Some(ldexp(1.0, i32::from(code) - 127)),
        Narrow::Ue4m3 if code & 0x7f == 0x7f => None,
        Narrow::Ue4m3 => Some(float(4, 3, false)),
        Narrow::Ue5m3 if code == 0xff => None,
        Narrow::Ue5m3 => Some(float(5, 3, false)),
        Narrow::S2f6 => Some(f64::from(code as i8) / 64.0),
    }
}

fn is_signed(format: Narrow) -> bool {
    !matches!(format, Narrow::Ue8m0 | Narrow::Ue4m3 | Narrow::Ue5m3)
}

#[test]
fn codes_are_worth_what_their_format_says() {
    for format in Narrow::ALL {
        for code in 0..=255 {
            let decoded = format.decode(code);
            match worth(format, code) {
                None => assert_eq!(decoded.to_bits(), 0x7fff_ffff, "{format:?} {code:x}"),
                Some(value) => assert_eq!((value as f32).to_bits(), decoded.to_bits(), "{format:?} {code:x}"),
            }
        }
    }
    assert_eq!(Narrow::E4m3.decode(0x7e), 448.0);
    assert_eq!(Narrow::E5m2.decode(0x7b), 57_344.0);
    assert_eq!(Narrow::E2m3.decode(0x1f), 7.5);
    assert_eq!(Narrow::E3m2.decode(0x1f), 28.0);
    assert_eq!(Narrow::E2m1.decode(7), 6.0);
    assert_eq!(Narrow::Ue5m3.decode(0xfe), 114_688.0);
}

/// Returns the magnitudes of the finite values of one sign with their codes, ascending; the zero has that sign.
fn sizes(format: Narrow, negative: bool) -> Vec<(f64, u8)> {
    let top = format.bits() - 1;
    let wanted = |code: &u8| match format {
        Narrow::S2f6 => *code == 0 || (*code >> top != 0) == negative,
        _ => !is_signed(format) || (*code >> top != 0) == negative,
    };
    let codes = (0..1_u32 << format.bits()).map(|code| code as u8).filter(wanted);
    let finite =
        codes.filter_map(|code| worth(format, code).filter(|value| value.is_finite()).map(|value| (value.abs(), code)));
    let mut sizes: Vec<(f64, u8)> = finite.collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    sizes
}

/// Returns the rounded code of a value, by search.
fn nearest(format: Narrow, sizes: &[(f64, u8)], value: f64, direction: RoundingDirection, saturate: bool) -> u8 {
    let size = value.abs();
    let negative = value.is_sign_negative() && is_signed(format);
    let (largest, largest_code) = sizes[sizes.len() - 1];
    let beyond = match format {
        Narrow::E4m3 | Narrow::E5m2 | Narrow::Ue4m3 | Narrow::Ue5m3 | Narrow::Ue8m0 if !saturate => largest_code + 1,
        _ => largest_code,
    };
    let up = match direction {
        RoundingDirection::Up => !negative,
        RoundingDirection::Down => negative,
        _ => false,
    };
    let at = sizes.partition_point(|(other, _)| *other <= size);
    if at == 0 {
        // Only `.ue8m0` has no zero: smaller values become its least number.
        return sizes[0].1;
    }
    let (below, below_code) = sizes[at - 1];
    if below == size {
        return below_code;
    }
    let (above, above_code) = if at < sizes.len() {
        sizes[at]
    } else {
        let step = if format == Narrow::Ue8m0 { largest } else { largest - sizes[sizes.len() - 2].0 };
        if size.is_infinite() {
            return beyond;
        }
        (largest + step, beyond)
    };
    let middle = (below + above) / 2.0;
    match direction {
        RoundingDirection::Nearest if size > middle => above_code,
        // Ties to even: the code's last bit is the value's last digit, in two's complement too.
        RoundingDirection::Nearest if size == middle => {
            if below_code & 1 == 0 {
                below_code
            } else {
                above_code
            }
        }
        RoundingDirection::NearestAway if size >= middle => above_code,
        RoundingDirection::Up | RoundingDirection::Down if up => above_code,
        _ => below_code,
    }
}

#[test]
fn nothing_but_the_nearest_code_in_each_direction() {
    let mut values: Vec<f32> = singles(100_000).into_iter().map(|bits| f32::from_bits(bits as u32)).collect();
    values.extend(halves().into_iter().map(|bits| f32::from_bits((bits as u32) << 16)));
    values.extend(halves().into_iter().map(|bits| f32::from_bits(super::super::quick::f32_from_f16(bits as u32))));
    values.retain(|value| !value.is_nan());
    let mut count = 0_u64;
    for format in Narrow::ALL {
        let lists = [sizes(format, false), sizes(format, is_signed(format))];
        // All values, all midpoints and their neighbours, in addition to the samples.
        let mut close = Vec::new();
        for list in &lists {
            for pair in list.windows(2) {
                let middle = ((pair[0].0 + pair[1].0) / 2.0) as f32;
                for value in [pair[0].0 as f32, middle, pair[1].0 as f32] {
                    for bits in [value.to_bits().saturating_sub(1), value.to_bits(), value.to_bits() + 1] {
                        close.extend([f32::from_bits(bits), -f32::from_bits(bits)]);
                    }
                }
            }
        }
        for direction in [
            RoundingDirection::Nearest,
            RoundingDirection::NearestAway,
            RoundingDirection::Zero,
            RoundingDirection::Down,
            RoundingDirection::Up,
        ] {
            // Ties of `.ue8m0` never occur: `cvt` has only `.rz` and `.rp` for it.
            if format == Narrow::Ue8m0
                && matches!(direction, RoundingDirection::Nearest | RoundingDirection::NearestAway)
            {
                continue;
            }
            for saturate in [true, false] {
                for &value in values.iter().chain(&close) {
                    let wide = f64::from(value);
                    let list = &lists[usize::from(wide.is_sign_negative() && is_signed(format))];
                    let expected = nearest(format, list, wide, direction, saturate);
                    let code = format.encode(value, direction, saturate);
                    assert_eq!(code, expected, "{format:?} {value:e} {direction:?} {saturate}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 10_000_000, "{count}");
}

#[test]
fn not_a_number_becomes_one_where_there_is_one() {
    for (format, code) in [
        (Narrow::E4m3, 0x7f),
        (Narrow::E5m2, 0x7f),
        (Narrow::E2m3, 0x1f),
        (Narrow::E3m2, 0x1f),
        (Narrow::E2m1, 7),
        (Narrow::Ue8m0, 0xff),
        (Narrow::Ue4m3, 0x7f),
        (Narrow::Ue5m3, 0xff),
        (Narrow::S2f6, 0x7f),
    ] {
        for bits in [0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0xffff_ffff] {
            for saturate in [true, false] {
                assert_eq!(
                    format.encode(f32::from_bits(bits), RoundingDirection::Nearest, saturate),
                    code,
                    "{format:?}"
                );
            }
        }
    }
}

/// The carry of the manual's `.rs`, with the fraction of a step computed in binary64.
#[test]
fn random_bits_decide_by_their_carry() {
    let mut random = super::ConvertRandom::new(9);
    for format in [Narrow::E4m3, Narrow::E5m2, Narrow::E2m3, Narrow::E3m2, Narrow::E2m1] {
        let lists = [sizes(format, false), sizes(format, true)];
        for bits in singles(60_000) {
            let value = f32::from_bits(bits as u32);
            if value.is_nan() {
                continue;
            }
            let field = random.next() as u32 & 0xffff;
            let list = &lists[usize::from(value.is_sign_negative())];
            let size = f64::from(value.abs());
            let at = list.partition_point(|(other, _)| *other <= size);
            let (below, code) = list[at - 1];
            let expected = match list.get(at) {
                Some((above, next)) => {
                    // The digits below the random bits cannot carry.
                    let part = ((size - below) / (above - below) * 65_536.0) as u32;
                    if part + field >= 65_536 { *next } else { code }
                }
                None => code,
            };
            let direction = RoundingDirection::Stochastic { bits: field, width: 16 };
            assert_eq!(format.encode(value, direction, true), expected, "{format:?} {value:e} {field:x}");
        }
    }
    for (layout, width) in [(FloatLayout::F16, 13), (FloatLayout::BF16, 16)] {
        for bits in singles(100_000) {
            let magnitude = bits & 0x7fff_ffff;
            let least = if layout == FloatLayout::F16 { 0x3880_0000 } else { 0 };
            let most = if layout == FloatLayout::F16 { 0x4780_0000 } else { 0x7f80_0000 };
            if magnitude < least || magnitude >= most {
                continue;
            }
            let field = random.next() & ((1 << width) - 1);
            let carried = magnitude + field;
            let offset = if layout == FloatLayout::F16 { 0x3800_0000 } else { 0 };
            let expected = (bits >> 16 & 0x8000) | (carried - offset) >> width;
            let direction = RoundingDirection::Stochastic { bits: field as u32, width };
            assert_eq!(layout.encode(FloatLayout::F32.decode(bits), direction, false), expected, "{bits:x} {field:x}");
        }
    }
}
