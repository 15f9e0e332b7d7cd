//! Descriptions of images, samplers and tensor maps in a launch.
//!
//! In the launch format, a table describes the value of a parameter (a handle, a `.texref`, 128 bytes of a tensor map) or of a
//! global. The table has one of the keys `image`, `sampler` and `tensor_map`:
//!
//! ```toml
//! img = { image = "2d", size = [64, 32], format = "un8x4", fill = "iota", filter = "linear", address = "clamp" }
//! smp = { sampler = "linear", address = ["wrap", "clamp", "border"], border = [0, 0, 0, 1] }
//! map = { tensor_map = "x", type = "f16", dims = [64, 128], strides = [128], box = [64, 8], swizzle = "128B" }
//! ```
//!
//! **Images** (textures and surfaces). `image`: `1d 2d 3d a1d a2d cube acube 2dms a2dms`. `size`: texels, innermost first.
//! `format`: `un8 sn8 u8 s8 un16 sn16 u16 s16 u32 s32 f16 f32`, with `x2` or `x4` for two or four channels. `order`: `r a rg ra
//! rgba bgra argb intensity luminance`. `layers` (cubes for `acube`), `samples`, `levels`. `normalized`, `linear_memory`,
//! `resident`: true or false. `pitch`: bytes from row to row. Contents, one of: `fill` (a fill of the launch format, applied to
//! the stored channels), `hex`, `file`, `buffer` (the name of another parameter, whose bytes are the image's). A texture's own
//! sampler has the sampler's keys in the same table, with `filter` for its first one.
//!
//! **Samplers.** `sampler` (or `filter`): `nearest linear`. `address`: one mode or a list of up to three of `wrap mirror clamp_ogl
//! clamp_to_edge clamp_to_border`, abbreviated `clamp` and `border`. `border`: up to four numbers. `force_unnormalized`,
//! `seamless`: true or false. `mipmap_filter`, `lod_bias`, `min_lod`, `max_lod`, `anisotropy`, `compare` (`never less equal
//! less_equal greater not_equal greater_equal always`).
//!
//! **Tensor maps.** `tensor_map`: the buffer that contains the tensor, `offset` bytes (default 0) from its beginning. `type`:
//! `u8 u16 u32 s32 u64 s64 f16 f32 f32_ftz f64 bf16 tf32 tf32_ftz b4x16 b4x16_p64 b6x16_p32`. `dims`: elements, innermost
//! first. `strides`: bytes, one fewer (none: no gaps). `box` and `element_strides` (ones): as `dims`. `interleave`: `none 16B
//! 32B`. `swizzle`: `none 32B 64B 96B 128B 128B_ATOM_32B 128B_ATOM_32B_FLIP_8B 128B_ATOM_64B`. `fill`: `zeros nan`. `mode`:
//! `tiled im2col im2col_w`; for the latter two `lower_corner` and `upper_corner` (W, H, D), `pixels_per_column` and
//! `channels_per_pixel` in place of `box`.

use super::format::{ChannelOrder, ChannelType, TexelFormat};
use super::layout::{Geometry, ImageDescription, MAX_IMAGE_BYTES};
use super::sampler::{AddressMode, DepthCompare, Filter, Sampler};
use super::swizzle::Swizzle;
use super::tensor_map::{ElementType, TensorMap, TensorMapMode};

/// A value in a table of the launch format.
#[derive(Debug, Clone, PartialEq)]
pub enum TableValue {
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Number(f64),
    /// A boolean.
    Truth(bool),
    /// A string, or a bare word.
    Text(String),
    /// A list.
    List(Vec<TableValue>),
}

/// Error message for the author of a launch: why a table is invalid.
pub type Complaint = String;

/// Source of an image's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageContents {
    /// A fill of the launch format, unparsed: `zero`, `iota(1, 2)`, … For [`ImageDescription::filled`].
    Fill(String),
    /// Bytes in hexadecimal digits, unparsed.
    Hex(String),
    /// Path of a file.
    File(String),
    /// Name of another parameter whose bytes are the image's.
    Buffer(String),
}

/// An image with its sampler and the source of its bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedImage {
    /// Geometry, size and format of the image.
    pub image: ImageDescription,
    /// The texture's own sampler, which the unified mode uses.
    pub sampler: Sampler,
    /// Source of the image's bytes.
    pub contents: ImageContents,
}

/// A tensor map of a launch. Its address is not known until the buffer has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedTensorMap {
    /// Name of the parameter that contains the tensor.
    pub buffer: String,
    /// Bytes from the buffer's beginning to the tensor's.
    pub offset: u64,
    map: TensorMap,
}

impl DescribedTensorMap {
    /// Returns the map for a buffer at the address `buffer`.
    pub fn at(&self, buffer: u64) -> TensorMap {
        TensorMap { address: buffer.wrapping_add(self.offset), ..self.map }
    }
}

/// An object that a table of a launch describes.
#[derive(Debug, Clone, PartialEq)]
pub enum Described {
    /// `image = …`
    Image(Box<DescribedImage>),
    /// `sampler = …`
    Sampler(Sampler),
    /// `tensor_map = …`
    TensorMap(Box<DescribedTensorMap>),
}

/// Returns the object that a table describes; `None` if the table has none of the keys `image`, `sampler` and `tensor_map` and
/// thus describes another kind of value.
pub fn describe(table: &[(String, TableValue)]) -> Option<Result<Described, Complaint>> {
    let has = |key: &str| table.iter().any(|(name, _)| name == key);
    let mut keys = Keys { table, used: vec![false; table.len()] };
    let described = if has("image") {
        image(&mut keys).map(|image| Described::Image(Box::new(image)))
    } else if has("sampler") {
        let mut read = sampler(&mut keys);
        if let (Ok(sampler), Ok(Some(filter))) = (&mut read, keys.choice("sampler", &FILTERS)) {
            sampler.filter = filter;
        } else if read.is_ok() {
            read = Err("`sampler` is `nearest` or `linear`".to_owned());
        }
        read.map(Described::Sampler)
    } else if has("tensor_map") {
        tensor_map(&mut keys).map(|map| Described::TensorMap(Box::new(map)))
    } else {
        return None;
    };
    Some(described.and_then(|described| keys.all_used().map(|()| described)))
}

const FILTERS: [(&str, Filter); 2] = [("nearest", Filter::Nearest), ("linear", Filter::Linear)];
const ADDRESS_MODES: [(&str, AddressMode); 7] = [
    ("wrap", AddressMode::Wrap),
    ("mirror", AddressMode::Mirror),
    ("clamp_ogl", AddressMode::ClampOgl),
    ("clamp_to_edge", AddressMode::ClampToEdge),
    ("clamp_to_border", AddressMode::ClampToBorder),
    ("clamp", AddressMode::ClampToEdge),
    ("border", AddressMode::ClampToBorder),
];

fn image(keys: &mut Keys) -> Result<DescribedImage, Complaint> {
    let name = keys.text("image")?.unwrap_or_default();
    let geometry =
        Geometry::named(&name).ok_or_else(|| unknown("image", &name, Geometry::ALL.map(Geometry::name).iter()))?;
    let mut size = [1; 3];
    let dimensions = geometry.dimensions();
    let given = keys.integers("size")?.ok_or("`size` is missing: texels in each dimension, innermost first")?;
    let square = geometry.is_cube() && given.len() == 1;
    if given.len() != dimensions && !square {
        return Err(format!("`size` has {} numbers, but a `{name}` image has {dimensions} dimensions", given.len()));
    }
    for (to, from) in size.iter_mut().zip(&given) {
        *to = positive("size", *from, 1 << 24)?;
    }
    if square {
        size[1] = size[0];
    }
    if geometry.is_cube() && size[0] != size[1] {
        return Err("the faces of a cube are squares".to_owned());
    }
    let mut image = ImageDescription::new(geometry, size, format(keys)?);
    for (key, allowed, field) in [
        ("layers", geometry.is_array(), &mut image.layers),
        ("samples", geometry.is_multisample(), &mut image.samples),
        ("levels", !geometry.is_multisample(), &mut image.levels),
    ] {
        if let Some(count) = keys.integer(key)? {
            if !allowed {
                return Err(format!("a `{name}` image has no `{key}`"));
            }
            *field = positive(key, count, 1 << 16)?;
            image.mipmapped |= key == "levels";
        }
    }
    let most = 32 - size.iter().fold(0, |all, n| all | n).leading_zeros();
    if image.levels > most {
        return Err(format!("an image of that size has at most {most} `levels`"));
    }
    image.normalized_coords = keys.truth("normalized")?.unwrap_or(false);
    image.resident = keys.truth("resident")?.unwrap_or(true);
    image.linear_memory = keys.truth("linear_memory")?.unwrap_or(false);
    if let Some(pitch) = keys.integer("pitch")? {
        let pitch = positive("pitch", pitch, i64::from(i32::MAX))?;
        if u64::from(pitch) < image.packed_row_bytes(0) {
            return Err(format!("`pitch` is {pitch}, but a row has {} bytes", image.packed_row_bytes(0)));
        }
        image.row_pitch = Some(pitch);
        image.linear_memory = true;
    }
    if image.bytes() > MAX_IMAGE_BYTES {
        return Err(format!("the image has {} bytes; at most {MAX_IMAGE_BYTES} are possible", image.bytes()));
    }
    let mut contents = None;
    for (key, make) in [
        ("fill", ImageContents::Fill as fn(String) -> ImageContents),
        ("hex", ImageContents::Hex),
        ("file", ImageContents::File),
        ("buffer", ImageContents::Buffer),
    ] {
        if let Some(text) = keys.text(key)?
            && contents.replace(make(text)).is_some()
        {
            return Err("an image has one of `fill`, `hex`, `file` and `buffer`".to_owned());
        }
    }
    let contents = contents.unwrap_or_else(|| ImageContents::Fill("zero".to_owned()));
    Ok(DescribedImage { image, sampler: sampler(keys)?, contents })
}

fn format(keys: &mut Keys) -> Result<TexelFormat, Complaint> {
    let text = keys.text("format")?.ok_or("`format` is missing: `f32`, `un8x4`, …")?;
    let (channel, channels) = match text.split_once('x') {
        Some((channel, count)) => (channel, count.parse().ok()),
        None => (text.as_str(), Some(1)),
    };
    let channel = ChannelType::ALL
        .into_iter()
        .find(|c| c.name() == channel)
        .ok_or_else(|| unknown("format", &text, ChannelType::ALL.map(ChannelType::name).iter()))?;
    let order = channels
        .and_then(ChannelOrder::of_channels)
        .ok_or_else(|| format!("`format` is `{text}`, but a texel has 1, 2 or 4 channels"))?;
    let named = keys.choice("order", &ChannelOrder::ALL.map(|order| (order.name(), order)))?;
    match named {
        Some(named) if named.channels() != order.channels() => {
            Err(format!("`order` names {} channels, but `{text}` has {}", named.channels(), order.channels()))
        }
        named => Ok(TexelFormat { channel, order: named.unwrap_or(order) }),
    }
}

fn sampler(keys: &mut Keys) -> Result<Sampler, Complaint> {
    let mut sampler = Sampler::default();
    if let Some(filter) = keys.choice("filter", &FILTERS)? {
        sampler.filter = filter;
    }
    if let Some(filter) = keys.choice("mipmap_filter", &FILTERS)? {
        sampler.mipmap_filter = filter;
    }
    if let Some(compare) = keys.choice("compare", &DepthCompare::NAMES)? {
        sampler.compare = compare;
    }
    if let Some(modes) = keys.take("address") {
        let list = match modes {
            TableValue::List(list) => list.as_slice(),
            one => std::slice::from_ref(one),
        };
        if list.is_empty() || list.len() > 3 {
            return Err("`address` is a mode, or a list of up to three".to_owned());
        }
        for (d, slot) in sampler.address.iter_mut().enumerate() {
            // A single mode applies to every dimension; after a list of two modes the third keeps its default.
            let value = if list.len() == 1 { list.first() } else { list.get(d) };
            if let Some(value) = value {
                *slot = chosen("address", value, &ADDRESS_MODES)?;
            }
        }
    }
    if let Some(border) = keys.numbers("border")? {
        if border.len() > 4 {
            return Err("`border` has at most four numbers".to_owned());
        }
        sampler.border.iter_mut().zip(border).for_each(|(to, from)| *to = from as f32);
    }
    for (key, field) in
        [("lod_bias", &mut sampler.lod_bias), ("min_lod", &mut sampler.min_lod), ("max_lod", &mut sampler.max_lod)]
    {
        if let Some(numbers) = keys.numbers(key)? {
            let [number] = numbers[..] else { return Err(format!("`{key}` is a number")) };
            *field = number as f32;
        }
    }
    if let Some(ratio) = keys.integer("anisotropy")? {
        sampler.max_anisotropy = positive("anisotropy", ratio, 16)?;
    }
    sampler.force_unnormalized_coords = keys.truth("force_unnormalized")?.unwrap_or(false);
    sampler.seamless_cube = keys.truth("seamless")?.unwrap_or(false);
    Ok(sampler)
}

fn tensor_map(keys: &mut Keys) -> Result<DescribedTensorMap, Complaint> {
    let buffer = keys.text("tensor_map")?.ok_or("`tensor_map` names a buffer")?;
    let element = keys.choice("type", &ElementType::NAMES)?.ok_or("`type` is missing: `f32`, `f16`, …")?;
    let offset = keys.integer("offset")?.unwrap_or(0);
    let offset = u64::try_from(offset).map_err(|_| "`offset` is negative".to_owned())?;
    let sizes: Vec<u64> = keys
        .integers("dims")?
        .ok_or("`dims` is missing: elements in each dimension, innermost first")?
        .into_iter()
        .map(|size| {
            u64::try_from(size).ok().filter(|s| (1..=1 << 32).contains(s)).ok_or("`dims` are 1 to 2^32".to_owned())
        })
        .collect::<Result<_, _>>()?;
    if !(1..=5).contains(&sizes.len()) {
        return Err("a tensor has 1 to 5 `dims`".to_owned());
    }
    let rank = sizes.len();
    let strides = match keys.integers("strides")? {
        Some(strides) if strides.len() + 1 == rank => strides
            .into_iter()
            .map(|stride| u64::try_from(stride).map_err(|_| "`strides` are bytes, and not negative".to_owned()))
            .collect::<Result<_, _>>()?,
        Some(strides) => {
            return Err(format!(
                "`strides` has {} numbers; {rank} dimensions have {}: none for the innermost",
                strides.len(),
                rank - 1
            ));
        }
        None => dense_strides(element, &sizes),
    };
    let mode = keys
        .choice(
            "mode",
            &[
                ("tiled", TensorMapMode::Tiled),
                ("im2col", TensorMapMode::Im2col),
                ("im2col_w", TensorMapMode::Im2colWide),
            ],
        )?
        .unwrap_or_default();
    let box_sizes = match (keys.integers("box")?, mode) {
        (Some(list), TensorMapMode::Tiled) if list.len() == rank => {
            list.into_iter().map(|n| positive("box", n, 256)).collect::<Result<Vec<_>, _>>()?
        }
        (Some(list), TensorMapMode::Tiled) => {
            return Err(format!("`box` has {} numbers, but `dims` has {rank}", list.len()));
        }
        (None, TensorMapMode::Tiled) => {
            return Err("`box` is missing: elements in each dimension, innermost first".to_owned());
        }
        (Some(_), _) => {
            return Err("im2col has `pixels_per_column` and `channels_per_pixel` in place of `box`".to_owned());
        }
        (None, _) => vec![1; rank],
    };
    let mut map = TensorMap::tiled(element, 0, &sizes, &strides, &box_sizes);
    map.mode = mode;
    if let Some(list) = keys.integers("element_strides")? {
        if list.len() != rank {
            return Err(format!("`element_strides` has {} numbers, but `dims` has {rank}", list.len()));
        }
        for (to, from) in map.element_strides.iter_mut().zip(list) {
            *to = positive("element_strides", from, 8)? as u16;
        }
    }
    if let Some(number) = keys.choice("interleave", &[("none", 0), ("16B", 1), ("32B", 2)])? {
        map.interleave = number;
    }
    if let Some(swizzle) = keys.choice("swizzle", &Swizzle::ALL.map(|s| (s.name(), s)))? {
        map.set_swizzle(swizzle);
    }
    if let Some(number) = keys.choice("fill", &[("zeros", 0), ("zero", 0), ("nan", 1)])? {
        map.fill = number;
    }
    if mode != TensorMapMode::Tiled {
        for (key, most, field) in [
            ("pixels_per_column", 1024, &mut map.pixels_per_column),
            ("channels_per_pixel", 256, &mut map.channels_per_pixel),
        ] {
            let count = keys.integer(key)?.ok_or_else(|| format!("`{key}` is missing"))?;
            *field = positive(key, count, most)? as u16;
        }
        for (key, corner) in [("lower_corner", &mut map.lower_corner), ("upper_corner", &mut map.upper_corner)] {
            let list = keys.integers(key)?.unwrap_or_default();
            if list.len() > 3 {
                return Err(format!("`{key}` has up to three numbers: W, H, D"));
            }
            for (to, from) in corner.iter_mut().zip(list) {
                *to = i16::try_from(from).map_err(|_| format!("`{key}` has 16 bits"))?;
            }
        }
    }
    // Buffers are sufficiently aligned, so only the offset can break the alignment.
    if let Some(field) = (TensorMap { address: offset, ..map }).problem() {
        return Err(format!("no copy can use this tensor map: `{field}` does not fit the other fields"));
    }
    Ok(DescribedTensorMap { buffer, offset, map })
}

fn dense_strides(element: ElementType, sizes: &[u64]) -> Vec<u64> {
    let mut bytes = sizes.first().copied().unwrap_or(1).saturating_mul(u64::from(element.bits())) / 8;
    let mut strides = Vec::new();
    for size in sizes.iter().skip(1) {
        strides.push(bytes);
        bytes = bytes.saturating_mul(*size);
    }
    strides
}

fn positive(key: &str, value: i64, most: i64) -> Result<u32, Complaint> {
    u32::try_from(value)
        .ok()
        .filter(|&value| value >= 1 && i64::from(value) <= most)
        .ok_or_else(|| format!("`{key}` is {value}, but 1 to {most} are possible"))
}

fn unknown<'a>(key: &str, value: &str, names: impl Iterator<Item = &'a &'a str>) -> Complaint {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    format!("`{key}` is `{value}`, but must be one of {}", names.join(", "))
}

fn chosen<T: Copy>(key: &str, value: &TableValue, choices: &[(&str, T)]) -> Result<T, Complaint> {
    let TableValue::Text(text) = value else { return Err(format!("`{key}` is a name")) };
    let found = choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.map(|(_, choice)| *choice).ok_or_else(|| unknown(key, text, choices.iter().map(|(name, _)| name)))
}

/// A table that records which keys were read, so that unknown keys can be reported.
struct Keys<'a> {
    table: &'a [(String, TableValue)],
    used: Vec<bool>,
}

impl<'a> Keys<'a> {
    fn take(&mut self, key: &str) -> Option<&'a TableValue> {
        let mut value = None;
        for ((name, entry), used) in self.table.iter().zip(&mut self.used) {
            if name == key {
                *used = true;
                value = value.or(Some(entry));
            }
        }
        value
    }

    fn all_used(&self) -> Result<(), Complaint> {
        match self.table.iter().zip(&self.used).find(|(_, used)| !**used) {
            Some(((name, _), _)) => Err(format!("`{name}` means nothing here")),
            None => Ok(()),
        }
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, Complaint> {
        match self.take(key) {
            None => Ok(None),
            Some(TableValue::Text(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("`{key}` is a string")),
        }
    }

    fn truth(&mut self, key: &str) -> Result<Option<bool>, Complaint> {
        match self.take(key) {
            None => Ok(None),
            Some(TableValue::Truth(truth)) => Ok(Some(*truth)),
            Some(TableValue::Integer(number @ (0 | 1))) => Ok(Some(*number == 1)),
            Some(TableValue::Text(text)) if text == "true" || text == "false" => Ok(Some(text == "true")),
            Some(_) => Err(format!("`{key}` is true or false")),
        }
    }

    fn integer(&mut self, key: &str) -> Result<Option<i64>, Complaint> {
        match self.take(key) {
            None => Ok(None),
            Some(TableValue::Integer(number)) => Ok(Some(*number)),
            Some(_) => Err(format!("`{key}` is a whole number")),
        }
    }

    /// Reads a key whose value is one number or a list of numbers.
    fn integers(&mut self, key: &str) -> Result<Option<Vec<i64>>, Complaint> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let one = |value: &TableValue| match value {
            TableValue::Integer(number) => Ok(*number),
            _ => Err(format!("`{key}` is made of whole numbers")),
        };
        match value {
            TableValue::List(list) => list.iter().map(one).collect::<Result<_, _>>().map(Some),
            value => Ok(Some(vec![one(value)?])),
        }
    }

    /// Reads a key whose value is one number or a list of numbers.
    fn numbers(&mut self, key: &str) -> Result<Option<Vec<f64>>, Complaint> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let one = |value: &TableValue| match value {
            TableValue::Integer(number) => Ok(*number as f64),
            TableValue::Number(number) => Ok(*number),
            _ => Err(format!("`{key}` is made of numbers")),
        };
        match value {
            TableValue::List(list) => list.iter().map(one).collect::<Result<_, _>>().map(Some),
            value => Ok(Some(vec![one(value)?])),
        }
    }

    fn choice<T: Copy>(&mut self, key: &str, choices: &[(&str, T)]) -> Result<Option<T>, Complaint> {
        self.take(key).map(|value| chosen(key, value, choices)).transpose()
    }
}
