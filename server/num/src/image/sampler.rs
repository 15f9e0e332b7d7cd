//! Samplers: which texels a coordinate selects, and the weight of each.
//!
//! Sources: manual 5.3.2 (the fields); the CUDA C++ programming guide's appendix on texture fetching (nearest: floor; linear:
//! the two texels around the coordinate minus ½, weights with 8 bits after the point; wrapping takes the fraction, mirroring
//! runs back and forth, the border is zero); cudaTextureDesc (without normalised coordinates, wrapping and mirroring act as
//! clamping). Published measurements show that the weight is rounded to the *nearest* 1/256 (NVIDIA's developer forum, "tex1D
//! accuracy": 25.6/256 gives 26/256, 51.2 gives 51, 76.8 gives 77). The rounding of ties is not known; this module rounds them
//! up.

use crate::math::fmod;
use crate::values::Marks;
use crate::values::convert::quick::{DOWN, integral_f64};

/// Treatment of a coordinate outside of the image: the fields `addr_mode_{0,1,2}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AddressMode {
    /// The image repeats.
    Wrap,
    /// The image repeats, every second copy mirrored.
    Mirror,
    /// Coordinates are clamped to the image's border; a linear filter then sees half a texel of border colour.
    ClampOgl,
    /// The nearest texel.
    #[default]
    ClampToEdge,
    /// The border colour.
    ClampToBorder,
}

impl AddressMode {
    /// All variants, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Wrap, Self::Mirror, Self::ClampOgl, Self::ClampToEdge, Self::ClampToBorder];

    /// Returns the manual's name, which initialisers and launches use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wrap => "wrap",
            Self::Mirror => "mirror",
            Self::ClampOgl => "clamp_ogl",
            Self::ClampToEdge => "clamp_to_edge",
            Self::ClampToBorder => "clamp_to_border",
        }
    }

    /// Returns the result of `txq.addr_mode_0` (manual 9.7.10.5: an enumeration in this order).
    pub fn number(self) -> u32 {
        self as u32
    }
}

/// Filtering of coordinates between texels: the field `filter_mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// The texel that contains the coordinate.
    #[default]
    Nearest,
    /// A blend of the texels around the coordinate.
    Linear,
}

impl Filter {
    /// Returns the manual's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nearest => "nearest",
            Self::Linear => "linear",
        }
    }

    /// Returns the result of `txq.filter_mode`.
    pub fn number(self) -> u32 {
        self as u32
    }
}

/// Depth comparison of *reference* with texel. PTX has no field for it; graphics programs set it in the sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the usual comparisons")]
pub enum DepthCompare {
    Never,
    Less,
    Equal,
    #[default]
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

impl DepthCompare {
    /// All variants with their names in the launch format.
    pub const NAMES: [(&'static str, Self); 8] = [
        ("never", Self::Never),
        ("less", Self::Less),
        ("equal", Self::Equal),
        ("less_equal", Self::LessEqual),
        ("greater", Self::Greater),
        ("not_equal", Self::NotEqual),
        ("greater_equal", Self::GreaterEqual),
        ("always", Self::Always),
    ];

    /// Whether the comparison holds.
    #[inline]
    pub fn holds(self, reference: f32, texel: f32) -> bool {
        match self {
            Self::Never => false,
            Self::Less => reference < texel,
            Self::Equal => reference == texel,
            Self::LessEqual => reference <= texel,
            Self::Greater => reference > texel,
            Self::NotEqual => reference != texel,
            Self::GreaterEqual => reference >= texel,
            Self::Always => true,
        }
    }
}

/// A sampler. In unified mode each texture has a sampler of its own; in independent mode the sampler is a `.samplerref`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// Filter within a mipmap level.
    pub filter: Filter,
    /// Address modes for x, y and z.
    pub address: [AddressMode; 3],
    /// Coordinates count texels, whatever the texture says (manual 5.3.2, independent mode).
    pub force_unnormalized_coords: bool,
    /// Filter between mipmap levels.
    pub mipmap_filter: Filter,
    /// Offset that is added to the level of detail.
    pub lod_bias: f32,
    /// The finest level that may be read.
    pub min_lod: f32,
    /// The coarsest level that may be read.
    pub max_lod: f32,
    /// Accepted without effect: filtering is isotropic here.
    pub max_anisotropy: u32,
    /// Border colour (red, green, blue, alpha); for integer formats the values are converted to integers.
    pub border: [f32; 4],
    /// Comparison for depth textures.
    pub compare: DepthCompare,
    /// Whether linear filtering of cube maps continues across the edges of faces.
    pub seamless_cube: bool,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            filter: Filter::Nearest,
            address: [AddressMode::ClampToEdge; 3],
            force_unnormalized_coords: false,
            mipmap_filter: Filter::Nearest,
            lod_bias: 0.0,
            min_lod: 0.0,
            max_lod: f32::MAX,
            max_anisotropy: 1,
            border: [0.0; 4],
            compare: DepthCompare::LessEqual,
            seamless_cube: false,
        }
    }
}

/// The texels that one coordinate selects in its dimension: two indices, and the weight of the second texel in 1/256. With
/// nearest filtering the weight is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// Indices of the texels before the address mode is applied; cube maps need them because neighbours are on other faces.
    pub raw: [i64; 2],
    /// Indices of the texels; `None` means the border.
    pub index: [Option<u32>; 2],
    /// Weight of the second texel in 1/256: 0 … 255.
    pub weight: u32,
    /// Marks of this selection.
    pub marks: Marks,
}

/// Applies an address mode to an index; `None` means the border.
#[inline]
pub fn address(index: i64, size: u32, mode: AddressMode) -> Option<u32> {
    let size_i = i64::from(size.max(1));
    let inside = match mode {
        AddressMode::Wrap => index.rem_euclid(size_i),
        AddressMode::Mirror => {
            let within = index.rem_euclid(2 * size_i);
            if within < size_i { within } else { 2 * size_i - 1 - within }
        }
        AddressMode::ClampToEdge => index.clamp(0, size_i - 1),
        AddressMode::ClampToBorder | AddressMode::ClampOgl => {
            if !(0..size_i).contains(&index) {
                return None;
            }
            index
        }
    };
    Some(inside as u32)
}

/// Returns the texels that a float coordinate selects in a dimension of `size` texels.
///
/// `blend`: select two texels with a weight, otherwise the texel that contains the coordinate. `offset` is added to the
/// indices.
#[inline]
pub fn axis(coordinate: f32, size: u32, normalized: bool, mode: AddressMode, blend: bool, offset: i32) -> Axis {
    let size = size.max(1);
    let mut marks = Marks::NONE;
    let mode = match mode {
        AddressMode::Wrap | AddressMode::Mirror if !normalized => AddressMode::ClampToEdge,
        mode => mode,
    };
    // No document defines the texel for NaN, or for infinity when the image repeats.
    let coordinate = if coordinate.is_nan() || (coordinate.is_infinite() && repeats(mode)) {
        marks |= Marks::UNSPECIFIED;
        0.0
    } else {
        f64::from(coordinate)
    };
    // Exact: 24 bits times at most 29 (images are far smaller).
    let mut position = if normalized { coordinate * f64::from(size) } else { coordinate };
    if mode == AddressMode::ClampOgl {
        position = position.clamp(0.0, f64::from(size));
    }
    let period = 2.0 * f64::from(size);
    let integral = |value: f64| {
        // The value is reduced before the conversion to an integer, so that no position overflows; the reduction of a whole
        // number is exact.
        if !repeats(mode) {
            return value.clamp(-1e9, 1e10) as i64;
        }
        let rest = fmod(value, period);
        (if rest < 0.0 { rest + period } else { rest }) as i64
    };
    let (first, weight) = if blend {
        let scaled = integral_f64::<DOWN>((position - 0.5) * 256.0 + 0.5);
        let whole = integral_f64::<DOWN>(scaled / 256.0);
        let weight = if whole.is_finite() { scaled - whole * 256.0 } else { 0.0 };
        (integral(whole), weight as u32 & 0xff)
    } else {
        let whole = integral_f64::<DOWN>(position);
        // Hardware may round the position to 1/256 first; the guide's formula does not.
        if position - whole >= 1.0 - 1.0 / 512.0 {
            marks |= Marks::UNSPECIFIED;
        }
        let whole = if mode == AddressMode::ClampOgl { whole.min(f64::from(size - 1)) } else { whole };
        (integral(whole), 0)
    };
    let first = first + i64::from(offset);
    let raw = [first, first + 1];
    Axis { raw, index: [address(raw[0], size, mode), address(raw[1], size, mode)], weight, marks }
}

#[inline]
fn repeats(mode: AddressMode) -> bool {
    matches!(mode, AddressMode::Wrap | AddressMode::Mirror)
}
