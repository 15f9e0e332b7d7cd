use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, TestOutcome, words};
use ptx_num::image::{ChannelOrder, ChannelType, Geometry, Image, ImageDescription, ImageId, Opaque, TexelFormat};

fn image(geometry: Geometry, size: [u32; 3], channel: ChannelType, order: ChannelOrder) -> Image {
    let description = ImageDescription::new(geometry, size, TexelFormat { channel, order });
    let bytes = description.filled(|i| i as f64);
    Image { description, bytes }
}

/// A kernel of one thread with a surface in `%rd1` and a buffer of eight words in `%rd0`.
fn kernel(body: &str, image: Image) -> (TestKernel, ImageId) {
    let mut kernel =
        TestKernel::body("", &format!("ld.param.u64 %rd1, [p1];\n{body}")).threads(1).buffer(&words([9; 8]));
    let id = kernel.add_image(image);
    (kernel.handle(Opaque::Surface(id)), id)
}

fn run(body: &str, image: Image) -> TestOutcome {
    kernel(body, image).0.run()
}

fn at(out: &TestOutcome, id: ImageId, index: usize) -> u32 {
    let bytes = out.image(id);
    u32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().expect("four bytes"))
}

#[test]
fn texels_are_loaded_and_stored_by_bytes() {
    let body = "mov.u32 %r1, 4; mov.u32 %r2, 1; suld.b.2d.b32.trap %r5, [%rd1, {%r1, %r2}]; st.global.u32 [%rd0], %r5;
        mov.u32 %r1, 8; suld.b.2d.v2.b32.trap {%r5, %r6}, [%rd1, {%r1, %r2}]; st.global.v2.u32 [%rd0+8], {%r5, %r6};
        mov.u32 %r1, 8; suld.b.2d.b8.trap %h1, [%rd1, {%r1, %r2}]; st.global.u16 [%rd0+16], %h1;
        mov.u32 %r1, 12; mov.u32 %r7, 0x12345678; sust.b.2d.b32.trap [%rd1, {%r1, %r2}], %r7;
        mov.u32 %r1, 0; mov.u32 %r2, 2; mov.b64 %rd3, 0x1122334455667788; sust.b.2d.v2.b64.trap [%rd1, {%r1, %r2}], {%rd3, %rd3};";
    let (kernel, id) = kernel(body, image(Geometry::D2, [4, 3, 1], ChannelType::Uint32, ChannelOrder::R));
    let out = kernel.fine();
    assert_eq!(out.u32s(0)[..5], [5, 9, 6, 7, 6]);
    let texels: Vec<u32> = (0..12).map(|i| at(&out, id, i)).collect();
    let pair = [0x5566_7788, 0x1122_3344];
    assert_eq!(texels, [0, 1, 2, 3, 4, 5, 6, 0x1234_5678, pair[0], pair[1], pair[0], pair[1]]);
}

#[test]
fn what_lies_outside_traps_clamps_or_is_zero() {
    let surface = || image(Geometry::D2, [4, 3, 1], ChannelType::Uint32, ChannelOrder::R);
    let access = |x: i32, y: i32, mode: &str| {
        format!(
            "mov.u32 %r1, {x}; mov.u32 %r2, {y}; suld.b.2d.b32.{mode} %r5, [%rd1, {{%r1, %r2}}]; st.global.u32 [%rd0], %r5;"
        )
    };
    for (x, y, clamped) in [(-4, 0, 0), (16, 0, 3), (400, 1, 7), (4, 3, 9), (-8, -1, 0), (1 << 30, 99, 11)] {
        assert_eq!(run(&access(x, y, "clamp"), surface()).u32s(0)[0], clamped, "{x} {y}");
        assert_eq!(run(&access(x, y, "zero"), surface()).u32s(0)[0], 0, "{x} {y}");
        let out = run(&access(x, y, "trap"), surface());
        assert_eq!((out.kinds(), out.status()), (vec![FaultKind::Trap], RunStatus::Fault), "{x} {y}");
        assert!(out.faults()[0].message.contains("outside the surface"), "{:?}", out.faults());
        assert_eq!(out.u32s(0)[0], 9);
    }
    for (mode, expected) in [("clamp", 7), ("zero", 3)] {
        let body =
            format!("mov.u32 %r1, 16; mov.u32 %r2, 0; mov.u32 %r3, 7; sust.b.2d.b32.{mode} [%rd1, {{%r1, %r2}}], %r3;");
        let (kernel, id) = kernel(&body, surface());
        assert_eq!(at(&kernel.fine(), id, 3), expected, "{mode}");
    }
}

#[test]
fn accesses_must_be_aligned_and_meant_for_the_surface() {
    let surface = || image(Geometry::D2, [4, 3, 1], ChannelType::Uint32, ChannelOrder::R);
    let out = run("mov.u32 %r1, 2; suld.b.2d.b32.zero %r5, [%rd1, {%r1, %r1}];", surface());
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::Misaligned], RunStatus::Fault));
    let out = run("mov.u32 %r1, 0; suld.b.1d.b32.zero %r5, [%rd1, {%r1}]; st.global.u32 [%rd0], %r5;", surface());
    assert_eq!((out.kinds(), out.status(), out.u32s(0)[0]), (vec![FaultKind::Undefined], RunStatus::Finished, 0));
    let out =
        TestKernel::body("", "mov.u32 %r1, 0; sust.b.1d.b32.zero [%rd0, {%r1}], %r1;").threads(1).buffer(&[0; 4]).run();
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::OutOfBounds], RunStatus::Fault));
    assert!(out.faults()[0].message.contains("is not a handle of a surface"), "{:?}", out.faults());
}

#[test]
fn formatted_stores_convert() {
    let body = "mov.u32 %r1, 2; mov.u32 %r2, 1; mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f3F000000; mov.f32 %f2, 0fBF800000; mov.f32 %f3, 0f3E800000;
        sust.p.2d.v4.b32.trap [%rd1, {%r1, %r2}], {%f0, %f1, %f2, %f3};";
    let (k, id) = kernel(body, image(Geometry::D2, [4, 2, 1], ChannelType::Unorm8, ChannelOrder::Rgba));
    let out = k.fine();
    // 1.0, 0.5, -1.0 and 0.25 of 255: 127.5 rounds to the even neighbour, 63.75 rounds up. Texel (2, 1) is the seventh.
    assert_eq!(out.image(id)[24..28], [255, 128, 0, 64]);
    assert_eq!(out.image(id)[20..24], [20, 21, 22, 23]);
    let body = "mov.u32 %r1, 0; mov.u32 %r2, 5; sust.p.1d.b32.trap [%rd1, {%r1}], %r2;";
    let (k, id) = kernel(body, image(Geometry::D1, [4, 1, 1], ChannelType::Uint16, ChannelOrder::Rg));
    let out = k.run();
    assert_eq!((out.kinds(), &out.image(id)[..2]), (vec![FaultKind::Undefined], &[5, 0][..]));
}

#[test]
fn reductions_combine() {
    let surface = || image(Geometry::D1, [8, 1, 1], ChannelType::Sint32, ChannelOrder::R);
    let body = "mov.u32 %r1, 8; mov.u32 %r2, -5; sured.b.add.1d.s32.trap [%rd1, {%r1}], %r2; mov.u32 %r1, 12; sured.b.min.1d.u32.trap [%rd1, {%r1}], %r2;
        mov.u32 %r1, 16; sured.b.max.1d.u32.trap [%rd1, {%r1}], %r2; mov.u32 %r1, 5; sured.p.max.1d.b32.trap [%rd1, {%r1}], %r2;
        mov.u32 %r1, 6; sured.p.min.1d.b32.trap [%rd1, {%r1}], %r2; mov.u32 %r1, 28; sured.b.and.1d.b32.trap [%rd1, {%r1}], 5;
        mov.u32 %r1, 0; mov.u64 %rd3, 0x200000003; sured.b.add.1d.u64.trap [%rd1, {%r1}], %rd3; mov.u32 %r1, 99; sured.b.or.1d.b32.zero [%rd1, {%r1}], 1;";
    let body = body.replace("%r1, 99", "%r1, 96");
    let (kernel, id) = kernel(&body, surface());
    let out = kernel.fine();
    let texels: Vec<u32> = (0..8).map(|i| at(&out, id, i)).collect();
    // Addressed by bytes, element 2 adds, and 3 and 4 compare unsigned. Addressed by elements, 5 and 6 compare as the format says: signed.
    assert_eq!(texels, [3, 3, -3_i32 as u32, 3, -5_i32 as u32, 5, -5_i32 as u32, 5]);
    let floats = image(Geometry::D1, [8, 1, 1], ChannelType::Float, ChannelOrder::R);
    let out = run("mov.u32 %r1, 0; sured.p.max.1d.b32.trap [%rd1, {%r1}], %r1;", floats);
    assert_eq!(out.kinds(), [FaultKind::Undefined]);
}

#[test]
fn surfaces_of_other_shapes_take_their_registers_in_order() {
    let mut layered = image(Geometry::A2d, [2, 2, 1], ChannelType::Uint32, ChannelOrder::R);
    layered.description.layers = 3;
    layered.bytes = layered.description.filled(|i| i as f64);
    let body = "mov.u32 %r1, 2; mov.u32 %r2, 4; mov.u32 %r3, 0; suld.b.a2d.b32.trap %r5, [%rd1, {%r1, %r2, %r3, %r3}]; st.global.u32 [%rd0], %r5;
        suq.width.b32 %r5, [%rd1]; st.global.u32 [%rd0+4], %r5; suq.array_size.b32 %r5, [%rd1]; st.global.u32 [%rd0+8], %r5;";
    assert_eq!(run(body, layered).u32s(0)[..3], [9, 2, 3]);
    let volume = image(Geometry::D3, [2, 3, 4], ChannelType::Uint32, ChannelOrder::R);
    let body = "mov.u32 %r1, 4; mov.u32 %r2, 2; mov.u32 %r3, 3; suld.b.3d.b32.trap %r5, [%rd1, {%r1, %r2, %r3, %r3}]; st.global.u32 [%rd0], %r5;";
    assert_eq!(run(body, volume).u32s(0)[0], 23);
}
