use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, TestOutcome, words};
use ptx_num::image::texture::{Coordinates, MipmapLevel, TextureRequest, fetch, gather};
use ptx_num::image::{
    AddressMode, ChannelOrder, ChannelType, Filter, Geometry, Image, ImageDescription, Opaque, Sampler, TexelFormat,
};

const R32: TexelFormat = TexelFormat { channel: ChannelType::Float, order: ChannelOrder::R };
const RGBA8: TexelFormat = TexelFormat { channel: ChannelType::Unorm8, order: ChannelOrder::Rgba };

fn new(geometry: Geometry, size: [u32; 3], format: TexelFormat) -> Image {
    with(ImageDescription::new(geometry, size, format))
}

/// An image whose stored channels are 0, 1, 2 …
fn with(description: ImageDescription) -> Image {
    let bytes = description.filled(|i| i as f64);
    Image { description, bytes }
}

fn linear() -> Sampler {
    Sampler { filter: Filter::Linear, ..Sampler::default() }
}

/// The text that sets four registers to these bits.
fn set(bits: [u32; 4]) -> String {
    (0..4).map(|i| format!("mov.b32 %r{}, {:#x};", 10 + i, bits[i])).collect()
}

/// A kernel of one thread that stores `%r0` … `%r3` after each of these texts. `%rd1` and `%rd2` are the parameters `p1` and `p2`.
fn kernel(target: &str, pieces: &[String]) -> TestKernel {
    let store =
        |(i, piece): (usize, &String)| format!("{piece}\nst.global.v4.u32 [%rd0+{}], {{%r0,%r1,%r2,%r3}};\n", 16 * i);
    let body: String = pieces.iter().enumerate().map(store).collect();
    let body = format!("ld.param.u64 %rd1, [p1]; ld.param.u64 %rd2, [p2];\n{body}");
    TestKernel::body(target, &body).threads(1).buffer(&vec![0xee; 16 * pieces.len()])
}

fn textured(target: &str, pieces: &[String], image: Image, sampler: Sampler) -> TestKernel {
    let mut kernel = kernel(target, pieces);
    let id = kernel.add_image(image);
    kernel.handle(Opaque::Texture(id, sampler))
}

fn floats(out: &TestOutcome) -> Vec<f32> {
    out.u32s(0).into_iter().map(f32::from_bits).collect()
}

#[test]
fn integer_coordinates_give_the_texel() {
    let image = || new(Geometry::D2, [4, 3, 1], R32);
    let places: Vec<(u32, u32)> = (0..12).map(|i| (i % 4, i / 4)).collect();
    let piece = |(x, y): &(u32, u32)| {
        format!("{} tex.2d.v4.f32.s32 {{%r0,%r1,%r2,%r3}}, [%rd1, {{%r10,%r11}}];", set([*x, *y, 0, 0]))
    };
    let out = textured("", &places.iter().map(piece).collect::<Vec<_>>(), image(), linear()).fine();
    let expected: Vec<f32> = (0..12).flat_map(|i| [i as f32, 0.0, 0.0, 1.0]).collect();
    assert_eq!(floats(&out), expected);
}

#[test]
fn every_geometry_takes_its_registers_in_order() {
    let layers = |geometry, size, layers, samples| {
        with(ImageDescription { layers, samples, ..ImageDescription::new(geometry, size, R32) })
    };
    // Images and the index of a texel in memory: x runs fastest, then y, z, layer. For samples the test only checks that they differ.
    for (image, list, coordinates, expected) in [
        (layers(Geometry::D1, [8, 1, 1], 1, 1), "1d", vec![5], Some(5.0)),
        (layers(Geometry::D2, [4, 4, 1], 1, 1), "2d", vec![1, 2], Some(9.0)),
        (layers(Geometry::D3, [2, 3, 4], 1, 1), "3d", vec![1, 2, 3, 99], Some(23.0)),
        (layers(Geometry::A1d, [4, 1, 1], 3, 1), "a1d", vec![2, 3], Some(11.0)),
        (layers(Geometry::A2d, [2, 2, 1], 3, 1), "a2d", vec![2, 1, 0, 99], Some(9.0)),
        (layers(Geometry::D2ms, [2, 2, 1], 1, 4), "2dms", vec![3, 1, 1, 99], None),
        (layers(Geometry::A2dms, [2, 2, 1], 2, 4), "a2dms", vec![3, 1, 1, 1], None),
    ] {
        let mut bits = [0; 4];
        bits.iter_mut().zip(&coordinates).for_each(|(to, from)| *to = *from);
        let names: Vec<String> = (0..coordinates.len()).map(|i| format!("%r{}", 10 + i)).collect();
        let piece =
            format!("{} tex.{list}.v4.f32.s32 {{%r0,%r1,%r2,%r3}}, [%rd1, {{{}}}];", set(bits), names.join(","));
        let geometry = Geometry::named(list).expect("a geometry");
        let request = TextureRequest {
            geometry,
            coordinates: Coordinates { bits, float: false },
            level: MipmapLevel::Base,
            offset: [0; 3],
            depth: None,
        };
        let library = fetch(&image.description, &image.bytes[..], &linear(), &request).expect("it fits");
        let out = textured("", &[piece], image, linear()).fine();
        assert_eq!(out.u32s(0)[0], library.components.bits[0], "{list}");
        if let Some(expected) = expected {
            assert_eq!(floats(&out)[0], expected, "{list}");
        } else {
            // The last sample of the last texel is the largest number in the image.
            assert!(floats(&out)[0] > 0.0, "{list}");
        }
    }
}

#[test]
fn float_coordinates_are_filtered_by_the_textures_own_sampler() {
    let image = || new(Geometry::D2, [4, 4, 1], RGBA8);
    let piece = |x: f32, y: f32| {
        let bits = set([x.to_bits(), y.to_bits(), 0, 0]);
        format!("{bits} tex.2d.v4.f32.f32 {{%r0,%r1,%r2,%r3}}, [%rd1, {{%r10,%r11}}];")
    };
    let places = [(1.0, 1.0), (0.5, 0.5), (3.0, 2.0), (-7.0, 1.5)];
    let pieces: Vec<String> = places.iter().map(|(x, y)| piece(*x, *y)).collect();
    let out = textured("sm_50", &pieces, image(), linear()).fine();
    // The red channel of texel (x, y) is 4(4y + x) / 255.
    let texel = |x: u32, y: u32| (4 * (4 * y + x)) as f32 / 255.0;
    let mean = (texel(0, 0) + texel(1, 0) + texel(0, 1) + texel(1, 1)) / 4.0;
    let reds: Vec<f32> = floats(&out).chunks(4).map(|c| c[0]).collect();
    assert!((reds[0] - mean).abs() < 1e-6 && (reds[3] - texel(0, 1)).abs() < 1e-6, "{reds:?}");
    assert_eq!(reds[1], texel(0, 0));
    let corners = [(2, 1), (3, 1), (2, 2), (3, 2)];
    assert!((reds[2] - corners.iter().map(|(x, y)| texel(*x, *y)).sum::<f32>() / 4.0).abs() < 1e-6);
    let nearest = textured("sm_50", &pieces, image(), Sampler::default()).fine();
    assert_eq!(floats(&nearest)[0], texel(1, 1));
}

#[test]
fn levels_gradients_offsets_and_depths_reach_the_library() {
    let mut description = ImageDescription::new(Geometry::D2, [8, 8, 1], R32);
    (description.levels, description.mipmapped) = (4, true);
    let sampler = Sampler { mipmap_filter: Filter::Linear, ..linear() };
    let bits = [2.5_f32.to_bits(), 3.25_f32.to_bits(), 0, 0];
    let request = |level, offset, depth| TextureRequest {
        geometry: Geometry::D2,
        coordinates: Coordinates { bits, float: true },
        level,
        offset,
        depth,
    };
    let d = "{%r0,%r1,%r2,%r3}";
    let at = set(bits);
    for (piece, request) in [
        (
            format!("tex.level.2d.v4.f32.f32 {d}, [%rd1, {{%r10,%r11}}], 0f3FC00000;"),
            request(MipmapLevel::Float(1.5), [0; 3], None),
        ),
        (
            format!(
                "mov.f32 %f0, 0f40800000; mov.f32 %f1, 0f00000000; tex.grad.2d.v4.f32.f32 {d}, [%rd1, {{%r10,%r11}}], {{%f0, %f1}}, {{%f1, %f0}};"
            ),
            request(MipmapLevel::Gradients([4.0, 0.0, 0.0], [0.0, 4.0, 0.0]), [0; 3], None),
        ),
        (
            format!("mov.u32 %r14, 2; mov.u32 %r15, -1; tex.2d.v4.f32.f32 {d}, [%rd1, {{%r10,%r11}}], {{%r14, %r15}};"),
            request(MipmapLevel::Base, [2, -1, 0], None),
        ),
        (
            format!("mov.f32 %f2, 0f41F00000; tex.2d.v4.f32.f32 {d}, [%rd1, {{%r10,%r11}}], %f2;"),
            request(MipmapLevel::Base, [0; 3], Some(30.0)),
        ),
        (
            format!(
                "mov.f32 %f2, 0f41F00000; mov.u32 %r14, 1; tex.level.2d.v4.f32.f32 {d}, [%rd1, {{%r10,%r11}}], 0f00000000, {{%r14, %r14}}, %f2;"
            ),
            request(MipmapLevel::Float(0.0), [1, 1, 0], Some(30.0)),
        ),
    ] {
        let image = with(description.clone());
        let library = fetch(&description, &image.bytes[..], &sampler, &request).expect("it fits");
        let out = textured("", &[format!("{at} {piece}")], image, sampler).fine();
        assert_eq!(out.u32s(0), library.components.bits, "{piece}");
    }
    // An integer level with integer coordinates gives the texel of that level.
    let piece = format!("{} tex.level.2d.v4.f32.s32 {d}, [%rd1, {{%r10,%r11}}], 2;", set([1, 1, 0, 0]));
    let out = textured("", &[piece], with(description), sampler).fine();
    assert_eq!(floats(&out)[0], 64.0 + 16.0 + 3.0);
}

#[test]
fn four_texels_are_gathered() {
    let image = new(Geometry::D2, [4, 4, 1], RGBA8);
    let bits = [2.0_f32.to_bits(), 1.0_f32.to_bits(), 0, 0];
    let coordinates = Coordinates { bits, float: true };
    let request =
        TextureRequest { geometry: Geometry::D2, coordinates, level: MipmapLevel::Base, offset: [0; 3], depth: None };
    let library = gather(&image.description, &image.bytes[..], &linear(), &request, 2).expect("it fits");
    let piece = format!("{} tld4.b.2d.v4.f32.f32 {{%r0,%r1,%r2,%r3}}, [%rd1, {{%r10,%r11}}];", set(bits));
    let out = textured("", &[piece], image, linear()).fine();
    assert_eq!(out.u32s(0), library.components.bits);
    // The blue channels of (1,1), (2,1), (2,0), (1,0).
    let blue = |x: u32, y: u32| (4 * (4 * y + x) + 2) as f32 / 255.0;
    assert_eq!(floats(&out), [blue(1, 1), blue(2, 1), blue(2, 0), blue(1, 0)]);
}

#[test]
fn results_become_halves_integers_and_holes() {
    let format = TexelFormat { channel: ChannelType::Float, order: ChannelOrder::Rgba };
    let pieces = [
        "mov.u32 %r10, 1; tex.1d.v4.f16.s32 {%h0,%h1,%h2,%h3}, [%rd1, {%r10}]; mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;",
        "tex.1d.v2.f16x2.s32 {%r0,%r1}, [%rd1, {%r10}];",
        "st.global.v4.b16 [%rd0], {%h0,%h1,%h2,%h3}; mov.u32 %r2, 7; tex.1d.v4.u32.s32 {%r0,_,_,%r3}, [%rd1, %r10];",
    ];
    let pieces = pieces.map(String::from);
    let out = textured("", &pieces, new(Geometry::D1, [4, 1, 1], format), linear()).fine();
    // The second texel: 4, 5, 6, 7.
    let halves = [0x4500_4400, 0x4700_4600];
    assert_eq!(out.u32s(0)[..2], halves);
    assert_eq!(out.u32s(0)[4..6], halves);
    assert_eq!(out.u32s(0)[8..], [4.0_f32.to_bits(), halves[1], 7, 7.0_f32.to_bits()]);
}

#[test]
fn memory_that_is_not_there_is_told() {
    let image = |resident| with(ImageDescription { resident, ..ImageDescription::new(Geometry::D1, [4, 1, 1], R32) });
    let pieces = ["mov.u32 %r10, 3; tex.1d.v4.f32.s32 {%r0,%r1,_,_}|%p1, [%rd1, {%r10}];
        mov.u32 %r2, 0; @%p1 mov.u32 %r2, 1; mov.u32 %r3, 0;"];
    let pieces = pieces.map(String::from);
    assert_eq!(textured("", &pieces, image(true), linear()).fine().u32s(0), [3.0_f32.to_bits(), 0, 1, 0]);
    assert_eq!(textured("", &pieces, image(false), linear()).fine().u32s(0), [0; 4]);
}

const VARIABLES: &str = ".version 7.7\n.target sm_70{, texmode}\n.address_size 64\n\
    .global .texref tex = { normalized_coords = 0, filter_mode = linear };\n.global .texref other = { width = 17 };\n\
    {samplers}\
    .global .surfref surf;\n.entry k(.param .u64 out{, .param .texref given}) {\n\
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>; ld.param.u64 %rd0, [out];\n{body}\nret; }\n";

const SAMPLERS: &str = ".global .samplerref near = { filter_mode = nearest };\n\
    .global .samplerref far = { filter_mode = linear, addr_mode_0 = wrap };\n";

fn module(mode: &str, parameter: &str, body: &str) -> String {
    let samplers = if mode.is_empty() { "" } else { SAMPLERS };
    let text = VARIABLES.replace("{samplers}", samplers);
    text.replace("{, texmode}", mode).replace("{, .param .texref given}", parameter).replace("{body}", body)
}

#[test]
fn variables_are_textures_by_name_and_by_address() {
    let body = "mov.u32 %r10, 2; tex.1d.v4.f32.s32 {%r0,_,_,_}, [tex, {%r10}]; st.global.u32 [%rd0], %r0;
        mov.u64 %rd1, tex; tex.1d.v4.f32.s32 {%r0,_,_,_}, [%rd1, {%r10}]; st.global.u32 [%rd0+4], %r0;
        istypep.texref %p0, %rd1; istypep.surfref %p1, %rd1; istypep.samplerref %p2, %rd0;
        mov.u32 %r1, 0; @%p0 mov.u32 %r1, 1; @%p1 mov.u32 %r1, 2; @%p2 mov.u32 %r1, 4; st.global.u32 [%rd0+8], %r1;
        txq.width.b32 %r2, [tex]; st.global.u32 [%rd0+12], %r2; txq.width.b32 %r2, [other]; st.global.u32 [%rd0+16], %r2;";
    let mut kernel = TestKernel::new(&module("", "", body)).threads(1).buffer(&words([9; 5]));
    let id = kernel.add_image(new(Geometry::D1, [4, 1, 1], R32));
    let out = kernel.bind("tex", Opaque::Texture(id, linear())).fine();
    assert_eq!(out.u32s(0), [2.0_f32.to_bits(), 2.0_f32.to_bits(), 1, 4, 17]);
}

#[test]
fn parameters_are_textures_by_name_and_by_address() {
    let body = "mov.u32 %r10, 2; tex.1d.v4.f32.s32 {%r0,_,_,_}, [given, {%r10}]; st.global.u32 [%rd0], %r0;
        mov.u64 %rd1, given; cvta.param.u64 %rd1, %rd1; tex.1d.v4.f32.s32 {%r0,_,_,_}, [%rd1, {%r10}]; st.global.u32 [%rd0+4], %r0;
        istypep.texref %p0, %rd1; mov.u32 %r1, 0; @%p0 mov.u32 %r1, 1; st.global.u32 [%rd0+8], %r1;";
    let mut kernel = TestKernel::new(&module("", ", .param .texref given", body)).threads(1).buffer(&words([9; 3]));
    let id = kernel.add_image(new(Geometry::D1, [4, 1, 1], R32));
    let out = kernel.handle(Opaque::Texture(id, linear())).fine();
    assert_eq!(out.u32s(0), [2.0_f32.to_bits(), 2.0_f32.to_bits(), 1]);
}

#[test]
fn samplers_of_their_own_come_from_their_variables() {
    let body = "mov.b32 %r10, 0f40000000; tex.1d.v4.f32.f32 {%r0,_,_,_}, [tex, near, {%r10}]; st.global.u32 [%rd0], %r0;
        tex.1d.v4.f32.f32 {%r0,_,_,_}, [tex, far, {%r10}]; st.global.u32 [%rd0+4], %r0;
        txq.filter_mode.b32 %r1, [far]; st.global.u32 [%rd0+8], %r1; txq.addr_mode_0.b32 %r1, [far]; st.global.u32 [%rd0+12], %r1;";
    let text = module(", texmode_independent", "", body);
    let mut kernel = TestKernel::new(&text).threads(1).buffer(&words([9; 4]));
    let id = kernel.add_image(new(Geometry::D1, [4, 1, 1], R32));
    let out = kernel.bind("tex", Opaque::Texture(id, Sampler::default())).fine();
    assert_eq!(out.u32s(0), [2.0_f32.to_bits(), 1.5_f32.to_bits(), 1, 0]);
}

#[test]
fn textures_say_what_they_are() {
    let mut description = ImageDescription::new(Geometry::A2d, [8, 4, 1], RGBA8);
    (description.layers, description.levels, description.mipmapped) = (5, 3, true);
    let piece = |queries: [&str; 4]| -> String {
        queries.iter().enumerate().map(|(i, q)| format!("txq.{q}.b32 %r{i}, [%rd1];")).collect()
    };
    let pieces = [
        piece(["width", "height", "depth", "array_size"]),
        piece(["num_mipmap_levels", "num_samples", "normalized_coords", "filter_mode"]),
        piece(["addr_mode_0", "addr_mode_1", "channel_data_type", "channel_order"]),
        "mov.u32 %r4, 1; txq.level.width.b32 %r0, [%rd1], %r4; txq.level.height.b32 %r1, [%rd1], 2; mov.u32 %r2, 0; mov.u32 %r3, 0;".into(),
    ];
    let sampler = Sampler { address: [AddressMode::Wrap, AddressMode::Mirror, AddressMode::Wrap], ..linear() };
    let out = textured("", &pieces, with(description), sampler).fine();
    assert_eq!(out.u32s(0), [8, 4, 0, 5, 3, 0, 0, 1, 0, 1, 0x10d2, 0x10b5, 4, 1, 0, 0]);
}

#[test]
fn what_is_no_texture_is_found() {
    let piece = ["mov.u32 %r10, 1; tex.1d.v4.f32.s32 {%r0,%r1,%r2,%r3}, [%rd1, {%r10}];".to_owned()];
    let out = kernel("", &piece).value(77).run();
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::OutOfBounds], RunStatus::Fault));
    assert!(out.faults()[0].message.contains("0x4d is not a handle of a texture"), "{:?}", out.faults());
    // A handle of a surface, and a texture of another geometry.
    let mut wrong = kernel("", &piece);
    let id = wrong.add_image(new(Geometry::D1, [4, 1, 1], R32));
    let out = wrong.handle(Opaque::Surface(id)).run();
    assert!(
        out.faults()[0].message.contains("is a surface, but this instruction needs a texture"),
        "{:?}",
        out.faults()
    );
    let out = textured("", &piece, new(Geometry::D2, [4, 4, 1], R32), linear()).run();
    assert_eq!((out.kinds(), out.status(), out.u32s(0)), (vec![FaultKind::Undefined], RunStatus::Finished, vec![0; 4]));
    // A variable to which nothing is bound.
    let body = "mov.u32 %r10, 1; tex.1d.v4.f32.s32 {%r0,_,_,_}, [tex, {%r10}];";
    let out = TestKernel::new(&module("", "", body)).threads(1).buffer(&[]).run();
    assert!(out.faults()[0].message.contains("no texture is bound to `tex`"), "{:?}", out.faults());
    // One register for two coordinates, which the assembler accepts.
    let piece = ["mov.u32 %r10, 1; tex.2d.v4.f32.s32 {%r0,%r1,%r2,%r3}, [%rd1, %r10];".to_owned()];
    let out = textured("", &piece, new(Geometry::D2, [4, 4, 1], R32), linear()).run();
    assert_eq!((out.kinds(), floats(&out)[0]), (vec![FaultKind::Undefined], 1.0));
}

/// A texture does not see what the kernel has stored through a surface. Other texels, and a surface load, have their values.
#[test]
fn texels_that_the_kernel_has_written_are_not_read_through_a_texture() {
    let run = |read: &str, sampler: Sampler| {
        let text = format!("mov.u32 %r20, 8; mov.u32 %r21, 7; sust.b.1d.b32.trap [%rd2, {{%r20}}], %r21; {read}");
        let mut kernel = kernel("", &[text]);
        let id = kernel.add_image(new(Geometry::D1, [8, 1, 1], R32));
        kernel.handle(Opaque::Texture(id, sampler)).handle(Opaque::Surface(id)).run()
    };
    let fetch = |x: u32| format!("mov.u32 %r10, {x}; tex.1d.v4.f32.s32 {{%r0,%r1,%r2,%r3}}, [%rd1, {{%r10}}];");
    let found = run(&fetch(2), Sampler::default());
    assert_eq!(found.kinds(), [FaultKind::Undefined]);
    assert!(found.faults()[0].message.contains("surface") && found.faults()[0].related.is_some());
    assert_eq!(run(&fetch(3), Sampler::default()).kinds(), []);
    // A filter also reads the neighbour.
    let filtered = "mov.f32 %f1, 0f40500000; tex.1d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%rd1, {%f1}];";
    assert_eq!(run(filtered, linear()).kinds(), [FaultKind::Undefined]);
    let load = "mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r3, 0; suld.b.1d.b32.trap %r0, [%rd2, {%r20}];";
    assert_eq!(run(load, Sampler::default()).kinds(), []);
}
