//! Hardware results printed in the papers, and special values.

use super::floats::spec;
use crate::matrix::element::MatrixElementType::{self, *};
use crate::matrix::numerics::MatrixInstruction;
use crate::matrix::product::{Product, ProductKind, ProductOperands};
use crate::values::Marks;

fn of(element: MatrixElementType, value: f64) -> u64 {
    match element {
        F64 => value.to_bits(),
        F32 | Tf32 => u64::from((value as f32).to_bits()),
        Bf16 => u64::from((value as f32).to_bits() >> 16),
        _ => (0..1 << element.bits())
            .find(|bits| super::reference::value(element, *bits).to_bits() == value.to_bits())
            .unwrap(),
    }
}

fn one(
    target: &str,
    unit: MatrixInstruction,
    (element, k): (MatrixElementType, usize),
    kind: ProductKind,
    (a, b, c): (&[f64], &[f64], f64),
) -> (u64, Marks) {
    let d = if element == F64 { F64 } else { F32 };
    let product = Product::new(spec(target, unit, (8, 8, k), [d, element, element, d], kind)).unwrap();
    let (mut ma, mut mb, mut mc) = (vec![0; 8 * k], vec![0; 8 * k], vec![0; 64]);
    for (at, (a, b)) in a.iter().zip(b).enumerate() {
        ma[at] = of(element, *a);
        mb[at * 8] = of(element, *b);
    }
    mc[0] = of(d, c);
    let scales = vec![127; if matches!(kind, ProductKind::Scaled { .. }) { 8 } else { 0 }];
    let operands =
        ProductOperands { a: &ma, b: &mb, c: &mc, scale_a: &scales, scale_b: &scales, ..ProductOperands::default() };
    let outcome = product.multiply(&operands).unwrap();
    (outcome.d[0], outcome.marks[0])
}

/// arXiv 2511.10909: a sum whose result differs between generations, 2^23 - 2^23 - 0.875.
#[test]
fn one_sum_differs_from_generation_to_generation() {
    let a = [-8192.0, -0.5, -0.25, -0.125];
    let b = [1024.0, 1.0, 1.0, 1.0];
    let c = 8_388_608.0;
    let cases = [
        ("sm_70", MatrixInstruction::Mma, F16, 4, 0.0),
        ("sm_75", MatrixInstruction::Mma, F16, 8, -0.5),
        ("sm_80", MatrixInstruction::Mma, F16, 16, -0.5),
        ("sm_80", MatrixInstruction::Mma, Bf16, 16, -0.5),
        ("sm_80", MatrixInstruction::Mma, Tf32, 8, -0.5),
        ("sm_89", MatrixInstruction::Mma, E5m2, 32, 0.0),
        ("sm_90", MatrixInstruction::Mma, F16, 16, -0.75),
        ("sm_90a", MatrixInstruction::Wgmma, E5m2, 32, 0.0),
        ("sm_100a", MatrixInstruction::Tcgen05, F16, 16, -0.75),
        ("sm_120", MatrixInstruction::Mma, F16, 16, -0.75),
        ("sm_80", MatrixInstruction::Mma, F64, 4, -0.875),
    ];
    for (target, unit, element, k, must) in cases {
        let kind = if element == F64 {
            ProductKind::Rounded(crate::values::float::FloatRounding::Nearest)
        } else {
            ProductKind::Plain
        };
        let (bits, marks) = one(target, unit, (element, k), kind, (&a, &b, c));
        if element == F64 {
            assert_eq!((f64::from_bits(bits), marks), (must, Marks::NONE), "{target}");
        } else {
            assert_eq!(
                (f64::from(f32::from_bits(bits as u32)), marks),
                (must, Marks::UNSPECIFIED),
                "{target} {element:?}"
            );
        }
    }
    let kind = ProductKind::Scaled { scale: Ue8m0, blocks: 1, packed: false };
    let (bits, _) = one("sm_120a", MatrixInstruction::Mma, (E5m2, 32), kind, (&a, &b, c));
    assert_eq!(f32::from_bits(bits as u32), -0.75);
}

/// From the same papers: NaN is 0x7fffffff, infinities stay, and finite sums out of range become infinite in spite of the
/// rounding.
#[test]
fn what_is_no_number() {
    let inf = f64::INFINITY;
    let run =
        |a: &[f64], b: &[f64], c: f64| one("sm_80", MatrixInstruction::Mma, (F16, 16), ProductKind::Plain, (a, b, c));
    assert_eq!(run(&[inf], &[0.0], 0.0), (0x7fff_ffff, Marks::UNSPECIFIED));
    assert_eq!(run(&[inf, inf], &[1.0, -1.0], 0.0), (0x7fff_ffff, Marks::UNSPECIFIED));
    assert_eq!(run(&[inf], &[1.0], -inf), (0x7fff_ffff, Marks::UNSPECIFIED));
    assert_eq!(run(&[0.0], &[0.0], f64::NAN), (0x7fff_ffff, Marks::UNSPECIFIED));
    assert_eq!(run(&[-inf], &[2.0], 1.0), (0xff80_0000, Marks::NONE));
    // The second half of K is added to an infinity from the first half.
    let (mut a, mut b) = ([1.0; 16], [1.0; 16]);
    (a[0], b[0]) = (inf, 1.0);
    assert_eq!(run(&a, &b, 0.0), (0x7f80_0000, Marks::NONE));
    (a[12], b[12]) = (inf, -1.0);
    assert_eq!(run(&a, &b, 0.0), (0x7fff_ffff, Marks::UNSPECIFIED));
    let great = f64::from(f32::MAX);
    let (bits, marks) =
        one("sm_80", MatrixInstruction::Mma, (Bf16, 8), ProductKind::Plain, (&[great / 2.0], &[4.0], great));
    assert_eq!((bits, marks), (0x7f80_0000, Marks::UNSPECIFIED));
    // Exact sums of small whole numbers have no mark, because every order yields the same.
    assert_eq!(run(&[1.0, 2.0, 3.0], &[4.0, 5.0, -6.0], 7.0), (u64::from(3.0f32.to_bits()), Marks::NONE));
    assert_eq!(run(&[1.0], &[1.0], -1.0), (0, Marks::NONE));
    assert_eq!(run(&[-0.0], &[1.0], -0.0), (0, Marks::UNSPECIFIED));
}

#[test]
fn tf32_inputs_lose_their_lower_bits() {
    let product =
        Product::new(spec("sm_80", MatrixInstruction::Mma, (16, 8, 4), [F32, Tf32, Tf32, F32], ProductKind::Plain))
            .unwrap();
    let (mut a, mut b) = (vec![0u64; 64], vec![0u64; 32]);
    (a[0], b[0]) = (0x3f80_1fff, 0xbf80_1fff);
    let outcome =
        product.multiply(&ProductOperands { a: &a, b: &b, c: &[0; 128], ..ProductOperands::default() }).unwrap();
    assert_eq!(outcome.d[0], 0xbf80_0000);
}
