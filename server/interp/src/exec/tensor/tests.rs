use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, TestOutcome, words};
use ptx_num::image::TensorMap;
use ptx_num::image::swizzle::Swizzle;
use ptx_num::image::tensor_map::{ElementType, TensorMapMode};

/// A kernel with 16 KiB of shared memory at `box`, and three mbarriers that expect one arrival each. Its parameters are `out`, `in` and a
/// tensor map; `%rd0`, `%rd1` and `%rd2` are their addresses. In the body, `{wait}` waits for `bar`.
fn kernel(target: &str, body: &str) -> TestKernel {
    let target = if target.is_empty() { "sm_90a" } else { target };
    let wait = "wait: mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0; @!%p0 bra wait;";
    let body = body.replace("{wait}", wait);
    TestKernel::new(&format!(
        ".version 9.0\n.target {target}\n.address_size 64\n\
         .entry k(.param .u64 out, .param .u64 in, .param .align 64 .b8 map[128]) {{\n\
         .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n\
         .shared .align 1024 .b8 box[16384]; .shared .align 8 .b64 bar; .shared .align 8 .b64 other;\n\
         ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; mov.u64 %rd2, map; cvta.param.u64 %rd2, %rd2;\n\
         mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.init.shared::cta.b64 [other], 1;\n\
         fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;\n{body}\nret; }}\n"
    ))
    .threads(1)
}

/// A body that loads a box, expects `transaction` bytes, and copies `bytes` bytes of the box out.
fn loading(modifiers: &str, coordinates: &str, more: &str, transaction: u32, bytes: u32) -> String {
    format!(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {transaction};
         cp.async.bulk.tensor.{modifiers}.mbarrier::complete_tx::bytes [box], [%rd2, {{{coordinates}}}], [bar]{more};
         {{wait}} cp.async.bulk.global.shared::cta.bulk_group [%rd0], [box], {bytes};
         cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    )
}

/// Runs a body with a buffer that holds `input`, and the tensor map that `make` creates for the address of this buffer.
fn load(target: &str, body: &str, bytes: u32, input: &[u8], make: impl FnOnce(u64) -> TensorMap) -> TestOutcome {
    let kernel = kernel(target, body).buffer(&vec![0xee; bytes as usize]).buffer(input);
    let map = make(kernel.address(1));
    kernel.bytes_of(&map.to_bytes()).run()
}

fn clean(out: TestOutcome) -> Vec<u8> {
    assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]));
    out.bytes(0)
}

fn counting(count: u32) -> Vec<u8> {
    words(1..=count)
}

/// The words of a box in a matrix of `width` × `height` 32-bit elements: rows of `columns` elements from (x, y) on.
fn reference(input: &[u8], size: (i64, i64), at: (i64, i64), of: (i64, i64)) -> Vec<u32> {
    let word = |i: i64| {
        let from = 4 * i as usize;
        u32::from_le_bytes(input[from..from + 4].try_into().expect("four bytes"))
    };
    let mut out = Vec::new();
    for y in at.1..at.1 + of.1 {
        for x in at.0..at.0 + of.0 {
            let inside = (0..size.0).contains(&x) && (0..size.1).contains(&y);
            out.push(if inside { word(y * size.0 + x) } else { 0 });
        }
    }
    out
}

#[test]
fn boxes_are_loaded_and_filled_outside() {
    let input = counting(20 * 10);
    for (x, y) in [(0, 0), (3, 2), (-3, -2), (14, 8), (19, 9), (-8, 0), (0, 10), (100, 100)] {
        let body =
            loading("2d.shared::cluster.global", &format!("{x}, {y}"), "", 8 * 4 * 4, 8 * 4 * 4).replace("tile", "");
        let out = load("", &body, 128, &input, |a| TensorMap::tiled(ElementType::U32, a, &[20, 10], &[80], &[8, 4]));
        assert_eq!(clean(out), words(reference(&input, (20, 10), (x, y), (8, 4))), "{x} {y}");
    }
}

#[test]
fn swizzled_boxes_lie_as_their_addresses_say() {
    let input = counting(32 * 16);
    let body = loading("2d.shared::cta.global.tile", "0, 0", "", 2048, 2048);
    let out = load("", &body, 2048, &input, |a| {
        let mut map = TensorMap::tiled(ElementType::U32, a, &[32, 16], &[128], &[32, 16]);
        map.set_swizzle(Swizzle::B128);
        map
    });
    let out = clean(out);
    // By the manual's table, group *i* of 16 bytes in row *j* lies where group *i* xor (*j* mod 8) would lie without swizzling.
    for row in 0..16 {
        for piece in 0..8 {
            let (from, to) = (128 * row + 16 * piece, 128 * row + 16 * (piece ^ (row % 8)));
            assert_eq!(out[to..to + 16], input[from..from + 16], "{row} {piece}");
        }
    }
}

#[test]
fn elements_are_converted_and_filled_with_nan() {
    let input = words([0x3f80_1000, 0x3f80_1001, 0x0000_0001, 0x7f80_0000]);
    let body = loading("1d.shared::cta.global", "0", "", 16, 16);
    let with = |element| load("", &body, 16, &input, |a| TensorMap::tiled(element, a, &[4], &[], &[4]));
    assert_eq!(clean(with(ElementType::Tf32)), words([0x3f80_0000, 0x3f80_2000, 0, 0x7f80_0000]));
    assert_eq!(clean(with(ElementType::F32Ftz)), words([0x3f80_1000, 0x3f80_1001, 0, 0x7f80_0000]));
    assert_eq!(clean(with(ElementType::F32)), input);
    let body = loading("1d.shared::cta.global", "2", "", 16, 16);
    let out = load("", &body, 16, &input, |a| {
        let mut map = TensorMap::tiled(ElementType::F32, a, &[4], &[], &[4]);
        map.fill = 1;
        map
    });
    let filled = clean(out);
    assert_eq!(filled[..8], input[8..]);
    assert!(f32::from_le_bytes(filled[8..12].try_into().expect("four bytes")).is_nan());
}

#[test]
fn padded_types_leave_their_padding_alone() {
    // 128 elements of 4 bits: 64 bytes in global memory, 128 in shared memory.
    let input: Vec<u8> = (0..64).collect();
    let body = loading("1d.shared::cta.global", "0", "", 64, 128);
    let out = load("sm_100a", &body, 128, &input, |a| TensorMap::tiled(ElementType::B4x16P64, a, &[128], &[], &[128]));
    let out = clean(out);
    for group in 0..8 {
        assert_eq!(out[16 * group..16 * group + 8], input[8 * group..8 * group + 8]);
    }
}

#[test]
fn rows_are_gathered_and_pixels_unrolled() {
    let input = counting(8 * 8);
    let body = loading("2d.shared::cta.global.tile::gather4", "0, 5, 1, 9, 2", "", 128, 128);
    let out = load("sm_100a", &body, 128, &input, |a| TensorMap::tiled(ElementType::U32, a, &[8, 8], &[32], &[8, 1]));
    let rows: Vec<u32> = [5, 1, 9, 2].into_iter().flat_map(|y| reference(&input, (8, 8), (0, y), (8, 1))).collect();
    assert_eq!(clean(out), words(rows));
    // C = 4, W = 8, N = 2: six pixels from w = 3 on, with an offset of 1. The last position of the filter is w = 5.
    let body = loading("3d.shared::cta.global.im2col", "0, 3, 0", ", {%h1}", 96, 96);
    let body = format!("mov.u16 %h1, 1;\n{body}");
    let out = load("", &body, 96, &input, |a| {
        let mut map = TensorMap::tiled(ElementType::U32, a, &[4, 8, 2], &[16, 128], &[1, 1, 1]);
        map.mode = TensorMapMode::Im2col;
        (map.channels_per_pixel, map.pixels_per_column) = (4, 6);
        (map.lower_corner[0], map.upper_corner[0]) = (0, -2);
        map
    });
    // Positions 3, 4, 5 of image 0, then 0, 1, 2 of image 1, each plus the offset of 1.
    let pixels = [4_u32, 5, 6, 9, 10, 11];
    assert_eq!(clean(out), words(pixels.into_iter().flat_map(|p| 4 * p + 1..4 * p + 5)));
}

const FILLING: &str = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
     cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [box], [%rd1], 128, [bar]; {wait}";

/// Stores or reduces a box of 8 × 4 words at the coordinates `at` into a matrix of 20 × 10.
fn send(instruction: &str, element: ElementType, at: (i32, i32), old: &[u8], new: &[u8]) -> TestOutcome {
    let (x, y) = at;
    let body = format!(
        "{FILLING} {instruction} [%rd2, {{{x}, {y}}}], [box]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    );
    let kernel = kernel("", &body).buffer(old).buffer(new);
    let map = TensorMap::tiled(element, kernel.address(0), &[20, 10], &[80], &[8, 4]);
    kernel.bytes_of(&map.to_bytes()).run()
}

#[test]
fn boxes_are_stored_and_cut_off() {
    let (old, new) = (counting(200), words(1001..1033));
    let instruction = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group";
    for (x, y) in [(0, 0), (5, 3), (16, 8), (19, 9), (20, 0)] {
        let out = clean(send(instruction, ElementType::U32, (x, y), &old, &new));
        let mut expected: Vec<u32> = (1..=200).collect();
        for (i, value) in (1001..1033).enumerate() {
            let (column, row) = (x as usize + i % 8, y as usize + i / 8);
            if column < 20 && row < 10 {
                expected[20 * row + column] = value;
            }
        }
        assert_eq!(out, words(expected), "{x} {y}");
    }
    let out = send(instruction, ElementType::U32, (-1, 0), &old, &new);
    assert_eq!((out.kinds(), out.bytes(0)), (vec![FaultKind::Undefined], old.clone()));
    let out = send(&format!("st.shared.u32 [box], 7; {instruction}"), ElementType::U32, (0, 0), &old, &new);
    assert_eq!(out.kinds(), [FaultKind::Asynchronous]);
    let fenced = format!("st.shared.u32 [box], 7; fence.proxy.async.shared::cta; {instruction}");
    let out = send(&fenced, ElementType::U32, (0, 0), &old, &new);
    assert_eq!((out.kinds(), &out.bytes(0)[..4]), (vec![], &[7, 0, 0, 0][..]));
}

/// An operation on an element of the tensor and one of the box.
type WordOperation = fn(u32, u32) -> u32;

#[test]
fn boxes_are_combined() {
    let (old, new) = (counting(200), words((0..32).map(|i| i % 5)));
    let instruction = |op: &str| format!("cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.bulk_group");
    let combine: [(&str, WordOperation); 6] = [
        ("add", u32::wrapping_add),
        ("min", |a, b| a.min(b)),
        ("max", |a, b| a.max(b)),
        ("and", |a, b| a & b),
        ("xor", |a, b| a ^ b),
        ("inc", |a, b| if a >= b { 0 } else { a + 1 }),
    ];
    for (op, f) in combine {
        let out = clean(send(&instruction(op), ElementType::U32, (14, 7), &old, &new));
        let mut expected: Vec<u32> = (1..=200).collect();
        for i in 0..32 {
            let (column, row) = (14 + i % 8, 7 + i / 8);
            if column < 20 && row < 10 {
                expected[20 * row + column] = f(expected[20 * row + column], i as u32 % 5);
            }
        }
        assert_eq!(out, words(expected), "{op}");
    }
    let ones = words([1.5_f32.to_bits(); 200]);
    let out = clean(send(&instruction("add"), ElementType::F32, (0, 0), &ones, &words([2.0_f32.to_bits(); 32])));
    assert_eq!(out[..32], words([3.5_f32.to_bits(); 8]));
    let out = send(&instruction("min"), ElementType::F32, (0, 0), &ones, &new);
    assert_eq!((out.kinds(), out.bytes(0)), (vec![FaultKind::Undefined], ones));
}

#[test]
fn a_box_reaches_several_ctas() {
    // CTA 1 issues the copy for both. Each CTA waits for its own mbarrier, and copies its box out.
    let piece = |at: u32| {
        format!(
            "cp.async.bulk.global.shared::cta.bulk_group [%rd0+{at}], [box], 128; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
        )
    };
    let body = format!(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128; mov.u32 %r1, %cluster_ctarank; ts: .branchtargets first, second;
         brx.idx %r1, ts;
         second: mov.u16 %h1, 3;
         cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [box], [%rd2, {{1, 2}}], [bar], %h1;
         {{wait}} {} ret;
         first: also: mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0; @!%p0 bra also; {}",
        piece(128),
        piece(0)
    );
    let input = counting(200);
    let kernel = kernel("", &body).ctas(2, 2).buffer(&[0xee; 256]).buffer(&input);
    let map = TensorMap::tiled(ElementType::U32, kernel.address(1), &[20, 10], &[80], &[8, 4]);
    let out = clean(kernel.bytes_of(&map.to_bytes()).run());
    let expected = words(reference(&input, (20, 10), (1, 2), (8, 4)));
    assert_eq!((&out[..128], &out[128..]), (&expected[..], &expected[..]));
}

#[test]
fn a_pair_of_ctas_may_share_an_mbarrier() {
    // Both signals go to the odd CTA, because the instruction names its mbarrier.
    let body = "mov.u32 %r1, %cluster_ctarank; ts: .branchtargets first, second; brx.idx %r1, ts;
         second: mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256; mov.u16 %h1, 3;
         cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2 [box], [%rd2, {1, 2}], [bar], %h1;
         {wait} cp.async.bulk.global.shared::cta.bulk_group [%rd0], [box], 128; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
         first: barrier.cluster.arrive; barrier.cluster.wait;";
    let input = counting(200);
    let kernel = kernel("sm_100a", body).ctas(2, 2).buffer(&[0xee; 128]).buffer(&input);
    let map = TensorMap::tiled(ElementType::U32, kernel.address(1), &[20, 10], &[80], &[8, 4]);
    let out = clean(kernel.bytes_of(&map.to_bytes()).run());
    assert_eq!(out, words(reference(&input, (20, 10), (1, 2), (8, 4))));
}

#[test]
fn what_cannot_be_copied_is_found() {
    let input = counting(200);
    let make = |a| TensorMap::tiled(ElementType::U32, a, &[20, 10], &[80], &[8, 4]);
    let body = |to: &str, coordinates: &str, dimensions: &str| {
        format!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
         cp.async.bulk.tensor.{dimensions}.shared::cta.global.mbarrier::complete_tx::bytes [{to}], [%rd2, {{{coordinates}}}], [bar];")
    };
    let first = |out: &TestOutcome| (out.kinds()[0], out.faults()[0].message.clone());
    let out = load("", &body("box+64", "0, 0", "2d"), 16, &input, make);
    assert_eq!((first(&out).0, out.status()), (FaultKind::Misaligned, RunStatus::Fault));
    let out = load("", &body("box", "0, 0, 0", "3d"), 16, &input, make);
    assert_eq!(
        first(&out),
        (FaultKind::Undefined, "the instruction is for 3 dimensions, but the tensor map has 2".into())
    );
    let out = load("", &body("box+16384", "0, 0", "2d"), 16, &input, make);
    assert_eq!((first(&out).0, out.status()), (FaultKind::OutOfBounds, RunStatus::Fault));
    // The map describes more memory than the buffer has.
    let out = load("", &body("box", "0, 8", "2d"), 16, &input, |a| TensorMap { sizes: [20, 99, 1, 1, 1], ..make(a) });
    assert_eq!((first(&out).0, out.status()), (FaultKind::OutOfBounds, RunStatus::Fault));
    assert!(first(&out).1.contains("buffer 1"), "{out:?}", out = out.faults());
    let out = load("", &body("box", "0, 0", "2d"), 16, &input, |a| TensorMap { swizzle_mode: 77, ..make(a) });
    assert!(first(&out).1.contains("`swizzle_mode`"), "{:?}", out.faults());
    let out = kernel("", &body("box", "0, 0", "2d")).buffer(&[0; 16]).buffer(&input).bytes_of(&[7; 128]).run();
    assert!(first(&out).1.contains("there is no tensor map"), "{:?}", out.faults());
    // The bytes of the box are used before any thread has waited for them.
    let body = format!("{} ld.shared.u32 %r1, [box];", body("box", "0, 0", "2d"));
    let out = load("", &body, 16, &input, make);
    assert_eq!(first(&out).0, FaultKind::Asynchronous);
}

#[test]
fn prefetches_look_at_the_map_only() {
    let body = "cp.async.bulk.prefetch.tensor.2d.L2.global [%rd2, {0, 0}];";
    let input = counting(200);
    let make = |a| TensorMap::tiled(ElementType::U32, a, &[20, 10], &[80], &[8, 4]);
    assert_eq!(clean(load("", body, 4, &input, make)), [0xee; 4]);
    let out = load("", body, 4, &input, |a| TensorMap { element: 99, ..make(a) });
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::Undefined], RunStatus::Finished));
}
