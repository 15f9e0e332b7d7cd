use crate::image::fields::{named_value, set};
use crate::image::format::{ChannelOrder, ChannelType, TexelFormat};
use crate::image::layout::{Geometry, ImageDescription};
use crate::image::query::{Query, answer};
use crate::image::sampler::{AddressMode, Filter, Sampler};
use crate::image::surface::{
    CoordinateUnit, Outside, SurfaceAccess, SurfaceLocation, SurfaceReduction, locate, reduce, reduces_signed,
};
use crate::image::{Bindings, Image, ImageFault, Opaque, Texels};

fn image(geometry: Geometry, size: [u32; 3], layers: u32) -> ImageDescription {
    let format = TexelFormat { channel: ChannelType::Uint16, order: ChannelOrder::Rg };
    ImageDescription { layers, ..ImageDescription::new(geometry, size, format) }
}

/// Every byte cell of an image in memory order, as (layer, z, y, byte x): the reference for offsets.
fn cells(image: &ImageDescription) -> Vec<[i64; 4]> {
    let mut all = Vec::new();
    for layer in 0..i64::from(image.planes()) {
        for z in 0..i64::from(image.size[2]) {
            for y in 0..i64::from(image.size[1]) {
                for x in 0..i64::from(image.size[0]) * 4 {
                    all.push([layer, z, y, x]);
                }
            }
        }
    }
    all
}

#[test]
fn accesses_go_where_counting_says() {
    let shapes = [
        (Geometry::D1, Geometry::D1, [5, 1, 1], 1),
        (Geometry::D2, Geometry::D2, [5, 3, 1], 1),
        (Geometry::D3, Geometry::D3, [4, 3, 2], 1),
        (Geometry::A1d, Geometry::A1d, [5, 1, 1], 3),
        (Geometry::A2d, Geometry::A2d, [4, 3, 1], 2),
        (Geometry::A2d, Geometry::Acube, [2, 2, 1], 2),
        (Geometry::A2d, Geometry::Cube, [2, 2, 1], 1),
    ];
    for (instruction, geometry, size, layers) in shapes {
        let image = image(geometry, size, layers);
        let all = cells(&image);
        let (dimensions, array) = (instruction.dimensions(), instruction.is_array());
        for access_size in [1_i64, 2, 4, 8, 16] {
            for layer in 0..=i64::from(image.planes()) {
                for z in -1..=i64::from(size[2]) {
                    for y in -1..=i64::from(size[1]) {
                        for x in (-16..=i64::from(size[0]) * 4 + 16).step_by(access_size as usize) {
                            // Registers that the geometry does not use must have no effect.
                            let (y_used, z_used) = (dimensions > 1, dimensions > 2);
                            let position = [x as u32, y as u32, z as u32];
                            let coordinates = if array {
                                [layer as u32, position[0], position[1], position[2]]
                            } else {
                                [position[0], position[1], position[2], layer as u32]
                            };
                            let nearest = |value: i64, extent: i64| value.clamp(0, extent - 1);
                            let last_x = i64::from(size[0]) * 4 / access_size * access_size - access_size;
                            let wanted = [
                                if array { layer } else { 0 },
                                if z_used { z } else { 0 },
                                if y_used { y } else { 0 },
                                x,
                            ];
                            let there = [
                                nearest(wanted[0], i64::from(image.planes())),
                                nearest(wanted[1], i64::from(size[2])),
                                nearest(wanted[2], i64::from(size[1])),
                                x.clamp(0, last_x.max(0)),
                            ];
                            let at = |outside| {
                                let unit = CoordinateUnit::Bytes;
                                locate(
                                    &image,
                                    &SurfaceAccess {
                                        geometry: instruction,
                                        coordinates,
                                        size: access_size as u32,
                                        unit,
                                        outside,
                                    },
                                )
                            };
                            let offset = all.iter().position(|cell| *cell == there).unwrap() as u64;
                            if last_x < 0 {
                                assert!(at(Outside::Trap).is_err() && at(Outside::Clamp).is_err());
                                continue;
                            }
                            assert_eq!(at(Outside::Clamp), Ok(SurfaceLocation::Inside(offset)));
                            let inside = wanted == there;
                            assert_eq!(
                                at(Outside::Zero),
                                Ok(if inside { SurfaceLocation::Inside(offset) } else { SurfaceLocation::Nowhere })
                            );
                            assert_eq!(at(Outside::Trap).is_ok(), inside);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn units_alignment_and_geometry() {
    let image = image(Geometry::D2, [8, 4, 1], 1);
    let access = |unit, x: i32, size| SurfaceAccess {
        geometry: Geometry::D2,
        coordinates: [x as u32, 1, 99, 99],
        size,
        unit,
        outside: Outside::Trap,
    };
    assert_eq!(locate(&image, &access(CoordinateUnit::Texels, 3, 4)), Ok(SurfaceLocation::Inside(32 + 12)));
    assert_eq!(locate(&image, &access(CoordinateUnit::Values, 3, 8)), Ok(SurfaceLocation::Inside(32 + 24)));
    assert_eq!(locate(&image, &access(CoordinateUnit::Bytes, 12, 4)), Ok(SurfaceLocation::Inside(32 + 12)));
    assert_eq!(
        locate(&image, &access(CoordinateUnit::Bytes, 6, 4)),
        Err(ImageFault::Misaligned { coordinate: 6, size: 4 })
    );
    assert_eq!(
        locate(&image, &access(CoordinateUnit::Texels, 8, 4)),
        Err(ImageFault::OutOfBounds { dimension: 0, coordinate: 8 })
    );
    let wrong = SurfaceAccess { geometry: Geometry::D3, ..access(CoordinateUnit::Bytes, 0, 4) };
    assert!(matches!(locate(&image, &wrong), Err(ImageFault::Geometry { .. })));
    let pitched = ImageDescription { row_pitch: Some(64), ..image };
    assert_eq!(locate(&pitched, &access(CoordinateUnit::Bytes, 12, 4)), Ok(SurfaceLocation::Inside(64 + 12)));
    // The gap after a row is not part of the surface.
    assert!(locate(&pitched, &access(CoordinateUnit::Bytes, 32, 4)).is_err());
}

#[test]
fn reductions() {
    let minus = |n: i64| (-n) as u64;
    assert_eq!(reduce(SurfaceReduction::Add, false, 4, 0xffff_ffff, 2), 1);
    assert_eq!(reduce(SurfaceReduction::Min, true, 4, 3, minus(2)), 0xffff_fffe);
    assert_eq!(reduce(SurfaceReduction::Min, false, 4, 3, minus(2)), 3);
    assert_eq!(reduce(SurfaceReduction::Max, true, 4, 3, minus(2)), 3);
    assert_eq!(reduce(SurfaceReduction::Max, false, 8, 3, minus(2)), minus(2));
    assert_eq!(reduce(SurfaceReduction::Max, true, 8, minus(3), minus(2)), minus(2));
    assert_eq!(reduce(SurfaceReduction::And, false, 4, 0xff00_ff00_ff00, 0x0ff0_0ff0), 0x0f00_0f00);
    assert_eq!(reduce(SurfaceReduction::Or, false, 4, 1, 6), 7);
    let format = |channel| TexelFormat { channel, order: ChannelOrder::R };
    assert_eq!(reduces_signed(format(ChannelType::Sint32)), Ok(true));
    assert_eq!(reduces_signed(format(ChannelType::Uint32)), Ok(false));
    assert_eq!(reduces_signed(format(ChannelType::Float)), Err(ImageFault::Format));
}

#[test]
fn queries() {
    let mut image = image(Geometry::A2d, [20, 7, 1], 5);
    image.levels = 4;
    image.mipmapped = true;
    image.normalized_coords = true;
    let sampler = Sampler {
        filter: Filter::Linear,
        address: [AddressMode::Wrap, AddressMode::ClampToBorder, AddressMode::Mirror],
        ..Sampler::default()
    };
    let ask = |name: &str, level| answer(Query::named(name).unwrap(), &image, &sampler, level);
    let expected = [
        ("width", 20),
        ("height", 7),
        ("depth", 0),
        ("channel_data_type", 0x10db),
        ("channel_order", 0x10b2),
        ("normalized_coords", 1),
        ("array_size", 5),
        ("num_mipmap_levels", 4),
        ("num_samples", 0),
        ("memory_layout", 0),
        ("filter_mode", 1),
        ("addr_mode_0", 0),
        ("addr_mode_1", 4),
        ("addr_mode_2", 1),
        ("force_unnormalized_coords", 0),
    ];
    for (name, value) in expected {
        assert_eq!(ask(name, 0), value, "{name}");
    }
    assert_eq!([ask("width", 2), ask("height", 3), ask("height", 99), ask("width", -1)], [5, 1, 1, 20]);
}

#[test]
fn bytes_outside_of_memory_stay_zero() {
    let mut into = [7; 4];
    [1_u8, 2][..].read(1, &mut into);
    assert_eq!(into, [2, 7, 7, 7]);
    [1_u8, 2][..].read(u64::MAX, &mut into);
    assert_eq!(into, [2, 7, 7, 7]);
}

#[test]
fn what_an_initialiser_sets_a_query_tells() {
    let mut image = image(Geometry::A2dms, [1, 1, 1], 1);
    image.mipmapped = true;
    let mut sampler = Sampler::default();
    let values = [
        ("width", 9),
        ("height", 8),
        ("channel_data_type", 0x10d2),
        ("channel_order", 0x10b5),
        ("normalized_coords", 1),
        ("array_size", 4),
        ("num_mipmap_levels", 2),
        ("num_samples", 8),
        ("memory_layout", 1),
        ("filter_mode", named_value("linear").unwrap()),
        ("addr_mode_0", named_value("mirror").unwrap()),
        ("addr_mode_1", named_value("clamp_ogl").unwrap()),
        ("addr_mode_2", named_value("clamp_to_border").unwrap()),
        ("force_unnormalized_coords", 1),
    ];
    for (field, value) in values {
        let query = Query::named(field).unwrap();
        assert_ne!(answer(query, &image, &sampler, 0), value, "{field}");
        assert!(set(&mut image, &mut sampler, field, value), "{field}");
        assert_eq!(answer(query, &image, &sampler, 0), value, "{field}");
    }
    let before = (image.clone(), sampler);
    for (field, value) in
        [("colour", 1), ("addr_mode_0", 5), ("filter_mode", 2), ("channel_order", 7), ("addr_mode_3", 0)]
    {
        assert!(!set(&mut image, &mut sampler, field, value), "{field}");
    }
    assert_eq!((image, sampler), before);
    assert_eq!(named_value("cubic"), None);
}

#[test]
fn handles_share_images_and_clones_do_not() {
    let description = image(Geometry::D1, [2, 1, 1], 1);
    let mut bindings = Bindings::default();
    let id = bindings.add_image(Image { bytes: vec![1; 8], description });
    bindings.bind(0x100, Opaque::Texture(id, Sampler::default()));
    bindings.bind(0x200, Opaque::Surface(id));
    let snapshot = bindings.clone();
    let Some(&Opaque::Surface(surface)) = bindings.get(0x200) else { panic!() };
    bindings.image_mut(surface).unwrap().bytes[3] = 9;
    let Some(&Opaque::Texture(texture, _)) = bindings.get(0x100) else { panic!() };
    assert_eq!(bindings.image(texture).unwrap().bytes[3], 9);
    assert_eq!(snapshot.image(texture).unwrap().bytes[3], 1);
    assert_eq!(bindings.get(0x300), None);
}
