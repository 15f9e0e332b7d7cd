use crate::image::description::{Described, ImageContents, TableValue, describe};
use crate::image::format::{ChannelOrder, ChannelType};
use crate::image::layout::Geometry;
use crate::image::sampler::{AddressMode, Filter};
use crate::image::swizzle::Swizzle;
use crate::image::tensor_map::{ElementType, TensorMap, TensorMapMode};

/// Parses text like `key=value` into a table, as the reader of launches does.
fn table(text: &str) -> Vec<(String, TableValue)> {
    let value = |text: &str| match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(number), _) => TableValue::Integer(number),
        (_, Ok(number)) if text.contains('.') => TableValue::Number(number),
        _ if text == "true" || text == "false" => TableValue::Truth(text == "true"),
        _ => TableValue::Text(text.to_owned()),
    };
    text.split_whitespace()
        .map(|pair| {
            let (key, text) = pair.split_once('=').unwrap();
            let read = match text.strip_prefix('[') {
                Some(list) => TableValue::List(list.trim_end_matches(']').split(',').map(value).collect()),
                None => value(text),
            };
            (key.to_owned(), read)
        })
        .collect()
}

fn of(text: &str) -> Result<Described, String> {
    describe(&table(text)).unwrap()
}

#[test]
fn an_image_with_its_sampler() {
    let text = "image=2d size=[64,32] format=un8x4 order=bgra fill=iota filter=linear address=[wrap,border] normalized=true levels=7 max_lod=3.5";
    let Ok(Described::Image(described)) = of(text) else { panic!() };
    let image = &described.image;
    assert_eq!((image.geometry, image.size, image.levels), (Geometry::D2, [64, 32, 1], 7));
    assert_eq!((image.format.channel, image.format.order), (ChannelType::Unorm8, ChannelOrder::Bgra));
    assert!(image.normalized_coords && image.mipmapped && !image.linear_memory);
    assert_eq!(described.contents, ImageContents::Fill("iota".to_owned()));
    assert_eq!(described.sampler.filter, Filter::Linear);
    assert_eq!(described.sampler.address, [AddressMode::Wrap, AddressMode::ClampToBorder, AddressMode::ClampToEdge]);
    assert_eq!(described.sampler.max_lod, 3.5);
    // 64·32 + 32·16 + 16·8 + 8·4 + 4·2 + 2·1 + 1·1 texels.
    assert_eq!(image.bytes(), (2048 + 512 + 128 + 32 + 8 + 2 + 1) * 4);
}

#[test]
fn a_sampler_alone() {
    let Ok(Described::Sampler(sampler)) = of("sampler=linear address=mirror border=[0,0.5,0,1] force_unnormalized=1")
    else {
        panic!()
    };
    assert_eq!((sampler.filter, sampler.address), (Filter::Linear, [AddressMode::Mirror; 3]));
    assert_eq!(sampler.border, [0.0, 0.5, 0.0, 1.0]);
    assert!(sampler.force_unnormalized_coords);
}

#[test]
fn a_tensor_map() {
    let text = "tensor_map=x type=f16 dims=[64,128] box=[64,8] swizzle=128b fill=nan offset=256";
    let Ok(Described::TensorMap(map)) = of(text) else { panic!() };
    assert_eq!(map.buffer, "x");
    let mut expected = TensorMap::tiled(ElementType::F16, 0x1100, &[64, 128], &[128], &[64, 8]);
    expected.set_swizzle(Swizzle::B128);
    expected.fill = 1;
    assert_eq!(map.at(0x1000), expected);
    let text = "tensor_map=x type=f16 dims=[64,9,14,64] mode=im2col pixels_per_column=64 channels_per_pixel=8 lower_corner=[-1,-1] upper_corner=[-1,-1]";
    let Ok(Described::TensorMap(map)) = of(text) else { panic!() };
    let map = map.at(0);
    assert_eq!((map.mode, map.lower_corner, map.upper_corner), (TensorMapMode::Im2col, [-1, -1, 0], [-1, -1, 0]));
    assert_eq!(map.strides, [128, 1152, 16128, 0]);
}

#[test]
fn other_tables_are_not_ours() {
    assert!(describe(&table("type=f32 len=64 fill=iota")).is_none());
}

#[test]
fn complaints_say_what_is_wrong() {
    let complaints = [
        ("image=4d size=[1] format=f32", "`image` is `4d`"),
        ("image=2d format=f32", "`size` is missing"),
        ("image=2d size=[4] format=f32", "has 2 dimensions"),
        ("image=2d size=[4,0] format=f32", "`size` is 0"),
        ("image=2d size=[4,4]", "`format` is missing"),
        ("image=2d size=[4,4] format=f64", "`format` is `f64`"),
        ("image=2d size=[4,4] format=f32x3", "1, 2 or 4 channels"),
        ("image=2d size=[4,4] format=f32 order=rgba", "names 4 channels"),
        ("image=2d size=[4,4] format=f32 layers=2", "has no `layers`"),
        ("image=2d size=[4,4] format=f32 levels=4", "at most 3 `levels`"),
        ("image=2d size=[4,4] format=f32 pitch=8", "a row has 16 bytes"),
        ("image=cube size=[4,2] format=f32", "squares"),
        ("image=3d size=[4096,4096,4096] format=f32", "at most 2147483648"),
        ("image=2d size=[4,4] format=f32 fill=zero hex=ab", "one of `fill`"),
        ("image=2d size=[4,4] format=f32 colour=red", "`colour` means nothing here"),
        ("image=2d size=[4,4] format=f32 filter=cubic", "`filter` is `cubic`"),
        ("sampler=cubic", "`nearest` or `linear`"),
        ("tensor_map=x dims=[16] box=[16]", "`type` is missing"),
        ("tensor_map=x type=f16 dims=[16,4] strides=[32,64] box=[16,4]", "`strides` has 2"),
        ("tensor_map=x type=f16 dims=[16,4] strides=[24] box=[16,4]", "`global_stride`"),
        ("tensor_map=x type=f16 dims=[16,4] box=[16]", "`box` has 1"),
        ("tensor_map=x type=f16 dims=[16,4] box=[4,4]", "`box_dim`"),
        ("tensor_map=x type=f16 dims=[16,4] box=[16,300]", "1 to 256"),
        ("tensor_map=x type=u8 dims=[16,4] box=[16,4] fill=nan", "`fill_mode`"),
        ("tensor_map=x type=u8 dims=[16,4] box=[16,4] offset=8", "`global_address`"),
        ("tensor_map=x type=f16 dims=[64,9,14] mode=im2col pixels_per_column=8", "`channels_per_pixel` is missing"),
    ];
    for (text, part) in complaints {
        match of(text) {
            Err(complaint) => assert!(complaint.contains(part), "{text}: {complaint}"),
            Ok(described) => panic!("{text}: {described:?}"),
        }
    }
}
