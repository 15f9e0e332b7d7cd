use super::ImageNumbers;
use crate::image::cube;
use crate::image::format::{ChannelOrder, ChannelType, TexelFormat};
use crate::image::layout::{Geometry, ImageDescription};
use crate::image::sampler::{AddressMode, DepthCompare, Filter, Sampler, axis};
use crate::image::texture::{Coordinates, Fetched, MipmapLevel, TextureRequest, fetch, gather, to_half};
use crate::values::Marks;

const FLOAT: TexelFormat = TexelFormat { channel: ChannelType::Float, order: ChannelOrder::R };

fn at(geometry: Geometry, coordinates: [f32; 4]) -> TextureRequest {
    let bits = coordinates.map(f32::to_bits);
    TextureRequest {
        geometry,
        coordinates: Coordinates { bits, float: true },
        level: MipmapLevel::Base,
        offset: [0; 3],
        depth: None,
    }
}

fn first(fetched: Fetched) -> f32 {
    f32::from_bits(fetched.components.bits[0])
}

/// Creates an image whose texels are small whole numbers, and returns those numbers too.
fn numbered(geometry: Geometry, size: [u32; 3], layers: u32, levels: u32) -> (ImageDescription, Vec<u8>, Vec<i128>) {
    let image = ImageDescription { layers, levels, ..ImageDescription::new(geometry, size, FLOAT) };
    let mut numbers = ImageNumbers::new(7);
    let texels: Vec<i128> = (0..image.bytes() / 4).map(|_| i128::from(numbers.below(2001)) - 1000).collect();
    let bytes = image.filled(|i| texels[i as usize] as f64);
    (image, bytes, texels)
}

/// The index that an address mode yields, found by walking step by step; `None` is the border.
fn walk(mut index: i128, size: i128, mode: AddressMode) -> Option<i128> {
    match mode {
        AddressMode::ClampToBorder | AddressMode::ClampOgl => (index >= 0 && index < size).then_some(index),
        AddressMode::ClampToEdge => Some(if index < 0 {
            0
        } else if index >= size {
            size - 1
        } else {
            index
        }),
        AddressMode::Wrap => {
            while index < 0 {
                index += size;
            }
            while index >= size {
                index -= size;
            }
            Some(index)
        }
        AddressMode::Mirror => {
            // Reflect the index at the end that it passed until it is inside.
            while !(0..size).contains(&index) {
                index = if index < 0 { -1 - index } else { 2 * size - 1 - index };
            }
            Some(index)
        }
    }
}

/// Reference for one dimension in whole numbers: the coordinate is `k` / 65536. Returns [(index, weight in 256ths)].
fn reference_axis(k: i128, size: i128, normalized: bool, mode: AddressMode, linear: bool) -> [(Option<i128>, i128); 2] {
    let mode = if normalized {
        mode
    } else {
        match mode {
            AddressMode::Wrap | AddressMode::Mirror => AddressMode::ClampToEdge,
            other => other,
        }
    };
    // The position in 65536ths of a texel.
    let mut position = if normalized { k * size } else { k };
    if mode == AddressMode::ClampOgl {
        position = position.max(0).min(size * 65536);
    }
    if linear {
        // Rounded to 256ths, ties up; half a texel is 128 of them.
        let fixed = (position + 128).div_euclid(256) - 128;
        let (index, weight) = (fixed.div_euclid(256), fixed.rem_euclid(256));
        [(walk(index, size, mode), 256 - weight), (walk(index + 1, size, mode), weight)]
    } else {
        let mut index = position.div_euclid(65536);
        if mode == AddressMode::ClampOgl && index == size {
            index -= 1;
        }
        [(walk(index, size, mode), 256), (None, 0)]
    }
}

#[test]
fn filtering_agrees_with_whole_numbers() {
    let mut numbers = ImageNumbers::new(3);
    let mut blends = 0;
    for (geometry, size, layers) in [
        (Geometry::D1, [7, 1, 1], 1),
        (Geometry::D2, [5, 6, 1], 1),
        (Geometry::D3, [4, 3, 5], 1),
        (Geometry::A1d, [6, 1, 1], 3),
        (Geometry::A2d, [3, 4, 1], 4),
        (Geometry::D2, [1, 1, 1], 1),
    ] {
        let (mut image, bytes, texels) = numbered(geometry, size, layers, 1);
        for round in 0..6000 {
            image.normalized_coords = round % 2 == 0;
            let linear = round % 3 != 0;
            let address = [0; 3].map(|_| AddressMode::ALL[numbers.below(5) as usize]);
            let border = 12.0;
            let sampler = Sampler {
                filter: if linear { Filter::Linear } else { Filter::Nearest },
                address,
                border: [border; 4],
                ..Sampler::default()
            };
            let layer = numbers.below(u64::from(layers));
            let range = if image.normalized_coords { 4 * 65536 } else { 14 * 65536 };
            let k = [0; 3].map(|_| {
                let k = i128::from(numbers.below(range)) - i128::from(range) / 3;
                // One in four lies exactly at a border or a centre.
                if numbers.below(4) == 0 { k / 32768 * 32768 } else { k }
            });
            let place = k.map(|k| k as f32 / 65536.0);
            let mut request = at(geometry, [place[0], place[1], place[2], f32::NAN]);
            if geometry.is_array() {
                let [a, b, c, _] = request.coordinates.bits;
                request.coordinates.bits = [layer as u32, a, b, c];
            }
            let dimensions = geometry.dimensions();
            let mut axes = [[(Some(0), 256), (None, 0)]; 3];
            for d in 0..dimensions {
                axes[d] = reference_axis(k[d], i128::from(size[d]), image.normalized_coords, address[d], linear);
            }
            // The product of three weights counts in units of 2^-24.
            let (mut sum, mut shares) = (0_i128, 0);
            for (x, wx) in axes[0] {
                for (y, wy) in axes[1] {
                    for (z, wz) in axes[2] {
                        let weight = wx * wy * wz;
                        if weight == 0 {
                            continue;
                        }
                        shares += 1;
                        sum += weight
                            * match (x, y, z) {
                                (Some(x), Some(y), Some(z)) => {
                                    let plane = layer as i128 * i128::from(size[2]) + z;
                                    let index = (plane * i128::from(size[1]) + y) * i128::from(size[0]) + x;
                                    texels[index as usize]
                                }
                                _ => 12,
                            };
                    }
                }
            }
            let expected = (sum as f64 / f64::from(1 << 24)) as f32;
            let fetched = fetch(&image, &bytes[..], &sampler, &request).unwrap();
            assert_eq!(first(fetched), expected, "{geometry:?} {size:?} {address:?} {k:?} linear {linear}");
            let marks = fetched.components.marks[0];
            assert_eq!(marks.contains(Marks::APPROXIMATE), shares > 1);
            blends += u32::from(shares > 1);
        }
    }
    assert!(blends > 10_000);
}

/// Measurements of NVIDIA's hardware (developer forum, "tex1D accuracy"): texels 1 and 2, normalised coordinates.
#[test]
fn published_measurements() {
    let mut image = ImageDescription::new(Geometry::D1, [2, 1, 1], FLOAT);
    image.normalized_coords = true;
    let bytes = image.filled(|i| i as f64 + 1.0);
    let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
    // The coordinate in twentieths, and the result's distance from the first texel in 256ths.
    let measured = [
        (0, 0),
        (5, 0),
        (6, 26),
        (7, 51),
        (8, 77),
        (9, 102),
        (10, 128),
        (11, 154),
        (12, 179),
        (13, 205),
        (14, 230),
        (15, 256),
        (19, 256),
    ];
    for (key, parts) in measured {
        let coordinate = key as f32 / 20.0;
        let fetched = fetch(&image, &bytes[..], &sampler, &at(Geometry::D1, [coordinate, 0.0, 0.0, 0.0])).unwrap();
        assert_eq!(first(fetched), 1.0 + parts as f32 / 256.0, "{key}");
    }
}

/// `downsample` of tests/kernels/textures.ptx relies on this: at the corner of four texels the filter returns their mean.
#[test]
fn a_corner_is_the_mean_of_four_texels() {
    let format = TexelFormat { channel: ChannelType::Unorm8, order: ChannelOrder::Rgba };
    let image = ImageDescription::new(Geometry::D2, [8, 6, 1], format);
    let bytes = image.filled(|i| (i * 7 % 256) as f64);
    let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
    for y in 0..3_usize {
        for x in 0..4_usize {
            let request = at(Geometry::D2, [(2 * x + 1) as f32, (2 * y + 1) as f32, 0.0, 0.0]);
            let fetched = fetch(&image, &bytes[..], &sampler, &request).unwrap();
            for channel in 0..4 {
                let stored = |x: usize, y: usize| u32::from(bytes[(y * 8 + x) * 4 + channel]);
                let sum = stored(2 * x, 2 * y)
                    + stored(2 * x + 1, 2 * y)
                    + stored(2 * x, 2 * y + 1)
                    + stored(2 * x + 1, 2 * y + 1);
                let value = f32::from_bits(fetched.components.bits[channel]);
                assert!((value * 255.0 * 4.0 - sum as f32).abs() < 0.001);
            }
        }
    }
}

#[test]
fn extreme_coordinates_have_an_answer() {
    let extremes =
        [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -1e-45, 0.0, -0.0, 1e10, -1e10];
    for mode in AddressMode::ALL {
        for normalized in [false, true] {
            for blend in [false, true] {
                for coordinate in extremes {
                    let found = axis(coordinate, 5, normalized, mode, blend, -8);
                    assert!(found.index.iter().flatten().all(|&i| i < 5) && found.weight < 256);
                    let repeats = normalized && matches!(mode, AddressMode::Wrap | AddressMode::Mirror);
                    let open = coordinate.is_nan() || coordinate.is_infinite() && repeats;
                    assert!(!open || found.marks.contains(Marks::UNSPECIFIED));
                }
            }
        }
    }
    let far = |coordinate| axis(coordinate, 5, true, AddressMode::ClampToEdge, false, 0).index[0];
    assert_eq!(
        [far(f32::INFINITY), far(f32::NEG_INFINITY), far(1e30), far(-1e30)],
        [Some(4), Some(0), Some(4), Some(0)]
    );
    let beyond = |coordinate| axis(coordinate, 5, true, AddressMode::ClampToBorder, false, 0).index[0];
    assert_eq!([beyond(f32::INFINITY), beyond(-1e30), beyond(0.99)], [None, None, Some(4)]);
}

#[test]
fn integer_coordinates_know_no_sampler() {
    let (image, bytes, texels) = numbered(Geometry::A2d, [5, 4, 1], 3, 2);
    let sampler = Sampler { filter: Filter::Linear, border: [9.0; 4], ..Sampler::default() };
    let mut request = at(Geometry::A2d, [0.0; 4]);
    request.coordinates.float = false;
    for level in -1..=2 {
        request.level = MipmapLevel::Integer(level);
        let (width, height, start) = if level == 1 { (2, 2, 60) } else { (5, 4, 0) };
        for layer in 0..=3_i32 {
            for y in -2..=5 {
                for x in -2..=6 {
                    request.coordinates.bits = [layer as u32, (x - 3) as u32, (y + 4) as u32, 77];
                    request.offset = [3, -4, 0];
                    let fetched = fetch(&image, &bytes[..], &sampler, &request).unwrap();
                    let inside =
                        (0..2).contains(&level) && layer < 3 && (0..width).contains(&x) && (0..height).contains(&y);
                    if inside {
                        let index = start + (layer * height + y) * width + x;
                        assert_eq!(first(fetched), texels[index as usize] as f32);
                        assert!(fetched.components.marks[0].is_none());
                    } else {
                        assert_eq!(fetched.components.bits, [0; 4]);
                        assert!(fetched.components.marks[0].contains(Marks::UNSPECIFIED));
                    }
                }
            }
        }
    }
}

#[test]
fn samples_of_multisample_images() {
    let mut image = ImageDescription::new(Geometry::A2dms, [3, 2, 1], FLOAT);
    (image.samples, image.layers) = (4, 2);
    let bytes = image.filled(|i| i as f64);
    let mut request = at(Geometry::A2dms, [0.0; 4]);
    request.coordinates = Coordinates { bits: [2, 1, 1, 0], float: false };
    let fetched = fetch(&image, &bytes[..], &Sampler::default(), &request).unwrap();
    // Sample 2 of layer 1, x 1, y 0.
    assert_eq!(first(fetched), ((3 * 2 + 1) * 4 + 2) as f32);
    request.coordinates.bits[0] = 4;
    assert_eq!(first(fetch(&image, &bytes[..], &Sampler::default(), &request).unwrap()), 0.0);
}

#[test]
fn levels_are_clamped_rounded_and_blended() {
    let mut image = ImageDescription { levels: 3, ..ImageDescription::new(Geometry::D2, [4, 4, 1], FLOAT) };
    image.normalized_coords = true;
    // 16 texels of 100, four of 200, one of 300.
    let bytes = image.filled(|i| {
        if i < 16 {
            100.0
        } else if i < 20 {
            200.0
        } else {
            300.0
        }
    });
    let level = |sampler: &Sampler, level| {
        let request = TextureRequest { level, ..at(Geometry::D2, [0.4, 0.6, 0.0, 0.0]) };
        first(fetch(&image, &bytes[..], sampler, &request).unwrap())
    };
    let nearest = Sampler::default();
    for (lod, value) in
        [(-5.0, 100.0), (0.0, 100.0), (0.4, 100.0), (0.6, 200.0), (1.4, 200.0), (1.6, 300.0), (99.0, 300.0)]
    {
        assert_eq!(level(&nearest, MipmapLevel::Float(lod)), value, "{lod}");
    }
    let linear = Sampler { mipmap_filter: Filter::Linear, ..nearest };
    for (lod, value) in [(0.25, 125.0), (1.5, 250.0), (2.0, 300.0), (7.0, 300.0), (0.0, 100.0)] {
        assert_eq!(level(&linear, MipmapLevel::Float(lod)), value, "{lod}");
    }
    let limited = Sampler { min_lod: 0.5, max_lod: 1.0, lod_bias: -0.25, ..linear };
    assert_eq!(level(&limited, MipmapLevel::Float(0.0)), 150.0);
    assert_eq!(level(&limited, MipmapLevel::Float(1.0)), 175.0);
    assert_eq!(level(&limited, MipmapLevel::Float(9.0)), 200.0);
    assert_eq!(level(&limited, MipmapLevel::Base), 100.0);
    let gradients = |x: f32, y: f32| level(&linear, MipmapLevel::Gradients([x, 0.0, 0.0], [0.0, y, 0.0]));
    // A step of a quarter is one texel, of a half two, of one four.
    assert_eq!(
        [gradients(0.25, 0.1), gradients(0.1, 0.5), gradients(-1.0, 0.0), gradients(0.0, 0.0)],
        [100.0, 200.0, 300.0, 100.0]
    );
    assert_eq!(level(&nearest, MipmapLevel::Float(f32::NAN)), 100.0);
}

#[test]
fn a_blend_that_is_not_a_number_has_the_same_bits_everywhere() {
    let mut image = ImageDescription { levels: 2, ..ImageDescription::new(Geometry::D1, [2, 1, 1], FLOAT) };
    image.normalized_coords = true;
    let bytes = image.filled(|i| [f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY][i as usize]);
    let linear = Sampler { filter: Filter::Linear, mipmap_filter: Filter::Linear, ..Sampler::default() };
    // Of two texels, and of two levels.
    for (x, level) in [(0.5, 0.0), (0.25, 0.5)] {
        let request = TextureRequest { level: MipmapLevel::Float(level), ..at(Geometry::D1, [x, 0.0, 0.0, 0.0]) };
        let fetched = fetch(&image, &bytes[..], &linear, &request).unwrap();
        assert_eq!(fetched.components.bits[0], 0x7fff_ffff, "{x} {level}");
    }
}

#[test]
fn gathers_go_counter_clockwise() {
    let format = TexelFormat { channel: ChannelType::Uint8, order: ChannelOrder::Rgba };
    let image = ImageDescription::new(Geometry::D2, [4, 4, 1], format);
    let bytes = image.filled(|i| i as f64);
    let request = TextureRequest { offset: [1, 0, 0], ..at(Geometry::D2, [1.0, 2.0, 0.0, 0.0]) };
    for component in 0..4 {
        let fetched = gather(&image, &bytes[..], &Sampler::default(), &request, component).unwrap();
        // Texels (1, 2), (2, 2), (2, 1), (1, 1): x from 0.5 + 1, y from 1.5.
        let texel = |x: u32, y: u32| (y * 4 + x) * 4 + component as u32;
        assert_eq!(fetched.components.bits, [texel(1, 2), texel(2, 2), texel(2, 1), texel(1, 1)]);
    }
}

#[test]
fn depths_are_compared_before_they_are_filtered() {
    let image = ImageDescription::new(Geometry::D1, [2, 1, 1], FLOAT);
    let bytes = image.filled(|i| [0.2, 0.8][i as usize]);
    let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let compare = |depth, compare| {
        let request = TextureRequest { depth: Some(depth), ..at(Geometry::D1, [1.25, 0.0, 0.0, 0.0]) };
        first(fetch(&image, &bytes[..], &Sampler { compare, ..sampler }, &request).unwrap())
    };
    assert_eq!(compare(0.5, DepthCompare::LessEqual), 0.75);
    assert_eq!(compare(0.5, DepthCompare::Greater), 0.25);
    assert_eq!(compare(0.1, DepthCompare::Less), 1.0);
    assert_eq!(compare(f32::NAN, DepthCompare::Always), 1.0);
    assert_eq!(compare(f32::NAN, DepthCompare::LessEqual), 0.0);
}

#[test]
fn what_is_not_resident_and_what_does_not_fit() {
    let mut image = ImageDescription::new(Geometry::D2, [4, 4, 1], FLOAT);
    let bytes = image.filled(|_| 5.0);
    assert!(fetch(&image, &bytes[..], &Sampler::default(), &at(Geometry::D1, [0.0; 4])).is_err());
    image.resident = false;
    let fetched = fetch(&image, &bytes[..], &Sampler::default(), &at(Geometry::D2, [0.0; 4])).unwrap();
    assert_eq!((fetched.components.bits, fetched.resident), ([0; 4], false));
}

#[test]
fn halves_of_results() {
    let image = ImageDescription::new(
        Geometry::D1,
        [1, 1, 1],
        TexelFormat { channel: ChannelType::Float, order: ChannelOrder::Rgba },
    );
    let bytes = image.filled(|i| [1.0, -2.0, 0.5, 65536.0][i as usize]);
    let fetched = fetch(&image, &bytes[..], &Sampler::default(), &at(Geometry::D1, [0.0; 4])).unwrap();
    assert_eq!(to_half(&fetched.components, false, false).bits, [0x3c00, 0xc000, 0x3800, 0x7c00]);
    assert_eq!(to_half(&fetched.components, false, true).bits, [0xc000_3c00, 0x7c00_3800, 0, 0]);
}

/// A direction for a position on a face: the inverse of the formulas of graphics APIs.
fn direction(face: u32, s: f64, t: f64) -> [f64; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

#[test]
fn cube_faces() {
    let (mut image, bytes, texels) = numbered(Geometry::Acube, [8, 8, 1], 2, 1);
    image.normalized_coords = false;
    let mut numbers = ImageNumbers::new(5);
    for _ in 0..4000 {
        let (face, layer) = (numbers.below(6) as u32, numbers.below(2));
        let (x, y) = (numbers.below(8), numbers.below(8));
        // A point well inside of a texel, at any distance.
        let inside = |i: u64, part: f64| (i as f64 + part) / 4.0 - 1.0;
        let (s, t) = (inside(x, numbers.between(0.1, 0.9)), inside(y, numbers.between(0.1, 0.9)));
        let length = numbers.between(0.01, 50.0);
        let [a, b, c] = direction(face, s, t).map(|v| ((v * length) as f32).to_bits());
        let mut request = at(Geometry::Acube, [0.0; 4]);
        request.coordinates.bits = [layer as u32, a, b, c];
        let value = first(fetch(&image, &bytes[..], &Sampler::default(), &request).unwrap());
        let index = ((layer * 6 + u64::from(face)) * 8 + y) * 8 + x;
        assert_eq!(value, texels[index as usize] as f32);
    }
    assert!(cube::project([1.0, 1.0, 0.5]).marks.contains(Marks::UNSPECIFIED));
    assert!(cube::project([0.0; 3]).marks.contains(Marks::UNSPECIFIED));
    assert!(cube::project([1.0, 0.5, 0.5]).marks.is_none());
}

#[test]
fn beyond_an_edge_lies_the_nearest_texel_of_the_neighbour() {
    let size = 6_u32;
    let centre = |face, x: i64, y: i64| {
        let along = |i: i64| (2.0 * i as f64 + 1.0) / f64::from(size) - 1.0;
        direction(face, along(x), along(y))
    };
    for face in 0..6 {
        for i in 0..i64::from(size) {
            for position in [[-1, i], [i64::from(size), i], [i, -1], [i, i64::from(size)]] {
                let (neighbour, [x, y]) = cube::beyond(face, position, size).unwrap();
                // The texel at the edge, and the texel of another face that is closest to it in space.
                let own = position.map(|p| p.clamp(0, i64::from(size) - 1));
                let from = centre(face, own[0], own[1]);
                let distance = |to: [f64; 3]| (0..3).map(|c| (from[c] - to[c]) * (from[c] - to[c])).sum::<f64>();
                let mut closest = (f64::MAX, 0, [0, 0]);
                for other in (0..6).filter(|&other| other != face) {
                    for y in 0..i64::from(size) {
                        for x in 0..i64::from(size) {
                            let d = distance(centre(other, x, y));
                            // At a cube's corner two faces are equally near: take the face across this edge.
                            if d < closest.0 - 1e-9 || (d < closest.0 + 1e-9 && other == neighbour) {
                                closest = (d, other, [x as u32, y as u32]);
                            }
                        }
                    }
                }
                assert_eq!((neighbour, [x, y]), (closest.1, closest.2), "{face} {position:?}");
                // And back again.
                let back = (0..4).any(|side| {
                    let (x, y) = (i64::from(x), i64::from(y));
                    let step = [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]][side];
                    let outside = step.iter().any(|c| !(0..i64::from(size)).contains(c));
                    outside && cube::beyond(neighbour, step, size) == Some((face, own.map(|c| c as u32)))
                });
                assert!(back, "{face} {position:?}");
            }
        }
        assert_eq!(cube::beyond(face, [-1, 6], size), None);
        assert_eq!(cube::beyond(face, [2, 3], size), Some((face, [2, 3])));
    }
}

#[test]
fn seamless_cubes_blend_across_edges() {
    let image = ImageDescription::new(Geometry::Cube, [2, 2, 1], FLOAT);
    // Every face has its own number.
    let bytes = image.filled(|i| (i / 4) as f64);
    let sampler = Sampler { filter: Filter::Linear, seamless_cube: true, ..Sampler::default() };
    let read = |sampler: &Sampler, direction: [f32; 3]| {
        let [x, y, z] = direction;
        first(fetch(&image, &bytes[..], sampler, &at(Geometry::Cube, [x, y, z, 0.0])).unwrap())
    };
    // Just on +x's side of the edge to +z (face 4), in the middle of the edge: nearly half of each.
    let edge = read(&sampler, [1.0, 0.0, 0.9999]);
    assert!((edge - 2.0).abs() < 0.02, "{edge}");
    assert_eq!(read(&Sampler { seamless_cube: false, ..sampler }, [1.0, 0.0, 0.9999]), 0.0);
    // At the corner of +x, +y, +z: the mean of 0, 2 and 4, blended with them.
    let corner = read(&sampler, [1.0, 0.9999, 0.9998]);
    assert!((corner - 2.0).abs() < 0.02, "{corner}");
}
