//! Images: geometries, sizes, and the offsets of texels in the image's bytes.
//!
//! The order of texels in a GPU's memory is opaque to a program, except for linear memory. This module defines its own order:
//! mipmap levels from the finest, within a level the layers (cube maps: six faces each), slices, rows, texels, samples. There
//! are no gaps, unless rows have a pitch, which only images in linear memory have.

use super::format::{Components, TexelFormat};

/// Maximum size of an image of a launch, in bytes.
pub const MAX_IMAGE_BYTES: u64 = 1 << 31;

/// The shape of an image: the geometries of `tex`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Geometry {
    /// `.1d`
    D1,
    /// `.2d`
    D2,
    /// `.3d`
    D3,
    /// `.a1d`: an array of rows.
    A1d,
    /// `.a2d`: an array of planes.
    A2d,
    /// `.cube`: six square faces.
    Cube,
    /// `.acube`: an array of cubes.
    Acube,
    /// `.2dms`: several samples per texel.
    D2ms,
    /// `.a2dms`: an array of `.2dms` images.
    A2dms,
}

impl Geometry {
    /// All variants.
    pub const ALL: [Self; 9] =
        [Self::D1, Self::D2, Self::D3, Self::A1d, Self::A2d, Self::Cube, Self::Acube, Self::D2ms, Self::A2dms];

    /// Returns the modifier without the dot, which is also the name in the launch format.
    pub fn name(self) -> &'static str {
        match self {
            Self::D1 => "1d",
            Self::D2 => "2d",
            Self::D3 => "3d",
            Self::A1d => "a1d",
            Self::A2d => "a2d",
            Self::Cube => "cube",
            Self::Acube => "acube",
            Self::D2ms => "2dms",
            Self::A2dms => "a2dms",
        }
    }

    /// Returns the geometry with that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|g| g.name() == name)
    }

    /// Number of dimensions of a position within a layer: 1, 2 or 3 (a cube's face: 2).
    #[inline]
    pub fn dimensions(self) -> usize {
        match self {
            Self::D1 | Self::A1d => 1,
            Self::D3 => 3,
            _ => 2,
        }
    }

    /// Whether the geometry has several layers.
    #[inline]
    pub fn is_array(self) -> bool {
        matches!(self, Self::A1d | Self::A2d | Self::Acube | Self::A2dms)
    }

    /// Whether a layer has six faces.
    #[inline]
    pub fn is_cube(self) -> bool {
        matches!(self, Self::Cube | Self::Acube)
    }

    /// Whether a texel has several samples.
    #[inline]
    pub fn is_multisample(self) -> bool {
        matches!(self, Self::D2ms | Self::A2dms)
    }
}

/// Description of an image without its bytes and its sampler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageDescription {
    /// Its shape.
    pub geometry: Geometry,
    /// Width, height and depth of the finest level in texels; 1 for dimensions that the geometry does not have.
    pub size: [u32; 3],
    /// Number of layers of an array (cubes of a cube array); otherwise 1.
    pub layers: u32,
    /// Number of samples of a texel; 1 without multisampling.
    pub samples: u32,
    /// Number of mipmap levels, at least 1.
    pub levels: u32,
    /// Whether the image counts as a mipmap for `txq.num_mipmap_levels`, which returns 0 for other textures.
    pub mipmapped: bool,
    /// Format of a texel.
    pub format: TexelFormat,
    /// Bytes from row to row in linear memory; `None` if the rows have no gaps.
    pub row_pitch: Option<u32>,
    /// Whether the image is in linear memory (`suq.memory_layout`).
    pub linear_memory: bool,
    /// Whether coordinates are normalised, that is, run from 0.0 to 1.0.
    pub normalized_coords: bool,
    /// Whether the image's memory is resident: the predicate `p` of `tex` (manual 9.7.10.3). Reads of non-resident memory
    /// return zeros.
    pub resident: bool,
}

/// Position of a texel within an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TexelPosition {
    /// Mipmap level.
    pub level: u32,
    /// Layer; for cubes 6 × cube + face.
    pub layer: u32,
    /// x, y, z in texels.
    pub position: [u32; 3],
    /// Sample of the texel.
    pub sample: u32,
}

impl ImageDescription {
    /// Creates a description of an image with one level, not in linear memory, with coordinates that count texels.
    pub fn new(geometry: Geometry, size: [u32; 3], format: TexelFormat) -> Self {
        Self {
            geometry,
            size,
            layers: 1,
            samples: 1,
            levels: 1,
            mipmapped: false,
            format,
            row_pitch: None,
            linear_memory: false,
            normalized_coords: false,
            resident: true,
        }
    }

    /// Returns width, height and depth of a level (manual 9.7.10.2: each level halves them, rounded down, at least 1).
    #[inline]
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        let halve = |n: u32| n.checked_shr(level).unwrap_or(0).max(1);
        [halve(self.size[0]), halve(self.size[1]), halve(self.size[2])]
    }

    /// Number of planes in a level: the layers, or six times the layers for cubes.
    #[inline]
    pub fn planes(&self) -> u32 {
        self.layers.saturating_mul(if self.geometry.is_cube() { 6 } else { 1 })
    }

    /// Bytes from row to row in a level.
    #[inline]
    pub fn row_bytes(&self, level: u32) -> u64 {
        match self.row_pitch {
            Some(pitch) => u64::from(pitch),
            None => self.packed_row_bytes(level),
        }
    }

    /// Bytes of the texels of a row in a level, without the gap of a pitch.
    #[inline]
    pub fn packed_row_bytes(&self, level: u32) -> u64 {
        u64::from(self.level_size(level)[0]) * u64::from(self.samples) * u64::from(self.format.bytes())
    }

    /// Bytes of a level, saturating.
    pub fn level_bytes(&self, level: u32) -> u64 {
        let [_, height, depth] = self.level_size(level);
        self.row_bytes(level)
            .saturating_mul(u64::from(height))
            .saturating_mul(u64::from(depth))
            .saturating_mul(u64::from(self.planes()))
    }

    /// Bytes of the whole image, saturating.
    pub fn bytes(&self) -> u64 {
        (0..self.levels.min(32)).fold(0, |sum: u64, level| sum.saturating_add(self.level_bytes(level)))
    }

    /// Returns the byte offset of a texel in the image. The position must exist.
    #[inline]
    pub fn offset(&self, place: TexelPosition) -> u64 {
        let [x, _, _] = place.position;
        let in_row = u64::from(x).wrapping_mul(u64::from(self.samples)).wrapping_add(u64::from(place.sample));
        self.row_offset(place).wrapping_add(in_row.wrapping_mul(u64::from(self.format.bytes())))
    }

    /// Returns the byte offset of the texel's row in the image. The row must exist.
    #[inline]
    pub fn row_offset(&self, place: TexelPosition) -> u64 {
        let start = (0..place.level.min(32)).fold(0_u64, |sum, level| sum.wrapping_add(self.level_bytes(level)));
        let [_, height, depth] = self.level_size(place.level);
        let [_, y, z] = place.position;
        let row = u64::from(place.layer)
            .wrapping_mul(u64::from(depth))
            .wrapping_add(u64::from(z))
            .wrapping_mul(u64::from(height))
            .wrapping_add(u64::from(y));
        start.wrapping_add(row.wrapping_mul(self.row_bytes(place.level)))
    }

    /// Reads the texel at an existing position as register values; bytes that `texels` does not have count as zeros.
    #[inline]
    pub fn texel<T: Texels + ?Sized>(&self, texels: &T, place: TexelPosition) -> Components {
        let mut bytes = [0; 16];
        let size = self.format.bytes() as usize;
        if let Some(part) = bytes.get_mut(..size) {
            texels.read(self.offset(place), part);
        }
        self.format.decode(bytes)
    }

    /// Returns the bytes of an image. `value` supplies the values of the stored channels, called with 0, 1, 2 … in memory
    /// order. Float channels store the number, integer and normalised channels the low bits of the integer. The gaps of a pitch
    /// are zeros. Returns an empty vector for an image of more than [`MAX_IMAGE_BYTES`] bytes.
    pub fn filled(&self, mut value: impl FnMut(u64) -> f64) -> Vec<u8> {
        let size = self.format.channel.bytes() as usize;
        if self.bytes() > MAX_IMAGE_BYTES {
            return Vec::new();
        }
        let mut bytes = vec![0; usize::try_from(self.bytes()).unwrap_or(0)];
        let mut at = 0_usize;
        let mut index = 0;
        for level in 0..self.levels.min(32) {
            let [_, height, depth] = self.level_size(level);
            let rows = u64::from(height).saturating_mul(u64::from(depth)).saturating_mul(u64::from(self.planes()));
            let (row, pitch) = (self.packed_row_bytes(level) as usize, self.row_bytes(level) as usize);
            for _ in 0..rows {
                let Some(texels) = bytes.get_mut(at..at.saturating_add(row)) else { return bytes };
                for channel in texels.chunks_exact_mut(size) {
                    let stored = self.format.channel.stored(value(index)).to_le_bytes();
                    for (byte, stored) in channel.iter_mut().zip(stored) {
                        *byte = stored;
                    }
                    index += 1;
                }
                at += pitch;
            }
        }
        bytes
    }
}

/// Source of texel bytes: the interpreter's memory, or plain bytes.
pub trait Texels {
    /// Fills `into` with the bytes from `offset` on. Entries without a byte in the source stay unchanged.
    fn read(&self, offset: u64, into: &mut [u8]);
}

impl Texels for [u8] {
    #[inline]
    fn read(&self, offset: u64, into: &mut [u8]) {
        let Some(from) = usize::try_from(offset).ok().and_then(|start| self.get(start..)) else { return };
        for (to, from) in into.iter_mut().zip(from) {
            *to = *from;
        }
    }
}

/// An image with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Geometry, size and format.
    pub description: ImageDescription,
    /// The bytes, in the order that this module defines.
    pub bytes: Vec<u8>,
}
