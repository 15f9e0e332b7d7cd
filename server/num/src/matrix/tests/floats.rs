//! Products of floating-point matrices of every type and generation against the reference model.

use super::MatrixRandom;
use super::reference::{self, ReferenceModel, ReferenceOutput};
use crate::math::ldexp;
use crate::matrix::element::MatrixElementType::{self, *};
use crate::matrix::numerics::{MatrixInstruction, Numerics};
use crate::matrix::product::{Product, ProductKind, ProductOperands, ProductShape, ProductSpec};
use crate::matrix::sparse::{Indices, SparsityPattern, columns};
use crate::values::Marks;

pub fn spec(
    target: &str,
    unit: MatrixInstruction,
    shape: (usize, usize, usize),
    types: [MatrixElementType; 4],
    kind: ProductKind,
) -> ProductSpec {
    ProductSpec {
        unit,
        numerics: Numerics::for_target(ptx_isa::ISA.target(target).unwrap()).unwrap(),
        shape: ProductShape { m: shape.0, n: shape.1, k: shape.2 },
        d: types[0],
        a: types[1],
        b: types[2],
        c: types[3],
        kind,
        sparse: false,
        negate_a: false,
        negate_b: false,
    }
}

/// Bits of an element for interesting sums: mostly of similar magnitude, with zeros, subnormals and extremes, and sometimes NaN
/// or infinity.
pub fn bits(random: &mut MatrixRandom, element: MatrixElementType, style: u64) -> u64 {
    let width = element.bits();
    let all = random.next() & (u64::MAX >> (64 - width));
    let (exponent, fraction) = match element {
        F32 | Tf32 => (8, 23),
        F16 => (5, 10),
        Bf16 => (8, 7),
        E4m3 => (4, 3),
        E5m2 => (5, 2),
        _ => return all,
    };
    let spread = |random: &mut MatrixRandom, bits: u64, base: u64, range: u64| {
        let field = base + random.below(range);
        bits & !(((1 << exponent) - 1) << fraction) | field << fraction
    };
    let bias = (1u64 << (exponent - 1)) - 1;
    match style {
        // Any bits, including NaN and infinity.
        0 => all,
        // Numbers of similar magnitude.
        1 => spread(random, all, bias.saturating_sub(2), 4),
        // Tiny numbers: subnormals, zeros, and the smallest normal numbers.
        2 => match random.below(3) {
            0 => all & 1 << (exponent + fraction),
            _ => spread(random, all, 0, 3),
        },
        // Large numbers.
        3 => spread(random, all, (1 << exponent) - 4, 3),
        // Finite numbers over a wide range.
        _ => spread(random, all, bias / 2, bias),
    }
}

fn matrix(random: &mut MatrixRandom, element: MatrixElementType, count: usize, style: u64) -> Vec<u64> {
    (0..count).map(|_| bits(random, element, style)).collect()
}

/// The published parameters for each target and type.
fn published() -> Vec<(&'static str, MatrixInstruction, MatrixElementType, MatrixElementType, usize, ReferenceModel)> {
    let model = |fraction, at_once, zero, output| ReferenceModel { fraction, at_once, zero, output };
    let mut all = Vec::new();
    for (target, fraction, halves, zero) in
        [("sm_70", 23, 4, -131), ("sm_75", 24, 8, -132), ("sm_80", 24, 8, -132), ("sm_89", 24, 8, -132)]
    {
        for (d, output) in [(F32, ReferenceOutput::F32), (F16, ReferenceOutput::F16)] {
            all.push((target, MatrixInstruction::Mma, F16, d, 16, model(fraction, halves, zero, output)));
        }
    }
    for target in ["sm_80", "sm_89"] {
        all.push((target, MatrixInstruction::Mma, Bf16, F32, 16, model(24, 8, -132, ReferenceOutput::F32)));
        all.push((target, MatrixInstruction::Mma, Tf32, F32, 8, model(24, 4, -132, ReferenceOutput::F32)));
    }
    for (target, unit) in [
        ("sm_90a", MatrixInstruction::Mma),
        ("sm_90a", MatrixInstruction::Wgmma),
        ("sm_100a", MatrixInstruction::Mma),
        ("sm_100a", MatrixInstruction::Tcgen05),
        ("sm_120a", MatrixInstruction::Mma),
    ] {
        all.push((target, unit, F16, F32, 16, model(25, 16, -133, ReferenceOutput::F32)));
        all.push((target, unit, F16, F16, 16, model(25, 16, -133, ReferenceOutput::F16)));
        all.push((target, unit, Bf16, F32, 16, model(25, 16, -133, ReferenceOutput::F32)));
        all.push((target, unit, Tf32, F32, 8, model(25, 8, -133, ReferenceOutput::F32)));
    }
    for narrow in [E4m3, E5m2] {
        all.push(("sm_89", MatrixInstruction::Mma, narrow, F32, 32, model(13, 16, -132, ReferenceOutput::E8M13)));
        all.push(("sm_89", MatrixInstruction::Mma, narrow, F16, 32, model(13, 16, -132, ReferenceOutput::F16)));
        all.push(("sm_90a", MatrixInstruction::Wgmma, narrow, F32, 32, model(13, 32, -133, ReferenceOutput::E8M13)));
        all.push(("sm_90a", MatrixInstruction::Wgmma, narrow, F16, 32, model(13, 32, -133, ReferenceOutput::F16)));
    }
    for narrow in [E4m3, E5m2, E3m2, E2m3, E2m1] {
        for (target, unit) in [("sm_100a", MatrixInstruction::Tcgen05), ("sm_120a", MatrixInstruction::Mma)] {
            all.push((target, unit, narrow, F32, 32, model(25, 32, -133, ReferenceOutput::F32)));
            all.push((target, unit, narrow, F16, 32, model(25, 32, -133, ReferenceOutput::F16)));
        }
    }
    all
}

#[test]
fn every_generation_adds_as_published() {
    let mut random = MatrixRandom(0x1234_5678_9abc_def1);
    for (target, unit, a_type, d, k, model) in published() {
        let (m, n) = (8, 8);
        let product = Product::new(spec(target, unit, (m, n, k), [d, a_type, a_type, d], ProductKind::Plain)).unwrap();
        for round in 0..40 {
            let styles = [round % 5, (round / 5) % 5, random.below(5)];
            let a = matrix(&mut random, a_type, m * k, styles[0]);
            let b = matrix(&mut random, a_type, k * n, styles[1]);
            let c = matrix(&mut random, d, m * n, styles[2]);
            let outcome =
                product.multiply(&ProductOperands { a: &a, b: &b, c: &c, ..ProductOperands::default() }).unwrap();
            for (at, is) in outcome.d.iter().enumerate() {
                let (row, column) = (at / n, at % n);
                let line: Vec<u64> = (0..k).map(|k| b[k * n + column]).collect();
                let types = (a_type, a_type, d);
                let must = reference::dot(&a[row * k..][..k], &line, c[at], types, model, (127, 127));
                assert_eq!(*is, must, "{target} {unit:?} {a_type:?} {d:?} {styles:?} {is:x} {must:x}");
            }
        }
    }
}

#[test]
fn a_half_in_c_is_converted_first() {
    // The smallest half has exponent -24 as a single, so 23 bits below it reach the last bit of this product.
    let product =
        Product::new(spec("sm_70", MatrixInstruction::Mma, (8, 8, 4), [F32, F16, F16, F16], ProductKind::Plain))
            .unwrap();
    let (mut a, mut b, mut c) = ([0u64; 32], [0u64; 32], [0u64; 64]);
    (a[0], b[0], c[0]) = (0x0402, 0x0401, 0x0001);
    let outcome = product.multiply(&ProductOperands { a: &a, b: &b, c: &c, ..ProductOperands::default() }).unwrap();
    let must = [-24, -28, -37, -38, -47].map(|exponent| ldexp(1.0, exponent)).iter().sum::<f64>() as f32;
    assert_eq!(f32::from_bits(outcome.d[0] as u32), must);
}

#[test]
fn mixed_types_and_negation() {
    let mut random = MatrixRandom(77);
    let mut spec = spec("sm_120a", MatrixInstruction::Mma, (16, 8, 32), [F32, E4m3, E2m1, F32], ProductKind::Plain);
    (spec.negate_a, spec.negate_b) = (true, false);
    let product = Product::new(spec).unwrap();
    let a = matrix(&mut random, E4m3, 16 * 32, 4);
    let b = matrix(&mut random, E2m1, 32 * 8, 0);
    let c = matrix(&mut random, F32, 16 * 8, 1);
    let outcome = product.multiply(&ProductOperands { a: &a, b: &b, c: &c, ..ProductOperands::default() }).unwrap();
    let model = ReferenceModel { fraction: 25, at_once: 32, zero: -133, output: ReferenceOutput::F32 };
    for (at, is) in outcome.d.iter().enumerate() {
        let negated: Vec<u64> = a[at / 8 * 32..][..32].iter().map(|a| a ^ 0x80).collect();
        let line: Vec<u64> = (0..32).map(|k| b[k * 8 + at % 8]).collect();
        assert_eq!(*is, reference::dot(&negated, &line, c[at], (E4m3, E2m1, F32), model, (127, 127)));
    }
}

#[test]
fn block_scales_on_bytes_move_the_exponents() {
    let mut random = MatrixRandom(0x5ca1e);
    let model = ReferenceModel { fraction: 25, at_once: 32, zero: -133, output: ReferenceOutput::F32 };
    for (a_type, b_type) in [(E4m3, E4m3), (E5m2, E4m3), (E2m1, E3m2), (E2m3, E2m3)] {
        let kind = ProductKind::Scaled { scale: Ue8m0, blocks: 1, packed: false };
        let product =
            Product::new(spec("sm_120a", MatrixInstruction::Mma, (16, 8, 32), [F32, a_type, b_type, F32], kind))
                .unwrap();
        for round in 0..30 {
            let a = matrix(&mut random, a_type, 16 * 32, if round % 7 == 0 { 0 } else { 4 });
            let b = matrix(&mut random, b_type, 32 * 8, 4);
            let c = matrix(&mut random, F32, 16 * 8, round % 5);
            let scale = |random: &mut MatrixRandom| match round % 3 {
                0 => random.below(256),
                1 => 120 + random.below(14),
                _ => random.below(60),
            };
            let scale_a: Vec<u64> = (0..16).map(|_| scale(&mut random)).collect();
            let scale_b: Vec<u64> = (0..8).map(|_| scale(&mut random)).collect();
            let operands = ProductOperands {
                a: &a,
                b: &b,
                c: &c,
                scale_a: &scale_a,
                scale_b: &scale_b,
                ..ProductOperands::default()
            };
            let outcome = product.multiply(&operands).unwrap();
            for (at, is) in outcome.d.iter().enumerate() {
                let line: Vec<u64> = (0..32).map(|k| b[k * 8 + at % 8]).collect();
                let scales = (scale_a[at / 8], scale_b[at % 8]);
                let types = (a_type, b_type, F32);
                let must = reference::dot(&a[at / 8 * 32..][..32], &line, c[at], types, model, scales);
                assert_eq!(*is, must, "{a_type:?} {b_type:?} {scales:?}");
            }
        }
    }
}

/// Reference model of four-bit floats: the exact sums of groups of 16, multiplied by the scales' significands.
fn grouped(a: &[u64], b: &[u64], c: u64, scale: MatrixElementType, sa: &[u64], sb: &[u64]) -> u64 {
    let of = |bits: u64| reference::value(E2m1, bits);
    let model = ReferenceModel { fraction: 35, at_once: 64, zero: -139, output: ReferenceOutput::F32 };
    let mut terms = Vec::new();
    let mut ieee = reference::value(F32, c);
    for group in 0..a.len() / 16 {
        let block = group * 16 * sa.len() / a.len();
        let products: Vec<f64> = (0..16).map(|k| of(a[group * 16 + k]) * of(b[group * 16 + k])).collect();
        let sum: f64 = products.iter().sum();
        let scales = [sa[block], sb[block]].map(|s| reference::value(scale, s));
        ieee += sum + scales[0] * scales[1];
        let exponent = |s: f64| match scale {
            Ue8m0 => (s.to_bits() >> 52) as i32 - 1023,
            _ => reference::exponent(Ue4m3, s),
        };
        let nothing = products.iter().all(|p| *p == 0.0) || scales[0] * scales[1] == 0.0;
        let at = if nothing { model.zero } else { exponent(scales[0]) + exponent(scales[1]) };
        terms.push((sum * scales[0] * scales[1], at));
    }
    if ieee.is_nan() || reference::value(F32, c).is_infinite() {
        let c = reference::value(F32, c);
        return reference::output(if ieee.is_nan() { ieee } else { c }, ReferenceOutput::F32);
    }
    let c = reference::value(F32, c);
    terms.push((c, if c == 0.0 { model.zero } else { reference::exponent(F32, c) }));
    let top = terms.iter().map(|t| t.1).max().unwrap();
    reference::output(reference::fused_at(&terms, top, model), ReferenceOutput::F32)
}

#[test]
fn block_scales_on_four_bits_multiply_groups() {
    let mut random = MatrixRandom(0xf00d);
    for (scale, blocks, k) in [(Ue8m0, 2, 64), (Ue4m3, 4, 64), (Ue8m0, 4, 64), (Ue4m3, 6, 96), (Ue8m0, 3, 96)] {
        let kind = ProductKind::Scaled { scale, blocks, packed: true };
        let product =
            Product::new(spec("sm_103a", MatrixInstruction::Tcgen05, (16, 8, k), [F32, E2m1, E2m1, F32], kind))
                .unwrap();
        for round in 0..40 {
            let sparse = if round % 4 == 0 { 9 } else { 0 };
            let element = |random: &mut MatrixRandom| if random.below(10) < sparse { 0 } else { random.below(16) };
            let a: Vec<u64> = (0..16 * k).map(|_| element(&mut random)).collect();
            let b: Vec<u64> = (0..8 * k).map(|_| element(&mut random)).collect();
            let c = matrix(&mut random, F32, 16 * 8, round % 5);
            let factor = |random: &mut MatrixRandom| match (scale, round % 3) {
                (Ue8m0, 0) => 100 + random.below(50),
                (Ue8m0, 1) => random.below(70),
                _ => random.below(256),
            };
            let scale_a: Vec<u64> = (0..16 * blocks).map(|_| factor(&mut random)).collect();
            let scale_b: Vec<u64> = (0..8 * blocks).map(|_| factor(&mut random)).collect();
            let operands = ProductOperands {
                a: &a,
                b: &b,
                c: &c,
                scale_a: &scale_a,
                scale_b: &scale_b,
                ..ProductOperands::default()
            };
            let outcome = product.multiply(&operands).unwrap();
            for (at, is) in outcome.d.iter().enumerate() {
                let (row, column) = (at / 8, at % 8);
                let line: Vec<u64> = (0..k).map(|k| b[k * 8 + column]).collect();
                let sb: Vec<u64> = (0..blocks).map(|block| scale_b[block * 8 + column]).collect();
                let sa = &scale_a[row * blocks..][..blocks];
                let must = grouped(&a[row * k..][..k], &line, c[at], scale, sa, &sb);
                assert_eq!(*is, must, "{scale:?} {blocks} {sa:?} {sb:?} {:x}", c[at]);
            }
        }
    }
}

/// As in the machine code of `ptxas` for sm_90: of each four neighbours the first two, then the last two, starting from zero; C
/// at the end.
#[test]
fn bytes_on_hopper_go_through_halves() {
    let mut random = MatrixRandom(0x90);
    let half = ReferenceModel { fraction: 25, at_once: 16, zero: -133, output: ReferenceOutput::F32 };
    for element in [E4m3, E5m2] {
        let product = Product::new(spec(
            "sm_90a",
            MatrixInstruction::Mma,
            (16, 8, 32),
            [F32, element, element, F32],
            ProductKind::Plain,
        ))
        .unwrap();
        for _ in 0..20 {
            let a = matrix(&mut random, element, 16 * 32, 4);
            let b = matrix(&mut random, element, 32 * 8, 4);
            let c = matrix(&mut random, F32, 16 * 8, 1);
            let outcome =
                product.multiply(&ProductOperands { a: &a, b: &b, c: &c, ..ProductOperands::default() }).unwrap();
            for (at, is) in outcome.d.iter().enumerate() {
                let pick = |two: usize| -> (Vec<u64>, Vec<u64>) {
                    let places = (0..8).flat_map(|t| [4 * t + 2 * two, 4 * t + 2 * two + 1]);
                    places.map(|k| (a[at / 8 * 32 + k], b[k * 8 + at % 8])).unzip()
                };
                // The conversion to halves is exact; subnormal bytes become normal halves.
                let widen = |bits: Vec<u64>| -> Vec<u64> {
                    bits.iter()
                        .map(|b| reference::output(reference::value(element, *b), ReferenceOutput::F16))
                        .collect()
                };
                let mut sum = 0;
                for two in 0..2 {
                    let (a, b) = pick(two);
                    sum = reference::dot(&widen(a), &widen(b), sum, (F16, F16, F32), half, (127, 127));
                }
                let must = f32::from_bits(sum as u32) + f32::from_bits(c[at] as u32);
                assert_eq!(*is, u64::from(must.to_bits()), "{element:?}");
            }
        }
    }
}

#[test]
fn sparse_is_dense_with_zeros_where_nothing_is_lost() {
    let mut random = MatrixRandom(0x24);
    for (target, a_type, k) in [("sm_80", F16, 32), ("sm_80", Tf32, 16), ("sm_90a", Bf16, 32), ("sm_89", E4m3, 64)] {
        let mut sparse =
            spec(target, MatrixInstruction::Mma, (16, 8, k), [F32, a_type, a_type, F32], ProductKind::Plain);
        sparse.sparse = true;
        let product = Product::new(sparse).unwrap();
        let dense = Product::new(ProductSpec { sparse: false, ..sparse }).unwrap();
        let pattern = SparsityPattern::of(a_type, false);
        let chunks = k / pattern.columns();
        let choices: &[u64] =
            if pattern == SparsityPattern::OneOfTwo { &[4, 14] } else { &[4, 8, 9, 12, 13, 14, 1, 2, 6, 3, 7, 11] };
        let metadata: Vec<u64> =
            (0..16 * chunks).map(|_| choices[random.below(choices.len() as u64) as usize]).collect();
        let (columns, defined) = columns(&metadata, 16, k, pattern, Indices::Different);
        assert!(defined);
        // Small whole numbers, whose sums are exact in any order.
        let small = |random: &mut MatrixRandom| match a_type {
            F16 => [0x3c00, 0x4000, 0xc000, 0xbc00, 0x4200][random.below(5) as usize],
            Tf32 => [0x3f80_0000, 0x4000_0000, 0xc000_0000][random.below(3) as usize],
            Bf16 => [0x3f80, 0x4000, 0xc000, 0xbf80][random.below(4) as usize],
            _ => [0x38, 0x40, 0xc0, 0xb8][random.below(4) as usize],
        };
        let a: Vec<u64> = (0..16 * k / 2).map(|_| small(&mut random)).collect();
        let b: Vec<u64> = (0..k * 8).map(|_| small(&mut random)).collect();
        let c = vec![0x4040_0000; 16 * 8];
        let mut whole = vec![0; 16 * k];
        for (at, column) in columns.iter().enumerate() {
            whole[at / (k / 2) * k + usize::from(*column)] = a[at];
        }
        let is = product
            .multiply(&ProductOperands { a: &a, b: &b, c: &c, columns: &columns, ..ProductOperands::default() })
            .unwrap();
        let must = dense.multiply(&ProductOperands { a: &whole, b: &b, c: &c, ..ProductOperands::default() }).unwrap();
        assert_eq!(is, must, "{target} {a_type:?}");
        assert_eq!(is.all_marks(), Marks::NONE);
    }
}

/// An unmarked result must be the result of every order that the manual allows; this test sums in single precision in both
/// directions.
#[test]
fn unmarked_results_are_those_of_every_order() {
    let mut random = MatrixRandom(0xdecade);
    let (mut unmarked, mut marked) = (0, 0);
    let types = [("sm_80", F16, 16), ("sm_90a", Bf16, 16), ("sm_80", Tf32, 8), ("sm_89", E4m3, 32)];
    for (target, element, k) in types {
        let product = Product::new(spec(
            target,
            MatrixInstruction::Mma,
            (16, 8, k),
            [F32, element, element, F32],
            ProductKind::Plain,
        ))
        .unwrap();
        for round in 0..60 {
            let few = |random: &mut MatrixRandom, element: MatrixElementType| {
                let width = element.bits();
                let keep = if round % 2 == 0 { 3 } else { 7 };
                let mantissa = match element {
                    F32 | Tf32 => 23,
                    F16 => 10,
                    Bf16 => 7,
                    _ => 3,
                };
                let bits = bits(random, element, 1);
                bits >> (mantissa - keep.min(mantissa)) << (mantissa - keep.min(mantissa)) & (u64::MAX >> (64 - width))
            };
            let a: Vec<u64> = (0..16 * k).map(|_| few(&mut random, element)).collect();
            let b: Vec<u64> = (0..8 * k).map(|_| few(&mut random, element)).collect();
            let c: Vec<u64> = (0..16 * 8).map(|_| few(&mut random, F32)).collect();
            let outcome =
                product.multiply(&ProductOperands { a: &a, b: &b, c: &c, ..ProductOperands::default() }).unwrap();
            for at in 0..16 * 8 {
                if outcome.marks[at] != Marks::NONE {
                    marked += 1;
                    continue;
                }
                unmarked += 1;
                let terms: Vec<f32> = (0..k)
                    .map(|k_at| {
                        reference::value(element, a[at / 8 * k + k_at])
                            * reference::value(element, b[k_at * 8 + at % 8])
                    })
                    .map(|p| p as f32)
                    .chain([f32::from_bits(c[at] as u32)])
                    .collect();
                let forward: f32 = terms.iter().fold(0.0, |sum, term| sum + term);
                let backward: f32 = terms.iter().rev().fold(0.0, |sum, term| sum + term);
                assert_eq!(forward.to_bits(), outcome.d[at] as u32, "{target} {element:?}");
                assert_eq!(backward.to_bits(), outcome.d[at] as u32);
            }
        }
    }
    assert!(unmarked > 1000 && marked > 1000, "{unmarked} {marked}");
}
