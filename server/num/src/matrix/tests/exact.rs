//! Products that are exact, or rounded as the manual specifies: integers, bits, doubles.

use super::MatrixRandom;
use super::floats::spec;
use crate::matrix::element::MatrixElementType::{self, *};
use crate::matrix::numerics::MatrixInstruction;
use crate::matrix::product::{BitOperation, Product, ProductKind, ProductOperands, ProductSpec};
use crate::matrix::sparse::{Indices, SparsityPattern, columns};
use crate::values::Marks;
use crate::values::float::FloatRounding;
use rustc_apfloat::ieee::Double;
use rustc_apfloat::{Float, Round};

fn whole(element: MatrixElementType, bits: u64) -> i64 {
    match element {
        U8 => bits as i64,
        S8 => (bits as i64) - if bits > 127 { 256 } else { 0 },
        U4 => bits as i64,
        S4 => (bits as i64) - if bits > 7 { 16 } else { 0 },
        other => panic!("{other:?}"),
    }
}

#[test]
fn integers_wrap_or_saturate() {
    let mut random = MatrixRandom(0x1_2345);
    for (a_type, b_type, k) in [(U8, S8, 32), (S8, S8, 16), (U8, U8, 32), (S4, U4, 64), (S4, S4, 32)] {
        for saturating in [false, true] {
            let kind = if saturating { ProductKind::Saturating } else { ProductKind::Plain };
            let product =
                Product::new(spec("sm_80", MatrixInstruction::Mma, (16, 8, k), [S32, a_type, b_type, S32], kind))
                    .unwrap();
            for round in 0..20 {
                let mut all = |element: MatrixElementType, count: usize| -> Vec<u64> {
                    (0..count).map(|_| random.below(1 << element.bits())).collect()
                };
                let (a, b) = (all(a_type, 16 * k), all(b_type, 8 * k));
                let edges = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7fff_ff00];
                let c: Vec<u64> = (0..128).map(|at| edges[(at + round) % edges.len()]).collect();
                let outcome =
                    product.multiply(&ProductOperands { a: &a, b: &b, c: &c, ..ProductOperands::default() }).unwrap();
                assert_eq!(outcome.all_marks(), Marks::NONE);
                for (at, is) in outcome.d.iter().enumerate() {
                    let products: i64 = (0..k)
                        .map(|k_at| whole(a_type, a[at / 8 * k + k_at]) * whole(b_type, b[k_at * 8 + at % 8]))
                        .sum();
                    let sum = i64::from(c[at] as u32 as i32) + products;
                    let must = if saturating { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
                    assert_eq!(*is as u32, must as u32, "{a_type:?} {b_type:?} {saturating}");
                }
            }
        }
    }
}

#[test]
fn sparse_integers() {
    let mut random = MatrixRandom(0x5943);
    for (element, k) in [(S8, 64), (U4, 128)] {
        let dense = spec("sm_80", MatrixInstruction::Mma, (16, 8, k), [S32, element, element, S32], ProductKind::Plain);
        let product = Product::new(ProductSpec { sparse: true, ..dense }).unwrap();
        let pattern = SparsityPattern::of(element, false);
        let chunks = k / pattern.columns();
        let metadata: Vec<u64> = (0..16 * chunks).map(|_| [4, 8, 9, 12, 13, 14][random.below(6) as usize]).collect();
        let (columns, defined) = columns(&metadata, 16, k, pattern, Indices::Ascending);
        assert!(defined);
        let a: Vec<u64> = (0..8 * k).map(|_| random.below(1 << element.bits())).collect();
        let b: Vec<u64> = (0..8 * k).map(|_| random.below(1 << element.bits())).collect();
        let c = vec![5; 128];
        let operands = ProductOperands { a: &a, b: &b, c: &c, columns: &columns, ..ProductOperands::default() };
        let outcome = product.multiply(&operands).unwrap();
        for (at, is) in outcome.d.iter().enumerate() {
            let mut must = 5;
            for (kept, value) in a[at / 8 * k / 2..][..k / 2].iter().enumerate() {
                // From the manual: chunks of four (of four pairs), two indices of two bits, the first in the low bits.
                let per_chunk = pattern.columns() / 2;
                let bits = metadata[at / 8 * chunks + kept / per_chunk];
                let within = kept % per_chunk;
                let column = if per_chunk == 2 {
                    kept / 2 * 4 + (bits >> (2 * within) & 3) as usize
                } else {
                    kept / 4 * 8 + 2 * (bits >> (2 * (within / 2)) & 3) as usize + within % 2
                };
                must += whole(element, *value) * whole(element, b[column * 8 + at % 8]);
            }
            assert_eq!(*is as u32, must as u32);
        }
    }
}

#[test]
fn metadata_that_means_nothing_is_told() {
    let check = |bits: u64, pattern, indices| columns(&[bits], 1, 8, pattern, indices).1;
    for bits in 0..16 {
        let (low, high) = (bits & 3, bits >> 2);
        let two = |indices| columns(&[bits, 4], 1, 8, SparsityPattern::TwoOfFour, indices).1;
        assert_eq!(two(Indices::Different), low != high);
        assert_eq!(two(Indices::Ascending), [4, 8, 9, 12, 13, 14].contains(&bits));
        assert_eq!(two(Indices::AscendingOrMiddle), [4, 8, 9, 12, 13, 14, 6].contains(&bits));
        assert_eq!(
            check(bits, SparsityPattern::PairsOfEight, Indices::Ascending),
            [4, 8, 9, 12, 13, 14].contains(&bits)
        );
        let one = columns(&[bits, 4, 14, 4], 1, 8, SparsityPattern::OneOfTwo, Indices::Different).1;
        assert_eq!(one, [4, 14].contains(&bits));
    }
    assert!(!columns(&[4], 1, 8, SparsityPattern::TwoOfFour, Indices::Different).1, "metadata is missing");
}

#[test]
fn bits_are_counted() {
    let mut random = MatrixRandom(0xb17);
    for (operation, k) in [(BitOperation::Xor, 256), (BitOperation::And, 128), (BitOperation::Xor, 128)] {
        let kind = ProductKind::Bits(operation);
        let product =
            Product::new(spec("sm_80", MatrixInstruction::Mma, (16, 8, k), [S32, B1, B1, S32], kind)).unwrap();
        let a: Vec<u64> = (0..16 * k).map(|_| random.below(2)).collect();
        let b: Vec<u64> = (0..8 * k).map(|_| random.below(2)).collect();
        let c: Vec<u64> = (0..128).map(|_| random.next() & 0xffff_ffff).collect();
        let outcome = product.multiply(&ProductOperands { a: &a, b: &b, c: &c, ..ProductOperands::default() }).unwrap();
        for (at, is) in outcome.d.iter().enumerate() {
            let count = (0..k)
                .filter(|k_at| {
                    let (a, b) = (a[at / 8 * k + k_at], b[k_at * 8 + at % 8]);
                    if operation == BitOperation::Xor { a != b } else { a + b == 2 }
                })
                .count();
            assert_eq!(*is as u32, (c[at] as u32).wrapping_add(count as u32));
        }
    }
}

#[test]
fn products_of_doubles_are_chains() {
    let mut random = MatrixRandom(9);
    let kind = ProductKind::Rounded(FloatRounding::Zero);
    let product = Product::new(spec("sm_90", MatrixInstruction::Mma, (16, 8, 16), [F64; 4], kind)).unwrap();
    let mut all = |count: usize| -> Vec<u64> {
        (0..count).map(|_| random.next() & !(2047 << 52) | (1015 + random.below(16)) << 52).collect()
    };
    let (a, b, c) = (all(256), all(128), all(128));
    let outcome = product.multiply(&ProductOperands { a: &a, b: &b, c: &c, ..ProductOperands::default() }).unwrap();
    let of = |bits: u64| Double::from_bits(bits.into());
    for (at, is) in outcome.d.iter().enumerate() {
        let must = (0..16).fold(of(c[at]), |sum, k| {
            of(a[at / 8 * 16 + k]).mul_add_r(of(b[k * 8 + at % 8]), sum, Round::TowardZero).value
        });
        assert_eq!(u128::from(*is), must.to_bits());
    }
    assert_eq!(outcome.all_marks(), Marks::NONE);
}

#[test]
fn what_no_tensor_core_does_is_refused() {
    let bad = [
        spec("sm_80", MatrixInstruction::Mma, (16, 8, 16), [F16, F16, F16, F32], ProductKind::Plain),
        spec("sm_80", MatrixInstruction::Mma, (16, 8, 16), [S32, F16, F16, S32], ProductKind::Plain),
        spec("sm_80", MatrixInstruction::Mma, (16, 8, 16), [F32, F32, F32, F32], ProductKind::Plain),
        spec("sm_80", MatrixInstruction::Mma, (16, 8, 16), [F32, F16, Bf16, F32], ProductKind::Plain),
        spec("sm_80", MatrixInstruction::Mma, (0, 8, 16), [F32, F16, F16, F32], ProductKind::Plain),
        spec("sm_80", MatrixInstruction::Mma, (16, 8, 16), [F32, F16, F16, F32], ProductKind::Saturating),
        spec(
            "sm_120",
            MatrixInstruction::Mma,
            (16, 8, 32),
            [F32, E4m3, E4m3, F32],
            ProductKind::Scaled { scale: Ue4m3, blocks: 1, packed: false },
        ),
    ];
    for spec in bad {
        assert!(Product::new(spec).is_err(), "{spec:?}");
    }
    let product =
        Product::new(spec("sm_80", MatrixInstruction::Mma, (16, 8, 16), [F32, F16, F16, F32], ProductKind::Plain))
            .unwrap();
    assert!(product.multiply(&ProductOperands { a: &[0; 3], ..ProductOperands::default() }).is_err());
    // The features of a target determine the generation of its tensor cores.
    use crate::matrix::numerics::{Generation, Numerics};
    for (name, generation) in [
        ("sm_61", None),
        ("sm_72", Some(Generation::Volta)),
        ("sm_75", Some(Generation::Turing)),
        ("sm_87", Some(Generation::Ampere)),
        ("sm_89", Some(Generation::Ada)),
        ("sm_90a", Some(Generation::Hopper)),
        ("sm_103f", Some(Generation::Blackwell)),
        ("sm_121a", Some(Generation::BlackwellRtx)),
    ] {
        let target = ptx_isa::ISA.target(name).unwrap();
        assert_eq!(Numerics::for_target(target).map(|n| n.generation), generation, "{name}");
    }
}
