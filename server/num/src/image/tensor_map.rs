//! Tensor maps: 128 bytes that describe a tensor in global memory and the boxes that are copied from it.
//!
//! NVIDIA does not document the bits (manual 5.5.8: opaque), and no public source does, so the encoding here is this
//! project's own. A launch makes tensor maps with [`TensorMap::to_bytes`]; `tensormap.replace` changes them with
//! [`replace`]; a copy reads them with [`TensorMap::from_bytes`]. Little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 0–1 | `0x544d`, to tell a tensor map from other bytes |
//! | 2 | mode: 0 tiled, 1 im2col, 2 im2col along W |
//! | 3 | rank minus one |
//! | 4 | element type, numbered as `tensormap.replace` does |
//! | 5 | interleave: 0 none, 1 16 bytes, 2 32 bytes |
//! | 6 | swizzle mode: 0 none, 1 32, 2 64, 3 128, 4 96 bytes |
//! | 7 | swizzle atomicity: 0 16, 1 32, 2 32 with flip, 3 64 bytes |
//! | 8–15 | global address |
//! | 16–35 | sizes of the dimensions, five of 32 bits, innermost first |
//! | 36 | bit d: dimension d has 2³² more elements |
//! | 37 | fill: 0 zeros, 1 NaN |
//! | 38–39 | channels per pixel |
//! | 40–71 | strides in bytes of the dimensions 1 … 4, four of 64 bits |
//! | 72–91 | box, five of 32 bits |
//! | 92–101 | element strides, five of 16 bits |
//! | 102–113 | lower corner, then upper corner, of W, H, D: 16 bits each |
//! | 114–115 | pixels per column |
//! | 116–127 | zero |

use super::swizzle::Swizzle;
use crate::values::Marks;

/// Size of a tensor map in bytes.
pub const BYTES: usize = 128;
const MAGIC: u16 = 0x544d;

/// Type of an element, numbered as in the table of `tensormap.replace` (manual 9.7.9.28).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the manual's names of types")]
pub enum ElementType {
    #[default]
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F32Ftz,
    F64,
    Bf16,
    Tf32,
    Tf32Ftz,
    /// Sixteen times 4 bits in 8 bytes, copied as they are.
    B4x16,
    /// As [`Self::B4x16`], with 8 bytes of padding in shared memory.
    B4x16P64,
    /// Sixteen times 6 bits in 12 bytes: with 4 bytes of padding in shared memory when loaded (`.b6x16_p32`), each in a byte of
    /// shared memory when stored (`.b6p2x16`).
    B6x16,
}

impl ElementType {
    /// All variants, in the order of their numbers, with their names in the launch format.
    pub const NAMES: [(&'static str, Self); 16] = [
        ("u8", Self::U8),
        ("u16", Self::U16),
        ("u32", Self::U32),
        ("s32", Self::S32),
        ("u64", Self::U64),
        ("s64", Self::S64),
        ("f16", Self::F16),
        ("f32", Self::F32),
        ("f32_ftz", Self::F32Ftz),
        ("f64", Self::F64),
        ("bf16", Self::Bf16),
        ("tf32", Self::Tf32),
        ("tf32_ftz", Self::Tf32Ftz),
        ("b4x16", Self::B4x16),
        ("b4x16_p64", Self::B4x16P64),
        ("b6x16_p32", Self::B6x16),
    ];

    /// Returns the type with that number.
    #[inline]
    pub fn numbered(number: u32) -> Option<Self> {
        Self::NAMES.get(number as usize).map(|(_, t)| *t)
    }

    /// Returns the type with that name; `b6p2x16` is an alias of `b6x16_p32`.
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "b6p2x16" { "b6x16_p32" } else { name };
        Self::NAMES.into_iter().find(|(n, _)| *n == name).map(|(_, t)| t)
    }

    /// Bits of an element in global memory. For sub-byte types this is a single element, the unit of coordinates and sizes.
    #[inline]
    pub fn bits(self) -> u32 {
        match self {
            Self::U8 => 8,
            Self::U16 | Self::F16 | Self::Bf16 => 16,
            Self::U32 | Self::S32 | Self::F32 | Self::F32Ftz | Self::Tf32 | Self::Tf32Ftz => 32,
            Self::U64 | Self::S64 | Self::F64 => 64,
            Self::B4x16 | Self::B4x16P64 => 4,
            Self::B6x16 => 6,
        }
    }

    /// Bits of an element in shared memory, padding included.
    #[inline]
    pub fn shared_bits(self) -> u32 {
        match self {
            Self::B4x16P64 | Self::B6x16 => 8,
            other => other.bits(),
        }
    }

    /// Whether an element is smaller than a byte.
    #[inline]
    pub fn is_sub_byte(self) -> bool {
        self.bits() < 8
    }

    /// Whether out-of-bounds elements may be filled with NaN.
    #[inline]
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F32Ftz | Self::F64 | Self::Bf16 | Self::Tf32 | Self::Tf32Ftz)
    }

    /// The 64-bit pattern that NaN filling repeats. The hardware's NaN is not documented; this is the canonical NaN, which
    /// callers must mark unspecified.
    #[inline]
    pub fn nan_pattern(self) -> u64 {
        match self {
            Self::F16 | Self::Bf16 => 0x7fff_7fff_7fff_7fff,
            Self::F64 => 0x7fff_ffff_ffff_ffff,
            _ => 0x7fff_ffff_7fff_ffff,
        }
    }

    /// Whether a load converts elements ([`ElementType::loaded`]); otherwise bytes are copied.
    #[inline]
    pub fn converts(self) -> bool {
        matches!(self, Self::F32Ftz | Self::Tf32 | Self::Tf32Ftz)
    }

    /// Returns an element of 32 bits as a load from global memory delivers it.
    ///
    /// `.tf32` is rounded to nearest even at ten bits of fraction; NaN and infinity stay (published with measurements on
    /// sm_120, triton-lang/triton pull request 11751; manual 5.5.1 has "rounded to nearest even"). For `.ftz` types a subnormal
    /// becomes a zero of its sign and is marked, because only the name documents this.
    #[inline]
    pub fn loaded(self, bits: u32) -> (u32, Marks) {
        let subnormal = bits & 0x7f80_0000 == 0 && bits & 0x7f_ffff != 0;
        let flushes = matches!(self, Self::F32Ftz | Self::Tf32Ftz);
        if flushes && subnormal {
            return (bits & 0x8000_0000, Marks::UNSPECIFIED);
        }
        if !matches!(self, Self::Tf32 | Self::Tf32Ftz) || bits & 0x7f80_0000 == 0x7f80_0000 {
            return (bits, Marks::NONE);
        }
        let rounded = bits.wrapping_add(0xfff + (bits >> 13 & 1)) & !0x1fff;
        (rounded, Marks::NONE)
    }
}

/// Interleaved layout of channels in global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interleave {
    /// No interleaving.
    #[default]
    None,
    /// In slices of 16 bytes.
    B16,
    /// In slices of 32 bytes.
    B32,
}

/// Value of elements outside of the tensor in a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutOfBoundsFill {
    /// Zeros.
    #[default]
    Zeros,
    /// NaN.
    Nan,
}

/// Mode of a tensor map: how it describes boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TensorMapMode {
    /// By the box's size in every dimension.
    #[default]
    Tiled,
    /// By pixels per column, channels per pixel, and the corners of the box of filter positions.
    Im2col,
    /// As [`TensorMapMode::Im2col`], along W only.
    Im2colWide,
}

/// A tensor map. The fields contain whatever a program wrote; [`TensorMap::problem`] reports invalid values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorMap {
    /// The mode of the map.
    pub mode: TensorMapMode,
    /// Number of dimensions minus one.
    pub rank_less_one: u8,
    /// Number of the element type.
    pub element: u8,
    /// Number of the interleaved layout.
    pub interleave: u8,
    /// Number of the swizzle mode.
    pub swizzle_mode: u8,
    /// Number of the swizzle atomicity.
    pub swizzle_atomicity: u8,
    /// Number of the fill mode.
    pub fill: u8,
    /// Address of the tensor in global memory.
    pub address: u64,
    /// Elements in each dimension, innermost first; up to 2³².
    pub sizes: [u64; 5],
    /// Bytes from one element to the next in the dimensions 1 … 4.
    pub strides: [u64; 4],
    /// Elements of a box before striding, innermost first.
    pub box_sizes: [u32; 5],
    /// Distance between copied elements of the box in each dimension, in elements: 2 takes every second element.
    pub element_strides: [u16; 5],
    /// First filter position along W, H, D, relative to the tensor's first pixel.
    pub lower_corner: [i16; 3],
    /// Last filter position along W, H, D, relative to the tensor's last pixel.
    pub upper_corner: [i16; 3],
    /// Number of channels of a pixel that are copied.
    pub channels_per_pixel: u16,
    /// Number of pixels that are copied.
    pub pixels_per_column: u16,
}

impl TensorMap {
    /// Creates a tiled map without element strides, interleaving, swizzling and NaN filling. `sizes` and `box_sizes` have an
    /// entry for each dimension, `strides` one fewer; surplus entries are ignored.
    pub fn tiled(element: ElementType, address: u64, sizes: &[u64], strides: &[u64], box_sizes: &[u32]) -> Self {
        let mut map = Self {
            mode: TensorMapMode::Tiled,
            rank_less_one: sizes.len().clamp(1, 5) as u8 - 1,
            element: element as u8,
            interleave: 0,
            swizzle_mode: 0,
            swizzle_atomicity: 0,
            fill: 0,
            address,
            sizes: [1; 5],
            strides: [0; 4],
            box_sizes: [1; 5],
            element_strides: [1; 5],
            lower_corner: [0; 3],
            upper_corner: [0; 3],
            channels_per_pixel: 0,
            pixels_per_column: 0,
        };
        map.sizes.iter_mut().zip(sizes).for_each(|(to, from)| *to = *from);
        map.strides.iter_mut().zip(strides).for_each(|(to, from)| *to = *from);
        map.box_sizes.iter_mut().zip(box_sizes).for_each(|(to, from)| *to = *from);
        map
    }

    /// Number of dimensions, 1 to 5 in a valid map.
    #[inline]
    pub fn rank(&self) -> usize {
        usize::from(self.rank_less_one) + 1
    }

    /// Returns the element type; `None` for an undefined number.
    #[inline]
    pub fn element_type(&self) -> Option<ElementType> {
        ElementType::numbered(u32::from(self.element))
    }

    /// Returns the swizzle pattern; `None` for undefined numbers and combinations that the manual's table 14 does not have.
    #[inline]
    pub fn swizzle(&self) -> Option<Swizzle> {
        match (self.swizzle_mode, self.swizzle_atomicity) {
            // Without swizzling the atomicity means nothing.
            (0, _) => Some(Swizzle::None),
            (1, 0) => Some(Swizzle::B32),
            (2, 0) => Some(Swizzle::B64),
            (3, 0) => Some(Swizzle::B128),
            (3, 1) => Some(Swizzle::B128Atom32),
            (3, 2) => Some(Swizzle::B128Atom32Flip8),
            (3, 3) => Some(Swizzle::B128Atom64),
            (4, 0) => Some(Swizzle::B96),
            _ => None,
        }
    }

    /// Sets the swizzle pattern.
    pub fn set_swizzle(&mut self, swizzle: Swizzle) {
        (self.swizzle_mode, self.swizzle_atomicity) = match swizzle {
            Swizzle::None => (0, 0),
            Swizzle::B32 => (1, 0),
            Swizzle::B64 => (2, 0),
            Swizzle::B96 => (4, 0),
            Swizzle::B128 => (3, 0),
            Swizzle::B128Atom32 => (3, 1),
            Swizzle::B128Atom32Flip8 => (3, 2),
            Swizzle::B128Atom64 => (3, 3),
        };
    }

    /// Returns the interleaved layout; `None` for an undefined number.
    #[inline]
    pub fn interleaving(&self) -> Option<Interleave> {
        match self.interleave {
            0 => Some(Interleave::None),
            1 => Some(Interleave::B16),
            2 => Some(Interleave::B32),
            _ => None,
        }
    }

    /// Returns the fill mode; `None` for an undefined number.
    #[inline]
    pub fn filling(&self) -> Option<OutOfBoundsFill> {
        match self.fill {
            0 => Some(OutOfBoundsFill::Zeros),
            1 => Some(OutOfBoundsFill::Nan),
            _ => None,
        }
    }

    /// Returns the first field whose value no copy can use, by its name in `tensormap.replace` and in launches.
    ///
    /// Rules: manual 5.5 and 9.7.9.27.1.1, and the requirements of the CUDA driver's `cuTensorMapEncodeTiled` and `…Im2col`.
    pub fn problem(&self) -> Option<&'static str> {
        let rank = self.rank();
        if rank > 5 || self.mode != TensorMapMode::Tiled && rank < 3 {
            return Some("rank");
        }
        let Some(element) = self.element_type() else { return Some("elemtype") };
        let (Some(swizzle), Some(interleave), Some(fill)) = (self.swizzle(), self.interleaving(), self.filling())
        else {
            let names = [self.swizzle().is_none(), self.interleaving().is_none()];
            return Some(if names[0] {
                "swizzle_mode"
            } else if names[1] {
                "interleave_layout"
            } else {
                "fill_mode"
            });
        };
        if fill == OutOfBoundsFill::Nan && !element.is_float() {
            return Some("fill_mode");
        }
        let sliced = interleave != Interleave::None;
        if sliced && (rank < 3 || self.mode == TensorMapMode::Im2colWide) {
            return Some("interleave_layout");
        }
        if interleave == Interleave::B32 && swizzle != Swizzle::B32 {
            return Some("swizzle_mode");
        }
        let padded = matches!(element, ElementType::B4x16P64 | ElementType::B6x16);
        let alignment = if interleave == Interleave::B32 || padded { 32 } else { 16 };
        if !self.address.is_multiple_of(alignment) {
            return Some("global_address");
        }
        let strides = self.strides.iter().take(rank - 1);
        if strides.clone().any(|s| !s.is_multiple_of(alignment) || *s >= 1 << 40) {
            return Some("global_stride");
        }
        if self.sizes.iter().take(rank).any(|&size| size > 1 << 32)
            || element.is_sub_byte() && !self.whole_groups(element)
        {
            return Some("global_dim");
        }
        if self.element_strides.iter().take(rank).any(|s| !(1..=8).contains(s)) {
            return Some("element_stride");
        }
        let inner = match self.mode {
            TensorMapMode::Tiled => self.box_sizes[0],
            _ => u32::from(self.channels_per_pixel),
        };
        let inner_bits = u64::from(inner) * u64::from(element.shared_bits());
        if self.mode == TensorMapMode::Tiled {
            if self.box_sizes.iter().take(rank).any(|b| !(1..=256).contains(b)) {
                return Some("box_dim");
            }
        } else if !(1..=256).contains(&inner) {
            return Some("channels_per_pixel");
        }
        if self.mode != TensorMapMode::Tiled && !(1..=1024).contains(&self.pixels_per_column) {
            return Some("pixels_per_column");
        }
        let whole = inner_bits.is_multiple_of(128) && !(padded && inner != 128);
        let narrow = swizzle.span().is_none_or(|span| inner_bits <= 8 * u64::from(span));
        if !whole || !sliced && !narrow {
            return Some(if self.mode == TensorMapMode::Tiled { "box_dim" } else { "channels_per_pixel" });
        }
        let not_for_padded =
            !matches!(swizzle, Swizzle::None) && (swizzle.span() != Some(128) || swizzle == Swizzle::B128Atom32Flip8);
        if padded && not_for_padded {
            return Some("swizzle_mode");
        }
        None
    }

    /// Whether the innermost dimension of a sub-byte type consists of whole groups.
    fn whole_groups(&self, element: ElementType) -> bool {
        self.sizes[0].is_multiple_of(if element == ElementType::B4x16 { 2 } else { 128 })
    }

    /// Encodes the map as 128 bytes.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        let mut at = 0;
        let mut put = |field: &[u8]| {
            for byte in field {
                if let Some(to) = bytes.get_mut(at) {
                    *to = *byte;
                }
                at += 1;
            }
        };
        put(&MAGIC.to_le_bytes());
        put(&[
            self.mode as u8,
            self.rank_less_one,
            self.element,
            self.interleave,
            self.swizzle_mode,
            self.swizzle_atomicity,
        ]);
        put(&self.address.to_le_bytes());
        self.sizes.iter().for_each(|size| put(&(*size as u32).to_le_bytes()));
        let high =
            self.sizes.iter().enumerate().fold(0, |bits, (d, &size)| bits | u8::from(size > u64::from(u32::MAX)) << d);
        put(&[high, self.fill]);
        put(&self.channels_per_pixel.to_le_bytes());
        self.strides.iter().for_each(|stride| put(&stride.to_le_bytes()));
        self.box_sizes.iter().for_each(|size| put(&size.to_le_bytes()));
        self.element_strides.iter().for_each(|stride| put(&stride.to_le_bytes()));
        self.lower_corner.iter().chain(&self.upper_corner).for_each(|corner| put(&corner.to_le_bytes()));
        put(&self.pixels_per_column.to_le_bytes());
        bytes
    }

    /// Decodes a map from 128 bytes; `None` if they are not a tensor map.
    pub fn from_bytes(bytes: &[u8; BYTES]) -> Option<Self> {
        let mut at = 0;
        // Takes the next `count` bytes as a number.
        let mut take = |count: usize| {
            let mut value = 0_u64;
            for i in 0..count {
                value |= u64::from(bytes.get(at + i).copied().unwrap_or(0)) << (8 * i);
            }
            at += count;
            value
        };
        if take(2) != u64::from(MAGIC) {
            return None;
        }
        let mode = match take(1) {
            0 => TensorMapMode::Tiled,
            1 => TensorMapMode::Im2col,
            2 => TensorMapMode::Im2colWide,
            _ => return None,
        };
        let mut small = [0; 5];
        small.iter_mut().for_each(|field| *field = take(1) as u8);
        let [rank_less_one, element, interleave, swizzle_mode, swizzle_atomicity] = small;
        let address = take(8);
        let mut sizes = [0; 5];
        sizes.iter_mut().for_each(|size| *size = take(4));
        let high = take(1);
        sizes.iter_mut().enumerate().for_each(|(d, size)| *size |= (high >> d & 1) << 32);
        let fill = take(1) as u8;
        let channels_per_pixel = take(2) as u16;
        let mut strides = [0; 4];
        strides.iter_mut().for_each(|stride| *stride = take(8));
        let mut box_sizes = [0; 5];
        box_sizes.iter_mut().for_each(|size| *size = take(4) as u32);
        let mut element_strides = [0; 5];
        element_strides.iter_mut().for_each(|stride| *stride = take(2) as u16);
        let (mut lower_corner, mut upper_corner) = ([0; 3], [0; 3]);
        lower_corner.iter_mut().chain(&mut upper_corner).for_each(|corner| *corner = take(2) as i16);
        let pixels_per_column = take(2) as u16;
        Some(Self {
            mode,
            rank_less_one,
            element,
            interleave,
            swizzle_mode,
            swizzle_atomicity,
            fill,
            address,
            sizes,
            strides,
            box_sizes,
            element_strides,
            lower_corner,
            upper_corner,
            channels_per_pixel,
            pixels_per_column,
        })
    }
}

/// A field that `tensormap.replace` changes, with its ordinal if there are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the modifiers' names")]
pub enum Field {
    GlobalAddress,
    /// The new value is the rank minus one.
    Rank,
    BoxDim(u8),
    GlobalDim(u8),
    /// Ordinal 0 is the stride of dimension 1, in bytes (as CUTLASS uses it).
    GlobalStride(u8),
    ElementStride(u8),
    Elemtype,
    InterleaveLayout,
    SwizzleMode,
    SwizzleAtomicity,
    FillMode,
}

impl Field {
    /// Returns the field of a modifier (without the dot).
    pub fn named(name: &str, ordinal: u8) -> Option<Self> {
        Some(match name {
            "global_address" => Self::GlobalAddress,
            "rank" => Self::Rank,
            "box_dim" => Self::BoxDim(ordinal),
            "global_dim" => Self::GlobalDim(ordinal),
            "global_stride" => Self::GlobalStride(ordinal),
            "element_stride" => Self::ElementStride(ordinal),
            "elemtype" => Self::Elemtype,
            "interleave_layout" => Self::InterleaveLayout,
            "swizzle_mode" => Self::SwizzleMode,
            "swizzle_atomicity" => Self::SwizzleAtomicity,
            "fill_mode" => Self::FillMode,
            _ => return None,
        })
    }
}

/// `tensormap.replace`: changes one field of the map in `bytes`. Returns `false` if the bytes are not a tensor map, or the
/// ordinal does not exist. A value that does not fit its field becomes the field's greatest value, which no copy accepts.
pub fn replace(bytes: &mut [u8; BYTES], field: Field, value: u64) -> bool {
    let Some(mut map) = TensorMap::from_bytes(bytes) else { return false };
    let byte = u8::try_from(value).unwrap_or(u8::MAX);
    let word = u32::try_from(value).unwrap_or(u32::MAX);
    let mut found = true;
    match field {
        Field::GlobalAddress => map.address = value,
        Field::Rank => map.rank_less_one = byte,
        Field::BoxDim(ordinal) => found = set(&mut map.box_sizes, ordinal, word),
        Field::GlobalDim(ordinal) => found = set(&mut map.sizes, ordinal, u64::from(word)),
        Field::GlobalStride(ordinal) => found = set(&mut map.strides, ordinal, value),
        Field::ElementStride(ordinal) => {
            found = set(&mut map.element_strides, ordinal, u16::try_from(value).unwrap_or(u16::MAX));
        }
        Field::Elemtype => map.element = byte,
        Field::InterleaveLayout => map.interleave = byte,
        Field::SwizzleMode => map.swizzle_mode = byte,
        Field::SwizzleAtomicity => map.swizzle_atomicity = byte,
        Field::FillMode => map.fill = byte,
    }
    if found {
        *bytes = map.to_bytes();
    }
    found
}

fn set<T>(entries: &mut [T], ordinal: u8, value: T) -> bool {
    let Some(entry) = entries.get_mut(usize::from(ordinal)) else { return false };
    *entry = value;
    true
}
