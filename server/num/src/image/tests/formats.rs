use super::ImageNumbers;
use crate::image::format::{ChannelOrder, ChannelType, TexelFormat, half_to_f32};
use crate::values::Marks;
use crate::values::convert::quick::f16_from_f32;
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert};

fn one(channel: ChannelType) -> TexelFormat {
    TexelFormat { channel, order: ChannelOrder::R }
}

fn read(channel: ChannelType, raw: u32) -> u32 {
    let mut texel = [0xa5; 16];
    texel[..4].copy_from_slice(&raw.to_le_bytes());
    one(channel).decode(texel).bits[0]
}

#[test]
fn halves_agree_with_another_implementation() {
    let mut lost = false;
    for bits in 0..=u16::MAX {
        let wide: Single = Half::from_bits(u128::from(bits)).convert(&mut lost).value;
        let ours = half_to_f32(bits);
        if f32::from_bits(ours).is_nan() {
            assert!(wide.is_nan(), "{bits:#x}");
        } else {
            assert_eq!(u128::from(ours), wide.to_bits(), "{bits:#x}");
        }
    }
    let mut numbers = ImageNumbers::new(1);
    let edges =
        [0x3300_0000, 0x3300_0001, 0x3280_0000, 0x3380_0000, 0x387f_e000, 0x387f_f000, 0x477f_efff, 0x477f_f000];
    let random = (0..200_000).map(|_| numbers.next() as u32);
    // Values around the smallest and largest halves, the hardest cases of rounding.
    let dense = (0x3280_0000..0x3900_0000).step_by(977).chain((0x4770_0000..0x4790_0000).step_by(13));
    for bits in edges.into_iter().chain(random).chain(dense) {
        for bits in [bits, bits | 0x8000_0000] {
            let narrow: Half = Single::from_bits(u128::from(bits)).convert(&mut lost).value;
            let expected = if narrow.is_nan() { 0x7fff } else { narrow.to_bits() };
            assert_eq!(u128::from(f16_from_f32(bits)), expected, "{bits:#x}");
        }
    }
}

/// Whether `bits` is the float nearest to `numerator / denominator`, compared with its neighbours in whole numbers.
fn is_nearest(bits: u32, numerator: i128, denominator: i128) -> bool {
    let error = |bits: u32| {
        // value · 2^60, exact for the values here (at most 1, at least 2^-17 apart from zero).
        let scaled = f64::from(f32::from_bits(bits)) * (1_u64 << 60) as f64;
        (scaled as i128 * denominator - (numerator << 60)).abs()
    };
    error(bits) <= error(bits.wrapping_add(1)) && (bits == 0 || error(bits) <= error(bits.wrapping_sub(1)))
}

#[test]
fn normalised_channels_are_the_nearest_fractions() {
    for raw in 0..=255_u32 {
        assert!(is_nearest(read(ChannelType::Unorm8, raw), i128::from(raw), 255));
        let signed = i128::from(raw as u8 as i8).max(-127);
        assert!(is_nearest(read(ChannelType::Snorm8, raw), signed, 127), "{raw}");
    }
    for raw in (0..=0xffff_u32).step_by(7).chain([0x7fff, 0x8000, 0xffff]) {
        assert!(is_nearest(read(ChannelType::Unorm16, raw), i128::from(raw), 65535));
        assert!(is_nearest(read(ChannelType::Snorm16, raw), i128::from(raw as u16 as i16).max(-32767), 32767));
    }
    assert_eq!(read(ChannelType::Snorm8, 0x80), (-1.0_f32).to_bits());
    assert_eq!(read(ChannelType::Sint8, 0x80), -128_i32 as u32);
    assert_eq!(read(ChannelType::Uint16, 0x1_fffe), 0xfffe);
}

#[test]
fn what_is_stored_reads_back() {
    for channel in ChannelType::ALL {
        let limit = 1_u64 << (8 * channel.bytes().min(2));
        for raw in (0..limit).step_by(if limit > 256 { 11 } else { 1 }) {
            let raw = raw as u32;
            let bits = read(channel, raw);
            let (texel, marks) = one(channel).encode(&[bits, 1, 2, 3]);
            let stored = u32::from_le_bytes(texel[..4].try_into().unwrap());
            if channel == ChannelType::Half && f32::from_bits(bits).is_nan() {
                assert!(marks.contains(Marks::UNSPECIFIED) && stored == 0x7fff);
                continue;
            }
            // The two most negative values decode to −1.0; the encoder stores the greater of them.
            let twin = matches!(channel, ChannelType::Snorm8 | ChannelType::Snorm16) && u64::from(raw) == limit / 2;
            assert_eq!(stored, raw + u32::from(twin), "{channel:?} {raw:#x}");
            assert_eq!(marks, Marks::NONE);
        }
    }
}

#[test]
fn storing_clamps_and_marks() {
    let store = |channel, bits: u32| {
        let (texel, marks) = one(channel).encode(&[bits]);
        (u32::from_le_bytes(texel[..4].try_into().unwrap()), marks)
    };
    assert_eq!(store(ChannelType::Unorm8, 2.0_f32.to_bits()), (255, Marks::NONE));
    assert_eq!(store(ChannelType::Unorm8, (-2.0_f32).to_bits()), (0, Marks::NONE));
    assert_eq!(store(ChannelType::Unorm8, 0.5_f32.to_bits()), (128, Marks::NONE));
    assert_eq!(store(ChannelType::Snorm16, f32::NEG_INFINITY.to_bits()), (0x8001, Marks::NONE));
    assert_eq!(store(ChannelType::Unorm16, 0x7fc0_0000), (0, Marks::UNSPECIFIED));
    assert_eq!(store(ChannelType::Uint8, 256), (255, Marks::UNSPECIFIED));
    assert_eq!(store(ChannelType::Sint8, -129_i32 as u32), (0x80, Marks::UNSPECIFIED));
    assert_eq!(store(ChannelType::Sint16, -5_i32 as u32), (0xfffb, Marks::NONE));
}

#[test]
fn orders_put_channels_where_they_belong() {
    let texel = [10, 20, 30, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let expected = [
        (ChannelOrder::R, [10, 0, 0, 1]),
        (ChannelOrder::A, [0, 0, 0, 10]),
        (ChannelOrder::Rg, [10, 20, 0, 1]),
        (ChannelOrder::Ra, [10, 0, 0, 20]),
        (ChannelOrder::Rgba, [10, 20, 30, 40]),
        (ChannelOrder::Bgra, [30, 20, 10, 40]),
        (ChannelOrder::Argb, [20, 30, 40, 10]),
        (ChannelOrder::Intensity, [10, 10, 10, 10]),
        (ChannelOrder::Luminance, [10, 10, 10, 1]),
    ];
    for (order, components) in expected {
        let format = TexelFormat { channel: ChannelType::Uint8, order };
        assert_eq!(format.decode(texel).bits, components, "{order:?}");
        let (stored, marks) = format.encode(&components);
        assert_eq!(stored[..format.bytes() as usize], texel[..format.bytes() as usize], "{order:?}");
        assert_eq!(marks, Marks::NONE);
        // One register too few leaves a channel of the texel unspecified.
        let last = components.iter().rposition(|&c| c >= 10).unwrap();
        let needed = format.encode(&components[..last]).1;
        assert_eq!(
            needed == Marks::NONE,
            matches!(order, ChannelOrder::Intensity | ChannelOrder::Luminance),
            "{order:?}"
        );
    }
}
