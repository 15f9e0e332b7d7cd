//! A second implementation of the papers' model by other means: real numbers as `f64` (all exact here), results by search.

use crate::math::ldexp;
use crate::matrix::element::MatrixElementType;

/// Parameters of the model as the papers print them.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceModel {
    pub fraction: i32,
    pub at_once: usize,
    pub zero: i32,
    pub output: ReferenceOutput,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReferenceOutput {
    F32,
    E8M13,
    F16,
}

/// Returns the bits of exponent and fraction, and a letter: `i` for a format with infinities, `n` for one with a single NaN
/// code per sign, `-` for finite numbers only.
fn layout(element: MatrixElementType) -> (u32, u32, char) {
    match element {
        MatrixElementType::F32 | MatrixElementType::Tf32 => (8, 23, 'i'),
        MatrixElementType::F16 => (5, 10, 'i'),
        MatrixElementType::Bf16 => (8, 7, 'i'),
        MatrixElementType::E5m2 => (5, 2, 'i'),
        MatrixElementType::E4m3 | MatrixElementType::Ue4m3 => (4, 3, 'n'),
        MatrixElementType::E3m2 => (3, 2, '-'),
        MatrixElementType::E2m3 => (2, 3, '-'),
        MatrixElementType::E2m1 => (2, 1, '-'),
        other => panic!("{other:?}"),
    }
}

pub fn value(element: MatrixElementType, bits: u64) -> f64 {
    if element == MatrixElementType::Ue8m0 {
        return if bits == 255 { f64::NAN } else { ldexp(1.0, bits as i32 - 127) };
    }
    let (e, f, special) = layout(element);
    let bits = if element == MatrixElementType::Tf32 { bits & 0xffff_e000 } else { bits };
    let bits = if element == MatrixElementType::Ue4m3 { bits & 127 } else { bits };
    let (fraction, exponent) = (bits % (1 << f), (bits >> f) % (1 << e));
    let sign = if bits >> (e + f) & 1 == 1 { -1.0 } else { 1.0 };
    let all = (1 << e) - 1;
    if special == 'i' && exponent == all {
        return if fraction == 0 { sign * f64::INFINITY } else { f64::NAN };
    }
    if special == 'n' && exponent == all && fraction == (1 << f) - 1 {
        return f64::NAN;
    }
    let bias = (1 << (e - 1)) - 1;
    let scale = ldexp(1.0, -(f as i32));
    match exponent {
        0 => sign * ldexp(fraction as f64 * scale, 1 - bias),
        _ => sign * ldexp(1.0 + fraction as f64 * scale, exponent as i32 - bias),
    }
}

/// Returns the exponent of a value with a significand from 1 to 2, or the least exponent of the format.
pub fn exponent(element: MatrixElementType, value: f64) -> i32 {
    let (e, _, _) = layout(element);
    ((value.to_bits() >> 52 & 2047) as i32 - 1023).max(2 - (1 << (e - 1)))
}

/// Returns the sum of terms, aligned by the given exponents and truncated.
pub fn fused(terms: &[(f64, i32)], model: ReferenceModel) -> f64 {
    let top = terms.iter().map(|t| if t.0 == 0.0 { model.zero } else { t.1 }).max().unwrap();
    fused_at(terms, top, model)
}

pub fn fused_at(terms: &[(f64, i32)], top: i32, model: ReferenceModel) -> f64 {
    let sum: i128 = terms.iter().map(|t| ldexp(t.0, model.fraction - top) as i128).sum();
    ldexp(sum as f64, top - model.fraction)
}

pub fn output(value: f64, output: ReferenceOutput) -> u64 {
    if value.is_nan() {
        return if output == ReferenceOutput::F16 { 0x7fff } else { 0x7fff_ffff };
    }
    let size = value.abs();
    let number = |bits: u32| match output {
        ReferenceOutput::F16 => self::value(MatrixElementType::F16, bits.into()),
        ReferenceOutput::F32 => f64::from(f32::from_bits(bits)),
        ReferenceOutput::E8M13 => f64::from(f32::from_bits(bits << 10)),
    };
    let infinity: u32 = match output {
        ReferenceOutput::F16 => 0x7c00,
        ReferenceOutput::F32 => 0x7f80_0000,
        ReferenceOutput::E8M13 => 0x7f80_0000 >> 10,
    };
    // The number that would follow the greatest one if the format had no upper limit.
    let beyond = if output == ReferenceOutput::F16 { 65536.0 } else { ldexp(1.0, 128) };
    let (mut low, mut high) = (0, infinity);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if number(middle) <= size { low = middle } else { high = middle }
    }
    let next = if high == infinity { beyond } else { number(high) };
    let bits = match output {
        _ if size >= beyond => infinity,
        ReferenceOutput::F16 => {
            let (down, up) = (size - number(low), next - size);
            if up < down || up == down && low % 2 == 1 { high } else { low }
        }
        _ => low,
    };
    let bits = if output == ReferenceOutput::E8M13 { bits << 10 } else { bits };
    let sign = value.is_sign_negative() && value != 0.0;
    u64::from(bits) | u64::from(sign) << if output == ReferenceOutput::F16 { 15 } else { 31 }
}

/// Computes one element of D.
pub fn dot(
    a: &[u64],
    b: &[u64],
    c: u64,
    types: (MatrixElementType, MatrixElementType, MatrixElementType),
    model: ReferenceModel,
    scale: (u64, u64),
) -> u64 {
    let scales = value(MatrixElementType::Ue8m0, scale.0) * value(MatrixElementType::Ue8m0, scale.1);
    let shift = scale.0 as i32 + scale.1 as i32 - 254;
    let d = if model.output == ReferenceOutput::F16 { MatrixElementType::F16 } else { MatrixElementType::F32 };
    let mut sum = value(types.2, c);
    // A half as C is converted to the type of D first.
    let mut bits = 0;
    for (a, b) in a.chunks(model.at_once).zip(b.chunks(model.at_once)) {
        let factors: Vec<(f64, f64)> = a.iter().zip(b).map(|(a, b)| (value(types.0, *a), value(types.1, *b))).collect();
        let ieee: f64 = factors.iter().map(|(a, b)| a * b * scales).sum::<f64>() + sum;
        bits = if ieee.is_nan() || ieee.is_infinite() {
            output(ieee, model.output)
        } else {
            let mut terms: Vec<(f64, i32)> = factors
                .iter()
                .map(|(a, b)| (a * b * scales, exponent(types.0, *a) + exponent(types.1, *b) + shift))
                .collect();
            terms.push((sum, exponent(d, sum)));
            output(fused(&terms, model), model.output)
        };
        sum = value(d, bits);
    }
    bits
}
