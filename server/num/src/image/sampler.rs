//! Samplers: what a coordinate means – which texels, and how much of each.
//!
//! Sources: manual 5.3.2 (the fields); the CUDA C++ programming guide's appendix on texture fetching (nearest: floor; linear:
//! the two texels around the coordinate less ½, weights with 8 bits after the point; wrapping takes the fraction, mirroring
//! runs back and forth, the border is zero); cudaTextureDesc (without normalised coordinates wrapping and mirroring are
//! clamping). That the weight is rounded to the *nearest* 1/256 was published with measurements (NVIDIA's developer forum,
//! "tex1D accuracy": 25.6/256 gives 26/256, 51.2 gives 51, 76.8 gives 77). Which way ties go is not known; ours go up.

use crate::values::Marks;

/// What a coordinate outside of the image means: the fields `addr_mode_{0,1,2}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AddressMode {
    /// The image repeats.
    Wrap,
    /// It repeats, every second time mirrored.
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
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Wrap, Self::Mirror, Self::ClampOgl, Self::ClampToEdge, Self::ClampToBorder];

    /// The manual's name, as initialisers and launches have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wrap => "wrap",
            Self::Mirror => "mirror",
            Self::ClampOgl => "clamp_ogl",
            Self::ClampToEdge => "clamp_to_edge",
            Self::ClampToBorder => "clamp_to_border",
        }
    }

    /// The number that `txq.addr_mode_0` gives (manual 9.7.10.5: an enumeration in this order).
    pub fn number(self) -> u32 {
        self as u32
    }
}

/// How a value between texels is found: the field `filter_mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// The texel that the coordinate lies in.
    #[default]
    Nearest,
    /// A blend of the texels around it.
    Linear,
}

impl Filter {
    /// The manual's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nearest => "nearest",
            Self::Linear => "linear",
        }
    }

    /// The number that `txq.filter_mode` gives.
    pub fn number(self) -> u32 {
        self as u32
    }
}

/// How a depth is compared: *reference* against texel. PTX has no field for it, graphics programs set it in the sampler.
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
    /// Names in a launch.
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

/// A sampler. In unified mode a texture has one of its own, in independent mode it is a `.samplerref`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// Within a level.
    pub filter: Filter,
    /// For x, y and z.
    pub address: [AddressMode; 3],
    /// Coordinates count texels, whatever the texture says (manual 5.3.2, independent mode).
    pub force_unnormalized_coords: bool,
    /// Between mipmap levels.
    pub mipmap_filter: Filter,
    /// Added to the level.
    pub lod_bias: f32,
    /// The finest level that may be read.
    pub min_lod: f32,
    /// The coarsest level that may be read.
    pub max_lod: f32,
    /// Accepted, and of no influence: filtering is isotropic here.
    pub max_anisotropy: u32,
    /// Red, green, blue, alpha outside of the image; for integer formats they are converted to integers.
    pub border: [f32; 4],
    /// For depth textures.
    pub compare: DepthCompare,
    /// Whether linear filtering of cube maps goes on across their edges.
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

/// The texels that one coordinate means: two indices in the image's dimension (`None`: the border), and the weight of the
/// second one in 1/256. Nearest filtering has a weight of 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// Indices of the texels before addressing: for cube maps, whose neighbours lie on other faces.
    pub raw: [i64; 2],
    /// Indices of the texels.
    pub index: [Option<u32>; 2],
    /// 0 … 255: 256ths of the second texel.
    pub weight: u32,
    /// What must be said of the choice.
    pub marks: Marks,
}

/// Where an index before addressing lies.
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

/// The texels that a float coordinate means in a dimension of `size` texels.
///
/// `blend`: two texels with a weight; else the one the coordinate lies in. `offset` is added to the indices.
#[inline]
pub fn axis(coordinate: f32, size: u32, normalized: bool, mode: AddressMode, blend: bool, offset: i32) -> Axis {
    let size = size.max(1);
    let mut marks = Marks::NONE;
    let mode = match mode {
        AddressMode::Wrap | AddressMode::Mirror if !normalized => AddressMode::ClampToEdge,
        mode => mode,
    };
    // Infinity has no fraction to wrap, NaN has no place at all: no document says what happens.
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
        // Reduced before it becomes an integer, so that no position is too far away; exact, for a whole number.
        let value = if repeats(mode) { value.rem_euclid(period) } else { value.clamp(-1e9, 1e10) };
        value as i64
    };
    let (first, weight) = if blend {
        let scaled = ((position - 0.5) * 256.0 + 0.5).floor();
        let whole = (scaled / 256.0).floor();
        let weight = if whole.is_finite() { scaled - whole * 256.0 } else { 0.0 };
        (integral(whole), weight as u32 & 0xff)
    } else {
        let whole = position.floor();
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
