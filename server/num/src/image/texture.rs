//! `tex` and `tld4`: reading textures.
//!
//! Measured with `ptxas` 13.x for sm_90 (disassembly). Integer coordinates become `TLD`, which names no sampler: nothing is
//! filtered, normalised or clamped. Float coordinates become `TEX` with level 0 unless the instruction names a level. The layer
//! of an array is clamped to 65535 before the `TEX`. The result type matters only for `.f16` and `.f16x2`.

use super::format::Components;
use super::layout::{Geometry, ImageDescription, TexelPosition, Texels};
use super::sampler::{Axis, Filter, Sampler, axis};
use super::{ImageFault, cube};
use crate::math;
use crate::values::Marks;
use crate::values::convert::quick::{DOWN, f16_from_f32, integral_f64};
use crate::values::float::single;

/// The coordinates of `tex`: the registers of its list in their order, as bits.
///
/// `.1d {x}`, `.2d {x, y}`, `.3d {x, y, z}`, `.a1d {layer, x}`, `.a2d {layer, x, y}`, `.cube {s, t, r}`, `.acube {layer, s, t,
/// r}`, `.2dms {sample, x, y}`, `.a2dms {sample, layer, x, y}`. Unused entries are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coordinates {
    /// The registers of the coordinate list, as bits.
    pub bits: [u32; 4],
    /// Whether the coordinates (except layer and sample) are `.f32`; otherwise they are `.s32`.
    pub float: bool,
}

/// The mipmap level that an instruction requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MipmapLevel {
    /// Level 0: no modifier, or `.base`.
    Base,
    /// `.level` with integer coordinates.
    Integer(i32),
    /// `.level` with float coordinates.
    Float(f32),
    /// `.grad`: derivatives along the screen's x and y, in the units of the coordinates.
    Gradients([f32; 3], [f32; 3]),
}

/// A request of `tex` or `tld4`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextureRequest {
    /// The instruction's geometry.
    pub geometry: Geometry,
    /// The coordinates.
    pub coordinates: Coordinates,
    /// The requested mipmap level.
    pub level: MipmapLevel,
    /// Added to the texel's position, −8 … 7.
    pub offset: [i32; 3],
    /// Reference value of a depth comparison, if the instruction has one.
    pub depth: Option<f32>,
}

/// Result of `tex` or `tld4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fetched {
    /// Red, green, blue, alpha; for `tld4` the four texels.
    pub components: Components,
    /// The predicate `p`: whether the texel's memory is resident.
    pub resident: bool,
}

/// The coordinates of an instruction, split into layer, sample and position (as bits).
struct TextureOperands {
    layer: u32,
    sample: u32,
    position: [u32; 3],
}

fn sort(geometry: Geometry, bits: [u32; 4]) -> TextureOperands {
    let [a, b, c, d] = bits;
    match geometry {
        Geometry::D1 | Geometry::D2 | Geometry::D3 | Geometry::Cube => {
            TextureOperands { layer: 0, sample: 0, position: [a, b, c] }
        }
        Geometry::A1d | Geometry::A2d | Geometry::Acube => TextureOperands { layer: a, sample: 0, position: [b, c, d] },
        Geometry::D2ms => TextureOperands { layer: 0, sample: a, position: [b, c, 0] },
        Geometry::A2dms => TextureOperands { layer: b, sample: a, position: [c, d, 0] },
    }
}

/// `tex`: one texel, or a blend of several.
#[inline]
pub fn fetch<T: Texels + ?Sized>(
    image: &ImageDescription,
    texels: &T,
    sampler: &Sampler,
    request: &TextureRequest,
) -> Result<Fetched, ImageFault> {
    same_geometry(image, request.geometry)?;
    if !image.resident {
        return Ok(Fetched { components: Components::default(), resident: false });
    }
    let sorted = sort(request.geometry, request.coordinates.bits);
    let components = if request.coordinates.float {
        sampled(image, texels, sampler, request, &sorted)
    } else {
        indexed(image, texels, request, &sorted)
    };
    Ok(Fetched { components, resident: true })
}

/// `tld4`: the component `component` (0 red … 3 alpha) of the four texels that a linear filter would blend, counter-clockwise
/// from the lower left, where y grows downwards: (x, y+1), (x+1, y+1), (x+1, y), (x, y).
#[inline]
pub fn gather<T: Texels + ?Sized>(
    image: &ImageDescription,
    texels: &T,
    sampler: &Sampler,
    request: &TextureRequest,
    component: usize,
) -> Result<Fetched, ImageFault> {
    same_geometry(image, request.geometry)?;
    if !image.resident {
        return Ok(Fetched { components: Components::default(), resident: false });
    }
    let sorted = sort(request.geometry, request.coordinates.bits);
    let spot = LevelPosition::new(image, sampler, request, &sorted, 0, true);
    let mut components = Components::default();
    for (i, (right, down)) in [(0, 1), (1, 1), (1, 0), (0, 0)].into_iter().enumerate() {
        let texel = spot.texel(image, texels, sampler, request, [right, down, 0]);
        components.bits[i] = texel.bits.get(component).copied().unwrap_or(0);
        components.marks[i] = texel.marks.get(component).copied().unwrap_or(Marks::UNSPECIFIED) | spot.marks;
    }
    Ok(Fetched { components, resident: true })
}

/// The registers of a result: `.f16` in the low halves of four, `.f16x2` in two.
///
/// `integer`: the image has an integer format. The manual defines no conversion for it, so the low 16 bits are taken and marked
/// unspecified.
#[inline]
pub fn to_half(components: &Components, integer: bool, packed: bool) -> Components {
    let mut halves = Components { bits: [0; 4], marks: components.marks };
    for (half, bits) in halves.bits.iter_mut().zip(components.bits) {
        *half = if integer { bits & 0xffff } else { f16_from_f32(bits) };
    }
    if integer {
        halves.marks = [Marks::UNSPECIFIED; 4];
    }
    if packed {
        let [r, g, b, a] = halves.bits;
        halves.bits = [r | g << 16, b | a << 16, 0, 0];
        let [r, g, b, a] = halves.marks;
        halves.marks = [r | g, b | a, Marks::NONE, Marks::NONE];
    }
    halves
}

fn same_geometry(image: &ImageDescription, instruction: Geometry) -> Result<(), ImageFault> {
    if image.geometry == instruction {
        Ok(())
    } else {
        Err(ImageFault::Geometry { instruction, image: image.geometry })
    }
}

/// Reads the texel at integer coordinates, without the sampler. Outside of the image the result is zeros, marked unspecified,
/// whatever the sampler says.
fn indexed<T: Texels + ?Sized>(
    image: &ImageDescription,
    texels: &T,
    request: &TextureRequest,
    sorted: &TextureOperands,
) -> Components {
    let outside = Components { bits: [0; 4], marks: [Marks::UNSPECIFIED; 4] };
    let level = match request.level {
        MipmapLevel::Integer(level) => level,
        MipmapLevel::Float(level) => level as i32,
        // Gradients have no unit to be measured in when the coordinates are integers.
        MipmapLevel::Base | MipmapLevel::Gradients(..) => 0,
    };
    let Some(level) = u32::try_from(level).ok().filter(|&level| level < image.levels) else { return outside };
    if sorted.layer >= image.layers || sorted.sample >= image.samples {
        return outside;
    }
    let size = image.level_size(level);
    let mut position = [0; 3];
    for d in 0..request.geometry.dimensions() {
        let index = i64::from(sorted.position[d] as i32) + i64::from(request.offset[d]);
        match u32::try_from(index) {
            Ok(index) if index < size[d] => position[d] = index,
            _ => return outside,
        }
    }
    image.texel(texels, TexelPosition { level, layer: sorted.layer, position, sample: sorted.sample })
}

/// Reads at float coordinates, through the sampler.
fn sampled<T: Texels + ?Sized>(
    image: &ImageDescription,
    texels: &T,
    sampler: &Sampler,
    request: &TextureRequest,
    sorted: &TextureOperands,
) -> Components {
    let (levels, weight, marks) = levels(image, sampler, request, sorted);
    let mut result = one_level(image, texels, sampler, request, sorted, levels[0]);
    if weight != 0 {
        let coarser = one_level(image, texels, sampler, request, sorted, levels[1]);
        for i in 0..4 {
            let (fine, coarse) =
                (f64::from(f32::from_bits(result.bits[i])), f64::from(f32::from_bits(coarser.bits[i])));
            let value = (fine * f64::from(256 - weight) + coarse * f64::from(weight)) / 256.0;
            result.bits[i] = rounded(value);
            result.marks[i] = result.marks[i] | coarser.marks[i] | Marks::APPROXIMATE;
        }
    }
    for mark in &mut result.marks {
        *mark |= marks;
    }
    result
}

/// Returns the two mipmap levels to blend, the weight of the coarser one in 1/256, and the marks of that choice.
fn levels(
    image: &ImageDescription,
    sampler: &Sampler,
    request: &TextureRequest,
    sorted: &TextureOperands,
) -> ([u32; 2], u32, Marks) {
    let last = image.levels.max(1) - 1;
    let (lod, mut marks) = match request.level {
        MipmapLevel::Base => return ([0, 0], 0, Marks::NONE),
        MipmapLevel::Integer(level) => (f64::from(level), Marks::NONE),
        MipmapLevel::Float(level) => (f64::from(level), Marks::NONE),
        MipmapLevel::Gradients(dx, dy) => (gradient_level(image, sampler, request, sorted, dx, dy), Marks::APPROXIMATE),
    };
    if last == 0 {
        return ([0, 0], 0, Marks::NONE);
    }
    let lod = if lod.is_nan() {
        marks |= Marks::UNSPECIFIED;
        0.0
    } else {
        lod
    };
    let (low, high) = (f64::from(sampler.min_lod).max(0.0), f64::from(sampler.max_lod).min(f64::from(last)));
    // `max` and `min` ignore a limit that is NaN. Crossed limits yield `high`, and the level is never below 0.
    let lod = (lod + f64::from(sampler.lod_bias)).max(low).min(high).max(0.0);
    if sampler.mipmap_filter == Filter::Nearest || image.format.channel.is_integer() {
        let level = ((lod + 0.5) as u32).min(last);
        if lod - integral_f64::<DOWN>(lod) == 0.5 {
            marks |= Marks::UNSPECIFIED;
        }
        return ([level, level], 0, marks);
    }
    let scaled = (lod * 256.0 + 0.5) as u32;
    let level = (scaled >> 8).min(last);
    ([level, (level + 1).min(last)], if level == last { 0 } else { scaled & 0xff }, marks)
}

/// Returns the level of detail for gradients: log2 of the texels of the finest level that a step on the screen covers, taken
/// from the longer of the two steps.
fn gradient_level(
    image: &ImageDescription,
    sampler: &Sampler,
    request: &TextureRequest,
    sorted: &TextureOperands,
    dx: [f32; 3],
    dy: [f32; 3],
) -> f64 {
    let normalized = image.normalized_coords && !sampler.force_unnormalized_coords;
    let length = |change: [f32; 3]| {
        let mut sum = 0.0;
        if request.geometry.is_cube() {
            let direction = sorted.position.map(f32::from_bits);
            for along in cube::derivative(direction, cube::project(direction).face, change) {
                let along = along * f64::from(image.size[0]);
                sum += along * along;
            }
        } else {
            for (along, size) in change.into_iter().zip(image.size).take(request.geometry.dimensions()) {
                let scale = if normalized { f64::from(size) } else { 1.0 };
                let along = f64::from(along) * scale;
                sum += along * along;
            }
        }
        sum.sqrt()
    };
    math::log2(length(dx).max(length(dy)))
}

/// The texels that a request needs in one mipmap level.
struct LevelPosition {
    level: u32,
    layer: u32,
    axes: [Axis; 3],
    dimensions: usize,
    /// Whether filtering continues across the edges of cube faces.
    seamless: bool,
    marks: Marks,
}

impl LevelPosition {
    fn new(
        image: &ImageDescription,
        sampler: &Sampler,
        request: &TextureRequest,
        sorted: &TextureOperands,
        level: u32,
        blend: bool,
    ) -> Self {
        let geometry = request.geometry;
        let size = image.level_size(level);
        let normalized = image.normalized_coords && !sampler.force_unnormalized_coords;
        let mut marks = Marks::NONE;
        // The layer is clamped as in graphics APIs; PTX does not define it.
        let mut layer = sorted.layer;
        if layer >= image.layers {
            layer = image.layers.max(1) - 1;
            marks |= Marks::UNSPECIFIED;
        }
        let mut coordinates = sorted.position.map(f32::from_bits);
        let cube = geometry.is_cube();
        if cube {
            let on_face = cube::project(coordinates);
            coordinates = [on_face.position[0], on_face.position[1], 0.0];
            layer = layer.saturating_mul(6).saturating_add(on_face.face);
            marks |= on_face.marks;
        }
        let dimensions = geometry.dimensions();
        let unused = Axis { raw: [0, 1], index: [Some(0), Some(0)], weight: 0, marks: Marks::NONE };
        let mut axes = [unused; 3];
        for (d, slot) in axes.iter_mut().enumerate().take(dimensions) {
            // Positions on a face are always normalised and never repeat.
            let mode = if cube { super::AddressMode::ClampToEdge } else { sampler.address[d] };
            *slot = axis(coordinates[d], size[d], normalized || cube, mode, blend, request.offset[d]);
            marks |= slot.marks;
        }
        Self { level, layer, axes, dimensions, seamless: cube && sampler.seamless_cube, marks }
    }

    /// Reads one of the texels around the coordinate: `corner` is 1 for the second texel along a dimension, else 0.
    fn texel<T: Texels + ?Sized>(
        &self,
        image: &ImageDescription,
        texels: &T,
        sampler: &Sampler,
        request: &TextureRequest,
        corner: [usize; 3],
    ) -> Components {
        let mut layer = self.layer;
        let mut position = [0; 3];
        let mut border = false;
        if self.seamless {
            let raw = [self.axes[0].raw[corner[0] & 1], self.axes[1].raw[corner[1] & 1]];
            match cube::beyond(self.layer % 6, raw, image.level_size(self.level)[0]) {
                Some((face, [x, y])) => {
                    layer = self.layer - self.layer % 6 + face;
                    position = [x, y, 0];
                }
                None => return self.beyond_corner(image, texels, sampler, request, raw),
            }
        } else {
            for d in 0..self.dimensions {
                match self.axes[d].index[corner[d] & 1] {
                    Some(index) => position[d] = index,
                    None => border = true,
                }
            }
        }
        let texel = if border {
            border_colour(image, sampler)
        } else {
            image.texel(texels, TexelPosition { level: self.level, layer, position, sample: 0 })
        };
        compared(image, sampler, request, texel)
    }

    /// Returns the mean of the three texels that meet at a cube's corner: no texel exists beyond it.
    fn beyond_corner<T: Texels + ?Sized>(
        &self,
        image: &ImageDescription,
        texels: &T,
        sampler: &Sampler,
        request: &TextureRequest,
        raw: [i64; 2],
    ) -> Components {
        let size = image.level_size(self.level)[0];
        let inside = raw.map(|i| i.clamp(0, i64::from(size) - 1));
        let mut sum = [0.0_f64; 4];
        for position in [inside, [raw[0], inside[1]], [inside[0], raw[1]]] {
            if let Some((face, [x, y])) = cube::beyond(self.layer % 6, position, size) {
                let layer = self.layer - self.layer % 6 + face;
                let place = TexelPosition { level: self.level, layer, position: [x, y, 0], sample: 0 };
                let texel = compared(image, sampler, request, image.texel(texels, place));
                for (sum, bits) in sum.iter_mut().zip(texel.bits) {
                    *sum += f64::from(f32::from_bits(bits)) / 3.0;
                }
            }
        }
        Components { bits: sum.map(rounded), marks: [Marks::APPROXIMATE | Marks::UNSPECIFIED; 4] }
    }
}

/// Reads one mipmap level through the sampler.
fn one_level<T: Texels + ?Sized>(
    image: &ImageDescription,
    texels: &T,
    sampler: &Sampler,
    request: &TextureRequest,
    sorted: &TextureOperands,
    level: u32,
) -> Components {
    // Integers cannot be blended. CUDA rejects such textures, so the hardware's behaviour is unknown.
    let wanted = sampler.filter == Filter::Linear;
    let blend = wanted && !image.format.channel.is_integer();
    let spot = LevelPosition::new(image, sampler, request, sorted, level, blend);
    let mut result = if blend {
        blended(image, texels, sampler, request, &spot)
    } else {
        spot.texel(image, texels, sampler, request, [0; 3])
    };
    let extra = if wanted && !blend { Marks::UNSPECIFIED } else { Marks::NONE };
    for mark in &mut result.marks {
        *mark |= spot.marks | extra;
    }
    result
}

/// Returns the blend of up to eight texels. Weights and products are exact in `f64`; the sum is rounded once to `.f32`. The
/// rounding of hardware is not documented, so every blend of more than one texel is marked approximate.
fn blended<T: Texels + ?Sized>(
    image: &ImageDescription,
    texels: &T,
    sampler: &Sampler,
    request: &TextureRequest,
    spot: &LevelPosition,
) -> Components {
    let mut sum = [0.0_f64; 4];
    let mut marks = [Marks::NONE; 4];
    let mut shares = 0;
    let mut only = Components::default();
    for corner in 0..1_usize << spot.dimensions {
        let corner = [corner & 1, corner >> 1 & 1, corner >> 2 & 1];
        let mut weight = 1.0;
        for (axis, side) in spot.axes.iter().zip(corner).take(spot.dimensions) {
            weight *= f64::from(if side == 1 { axis.weight } else { 256 - axis.weight }) / 256.0;
        }
        if weight == 0.0 {
            continue;
        }
        let texel = spot.texel(image, texels, sampler, request, corner);
        for i in 0..4 {
            sum[i] += weight * f64::from(f32::from_bits(texel.bits[i]));
            marks[i] |= texel.marks[i];
        }
        shares += 1;
        only = texel;
    }
    if shares == 1 {
        return only;
    }
    let mut result = Components { bits: [0; 4], marks };
    for (i, sum) in sum.into_iter().enumerate() {
        result.bits[i] = rounded(sum);
        result.marks[i] |= Marks::APPROXIMATE;
    }
    result
}

/// Returns the bits of a blend as an `.f32`. The processor's NaN is replaced, since its bits depend on the processor.
#[inline]
fn rounded(blend: f64) -> u32 {
    if blend.is_nan() { single::NAN } else { (blend as f32).to_bits() }
}

/// Returns the sampler's border colour, converted to the image's format.
fn border_colour(image: &ImageDescription, sampler: &Sampler) -> Components {
    let channel = image.format.channel;
    let bits = sampler.border.map(|value| {
        if channel.is_signed_integer() {
            value as i32 as u32
        } else if channel.is_integer() {
            value as u32
        } else {
            value.to_bits()
        }
    });
    Components { bits, marks: [Marks::NONE; 4] }
}

/// Compares a texel of a depth texture with the reference: 1.0 or 0.0 in every component. The manual defines neither the
/// comparison (here the sampler's) nor the components after the first.
fn compared(image: &ImageDescription, sampler: &Sampler, request: &TextureRequest, texel: Components) -> Components {
    let Some(reference) = request.depth else { return texel };
    let normalised = !image.format.channel.is_integer()
        && !matches!(image.format.channel, super::ChannelType::Float | super::ChannelType::Half);
    let reference = if normalised { reference.clamp(0.0, 1.0) } else { reference };
    let holds = sampler.compare.holds(reference, f32::from_bits(texel.bits[0]));
    Components {
        bits: [if holds { 1.0_f32 } else { 0.0 }.to_bits(); 4],
        marks: [texel.marks[0] | Marks::UNSPECIFIED; 4],
    }
}
