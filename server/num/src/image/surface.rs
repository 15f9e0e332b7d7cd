//! `suld`, `sust`, `sured`: the offset that a surface access reaches, and the results of reductions (manual 9.7.11).

use super::ImageFault;
use super::format::TexelFormat;
use super::layout::{Geometry, ImageDescription, TexelPosition};

/// Treatment of coordinates outside of the surface: the modifier that every surface access has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// `.trap`: the access faults.
    Trap,
    /// `.clamp`: the access goes to the nearest position inside.
    Clamp,
    /// `.zero`: loads return zeros, stores and reductions do nothing.
    Zero,
}

/// Unit of the x coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoordinateUnit {
    /// Bytes: `.b`.
    Bytes,
    /// Texels of the surface's format: `sust.p`.
    Texels,
    /// Values of the access's own size: `sured.p` (manual 9.7.11.3: scaled by the size of the type).
    Values,
}

/// A surface access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurfaceAccess {
    /// The instruction's geometry: `.1d`, `.2d`, `.3d`, `.a1d` or `.a2d`.
    pub geometry: Geometry,
    /// The registers of the coordinate list: x, y, z; for arrays the layer comes first. Unused entries are ignored.
    pub coordinates: [u32; 4],
    /// Bytes of the whole access, including all elements of a vector: 1 to 16. For [`CoordinateUnit::Texels`] the bytes of a
    /// texel.
    pub size: u32,
    /// Unit of the x coordinate.
    pub unit: CoordinateUnit,
    /// Treatment of coordinates outside of the surface.
    pub outside: Outside,
}

/// Target of a surface access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurfaceLocation {
    /// The access begins at this byte offset of the image and lies within the image.
    Inside(u64),
    /// Outside of the surface: loads return zeros, stores and reductions do nothing.
    Nowhere,
}

/// Returns the target of a surface access. A cube is accessed as an array of its faces.
///
/// The dimensions are checked in the order x, y, z, layer; a fault names the first one that is out of bounds.
#[inline]
pub fn locate(image: &ImageDescription, access: &SurfaceAccess) -> Result<SurfaceLocation, ImageFault> {
    let fits = match access.geometry {
        Geometry::A2d => matches!(image.geometry, Geometry::A2d | Geometry::Cube | Geometry::Acube),
        geometry => geometry == image.geometry,
    };
    if !fits {
        return Err(ImageFault::Geometry { instruction: access.geometry, image: image.geometry });
    }
    let [a, b, c, d] = access.coordinates;
    let (layer, [x, y, z]) = if access.geometry.is_array() { (a, [b, c, d]) } else { (0, [a, b, c]) };
    let dimensions = access.geometry.dimensions();
    let size = i64::from(access.size.max(1));
    let scale = match access.unit {
        CoordinateUnit::Bytes => 1,
        CoordinateUnit::Texels => i64::from(image.format.bytes()),
        CoordinateUnit::Values => size,
    };
    let x_given = i64::from(x as i32);
    let mut byte_x = x_given * scale;
    if access.unit == CoordinateUnit::Bytes && byte_x.rem_euclid(size) != 0 {
        // The manual allows both a fault and dropped low bits; a program must not rely on either.
        return Err(ImageFault::Misaligned { coordinate: byte_x, size: access.size });
    }
    let row = image.packed_row_bytes(0).min(i64::MAX as u64) as i64;
    // The greatest x, a multiple of the access size, at which the access fits in the row.
    let last_x = (row / size - 1) * size;
    let mut position = [0; 3];
    let mut outside = None;
    if byte_x < 0 || byte_x > last_x {
        outside = Some((0, x_given));
        byte_x = byte_x.clamp(0, last_x.max(0));
    }
    for (dimension, value) in [(1, y), (2, z)] {
        if dimension < dimensions {
            let (index, extent) = (i64::from(value as i32), i64::from(image.size[dimension].max(1)));
            if !(0..extent).contains(&index) {
                outside = outside.or(Some((dimension as u8, index)));
            }
            position[dimension] = index.clamp(0, extent - 1) as u32;
        }
    }
    let planes = image.planes().max(1);
    if layer >= planes {
        outside = outside.or(Some((3, i64::from(layer))));
    }
    let layer = layer.min(planes - 1);
    match (outside, access.outside) {
        (Some((dimension, coordinate)), Outside::Trap) => {
            return Err(ImageFault::OutOfBounds { dimension, coordinate });
        }
        (Some(_), Outside::Zero) => return Ok(SurfaceLocation::Nowhere),
        _ => {}
    }
    if last_x < 0 {
        // Clamping cannot help: the row is shorter than the access.
        return Err(ImageFault::OutOfBounds { dimension: 0, coordinate: x_given });
    }
    let start = image.row_offset(TexelPosition { level: 0, layer, position, sample: 0 });
    Ok(SurfaceLocation::Inside(start.wrapping_add(byte_x as u64)))
}

/// Operation of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the modifiers' names")]
pub enum SurfaceReduction {
    Add,
    Min,
    Max,
    And,
    Or,
}

/// Returns the value that `sured` writes, from the old value and its operand; only the low `bytes` (4 or 8) of the result
/// count.
#[inline]
pub fn reduce(op: SurfaceReduction, signed: bool, bytes: u32, old: u64, value: u64) -> u64 {
    let wide = bytes == 8;
    let mask = if wide { u64::MAX } else { 0xffff_ffff };
    let extend = |bits: u64| if wide { bits as i64 } else { i64::from(bits as u32 as i32) };
    let (old, value) = (old & mask, value & mask);
    let result = match op {
        SurfaceReduction::Add => old.wrapping_add(value),
        SurfaceReduction::And => old & value,
        SurfaceReduction::Or => old | value,
        SurfaceReduction::Min if signed => extend(old).min(extend(value)) as u64,
        SurfaceReduction::Max if signed => extend(old).max(extend(value)) as u64,
        SurfaceReduction::Min => old.min(value),
        SurfaceReduction::Max => old.max(value),
    };
    result & mask
}

/// Whether `sured.p` treats its operands as signed. The surface's format decides (manual 9.7.11.3); it must be an integer
/// format.
#[inline]
pub fn reduces_signed(format: TexelFormat) -> Result<bool, ImageFault> {
    if format.channel.is_integer() { Ok(format.channel.is_signed_integer()) } else { Err(ImageFault::Format) }
}
