//! Kernels that compress and restore lists, compared with the definition for every group.

use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, words};

fn list(prefix: &str, from: usize, count: usize) -> String {
    let names: Vec<String> = (from..from + count).map(|i| format!("%{prefix}{i}")).collect();
    format!("{{{}}}", names.join(","))
}

/// A kernel that loads words, executes `code` and stores words. The sources are in `%a…`, and `code` writes `%d…`.
fn kernel(source: &[u32], results: usize, code: &str) -> TestKernel {
    let loads: String = (0..source.len()).map(|i| format!("ld.global.u32 %a{i}, [%in+{}];", 4 * i)).collect();
    let stores: String = (0..results).map(|i| format!("st.global.u32 [%out+{}], %d{i};", 4 * i)).collect();
    let text = format!(
        ".version 9.4\n.target sm_107a\n.address_size 64\n.entry k(.param .u64 out, .param .u64 in) {{\n\
         .reg .b32 %a<160>; .reg .b32 %d<160>; .reg .b64 %in; .reg .b64 %out;\n\
         ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; {loads}\n{code}\n{stores} ret; }}"
    );
    TestKernel::new(&text).threads(1).buffer(&vec![0xee; 4 * results]).buffer(&words(source.iter().copied()))
}

fn compress(sizes: &str, source: &[u32], descriptor: u32, places: usize) -> TestKernel {
    let kept = source.len() / 2;
    let code = format!(
        "mov.b32 %a150, {descriptor}; spcompress.{sizes}.sp::2:4.x{kept} {}, {}, {}, %a150;",
        list("d", 0, places),
        list("d", places, kept),
        list("a", 0, source.len())
    );
    kernel(source, places + kept, &code)
}

#[test]
fn the_greatest_and_the_smallest_are_kept_with_their_positions() {
    // `.u8`, groups [1, 9, 7, 3] and [200, 0, 5, 255]: the greatest elements are at positions 1, 2 and 0, 3.
    let source = [u32::from_le_bytes([1, 9, 7, 3]), u32::from_le_bytes([200, 0, 5, 255])];
    let out = compress("b8.b2", &source, 0, 1).fine();
    assert_eq!(out.u32s(0), [0b11_00_10_01, u32::from_le_bytes([9, 7, 200, 255])]);
    let out = compress("b8.b4", &source, 2, 1).fine();
    assert_eq!(out.u32s(0), [0x2130, u32::from_le_bytes([1, 3, 0, 5])]);
    // As `.s8`, 200 is -56 and 255 is -1. The operations keep the greatest, the greatest magnitude, the smallest, the smallest magnitude.
    let second = |operation: u32| compress("b8.b4", &source, 4 | operation, 1).fine().u32s(0)[1].to_le_bytes();
    assert_eq!(second(0), [9, 7, 0, 5]);
    assert_eq!(second(1), [9, 7, 200, 5]);
    assert_eq!(second(2), [1, 3, 200, 255]);
    assert_eq!(second(3), [1, 3, 0, 255]);
}

#[test]
fn floats_are_ordered_and_nan_is_kept() {
    // `.f16` elements: -0, +0, -1, NaN.
    let source = [0x0000_8000, 0x7e00_bc00];
    let kept = |descriptor: u32| compress("b16.b2", &source, descriptor, 1).fine().u32s(0);
    assert_eq!(kept(0), [0b11_01, 0x7e00_0000]);
    assert_eq!(kept(2), [0b11_10, 0x7e00_bc00]);
    // As `.bf16`, 0x7e00 is a number, and the greatest one.
    assert_eq!(kept(4), [0b11_01, 0x7e00_0000]);
    assert_eq!(kept(4 | 2), [0b10_00, 0xbc00_8000]);
    // `.e4m3` has one NaN, `.e5m2` has others. The formats of 6 bits have none, and ignore the two bits above the element.
    let source = [u32::from_le_bytes([0x7f, 0x7d, 0x01, 0x02]), 0];
    assert_eq!(compress("b8.b4", &source, 3 << 2 | 2, 1).run().u32s(0)[1] & 0xffff, 0x017f);
    assert_eq!(compress("b8.b4", &source, 2 << 2 | 2, 1).run().u32s(0)[1] & 0xffff, 0x7d7f);
    let source = [u32::from_le_bytes([0x1f, 0x21, 0x01, 0xc2]), 0];
    assert_eq!(compress("b8.b4", &source, 5 << 2, 1).run().u32s(0)[1] & 0xffff, 0xc21f);
}

#[test]
fn a_descriptor_of_another_size_ends_the_launch() {
    let out = compress("b16.b2", &[1, 2], 3 << 2, 1).run();
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::Trap], RunStatus::Fault));
    let out = compress("b8.b2", &[1, 2], 6 << 2, 1).run();
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::Trap], RunStatus::Fault));
    let out = compress("b8.b2", &[1, 2], 1 << 5, 1).run();
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::Undefined], RunStatus::Finished));
}

#[test]
fn elements_go_to_their_places() {
    // `.sp::1:4`, 8 bits, 4 groups: positions 3, 0, 2, 1.
    let out =
        kernel(&[0b01_10_00_11, 0x4433_2211], 4, "spdecompress.b8.b2.sp::1:4.x4 {%d0,%d1,%d2,%d3}, {%a0}, {%a1};");
    assert_eq!(out.fine().u32s(0), [0x1100_0000, 0x22, 0x0033_0000, 0x4400]);
    // `.sp::2:8`, 16 bits, one group: positions 7 and 0. If a position occurs twice, the last element stays.
    let code = "spdecompress.b16.b4.sp::2:8.x1 {%d0,%d1,%d2,%d3}, {%a0}, {%a1};";
    assert_eq!(kernel(&[0x07, 0xbbbb_aaaa], 4, code).fine().u32s(0), [0xbbbb, 0, 0, 0xaaaa_0000]);
    assert_eq!(kernel(&[0x22, 0xbbbb_aaaa], 4, code).fine().u32s(0), [0, 0xbbbb, 0, 0]);
    // A position that the group does not have.
    assert_eq!(kernel(&[0x19, 0xbbbb_aaaa], 4, code).fine().u32s(0), [0xbbbb_0000, 0, 0, 0]);
    let code = "spdecompress.b8.b4.sp::4:16.x1 {%d0,%d1,%d2,%d3}, {%a0}, {%a1};";
    assert_eq!(kernel(&[0xf840, 0x4433_2211], 4, code).fine().u32s(0), [0x11, 0x22, 0x33, 0x4400_0000]);
}

#[test]
fn compressed_groups_are_restored_with_zeros() {
    let mut state = 5_u32;
    let source: Vec<u32> = (0..32)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state
        })
        .collect();
    let code = format!(
        "mov.b32 %a150, 0; spcompress.b8.b2.sp::2:4.x16 {}, {}, {}, %a150; spdecompress.b8.b2.sp::2:4.x32 {}, {}, {};",
        list("a", 100, 4),
        list("a", 110, 16),
        list("a", 0, 32),
        list("d", 0, 32),
        list("a", 100, 4),
        list("a", 110, 16)
    );
    let restored = kernel(&source, 32, &code).fine().u32s(0);
    for (got, all) in restored.iter().zip(&source) {
        let (got, all) = (got.to_le_bytes(), all.to_le_bytes());
        let mut sorted = all;
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        assert!(got.iter().zip(all).all(|(g, a)| *g == a || *g == 0), "{got:?} {all:?}");
        let mut kept: Vec<u8> = got.into_iter().filter(|g| *g != 0).collect();
        kept.sort_unstable_by(|a, b| b.cmp(a));
        assert!(sorted.starts_with(&kept) && kept.len() <= 2, "{got:?} {all:?}");
        assert_eq!(kept.len(), sorted[..2].iter().filter(|e| **e != 0).count());
    }
}
