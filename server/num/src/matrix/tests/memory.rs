//! Tests of descriptors and of layouts in shared and tensor memory.

use crate::matrix::descriptor::{instruction, tcgen05, wgmma};
use crate::matrix::element::MatrixElementType;
use crate::matrix::shared::{Major, SharedMatrix, SharedSwizzle};
use crate::matrix::tensor::{Accumulators, TensorCell, scale};
use ptx_isa::Modifier;
use std::collections::HashSet;

/// Evaluates a layout in the manual's notation: sizes and strides, in elements.
fn layout(at: u32, sizes: &[u32], strides: &[u32]) -> u32 {
    let mut rest = at;
    sizes.iter().zip(strides).fold(0, |sum, (size, stride)| {
        let here = rest % size;
        rest /= size;
        sum + here * stride
    })
}

/// `Swizzle<b, 4, 3>` as CuTe defines it.
fn swizzle(b: u32, address: u32) -> u32 {
    address ^ (address & ((1 << b) - 1) << 7) >> 3
}

/// The examples of 9.7.16.3.3: majorness, bits of swizzling, bytes of an element, sizes and strides along MN, then along K.
#[test]
fn canonical_layouts_are_those_of_the_manual() {
    type LayoutExample =
        (Major, SharedSwizzle, u32, u32, &'static [u32], &'static [u32], &'static [u32], &'static [u32], u32, u32);
    let examples: [LayoutExample; 5] = [
        (Major::K, SharedSwizzle::None, 0, 4, &[8, 2], &[4, 32], &[4, 4], &[1, 64], 64, 32),
        (Major::K, SharedSwizzle::Bytes32, 1, 4, &[8, 2], &[8, 64], &[4, 2], &[1, 4], 0, 64),
        (Major::MN, SharedSwizzle::None, 0, 2, &[8, 1, 2], &[1, 8, 64], &[8, 2], &[8, 128], 128, 64),
        (Major::MN, SharedSwizzle::Bytes32, 1, 2, &[8, 2, 2], &[1, 8, 128], &[8, 2], &[16, 256], 128, 256),
        (Major::MN, SharedSwizzle::Bytes64, 2, 2, &[8, 4, 2], &[1, 8, 256], &[8, 2], &[32, 512], 256, 512),
    ];
    for (major, mode, b, bytes, mn_sizes, mn_strides, k_sizes, k_strides, leading, stride) in examples {
        let matrix = SharedMatrix {
            start: 4096,
            leading: leading * bytes,
            stride: stride * bytes,
            base_offset: 0,
            second_chunk: None,
            swizzle: mode,
            major,
            element_bits: 8 * bytes,
            in_sixteens: false,
        };
        let mut seen = HashSet::new();
        for mn in 0..mn_sizes.iter().product() {
            for k in 0..k_sizes.iter().product() {
                let offset = layout(mn, mn_sizes, mn_strides) + layout(k, k_sizes, k_strides);
                let must = swizzle(b, 4096 + offset * bytes);
                assert_eq!(matrix.locate(mn, k), (must, 0), "{major:?} {mode:?} {mn} {k}");
                assert!(seen.insert(must));
            }
        }
    }
}

#[test]
fn every_layout_gives_each_element_a_place_of_its_own() {
    let modes = [
        SharedSwizzle::None,
        SharedSwizzle::Bytes32,
        SharedSwizzle::Bytes64,
        SharedSwizzle::Bytes128,
        SharedSwizzle::Bytes128By32,
    ];
    for swizzle in modes {
        for major in [Major::K, Major::MN] {
            for (bits, in_sixteens) in [(32, false), (16, false), (8, false), (4, false), (6, true), (4, true)] {
                let span = match swizzle {
                    SharedSwizzle::None => 16,
                    SharedSwizzle::Bytes32 => 32,
                    SharedSwizzle::Bytes64 => 64,
                    _ => 128,
                };
                let unit = if in_sixteens { 16 } else { 128 / bits };
                let (leading, stride) = match (major, swizzle) {
                    (Major::K, SharedSwizzle::None) => (4096, 128),
                    (Major::K, _) => (0, 8 * span),
                    (Major::MN, SharedSwizzle::None) => (4096, 128),
                    (Major::MN, SharedSwizzle::Bytes128By32) => (8192, 512),
                    (Major::MN, _) => (8192, 8 * span),
                };
                let matrix = SharedMatrix {
                    start: 1024,
                    leading,
                    stride,
                    base_offset: 0,
                    second_chunk: None,
                    swizzle,
                    major,
                    element_bits: bits,
                    in_sixteens,
                };
                let k = if major == Major::K { span / 16 * unit } else { 16 };
                let mut seen = HashSet::new();
                for mn in 0..64 {
                    for k in 0..k {
                        let (byte, bit) = matrix.locate(mn, k);
                        for part in bit..bit + bits {
                            assert!(seen.insert(byte * 8 + part), "{swizzle:?} {major:?} {bits} {mn} {k}");
                        }
                    }
                }
            }
        }
    }
}

/// A step along K within the swizzled rows adds bytes to the start address, as kernels do.
#[test]
fn a_step_along_k_is_a_step_of_the_address() {
    for (swizzle, span) in [(SharedSwizzle::Bytes128, 128), (SharedSwizzle::Bytes64, 64)] {
        let whole = SharedMatrix {
            start: 2048,
            leading: 16,
            stride: 8 * span,
            base_offset: 0,
            second_chunk: None,
            swizzle,
            major: Major::K,
            element_bits: 16,
            in_sixteens: false,
        };
        for step in 0..span / 32 {
            let part = SharedMatrix { start: whole.start + 32 * step, ..whole };
            for (mn, k) in (0..64).flat_map(|mn| (0..16).map(move |k| (mn, k))) {
                assert_eq!(part.locate(mn, k), whole.locate(mn, k + 16 * step));
            }
        }
    }
    // The same pattern, shifted by 256 bytes as the base offset specifies.
    let moved = |start, base_offset| SharedMatrix {
        start,
        leading: 16,
        stride: 1024,
        base_offset,
        second_chunk: None,
        swizzle: SharedSwizzle::Bytes128,
        major: Major::K,
        element_bits: 16,
        in_sixteens: false,
    };
    for (mn, k) in (0..8).flat_map(|mn| (0..64).map(move |k| (mn, k))) {
        assert_eq!(moved(4096 + 256, 2).locate(mn, k).0, moved(4096, 0).locate(mn, k).0 + 256);
    }
}

#[test]
fn k_of_48_bytes_goes_on_in_the_second_buffer() {
    let bits = 4096 >> 4 | (8192 >> 4) << 16 | (1024u64 >> 4) << 32 | 1 << 46 | 1 << 52 | 2 << 61;
    let matrix = tcgen05(bits + (96 >> 4), Major::K, 4, false).unwrap();
    assert_eq!(matrix.second_chunk, Some(8192));
    for mn in 0..16u32 {
        let line = mn % 8 * 128 + mn / 8 * 1024;
        assert_eq!(matrix.locate(mn, 0).0, swizzle(3, 4096 + line + 96));
        assert_eq!(matrix.locate(mn, 63), (swizzle(3, 4096 + line + 96 + 16) + 15, 4));
        assert_eq!(matrix.locate(mn, 64).0, swizzle(3, 8192 + line));
        assert_eq!(matrix.locate(mn, 95), (swizzle(3, 8192 + line) + 15, 4));
    }
    assert!(tcgen05(bits, Major::MN, 4, false).is_err());
}

#[test]
fn descriptors_are_read_as_the_manual_says() {
    let bits = (0x1230 >> 4) | (0x400 >> 4) << 16 | (0x800u64 >> 4) << 32 | 3 << 49 | 2 << 62;
    let matrix = wgmma(bits, Major::MN, 16).unwrap();
    assert_eq!((matrix.start, matrix.leading, matrix.stride, matrix.base_offset), (0x1230, 0x400, 0x800, 3));
    assert_eq!((matrix.swizzle, matrix.major), (SharedSwizzle::Bytes64, Major::MN));
    let bits = bits & !(3 << 62) | 1 << 46;
    for (mode, swizzle) in [
        (0, Some(SharedSwizzle::None)),
        (1, Some(SharedSwizzle::Bytes128By32)),
        (2, Some(SharedSwizzle::Bytes128)),
        (3, None),
        (4, Some(SharedSwizzle::Bytes64)),
        (5, None),
        (6, Some(SharedSwizzle::Bytes32)),
        (7, None),
    ] {
        assert_eq!(tcgen05(bits | mode << 61, Major::K, 8, false).ok().map(|m| m.swizzle), swizzle);
    }
    assert!(tcgen05(bits & !(7 << 46), Major::K, 8, false).is_err());
}

#[test]
fn instruction_descriptors() {
    // M 128, N 256 of bf16 to f32, B N-major, A negated.
    let bits = 1 << 4 | 1 << 7 | 1 << 10 | 1 << 13 | 1 << 16 | (256 >> 3) << 17 | (128 >> 4) << 24;
    let read = instruction(bits, Modifier::KindF16).unwrap();
    assert_eq!((read.shape.m, read.shape.n, read.shape.k), (128, 256, 16));
    assert_eq!((read.a, read.b, read.d), (MatrixElementType::Bf16, MatrixElementType::Bf16, MatrixElementType::F32));
    assert_eq!((read.negate_a, read.negate_b, read.major_a, read.major_b), (true, false, Major::K, Major::MN));
    assert_eq!((read.sparse, read.scale), (false, None));
    // A sparse A has twice the columns.
    let read = instruction(bits | 1 << 2 | 1, Modifier::KindF16).unwrap();
    assert_eq!((read.sparse, read.shape.k, read.selector), (true, 32, 1));
    let bits = 2 << 4 | 1 << 3 | 1 << 7 | (64 >> 3) << 17 | (64 >> 4) << 24;
    let read = instruction(bits, Modifier::KindI8).unwrap();
    assert_eq!(
        (read.a, read.b, read.d, read.saturating),
        (MatrixElementType::S8, MatrixElementType::U8, MatrixElementType::S32, true)
    );
    let bits = 2 << 4 | 4 << 7 | 5 << 10 | 1 << 23 | (128 >> 3) << 17 | (256 >> 7) << 27 | 3 << 29;
    let read = instruction(bits, Modifier::KindMxf8f6f4).unwrap();
    assert_eq!((read.a, read.b, read.d), (MatrixElementType::E3m2, MatrixElementType::E2m1, MatrixElementType::F32));
    assert_eq!((read.scale, read.scale_a, read.scale_b), (Some(MatrixElementType::Ue8m0), 3, 2));
    assert_eq!((read.shape.m, read.shape.n, read.shape.k), (256, 128, 32));
    let bits = 1 << 7 | 1 << 10 | (128 >> 3) << 17 | (128 >> 7) << 27;
    let read = instruction(bits, Modifier::KindMxf4nvf4).unwrap();
    assert_eq!((read.scale, read.shape.k, read.a), (Some(MatrixElementType::Ue4m3), 64, MatrixElementType::E2m1));
    assert_eq!(instruction(bits | 1 << 31, Modifier::KindMxf4nvf4).unwrap().shape.k, 96);
    assert!(instruction(7 << 7, Modifier::KindF16).is_err());
}

#[test]
fn accumulators_fill_tensor_memory_without_gaps() {
    let cases = [
        (Accumulators::A, 256, 64, 64),
        (Accumulators::B, 128, 64, 32),
        (Accumulators::C, 128, 64, 64),
        (Accumulators::D, 128, 64, 64),
        (Accumulators::E, 64, 64, 32),
        (Accumulators::F, 64, 64, 64),
        (Accumulators::G, 32, 64, 16),
    ];
    for (layout, m, n, columns) in cases {
        let mut seen = HashSet::new();
        for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let cell = layout.cell(row, column, n);
            assert!(cell.lane < 128 && cell.column < columns && cell.cta < 2, "{layout:?} {cell:?}");
            assert!(seen.insert(cell), "{layout:?}");
        }
        assert_eq!(seen.len() as u32, m * n);
    }
    assert_eq!(
        Accumulators::of(64, 1, false, false).unwrap().cell(17, 5, 64),
        TensorCell { cta: 0, lane: 33, column: 5 }
    );
    assert_eq!(
        Accumulators::of(128, 2, false, false).unwrap().cell(70, 40, 64),
        TensorCell { cta: 1, lane: 70, column: 8 }
    );
    assert!(Accumulators::of(96, 1, false, false).is_err());
}

#[test]
fn block_scales_in_tensor_memory() {
    assert_eq!(scale(40, 0, 1, 3).unwrap(), (TensorCell { cta: 0, lane: 8, column: 1 }, 3));
    assert_eq!(scale(127, 1, 2, 2).unwrap(), (TensorCell { cta: 0, lane: 31, column: 3 }, 3));
    assert_eq!(scale(0, 2, 4, 0).unwrap(), (TensorCell { cta: 0, lane: 0, column: 0 }, 2));
    assert!(scale(0, 0, 4, 2).is_err());
    assert!(scale(0, 0, 3, 0).is_err());
}

/// Decoding a descriptor with any bits does not panic.
#[test]
fn any_bits_are_read() {
    let mut random = super::MatrixRandom(0xa11);
    for _ in 0..2000 {
        let bits = random.next();
        for major in [Major::K, Major::MN] {
            for matrix in [wgmma(bits, major, 16).ok(), tcgen05(bits & !(7 << 46) | 1 << 46, major, 4, false).ok()] {
                let Some(matrix) = matrix else { continue };
                let (_, bit) = matrix.locate(random.next() as u32, random.next() as u32);
                assert!(bit < 8);
            }
        }
        for kind in [
            Modifier::KindF16,
            Modifier::KindMxf4,
            Modifier::KindI8,
            Modifier::KindMxf8f6f4,
            Modifier::KindTf32,
            Modifier::KindF8f6f4,
        ] {
            if let Ok(read) = instruction(bits as u32, kind) {
                assert!(read.shape.n <= 504 && read.shape.m <= 496);
            }
        }
    }
}
